//! The last step of inline text: emoji, emoticons, entities, line breaks and escaping.

use super::Names;
use super::html;
use crate::realm::emoji::{self, EmojiSequence};

/// Characters of an emoji's name between colons; more are no name.
const EMOJI_NAME_MAX_CHARS: usize = 100;

/// Characters of an entity such as `&thetasym;`; more are no entity.
const ENTITY_MAX_BYTES: usize = 32;

/// Appends plain text, with everything in it that needs no markup around it.
pub(super) fn push(out: &mut String, text: &str, names: &dyn Names, emoticons: bool) {
    let mut plain = 0;
    let mut at = 0;
    while let Some(char) = text[at..].chars().next() {
        let rest = &text[at..];
        let special = match char {
            '\n' => Some(("<br>\n".to_owned(), 1)),
            '&' => entity(rest).map(|length| (rest[..length].to_owned(), length)),
            ':' => named_emoji(rest, names),
            _ => None,
        };
        let sequence = if special.is_some() || char.is_ascii_alphabetic() { None } else { emoji::sequence(rest) };
        let special = special.or_else(|| {
            let EmojiSequence { code, bytes } = sequence?;
            Some((unicode(code?, emoji::by_code(code?)?.first()?), bytes))
        });
        let special = special.or_else(|| if emoticons { emoticon(&text[..at], rest) } else { None });
        match special {
            Some((html, length)) => {
                html::push_text(out, &text[plain..at]);
                out.push_str(&html);
                at += length;
                plain = at;
            }
            None => at += sequence.map_or(char.len_utf8(), |it| it.bytes),
        }
    }
    html::push_text(out, &text[plain..]);
}

/// The length of a leading entity, which is kept as it is.
pub(super) fn entity(text: &str) -> Option<usize> {
    let window = text.as_bytes().get(..ENTITY_MAX_BYTES.min(text.len()))?;
    let end = window.iter().position(|&byte| byte == b';')?;
    let name = &window[1..end];
    let valid = match name {
        [b'#', b'x' | b'X', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        [b'#', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        [first, rest @ ..] => first.is_ascii_alphabetic() && rest.iter().all(u8::is_ascii_alphanumeric),
        [] => false,
    };
    valid.then_some(end + 1)
}

fn named_emoji(text: &str, names: &dyn Names) -> Option<(String, usize)> {
    let in_name = |char: char| char.is_alphanumeric() || "_+-".contains(char);
    let mut behind = text[1..].char_indices().take(EMOJI_NAME_MAX_CHARS);
    let (length, _) = behind.find(|&(_, char)| !in_name(char)).filter(|&(length, char)| length > 0 && char == ':')?;
    let name = &text[1..=length];
    let html = if let Some(image) = names.custom_emoji(name) {
        picture(name, &image.src)
    } else if name == emoji::EXTRA_EMOJI.name {
        picture(name, emoji::EXTRA_EMOJI.image_src)
    } else {
        unicode(emoji::by_name(name)?, name)
    };
    Some((html, length + 2))
}

fn emoticon(before: &str, text: &str) -> Option<(String, usize)> {
    if !before.chars().next_back().is_none_or(char::is_whitespace) {
        return None;
    }
    let (emoticon, name) = emoji::EMOTICONS.iter().find(|(emoticon, _)| text.starts_with(emoticon))?;
    let ends = text[emoticon.len()..].chars().next().is_none_or(|next| next.is_whitespace() || ".,;!?".contains(next));
    if !ends {
        return None;
    }
    Some((unicode(emoji::by_name(name)?, name), emoticon.len()))
}

fn unicode(code: &str, name: &str) -> String {
    let label = name.replace('_', " ");
    let class = format!("emoji emoji-{code}");
    let attributes = [("aria-label", label.as_str()), ("class", &class), ("role", "img"), ("title", &label)];
    html::element("span", &attributes, &html::text(&format!(":{name}:")))
}

fn picture(name: &str, src: &str) -> String {
    let alt = format!(":{name}:");
    let title = name.replace('_', " ");
    html::void("img", &[("alt", &alt), ("class", "emoji"), ("src", src), ("title", &title)])
}
