//! Where headings, rules and quotes begin in a block.

use crate::character::is_space;
use std::ops::Range;

/// A heading in a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Heading {
    /// Where it begins: at its first `#`, or at the line end before it.
    pub start: usize,
    /// From 1 to 6.
    pub level: usize,
    /// What it says, with white space around it.
    pub content: Range<usize>,
    /// Where what follows it begins.
    pub end: usize,
}

/// The beginnings of all lines.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
}

/// The first heading in a block.
pub(super) fn heading(text: &str) -> Option<Heading> {
    line_starts(text).find_map(|line| {
        let level = text[line..].bytes().take_while(|&byte| byte == b'#').count();
        let space = text[line + level..].chars().next().filter(|space| is_space(*space))?;
        if !(1..=6).contains(&level) {
            return None;
        }
        let start = line + level + space.len_utf8();
        let (content, end) = heading_end(text, start)?;
        Some(Heading { start: line.saturating_sub(1), level, content: start..content, end })
    })
}

/// Where the content of a heading ends, and where what follows it begins. A heading goes on until a line end, and closing
/// `#` are left out; a backslash takes the next character with it, which must not be a line end.
fn heading_end(text: &str, start: usize) -> Option<(usize, usize)> {
    let mut at = start;
    loop {
        let hashes = text[at..].bytes().take_while(|&byte| byte == b'#').count();
        let behind = &text[at + hashes..];
        if behind.is_empty() || behind.starts_with('\n') {
            return Some((at, (at + hashes + 1).min(text.len())));
        }
        let mut characters = text[at..].chars();
        at += match characters.next()? {
            '\\' => 1 + characters.next().filter(|next| *next != '\n')?.len_utf8(),
            other => other.len_utf8(),
        };
    }
}

/// The first line that is a rule: three or more of `-`, `_` or `*` with at most two blanks between them.
pub(super) fn rule(text: &str) -> Option<Range<usize>> {
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

/// Where the first quote begins: at the line end before its `>`, or at 0. Lines of `>` alone that nothing follows are no
/// quote.
pub(super) fn quote(text: &str) -> Option<usize> {
    // Behind an empty quoted line that nothing follows, there is no other.
    let start = line_starts(text).find(|&line| quoted(&text[line..]).is_some())?;
    if is_empty_quote(&text[start..]) {
        return None;
    }
    Some(start.saturating_sub(1))
}

/// What is quoted in the first line of a text, with all that follows; None if that line is not quoted.
pub(super) fn quoted(text: &str) -> Option<&str> {
    let line = text.trim_start_matches(' ');
    let content = line.strip_prefix('>').filter(|_| text.len() - line.len() <= 3)?;
    Some(content.strip_prefix(' ').unwrap_or(content))
}

/// Whether there are nothing but empty quoted lines until the end or a blank line.
pub(super) fn is_empty_quote(text: &str) -> bool {
    let mut rest = text;
    loop {
        if rest.is_empty() || rest.starts_with('\n') {
            return true;
        }
        let Some(content) = quoted(rest) else { return false };
        let behind = content.trim_start_matches(is_space);
        let space = &content[..content.len() - behind.len()];
        match space.rfind('\n') {
            _ if behind.is_empty() => return true,
            Some(at) => rest = &content[at + 1..],
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_end_with_their_line() {
        let found = |text: &str| heading(text).map(|it| (it.start, it.level, text[it.content].to_owned(), it.end));
        for (text, start, level, content, end) in [
            ("# a", 0, 1, "a", 3),
            ("x\n## b ##\ny", 1, 2, "b ", 10),
            ("# ", 0, 1, "", 2),
            ("#\nx", 0, 1, "x", 3),
            ("# a#b", 0, 1, "a#b", 5),
            ("# \\#", 0, 1, "\\#", 4),
        ] {
            assert_eq!(found(text), Some((start, level, content.to_owned(), end)), "{text}");
        }
        for text in ["#a", "####### a", " # a", "# a\\", "#", "a # b"] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn rules_have_three_marks() {
        for line in ["---", "* * *", "   ___", "-  -  -   ", "-----", "___ "] {
            assert!(is_rule(line), "{line}");
        }
        for line in ["--", "    ---", "-   - -", "-*-", "--- x", "", "="] {
            assert!(!is_rule(line), "{line}");
        }
        assert_eq!(rule("a\n---\nb"), Some(2..5));
    }

    #[test]
    fn quotes_hold_something() {
        assert_eq!(quote("> a"), Some(0));
        assert_eq!(quote("a\n > b"), Some(1));
        assert_eq!(quote(">\n> b"), Some(0));
        assert_eq!(quote(">\nb"), Some(0));
        for text in [">", "> \n>", "a\n>\n>", "    > a", "a > b"] {
            assert_eq!(quote(text), None, "{text}");
        }
    }
}
