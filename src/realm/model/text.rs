//! Limits and normalization of texts from clients.

use crate::error::Error;
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The maximum length of a message's content, in code points; longer contents are truncated.
pub const MAX_MESSAGE_LENGTH: usize = 10_000;

/// Normalizes the content of a message: removes white space at the end and newlines at the start, and truncates it.
///
/// # Errors
///
/// `MessageEmpty`, `MessageNullBytes`.
pub fn normalize_content(content: &str) -> Result<Cow<'_, str>, Error> {
    let content = content.trim_end().trim_start_matches(['\n', '\r']);
    if content.trim().is_empty() {
        return Err(Error::MessageEmpty);
    }
    if content.contains('\0') {
        return Err(Error::MessageNullBytes);
    }
    Ok(truncate(content, MAX_MESSAGE_LENGTH, "\n[message truncated]"))
}

/// The 1-based position of the first character that is not allowed in names: control characters and the 66 Unicode
/// noncharacters. Invisible characters are allowed.
pub fn invalid_character_position(text: &str) -> Option<usize> {
    text.chars()
        .position(|character| {
            let is_noncharacter = matches!(character, '\u{fdd0}'..='\u{fdef}')
                || matches!(u32::from(character) & 0xffff, 0xfffe | 0xffff);
            character.is_control() || is_noncharacter
        })
        .map(|index| index + 1)
}

/// Whether a text has a character of Unicode category C: control, format, private-use or unassigned.
pub fn has_category_c_character(text: &str) -> bool {
    static CATEGORY_C: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\p{C}").ok());
    !text.is_ascii() && CATEGORY_C.as_ref().is_some_and(|category| category.is_match(text))
        || text.contains(char::is_control)
}

/// Shortens a text to `limit` code points. A shortened text ends with `suffix`.
pub fn truncate<'text>(text: &'text str, limit: usize, suffix: &str) -> Cow<'text, str> {
    // A text has at most as many code points as bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return text.into();
    }
    let remaining = text.chars().take(limit.saturating_sub(suffix.chars().count()));
    remaining.chain(suffix.chars()).collect::<String>().into()
}

/// Converts a text to lower case. Does not copy it if it is ASCII in lower case, as most names are.
pub fn to_lowercase(text: &str) -> Cow<'_, str> {
    let is_lowercase = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lowercase { text.into() } else { text.to_lowercase().into() }
}

/// Checks that a text has at most `limit` code points.
///
/// # Errors
///
/// `BadValue`: `is too long (limit: … characters)`.
pub fn check_length(text: &str, parameter: &str, limit: usize) -> Result<(), Error> {
    // A text has at most as many code points as bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return Ok(());
    }
    Err(Error::bad_value(parameter, format!("is too long (limit: {limit} characters)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_noncharacters_are_invalid() {
        for (text, position) in [
            ("plain", None),
            ("a\u{200e}\u{200f}\u{2028}\u{2029}\u{202e}\u{feff}\u{ad}\u{e000}", None),
            ("a\u{7}", Some(2)),
            ("\u{85}", Some(1)),
            ("ab\u{fdd0}", Some(3)),
            ("\u{1fffe}", Some(1)),
        ] {
            assert_eq!(invalid_character_position(text), position, "{text:?}");
        }
    }

    #[test]
    fn characters_of_category_c_are_recognized() {
        for (text, is_category_c) in [
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
            assert_eq!(has_category_c_character(text), is_category_c, "{text:?}");
        }
    }
}
