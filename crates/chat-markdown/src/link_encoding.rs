//! Encodes names for links: in fragments of URLs, and in labels in Markdown.

use std::fmt::Write;

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
}
