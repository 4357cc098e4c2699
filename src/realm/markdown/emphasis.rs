//! `**strong**`, `*emphasis*` and `~~deletion~~`.
//!
//! One kind after another is looked for, each from left to right within its line and never twice, so the time is
//! linear. What one kind has wrapped is a finished piece for the next.

use super::html;
use super::pieces::Pieces;
use std::ops::Range;

#[derive(Clone, Copy)]
enum Kind {
    Strong,
    Emphasis,
    Deletion,
}

impl Kind {
    fn tag(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Emphasis => "em",
            Self::Deletion => "del",
        }
    }

    fn mark_bytes(self) -> usize {
        if matches!(self, Self::Emphasis) { 1 } else { 2 }
    }

    /// What is looked for inside a part of this kind, outermost first.
    fn inside(self) -> &'static [Self] {
        match self {
            Self::Strong => &[Self::Emphasis, Self::Deletion],
            Self::Emphasis => &[Self::Deletion],
            Self::Deletion => &[],
        }
    }

    fn find(self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Strong => lines(text, strong),
            Self::Emphasis => lines(text, emphasis),
            Self::Deletion => lines(text, deletion),
        }
    }
}

/// Wraps all emphasized parts and finishes the text with `text`.
pub(super) fn finish(pieces: Pieces, text: &mut dyn FnMut(&mut String, &str)) -> String {
    finish_kinds(pieces, &[Kind::Strong, Kind::Emphasis, Kind::Deletion], text)
}

fn finish_kinds(mut pieces: Pieces, kinds: &[Kind], text: &mut dyn FnMut(&mut String, &str)) -> String {
    // Most texts have none.
    let kinds = if pieces.text().contains(['*', '~']) { kinds } else { &[] };
    for kind in kinds {
        let ranges = kind.find(pieces.text());
        pieces = pieces.replace(ranges, |_, part| {
            let content = part.strip(kind.mark_bytes(), kind.mark_bytes());
            html::element(kind.tag(), &[], &finish_kinds(content, kind.inside(), text))
        });
    }
    pieces.finish(text)
}

/// Applies a search to each line.
fn lines(text: &str, search: fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        found.extend(search(line).into_iter().map(|range| range.start + start..range.end + start));
        start += line.len() + 1;
    }
    found
}

/// `**x**`: no white space at the inner edges, at least one character inside.
fn strong(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].find("**").map(|offset| at + offset) {
        let inside = start + 2;
        if !starts_with_text(&line[inside..]) {
            at = inside;
            continue;
        }
        let Some(end) = strong_end(line, inside) else {
            break;
        };
        found.push(start..end);
        at = end;
    }
    found
}

fn strong_end(line: &str, inside: usize) -> Option<usize> {
    // At least one character is inside, be it a mark.
    let mut at = inside + line[inside..].chars().next()?.len_utf8();
    loop {
        let close = at + line[at..].find("**")?;
        if line[..close].ends_with(char::is_whitespace) {
            at = close + 1;
            continue;
        }
        // Of three marks the first closes what opened inside: `***x***`, `**a *b***`.
        let single_inside = line[inside..close].bytes().filter(|&byte| byte == b'*').count() % 2 == 1;
        let third = line[close + 2..].starts_with('*') && !line[close + 3..].starts_with('*');
        return Some(close + 2 + usize::from(third && single_inside));
    }
}

/// `*x*`: no white space at the inner edges, no mark inside.
fn emphasis(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].find('*').map(|offset| at + offset) {
        let inside = start + 1;
        let Some(close) = line[inside..].find('*').map(|offset| inside + offset) else {
            break;
        };
        if starts_with_text(&line[inside..]) && close > inside && !line[..close].ends_with(char::is_whitespace) {
            found.push(start..close + 1);
            at = close + 1;
        } else {
            at = close;
        }
    }
    found
}

/// `~~x~~`: exactly two marks on both sides, none inside.
fn deletion(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    while let Some(start) = line[at..].find('~').map(|offset| at + offset) {
        let length = line[start..].bytes().take_while(|&byte| byte == b'~').count();
        at = start + length;
        open = match open {
            _ if length != 2 => None,
            Some(opened) => {
                found.push(opened..at);
                None
            }
            None => Some(start),
        };
    }
    found
}

fn starts_with_text(text: &str) -> bool {
    text.chars().next().is_some_and(|char| !char.is_whitespace())
}
