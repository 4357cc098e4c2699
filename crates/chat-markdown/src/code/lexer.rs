//! Splits code into tokens by the table of its language.

use super::indentation::{Effect, Indentation};
use super::languages;
use super::matcher::Matcher;
use super::table::{Class, Condition, Language, Rule, StackChange, Step};
use memchr::memmem;
use regex_automata::{Anchored, Input, Span};
use std::collections::HashMap;
use std::ops::Range;

/// Maximum length that a pattern matches, in bytes. It makes the time linear in the length of the text.
const MAX_MATCH_BYTES: usize = 2_000;
/// Maximum length of words in tables, in bytes.
const MAX_WORD_BYTES: usize = 64;
/// Maximum number of nested states. If there are more, the outermost is dropped.
const MAX_STATES: usize = 200;
/// Maximum depth of code within code.
const MAX_DEPTH: usize = 5;
/// Maximum number of successive matches without progress.
const MAX_EMPTY_MATCHES: usize = 50;

pub(super) struct Token<'t> {
    /// CSS class; "" for none.
    pub class: &'static str,
    pub text: &'t str,
}

/// The tokens of a text at a feature level. Their concatenated texts are the text without the parts that rules drop.
pub(super) fn tokens<'t>(language: &'static Language, text: &'t str, level: i64) -> Vec<Token<'t>> {
    tokens_with_patterns(language, text, level, text.is_ascii())
}

/// As [`tokens`]; `is_ascii` chooses patterns that only support ASCII, which are compiled faster.
pub(super) fn tokens_with_patterns<'t>(
    language: &'static Language,
    text: &'t str,
    level: i64,
    is_ascii: bool,
) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    Lexer::new(language, text, level, is_ascii, 0).run(0, &mut tokens);
    tokens
}

struct Lexer<'t> {
    language: &'static Language,
    text: &'t str,
    level: i64,
    is_ascii: bool,
    depth: usize,
    indentation: Indentation,
    /// Where failed searches of `until`, `until-name`, `quoted` and `quoted-line` ended, by the text searched for: a
    /// later search that begins before this position fails too. The key of a quote is the quotation mark, and a letter
    /// for searches in a line (`l`) or in the text (`t`).
    unclosed: HashMap<String, usize, foldhash::fast::FixedState>,
}

struct Match<'r> {
    rule: &'r Rule,
    /// The groups if the rule has a class for each, else the whole match.
    groups: Vec<Option<Range<usize>>>,
    end: usize,
}

impl<'t> Lexer<'t> {
    fn new(language: &'static Language, text: &'t str, level: i64, is_ascii: bool, depth: usize) -> Self {
        let indentation = Indentation::default();
        Self { language, text, level, is_ascii, depth, indentation, unclosed: HashMap::default() }
    }

    fn run(&mut self, first_state: usize, tokens: &mut Vec<Token<'t>>) {
        let language = self.language;
        // The initial state is below any other, and only once in the stack.
        let mut stack = vec![0, first_state];
        stack.dedup();
        let mut position = 0;
        let mut empty_matches = 0;
        while let Some(character) = self.text[position..].chars().next() {
            let current_state = stack.last().copied().unwrap_or(0);
            let found_match =
                language.states[current_state].steps.iter().find_map(|step| self.match_step(step, position));
            let Some(found_match) = found_match.filter(|_| empty_matches < MAX_EMPTY_MATCHES) else {
                // Where nothing matches, Pygments starts over in the initial state at a line end, and takes any other
                // character for an error.
                let end = position + character.len_utf8();
                if character == '\n' {
                    stack = vec![0];
                }
                // The classes for white space and for errors.
                self.emit(if character == '\n' { "w" } else { "err" }, position..end, tokens);
                position = end;
                empty_matches = 0;
                continue;
            };
            let end = self.emit_match(&found_match, position, &mut stack, tokens);
            for change in &found_match.rule.next {
                match change {
                    StackChange::Pop if stack.len() > 1 => drop(stack.pop()),
                    StackChange::Pop => {}
                    StackChange::Reenter => stack.push(current_state),
                    StackChange::Enter(state) => stack.push(*state),
                }
            }
            if stack.len() > MAX_STATES {
                stack.remove(0);
            }
            empty_matches = if end == position { empty_matches + 1 } else { 0 };
            position = end;
        }
    }

