//! What texts and topics may hold, and how they are stored.

use super::channel::RESOLVED_PREFIX;
use super::render::names_empty_topic;
use crate::error::Error;
use std::borrow::Cow;

/// Longest message, in code points; longer ones are cut.
pub const MAX_MESSAGE_LENGTH: usize = 10_000;
/// Longest topic, in code points; longer ones are cut.
pub const MAX_TOPIC_LENGTH: usize = 60;

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

/// A topic as it is stored; "" for every way to say the general one.
///
/// # Errors
///
/// `TopicInvalidCharacter`.
pub fn normal_topic(topic: &str) -> Result<Cow<'_, str>, Error> {
    let topic = topic.trim();
    if let Some(position) = invalid_character(topic) {
        return Err(Error::TopicInvalidCharacter { position: position.into() });
    }
    if names_empty_topic(topic) {
        return Ok(Cow::Borrowed(""));
    }
    Ok(truncate(topic, MAX_TOPIC_LENGTH, "..."))
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

/// Whether a topic is marked as resolved.
pub fn is_resolved(topic: &str) -> bool {
    topic.starts_with(RESOLVED_PREFIX)
}

/// A text in lower case. Most names are that already, and are not copied.
pub fn in_lowercase(text: &str) -> Cow<'_, str> {
    let is_lowercase = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lowercase { text.into() } else { text.to_lowercase().into() }
}
