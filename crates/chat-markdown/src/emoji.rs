//! The Unicode emoji that the server knows by name, the emoticons, and the one built-in extra emoji.
//!
//! Which names and codes exist is data (`emoji/table.txt`, a line per emoji: code, name, aliases), read when the
//! program is built: those of Emoji 15.1, flags and other sequences too, without those of a skin tone (A-180 in docs/assumptions.md).
//! `emoji/former.txt` has the names that emoji had below a feature level.
//! A code is the emoji's characters as lower-case hexadecimal numbers joined by `-`, without the variation selector
//! U+FE0F. Custom emoji are data of a realm and not here. Source: sections 6.9, 10.9 and 23.

use regex::Regex;
use std::fmt::Write;
use std::sync::LazyLock;

/// Asks for the picture form of the character before it; never part of a code.
const VARIATION_SELECTOR: char = '\u{fe0f}';

/// Everything that may be one emoji, known or not, as UTS #51 defines it.
static SEQUENCE: LazyLock<Regex> = LazyLock::new(|| {
    let flag = r"\p{Regional_Indicator}{2}";
    let element = r"\p{Emoji}(?:\p{Emoji_Modifier}|\x{FE0F}\x{20E3}?|[\x{E0020}-\x{E007E}]+\x{E007F})?";
    let pattern = format!(r"\A(?:{flag}|{element}(?:\x{{200D}}(?:{flag}|{element}))*)");
    Regex::new(&pattern).expect("the pattern is well-formed, as a test checks")
});

/// A character that is shown as text unless a selector asks for its picture, or such a one in a keycap.
static TEXT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A\P{Emoji_Presentation}\x{20E3}?\z").expect("the pattern is well-formed, as a test checks")
});

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

/// The path of the extra emoji's picture where it has another name.
pub fn extra_image_src(name: &str) -> String {
    EXTRA_EMOJI.image_src.replace(EXTRA_EMOJI.name, name)
}

/// Emoticons and the name of the emoji that each becomes for senders with `translate_emoticons`.
const EMOTICONS: [(&str, &str); 12] = [
    (":)", "slight_smile"),
    ("(:", "slight_smile"),
    (":(", "frown"),
    ("<3", "heart"),
    (":|", "neutral"),
    (":/", "confused"),
    (";)", "wink"),
    (":D", "smile"),
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
    pub names: &'static [&'static str],
}

// The table as `src/build.rs` reads it: `ROWS` ordered by code, `BY_NAME` by name. `STARTERS` are the first characters of all
// emoji, ordered, so that ordinary text is passed over quickly.
include!(concat!(env!("OUT_DIR"), "/emoji.rs"));

/// What the names had otherwise below a feature level.
struct FormerTable {
    /// The first level that no longer has them so.
    before: i64,
    /// The emoji whose names differ, ordered by code; those without a name were not known.
    rows: &'static [UnicodeEmoji],
    /// The names that led to another code, ordered; without a code there was no such name.
    by_name: &'static [(&'static str, Option<&'static str>)],
}

fn row(rows: &'static [UnicodeEmoji], code: &str) -> Option<&'static UnicodeEmoji> {
    rows.binary_search_by(|row| row.code.cmp(code)).ok().map(|at| &rows[at])
}

/// The names of Unicode emoji as a feature level has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmojiNames {
    /// The position of the former table that holds; None for the newest names.
    former: Option<usize>,
}

impl EmojiNames {
    /// The names at a feature level.
    pub fn at(level: i64) -> Self {
        let former = FORMER.iter().position(|table| level < table.before);
        Self { former }
    }

    /// The names at the newest level.
    pub fn newest() -> Self {
        Self { former: None }
    }

    /// The code of the Unicode emoji with this name or alias. Names are case-sensitive.
    pub fn by_name(self, name: &str) -> Option<&'static str> {
        if let Some(table) = self.former.map(|at| &FORMER[at])
            && let Ok(at) = table.by_name.binary_search_by(|(other, _)| (*other).cmp(name))
        {
            return table.by_name[at].1;
        }
        BY_NAME.binary_search_by(|(other, _)| (*other).cmp(name)).ok().map(|at| BY_NAME[at].1)
    }

    /// All names of the Unicode emoji with this code, the main one first.
    pub fn by_code(self, code: &str) -> Option<&'static [&'static str]> {
        self.row(code).map(|row| row.names)
    }

    /// Every Unicode emoji that is known, ordered by code: its code and its names.
    pub fn all(self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        ROWS.iter().filter_map(move |newest| self.row(newest.code).map(|row| (row.code, row.names)))
    }

    /// The emoticons, each with the code and the name of the emoji that it becomes for senders with
    /// `translate_emoticons`.
    pub fn emoticons(self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
        let has_slight_smile = self.by_name("slight_smile").is_some();
        EMOTICONS.iter().filter_map(move |(emoticon, name)| {
            let name = match *emoticon {
                ":)" | "(:" if !has_slight_smile => "smile",
                ":D" if !has_slight_smile => "grinning",
                _ => name,
            };
            Some((*emoticon, self.by_name(name)?, name))
        })
    }

    /// The sequence that `text` starts with, if its first character begins an emoji.
    pub fn sequence(self, text: &str) -> Option<EmojiSequence> {
        let first = text.chars().next()?;
        // Digits begin keycaps, and otherwise far more often words.
        if first.is_ascii() && text.as_bytes().get(1).is_none_or(u8::is_ascii) {
            return None;
        }
        STARTERS.binary_search(&first).ok()?;
        let found = SEQUENCE.find(text)?.as_str();
        let code = if TEXT.is_match(found) { None } else { self.row(&code_of(found)).map(|row| row.code) };
        Some(EmojiSequence { code, bytes: found.len() })
    }

    fn row(self, code: &str) -> Option<&'static UnicodeEmoji> {
        let former = self.former.and_then(|at| row(FORMER[at].rows, code));
        former.or_else(|| row(ROWS, code)).filter(|row| !row.names.is_empty())
    }
}

