//! Tables of languages: the text in which they are written, and what becomes of it.
//!
//! A line of a table is one of these; columns are divided by tabs.
//!
//! | line | means |
//! |---|---|
//! | `# …` | nothing |
//! | `$ NAME PATTERN` | `%NAME%` means the pattern below |
//! | `! FROM TO WORD …` | a token of class FROM that is one of the words is of class TO |
//! | `= STATE` | the rules of a state follow, to be tried in this order |
//! | `& STATE …` | the rules of other states are tried here |
//! | `CLASSES PATTERN NEXT CONDITION …` | a rule |
//!
//! CLASSES: one for the whole match, or one per group, divided by commas. `-` is text without a class, `~` is left out,
//! `w+339` is of class `w` from feature level 339 on and has none before, as the highlighter of that time had it,
//! `@LANGUAGE/STATE` is code of another language, `@` of the same, `>` is looked at and read again by the next rule.
//!
//! PATTERN: a regular expression, or `words` and words that must be whole; lines that begin with a tab continue them.
//!
//! NEXT: `-`, `pop`, `pop2`, `again` (the same state once more) or states to enter, the last one on top.
//!
//! CONDITION: see [`Condition`].

use super::indentation::Indent;
use super::matcher::{Fault, Matcher, Notation};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

type Words = HashSet<&'static str, foldhash::fast::FixedState>;

/// What a table says of one language.
#[derive(Debug)]
pub(super) struct Language {
    /// The first is where a text begins.
    pub states: Vec<State>,
    names: HashMap<&'static str, usize, foldhash::fast::FixedState>,
    pub renamings: Vec<Renaming>,
    /// Whether words are looked up in lower case.
    pub folds_case: bool,
}

/// Words whose class is another one.
#[derive(Debug)]
pub(super) struct Renaming {
    pub from: &'static str,
    pub to: &'static str,
    pub words: Words,
}

/// Rules, in the order in which they are tried.
#[derive(Debug, Default)]
pub(super) struct State {
    pub steps: Vec<Step>,
}

/// Rules that are tried at once.
#[derive(Debug)]
pub(super) enum Step {
    /// Whole words.
    Words(Words, Rule),
    /// The first rule whose pattern matches. One that has conditions is alone.
    Patterns { matcher: Matcher, rules: Vec<Rule> },
}

/// What to do with a match.
#[derive(Debug)]
pub(super) struct Rule {
    pub classes: Vec<Class>,
    pub next: Vec<Next>,
    pub conditions: Vec<Condition>,
}

/// What becomes of a group of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Text of a CSS class, empty for none.
    Named(&'static str),
    /// Text of a CSS class from a feature level on, before of none.
    Later { class: &'static str, since: i64 },
    /// Not shown.
    Dropped,
    /// Looked at alone.
    Ahead,
    /// Code of a language, empty for the same one, from a state, empty for the first.
    Code { language: &'static str, state: &'static str },
}

/// Which state follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Pop,
    Again,
    Enter(usize),
}

