//! Patterns of linkifiers: literal words are replaced, the syntax of the pattern remains.

use super::word::Anonymizer;
use std::collections::HashMap;

impl Anonymizer {
    /// A pattern that matches the drawn words where the old one matched the old ones, and the new names of its groups.
    pub fn pattern(&self, pattern: &str) -> (String, HashMap<String, String>) {
        let mut names = HashMap::new();
        let mut result = String::new();
        let mut rest = pattern;
        while let Some(character) = rest.chars().next() {
            let length = match character {
                '\\' => escape_length(rest),
                '[' => class_length(rest),
                '{' => rest.find('}').map_or(1, |end| end + 1),
                '(' if rest.starts_with("(?P<") || rest.starts_with("(?<") => {
                    if let Some((written, length)) = self.group(rest, &mut names) {
                        result.push_str(&written);
                        rest = &rest[length..];
                        continue;
                    }
                    1
                }
                '(' if rest.starts_with("(?") => rest.find([':', ')', '=', '!']).map_or(2, |end| end + 1),
                _ if character.is_alphanumeric() => {
                    let end = rest.find(|one: char| !one.is_alphanumeric()).unwrap_or(rest.len());
                    result.push_str(&self.text(&rest[..end]));
                    rest = &rest[end..];
                    continue;
                }
                _ => character.len_utf8(),
            };
            let length = length.min(rest.len());
            result.push_str(&rest[..length]);
            rest = &rest[length..];
        }
        (result, names)
    }

    fn group(&self, rest: &str, names: &mut HashMap<String, String>) -> Option<(String, usize)> {
        let start = rest.find('<')? + 1;
        let end = rest.find('>')?;
        let name = rest.get(start..end)?.to_owned();
        if name.starts_with(['=', '!']) {
            return None;
        }
        let count = names.len();
        let new = names.entry(name).or_insert_with(|| format!("g{}", count + 1));
        Some((format!("(?P<{new}>"), end + 1))
    }
}

/// `\d`, `\.`, `\p{Lu}`, `\x41`.
fn escape_length(rest: &str) -> usize {
    let mut characters = rest.chars().skip(1);
    match characters.next() {
        Some('p' | 'P' | 'x' | 'u' | 'b' | 'k') if rest[2..].starts_with(['{', '<']) => {
            rest.find(['}', '>']).map_or(2, |end| end + 1)
        }
        Some('x') => 4,
        Some(other) => 1 + other.len_utf8(),
        None => 1,
    }
}

/// A character class with its brackets.
fn class_length(rest: &str) -> usize {
    let mut escaped = false;
    for (index, character) in rest.char_indices().skip(1) {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' if index > 1 && !rest[..index].ends_with("[^") => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::super::word::Originals;
    use super::*;

    #[test]
    fn a_pattern_matches_what_is_drawn() {
        let anonymizer = Anonymizer::new(0, Originals::default());
        for (pattern, text) in [
            (r"#(?P<id>[0-9]+)", "#123"),
            (r"TOOL-(?P<id>[0-9]+)", "TOOL-123"),
            (r"(?P<project>[A-Z]+)-(?P<number>\d{2,4})", "CORE-42"),
            (r"(?i)commit\s(?P<hash>[\w-]+)", "commit abc"),
        ] {
            let (drawn, names) = anonymizer.pattern(pattern);
            let found = regex::Regex::new(&drawn).expect("a pattern");
            assert!(found.is_match(&anonymizer.text(text)), "{drawn} in {}", anonymizer.text(text));
            assert!(names.values().all(|name| drawn.contains(&format!("<{name}>"))));
            assert!(!drawn.contains("TOOL") && !drawn.contains("commit") && !drawn.contains("project"), "{drawn}");
        }
    }
}
