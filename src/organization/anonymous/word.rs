//! Words.

use aho_corasick::AhoCorasick;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Words of this length and longer are avoided in what is drawn, also as parts of longer words.
const AVOIDED_FROM: usize = 3;

/// Most words that are looked for as parts of others.
const PARTS_MAX: usize = 200_000;

/// How often a word is drawn again to avoid others.
const TRIES: u32 = 60;

/// Draws words for words.
pub struct Anonymizer {
    seed: u64,
    /// The words of the original, in lower case.
    originals: HashSet<String>,
    parts: Option<AhoCorasick>,
    drawn: RefCell<Drawn>,
}

#[derive(Default)]
struct Drawn {
    by_word: HashMap<String, String>,
    taken: HashSet<String>,
}

/// Collects the words that are to be avoided.
#[derive(Default)]
pub struct Originals(HashSet<String>);

impl Originals {
    /// All words in the texts of a value.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.add_text(text),
            Value::Array(list) => list.iter().for_each(|value| self.add(value)),
            Value::Object(object) => object.values().for_each(|value| self.add(value)),
            _ => {}
        }
    }

    fn add_text(&mut self, text: &str) {
        for word in text.split(|character| !is_of_word(character)) {
            if word.chars().count() >= AVOIDED_FROM {
                let lower = lower(word);
                if !self.0.contains(&lower) {
                    self.0.insert(lower);
                }
            }
        }
    }
}

impl Anonymizer {
    /// Draws from a seed, and none of these words.
    pub fn new(seed: u64, originals: Originals) -> Self {
        let originals = originals.0;
        let parts = (originals.len() <= PARTS_MAX).then(|| {
            let mut words: Vec<&String> = originals.iter().collect();
            words.sort_unstable();
            AhoCorasick::new(words).ok()
        });
        Self { seed, parts: parts.flatten(), originals, drawn: RefCell::default() }
    }

    /// A text with other words and the same of everything else.
    pub fn text(&self, text: &str) -> String {
        self.salted(text, 0)
    }

    /// Another one for each salt.
    pub fn salted(&self, text: &str, salt: u32) -> String {
        let mut result = String::with_capacity(text.len());
        let mut word = String::new();
        for character in text.chars() {
            if is_of_word(character) {
                word.push(character);
                continue;
            }
            self.flush(&mut word, salt, &mut result);
            result.push(other_picture(character, self.seed));
        }
        self.flush(&mut word, salt, &mut result);
        result
    }

    fn flush(&self, word: &mut String, salt: u32, result: &mut String) {
        if !word.is_empty() {
            result.push_str(&self.word(word, salt));
            word.clear();
        }
    }

    fn word(&self, word: &str, salt: u32) -> String {
        let key = if salt == 0 { lower(word) } else { format!("{}\0{salt}", lower(word)) };
        let known = self.drawn.borrow().by_word.get(&key).cloned();
        let drawn = known.unwrap_or_else(|| self.draw(&key));
        word.chars().zip(drawn.chars()).map(|(old, new)| with_case_of(old, new)).collect()
    }

    fn draw(&self, key: &str) -> String {
        let word = key.split('\0').next().unwrap_or_default();
        let mut drawn = self.drawn.borrow_mut();
        let mut best = (usize::MAX, String::new());
        for attempt in 0..TRIES {
            let candidate = self.candidate(key, word, attempt);
            let likeness = self.likeness(&candidate, drawn.taken.contains(&candidate));
            if likeness < best.0 {
                best = (likeness, candidate);
            }
            if likeness == 0 {
                break;
            }
        }
        let (_, candidate) = best;
        drawn.taken.insert(candidate.clone());
        drawn.by_word.insert(key.to_owned(), candidate.clone());
        candidate
    }

    /// How much of the original a word has: the length of the longest word in it. One that was drawn for another word
    /// is not wanted either, but reveals nothing.
    fn likeness(&self, candidate: &str, is_taken: bool) -> usize {
        let longest = match &self.parts {
            Some(parts) => parts.find_overlapping_iter(candidate).map(|found| found.len()).max(),
            None => self.originals.contains(candidate).then_some(candidate.len()),
        };
        longest.unwrap_or_default().max(usize::from(is_taken))
    }

    fn candidate(&self, key: &str, word: &str, attempt: u32) -> String {
        let mut chance = Chance::new(self.seed, key, attempt);
        word.chars().map(|character| other_character(character, &mut chance)).collect()
    }

    /// Bytes that follow from the seed and a text.
    pub fn chance(&self, text: &str) -> Chance {
        Chance::new(self.seed, text, u32::MAX)
    }
}

/// Numbers that follow from a seed, a text and a count.
pub struct Chance {
    hasher: Sha256,
    block: [u8; 32],
    at: usize,
    count: u64,
}

impl Chance {
    fn new(seed: u64, text: &str, attempt: u32) -> Self {
        let hasher = Sha256::new().chain_update(seed.to_le_bytes()).chain_update(attempt.to_le_bytes());
        Self { hasher: hasher.chain_update(text.as_bytes()), block: [0; 32], at: 32, count: 0 }
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        if self.at + 4 > self.block.len() {
            self.block = self.hasher.clone().chain_update(self.count.to_le_bytes()).finalize().into();
            self.count += 1;
            self.at = 0;
        }
        let bytes = [self.block[self.at], self.block[self.at + 1], self.block[self.at + 2], self.block[self.at + 3]];
        self.at += 4;
        u32::from_le_bytes(bytes) as usize % bound.max(1)
    }

