//! The pseudo-locale `en-XA`: accented letters imitate a translation that remains legible.

/// The language tag for `Content-Language`.
pub const LANGUAGE_TAG: &str = "en-XA";

/// The letters that are replaced. Q and X remain.
const LETTERS: &str = "ABCDEFGHIJKLMNOPRSTUVWYZabcdefghijklmnoprstuvwyz";
/// The replacements of [`LETTERS`], in the same order.
const ACCENTED: &str = "ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞŔŠŢÛṼŴÝŽåƀçðéƒĝĥîĵķļɱñöþŕšţûṽŵýž";

pub fn pseudo_localize(text: &str) -> String {
    let find_pair = |letter| LETTERS.chars().zip(ACCENTED.chars()).find(|(plain, _)| *plain == letter);
    text.chars().map(|letter| find_pair(letter).map_or(letter, |(_, accented)| accented)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_a_distinct_accented_letter() {
        assert_eq!(LETTERS.chars().count(), ACCENTED.chars().count());
        assert_eq!(pseudo_localize("Invalid channel ID 'q' #1"), "Îñṽåļîð çĥåññéļ ÎÐ 'q' #1");
        let characters: std::collections::BTreeSet<char> = LETTERS.chars().chain(ACCENTED.chars()).collect();
        assert_eq!(characters.len(), 2 * LETTERS.len());
    }
}
