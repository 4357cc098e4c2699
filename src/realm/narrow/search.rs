//! Searching for words: what a text is made of, and which words count as the same (A-271 in docs/assumptions.md).

use crate::realm::message::Message;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

/// Words that are too common to be searched for; single letters are, too.
pub static STOP_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| COMMON.split(' ').collect());

const COMMON: &str = "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her \
    hers herself it its itself they them their theirs themselves what which who whom this that these \
    those am is are was were be been being have has had having do does did doing a an the and but if or \
    because as until while of at by for with about against between into through during before after \
    above below to from up down in out on off over under again further then once here there when where \
    why how all any both each few more most other some such no nor not only own same so than too very s \
    t can will just don should now b c d e f g h j k l m n o p q r u v w x y z";

/// What is searched for: all of the words, and all of the phrases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// In the form in which words are compared.
    words: BTreeSet<String>,
    /// In lower case.
    phrases: Vec<String>,
}

impl Search {
    /// The search for a text: its words, and with them what is in double quotes as phrases.
    pub fn of(text: &str) -> Self {
        let folded = text.to_lowercase();
        let mut words = BTreeSet::new();
        each_word(&without_tags(&folded), &mut |_, word, _| _ = words.insert(word.into_owned()));
        let phrases = folded.split('"').skip(1).step_by(2).filter(|phrase| !phrase.is_empty()).map(str::to_owned);
        Self { words, phrases: phrases.collect() }
    }

    /// How many different words and phrases it has.
    pub fn count(&self) -> usize {
        self.words.len() + self.phrases.len()
    }

    /// Whether a message has all of the words, in its text as it is read or in its topic, and each of the phrases in its
    /// Markdown or in its topic. Without words that can be searched for nothing is found.
    pub fn finds(&self, message: &Message) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let topic = message.channel().map(|(_, topic)| topic.to_lowercase()).unwrap_or_default();
        let content = || message.body.content.to_lowercase();
        let text = message.body.visible_text().to_lowercase();
        let mut found = BTreeSet::new();
        for text in [&text, &topic] {
            each_word(text, &mut |_, word, _| found.extend(self.words.get(&*word)));
        }
        found.len() == self.words.len()
            && (self.phrases.is_empty()
                || self.phrases.iter().all(|phrase| topic.contains(phrase) || content().contains(phrase)))
    }

    /// Where a text in lower case has one of the words, from left to right; of one with hyphens, its parts.
    pub fn marks(&self, folded: &str) -> Vec<Range<usize>> {
        let mut marks: BTreeMap<usize, usize> = BTreeMap::new();
        each_word(folded, &mut |place, word, extent| {
            if extent == Extent::Part && self.words.contains(&*word) {
                let end = marks.entry(place.start).or_insert(place.end);
                *end = place.end.max(*end);
            }
        });
        let mut apart: Vec<Range<usize>> = Vec::new();
        for (start, end) in marks {
            match apart.last_mut() {
                Some(last) if start < last.end => last.end = last.end.max(end),
                _ => apart.push(start..end),
            }
        }
        apart
    }

    /// One search for the words and phrases of several.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.words.extend(other.words.iter().cloned());
        self.phrases.extend(other.phrases.iter().cloned());
        self
    }
}

/// A text without what looks like a tag of HTML.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>').map(|end| start + end) else { break };
        out.push_str(&rest[..start]);
        out.push(' ');
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// Whether a word is looked at by itself, or is made of parts that are words too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Part,
    Whole,
}

/// Gives the words of a text in lower case, in the form in which they are compared, and where they are. Addresses are
/// words; a word with hyphens counts as a whole and in its parts.
fn each_word<'t>(text: &'t str, give: &mut impl FnMut(Range<usize>, Cow<'t, str>, Extent)) {
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, character.is_whitespace()) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                each_word_of(text, from..at, give);
                start = None;
            }
            _ => {}
        }
    }
}

