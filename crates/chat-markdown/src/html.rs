//! Escapes text and attribute values in HTML.

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

#[cfg(test)]
mod tests {
    use super::*;

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
