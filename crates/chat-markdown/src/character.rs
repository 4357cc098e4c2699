//! Character classes of the Markdown rules: white space, word characters and digits. Word characters and digits follow
//! Unicode's general categories instead of its derived properties, so that vowel signs are not letters.

use regex::Regex;
use std::sync::LazyLock;

static WORD: LazyLock<Regex> = LazyLock::new(|| compile_class(r"[\p{L}\p{N}]"));
static DIGIT: LazyLock<Regex> = LazyLock::new(|| compile_class(r"\p{Nd}"));

fn compile_class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is well-formed, as a test checks")
}

fn is_in_class(class: &Regex, character: char) -> bool {
    class.is_match(character.encode_utf8(&mut [0; 4]))
}

/// White space, including the four control characters for information separators.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// Letters, numbers and the underscore.
pub(super) fn is_word_character(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_alphanumeric() || character == '_'
    } else {
        character.is_alphanumeric() && is_in_class(&WORD, character)
    }
}

/// Decimal digits of any script.
pub(super) fn is_digit(character: char) -> bool {
    if character.is_ascii() {
        character.is_ascii_digit()
    } else {
        character.is_numeric() && is_in_class(&DIGIT, character)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combining_marks_are_not_letters() {
        assert!(['a', 'é', '日', '_', '٣', 'Ⅷ', '²'].into_iter().all(is_word_character));
        assert!(!['\u{93f}', '\u{301}', '-', ' ', '🎉', '\u{2}'].into_iter().any(is_word_character));
        assert!(is_digit('٣') && is_digit('7') && !is_digit('²') && !is_digit('Ⅷ'));
        assert!(is_space('\u{a0}') && is_space('\u{1f}') && !is_space('\u{200b}') && !is_space('\u{feff}'));
    }
}