/// What a text starts with, where that may be an emoji.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmojiSequence {
    /// The code of the emoji. None if it is not known, or shown as text: its parts are no emoji of their own then.
    pub code: Option<&'static str>,
    /// How many bytes it takes, variation selectors included.
    pub bytes: usize,
}

/// What the code of an emoji would be.
fn code_of(characters: &str) -> String {
    let mut code = String::new();
    for char in characters.chars().filter(|char| *char != VARIATION_SELECTOR) {
        let dash = if code.is_empty() { "" } else { "-" };
        // Writing to a text can't fail.
        let _ = write!(code, "{dash}{:04x}", u32::from(char));
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest() -> EmojiNames {
        EmojiNames::newest()
    }

    #[test]
    fn names_depend_on_the_feature_level() {
        let code = |level: i64, name: &str| EmojiNames::at(level).by_name(name);
        assert_eq!([376, 377].map(|level| code(level, "smile")), [Some("1f642"), Some("1f604")]);
        assert_eq!([376, 377].map(|level| code(level, "big_smile")), [Some("1f604"), None]);
        assert_eq!([331, 332].map(|level| code(level, "point")), [Some("1faf5"), Some("1fa9d")]);
        assert_eq!([275, 276].map(|level| code(level, "folded_hands")), [None, Some("1f64f")]);
        assert_eq!([273, 274].map(|level| code(level, "phoenix")), [None, Some("1f426-200d-1f525")]);
        assert_eq!(EmojiNames::at(273).by_code("1f426-200d-1f525"), None);
        assert_eq!(EmojiNames::at(i64::MAX), newest());
        assert_eq!([273, 274, 377].map(|level| EmojiNames::at(level).all().count()), [1847, 1875, 1875]);
    }

    #[test]
    fn names_lead_to_codes() {
        for (name, code) in [
            ("smile", "1f604"),
            ("slight_smile", "1f642"),
            ("tada", "1f389"),
            ("thumbs_up", "1f44d"),
            ("+1", "1f44d"),
            ("octopus", "1f419"),
            ("heart", "2764"),
            ("working_on_it", "1f6e0"),
        ] {
            assert_eq!(newest().by_name(name), Some(code), "{name}");
        }
        assert_eq!(newest().by_name("no_such_emoji"), None);
        assert_eq!(newest().by_name("SMILE"), None);
    }

    #[test]
    fn codes_lead_to_all_names() {
        assert_eq!(newest().by_code("1f44d"), Some(["+1", "thumbs_up", "like"].as_slice()));
        assert_eq!(newest().by_code("1F44D"), None);
        assert_eq!(newest().by_code("ffff"), None);
    }

    #[test]
    fn the_table_is_well_formed() {
        assert!(ROWS.len() > 1800);
        for pair in ROWS.windows(2) {
            assert!(pair[0].code < pair[1].code, "{:?}", pair);
        }
        for emoji in ROWS {
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
        let found = |text| newest().sequence(text).map(|it| (it.code, it.bytes));
        for (text, code, bytes) in [
            ("🙂!", "1f642", 4),
            ("❤\u{fe0f}", "2764", 6),
            ("1\u{fe0f}\u{20e3}", "0031-20e3", 7),
            ("🤷\u{200d}♀\u{fe0f} why", "1f937-200d-2640", 13),
            ("🤷\u{200d}♀", "1f937-200d-2640", 10),
            ("🇩🇪🇫🇷", "1f1e9-1f1ea", 8),
            (
                "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
                "1f3f4-e0067-e0062-e0065-e006e-e0067-e007f",
                28,
            ),
        ] {
            assert_eq!(found(text), Some((Some(code), bytes)), "{text}");
        }
        for text in ["", "1", "#", "10\u{200d}", "a", "é", "1\u{301}", "中", "\u{fe0f}"] {
            assert_eq!(found(text).and_then(|(code, _)| code), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_taken_whole() {
        for text in ["🍋\u{200d}🟪", "👍🏽", "👨🏿\u{200d}🦽", "❤", "©", "🇩🇩"] {
            assert_eq!(newest().sequence(text), Some(EmojiSequence { code: None, bytes: text.len() }), "{text}");
        }
    }

    #[test]
    fn emoticons_name_known_emoji() {
        for level in [0, 273, 274, 276, 332, 376, 377] {
            assert_eq!(EmojiNames::at(level).emoticons().count(), EMOTICONS.len(), "{level}");
        }
    }
}