/// What a match must fulfil besides its pattern.
#[derive(Debug)]
pub(super) enum Condition {
    /// `after CHARACTERS`: one of them is before it.
    After(&'static str),
    /// `not-after CHARACTERS`: none of them is before it. `\w` means those of words.
    NotAfter(&'static str),
    /// `not-here PATTERN`: does not match where it begins.
    NotHere(Matcher),
    /// `ahead PATTERN`: follows it.
    Ahead(Matcher),
    /// `not-ahead PATTERN`: does not follow it.
    NotAhead(Matcher),
    /// `until TEXT`: the match goes on through this text, in which `\1` means the first group. The last class is for it.
    Until(&'static str),
    /// `quoted CHARACTER`: the match goes on through this character, unless a backslash is before it.
    Quoted(u8),
    /// `quoted-line CHARACTER`: the same, within the line.
    QuotedLine(u8),
    /// `until-name`: the match goes on to the next place where the first group is. If there is none, to the next
    /// where its beginning is, which may be in itself.
    UntilName,
    /// `indent …`: it says something of the indentation.
    Indent(Indent),
}

/// A rule as it is in a table.
#[derive(Clone)]
struct Row {
    pattern: &'static str,
    more_words: Vec<&'static str>,
    classes: &'static str,
    next: &'static str,
    conditions: Vec<&'static str>,
}

enum Line {
    Rule(Row),
    Include(&'static str),
}

impl Language {
    /// Reads tables. The rules of a state that several have are those of the first of them, then those of the next.
    pub(super) fn read(tables: &[&'static str], folds_case: bool) -> Result<Self, Fault> {
        let mut macros = Vec::new();
        let mut renamings = Vec::new();
        let mut states: Vec<(&'static str, Vec<Line>)> = Vec::new();
        let mut current = 0;
        let lines = tables.iter().flat_map(|table| table.lines());
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let (head, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            match head {
                "$" => macros.push(rest.split_once(' ').ok_or_else(|| Fault(line.to_owned()))?),
                "!" => {
                    let mut words = rest.split_ascii_whitespace();
                    let (Some(from), Some(to)) = (words.next(), words.next()) else {
                        return Err(Fault(line.to_owned()));
                    };
                    renamings.push(Renaming { from, to, words: words.collect() });
                }
                "=" => {
                    current = states.iter().position(|(name, _)| *name == rest).unwrap_or(states.len());
                    if current == states.len() {
                        states.push((rest, Vec::new()));
                    }
                }
                _ => {
                    let (_, lines) = states.get_mut(current).ok_or_else(|| Fault(line.to_owned()))?;
                    match (head, lines.last_mut()) {
                        ("", Some(Line::Rule(row))) => row.more_words.push(rest),
                        ("&", _) => lines.extend(rest.split(' ').map(Line::Include)),
                        _ => lines.push(Line::Rule(Row::read(line).ok_or_else(|| Fault(line.to_owned()))?)),
                    }
                }
            }
        }
        let names = states.iter().enumerate().map(|(index, (name, _))| (*name, index)).collect();
        let notation = Arc::new(Notation { macros, folds_case });
        let mut language = Self { states: Vec::new(), names, renamings, folds_case };
        for (_, lines) in &states {
            let mut state = State::default();
            language.add(&mut state, lines, &states, &notation, 0)?;
            language.states.push(state);
        }
        Ok(language)
    }

    /// The index of a state, the first for an empty name.
    pub(super) fn state(&self, name: &str) -> Option<usize> {
        if name.is_empty() { Some(0) } else { self.names.get(name).copied() }
    }

    fn add(
        &self,
        state: &mut State,
        lines: &[Line],
        states: &[(&'static str, Vec<Line>)],
        notation: &Arc<Notation>,
        depth: usize,
    ) -> Result<(), Fault> {
        for line in lines {
            match line {
                Line::Include(name) if depth < 8 => {
                    let index = self.state(name).ok_or_else(|| Fault((*name).to_owned()))?;
                    self.add(state, &states[index].1, states, notation, depth + 1)?;
                }
                Line::Include(name) => return Err(Fault((*name).to_owned())),
                Line::Rule(row) => self.add_rule(state, row, notation)?,
            }
        }
        Ok(())
    }

    fn add_rule(&self, state: &mut State, row: &Row, notation: &Arc<Notation>) -> Result<(), Fault> {
        let conditions = row.conditions.iter().map(|text| Condition::read(text, notation)).collect::<Result<_, _>>()?;
        let rule = Rule {
            classes: row.classes.split(',').map(Class::read).collect(),
            next: row.next.split(' ').map(|name| self.next(name)).collect::<Result<Vec<_>, _>>()?.concat(),
            conditions,
        };
        if let Some(words) = row.pattern.strip_prefix("words ") {
            let words = row.more_words.iter().flat_map(|line| line.split(' ')).chain(words.split(' '));
            state.steps.push(Step::Words(words.collect(), rule));
            return Ok(());
        }
        match state.steps.last_mut() {
            Some(Step::Patterns { matcher, rules })
                if rule.conditions.is_empty() && rules.iter().all(|rule| rule.conditions.is_empty()) =>
            {
                matcher.push(row.pattern);
                rules.push(rule);
            }
            _ => state.steps.push(Step::Patterns { matcher: Matcher::new(row.pattern, notation), rules: vec![rule] }),
        }
        Ok(())
    }

    fn next(&self, name: &'static str) -> Result<Vec<Next>, Fault> {
        Ok(match name {
            "-" => Vec::new(),
            "pop" => vec![Next::Pop],
            "pop2" => vec![Next::Pop, Next::Pop],
            "again" => vec![Next::Again],
            name => vec![Next::Enter(self.state(name).ok_or_else(|| Fault((*name).to_owned()))?)],
        })
    }
}

impl Rule {
    /// What it says of the indentation.
    pub(super) fn indent(&self) -> Option<Indent> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::Indent(indent) => Some(*indent),
            _ => None,
        })
    }
}

impl Row {
    fn read(line: &'static str) -> Option<Self> {
        let mut columns = line.split('\t');
        Some(Self {
            classes: columns.next()?,
            pattern: columns.next()?,
            more_words: Vec::new(),
            next: columns.next().unwrap_or("-"),
            conditions: columns.collect(),
        })
    }
}

impl Class {
    fn read(text: &'static str) -> Self {
        match text {
            "-" => Self::Named(""),
            "~" => Self::Dropped,
            ">" => Self::Ahead,
            text => match text.strip_prefix('@') {
                Some(code) => {
                    let (language, state) = code.split_once('/').unwrap_or((code, ""));
                    Self::Code { language, state }
                }
                None => match text.split_once('+') {
                    Some((class, since)) => Self::Later { class, since: since.parse().unwrap_or(i64::MAX) },
                    None => Self::Named(text),
                },
            },
        }
    }
}

impl Condition {
    fn read(text: &'static str, notation: &Arc<Notation>) -> Result<Self, Fault> {
        let (kind, argument) = text.split_once(' ').unwrap_or((text, ""));
        let character = || argument.bytes().next().ok_or_else(|| Fault(text.to_owned()));
        Ok(match kind {
            "after" => Self::After(argument),
            "not-after" => Self::NotAfter(argument),
            "not-here" => Self::NotHere(Matcher::new(argument, notation)),
            "ahead" => Self::Ahead(Matcher::new(argument, notation)),
            "not-ahead" => Self::NotAhead(Matcher::new(argument, notation)),
            "until" => Self::Until(argument),
            "quoted" => Self::Quoted(character()?),
            "quoted-line" => Self::QuotedLine(character()?),
            "until-name" => Self::UntilName,
            "indent" => Self::Indent(Indent::read(argument).ok_or_else(|| Fault(text.to_owned()))?),
            _ => return Err(Fault(text.to_owned())),
        })
    }
}
