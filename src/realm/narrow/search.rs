//! Full-text search: splits texts into words, and reduces words to stems that are compared (A-271 in
//! docs/assumptions.md).

use crate::realm::message::Message;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

/// Words that are too common to search for, including single letters.
pub static STOP_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| COMMON_WORDS.split(' ').collect());

const COMMON_WORDS: &str = "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her \
    hers herself it its itself they them their theirs themselves what which who whom this that these \
    those am is are was were be been being have has had having do does did doing a an the and but if or \
    because as until while of at by for with about against between into through during before after \
    above below to from up down in out on off over under again further then once here there when where \
    why how all any both each few more most other some such no nor not only own same so than too very s \
    t can will just don should now b c d e f g h j k l m n o p q r u v w x y z";

/// A search query. A message must have all words and all phrases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// The stems of the words.
    stems: BTreeSet<String>,
    /// In lower case.
    phrases: Vec<String>,
}

impl Search {
    /// Parses a query. Text in double quotes is a phrase, and its words are searched for too.
    pub fn parse(text: &str) -> Self {
        let lowercase = text.to_lowercase();
        let mut stems = BTreeSet::new();
        for_each_word(&replace_tags(&lowercase), &mut |_, word, _| _ = stems.insert(word.into_owned()));
        let phrases = lowercase.split('"').skip(1).step_by(2).filter(|phrase| !phrase.is_empty()).map(str::to_owned);
        Self { stems, phrases: phrases.collect() }
    }

    /// The number of different stems plus the number of phrases.
    pub fn word_and_phrase_count(&self) -> usize {
        self.stems.len() + self.phrases.len()
    }

    /// Whether a message has all words in its visible text or topic, and all phrases in its Markdown or topic. A query
    /// with only stop words finds nothing.
    pub fn matches(&self, message: &Message) -> bool {
        if self.stems.is_empty() {
            return false;
        }
        let topic = message.channel_and_topic().map(|(_, topic)| topic.to_lowercase()).unwrap_or_default();
        let content = || message.body.content.to_lowercase();
        let text = message.body.visible_text().to_lowercase();
        let mut found_words = BTreeSet::new();
        for text in [&text, &topic] {
            for_each_word(text, &mut |_, word, _| found_words.extend(self.stems.get(&*word)));
        }
        found_words.len() == self.stems.len()
            && (self.phrases.is_empty()
                || self.phrases.iter().all(|phrase| topic.contains(phrase) || content().contains(phrase)))
    }

    /// The byte ranges of the query's words in a text in lower case, from left to right. Of a word with hyphens, only
    /// the parts are included.
    pub fn match_ranges(&self, lowercase: &str) -> Vec<Range<usize>> {
        let mut ranges: BTreeMap<usize, usize> = BTreeMap::new();
        for_each_word(lowercase, &mut |range, word, kind| {
            if kind == WordKind::Single && self.stems.contains(&*word) {
                let end = ranges.entry(range.start).or_insert(range.end);
                *end = range.end.max(*end);
            }
        });
        let mut merged_ranges: Vec<Range<usize>> = Vec::new();
        for (start, end) in ranges {
            match merged_ranges.last_mut() {
                Some(last) if start < last.end => last.end = last.end.max(end),
                _ => merged_ranges.push(start..end),
            }
        }
        merged_ranges
    }

    /// Combines two searches into one that requires both.
    #[must_use]
    pub fn combine(mut self, other: &Self) -> Self {
        self.stems.extend(other.stems.iter().cloned());
        self.phrases.extend(other.phrases.iter().cloned());
        self
    }
}

/// Replaces what looks like an HTML tag in a query with a space. Messages are searched by their visible text, which has
/// no tags.
fn replace_tags(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some(start) = remaining.find('<') {
        let Some(end) = remaining[start..].find('>').map(|end| start + end) else { break };
        result.push_str(&remaining[..start]);
        result.push(' ');
        remaining = &remaining[end + 1..];
    }
    result.push_str(remaining);
    result
}

/// A compound is a word with hyphens; its parts are words too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordKind {
    Single,
    Compound,
}

/// Calls `emit` with the byte range and the stem of each word of a text in lower case. URLs, email addresses and
/// decimal numbers are not stemmed; stop words are left out. A word with hyphens is emitted as a compound and in its
/// parts. A URL with a path is emitted as a whole, with the range of its host, and also as its host and its path.
fn for_each_word<'t>(text: &'t str, emit: &mut impl FnMut(Range<usize>, Cow<'t, str>, WordKind)) {
    let mut start = None;
    for (index, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, character.is_whitespace()) {
            (None, false) => start = Some(index),
            (Some(word_start), true) => {
                for_each_word_of_piece(text, word_start..index, emit);
                start = None;
            }
            _ => {}
        }
    }
}

