//! Finds headings, rules and quotes in a block.

use crate::character::is_space;
use std::ops::Range;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// Position of the line end before it, or 0 in the first line.
    pub start: usize,
    /// From 1 to 6.
    pub level: usize,
    /// Range of its text, with surrounding white space.
    pub content: Range<usize>,
    /// Position of the text after it.
    pub end: usize,
}

/// The position of each line's first byte.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|offset| offset + 1))
}

/// The first heading in a block.
pub(super) fn find_heading(text: &str) -> Option<Heading> {
    line_starts(text).find_map(|line_start| {
        let level = text[line_start..].bytes().take_while(|&byte| byte == b'#').count();
        let space = text[line_start + level..].chars().next().filter(|space| is_space(*space))?;
        if !(1..=6).contains(&level) {
            return None;
        }
        let content_start = line_start + level + space.len_utf8();
        let (content_end, end) = heading_end(text, content_start)?;
        Some(Heading { start: line_start.saturating_sub(1), level, content: content_start..content_end, end })
    })
}

/// The end of a heading's content, and the position of the text after the heading. Closing `#` are not part of the
/// content. A backslash escapes the next character. None: a backslash is the last character of the line, so that the
/// line is no heading.
fn heading_end(text: &str, start: usize) -> Option<(usize, usize)> {
    let mut position = start;
    loop {
        let hash_count = text[position..].bytes().take_while(|&byte| byte == b'#').count();
        let after = &text[position + hash_count..];
        if after.is_empty() || after.starts_with('\n') {
            return Some((position, (position + hash_count + 1).min(text.len())));
        }
        let mut characters = text[position..].chars();
        position += match characters.next()? {
            '\\' => 1 + characters.next().filter(|next| *next != '\n')?.len_utf8(),
            other => other.len_utf8(),
        };
    }
}

/// The first line that is a rule: at most three spaces, then at least three of the same character (`-`, `_` or `*`),
/// with at most two spaces between them. Spaces may follow.
pub(super) fn find_rule(text: &str) -> Option<Range<usize>> {
    line_starts(text).find_map(|start| {
        let length = memchr::memchr(b'\n', &text.as_bytes()[start..]).unwrap_or(text.len() - start);
        is_rule(&text[start..start + length]).then(|| start..start + length)
    })
}

fn is_rule(line: &str) -> bool {
    let marks = line.trim_start_matches(' ');
    if line.len() - marks.len() > 3 {
        return false;
    }
    let marks = marks.trim_end_matches(' ');
    let Some(&mark) = marks.as_bytes().first().filter(|mark| b"-_*".contains(mark)) else { return false };
    let is_uniform = marks.bytes().all(|byte| byte == mark || byte == b' ');
    is_uniform && !marks.contains("   ") && marks.bytes().filter(|&byte| byte == mark).count() >= 3
}

/// Position of the line end before the first quote, or 0 if it begins in the first line. Lines with only `>` are not a
/// quote unless text follows them.
pub(super) fn find_quote(text: &str) -> Option<usize> {
    let start = line_starts(text).find(|&line_start| strip_quote_marker(&text[line_start..]).is_some())?;
    if is_empty_quote(&text[start..]) {
        // No text follows this empty quoted line, so the block has no other quote.
        return None;
    }
    Some(start.saturating_sub(1))
}

/// Removes the `>` from the beginning of a text, with the space after it. None: the first line is not quoted.
pub(super) fn strip_quote_marker(text: &str) -> Option<&str> {
    let line = text.trim_start_matches(' ');
    let content = line.strip_prefix('>').filter(|_| text.len() - line.len() <= 3)?;
    Some(content.strip_prefix(' ').unwrap_or(content))
}

/// Whether a text quotes nothing: it is empty, begins with an empty line, or has only lines of `>` and white space, and
/// blank lines after them.
pub(super) fn is_empty_quote(text: &str) -> bool {
    let mut remaining = text;
    loop {
        if remaining.is_empty() || remaining.starts_with('\n') {
            return true;
        }
        let Some(content) = strip_quote_marker(remaining) else { return false };
        let trimmed = content.trim_start_matches(is_space);
        let space = &content[..content.len() - trimmed.len()];
        match space.rfind('\n') {
            _ if trimmed.is_empty() => return true,
            Some(position) => remaining = &content[position + 1..],
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_end_with_their_line() {
        let parsed = |text: &str| {
            find_heading(text)
                .map(|heading| (heading.start, heading.level, text[heading.content].to_owned(), heading.end))
        };
        for (text, start, level, content, end) in [
            ("# a", 0, 1, "a", 3),
            ("x\n## b ##\ny", 1, 2, "b ", 10),
            ("# ", 0, 1, "", 2),
            ("#\nx", 0, 1, "x", 3),
            ("# a#b", 0, 1, "a#b", 5),
            ("# \\#", 0, 1, "\\#", 4),
        ] {
            assert_eq!(parsed(text), Some((start, level, content.to_owned(), end)), "{text}");
        }
        for text in ["#a", "####### a", " # a", "# a\\", "#", "a # b"] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn rules_have_at_least_three_characters() {
        for line in ["---", "* * *", "   ___", "-  -  -   ", "-----", "___ "] {
            assert!(is_rule(line), "{line}");
        }
        for line in ["--", "    ---", "-   - -", "-*-", "--- x", "", "="] {
            assert!(!is_rule(line), "{line}");
        }
        assert_eq!(find_rule("a\n---\nb"), Some(2..5));
    }

    #[test]
    fn quotes_are_not_empty() {
        assert_eq!(find_quote("> a"), Some(0));
        assert_eq!(find_quote("a\n > b"), Some(1));
        assert_eq!(find_quote(">\n> b"), Some(0));
        assert_eq!(find_quote(">\nb"), Some(0));
        for text in [">", "> \n>", "a\n>\n>", "    > a", "a > b"] {
            assert_eq!(find_quote(text), None, "{text}");
        }
    }
}