    /// Emits the tokens of a match, and returns the position after it. If the match ends states by its indentation,
    /// nothing is emitted, and the position stays.
    fn emit_match(
        &mut self,
        found_match: &Match<'_>,
        position: usize,
        stack: &mut Vec<usize>,
        tokens: &mut Vec<Token<'t>>,
    ) -> usize {
        let effect = found_match
            .rule
            .indent_action()
            .map(|indent| self.indentation.apply(indent, &self.text[position..found_match.end]));
        match (effect, found_match.rule.classes.first()) {
            (Some(Effect::Leave), _) => {
                stack.truncate(stack.len().saturating_sub(2).max(1));
                return position;
            }
            (Some(Effect::Divide(length, second)), Some(Class::Named(first))) => {
                self.emit(first, position..position + length, tokens);
                self.emit(second, position + length..found_match.end, tokens);
            }
            _ => {
                for (class, range) in found_match.rule.classes.iter().zip(&found_match.groups) {
                    if let Some(range) = range.clone().filter(|range| !range.is_empty()) {
                        self.emit_class(*class, range, tokens);
                    }
                }
            }
        }
        found_match.end
    }

    fn emit_class(&mut self, class: Class, range: Range<usize>, tokens: &mut Vec<Token<'t>>) {
        match class {
            Class::Named(class) => self.emit(class, range, tokens),
            Class::SinceLevel { class, since } => {
                self.emit(if self.level >= since { class } else { "" }, range, tokens)
            }
            Class::Dropped | Class::Ahead => {}
            Class::Code { language, state: state_name } => {
                let inner = if language.is_empty() { Some(self.language) } else { languages::find_language(language) };
                let text = &self.text[range.clone()];
                match inner.and_then(|inner| Some((inner, inner.state_index(state_name)?))) {
                    Some((inner, state)) if self.depth < MAX_DEPTH => {
                        Self::new(inner, text, self.level, self.is_ascii, self.depth + 1).run(state, tokens);
                    }
                    _ => self.emit("", range, tokens),
                }
            }
        }
    }

    fn emit(&self, class: &'static str, range: Range<usize>, tokens: &mut Vec<Token<'t>>) {
        let text = &self.text[range];
        let renaming =
            self.language.renamings.iter().find(|renaming| renaming.from == class && renaming.words.contains(text));
        tokens.push(Token { class: renaming.map_or(class, |renaming| renaming.to), text });
    }

