//! The Unicode emoji that the server knows by name, the emoticons, and the one built-in extra emoji.
//!
//! Which names and codes exist is data (`emoji/table.txt`, a line per emoji: code, name, aliases), read once on first use.
//! A code is the emoji's characters as lower-case hexadecimal numbers joined by `-`, without the variation selector
//! U+FE0F. Custom emoji are data of a realm and not here. Source: sections 6.9, 10.9 and 23.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::LazyLock;

const TABLE: &str = include_str!("emoji/table.txt");

/// Asks for the picture form of the character before it; never part of a code.
const VARIATION_SELECTOR: char = '\u{fe0f}';

/// No known sequence is longer (a keycap with its selector); bounds the look-ahead of [`code_of_characters`].
const LONGEST_SEQUENCE_CHARS: usize = 3;

/// An emoji with a picture of its own that every organization has without uploading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtraEmoji {
    /// Its name, as typed between colons.
    pub name: &'static str,
    /// Its code in reactions; equal to the name.
    pub code: &'static str,
    /// The path of its picture.
    pub image_src: &'static str,
}

/// The one built-in extra emoji.
pub const EXTRA_EMOJI: ExtraEmoji = ExtraEmoji {
    name: "service",
    code: "service",
    image_src: "/static/generated/emoji/images/emoji/unicode/service.png",
};

/// Emoticons and the name of the emoji that each becomes for senders with `translate_emoticons`.
pub const EMOTICONS: [(&str, &str); 12] = [
    (":)", "smile"),
    ("(:", "smile"),
    (":(", "frown"),
    ("<3", "heart"),
    (":|", "neutral"),
    (":/", "confused"),
    (";)", "wink"),
    (":D", "grinning"),
    (":o", "open_mouth"),
    (":O", "open_mouth"),
    (":p", "stuck_out_tongue"),
    (":P", "stuck_out_tongue"),
];

/// One Unicode emoji.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnicodeEmoji {
    /// Lower-case hexadecimal code points joined by `-`.
    pub code: &'static str,
    /// All its names; the first is the one that a literal character gets.
    pub names: Vec<&'static str>,
}

struct Index {
    /// Ordered by code, as the table is.
    rows: Vec<UnicodeEmoji>,
    /// The first character of every emoji, ordered, so that ordinary text is passed over quickly.
    starters: Vec<char>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        Some(UnicodeEmoji { code: words.next()?, names: words.collect() })
    };
    let rows: Vec<UnicodeEmoji> = TABLE.lines().filter_map(read).collect();
    let first = |row: &UnicodeEmoji| row.code.split('-').next().and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let mut starters: Vec<char> = rows.iter().filter_map(first).filter_map(char::from_u32).collect();
    starters.sort_unstable();
    starters.dedup();
    Index { rows, starters }
});

/// Codes by names.
static BY_NAME: LazyLock<HashMap<&'static str, &'static str, foldhash::fast::FixedState>> = LazyLock::new(|| {
    let mut by_name = HashMap::with_capacity_and_hasher(2 * INDEX.rows.len(), Default::default());
    for row in &INDEX.rows {
        for name in &row.names {
            by_name.entry(*name).or_insert(row.code);
        }
    }
    by_name
});

fn row(code: &str) -> Option<&'static UnicodeEmoji> {
    INDEX.rows.binary_search_by(|row| row.code.cmp(code)).ok().map(|at| &INDEX.rows[at])
}

/// The code of the Unicode emoji with this name or alias. Names are case-sensitive.
pub fn by_name(name: &str) -> Option<&'static str> {
    BY_NAME.get(name).copied()
}

/// All names of the Unicode emoji with this code, the main one first.
pub fn by_code(code: &str) -> Option<&'static [&'static str]> {
    row(code).map(|row| row.names.as_slice())
}

/// Every known Unicode emoji, ordered by code.
pub fn all() -> &'static [UnicodeEmoji] {
    &INDEX.rows
}

/// The longest known emoji that `text` starts with: its code, and how many bytes of `text` it takes
/// (variation selectors included).
pub fn code_of_characters(text: &str) -> Option<(&'static str, usize)> {
    let first = text.chars().next()?;
    INDEX.starters.binary_search(&first).ok()?;
    let mut code = String::new();
    let mut found = None;
    for (at, char) in text.char_indices().take(LONGEST_SEQUENCE_CHARS) {
        if char != VARIATION_SELECTOR {
            let dash = if code.is_empty() { "" } else { "-" };
            // Writing to a text can't fail.
            let _ = write!(code, "{dash}{:04x}", u32::from(char));
        }
        if let Some(row) = row(&code) {
            found = Some((row.code, at + char.len_utf8()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_codes() {
        for (name, code) in [
            ("smile", "1f642"),
            ("tada", "1f389"),
            ("thumbs_up", "1f44d"),
            ("+1", "1f44d"),
            ("octopus", "1f419"),
            ("heart", "2764"),
            ("working_on_it", "1f6e0"),
        ] {
            assert_eq!(by_name(name), Some(code), "{name}");
        }
        assert_eq!(by_name("no_such_emoji"), None);
        assert_eq!(by_name("SMILE"), None);
    }

    #[test]
    fn codes_lead_to_all_names() {
        assert_eq!(by_code("1f44d"), Some(["+1", "thumbs_up", "like"].as_slice()));
        assert_eq!(by_code("1F44D"), None);
        assert_eq!(by_code("ffff"), None);
    }

    #[test]
    fn the_table_is_well_formed() {
        assert!(all().len() > 1000);
        for pair in all().windows(2) {
            assert!(pair[0].code < pair[1].code, "{:?}", pair);
        }
        for emoji in all() {
            assert!(!emoji.names.is_empty());
            assert!(!emoji.code.contains("fe0f"), "{}", emoji.code);
            assert!(
                emoji
                    .code
                    .split('-')
                    .all(|hex| { u32::from_str_radix(hex, 16).is_ok_and(|n| char::from_u32(n).is_some()) })
            );
            assert_eq!(emoji.code, emoji.code.to_lowercase());
        }
    }

    #[test]
    fn literal_characters_are_recognized() {
        assert_eq!(code_of_characters("🙂!"), Some(("1f642", 4)));
        assert_eq!(code_of_characters("❤️"), Some(("2764", 6)));
        assert_eq!(code_of_characters("❤"), Some(("2764", 3)));
        assert_eq!(code_of_characters("1\u{fe0f}\u{20e3}"), Some(("0031-20e3", 7)));
        for text in ["", "1", "#", "a", "é", "©", "1\u{fe0f}", "中"] {
            assert_eq!(code_of_characters(text), None, "{text}");
        }
    }

    #[test]
    fn emoticons_name_known_emoji() {
        for (_, name) in EMOTICONS {
            assert!(by_name(name).is_some(), "{name}");
        }
    }
}
