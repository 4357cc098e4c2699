//! Inline markup: finds what binds tighter than emphasis, from left to right, and hands the rest on.

use super::backticks::{self, Backticks};
use super::context::Context;
use super::html;
use super::link::{self, Target};
use super::pieces::Pieces;
use super::{TooLarge, emphasis, math, media, mention, text, time};
use std::collections::HashMap;
use std::ops::Range;

/// A rendered leaf.
pub(super) struct Leaf {
    /// Its content.
    pub html: String,
    /// Whether the leaf is one bare address and nothing else.
    pub is_bare_address: bool,
}

/// Renders the text of a paragraph, heading or cell.
///
/// # Errors
///
/// When it is certain that the output will be too large.
pub(super) fn render(context: &mut Context<'_>, source: &str) -> Result<Leaf, TooLarge> {
    let pieces = Scanner::new(source).scan(context, false);
    let (pieces, is_bare_address) = bare_addresses(context, pieces);
    let pieces = linkifiers(context, pieces);
    let html = finish(context, pieces);
    context.count(&html)?;
    Ok(Leaf { html, is_bare_address })
}

/// Renders the text of a link: no links, mentions or linkifiers inside.
fn link_text(context: &mut Context<'_>, source: &str) -> String {
    let pieces = Scanner::new(source).scan(context, true);
    finish(context, pieces)
}

fn finish(context: &Context<'_>, pieces: Pieces) -> String {
    let emoticons = context.settings.translate_emoticons;
    emphasis::finish(pieces, &mut |out, run| text::push(out, run, context.names, emoticons))
}

fn bare_addresses(context: &mut Context<'_>, pieces: Pieces) -> (Pieces, bool) {
    // A finished piece is no boundary.
    let (ranges, hrefs): (Vec<_>, Vec<_>) =
        link::bare_addresses(pieces.text()).into_iter().map(|it| (it.range, it.href)).unzip();
    let is_only = ranges.first() == Some(&(0..pieces.text().len()));
    let pieces = pieces.replace(ranges, |index, part| {
        let shown = part.text().to_owned();
        let Some(target) = hrefs.get(index).and_then(|href| Target::new(context, href)) else {
            return html::text(&shown);
        };
        media::preview(context, &target, None);
        target.anchor(context, &html::text(&shown))
    });
    (pieces, is_only)
}

fn linkifiers(context: &mut Context<'_>, mut pieces: Pieces) -> Pieces {
    for linkifier in context.linkifiers.clone() {
        let mut ranges = Vec::new();
        let mut urls = Vec::new();
        for run in pieces.runs() {
            // The placeholder in front is part of what is searched, so that the run's start is not the text's start.
            let lead = if run.start > 0 { super::mask::PLACEHOLDER.len_utf8() } else { 0 };
            let from = run.start - lead;
            for found in linkifier.matches(&pieces.text()[from..run.end], lead) {
                if link::is_safe(&found.url) {
                    ranges.push(from + found.range.start..from + found.range.end);
                    urls.push(found.url);
                }
            }
        }
        pieces = pieces.replace(ranges, |index, part| {
            context.found.has_link = true;
            let url = urls.get(index).map_or("", String::as_str);
            html::element("a", &[("href", url)], &html::text(part.text()))
        });
    }
    pieces
}

struct Scanner<'s> {
    source: &'s str,
    at: usize,
    plain: usize,
    pieces: Pieces,
    backticks: Backticks,
    /// For each opening bracket its closing one.
    brackets: HashMap<usize, usize>,
}

impl<'s> Scanner<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            at: 0,
            plain: 0,
            pieces: Pieces::default(),
            backticks: Backticks::new(source),
            brackets: brackets(source),
        }
    }

    fn scan(mut self, context: &mut Context<'_>, in_link: bool) -> Pieces {
        while let Some(offset) = self.source[self.at..].find(['`', '@', '#', '$', '<', '[', '!']) {
            self.at += offset;
            let found = match self.source.as_bytes()[self.at] {
                b'`' => self.code(),
                b'$' => math::inline(&self.source[..self.at], &self.source[self.at..]),
                _ if in_link => None,
                b'@' => mention::user_or_group(context, &self.source[..self.at], &self.source[self.at..]),
                b'#' => mention::channel(context, &self.source[..self.at], &self.source[self.at..]),
                b'<' => time::inline(&self.source[self.at..]),
                b'[' => self.link(context),
                _ => self.media(context),
            };
            match found {
                Some((html, length)) => {
                    self.pieces.push_text(&self.source[self.plain..self.at]);
                    self.pieces.push_html(html);
                    self.at += length;
                    self.plain = self.at;
                }
                // All of a run of backticks is literal if no other run closes it.
                None if self.source[self.at..].starts_with('`') => {
                    self.at += backticks::run_length(self.source, self.at)
                }
                None => self.at += 1,
            }
        }
        self.pieces.push_text(&self.source[self.plain..]);
        self.pieces
    }

    fn code(&self) -> Option<(String, usize)> {
        let (inside, end) = self.backticks.span(self.source, self.at)?;
        Some((html::element("code", &[], &html::text(&self.source[inside])), end - self.at))
    }

    /// The parts of `[text](address "title")` at a byte: text, address, title, and where it ends.
    fn link_parts(&self, at: usize) -> Option<(Range<usize>, &'s str, Option<&'s str>, usize)> {
        let text_end = *self.brackets.get(&at)?;
        let open = text_end + 1;
        if self.source.as_bytes().get(open) != Some(&b'(') {
            return None;
        }
        let close = *self.brackets.get(&open)?;
        let inside = self.source[open + 1..close].trim();
        let (address, title) = match inside.split_once(char::is_whitespace) {
            Some((address, rest)) => {
                let title = rest.trim();
                let quoted = |mark: char| title.strip_prefix(mark)?.strip_suffix(mark);
                (address, Some(quoted('"').or_else(|| quoted('\''))?))
            }
            None => (inside, None),
        };
        let address = address.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(address);
        (!address.is_empty()).then_some((at + 1..text_end, address, title, close + 1))
    }

    fn link(&self, context: &mut Context<'_>) -> Option<(String, usize)> {
        let (label, address, title, end) = self.link_parts(self.at)?;
        let target = Target::new(context, &link::with_scheme(address))?;
        let label = &self.source[label];
        let content = if label.trim().is_empty() { html::text(address) } else { link_text(context, label) };
        media::preview(context, &target, Some(label).filter(|label| !label.trim().is_empty()));
        Some((target.titled_anchor(context, &content, title), end - self.at))
    }

    fn media(&self, context: &mut Context<'_>) -> Option<(String, usize)> {
        let (label, address, _, end) = self.link_parts(self.at + 1)?;
        let target = Target::new(context, &link::with_scheme(address))?;
        Some((media::inline(context, &target, &self.source[label])?, end - self.at))
    }
}

/// Pairs round and square brackets, each kind for itself, in one pass.
fn brackets(source: &str) -> HashMap<usize, usize> {
    let mut pairs = HashMap::new();
    if !source.contains("](") {
        return pairs;
    }
    let (mut square, mut round) = (Vec::new(), Vec::new());
    for (at, byte) in source.bytes().enumerate() {
        match byte {
            b'[' => square.push(at),
            b'(' => round.push(at),
            b']' => pairs.extend(square.pop().map(|open| (open, at))),
            b')' => pairs.extend(round.pop().map(|open| (open, at))),
            _ => {}
        }
    }
    pairs
}
