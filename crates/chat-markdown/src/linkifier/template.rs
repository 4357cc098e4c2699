//! Templates of addresses (RFC 6570), with whatever characters around their expressions.

use iri_string::template::UriTemplateString;

/// Characters that stand for themselves in an address; `%` is one where two hexadecimal digits follow it.
const PLAIN: &str = "-._~:/?#[]@!$&'()*+,;=";

/// The template that a text is. Characters that no address has are written as the bytes of UTF-8, `%` and two digits each.
pub fn parse(text: &str) -> Option<UriTemplateString> {
    let mut encoded = String::with_capacity(text.len());
    let mut is_within = false;
    for (at, character) in text.char_indices() {
        let is_digits = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
        match character {
            '{' => is_within = true,
            '}' => is_within = false,
            _ => {}
        }
        let is_plain = match character {
            '{' | '}' => true,
            '%' => is_digits(&text[at + 1..]),
            _ => character.is_ascii_alphanumeric() || PLAIN.contains(character),
        };
        if is_within || is_plain {
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
    fn whatever_is_around_expressions_is_encoded() {
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
