//! The languages with syntax highlighting, and their tables of rules.

use super::table::Language;
use std::sync::OnceLock;

/// A language with its tables.
struct Entry {
    name: &'static str,
    tables: &'static [&'static str],
    /// Whether the language ignores case.
    folds_case: bool,
    /// Parsed on first use. None: the tables are invalid.
    language: OnceLock<Option<Language>>,
}

impl Entry {
    const fn new(name: &'static str, tables: &'static [&'static str]) -> Self {
        Self { name, tables, folds_case: false, language: OnceLock::new() }
    }

    const fn new_folding_case(name: &'static str, tables: &'static [&'static str]) -> Self {
        Self { name, tables, folds_case: true, language: OnceLock::new() }
    }
}

const C_FAMILY: &str = include_str!("languages/c-family.txt");
const JAVASCRIPT: &str = include_str!("languages/javascript.txt");

static LANGUAGES: [Entry; 24] = [
    Entry::new("Bash", &[include_str!("languages/bash.txt")]),
    Entry::new("C", &[include_str!("languages/c.txt"), C_FAMILY]),
    Entry::new("C#", &[include_str!("languages/csharp.txt")]),
    Entry::new("C++", &[include_str!("languages/cpp.txt"), C_FAMILY]),
    Entry::new("CSS", &[include_str!("languages/css.txt")]),
    Entry::new("Diff", &[include_str!("languages/diff.txt")]),
    Entry::new("Go", &[include_str!("languages/go.txt")]),
    Entry::new_folding_case("HTML", &[include_str!("languages/html.txt")]),
    Entry::new("INI", &[include_str!("languages/ini.txt")]),
    Entry::new("Java", &[include_str!("languages/java.txt")]),
    Entry::new("JavaScript", &[JAVASCRIPT]),
    Entry::new("JSON", &[include_str!("languages/json.txt")]),
    Entry::new("JSX", &[include_str!("languages/jsx.txt"), JAVASCRIPT]),
    Entry::new("Kotlin", &[include_str!("languages/kotlin.txt")]),
    Entry::new("Objective-C", &[include_str!("languages/objective-c.txt"), include_str!("languages/c.txt"), C_FAMILY]),
    Entry::new("Python", &[include_str!("languages/python.txt")]),
    Entry::new("Rust", &[include_str!("languages/rust.txt")]),
    Entry::new_folding_case("SQL", &[include_str!("languages/sql.txt")]),
    Entry::new("Swift", &[include_str!("languages/swift.txt")]),
    Entry::new("TeX", &[include_str!("languages/tex.txt")]),
    Entry::new("TOML", &[include_str!("languages/toml.txt")]),
    Entry::new("TypeScript", &[include_str!("languages/typescript.txt"), JAVASCRIPT]),
    Entry::new("XML", &[include_str!("languages/xml.txt")]),
    Entry::new("YAML", &[include_str!("languages/yaml.txt")]),
];

/// Looks a language up by its canonical name. None: it is not highlighted, or its tables are invalid.
pub(super) fn find_language(name: &str) -> Option<&'static Language> {
    let entry = LANGUAGES.iter().find(|entry| entry.name == name)?;
    let parse = || {
        let language = Language::parse(entry.tables, entry.folds_case);
        language.inspect_err(|error| tracing::error!("the table of {name} can't be read: {}", error.0)).ok()
    };
    entry.language.get_or_init(parse).as_ref()
}

#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::super::matcher::Matcher;
    use super::super::table::{Condition, Step};
    use super::*;

    fn matcher_of(condition: &Condition) -> Option<&Matcher> {
        match condition {
            Condition::NotHere(matcher) | Condition::Ahead(matcher) | Condition::NotAhead(matcher) => Some(matcher),
            _ => None,
        }
    }

    /// Whether the condition extends the match by a part with its own class.
    fn extends_match(condition: &Condition) -> bool {
        use Condition::{Quoted, QuotedLine, Until, UntilName};
        matches!(condition, Until(_) | UntilName | Quoted(_) | QuotedLine(_))
    }

    #[test]
    fn all_tables_are_valid() {
        for entry in &LANGUAGES {
            let language = Language::parse(entry.tables, entry.folds_case);
            let language = language.unwrap_or_else(|error| panic!("{}: {error:?}", entry.name));
            for step in language.states.iter().flat_map(|state| &state.steps) {
                if let Step::Patterns { matcher, rules } = step {
                    let compiled = [true, false].map(|is_ascii| matcher.compile(is_ascii));
                    let [Ok(regex), Ok(_)] = compiled else { panic!("{}: {compiled:?}", entry.name) };
                    let groups = |index: usize| regex.group_info().group_len(regex_automata::PatternID::must(index));
                    for (index, rule) in rules.iter().enumerate() {
                        for condition_matcher in rule.conditions.iter().filter_map(matcher_of) {
                            let compiled = [true, false].map(|is_ascii| condition_matcher.compile(is_ascii));
                            assert!(compiled.iter().all(Result::is_ok), "{}: {compiled:?}", entry.name);
                        }
                        let extension_count =
                            rule.conditions.iter().filter(|condition| extends_match(condition)).count();
                        let class_counts = [1, groups(index) - 1 + extension_count];
                        assert!(
                            class_counts.contains(&rule.classes.len()),
                            "{}: pattern {index} of {matcher:?}",
                            entry.name
                        );
                    }
                }
            }
        }
    }
}
