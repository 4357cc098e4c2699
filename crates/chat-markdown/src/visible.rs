//! What of HTML is read: its text without tags, an entity being the one character that it means.

/// Elements within a line: a word goes on across their tags.
const INLINE: [&str; 9] = ["a", "code", "del", "em", "i", "img", "span", "strong", "time"];
/// Replaces an entity that nobody would search for.
const SOME_CHARACTER: char = '\u{fffc}';
/// Separates what different elements hold.
const BOUNDARY: char = '\n';

/// A part of HTML, and the character that is read there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'html> {
    /// As it is written: a tag, an entity or a character.
    pub html: &'html str,
    /// What is read; nothing where a tag is within a line.
    pub character: Option<char>,
    /// Whether this is a tag.
    pub is_tag: bool,
}

/// The parts of HTML as the renderer writes it: `<` and `>` are about tags alone.
pub fn pieces(html: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (length, character, is_tag) = match first {
            '<' => {
                let length = rest.find('>').map_or(rest.len(), |end| end + 1);
                (length, (!is_inline(&rest[..length])).then_some(BOUNDARY), true)
            }
            '&' => match super::html::entity(rest) {
                Some(length) => (length, Some(meant(&rest[1..length - 1])), false),
                None => (1, Some(first), false),
            },
            other => (other.len_utf8(), Some(other), false),
        };
        let (html, behind) = rest.split_at(length);
        rest = behind;
        Some(Piece { html, character, is_tag })
    })
}

/// The text that is read.
pub fn visible_text(html: &str) -> String {
    pieces(html).filter_map(|piece| piece.character).collect()
}

fn is_inline(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(name.len());
    INLINE.contains(&&name[..end])
}

/// The character that an entity of this name means.
fn meant(name: &str) -> char {
    let number = match name.strip_prefix('#') {
        Some(digits) => match digits.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => digits.parse().ok(),
        },
        None => None,
    };
    match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => number.and_then(char::from_u32).unwrap_or(SOME_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::visible_text;

    #[test]
    fn words_go_on_across_emphasis_and_end_with_paragraphs() {
        assert_eq!(visible_text("<p>Hello <strong>wor</strong>ld</p>"), "\nHello world\n");
        assert_eq!(visible_text("<p>a<br>\nb</p>\n<p>c</p>").split_whitespace().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(visible_text(r#"<a href="https://hidden.example">shown</a>"#), "shown");
    }

    #[test]
    fn an_entity_is_one_character() {
        assert_eq!(visible_text("&lt;b&gt; &amp; &#233;&#xe9; &quot;&nbsp;&apos;"), "<b> & éé \" '");
        assert_eq!(visible_text("&copy; & &#1114112;"), "\u{fffc} & \u{fffc}");
    }
}
