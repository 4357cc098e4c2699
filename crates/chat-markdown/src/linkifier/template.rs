//! URL templates (RFC 6570). Around expressions, they may have characters that URLs do not allow, which are encoded.

use iri_string::template::UriTemplateString;

/// Characters besides letters and digits that need no percent-encoding.
const UNENCODED: &str = "-._~:/?#[]@!$&'()*+,;=";

/// Parses a template. Characters that are not allowed in URLs are percent-encoded. None: invalid.
pub fn parse(text: &str) -> Option<UriTemplateString> {
    let mut encoded = String::with_capacity(text.len());
    let mut is_in_expression = false;
    for (index, character) in text.char_indices() {
        let begins_with_hexadecimal_digits =
            |text: &str| text.len() >= 2 && text.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
        match character {
            '{' => is_in_expression = true,
            '}' => is_in_expression = false,
            _ => {}
        }
        let needs_no_encoding = match character {
            '{' | '}' => true,
            '%' => begins_with_hexadecimal_digits(&text[index + 1..]),
            _ => character.is_ascii_alphanumeric() || UNENCODED.contains(character),
        };
        if is_in_expression || needs_no_encoding {
            encoded.push(character);
        } else {
            let mut bytes = [0; 4];
            encoded.extend(character.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    UriTemplateString::try_from(encoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_characters_around_expressions_are_encoded() {
        for (text, template) in [
            ("no url", Some("no%20url")),
            ("https://x.y/{id}?q=a|b", Some("https://x.y/{id}?q=a%7Cb")),
            ("é\u{200b}", Some("%C3%A9%E2%80%8B")),
            ("100%/%41/%4", Some("100%25/%41/%254")),
            ("%é", Some("%25%C3%A9")),
            ("{id", None),
            ("id}", None),
            ("{i d}", None),
        ] {
            assert_eq!(parse(text).map(|template| template.to_string()).as_deref(), template, "{text}");
        }
    }
}
