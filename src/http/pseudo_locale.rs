//! Texts in the pseudo-locale `en-XA`: accented letters replace a translation, legible but different from the original.

/// The tag of the pseudo-locale, for `Content-Language`.
pub const TAG: &str = "en-XA";

const PLAIN: &str = "ABCDEFGHIJKLMNOPRSTUVWYZabcdefghijklmnoprstuvwyz";
const ACCENTED: &str = "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞŔŠŢÛṼŴÝŽåƀçðéƒĝĥîĵķļɱñöþŕšţûṽŵýž";

/// A text in accented letters.
pub fn pseudo_localized(text: &str) -> String {
    let accented = |letter| PLAIN.chars().zip(ACCENTED.chars()).find(|(plain, _)| *plain == letter);
    text.chars().map(|letter| accented(letter).map_or(letter, |(_, accented)| accented)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_an_accented_one_of_its_own() {
        assert_eq!(PLAIN.chars().count(), ACCENTED.chars().count());
        assert_eq!(pseudo_localized("Invalid channel ID 'q' #1"), "Îñṽåļîð çĥåññéļ ÎÐ 'q' #1");
        let all: std::collections::BTreeSet<char> = PLAIN.chars().chain(ACCENTED.chars()).collect();
        assert_eq!(all.len(), 2 * PLAIN.len());
    }
}