    /// One of the characters of a text.
    pub fn one_of(&mut self, characters: &str) -> char {
        let count = characters.chars().count();
        characters.chars().nth(self.below(count)).unwrap_or('x')
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric()
}

/// In lower case, character by character, so that the length remains.
fn lower(word: &str) -> String {
    word.chars().map(|one| single(one.to_lowercase()).unwrap_or(one)).collect()
}

fn with_case_of(old: char, new: char) -> char {
    if old.is_uppercase() { single(new.to_uppercase()).unwrap_or(new) } else { new }
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

const VOWELS: &str = "aeiou";
const CONSONANTS: &str = "bcdfghjklmnpqrstvwxyz";
const ACCENTED: &str = "àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ";

/// A character of the same script and kind, in lower case.
fn other_character(character: char, chance: &mut Chance) -> char {
    match character {
        'a' | 'e' | 'i' | 'o' | 'u' => chance.one_of(VOWELS),
        'a'..='z' => chance.one_of(CONSONANTS),
        // No number begins with a zero that did not.
        '1'..='9' => chance.one_of("123456789"),
        '0' => chance.one_of("0123456789"),
        '\u{c0}'..='\u{24f}' => chance.one_of(ACCENTED),
        '\u{4e00}'..='\u{9fa5}' => within(0x4e00, 0x51a6, chance),
        '\u{ac00}'..='\u{d7a3}' => within(0xac00, 0x2ba4, chance),
        _ => neighbour(character, chance),
    }
}

fn within(first: u32, count: usize, chance: &mut Chance) -> char {
    u32::try_from(chance.below(count)).ok().and_then(|offset| char::from_u32(first + offset)).unwrap_or('字')
}

/// One of the characters near another one that is of the same kind.
fn neighbour(character: char, chance: &mut Chance) -> char {
    let kind = |one: char| (one.is_lowercase(), one.is_uppercase(), one.is_numeric(), one.is_alphabetic());
    let first = u32::from(character) & !0x3f;
    let near: Vec<char> =
        (first..first + 0x40).filter_map(char::from_u32).filter(|one| kind(*one) == kind(character)).collect();
    near.get(chance.below(near.len())).copied().unwrap_or(character)
}

/// Another emoji for an emoji; other characters that are of no word remain.
fn other_picture(character: char, seed: u64) -> char {
    match character {
        // Colours of skin, and the letters of flags.
        '\u{1f3fb}'..='\u{1f3ff}' | '\u{1f1e6}'..='\u{1f1ff}' => character,
        '\u{1f000}'..='\u{1fbff}' => {
            let mut chance = Chance::new(seed, character.encode_utf8(&mut [0; 4]), 0);
            within(0x1f400, 0xf0, &mut chance)
        }
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn anonymizer(seed: u64, original: &str) -> Anonymizer {
        let mut originals = Originals::default();
        originals.add(&json!(original));
        Anonymizer::new(seed, originals)
    }

    #[test]
    fn words_keep_length_script_case_and_what_is_around_them() {
        let text = "Hello, WORLD-42! straße Ελλάδα Привет 漢字 한국 שלום";
        let drawn = anonymizer(0, text).text(text);
        assert_eq!(drawn.chars().count(), text.chars().count());
        for (old, new) in text.chars().zip(drawn.chars()) {
            assert_eq!(old.is_alphanumeric(), new.is_alphanumeric(), "{drawn}");
            assert_eq!((old.is_uppercase(), old.is_numeric()), (new.is_uppercase(), new.is_numeric()), "{drawn}");
            assert!(old.is_alphanumeric() || old == new, "{drawn}");
            assert_eq!(old.len_utf8(), new.len_utf8(), "{drawn}");
        }
    }

    #[test]
    fn no_word_remains_not_even_within_another_one() {
        let text = "the quick brown fox jumps over the lazy dog while seven wizards box quietly";
        let drawn = anonymizer(3, text).text(text);
        for word in text.split(' ') {
            assert!(!drawn.contains(word), "{word} in {drawn}");
        }
    }

    #[test]
    fn a_word_is_drawn_alike_whatever_its_case_and_another_word_otherwise() {
        let anonymizer = anonymizer(0, "");
        assert_eq!(anonymizer.text("release").to_uppercase(), anonymizer.text("RELEASE"));
        assert_ne!(anonymizer.text("release"), anonymizer.text("rebuild"));
        let singles: HashSet<String> =
            "abcdefghijklmnopqrstuvwxyz".chars().map(|one| anonymizer.text(&one.to_string())).collect();
        assert!(singles.len() > 20, "{singles:?}");
    }

    #[test]
    fn words_follow_from_the_seed() {
        assert_eq!(anonymizer(1, "").text("some words"), anonymizer(1, "").text("some words"));
        assert_ne!(anonymizer(1, "").text("some words"), anonymizer(2, "").text("some words"));
        assert_ne!(anonymizer(1, "").salted("name", 1), anonymizer(1, "").text("name"));
    }

    #[test]
    fn emoji_become_other_emoji() {
        let drawn = anonymizer(0, "").text("🎉 👍🏽");
        assert!(!drawn.contains('🎉') && !drawn.contains('👍') && drawn.contains('🏽'), "{drawn}");
    }
}