/// Gives the words of a piece of text without white space.
fn each_word_of<'t>(text: &'t str, place: Range<usize>, give: &mut impl FnMut(Range<usize>, Cow<'t, str>, Extent)) {
    let piece = &text[place.clone()];
    let inner = piece.trim_matches(|character: char| !character.is_alphanumeric() && character != '/');
    let inner = inner.trim_start_matches('/');
    let begin = place.start + (inner.as_ptr() as usize - piece.as_ptr() as usize);
    let whole = begin..begin + inner.len();
    let (address, offset) = match inner.split_once("://") {
        Some((_, address)) => (address, inner.len() - address.len()),
        None => (inner, 0),
    };
    if is_host(address.split('/').next().unwrap_or_default()) {
        let (from, end) = (begin + offset, begin + inner.len());
        let host = address.split('/').next().unwrap_or_default();
        let path = from + host.len()..end;
        give(from..path.start, address.into(), Extent::Part);
        if !path.is_empty() {
            give(from..path.start, host.into(), Extent::Part);
            give(path.clone(), text[path].into(), Extent::Part);
        }
        return;
    }
    if inner.split_once('@').is_some_and(|(name, host)| is_plain(name, "._-+") && is_host(host)) {
        give(whole, inner.into(), Extent::Part);
        return;
    }
    if inner.split_once('.').is_some_and(|(whole, part)| [whole, part].iter().all(|digits| is_number(digits))) {
        give(whole, inner.into(), Extent::Part);
        return;
    }
    let mut compound: Option<Range<usize>> = None;
    let mut at = whole.start;
    for part in inner.split(|character: char| !character.is_alphanumeric()) {
        let place = at..at + part.len();
        let behind = text[place.end..].chars().next();
        at = place.end + behind.map_or(0, char::len_utf8);
        let before = compound.take();
        if part.is_empty() {
            continue;
        }
        if !STOP_WORDS.contains(part) {
            give(place.clone(), compared(part), Extent::Part);
        }
        let from = before.map_or(place.start, |before| before.start);
        let goes_on = behind == Some('-') && place.end < whole.end;
        if goes_on {
            compound = Some(from..place.end);
        } else if from < place.start {
            give(from..place.end, compared(&text[from..place.end]), Extent::Whole);
        }
    }
}

/// Whether a text is a name of a host, as far as can be seen: parts with full stops between them, not all of digits.
fn is_host(text: &str) -> bool {
    text.contains('.')
        && text.split('.').all(|part| is_plain(part, "-"))
        && text.chars().any(|character| character.is_alphabetic())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_plain(text: &str, others: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| character.is_alphanumeric() || others.contains(character))
}

/// A word without the endings of the plural, of the past and of the continuous form.
fn compared(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.into();
    }
    let without = |ending: &str, least: usize| word.strip_suffix(ending).filter(|stem| stem.len() >= least);
    let stem = if let Some(stem) = without("ies", 2).or_else(|| without("ied", 2)) {
        return format!("{stem}y").into();
    } else if let Some(stem) = without("ing", 3).or_else(|| without("ed", 3)) {
        stem
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word
    } else if let Some(stem) = without("es", 2).filter(|stem| stem.ends_with(['s', 'x', 'z', 'h'])) {
        stem
    } else {
        without("s", 2).unwrap_or(word)
    };
    match stem.strip_suffix('e') {
        Some(shorter) if shorter.len() >= 3 => shorter.into(),
        _ => stem.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Search, compared, each_word};

    fn found(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        each_word(text, &mut |_, word, _| words.push(word.into_owned()));
        words
    }

    #[test]
    fn words_are_compared_without_their_endings() {
        for (one, other) in
            [("run", "runs"), ("apple", "apples"), ("edit", "edited"), ("code", "coding"), ("try", "tries")]
        {
            assert_eq!(compared(one), compared(other), "{one} {other}");
        }
        for (one, other) in [("run", "running"), ("en", "end"), ("the", "them"), ("pass", "pas")] {
            assert_ne!(compared(one), compared(other), "{one} {other}");
        }
    }

    #[test]
    fn addresses_are_words_and_common_words_are_none() {
        assert_eq!(found("the C++ code of me@x.org".to_lowercase().as_str()), ["cod", "me@x.org"]);
        assert_eq!(found("see https://example.com/path."), ["see", "example.com/path", "example.com", "/path"]);
        assert_eq!(
            found("half-baked, foo_bar (node.js) 10.5"),
            ["half", "bak", "half-bak", "foo", "bar", "node.js", "10.5"]
        );
        assert!(found("don't a&b - -- / // ://").is_empty());
    }

    #[test]
    fn a_search_without_words_has_no_marks() {
        assert!(Search::of("\"the\"").marks("the end").is_empty());
        assert_eq!(Search::of("Runs").marks("run, running runs"), [0..3, 13..17]);
        assert_eq!(Search::of("half-baked").marks("a half-baked idea"), [2..6, 7..12]);
    }

    proptest::proptest! {
        /// Whatever is searched for and wherever.
        #[test]
        fn no_text_panics(text in "[a-c@./:_ \"<>\u{e9}\u{65e5}-]{0,40}") {
            Search::of(&text).marks(&text);
        }
    }
}
