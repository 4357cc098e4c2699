//! Writing HTML: the only places where text becomes part of it, always escaped.

use std::fmt::Write;

/// Appends text with `&`, `<` and `>` escaped. Quotes stay: this is for text, not for attributes.
pub(super) fn push_text(out: &mut String, text: &str) {
    push_escaped(out, text, false);
}

/// [`push_text`] into a new string.
pub(super) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text);
    out
}

/// An element with its attributes in the given order (the caller's is alphabetical) and finished HTML as content.
pub(super) fn element(tag: &'static str, attributes: &[(&'static str, &str)], content: &str) -> String {
    let mut out = void(tag, attributes);
    out.push_str(content);
    out.push_str("</");
    out.push_str(tag);
    out.push('>');
    out
}

/// An element without content and end tag.
pub(super) fn void(tag: &'static str, attributes: &[(&'static str, &str)]) -> String {
    let mut out = String::from("<");
    out.push_str(tag);
    for (name, value) in attributes {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        push_escaped(&mut out, value, true);
        out.push('"');
    }
    out.push('>');
    out
}

fn push_escaped(out: &mut String, text: &str, in_attribute: bool) {
    // The two-byte control characters begin with 0xc2, as harmless ones do.
    let may_be_special = |byte: u8| matches!(byte, b'&' | b'<' | b'>' | b'"' | 0x00..0x20 | 0x7f | 0xc2);
    let mut rest = text;
    while let Some(at) = rest.bytes().position(may_be_special) {
        out.push_str(&rest[..at]);
        let mut behind = rest[at..].chars();
        match behind.next() {
            Some('&') => out.push_str("&amp;"),
            Some('<') => out.push_str("&lt;"),
            Some('>') => out.push_str("&gt;"),
            Some('"') if in_attribute => out.push_str("&quot;"),
            // Other control characters have no meaning in HTML and are not allowed in it.
            Some(char) if char.is_control() && !matches!(char, '\n' | '\t') => out.push('\u{fffd}'),
            Some(char) => out.push(char),
            None => {}
        }
        rest = behind.as_str();
    }
    out.push_str(rest);
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
