//! Command lines for a shell, in messages.

/// Quotes a word for a shell if necessary.
pub(super) fn quote_for_shell(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=,@%+".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_special_characters_are_quoted() {
        assert_eq!(quote_for_shell("mel@chat.test:aB3"), "mel@chat.test:aB3");
        assert_eq!(quote_for_shell("my ca's.pem"), r"'my ca'\''s.pem'");
        assert_eq!(quote_for_shell(""), "''");
    }
}
