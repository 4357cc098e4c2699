//! Parses language tables: text files with the lexer rules of a language.
//!
//! A line of a table is one of these. Columns are separated by tabs.
//!
//! | line | meaning |
//! |---|---|
//! | `# …` | a comment |
//! | `$ NAME PATTERN` | defines `%NAME%` for the patterns of rules, and for the definitions below |
//! | `! FROM TO WORD …` | tokens of class FROM that are one of the words get class TO |
//! | `= STATE` | the rules of a state follow; they are tried in this order |
//! | `& STATE …` | includes the rules of other states |
//! | `CLASSES PATTERN NEXT CONDITION …` | a rule |
//!
//! CLASSES: one for the whole match, or one per group, separated by commas. `-` is text without a class, `~` is left
//! out, `w+339` has class `w` from feature level 339 on and none before, as in the highlighters of these levels,
//! `@LANGUAGE/STATE` is code of another language, `@` of the same language, `>` is lookahead that the next rule matches
//! again.
//!
//! PATTERN: a regular expression, or `words` and a list of whole words; lines that begin with a tab continue the list.
//!
//! NEXT: changes of the stack of states, in this order and separated by spaces: `-` (none), `pop`, `pop2` (pops two
//! states), `again` (enters the same state again) or a state to enter.
//!
//! CONDITION: see [`Condition`].

use super::indentation::IndentAction;
use super::matcher::{Matcher, Notation, TableError};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum depth of includes. It detects states that include each other.
const MAX_INCLUDE_DEPTH: usize = 8;

type Words = HashSet<&'static str, foldhash::fast::FixedState>;

/// The lexer rules of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// The first one is the initial state.
    pub states: Vec<State>,
    /// Indexes in `states` by name.
    state_indexes: HashMap<&'static str, usize, foldhash::fast::FixedState>,
    pub renamings: Vec<Renaming>,
    /// Whether words are looked up in lower case.
    pub folds_case: bool,
}

/// Changes the class of certain words.
#[derive(Debug)]
pub(super) struct Renaming {
    pub from: &'static str,
    pub to: &'static str,
    pub words: Words,
}

/// A lexer state; its steps are tried in order.
#[derive(Debug, Default)]
pub(super) struct State {
    pub steps: Vec<Step>,
}

/// Rules that are tried together.
#[derive(Debug)]
pub(super) enum Step {
    /// Whole words, to each of which the rule applies.
    Words(Words, Rule),
    /// The first rule whose pattern matches. A rule with conditions is the only one of its step.
    Patterns { matcher: Matcher, rules: Vec<Rule> },
}

#[derive(Debug)]
pub(super) struct Rule {
    pub classes: Vec<Class>,
    pub next: Vec<StackChange>,
    pub conditions: Vec<Condition>,
}

/// How a group of a match is highlighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A CSS class; "" for none.
    Named(&'static str),
    /// A CSS class from a feature level on; no class below it.
    SinceLevel { class: &'static str, since: i64 },
    /// Not part of the highlighted code.
    Dropped,
    /// Lookahead: not part of the match.
    Ahead,
    /// Code of another language, in a state. "" is the same language, or the initial state.
    Code { language: &'static str, state: &'static str },
}

/// A change of the stack of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackChange {
    Pop,
    Reenter,
    Enter(usize),
}

