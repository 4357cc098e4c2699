//! Quotes: marks without any text are text themselves, and what follows an empty line of a quote belongs to the quote
//! as well, up to the next blank line.

use super::{is_rule, marker_length};

/// What is special about a line for quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing.
    Any,
    /// It is nothing but marks, of which the last is text.
    LastMarkIsText,
    /// It belongs to a quote in a quote, so deep, though it has no marks itself.
    Continues(usize),
}

/// All lines, in order.
pub(super) fn lines(lines: &[&str]) -> Vec<Line> {
    let mut kinds = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|line, next| is_blank(line) == is_blank(next)) {
        let is_quote = |line: &&str| line.trim_start().starts_with('>');
        let start = block.iter().position(is_quote).unwrap_or(block.len());
        // Marks of one quote each: as long as there is no text, they are it.
        let is_empty = block[start..].iter().all(|line| line.trim() == ">");
        for (at, line) in block.iter().enumerate() {
            let is_last_of_one = at == start && at + 1 == block.len() && marks(line).is_some();
            kinds.push(if at >= start && (is_empty || is_last_of_one) {
                Line::LastMarkIsText
            } else {
                match at.checked_sub(1).and_then(|before| marks(block[before])) {
                    Some(marks) if !is_quote(line) && !begins_other(line) => Line::Continues(marks),
                    _ => Line::Any,
                }
            });
        }
    }
    kinds
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// How many marks a line has that is nothing else.
fn marks(line: &str) -> Option<usize> {
    let count = line.matches('>').count();
    (count > 0 && line.chars().all(|char| matches!(char, '>' | ' '))).then_some(count)
}

fn begins_other(line: &str) -> bool {
    let trimmed = line.trim_start();
    is_rule(trimmed) || marker_length(trimmed).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Line::{Any, Continues, LastMarkIsText};

    #[test]
    fn marks_without_text_are_text() {
        for (text, kinds) in [
            (vec![">"], vec![LastMarkIsText]),
            (vec!["a", ">", "> ", "", "> a"], vec![Any, LastMarkIsText, LastMarkIsText, Any, Any]),
            (vec![">>>"], vec![LastMarkIsText]),
            (vec![">", "> a", ">"], vec![Any, Any, Any]),
            (vec![">", ">", "a", "b"], vec![Any, Any, Continues(1), Any]),
            (vec!["> >", "a"], vec![Any, Continues(2)]),
            (vec![">", "* a"], vec![Any, Any]),
        ] {
            assert_eq!(lines(&text), kinds, "{text:?}");
        }
    }
}
