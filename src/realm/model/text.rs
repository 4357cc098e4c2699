//! What texts may hold, and how they are stored.

use crate::error::Error;
use std::borrow::Cow;

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

/// The place, counted from 1, of the first character that names can't hold.
pub fn invalid_character(text: &str) -> Option<usize> {
    text.chars()
        .position(|character| {
            let is_no_character = matches!(character, '\u{fdd0}'..='\u{fdef}')
                || matches!(u32::from(character) & 0xffff, 0xfffe | 0xffff);
            character.is_control()
                || is_no_character
                || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
        })
        .map(|index| index + 1)
}

/// A text of at most `limit` code points; what was cut off is replaced by `suffix`.
pub fn truncate<'text>(text: &'text str, limit: usize, suffix: &str) -> Cow<'text, str> {
    // No text has more characters than bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return text.into();
    }
    let kept = text.chars().take(limit.saturating_sub(suffix.chars().count()));
    kept.chain(suffix.chars()).collect::<String>().into()
}

/// A text in lower case. Most names are that already, and are not copied.
pub fn in_lowercase(text: &str) -> Cow<'_, str> {
    let is_lowercase = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lowercase { text.into() } else { text.to_lowercase().into() }
}
