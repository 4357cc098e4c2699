//! Most of what people write has no markup at all, and its HTML is a paragraph around it. Seeing that is
//! much less work than finding it out the long way.

use super::Names;
use super::html::push_text;
use crate::budget::{Budget, Exhausted};

/// Whether a text is certain to be paragraphs without anything special in them.
///
/// # Errors
///
/// [`Exhausted`] if the budget does not suffice for so many linkifiers.
pub(super) fn is_plain(source: &str, names: &dyn Names, budget: &Budget) -> Result<bool, Exhausted> {
    if !paragraphs(source).all(|paragraph| paragraph.split('\n').all(is_of_words)) {
        return Ok(false);
    }
    // A pattern may be about the beginning or the end of what it is asked for, which is a paragraph.
    for paragraph in paragraphs(source) {
        budget.spend_steps(names.steps_to_linkify(paragraph))?;
        if names.may_linkify(paragraph) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is between empty lines. Most texts have one line.
fn paragraphs(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(source);
    std::iter::from_fn(move || {
        let text = rest?;
        let is_empty_line = |at: &usize| text.as_bytes().get(at + 1) == Some(&b'\n');
        let end = memchr::memchr_iter(b'\n', text.as_bytes()).find(is_empty_line);
        rest = end.map(|end| &text[end + 2..]);
        Some(end.map_or(text, |end| &text[..end]))
    })
}

/// The HTML of a text that is plain.
pub(super) fn html(source: &str) -> String {
    let mut html = String::with_capacity(source.len() + 16);
    for (at, paragraph) in paragraphs(source).enumerate() {
        html.push_str(if at == 0 { "<p>" } else { "\n<p>" });
        for (at, line) in paragraph.split('\n').enumerate() {
            html.push_str(if at == 0 { "" } else { "<br>\n" });
            push_text(&mut html, line);
        }
        html.push_str("</p>");
    }
    html
}

/// Whether there are only words and the marks between them, and no dot inside of what may be an address.
fn is_of_words(line: &str) -> bool {
    if !line.starts_with(char::is_alphabetic) || line.ends_with(' ') {
        return false;
    }
    let bytes = line.as_bytes();
    // Byte by byte, as nearly all texts are ASCII at least in part.
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let is_fine = match byte {
            b'.' => matches!(bytes.get(at + 1), None | Some(b' ' | b'.')),
            0x80.. => {
                let Some(character) = line[at..].chars().next() else { return false };
                at += character.len_utf8() - 1;
                is_in_words(character)
            }
            _ => ASCII_IN_WORDS[usize::from(*byte)],
        };
        if !is_fine {
            return false;
        }
        at += 1;
    }
    true
}

/// Letters, digits, and the marks between words.
const ASCII_IN_WORDS: [bool; 128] = {
    let mut table = [false; 128];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b',' | b'!' | b'?' | b'\'' | b'-');
        byte += 1;
    }
    table
};

/// Letters of blocks that hold no emoji, and the marks of Chinese and Japanese.
fn is_in_words(character: char) -> bool {
    match character {
        'À'..='\u{1fff}' => character.is_alphanumeric(),
        '、' | '。' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{4e00}'..='\u{9fff}' | '가'..='힣' => true,
        _ => false,
    }
}