/// Like [`for_each_word`], for a part of the text without white space.
fn for_each_word_of_piece<'t>(
    text: &'t str,
    range: Range<usize>,
    emit: &mut impl FnMut(Range<usize>, Cow<'t, str>, WordKind),
) {
    let piece = &text[range.clone()];
    // A slash at the end is part of a URL's path.
    let trimmed = piece.trim_matches(|character: char| !character.is_alphanumeric() && character != '/');
    let trimmed = trimmed.trim_start_matches('/');
    // `trimmed` is a part of `piece`.
    let word_start = range.start + (trimmed.as_ptr() as usize - piece.as_ptr() as usize);
    let word_range = word_start..word_start + trimmed.len();
    let (url_without_scheme, offset) = match trimmed.split_once("://") {
        Some((_, url_without_scheme)) => (url_without_scheme, trimmed.len() - url_without_scheme.len()),
        None => (trimmed, 0),
    };
    if is_host(url_without_scheme.split('/').next().unwrap_or_default()) {
        let (url_start, url_end) = (word_start + offset, word_start + trimmed.len());
        let host = url_without_scheme.split('/').next().unwrap_or_default();
        let path = url_start + host.len()..url_end;
        emit(url_start..path.start, url_without_scheme.into(), WordKind::Single);
        if !path.is_empty() {
            emit(url_start..path.start, host.into(), WordKind::Single);
            emit(path.clone(), text[path].into(), WordKind::Single);
        }
        return;
    }
    if trimmed.split_once('@').is_some_and(|(name, host)| is_alphanumeric_or(name, "._-+") && is_host(host)) {
        emit(word_range, trimmed.into(), WordKind::Single);
        return;
    }
    if trimmed
        .split_once('.')
        .is_some_and(|(integer, fraction)| [integer, fraction].iter().all(|digits| is_number(digits)))
    {
        emit(word_range, trimmed.into(), WordKind::Single);
        return;
    }
    let mut compound: Option<Range<usize>> = None;
    let mut position = word_range.start;
    for part in trimmed.split(|character: char| !character.is_alphanumeric()) {
        let range = position..position + part.len();
        let separator = text[range.end..].chars().next();
        position = range.end + separator.map_or(0, char::len_utf8);
        let previous_parts = compound.take();
        if part.is_empty() {
            continue;
        }
        if !STOP_WORDS.contains(part) {
            emit(range.clone(), stem(part), WordKind::Single);
        }
        let compound_start = previous_parts.map_or(range.start, |parts| parts.start);
        let is_followed_by_part = separator == Some('-') && range.end < word_range.end;
        if is_followed_by_part {
            compound = Some(compound_start..range.end);
        } else if compound_start < range.start {
            emit(compound_start..range.end, stem(&text[compound_start..range.end]), WordKind::Compound);
        }
    }
}

/// Whether a text looks like a host name: labels separated by full stops, with a letter in one of them.
fn is_host(text: &str) -> bool {
    text.contains('.')
        && text.split('.').all(|part| is_alphanumeric_or(part, "-"))
        && text.chars().any(|character| character.is_alphabetic())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text is not empty and has only letters, digits and `other_characters`.
fn is_alphanumeric_or(text: &str, other_characters: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|character| character.is_alphanumeric() || other_characters.contains(character))
}

/// Removes the endings of the plural, the past tense and the continuous form, and a final `e`; `ies` and `ied` become
/// `y`. A word with digits or with letters that are not ASCII stays as it is.
fn stem(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.into();
    }
    let strip_ending =
        |ending: &str, min_length: usize| word.strip_suffix(ending).filter(|stem| stem.len() >= min_length);
    let stem = if let Some(stem) = strip_ending("ies", 2).or_else(|| strip_ending("ied", 2)) {
        return format!("{stem}y").into();
    } else if let Some(stem) = strip_ending("ing", 3).or_else(|| strip_ending("ed", 3)) {
        stem
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word
    } else if let Some(stem) = strip_ending("es", 2).filter(|stem| stem.ends_with(['s', 'x', 'z', 'h'])) {
        stem
    } else {
        strip_ending("s", 2).unwrap_or(word)
    };
    match stem.strip_suffix('e') {
        Some(shorter) if shorter.len() >= 3 => shorter.into(),
        _ => stem.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Search, for_each_word, stem};

    fn words_of(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_word(text, &mut |_, word, _| words.push(word.into_owned()));
        words
    }

    #[test]
    fn words_with_different_endings_have_the_same_stem() {
        for (word, other) in
            [("run", "runs"), ("apple", "apples"), ("edit", "edited"), ("code", "coding"), ("try", "tries")]
        {
            assert_eq!(stem(word), stem(other), "{word} {other}");
        }
        for (word, other) in [("run", "running"), ("en", "end"), ("the", "them"), ("pass", "pas")] {
            assert_ne!(stem(word), stem(other), "{word} {other}");
        }
    }

    #[test]
    fn addresses_are_words_but_stop_words_are_not() {
        assert_eq!(words_of("the C++ code of me@x.org".to_lowercase().as_str()), ["cod", "me@x.org"]);
        assert_eq!(words_of("see https://example.com/path."), ["see", "example.com/path", "example.com", "/path"]);
        assert_eq!(
            words_of("half-baked, foo_bar (node.js) 10.5"),
            ["half", "bak", "half-bak", "foo", "bar", "node.js", "10.5"]
        );
        assert!(words_of("don't a&b - -- / // ://").is_empty());
    }

    #[test]
    fn match_ranges_are_those_of_words() {
        assert!(Search::parse("\"the\"").match_ranges("the end").is_empty());
        assert_eq!(Search::parse("Runs").match_ranges("run, running runs"), [0..3, 13..17]);
        assert_eq!(Search::parse("half-baked").match_ranges("a half-baked idea"), [2..6, 7..12]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_search_panic(text in "[a-c@./:_ \"<>\u{e9}\u{65e5}-]{0,40}") {
            Search::parse(&text).match_ranges(&text);
        }
    }
}
