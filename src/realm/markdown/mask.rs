//! Hides from the CommonMark library what is not block structure.
//!
//! Each hidden character is replaced by a noncharacter of its own, so that nothing is lost where the text turns out to
//! be code. Also brings lists into the form in which CommonMark sees what the dialect means: two spaces nest, whatever
//! the width of the parent's marker, and a numbered list may follow a paragraph directly.

use super::backticks::{Backticks, run_length};

/// Characters that may be hidden; the place of each is its distance from [`FIRST`].
const HIDDEN: [char; 14] = ['*', '_', '`', '[', ']', '<', '&', '\\', '~', '>', '|', '#', '.', ')'];
/// More of them: marks of list items too deep to nest.
const HIDDEN_MARKERS: [char; 2] = ['-', '+'];
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
    let place = HIDDEN.iter().chain(&HIDDEN_MARKERS).position(|&hidden| hidden == char);
    place.and_then(|place| char::from_u32(FIRST + u32::try_from(place).ok()?)).unwrap_or(char)
}

/// Gives the hidden characters back.
pub(super) fn reveal(text: &str) -> String {
    let show = |char: char| {
        let place = (char as u32).checked_sub(FIRST).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| HIDDEN.iter().chain(&HIDDEN_MARKERS).nth(place).copied()).unwrap_or(char)
    };
    text.chars().map(show).collect()
}

/// Prepares a cleaned text for the library.
pub(super) fn mask(source: &str) -> String {
    let lines: Vec<&str> = source.split('\n').collect();
    let mut lists = Lists::default();
    let mut out = String::with_capacity(source.len() + source.len() / 2);
    for (at, line) in lines.iter().enumerate() {
        let beside = |other: Option<usize>| other.and_then(|other| lines.get(other)).copied().unwrap_or("");
        let neighbours = [beside(at.checked_sub(1)), beside(Some(at + 1))];
        let (blank_before, indent) = lists.place(line);
        if blank_before {
            out.push('\n');
        }
        out.extend(std::iter::repeat_n(' ', indent));
        mask_line(&mut out, &line[leading_bytes(line, indent)..], neighbours);
        if at + 1 < lines.len() {
            out.push('\n');
        }
    }
    out
}

/// How many bytes of white space the given indentation stands for: all of it if there is any, and of a line that is
/// only white space too.
fn leading_bytes(line: &str, indent: usize) -> usize {
    if indent == 0 { 0 } else { line.len() - line.trim_start_matches([' ', '\t']).len() }
}

/// Copies one line, keeping its block marks and hiding the rest.
fn mask_line(out: &mut String, line: &str, neighbours: [&str; 2]) {
    let is_quote = |line: &str| line.trim_start().starts_with('>');
    if line.trim() == ">" && !neighbours.into_iter().any(is_quote) {
        out.push(hide('>'));
        return;
    }
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
    let fence = trimmed.bytes().take_while(|byte| matches!(byte, b'`' | b'~')).count();
    let mut kept = 0;
    if fence >= 3 && !trimmed[fence..].contains(['`', '~']) {
        kept = fence;
    }
    out.push_str(&trimmed[..kept]);
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
}

/// Follows lists from line to line, to give each line the indentation that CommonMark expects.
#[derive(Default)]
struct Lists {
    /// The open items, outermost first: the indentation as typed, and the column where the content has to start.
    open: Vec<(usize, usize)>,
    after_blank: bool,
    after_paragraph: bool,
}

impl Lists {
    /// Whether a blank line has to come before the line, and its new indentation (0 if it has to stay as it is).
    fn place(&mut self, line: &str) -> (bool, usize) {
        let trimmed = line.trim_start_matches([' ', '\t']);
        let indent: usize =
            line[..line.len() - trimmed.len()].chars().map(|char| if char == '\t' { 4 } else { 1 }).sum();
        if trimmed.is_empty() {
            self.after_blank = true;
            self.after_paragraph = false;
            return (false, 0);
        }
        let marker = marker_length(trimmed).filter(|_| !is_rule(trimmed) && (indent < 4 || !self.open.is_empty()));
        let place = match marker {
            Some(length) => self.item(indent, length, trimmed),
            None => (false, self.continuation(indent)),
        };
        self.after_blank = false;
        self.after_paragraph = marker.is_none() && !trimmed.starts_with('>');
        place
    }

    fn item(&mut self, indent: usize, length: usize, trimmed: &str) -> (bool, usize) {
        // A numbered list that doesn't start with 1 would not end the paragraph.
        let blank_before = self.open.is_empty() && self.after_paragraph && length > 1;
        while self.open.last().is_some_and(|&(parent, _)| indent < parent + 2) {
            self.open.pop();
        }
        let column = self.open.last().map_or(indent.min(3), |&(_, content)| content);
        let spaces = trimmed[length..].bytes().take_while(|&byte| byte == b' ').count();
        let content = column + length + if (1..=4).contains(&spaces) { spaces } else { 1 };
        self.open.push((indent, content));
        (blank_before, column)
    }

    fn continuation(&mut self, indent: usize) -> usize {
        if indent < 2 {
            if self.after_blank {
                self.open.clear();
            }
            return 0;
        }
        while self.after_blank && self.open.last().is_some_and(|&(parent, _)| indent < parent + 2) {
            self.open.pop();
        }
        match self.open.last() {
            Some(&(_, content)) => indent.max(content),
            None => 0,
        }
    }
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
    }
}
