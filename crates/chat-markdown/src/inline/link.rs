//! Expands links with labels, and embedded images and sound.

use super::InlineExpander;
use super::text_rewriter::TextRewriter;
use super::url::{Target, sanitize};
use crate::character::is_space;
use crate::media;
use crate::tree::{Node, Text};

/// Bytes that the search for a closing parenthesis reads per step of the budget.
const BYTES_PER_STEP: usize = 4;

/// The content of a link's parentheses.
struct Destination {
    href: String,
    title: Option<String>,
    /// Position after the closing parenthesis.
    end: usize,
}

/// Expands `[label](url "title")`, and `![label](url)` for uploaded images and sound.
pub(super) fn expand_links(inline: &mut InlineExpander<'_, '_>, text: &str) -> Option<String> {
    text.contains("](").then_some(())?;
    let closing_brackets = find_closing_brackets(text);
    let mut rewriter = TextRewriter::new(text);
    for start in memchr::memchr_iter(b'[', text.as_bytes()) {
        let Some(&label_end) = closing_brackets.get(&start).filter(|_| start >= rewriter.position()) else { continue };
        let Some(destination) = parse_destination(inline, text, label_end + 1) else { continue };
        let label = &text[start + 1..label_end];
        let is_image = text[..start].ends_with('!');
        let element = if is_image {
            media_element(inline, &destination, label)
        } else {
            link_element(inline, &destination, label)
        };
        if let Some(element) = element {
            let placeholder = inline.stash_element(element);
            rewriter.replace(start - usize::from(is_image)..destination.end, &placeholder);
        }
    }
    rewriter.finish()
}

/// The position of the closing bracket of each opening bracket.
fn find_closing_brackets(text: &str) -> std::collections::HashMap<usize, usize> {
    let mut open_brackets = Vec::new();
    let mut pairs = std::collections::HashMap::new();
    for position in memchr::memchr2_iter(b'[', b']', text.as_bytes()) {
        if text.as_bytes()[position] == b'[' {
            open_brackets.push(position);
        } else {
            pairs.extend(open_brackets.pop().map(|opening| (opening, position)));
        }
    }
    pairs
}

fn link_element(inline: &mut InlineExpander<'_, '_>, destination: &Destination, label: &str) -> Option<Node> {
    let target = Target::from_url(inline.context, &sanitize(&destination.href)?);
    let text = if label.chars().all(is_space) { target.href.clone() } else { label.to_owned() };
    let title = destination.title.clone().map(|title| ("title", title));
    let attributes = std::iter::once(("href", target.href)).chain(title).collect();
    Some(Node { tag: "a", attributes, text: Text::literal(text), is_link: true, ..Node::default() })
}

fn media_element(inline: &mut InlineExpander<'_, '_>, destination: &Destination, label: &str) -> Option<Node> {
    if !inline.context.settings.output_format.embeds_media_in_text {
        return None;
    }
    let target = Target::from_url(inline.context, &sanitize(&destination.href)?);
    let label = inline.replace_placeholders(label);
    media::render_embedded_media(inline.context, &target, &label)
}

/// Parses a URL and a title in parentheses at a position.
fn parse_destination(inline: &mut InlineExpander<'_, '_>, text: &str, position: usize) -> Option<Destination> {
    let inside = text[position..].strip_prefix('(')?;
    let inside = inside.trim_start_matches(is_space);
    let start = text.len() - inside.len();
    let (href, title, end) = match parse_angle_brackets(text, start) {
        Some(result) => result,
        None => {
            inline.context.budget.check().ok()?;
            let search = DestinationSearch::run(&text[start..]);
            inline.context.budget.spend_steps(search.searched_bytes / BYTES_PER_STEP).ok()?;
            let (href, title, length) = search.result?;
            (href, title, start + length)
        }
    };
    let title = title.map(|title| {
        let title = inline.replace_placeholders(title.trim_matches(is_space));
        let title: String = title.chars().map(|character| if is_space(character) { ' ' } else { character }).collect();
        let unquote = |mark: char| title.strip_prefix(mark)?.strip_suffix(mark).map(str::to_owned);
        unquote('"').or_else(|| unquote('\'')).unwrap_or(title)
    });
    let href = inline.replace_placeholders(href).trim_matches(is_space).to_owned();
    Some(Destination { href, title, end })
}