/// A condition on a match in addition to its pattern. Some extend the match; each extension is a further group.
#[derive(Debug)]
pub(super) enum Condition {
    /// `after CHARACTERS`: one of them precedes the match. `\w` alone means word characters.
    After(&'static str),
    /// `not-after CHARACTERS`: none of them precedes the match. `\w` alone means word characters.
    NotAfter(&'static str),
    /// `not-here PATTERN`: the pattern does not match at the start of the match.
    NotHere(Matcher),
    /// `ahead PATTERN`: the pattern follows the match.
    Ahead(Matcher),
    /// `not-ahead PATTERN`: the pattern does not follow the match.
    NotAhead(Matcher),
    /// `until TEXT`: the match extends to the end of the next occurrence of this text, in which `\1` is replaced by the
    /// first group, `\2` by the second, and so on.
    Until(&'static str),
    /// `quoted CHARACTER`: the match extends to the next such character that is not escaped by a backslash.
    Quoted(u8),
    /// `quoted-line CHARACTER`: as `quoted`, within the line.
    QuotedLine(u8),
    /// `until-name`: the match extends to the next occurrence of the first group or, if there is none, of its longest
    /// prefix that occurs again.
    UntilName,
    /// `indent …`: the match changes the indentation.
    Indent(IndentAction),
}

/// The columns of a rule.
#[derive(Clone)]
struct Row {
    pattern: &'static str,
    continuation_lines: Vec<&'static str>,
    classes: &'static str,
    next: &'static str,
    conditions: Vec<&'static str>,
}

enum Line {
    Rule(Row),
    Include(&'static str),
}

impl Language {
    /// Parses tables. If several tables have the same state, its rules are in the order of the tables.
    pub(super) fn parse(tables: &[&'static str], folds_case: bool) -> Result<Self, TableError> {
        let mut macros = Vec::new();
        let mut renamings = Vec::new();
        let mut states: Vec<(&'static str, Vec<Line>)> = Vec::new();
        let mut current_state = 0;
        let lines = tables.iter().flat_map(|table| table.lines());
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let (keyword, arguments) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            match keyword {
                "$" => macros.push(arguments.split_once(' ').ok_or_else(|| TableError(line.to_owned()))?),
                "!" => {
                    let mut words = arguments.split_ascii_whitespace();
                    let (Some(from), Some(to)) = (words.next(), words.next()) else {
                        return Err(TableError(line.to_owned()));
                    };
                    renamings.push(Renaming { from, to, words: words.collect() });
                }
                "=" => {
                    current_state = states.iter().position(|(name, _)| *name == arguments).unwrap_or(states.len());
                    if current_state == states.len() {
                        states.push((arguments, Vec::new()));
                    }
                }
                _ => {
                    let (_, state_lines) = states.get_mut(current_state).ok_or_else(|| TableError(line.to_owned()))?;
                    match (keyword, state_lines.last_mut()) {
                        ("", Some(Line::Rule(row))) => row.continuation_lines.push(arguments),
                        ("&", _) => state_lines.extend(arguments.split(' ').map(Line::Include)),
                        _ => state_lines.push(Line::Rule(Row::parse(line).ok_or_else(|| TableError(line.to_owned()))?)),
                    }
                }
            }
        }
        let state_indexes = states.iter().enumerate().map(|(index, (name, _))| (*name, index)).collect();
        let notation = Arc::new(Notation { macros, folds_case });
        let mut language = Self { states: Vec::new(), state_indexes, renamings, folds_case };
        for (_, state_lines) in &states {
            let mut state = State::default();
            language.add_lines(&mut state, state_lines, &states, &notation, 0)?;
            language.states.push(state);
        }
        Ok(language)
    }

    /// The index of a state. "": the initial state.
    pub(super) fn state_index(&self, name: &str) -> Option<usize> {
        if name.is_empty() { Some(0) } else { self.state_indexes.get(name).copied() }
    }

    fn add_lines(
        &self,
        state: &mut State,
        lines: &[Line],
        states: &[(&'static str, Vec<Line>)],
        notation: &Arc<Notation>,
        depth: usize,
    ) -> Result<(), TableError> {
        for line in lines {
            match line {
                Line::Include(name) if depth < MAX_INCLUDE_DEPTH => {
                    let index = self.state_index(name).ok_or_else(|| TableError((*name).to_owned()))?;
                    self.add_lines(state, &states[index].1, states, notation, depth + 1)?;
                }
                Line::Include(name) => return Err(TableError((*name).to_owned())),
                Line::Rule(row) => self.add_rule(state, row, notation)?,
            }
        }
        Ok(())
    }

    fn add_rule(&self, state: &mut State, row: &Row, notation: &Arc<Notation>) -> Result<(), TableError> {
        let conditions =
            row.conditions.iter().map(|text| Condition::parse(text, notation)).collect::<Result<_, _>>()?;
        let rule = Rule {
            classes: row.classes.split(',').map(Class::parse).collect(),
            next: row.next.split(' ').map(|name| self.parse_next(name)).collect::<Result<Vec<_>, _>>()?.concat(),
            conditions,
        };
        if let Some(words) = row.pattern.strip_prefix("words ") {
            let words = row.continuation_lines.iter().flat_map(|line| line.split(' ')).chain(words.split(' '));
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

    fn parse_next(&self, name: &'static str) -> Result<Vec<StackChange>, TableError> {
        Ok(match name {
            "-" => Vec::new(),
            "pop" => vec![StackChange::Pop],
            "pop2" => vec![StackChange::Pop, StackChange::Pop],
            "again" => vec![StackChange::Reenter],
            name => vec![StackChange::Enter(self.state_index(name).ok_or_else(|| TableError((*name).to_owned()))?)],
        })
    }
}

impl Rule {
    pub(super) fn indent_action(&self) -> Option<IndentAction> {
        self.conditions.iter().find_map(|condition| match condition {
            Condition::Indent(indent) => Some(*indent),
            _ => None,
        })
    }
}

impl Row {
    fn parse(line: &'static str) -> Option<Self> {
        let mut columns = line.split('\t');
        Some(Self {
            classes: columns.next()?,
            pattern: columns.next()?,
            continuation_lines: Vec::new(),
            next: columns.next().unwrap_or("-"),
            conditions: columns.collect(),
        })
    }
}

impl Class {
    fn parse(text: &'static str) -> Self {
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
                    Some((class, since)) => Self::SinceLevel { class, since: since.parse().unwrap_or(i64::MAX) },
                    None => Self::Named(text),
                },
            },
        }
    }
}

impl Condition {
    fn parse(text: &'static str, notation: &Arc<Notation>) -> Result<Self, TableError> {
        let (kind, argument) = text.split_once(' ').unwrap_or((text, ""));
        let character = || argument.bytes().next().ok_or_else(|| TableError(text.to_owned()));
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
            "indent" => Self::Indent(IndentAction::from_name(argument).ok_or_else(|| TableError(text.to_owned()))?),
            _ => return Err(TableError(text.to_owned())),
        })
    }
}
