//! Links with a text of their own, and images and sound in the text.

use super::url::{Target, sanitized};
use super::{Inline, Rewriting};
use crate::character::is_space;
use crate::media;
use crate::tree::{Node, Text};

/// How many bytes are read in a step in search of the end of a link.
const BYTES_PER_STEP: usize = 4;

/// What is in the brackets of a link.
struct Parts {
    href: String,
    title: Option<String>,
    /// Where the last bracket ends.
    end: usize,
}

/// `[text](address "title")`, and `![label](address)` of uploaded images and sound.
pub(super) fn links(inline: &mut Inline<'_, '_>, text: &str) -> Option<String> {
    text.contains("](").then_some(())?;
    let closing = closing_brackets(text);
    let mut out = Rewriting::new(text);
    for start in memchr::memchr_iter(b'[', text.as_bytes()) {
        let Some(&text_end) = closing.get(&start).filter(|_| start >= out.done()) else { continue };
        let Some(parts) = parts(inline, text, text_end + 1) else { continue };
        let label = &text[start + 1..text_end];
        let is_image = text[..start].ends_with('!');
        let element = if is_image { image(inline, &parts, label) } else { link(inline, &parts, label) };
        if let Some(element) = element {
            let mark = inline.element(element);
            out.replace(start - usize::from(is_image)..parts.end, &mark);
        }
    }
    out.finish()
}

/// For each opening square bracket the one that closes it.
fn closing_brackets(text: &str) -> std::collections::HashMap<usize, usize> {
    let mut open = Vec::new();
    let mut pairs = std::collections::HashMap::new();
    for at in memchr::memchr2_iter(b'[', b']', text.as_bytes()) {
        if text.as_bytes()[at] == b'[' {
            open.push(at);
        } else {
            pairs.extend(open.pop().map(|opening| (opening, at)));
        }
    }
    pairs
}

fn link(inline: &mut Inline<'_, '_>, parts: &Parts, label: &str) -> Option<Node> {
    let target = Target::of(inline.context, &sanitized(&parts.href)?);
    let shown = if label.chars().all(is_space) { target.href.clone() } else { label.to_owned() };
    let title = parts.title.clone().map(|title| ("title", title));
    let attributes = std::iter::once(("href", target.href)).chain(title).collect();
    Some(Node { tag: "a", attributes, text: Text::literal(shown), is_link: true, ..Node::default() })
}

fn image(inline: &mut Inline<'_, '_>, parts: &Parts, label: &str) -> Option<Node> {
    if !inline.context.settings.form.shows_images_in_text {
        return None;
    }
    let target = Target::of(inline.context, &sanitized(&parts.href)?);
    let label = inline.unmarked(label);
    media::inline(inline.context, &target, &label)
}

/// What is in the brackets at a byte.
fn parts(inline: &mut Inline<'_, '_>, text: &str, at: usize) -> Option<Parts> {
    let inside = text[at..].strip_prefix('(')?;
    let inside = inside.trim_start_matches(is_space);
    let start = text.len() - inside.len();
    let (href, title, end) = match in_angles(text, start) {
        Some(found) => found,
        None => {
            inline.context.budget.check().ok()?;
            let reading = Reading::of(&text[start..]);
            inline.context.budget.spend_steps(reading.length / BYTES_PER_STEP).ok()?;
            let (href, title, length) = reading.found?;
            (href, title, start + length)
        }
    };
    let title = title.map(|title| {
        let title = inline.unmarked(title.trim_matches(is_space));
        let title: String = title.chars().map(|it| if is_space(it) { ' ' } else { it }).collect();
        let quoted = |mark: char| title.strip_prefix(mark)?.strip_suffix(mark).map(str::to_owned);
        quoted('"').or_else(|| quoted('\'')).unwrap_or(title)
    });
    let href = inline.unmarked(href).trim_matches(is_space).to_owned();
    Some(Parts { href, title, end })
}

