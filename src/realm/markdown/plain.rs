//! Most of what people write has no markup at all, and its HTML is a paragraph around it. Seeing that is
//! much less work than finding it out the long way.

use super::Names;
use super::html::push_text;

/// Whether a text is certain to be paragraphs without anything special in them.
pub(super) fn is_plain(source: &str, names: &dyn Names) -> bool {
    // A pattern may be about the beginning or the end of what it is asked for, which is a paragraph.
    let matches = |paragraph: &str| names.linkifiers().iter().any(|linkifier| linkifier.may_match(paragraph));
    // Most texts have one line.
    if memchr::memchr(b'\n', source.as_bytes()).is_none() {
        return is_of_words(source) && !matches(source);
    }
    let mut paragraphs = source.split("\n\n");
    paragraphs.clone().all(|paragraph| paragraph.split('\n').all(is_of_words)) && !paragraphs.any(matches)
}

/// The HTML of a text that is plain.
pub(super) fn html(source: &str) -> String {
    let mut html = String::with_capacity(source.len() + 16);
    for (at, paragraph) in source.split("\n\n").enumerate() {
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
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let is_fine = match character {
            '.' => characters.peek().is_none_or(|next| *next == ' ' || *next == '.'),
            ' ' | ',' | '!' | '?' | '\'' | '-' => true,
            _ => is_in_words(character),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Letters of blocks that hold no emoji, and the marks of Chinese and Japanese.
fn is_in_words(character: char) -> bool {
    match character {
        '\0'..='\x7f' => character.is_ascii_alphanumeric(),
        'À'..='\u{1fff}' => character.is_alphanumeric(),
        '、' | '。' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '\u{4e00}'..='\u{9fff}' | '가'..='힣' => true,
        _ => false,
    }
}
