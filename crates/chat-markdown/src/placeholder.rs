//! Marks in a text that stand for something finished: an element or text that inline markup became, or raw HTML.
//!
//! The rules of inline markup see such a mark as characters like any others: none of its ends is white space, a letter
//! or punctuation.

/// What marks begin with. No text has it, since it is taken out first.
pub(super) const START: char = '\u{2}';
/// What marks end with.
pub(super) const END: char = '\u{3}';

// As the service writes them: an address that goes on behind markup shows the mark of it.
const INLINE: &str = "\u{2}klzzwxh:";
const RAW: &str = "\u{2}wzxhzdk:";

/// The mark for something that inline markup became.
pub(super) fn inline(number: usize) -> String {
    format!("{INLINE}{number:04}{END}")
}

/// The mark for raw HTML.
pub(super) fn raw(number: usize) -> String {
    format!("{RAW}{number}{END}")
}

/// A mark in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Its number.
    pub number: usize,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// The first mark of an inline part from a byte on.
pub(super) fn next_inline(text: &str, from: usize) -> Option<Mark> {
    next(text, from, INLINE)
}

/// The first mark of raw HTML from a byte on.
pub(super) fn next_raw(text: &str, from: usize) -> Option<Mark> {
    next(text, from, RAW)
}

fn next(text: &str, from: usize, prefix: &str) -> Option<Mark> {
    let start = from + memchr::memmem::find(&text.as_bytes()[from..], prefix.as_bytes())?;
    let digits = &text[start + prefix.len()..];
    let length = digits.find(END)?;
    Some(Mark { number: digits[..length].parse().ok()?, start, end: start + prefix.len() + length + END.len_utf8() })
}

/// Raw HTML by number.
#[derive(Debug, Default)]
pub(super) struct Stash {
    parts: Vec<RawHtml>,
}

#[derive(Debug)]
struct RawHtml {
    html: String,
    is_block: bool,
}

impl Stash {
    /// Keeps HTML; the mark that replaces it.
    pub fn store(&mut self, html: String) -> String {
        let name = html.strip_prefix('<').map(|tag| tag.strip_prefix('/').unwrap_or(tag));
        let name = name.map(|tag| &tag[..tag.find([' ', '>']).unwrap_or(tag.len())]);
        let is_block = name.is_some_and(super::tree::is_block);
        self.parts.push(RawHtml { html, is_block });
        raw(self.parts.len() - 1)
    }

    /// Puts the HTML in the place of its marks. A paragraph that holds a block alone gives way to it.
    pub fn restore(&self, html: &str) -> String {
        const OPEN: &str = "<p>";
        const CLOSE: &str = "</p>";
        let mut out = String::with_capacity(html.len());
        let mut done = 0;
        while let Some(mark) = next_raw(html, done) {
            out.push_str(&html[done..mark.start]);
            done = mark.end;
            let Some(part) = self.parts.get(mark.number) else { continue };
            if part.is_block && html[..mark.start].ends_with(OPEN) && html[done..].starts_with(CLOSE) {
                out.truncate(out.len() - OPEN.len());
                done += CLOSE.len();
            }
            out.push_str(&part.html);
        }
        out.push_str(&html[done..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_take_the_place_of_their_paragraph() {
        let mut stash = Stash::default();
        let block = stash.store("<div>x</div>".to_owned());
        let inline = stash.store("&copy;".to_owned());
        assert_eq!(
            stash.restore(&format!("<p>{block}</p>\n<p>{inline}</p><p>a {block}</p>")),
            "<div>x</div>\n<p>&copy;</p><p>a <div>x</div></p>"
        );
    }
}
