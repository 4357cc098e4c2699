//! Escapes text and attribute values in HTML, and encodes names in links.

use std::fmt::Write;

/// Maximum length of entities such as `&thetasym;`.
const MAX_ENTITY_BYTES: usize = 64;

/// The length in bytes of the entity at the start of a text that begins with `&`. None: this `&` begins no entity.
pub(super) fn entity_length(text: &str) -> Option<usize> {
    let window = text.as_bytes().get(1..MAX_ENTITY_BYTES.min(text.len()))?;
    let end = window.iter().position(|&byte| byte == b';')?;
    let is_valid = match &window[..end] {
        [b'#', b'x', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit),
        [b'#', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        name => !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric),
    };
    is_valid.then_some(end + 2)
}

/// Appends text, and escapes `<`, `>` and every `&`.
pub(super) fn push_text(output: &mut String, text: &str) {
    push_escaped(output, text, |_| false, "\"");
}

/// Appends text, and escapes `<`, `>` and `&` except in entities.
pub(super) fn push_text_with_entities(output: &mut String, text: &str) {
    push_escaped(output, text, |remaining| entity_length(remaining).is_some(), "\"");
}

/// As [`push_text_with_entities`], but escapes double quotes too.
pub(super) fn push_attribute(output: &mut String, text: &str) {
    push_escaped(output, text, |remaining| entity_length(remaining).is_some(), "&quot;");
}

fn push_escaped(output: &mut String, text: &str, is_entity: fn(&str) -> bool, quote: &str) {
    let mut remaining = text;
    while let Some(offset) = remaining.bytes().position(|byte| matches!(byte, b'&' | b'<' | b'>' | b'"')) {
        output.push_str(&remaining[..offset]);
        match remaining.as_bytes()[offset] {
            b'&' if is_entity(&remaining[offset..]) => output.push('&'),
            b'&' => output.push_str("&amp;"),
            b'<' => output.push_str("&lt;"),
            b'>' => output.push_str("&gt;"),
            _ => output.push_str(quote),
        }
        remaining = &remaining[offset + 1..];
    }
    output.push_str(remaining);
}

/// Escapes the text of code, in which entities are text.
pub(super) fn escape_code(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    push_text(&mut output, text);
    output
}

/// As [`escape_code`], but escapes quotes too. `single_quote` is the entity for single quotes.
pub(super) fn escape_with_quotes(text: &str, single_quote: &str) -> String {
    escape_code(text).replace('"', "&quot;").replace('\'', single_quote)
}

/// Encodes a name for the fragment of a URL: percent-encoding with `.` instead of `%`.
///
/// ASCII letters and digits, `-`, `_`, `~` and `*` are not encoded. Names of channels have a function of their own,
/// [`encode_channel_name`].
pub fn encode_hash_component(name: &str) -> String {
    encode_hash_bytes(name.bytes())
}

/// Encodes the name of a channel for its part of a URL's fragment, where hyphens are in place of spaces.
pub fn encode_channel_name(name: &str) -> String {
    encode_hash_bytes(name.bytes().map(|byte| if byte == b' ' { b'-' } else { byte }))
}

fn encode_hash_bytes(bytes: impl Iterator<Item = u8>) -> String {
    let mut output = String::with_capacity(bytes.size_hint().0);
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_~*".contains(&byte) {
            output.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(output, ".{byte:02X}");
        }
    }
    output
}

/// Encodes a name for the label of a Markdown link: characters with a meaning in Markdown become entities.
pub fn encode_link_label(name: &str) -> String {
    let mut output = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '&' => output.push_str("&amp;"),
            '`' => output.push_str("&#96;"),
            '>' => output.push_str("&gt;"),
            '*' => output.push_str("&#42;"),
            '[' => output.push_str("&#91;"),
            ']' => output.push_str("&#93;"),
            // A single dollar sign has no meaning.
            '$' if characters.next_if_eq(&'$').is_some() => output.push_str("&#36;&#36;"),
            character => output.push(character),
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_has_entities_for_what_means_something_in_markdown() {
        assert_eq!(encode_link_label("a & b > `c` *d* [e]"), "a &amp; b &gt; &#96;c&#96; &#42;d&#42; &#91;e&#93;");
        assert_eq!(encode_link_label("$1 $$2$$ $$$3"), "$1 &#36;&#36;2&#36;&#36; &#36;&#36;$3");
        assert_eq!(encode_link_label("Größe 5"), "Größe 5");
    }

    #[test]
    fn entities_are_recognized_and_not_escaped() {
        for text in ["&amp;", "&#65;x", "&#x4f;", "&frac12;"] {
            assert!(entity_length(text).is_some(), "{text}");
        }
        for text in ["&", "&;", "&#;", "&#x;", "&a b;", "&é;", "&amp"] {
            assert_eq!(entity_length(text), None, "{text}");
        }
        let mut output = String::new();
        push_attribute(&mut output, "&lt; & \"<>");
        assert_eq!(output, "&lt; &amp; &quot;&lt;&gt;");
    }
}
