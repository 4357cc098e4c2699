//! Reading code by the table of its language.

use super::indentation::{Effect, Indentation};
use super::languages;
use super::matcher::Matcher;
use super::table::{Class, Condition, Language, Next, Rule, Step};
use memchr::memmem;
use regex_automata::{Anchored, Input, Span};
use std::collections::HashMap;
use std::ops::Range;

/// Patterns look no further than this, in bytes: a text is read in linear time.
const WINDOW_BYTES: usize = 2_000;
/// No word of a table is as long as this, in bytes.
const WORD_BYTES: usize = 64;
/// How many states are remembered.
const STACK_MAX: usize = 200;
/// How deep code is in code.
const DEPTH_MAX: usize = 5;
/// Rules that may follow each other at one place.
const STANDSTILL_MAX: usize = 50;

/// A piece of code. The class is a CSS class, empty for none.
pub(super) struct Token<'t> {
    pub class: &'static str,
    pub text: &'t str,
}

/// The pieces of code as a feature level has them, which together are the text.
pub(super) fn tokens<'t>(language: &'static Language, text: &'t str, level: i64) -> Vec<Token<'t>> {
    tokens_by(language, text, level, text.is_ascii())
}

/// The pieces of code by patterns that know the letters of ASCII alone, or all.
pub(super) fn tokens_by<'t>(language: &'static Language, text: &'t str, level: i64, is_ascii: bool) -> Vec<Token<'t>> {
    let mut out = Vec::new();
    Lexer::new(language, text, level, is_ascii, 0).run(0, &mut out);
    out
}

struct Lexer<'t> {
    language: &'static Language,
    text: &'t str,
    level: i64,
    is_ascii: bool,
    depth: usize,
    indentation: Indentation,
    /// Ends of lines and texts before which no further match of `until` and `quoted` ends, by what is looked for.
    unclosed: HashMap<String, usize, foldhash::fast::FixedState>,
}

struct Match<'r> {
    rule: &'r Rule,
    /// Groups if the rule has a class for each, else the whole alone.
    groups: Vec<Option<Range<usize>>>,
    end: usize,
}

impl<'t> Lexer<'t> {
    fn new(language: &'static Language, text: &'t str, level: i64, is_ascii: bool, depth: usize) -> Self {
        let indentation = Indentation::default();
        Self { language, text, level, is_ascii, depth, indentation, unclosed: HashMap::default() }
    }

    fn run(&mut self, state: usize, out: &mut Vec<Token<'t>>) {
        let language = self.language;
        let mut stack = vec![0, state];
        stack.dedup();
        let mut at = 0;
        let mut standstill = 0;
        while let Some(character) = self.text[at..].chars().next() {
            let state = stack.last().copied().unwrap_or(0);
            let found = language.states[state].steps.iter().find_map(|step| self.matched(step, at));
            let Some(found) = found.filter(|_| standstill < STANDSTILL_MAX) else {
                let end = at + character.len_utf8();
                if character == '\n' {
                    stack = vec![0];
                }
                self.emit(if character == '\n' { "w" } else { "err" }, at..end, out);
                at = end;
                standstill = 0;
                continue;
            };
            let end = self.emit_match(&found, at, &mut stack, out);
            for next in &found.rule.next {
                match next {
                    Next::Pop if stack.len() > 1 => drop(stack.pop()),
                    Next::Pop => {}
                    Next::Again => stack.push(state),
                    Next::Enter(state) => stack.push(*state),
                }
            }
            if stack.len() > STACK_MAX {
                stack.remove(0);
            }
            standstill = if end == at { standstill + 1 } else { 0 };
            at = end;
        }
    }

