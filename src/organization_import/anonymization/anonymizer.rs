//! The anonymizer: replaces words with random ones that avoid the words of the original.

use super::random::RandomGenerator;
use aho_corasick::AhoCorasick;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// The length in characters from which original words are avoided in replacements, also as parts of longer words.
const MIN_AVOIDED_LENGTH: usize = 3;

/// With more original words than this, they are avoided only as whole words.
const MAX_WORDS_AS_PARTS: usize = 200_000;

/// How many replacements are tried for a word to avoid original words.
const MAX_ATTEMPTS: u32 = 60;

/// Replaces words with random ones, which depend on the seed, on the word, on the original words that they avoid, and
/// on the replacements of earlier words.
pub struct Anonymizer {
    seed: u64,
    /// The original words in lower case.
    originals: HashSet<String>,
    /// Finds original words as parts of others; None if there are more than [`MAX_WORDS_AS_PARTS`].
    original_finder: Option<AhoCorasick>,
    replacements: RefCell<Replacements>,
}

#[derive(Default)]
struct Replacements {
    /// By word in lower case; if there is a salt, by word, null character and salt.
    by_word: HashMap<String, String>,
    used: HashSet<String>,
}

/// The words of the original in lower case, which replacements avoid: those of at least [`MIN_AVOIDED_LENGTH`].
#[derive(Default)]
pub struct OriginalWords(HashSet<String>);

impl OriginalWords {
    /// Adds all words in the texts of a value.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Array(list) => list.iter().for_each(|value| self.add(value)),
            Value::Object(object) => object.values().for_each(|value| self.add(value)),
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        for word in text.split(|character| !is_word_character(character)) {
            if word.chars().count() >= MIN_AVOIDED_LENGTH {
                let lower_word = to_lowercase(word);
                if !self.0.contains(&lower_word) {
                    self.0.insert(lower_word);
                }
            }
        }
    }
}

impl Anonymizer {
    pub fn new(seed: u64, originals: OriginalWords) -> Self {
        let originals = originals.0;
        let original_finder = (originals.len() <= MAX_WORDS_AS_PARTS).then(|| {
            let mut words: Vec<&String> = originals.iter().collect();
            words.sort_unstable();
            AhoCorasick::new(words).ok()
        });
        Self { seed, original_finder: original_finder.flatten(), originals, replacements: RefCell::default() }
    }

    /// Replaces the words and emoji of a text.
    pub fn anonymize_text(&self, text: &str) -> String {
        self.anonymize_text_with_salt(text, 0)
    }

    /// Salt 0 gives the same replacements as [`Anonymizer::anonymize_text`]; every other salt gives words their own.
    pub fn anonymize_text_with_salt(&self, text: &str, salt: u32) -> String {
        let mut result = String::with_capacity(text.len());
        let mut word = String::new();
        for character in text.chars() {
            if is_word_character(character) {
                word.push(character);
                continue;
            }
            self.append_replacement(&mut word, salt, &mut result);
            result.push(replace_emoji(character, self.seed));
        }
        self.append_replacement(&mut word, salt, &mut result);
        result
    }

    fn append_replacement(&self, word: &mut String, salt: u32, result: &mut String) {
        if !word.is_empty() {
            result.push_str(&self.replace_word(word, salt));
            word.clear();
        }
    }

    fn replace_word(&self, word: &str, salt: u32) -> String {
        let key = if salt == 0 { to_lowercase(word) } else { format!("{}\0{salt}", to_lowercase(word)) };
        let known_replacement = self.replacements.borrow().by_word.get(&key).cloned();
        let replacement = known_replacement.unwrap_or_else(|| self.choose_replacement(&key));
        word.chars().zip(replacement.chars()).map(|(old, new)| with_case_of(old, new)).collect()
    }

    fn choose_replacement(&self, key: &str) -> String {
        let word = key.split('\0').next().unwrap_or_default();
        let mut replacements = self.replacements.borrow_mut();
        let (mut lowest_penalty, mut best_candidate) = (usize::MAX, String::new());
        for attempt in 0..MAX_ATTEMPTS {
            let candidate = self.candidate(key, word, attempt);
            let penalty = self.penalty(&candidate, replacements.used.contains(&candidate));
            if penalty < lowest_penalty {
                (lowest_penalty, best_candidate) = (penalty, candidate);
            }
            if penalty == 0 {
                break;
            }
        }
        replacements.used.insert(best_candidate.clone());
        replacements.by_word.insert(key.to_owned(), best_candidate.clone());
        best_candidate
    }

    /// How much a candidate should be avoided: the length in bytes of the longest original word in it; at least 1 if it
    /// already replaces another word; 0 if nothing speaks against it. Among very many original words, only one that is
    /// the whole candidate is found.
    fn penalty(&self, candidate: &str, is_used: bool) -> usize {
        let longest = match &self.original_finder {
            Some(finder) => finder.find_overlapping_iter(candidate).map(|part| part.len()).max(),
            None => self.originals.contains(candidate).then_some(candidate.len()),
        };
        longest.unwrap_or_default().max(usize::from(is_used))
    }

    fn candidate(&self, key: &str, word: &str, attempt: u32) -> String {
        let mut generator = RandomGenerator::new(self.seed, key, attempt);
        word.chars().map(|character| random_character_like(character, &mut generator)).collect()
    }

    /// Random numbers that depend only on the seed and a text.
    pub fn random_generator_for(&self, text: &str) -> RandomGenerator {
        // No attempt at a word has this number.
        RandomGenerator::new(self.seed, text, u32::MAX)
    }
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric()
}

