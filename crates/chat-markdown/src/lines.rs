//! Prepares the lines of a text for the block parser: adds blank lines before lists, and normalizes whitespace.

use super::character::{is_digit, is_space};
use super::fence;
use super::placeholder::{END, START};

/// Width of tab stops.
const TAB_COLUMNS: usize = 4;

/// The lines of a text for the block parser.
pub(super) fn prepare(source: &str) -> Vec<String> {
    let text = normalize_whitespace(&detach_lists(source));
    text.split('\n').map(str::to_owned).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListKind {
    Bulleted,
    Numbered,
}

/// The kind of the list that a line is an item of. As on real servers, only numbers of one digit count.
fn list_kind(line: &str) -> Option<ListKind> {
    let line = line.trim_start_matches(' ');
    let mut characters = line.chars();
    let first = characters.next()?;
    let kind = match first {
        '*' | '+' | '-' => ListKind::Bulleted,
        digit if is_digit(digit) && characters.next() == Some('.') => ListKind::Numbered,
        _ => return None,
    };
    (characters.next() == Some(' ')).then_some(kind)
}

/// Adds a blank line before lists that directly follow other text, except in fenced blocks other than quotes.
fn detach_lists(source: &str) -> String {
    let mut output = String::with_capacity(source.len() + 16);
    // The fences of the open blocks, each with whether the block is a quote.
    let mut open_blocks: Vec<(&str, bool)> = Vec::new();
    let mut open_non_quote_count = 0;
    let mut lines = source.split('\n').peekable();
    while let Some(line) = lines.next() {
        output.push_str(line);
        let Some(next_line) = lines.peek() else { break };
        if let Some(opening) = fence::parse_opening(line) {
            if opening.language.is_none() && open_blocks.last().is_some_and(|(fence, _)| *fence == opening.fence) {
                open_non_quote_count -= usize::from(open_blocks.pop().is_some_and(|(_, is_quote)| !is_quote));
            } else {
                let is_quote = matches!(opening.language, Some("quote" | "quoted"));
                open_blocks.push((opening.fence, is_quote));
                open_non_quote_count += usize::from(!is_quote);
            }
        }
        output.push('\n');
        let next_kind = list_kind(next_line);
        let begins_list = next_kind.is_some() && next_kind != list_kind(line);
        if open_non_quote_count == 0 && !line.is_empty() && begins_list {
            output.push('\n');
        }
    }
    output
}

/// Removes the control characters of placeholders, normalizes line endings, replaces tabs by spaces, empties lines of
/// spaces except the first line, and appends two line endings, all as Python-Markdown does.
fn normalize_whitespace(source: &str) -> String {
    let source = source.replace([START, END], "").replace("\r\n", "\n").replace('\r', "\n");
    let mut output = String::with_capacity(source.len() + 2);
    for (index, line) in source.split('\n').enumerate() {
        if index > 0 {
            output.push('\n');
        }
        let start = output.len();
        push_without_tabs(&mut output, line);
        if index > 0 && output[start..].bytes().all(|byte| byte == b' ') {
            output.truncate(start);
        }
    }
    output.push_str("\n\n");
    output
}

fn push_without_tabs(output: &mut String, line: &str) {
    if !line.contains('\t') {
        output.push_str(line);
        return;
    }
    let mut column = 0;
    for character in line.chars() {
        if character == '\t' {
            let width = TAB_COLUMNS - column % TAB_COLUMNS;
            output.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            output.push(character);
            column += 1;
        }
    }
}

/// Whether a text has only whitespace.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_are_added_before_lists() {
        for (source, detached) in [
            ("a\n* b\n* c", "a\n\n* b\n* c"),
            ("* a\n1. b", "* a\n\n1. b"),
            ("```\na\n* b\n```\nc\n- d", "```\na\n* b\n```\nc\n\n- d"),
            ("```quote\na\n* b\n```", "```quote\na\n\n* b\n```"),
            ("a\n12. b", "a\n12. b"),
            ("\n* b", "\n* b"),
        ] {
            assert_eq!(detach_lists(source), detached, "{source}");
        }
    }

    #[test]
    fn whitespace_is_normalized() {
        assert_eq!(normalize_whitespace("a\tb\r\n\té\t|\n   \nc\r"), "a   b\n    é   |\n\nc\n\n\n");
        assert_eq!(normalize_whitespace("  \na"), "  \na\n\n");
        assert_eq!(normalize_whitespace("日\t|\u{2}\u{3}"), "日   |\n\n");
    }
}
