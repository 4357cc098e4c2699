//! Placeholders in a text for stashed elements and texts of inline markup, and for raw HTML.
//!
//! They begin and end with control characters, so that inline markup does not mistake them for white space, letters or
//! punctuation.

/// The first character of placeholders. It is removed from sources.
pub(super) const START: char = '\u{2}';
/// The last character of placeholders. It is removed from sources.
pub(super) const END: char = '\u{3}';

// The same prefixes as on real servers, because URLs that contain markup show them.
const INLINE_PREFIX: &str = "\u{2}klzzwxh:";
const RAW_PREFIX: &str = "\u{2}wzxhzdk:";

/// The placeholder of a stashed element or text.
pub(super) fn format_inline(index: usize) -> String {
    format!("{INLINE_PREFIX}{index:04}{END}")
}

/// The placeholder of raw HTML.
pub(super) fn format_raw(index: usize) -> String {
    format!("{RAW_PREFIX}{index}{END}")
}

/// A placeholder in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    /// Index in [`RawHtmlStash`] for raw HTML, otherwise in the stash of inline markup.
    pub index: usize,
    pub start: usize,
    /// Position after the placeholder.
    pub end: usize,
}

/// The first placeholder of a stashed element or text from a position on.
pub(super) fn next_inline(text: &str, from: usize) -> Option<Placeholder> {
    find_next(text, from, INLINE_PREFIX)
}

/// The first placeholder of raw HTML from a position on.
pub(super) fn next_raw(text: &str, from: usize) -> Option<Placeholder> {
    find_next(text, from, RAW_PREFIX)
}

fn find_next(text: &str, from: usize, prefix: &str) -> Option<Placeholder> {
    let start = from + memchr::memmem::find(&text.as_bytes()[from..], prefix.as_bytes())?;
    let digits = &text[start + prefix.len()..];
    let length = digits.find(END)?;
    Some(Placeholder {
        index: digits[..length].parse().ok()?,
        start,
        end: start + prefix.len() + length + END.len_utf8(),
    })
}

/// Raw HTML, by index of its placeholder.
#[derive(Debug, Default)]
pub(super) struct RawHtmlStash {
    parts: Vec<RawHtml>,
}

#[derive(Debug)]
struct RawHtml {
    html: String,
    is_block: bool,
}

impl RawHtmlStash {
    /// Stores HTML, and returns its placeholder.
    pub fn store(&mut self, html: String) -> String {
        let name = html.strip_prefix('<').map(|tag| tag.strip_prefix('/').unwrap_or(tag));
        let name = name.map(|tag| &tag[..tag.find([' ', '>']).unwrap_or(tag.len())]);
        let is_block = name.is_some_and(super::tree::is_block);
        self.parts.push(RawHtml { html, is_block });
        format_raw(self.parts.len() - 1)
    }

    /// Replaces placeholders by their HTML. If a paragraph has only a block, the block replaces the paragraph.
    pub fn restore(&self, html: &str) -> String {
        const OPEN: &str = "<p>";
        const CLOSE: &str = "</p>";
        let mut output = String::with_capacity(html.len());
        let mut copy_start = 0;
        while let Some(placeholder) = next_raw(html, copy_start) {
            output.push_str(&html[copy_start..placeholder.start]);
            copy_start = placeholder.end;
            let Some(part) = self.parts.get(placeholder.index) else { continue };
            if part.is_block && html[..placeholder.start].ends_with(OPEN) && html[copy_start..].starts_with(CLOSE) {
                output.truncate(output.len() - OPEN.len());
                copy_start += CLOSE.len();
            }
            output.push_str(&part.html);
        }
        output.push_str(&html[copy_start..]);
        output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_replace_their_paragraph() {
        let mut stash = RawHtmlStash::default();
        let block = stash.store("<div>x</div>".to_owned());
        let inline = stash.store("&copy;".to_owned());
        assert_eq!(
            stash.restore(&format!("<p>{block}</p>\n<p>{inline}</p><p>a {block}</p>")),
            "<div>x</div>\n<p>&copy;</p><p>a <div>x</div></p>"
        );
    }
}
