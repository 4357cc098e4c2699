//! Writing HTML: the only places where text becomes part of it, always escaped.

use std::fmt::Write;

/// Characters of an entity such as `&thetasym;`; more are no entity.
const ENTITY_MAX_BYTES: usize = 64;

/// The length of the entity that a text begins with.
pub(super) fn entity(text: &str) -> Option<usize> {
    let window = text.as_bytes().get(1..ENTITY_MAX_BYTES.min(text.len()))?;
    let end = window.iter().position(|&byte| byte == b';')?;
    let valid = match &window[..end] {
        [b'#', b'x', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        [b'#', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        name => !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric),
    };
    valid.then_some(end + 2)
}

/// Appends text with `<`, `>` and every `&` escaped.
pub(super) fn push_text(out: &mut String, text: &str) {
    push(out, text, |_| false, "\"");
}

/// Appends text with `<`, `>` and the `&` that begins no entity escaped.
pub(super) fn push_text_with_entities(out: &mut String, text: &str) {
    push(out, text, |rest| entity(rest).is_some(), "\"");
}

/// [`push_text_with_entities`], quotes escaped too.
pub(super) fn push_attribute(out: &mut String, text: &str) {
    push(out, text, |rest| entity(rest).is_some(), "&quot;");
}

fn push(out: &mut String, text: &str, keeps: fn(&str) -> bool, quote: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'&' | b'<' | b'>' | b'"')) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'&' if keeps(&rest[at..]) => out.push('&'),
            b'&' => out.push_str("&amp;"),
            b'<' => out.push_str("&lt;"),
            b'>' => out.push_str("&gt;"),
            _ => out.push_str(quote),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// The text of code, in which entities are text as well.
pub(super) fn in_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text);
    out
}

/// [`in_code`] with quotes as entities.
pub(super) fn with_quotes(text: &str, single: &str) -> String {
    in_code(text).replace('"', "&quot;").replace('\'', single)
}

/// Encodes a name for the part of an address behind `#`: percent-encoding with `.` in the place of `%`.
///
/// Letters, digits, `-`, `_`, `~` and `*` stay. Names of channels have their spaces replaced by `-` first; topics don't.
pub fn encode_hash_component(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~*".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(out, ".{byte:02X}");
        }
    }
    out
}

/// A name as the label of a Markdown link shows it: what would break the link, or be read as markup, becomes an entity.
pub fn encode_link_label(name: &str) -> String {
    let mut text = name.replace('&', "&amp;");
    let entities =
        [("`", "&#96;"), (">", "&gt;"), ("*", "&#42;"), ("$$", "&#36;&#36;"), ("[", "&#91;"), ("]", "&#93;")];
    for (character, entity) in entities {
        text = text.replace(character, entity);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_kept_where_they_may_be() {
        for text in ["&amp;", "&#65;x", "&#x4f;", "&frac12;"] {
            assert!(entity(text).is_some(), "{text}");
        }
        for text in ["&", "&;", "&#;", "&#x;", "&a b;", "&é;", "&amp"] {
            assert_eq!(entity(text), None, "{text}");
        }
        let mut out = String::new();
        push_attribute(&mut out, "&lt; & \"<>");
        assert_eq!(out, "&lt; &amp; &quot;&lt;&gt;");
    }
}
