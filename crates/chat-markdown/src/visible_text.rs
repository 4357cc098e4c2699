//! Extracts the visible text of HTML: without tags, and with entities as characters.

/// Elements whose tags do not end a word.
const INLINE_ELEMENTS: [&str; 9] = ["a", "code", "del", "em", "i", "img", "span", "strong", "time"];
/// Replaces unknown entities.
const UNKNOWN_CHARACTER: char = '\u{fffc}';
/// Replaces the tags of all elements that are not in [`INLINE_ELEMENTS`].
const BLOCK_BOUNDARY: char = '\n';

/// A tag, an entity or a character of HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'html> {
    /// The tag, entity or character in the HTML.
    pub html: &'html str,
    /// The visible character; for the tag of an element that is not inline, a line end. None: the tag of an inline
    /// element.
    pub character: Option<char>,
    /// False for an entity and a character.
    pub is_tag: bool,
}

/// Splits HTML of this renderer, which uses `<` and `>` only for tags.
pub fn pieces(html: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut remaining = html;
    std::iter::from_fn(move || {
        let first = remaining.chars().next()?;
        let (length, character, is_tag) = match first {
            '<' => {
                let length = remaining.find('>').map_or(remaining.len(), |end| end + 1);
                (length, (!is_inline_tag(&remaining[..length])).then_some(BLOCK_BOUNDARY), true)
            }
            '&' => match super::html::entity_length(remaining) {
                Some(length) => (length, Some(character_of_entity(&remaining[1..length - 1])), false),
                None => (1, Some(first), false),
            },
            other => (other.len_utf8(), Some(other), false),
        };
        let (html, following) = remaining.split_at(length);
        remaining = following;
        Some(Piece { html, character, is_tag })
    })
}

/// The text without tags and with entities as characters. Tags of elements that are not inline become line ends.
pub fn visible_text(html: &str) -> String {
    pieces(html).filter_map(|piece| piece.character).collect()
}

fn is_inline_tag(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let end = name.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(name.len());
    INLINE_ELEMENTS.contains(&&name[..end])
}

/// The character of an entity. `name` is what is between `&` and `;`.
fn character_of_entity(name: &str) -> char {
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
        _ => number.and_then(char::from_u32).unwrap_or(UNKNOWN_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::visible_text;

    #[test]
    fn inline_elements_do_not_separate_words_but_paragraphs_do() {
        assert_eq!(visible_text("<p>Hello <strong>wor</strong>ld</p>"), "\nHello world\n");
        assert_eq!(visible_text("<p>a<br>\nb</p>\n<p>c</p>").split_whitespace().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(visible_text(r#"<a href="https://hidden.example">shown</a>"#), "shown");
    }

    #[test]
    fn entities_become_characters() {
        assert_eq!(visible_text("&lt;b&gt; &amp; &#233;&#xe9; &quot;&nbsp;&apos;"), "<b> & éé \" '");
        assert_eq!(visible_text("&copy; & &#1114112;"), "\u{fffc} & \u{fffc}");
    }
}
