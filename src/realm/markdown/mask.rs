//! Hides from the CommonMark library what is not block structure.
//!
//! Each hidden character is replaced by a noncharacter of its own, so that nothing is lost where the text turns out to
//! be code. Hidden are also the spaces at both ends of the lines of a paragraph, which are part of it. Brings lists and
//! quotes into the form in which CommonMark sees what the dialect means (`lists`, `quotes`).

mod lists;
mod quotes;

use super::backticks::{Backticks, run_length};
use lists::{Division, Lists, Place};

/// Characters that may be hidden; the place of each is its distance from [`FIRST`].
const HIDDEN: [char; 14] = ['*', '_', '`', '[', ']', '<', '&', '\\', '~', '>', '|', '#', '.', ')'];
/// More of them: marks of list items too deep to nest, and spaces.
const MORE_HIDDEN: [char; 3] = ['-', '+', ' '];
/// The first of 32 noncharacters, which never stand in text.
const FIRST: u32 = 0xfdd0;
/// The last of them.
const LAST: u32 = 0xfdef;

/// Stands for a finished piece of HTML in inline text; one of the noncharacters, but none that hides anything.
pub(super) const PLACEHOLDER: char = '\u{fdef}';

/// Quotes and lists that start on one line nest no deeper than this, since the library's time grows with the depth.
const PREFIX_DEPTH_MAX: usize = 20;

/// Replaces what is reserved for hiding, and what is no text, by U+FFFD; makes all line ends `\n`.
pub(super) fn clean(source: &str) -> String {
    let reserved = |char: char| (FIRST..=LAST).contains(&(char as u32)) || char == '\0';
    source.replace("\r\n", "\n").replace('\r', "\n").replace(reserved, "\u{fffd}")
}

fn hide(char: char) -> char {
    let place = HIDDEN.iter().chain(&MORE_HIDDEN).position(|&hidden| hidden == char);
    place.and_then(|place| char::from_u32(FIRST + u32::try_from(place).ok()?)).unwrap_or(char)
}

/// Gives the hidden characters back.
pub(super) fn reveal(text: &str) -> String {
    let show = |char: char| {
        let place = (char as u32).checked_sub(FIRST).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| HIDDEN.iter().chain(&MORE_HIDDEN).nth(place).copied()).unwrap_or(char)
    };
    text.chars().map(show).collect()
}

/// Prepares a cleaned text for the library.
pub(super) fn mask(source: &str) -> String {
    let lines: Vec<&str> = source.split('\n').collect();
    let quotes = quotes::lines(&lines);
    let mut lists = Lists::default();
    let mut out = String::with_capacity(source.len() + source.len() / 2);
    for (at, (line, quote)) in lines.iter().zip(quotes).enumerate() {
        let Place { division, indent, hidden_spaces } = lists.place(line);
        match division {
            Division::None => {}
            Division::BlankLine => out.push('\n'),
            Division::Comment => {
                push_spaces(&mut out, indent, ' ');
                out.push_str(COMMENT);
            }
        }
        push_spaces(&mut out, indent, ' ');
        push_spaces(&mut out, hidden_spaces, hide(' '));
        let is_replaced = indent + hidden_spaces > 0;
        let line = if is_replaced { line.trim_start_matches([' ', '\t']) } else { line };
        match quote {
            quotes::Line::Any => mask_line(&mut out, line),
            quotes::Line::LastMarkIsText => match line.rsplit_once('>') {
                Some((marks, _)) => out.extend([marks, &hide('>').to_string()]),
                None => mask_line(&mut out, line),
            },
            quotes::Line::Continues(marks) => {
                push_spaces(&mut out, marks, '>');
                out.push(' ');
                mask_line(&mut out, line);
            }
        }
        if at + 1 < lines.len() {
            out.push('\n');
        }
    }
    out
}

/// Ends a paragraph, and is nothing itself. No text becomes one, since `<` is hidden.
const COMMENT: &str = "<!-- -->\n";

fn push_spaces(out: &mut String, count: usize, space: char) {
    out.extend(std::iter::repeat_n(space, count));
}

/// Copies one line, keeping its block marks and hiding the rest.
fn mask_line(out: &mut String, line: &str) {
    let mut rest = line;
    for _ in 0..PREFIX_DEPTH_MAX {
        let Some(length) = prefix(rest) else { break };
        let (mark, behind) = rest.split_at(length);
        out.push_str(mark);
        rest = behind;
        if is_rule(rest) {
            break;
        }
    }
    mask_rest(out, rest);
}

/// The length of a leading mark of a quote or list item with the white space around it.
fn prefix(line: &str) -> Option<usize> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    if is_rule(trimmed) {
        return None;
    }
    let indent = line.len() - trimmed.len();
    match trimmed.as_bytes().first()? {
        b'>' => Some(indent + 1),
        _ => marker_length(trimmed).map(|length| indent + length),
    }
}

/// The length of a leading `-`, `*`, `+` or `12.` that white space and an item's text follow.
fn marker_length(trimmed: &str) -> Option<usize> {
    lone_marker_length(trimmed).filter(|length| !trimmed[*length..].trim_start().is_empty())
}