/// Parses `<url> "title")` at a position. Returns the URL, the title and the position after them.
fn parse_angle_brackets(text: &str, start: usize) -> Option<(&str, Option<&str>, usize)> {
    let inside = text[start..].strip_prefix('<')?;
    let length = inside.find(['<', '>']).filter(|length| inside[*length..].starts_with('>'))?;
    let (href, following) = (&inside[..length], inside[length + 1..].trim_start_matches(is_space));
    let parse_title = |mark: char| {
        let (title, following) = following.strip_prefix(mark)?.split_once(mark)?;
        Some((title, following.trim_start_matches(is_space).strip_prefix(')')?))
    };
    let (title, following) = match parse_title('\'').or_else(|| parse_title('"')) {
        Some((title, following)) => (Some(title), following),
        None => (None, following.strip_prefix(')')?),
    };
    Some((href.trim_matches(is_space), title, text.len() - following.len()))
}

/// The first and last quotation mark of a kind in the parentheses.
#[derive(Clone, Copy, Debug, Default)]
struct QuotationMarks {
    mark: Option<u8>,
    start: usize,
    end: Option<usize>,
}

impl QuotationMarks {
    /// Whether the last byte that is not a space is the closing quotation mark.
    fn is_closed_by(&self, last_byte: Option<u8>) -> bool {
        self.end.is_some() && self.mark == last_byte
    }
}

/// A search for the closing parenthesis of a link. Parentheses in a title don't count. If it turns out that there is no
/// title, opening parentheses after the quotation mark count as closing ones too, as in Python-Markdown.
struct DestinationSearch<'t> {
    /// The URL, the title, and the length up to the closing parenthesis, which is included. None: the link is not
    /// closed.
    result: Option<(&'t str, Option<&'t str>, usize)>,
    searched_bytes: usize,
}

impl<'t> DestinationSearch<'t> {
    fn run(text: &'t str) -> Self {
        let (mut depth, mut depth_without_title) = (1_usize, 1_usize);
        let (mut first_marks, mut other_marks) = (QuotationMarks::default(), QuotationMarks::default());
        let mut fallback_parenthesis = None;
        let mut last_byte = None;
        for (index, byte) in text.bytes().enumerate() {
            match byte {
                b'(' if first_marks.mark.is_none() => depth += 1,
                b'(' => depth_without_title -= usize::from(depth_without_title > 0),
                b')' if first_marks.is_closed_by(last_byte) || other_marks.is_closed_by(last_byte) => depth = 0,
                b')' if first_marks.mark.is_none() => depth -= 1,
                b')' if depth_without_title > 0 => {
                    depth_without_title -= 1;
                    if depth_without_title == 0 {
                        fallback_parenthesis = Some(index);
                    }
                }
                b'\'' | b'"' => match first_marks.mark {
                    None => {
                        depth_without_title = std::mem::replace(&mut depth, 1);
                        first_marks = QuotationMarks { mark: Some(byte), start: index, end: None };
                    }
                    Some(mark) if mark == byte => first_marks.end = Some(index),
                    Some(_) if other_marks.mark.is_none() => {
                        other_marks = QuotationMarks { mark: Some(byte), start: index, end: None }
                    }
                    Some(_) => other_marks.end = Some(index),
                },
                _ => {}
            }
            if depth == 0 {
                let title = [first_marks, other_marks].into_iter().find(|marks| marks.is_closed_by(last_byte));
                let result = match title.and_then(|marks| Some((marks.start, marks.end?))) {
                    Some((start, end)) => (&text[..start], text.get(start + 1..end), index + 1),
                    None => (&text[..index], None, index + 1),
                };
                return Self { result: Some(result), searched_bytes: index + 1 };
            }
            if byte != b' ' {
                last_byte = Some(byte);
            }
        }
        let result =
            fallback_parenthesis.filter(|_| depth_without_title == 0).map(|index| (&text[..index], None, index + 1));
        Self { result, searched_bytes: text.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_in_urls_and_titles_are_matched() {
        for (text, href, title) in [
            ("a)", "a", None),
            ("a(b)c) d)", "a(b)c", None),
            ("a \"t\")", "a ", Some("t")),
            ("a 't)')", "a ", Some("t)")),
            ("a'b)", "a'b", None),
            ("a \"t' )", "a \"t' ", None),
            (")", "", None),
        ] {
            let result = DestinationSearch::run(text).result.map(|(href, title, _)| (href, title));
            assert_eq!(result, Some((href, title)), "{text}");
        }
        assert!(DestinationSearch::run("a(b)").result.is_none());
    }
}