    fn match_step<'r>(&mut self, step: &'r Step, position: usize) -> Option<Match<'r>> {
        match step {
            Step::Words(words, rule) => {
                let remaining = &self.text[position..self.text.floor_char_boundary(position + MAX_WORD_BYTES)];
                let end = remaining.find(|character| !is_in_word(character)).unwrap_or(remaining.len());
                let word = &remaining[..end];
                let is_known = if self.language.folds_case {
                    words.contains(word.to_ascii_lowercase().as_str())
                } else {
                    words.contains(word)
                };
                let range = Some(position..position + end);
                (is_known && self.matches_before(rule, position)).then(|| Match {
                    rule,
                    groups: vec![range],
                    end: position + end,
                })
            }
            Step::Patterns { matcher, rules } => {
                if let [rule] = &rules[..]
                    && !self.matches_before(rule, position)
                {
                    return None;
                }
                self.match_patterns(matcher, rules, position)
            }
        }
    }

    fn match_patterns<'r>(&mut self, matcher: &Matcher, rules: &'r [Rule], position: usize) -> Option<Match<'r>> {
        let regex = matcher.regex(self.is_ascii)?;
        let pattern_match = regex.search(&self.input(position).anchored(Anchored::Yes))?;
        let rule = &rules[pattern_match.pattern().as_usize()];
        let is_plain = rule.classes.len() == 1 && rule.conditions.is_empty();
        let mut groups = vec![Some(pattern_match.range())];
        if !is_plain {
            let mut captures = regex.create_captures();
            let input = Input::new(self.text).span(Span { start: position, end: pattern_match.end() });
            regex.search_captures(&input.anchored(Anchored::Pattern(pattern_match.pattern())), &mut captures);
            let spans = captures.iter().skip(1).map(|span| span.map(|span| span.range()));
            if captures.group_len() > 1 {
                groups = spans.collect();
            }
        }
        let mut end = self.match_end(rule, &mut groups, pattern_match.end())?;
        if let (Some(Class::Ahead), Some(Some(ahead))) = (rule.classes.last(), groups.last()) {
            end = ahead.start;
        }
        if rule.classes.len() == 1 {
            groups = vec![Some(position..end)];
        }
        Some(Match { rule, groups, end })
    }

    /// The text from a position on, limited to [`MAX_MATCH_BYTES`].
    fn input(&self, position: usize) -> Input<'t> {
        let end = self.text.floor_char_boundary(position + MAX_MATCH_BYTES);
        Input::new(self.text).span(Span { start: position, end })
    }

    fn is_match(&self, matcher: &Matcher, position: usize) -> bool {
        matcher.regex(self.is_ascii).is_some_and(|regex| regex.is_match(self.input(position).anchored(Anchored::Yes)))
    }

    /// Checks the conditions on the text before a match, and `not-here`.
    fn matches_before(&self, rule: &Rule, position: usize) -> bool {
        let before = self.text[..position].chars().next_back();
        rule.conditions.iter().all(|condition| match condition {
            Condition::After(r"\w") => before.is_some_and(is_in_word),
            Condition::After(set) => before.is_some_and(|before| set.contains(before)),
            Condition::NotAfter(r"\w") => !before.is_some_and(is_in_word),
            Condition::NotAfter(set) => !before.is_some_and(|before| set.contains(before)),
            Condition::NotHere(matcher) => !self.is_match(matcher, position),
            _ => true,
        })
    }

    /// Checks the conditions on the text after a match, and returns the end of the match with its extensions, which it
    /// adds to the groups. None: a condition does not hold.
    fn match_end(&mut self, rule: &Rule, groups: &mut Vec<Option<Range<usize>>>, end: usize) -> Option<usize> {
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
                    end = self.find_end_of_text(end, text)?;
                }
                Condition::UntilName => end = self.find_end_of_name(groups.first()?.clone()?)?,
                Condition::Quoted(quote) => end = self.find_end_of_quote(end, *quote, false)?,
                Condition::QuotedLine(quote) => end = self.find_end_of_quote(end, *quote, true)?,
            }
            groups.push(Some(start..end));
        }
        Some(end)
    }

    fn find_end_of_text(&mut self, from: usize, text: String) -> Option<usize> {
        if self.unclosed.get(&text).is_some_and(|&end| from < end) {
            return None;
        }
        let offset = memmem::find(&self.text.as_bytes()[from..], text.as_bytes());
        let length = text.len();
        if offset.is_none() {
            self.unclosed.insert(text, self.text.len());
        }
        Some(from + offset? + length)
    }

    fn find_end_of_name(&mut self, name: Range<usize>) -> Option<usize> {
        let lengths =
            self.text[name.clone()].char_indices().map(|(position, character)| position + character.len_utf8());
        let lengths = lengths.collect::<Vec<_>>();
        lengths.into_iter().rev().find_map(|length| {
            let end = name.start + length;
            // At least one character is between the name and its next occurrence, as in the pattern of Pygments.
            let first = self.text[end..].chars().next()?;
            self.find_end_of_text(end + first.len_utf8(), self.text[name.start..end].to_owned())
        })
    }

    fn find_end_of_quote(&mut self, from: usize, quote: u8, is_single_line: bool) -> Option<usize> {
        let key = [char::from(quote), if is_single_line { 'l' } else { 't' }].iter().collect::<String>();
        // Whether a quote is escaped depends only on the backslashes before it, not on where the search begins.
        if self.unclosed.get(&key).is_some_and(|&end| from < end) {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut position = from;
        while position < bytes.len() && !(is_single_line && bytes[position] == b'\n') {
            match bytes[position] {
                byte if byte == quote => return Some(position + 1),
                b'\\' if !(is_single_line && bytes.get(position + 1) == Some(&b'\n')) => position += 2,
                _ => position += 1,
            }
        }
        self.unclosed.insert(key, position);
        None
    }
}

/// Whether a character belongs to the words of the tables, and to `\w` in the conditions `after` and `not-after`.
fn is_in_word(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric() || character == '_';
    }
    character.is_alphanumeric()
}