/// [`marker_length`] where there may be no text behind: CommonMark takes an item without any, the dialect does not.
fn lone_marker_length(trimmed: &str) -> Option<usize> {
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let length = match (digits, trimmed.as_bytes().get(digits)?) {
        (0, b'-' | b'*' | b'+') => 1,
        (1..=9, b'.') => digits + 1,
        _ => return None,
    };
    trimmed[length..].chars().next().is_none_or(char::is_whitespace).then_some(length)
}

/// Whether a line is a horizontal rule: three or more of the same mark.
fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|char| !char.is_whitespace());
    let Some(first @ ('-' | '*')) = marks.next() else {
        return false;
    };
    marks.clone().count() >= 2 && marks.all(|mark| mark == first)
}

fn mask_rest(out: &mut String, line: &str) {
    let trimmed = line.trim_start();
    if is_rule(line) {
        out.push_str(line);
        return;
    }
    out.push_str(&line[..line.len() - trimmed.len()]);
    let kept = fence_length(trimmed).unwrap_or(0);
    out.push_str(&trimmed[..kept]);
    // Behind a row of a table, a heading or a fence, spaces mean nothing.
    let spaces = if kept > 0 || is_heading(trimmed) || trimmed.contains('|') {
        0
    } else {
        trimmed.len() - trimmed.trim_end_matches(' ').len()
    };
    let trimmed = &trimmed[..trimmed.len() - spaces];
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let lone_hashes = !trimmed.is_empty() && trimmed.trim_end().bytes().all(|byte| byte == b'#');
    let backticks = Backticks::new(trimmed);
    let mut code_end = 0;
    let mut chars = trimmed.char_indices().skip(kept).peekable();
    while let Some((at, char)) = chars.next() {
        if char == '`' && at >= code_end {
            let behind = at + run_length(trimmed, at);
            code_end = backticks.span(trimmed, at).map_or(behind, |(_, end)| end);
        }
        let hidden = match char {
            // A bar in code divides no cells of a table.
            '|' => at < code_end,
            '*' | '_' | '`' | '[' | ']' | '<' | '&' | '~' => true,
            // A backslash protects nothing, except a bar in a table.
            '\\' => {
                if let Some((_, bar)) = chars.next_if(|&(_, next)| next == '|') {
                    out.push(hide(char));
                    out.push(hide(bar));
                    continue;
                }
                true
            }
            '#' => lone_hashes,
            '>' | '-' | '+' => at == 0 && (char == '>' || lone_marker_length(trimmed).is_some()),
            '.' | ')' => at == digits && digits > 0 && (char == ')' || lone_marker_length(trimmed).is_some()),
            _ => false,
        };
        out.push(if hidden { hide(char) } else { char });
    }
    push_spaces(out, spaces, hide(' '));
}

/// The length of the marks that begin or end fenced code within a list item or quote.
fn fence_length(trimmed: &str) -> Option<usize> {
    let length = trimmed.bytes().take_while(|byte| matches!(byte, b'`' | b'~')).count();
    (length >= 3 && !trimmed[length..].contains(['`', '~'])).then_some(length)
}

fn is_heading(trimmed: &str) -> bool {
    let level = trimmed.bytes().take_while(|&byte| byte == b'#').count();
    (1..=6).contains(&level) && trimmed[level..].starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_comes_back() {
        for text in ["* a *b* _c_ `d`", "[a]: <b> \\| &amp;", "> **x**\n1. y\n2) z\n# h\n## ", "~~~\n```", "---\n* * *"]
        {
            assert_eq!(reveal(&mask(text)), text);
        }
    }

    #[test]
    fn marks_of_blocks_stay() {
        for text in ["* a", "> - 1. a", "---", "* * *", "# a", "```", "| a | b |"] {
            assert_eq!(mask(text), text);
        }
        for text in ["*a", "* ", "-", "1. ", "#", ">", "1) a", "_", "\\|"] {
            assert_ne!(mask(text), text);
        }
    }

    #[test]
    fn two_spaces_nest() {
        assert_eq!(mask("1. a\n  - b\n    - c\n2. d"), "1. a\n   - b\n     - c\n2. d");
        assert_eq!(mask("- a\n    - b\n- c"), "- a\n  - b\n- c");
        assert_eq!(mask("a\n3. b"), "a\n\n3. b");
        assert_eq!(mask("1. a\n  3. b\n  4. c"), "1. a\n   <!-- -->\n   3. b\n   4. c");
    }

    #[test]
    fn spaces_of_a_paragraph_are_hidden() {
        let space = hide(' ');
        assert_eq!(mask("  a\n b "), format!("  a\n{space}b{space}"));
        assert_eq!(mask("* a\n  b\n\n    c\n   d"), format!("* a\n  {space}{space}b\n\n    c\n  {space}d"));
        assert_eq!(mask("    a \n    b"), format!("    a{space}\n    b"));
        for text in ["# a ", "a\n | b | ", "* ```\n  a\n  ```", "---\n  a"] {
            assert_eq!(mask(text), text);
        }
    }
}
