//! Recognizes and renders texts without markup, as most messages are. This is much faster than parsing them.

use super::Names;
use super::html::push_text;
use crate::budget::{Budget, Exhausted};

/// Whether a text certainly has no markup and no links. False: it may have some.
///
/// # Errors
///
/// [`Exhausted`] if the budget does not suffice for the linkifiers.
pub(super) fn is_plain(source: &str, names: &dyn Names, budget: &Budget) -> Result<bool, Exhausted> {
    if !paragraphs(source).all(|paragraph| paragraph.split('\n').all(has_only_words)) {
        return Ok(false);
    }
    // Patterns can match the start or the end of a paragraph, so that each paragraph is searched separately.
    for paragraph in paragraphs(source) {
        budget.spend_steps(names.steps_to_linkify(paragraph))?;
        if names.may_linkify(paragraph) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The parts of a text between empty lines.
fn paragraphs(source: &str) -> impl Iterator<Item = &str> {
    let mut remaining = Some(source);
    std::iter::from_fn(move || {
        let text = remaining?;
        let is_empty_line = |index: &usize| text.as_bytes().get(index + 1) == Some(&b'\n');
        let end = memchr::memchr_iter(b'\n', text.as_bytes()).find(is_empty_line);
        remaining = end.map(|end| &text[end + 2..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

/// The HTML of a text for which [`is_plain`] is true.
pub(super) fn render(source: &str) -> String {
    let mut html = String::with_capacity(source.len() + 16);
    for (paragraph_index, paragraph) in paragraphs(source).enumerate() {
        html.push_str(if paragraph_index == 0 { "<p>" } else { "\n<p>" });
        for (line_index, line) in paragraph.split('\n').enumerate() {
            html.push_str(if line_index == 0 { "" } else { "<br>\n" });
            push_text(&mut html, line);
        }
        html.push_str("</p>");
    }
    html
}

/// Whether a line begins with a letter, has only words and punctuation after it, and does not end with a space. A full
/// stop must be at the end of a word, because it may be part of an address elsewhere.
fn has_only_words(line: &str) -> bool {
    if !line.starts_with(char::is_alphabetic) || line.ends_with(' ') {
        return false;
    }
    let bytes = line.as_bytes();
    // Bytes are checked instead of characters, because most texts are mainly ASCII.
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        let is_plain = match byte {
            b'.' => matches!(bytes.get(index + 1), None | Some(b' ' | b'.')),
            0x80.. => {
                let Some(character) = line[index..].chars().next() else { return false };
                index += character.len_utf8() - 1;
                is_in_words(character)
            }
            _ => ASCII_IN_WORDS[usize::from(*byte)],
        };
        if !is_plain {
            return false;
        }
        index += 1;
    }
    true
}

/// For each ASCII character, whether it is a letter, a digit, a space, or punctuation that has no meaning in markup.
const ASCII_IN_WORDS: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b',' | b'!' | b'?' | b'\'' | b'-');
        byte += 1;
    }
    table
};

/// Letters and digits of Unicode blocks without emoji, and Chinese and Japanese punctuation.
fn is_in_words(character: char) -> bool {
    match character {
        'À'..='\u{1fff}' => character.is_alphanumeric(),
        '、' | '。' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{4e00}'..='\u{9fff}' | '가'..='힣' => true,
        _ => false,
    }
}
