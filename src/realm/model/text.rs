//! What texts may hold, and how they are stored.

use crate::error::Error;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Longest message, in code points; longer ones are cut.
pub const MAX_MESSAGE_LENGTH: usize = 10_000;

/// A text as it is stored: no white space at its end, no newlines before it, cut at the limit.
///
/// # Errors
///
/// `MessageEmpty`, `MessageNullBytes`.
pub fn normal_content(content: &str) -> Result<Cow<'_, str>, Error> {
    let content = content.trim_end().trim_start_matches(['\n', '\r']);
    if content.trim().is_empty() {
        return Err(Error::MessageEmpty);
    }
    if content.contains('\0') {
        return Err(Error::MessageNullBytes);
    }
    Ok(truncate(content, MAX_MESSAGE_LENGTH, "\n[message truncated]"))
}

/// The place, counted from 1, of the first character that names can't hold: a control character, or one of the 66 that
/// Unicode says will never be characters. Invisible ones are taken.
pub fn invalid_character(text: &str) -> Option<usize> {
    text.chars()
        .position(|character| {
            let is_no_character = matches!(character, '\u{fdd0}'..='\u{fdef}')
                || matches!(u32::from(character) & 0xffff, 0xfffe | 0xffff);
            character.is_control() || is_no_character
        })
        .map(|index| index + 1)
}

/// Whether a text has a character of Unicode's category C: control and format characters, those for private use, and those
/// that are not assigned.
pub fn has_other_character(text: &str) -> bool {
    static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{C}").ok());
    !text.is_ascii() && OTHER.as_ref().is_some_and(|other| other.is_match(text)) || text.contains(char::is_control)
}

/// A text of at most `limit` code points; what was cut off is replaced by `suffix`.
pub fn truncate<'text>(text: &'text str, limit: usize, suffix: &str) -> Cow<'text, str> {
    // No text has more characters than bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return text.into();
    }
    let remaining = text.chars().take(limit.saturating_sub(suffix.chars().count()));
    remaining.chain(suffix.chars()).collect::<String>().into()
}

/// A text in lower case. Most names are that already, and are not copied.
pub fn in_lowercase(text: &str) -> Cow<'_, str> {
    let is_lowercase = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lowercase { text.into() } else { text.to_lowercase().into() }
}

/// Whether a text is within its limit, in code points.
///
/// # Errors
///
/// `BadValue`: `is too long (limit: … characters)`.
pub fn check_length(text: &str, at: &str, limit: usize) -> Result<(), Error> {
    // A text has no more code points than bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return Ok(());
    }
    Err(Error::bad_value(at, format!("is too long (limit: {limit} characters)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_what_is_not_of_two_categories() {
        for (text, place) in [
            ("plain", None),
            ("a\u{200e}\u{200f}\u{2028}\u{2029}\u{202e}\u{feff}\u{ad}\u{e000}", None),
            ("a\u{7}", Some(2)),
            ("\u{85}", Some(1)),
            ("ab\u{fdd0}", Some(3)),
            ("\u{1fffe}", Some(1)),
        ] {
            assert_eq!(invalid_character(text), place, "{text:?}");
        }
    }

    #[test]
    fn invisible_characters_are_known_by_their_category() {
        for (text, is_other) in [
            ("plain", false),
            ("\u{1f3f3}\u{fe0f}", false),
            ("a\u{200d}b", true),
            ("A\u{202e}B", true),
            ("\u{feff}", true),
            ("\u{ad}", true),
            ("\u{e000}", true),
            ("\u{378}", true),
            ("\t", true),
            ("\u{2028}", false),
        ] {
            assert_eq!(has_other_character(text), is_other, "{text:?}");
        }
    }
}
