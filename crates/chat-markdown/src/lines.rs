//! The first look at a text, line by line: lists get a blank line before them, and white space is made uniform.

use super::character::{is_digit, is_space};
use super::fence;
use super::placeholder::{END, START};

/// A tab goes on to the next multiple of so many columns.
const TAB_COLUMNS: usize = 4;

/// The lines of a text, prepared for the block parser.
pub(super) fn prepare(source: &str) -> Vec<String> {
    let text = uniform(&detach_lists(source));
    text.split('\n').map(str::to_owned).collect()
}

/// Whether a line is an item of a list, and whether of a numbered one.
fn item(line: &str) -> Option<bool> {
    let line = line.trim_start_matches(' ');
    let mut characters = line.chars();
    let first = characters.next()?;
    let is_numbered = match first {
        '*' | '+' | '-' => false,
        digit if is_digit(digit) && characters.next() == Some('.') => true,
        _ => return None,
    };
    (characters.next() == Some(' ')).then_some(is_numbered)
}

/// Puts a blank line before a list that directly follows other text, code in fences left alone.
fn detach_lists(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut open: Vec<(&str, bool)> = Vec::new();
    let mut open_code = 0;
    let mut lines = source.split('\n').peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(next) = lines.peek() else { break };
        if let Some(opening) = fence::opening(line) {
            if opening.language.is_none() && open.last().is_some_and(|(mark, _)| *mark == opening.mark) {
                open_code -= usize::from(open.pop().is_some_and(|(_, is_code)| is_code));
            } else {
                let is_code = !matches!(opening.language, Some("quote" | "quoted"));
                open.push((opening.mark, is_code));
                open_code += usize::from(is_code);
            }
        }
        out.push('\n');
        let begins_list = match (item(line), item(next)) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(one), Some(other)) => one != other,
        };
        if open_code == 0 && !line.is_empty() && begins_list {
            out.push('\n');
        }
    }
    out
}

/// One kind of line end, no tabs, nothing on blank lines but the first, and two line ends behind the last line.
fn uniform(source: &str) -> String {
    let source = source.replace([START, END], "").replace("\r\n", "\n").replace('\r', "\n");
    let mut out = String::with_capacity(source.len() + 2);
    for (at, line) in source.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
        }
        let start = out.len();
        push_without_tabs(&mut out, line);
        if at > 0 && out[start..].bytes().all(|byte| byte == b' ') {
            out.truncate(start);
        }
    }
    out.push_str("\n\n");
    out
}

fn push_without_tabs(out: &mut String, line: &str) {
    if !line.contains('\t') {
        out.push_str(line);
        return;
    }
    let mut column = 0;
    for character in line.chars() {
        if character == '\t' {
            let width = TAB_COLUMNS - column % TAB_COLUMNS;
            out.extend(std::iter::repeat_n(' ', width));
            column += width;
        } else {
            out.push(character);
            column += 1;
        }
    }
}

/// Whether a text has nothing but white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_detached_from_other_text() {
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
    fn white_space_is_uniform() {
        assert_eq!(uniform("a\tb\r\n\té\t|\n   \nc\r"), "a   b\n    é   |\n\nc\n\n\n");
        assert_eq!(uniform("  \na"), "  \na\n\n");
        assert_eq!(uniform("日\t|\u{2}\u{3}"), "日   |\n\n");
    }
}