/// `<address> "title")` at a byte: address, title, and where it ends.
fn in_angles(text: &str, start: usize) -> Option<(&str, Option<&str>, usize)> {
    let inside = text[start..].strip_prefix('<')?;
    let length = inside.find(['<', '>']).filter(|length| inside[*length..].starts_with('>'))?;
    let (href, behind) = (&inside[..length], inside[length + 1..].trim_start_matches(is_space));
    let quoted = |mark: char| {
        let (title, behind) = behind.strip_prefix(mark)?.split_once(mark)?;
        Some((title, behind.trim_start_matches(is_space).strip_prefix(')')?))
    };
    let (title, behind) = match quoted('\'').or_else(|| quoted('"')) {
        Some((title, behind)) => (Some(title), behind),
        None => (None, behind.strip_prefix(')')?),
    };
    Some((href.trim_matches(is_space), title, text.len() - behind.len()))
}

/// A quotation mark in the brackets of a link: the first of its kind, and the last.
#[derive(Clone, Copy, Debug, Default)]
struct Quote {
    mark: Option<u8>,
    start: usize,
    end: Option<usize>,
}

impl Quote {
    /// Whether a title in these quotes has just ended.
    fn ends_with(&self, last: Option<u8>) -> bool {
        self.end.is_some() && self.mark == last
    }
}

/// Reads what is in brackets to the one that closes them. Brackets in a title don't count, and if there turns out to be
/// no title after all, they are counted as if there had never been one.
struct Reading<'t> {
    /// The address, the title and the bytes up to and with the closing bracket.
    found: Option<(&'t str, Option<&'t str>, usize)>,
    /// How many bytes were read.
    length: usize,
}

impl<'t> Reading<'t> {
    fn of(text: &'t str) -> Self {
        let (mut open, mut open_without_title) = (1_usize, 1_usize);
        let (mut quote, mut other) = (Quote::default(), Quote::default());
        let mut fallback = None;
        let mut last = None;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'(' if quote.mark.is_none() => open += 1,
                b'(' => open_without_title -= usize::from(open_without_title > 0),
                b')' if quote.ends_with(last) || other.ends_with(last) => open = 0,
                b')' if quote.mark.is_none() => open -= 1,
                b')' if open_without_title > 0 => {
                    open_without_title -= 1;
                    if open_without_title == 0 {
                        fallback = Some(at);
                    }
                }
                b'\'' | b'"' => match quote.mark {
                    None => {
                        open_without_title = std::mem::replace(&mut open, 1);
                        quote = Quote { mark: Some(byte), start: at, end: None };
                    }
                    Some(mark) if mark == byte => quote.end = Some(at),
                    Some(_) if other.mark.is_none() => other = Quote { mark: Some(byte), start: at, end: None },
                    Some(_) => other.end = Some(at),
                },
                _ => {}
            }
            if open == 0 {
                let title = [quote, other].into_iter().find(|it| it.ends_with(last));
                let found = match title.and_then(|it| Some((it.start, it.end?))) {
                    Some((start, end)) => (&text[..start], text.get(start + 1..end), at + 1),
                    None => (&text[..at], None, at + 1),
                };
                return Self { found: Some(found), length: at + 1 };
            }
            if byte != b' ' {
                last = Some(byte);
            }
        }
        let found = fallback.filter(|_| open_without_title == 0).map(|at| (&text[..at], None, at + 1));
        Self { found, length: text.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_addresses_and_titles() {
        for (text, href, title) in [
            ("a)", "a", None),
            ("a(b)c) d)", "a(b)c", None),
            ("a \"t\")", "a ", Some("t")),
            ("a 't)')", "a ", Some("t)")),
            ("a'b)", "a'b", None),
            ("a \"t' )", "a \"t' ", None),
            (")", "", None),
        ] {
            let found = Reading::of(text).found.map(|(href, title, _)| (href, title));
            assert_eq!(found, Some((href, title)), "{text}");
        }
        assert!(Reading::of("a(b)").found.is_none());
    }
}