/// Converts to lower case where that does not change the number of characters.
fn to_lowercase(word: &str) -> String {
    word.chars().map(|character| only_character(character.to_lowercase()).unwrap_or(character)).collect()
}

fn with_case_of(old: char, new: char) -> char {
    if old.is_uppercase() { only_character(new.to_uppercase()).unwrap_or(new) } else { new }
}

fn only_character(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

const VOWELS: &str = "aeiou";
const CONSONANTS: &str = "bcdfghjklmnpqrstvwxyz";
const ACCENTED: &str = "àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ";

/// A random character of the same script and kind, in lower case where the script has cases. The ranges are those of
/// accented Latin letters, Chinese characters and Korean syllables.
fn random_character_like(character: char, generator: &mut RandomGenerator) -> char {
    match character {
        'a' | 'e' | 'i' | 'o' | 'u' => generator.character_of(VOWELS),
        'a'..='z' => generator.character_of(CONSONANTS),
        // No digit but 0 becomes 0, so that no number gets a leading zero.
        '1'..='9' => generator.character_of("123456789"),
        '0' => generator.character_of("0123456789"),
        '\u{c0}'..='\u{24f}' => generator.character_of(ACCENTED),
        '\u{4e00}'..='\u{9fa5}' => random_character_in_range(0x4e00, 0x51a6, generator),
        '\u{ac00}'..='\u{d7a3}' => random_character_in_range(0xac00, 0x2ba4, generator),
        _ => random_nearby_character(character, generator),
    }
}

fn random_character_in_range(first: u32, count: usize, generator: &mut RandomGenerator) -> char {
    u32::try_from(generator.below(count)).ok().and_then(|offset| char::from_u32(first + offset)).unwrap_or('字')
}

/// A random character of the same kind from the block of 64 code points that contains this one.
fn random_nearby_character(character: char, generator: &mut RandomGenerator) -> char {
    let kind = |other: char| (other.is_lowercase(), other.is_uppercase(), other.is_numeric(), other.is_alphabetic());
    let first = u32::from(character) & !0x3f;
    let candidates: Vec<char> =
        (first..first + 0x40).filter_map(char::from_u32).filter(|other| kind(*other) == kind(character)).collect();
    candidates.get(generator.below(candidates.len())).copied().unwrap_or(character)
}

/// Replaces an emoji from U+1F000 to U+1FBFF with another one. Skin tones, the letters of flags and all other
/// characters remain.
fn replace_emoji(character: char, seed: u64) -> char {
    match character {
        '\u{1f3fb}'..='\u{1f3ff}' | '\u{1f1e6}'..='\u{1f1ff}' => character,
        '\u{1f000}'..='\u{1fbff}' => {
            let mut generator = RandomGenerator::new(seed, character.encode_utf8(&mut [0; 4]), 0);
            // All characters from U+1F400 to U+1F4EF are emoji.
            random_character_in_range(0x1f400, 0xf0, &mut generator)
        }
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn anonymizer(seed: u64, original: &str) -> Anonymizer {
        let mut originals = OriginalWords::default();
        originals.add(&json!(original));
        Anonymizer::new(seed, originals)
    }

    #[test]
    fn words_keep_their_length_script_and_case() {
        let text = "Hello, WORLD-42! straße Ελλάδα Привет 漢字 한국 שלום";
        let anonymous = anonymizer(0, text).anonymize_text(text);
        assert_eq!(anonymous.chars().count(), text.chars().count());
        for (old, new) in text.chars().zip(anonymous.chars()) {
            assert_eq!(old.is_alphanumeric(), new.is_alphanumeric(), "{anonymous}");
            assert_eq!((old.is_uppercase(), old.is_numeric()), (new.is_uppercase(), new.is_numeric()), "{anonymous}");
            assert!(old.is_alphanumeric() || old == new, "{anonymous}");
            assert_eq!(old.len_utf8(), new.len_utf8(), "{anonymous}");
        }
    }

    #[test]
    fn no_word_remains_even_within_another_one() {
        let text = "the quick brown fox jumps over the lazy dog while seven wizards box quietly";
        let anonymous = anonymizer(3, text).anonymize_text(text);
        for word in text.split(' ') {
            assert!(!anonymous.contains(word), "{word} in {anonymous}");
        }
    }

    #[test]
    fn equal_words_have_the_same_replacement_in_any_case() {
        let anonymizer = anonymizer(0, "");
        assert_eq!(anonymizer.anonymize_text("release").to_uppercase(), anonymizer.anonymize_text("RELEASE"));
        assert_ne!(anonymizer.anonymize_text("release"), anonymizer.anonymize_text("rebuild"));
        let letter_replacements: HashSet<String> =
            "abcdefghijklmnopqrstuvwxyz".chars().map(|letter| anonymizer.anonymize_text(&letter.to_string())).collect();
        assert!(letter_replacements.len() > 20, "{letter_replacements:?}");
    }

    #[test]
    fn replacements_depend_on_the_seed() {
        assert_eq!(anonymizer(1, "").anonymize_text("some words"), anonymizer(1, "").anonymize_text("some words"));
        assert_ne!(anonymizer(1, "").anonymize_text("some words"), anonymizer(2, "").anonymize_text("some words"));
        assert_ne!(anonymizer(1, "").anonymize_text_with_salt("name", 1), anonymizer(1, "").anonymize_text("name"));
    }

    #[test]
    fn emoji_are_replaced_with_other_emoji() {
        let anonymous = anonymizer(0, "").anonymize_text("🎉 👍🏽");
        assert!(!anonymous.contains('🎉') && !anonymous.contains('👍') && anonymous.contains('🏽'), "{anonymous}");
    }
}