    /// Says where the text goes on.
    fn emit_match(&mut self, found: &Match<'_>, at: usize, stack: &mut Vec<usize>, out: &mut Vec<Token<'t>>) -> usize {
        let effect = found.rule.indent().map(|indent| self.indentation.apply(indent, &self.text[at..found.end]));
        match (effect, found.rule.classes.first()) {
            (Some(Effect::Leave), _) => {
                stack.truncate(stack.len().saturating_sub(2).max(1));
                return at;
            }
            (Some(Effect::Divided(length, second)), Some(Class::Named(first))) => {
                self.emit(first, at..at + length, out);
                self.emit(second, at + length..found.end, out);
            }
            _ => {
                for (class, range) in found.rule.classes.iter().zip(&found.groups) {
                    if let Some(range) = range.clone().filter(|range| !range.is_empty()) {
                        self.emit_class(*class, range, out);
                    }
                }
            }
        }
        found.end
    }

    fn emit_class(&mut self, class: Class, range: Range<usize>, out: &mut Vec<Token<'t>>) {
        match class {
            Class::Named(class) => self.emit(class, range, out),
            Class::Later { class, since } => self.emit(if self.level >= since { class } else { "" }, range, out),
            Class::Dropped | Class::Ahead => {}
            Class::Code { language, state } => {
                let inner = if language.is_empty() { Some(self.language) } else { languages::table(language) };
                let text = &self.text[range.clone()];
                match inner.and_then(|inner| Some((inner, inner.state(state)?))) {
                    Some((inner, state)) if self.depth < DEPTH_MAX => {
                        Self::new(inner, text, self.level, self.is_ascii, self.depth + 1).run(state, out);
                    }
                    _ => self.emit("", range, out),
                }
            }
        }
    }

    fn emit(&self, class: &'static str, range: Range<usize>, out: &mut Vec<Token<'t>>) {
        let text = &self.text[range];
        let renamed = self.language.renamings.iter().find(|it| it.from == class && it.words.contains(text));
        out.push(Token { class: renamed.map_or(class, |it| it.to), text });
    }

    fn matched<'r>(&mut self, step: &'r Step, at: usize) -> Option<Match<'r>> {
        match step {
            Step::Words(words, rule) => {
                let rest = &self.text[at..self.text.floor_char_boundary(at + WORD_BYTES)];
                let end = rest.find(|character| !is_in_word(character)).unwrap_or(rest.len());
                let word = &rest[..end];
                let known = if self.language.folds_case {
                    words.contains(word.to_ascii_lowercase().as_str())
                } else {
                    words.contains(word)
                };
                let whole = Some(at..at + end);
                (known && self.fits_before(rule, at)).then(|| Match { rule, groups: vec![whole], end: at + end })
            }
            Step::Patterns { matcher, rules } => {
                if let [rule] = &rules[..]
                    && !self.fits_before(rule, at)
                {
                    return None;
                }
                self.searched(matcher, rules, at)
            }
        }
    }

    fn searched<'r>(&mut self, matcher: &Matcher, rules: &'r [Rule], at: usize) -> Option<Match<'r>> {
        let regex = matcher.regex(self.is_ascii)?;
        let found = regex.search(&self.input(at).anchored(Anchored::Yes))?;
        let rule = &rules[found.pattern().as_usize()];
        let is_plain = rule.classes.len() == 1 && rule.conditions.is_empty();
        let mut groups = vec![Some(found.range())];
        if !is_plain {
            let mut captures = regex.create_captures();
            let input = Input::new(self.text).span(Span { start: at, end: found.end() });
            regex.search_captures(&input.anchored(Anchored::Pattern(found.pattern())), &mut captures);
            let spans = captures.iter().skip(1).map(|span| span.map(|span| span.range()));
            if captures.group_len() > 1 {
                groups = spans.collect();
            }
        }
        let mut end = self.fits(rule, &mut groups, found.end())?;
        if let (Some(Class::Ahead), Some(Some(ahead))) = (rule.classes.last(), groups.last()) {
            end = ahead.start;
        }
        if rule.classes.len() == 1 {
            groups = vec![Some(at..end)];
        }
        Some(Match { rule, groups, end })
    }

    /// The text from here as far as patterns look.
    fn input(&self, at: usize) -> Input<'t> {
        let end = self.text.floor_char_boundary(at + WINDOW_BYTES);
        Input::new(self.text).span(Span { start: at, end })
    }

    fn is_match(&self, matcher: &Matcher, at: usize) -> bool {
        matcher.regex(self.is_ascii).is_some_and(|regex| regex.is_match(self.input(at).anchored(Anchored::Yes)))
    }

    /// Whether what is before a match is as its rule wants it.
    fn fits_before(&self, rule: &Rule, at: usize) -> bool {
        let before = self.text[..at].chars().next_back();
        rule.conditions.iter().all(|condition| match condition {
            Condition::After(r"\w") => before.is_some_and(is_in_word),
            Condition::After(set) => before.is_some_and(|before| set.contains(before)),
            Condition::NotAfter(r"\w") => !before.is_some_and(is_in_word),
            Condition::NotAfter(set) => !before.is_some_and(|before| set.contains(before)),
            Condition::NotHere(matcher) => !self.is_match(matcher, at),
            _ => true,
        })
    }

    /// Where a match ends, if what follows is as its rule wants it.
    fn fits(&mut self, rule: &Rule, groups: &mut Vec<Option<Range<usize>>>, end: usize) -> Option<usize> {
        let mut end = end;
        for condition in &rule.conditions {
            let start = end;
            match condition {
                Condition::After(_) | Condition::NotAfter(_) | Condition::NotHere(_) | Condition::Indent(_) => continue,
                Condition::Ahead(matcher) if self.is_match(matcher, end) => continue,
                Condition::NotAhead(matcher) if !self.is_match(matcher, end) => continue,
                Condition::Ahead(_) | Condition::NotAhead(_) => return None,
                Condition::Until(text) => {
                    let mut text = (*text).to_owned();
                    for (index, group) in groups.iter().enumerate() {
                        let group = group.clone().map_or("", |range| &self.text[range]);
                        text = text.replace(&format!("\\{}", index + 1), group);
                    }
                    end = self.after_text(end, text)?;
                }
                Condition::UntilName => end = self.after_name(groups.first()?.clone()?)?,
                Condition::Quoted(quote) => end = self.after_quote(end, *quote, false)?,
                Condition::QuotedLine(quote) => end = self.after_quote(end, *quote, true)?,
            }
            groups.push(Some(start..end));
        }
        Some(end)
    }

    fn after_text(&mut self, from: usize, text: String) -> Option<usize> {
        if self.unclosed.get(&text).is_some_and(|&end| from < end) {
            return None;
        }
        let found = memmem::find(&self.text.as_bytes()[from..], text.as_bytes());
        let length = text.len();
        if found.is_none() {
            self.unclosed.insert(text, self.text.len());
        }
        Some(from + found? + length)
    }

    fn after_name(&mut self, name: Range<usize>) -> Option<usize> {
        let lengths = self.text[name.clone()].char_indices().map(|(at, character)| at + character.len_utf8());
        let lengths = lengths.collect::<Vec<_>>();
        lengths.into_iter().rev().find_map(|length| {
            let behind = name.start + length;
            let first = self.text[behind..].chars().next()?;
            self.after_text(behind + first.len_utf8(), self.text[name.start..behind].to_owned())
        })
    }

    fn after_quote(&mut self, from: usize, quote: u8, in_line: bool) -> Option<usize> {
        let sought = [char::from(quote), if in_line { 'l' } else { 't' }].iter().collect::<String>();
        // A quote is escaped by the backslashes right before it, whichever quote the search begins behind.
        if self.unclosed.get(&sought).is_some_and(|&end| from < end) {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < bytes.len() && !(in_line && bytes[at] == b'\n') {
            match bytes[at] {
                byte if byte == quote => return Some(at + 1),
                b'\\' if !(in_line && bytes.get(at + 1) == Some(&b'\n')) => at += 2,
                _ => at += 1,
            }
        }
        self.unclosed.insert(sought, at);
        None
    }
}

/// Whether a character is of a word, as tables mean it.
fn is_in_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    character.is_alphanumeric()
}
