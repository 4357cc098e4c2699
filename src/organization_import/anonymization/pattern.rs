//! Anonymizes the patterns of linkifiers: literal words and the names of groups are replaced, and the syntax remains.

use super::anonymizer::Anonymizer;
use std::collections::HashMap;

impl Anonymizer {
    /// Replaces the literal words of a pattern, so that it matches their replacements in texts. Character classes and
    /// escapes remain, so they may not match the replacements of what they matched. Also returns the new names of the
    /// groups by the old ones.
    pub fn anonymize_pattern(&self, pattern: &str) -> (String, HashMap<String, String>) {
        let mut names = HashMap::new();
        let mut result = String::new();
        let mut remaining = pattern;
        while let Some(character) = remaining.chars().next() {
            let length = match character {
                '\\' => escape_length(remaining),
                '[' => class_length(remaining),
                '{' => remaining.find('}').map_or(1, |end| end + 1),
                '(' if remaining.starts_with("(?P<") || remaining.starts_with("(?<") => {
                    if let Some((group, length)) = self.rename_group(remaining, &mut names) {
                        result.push_str(&group);
                        remaining = &remaining[length..];
                        continue;
                    }
                    1
                }
                '(' if remaining.starts_with("(?") => remaining.find([':', ')', '=', '!']).map_or(2, |end| end + 1),
                _ if character.is_alphanumeric() => {
                    let end = remaining.find(|other: char| !other.is_alphanumeric()).unwrap_or(remaining.len());
                    result.push_str(&self.anonymize_text(&remaining[..end]));
                    remaining = &remaining[end..];
                    continue;
                }
                _ => character.len_utf8(),
            };
            let length = length.min(remaining.len());
            result.push_str(&remaining[..length]);
            remaining = &remaining[length..];
        }
        (result, names)
    }

    /// Renames the named group at the beginning of a pattern. Returns the new text up to `>`, and the length of the old
    /// one in bytes; None for a look-behind, or if there is no `>`.
    fn rename_group(&self, pattern: &str, names: &mut HashMap<String, String>) -> Option<(String, usize)> {
        let start = pattern.find('<')? + 1;
        let end = pattern.find('>')?;
        let name = pattern.get(start..end)?.to_owned();
        if name.starts_with(['=', '!']) {
            return None;
        }
        let count = names.len();
        let new_name = names.entry(name).or_insert_with(|| format!("g{}", count + 1));
        Some((format!("(?P<{new_name}>"), end + 1))
    }
}

/// The length in bytes of an escape sequence such as `\d`, `\.`, `\p{Lu}` or `\x41` at the beginning of a pattern.
fn escape_length(pattern: &str) -> usize {
    let mut characters = pattern.chars().skip(1);
    match characters.next() {
        Some('p' | 'P' | 'x' | 'u' | 'b' | 'k') if pattern[2..].starts_with(['{', '<']) => {
            pattern.find(['}', '>']).map_or(2, |end| end + 1)
        }
        Some('x') => 4,
        Some(other) => 1 + other.len_utf8(),
        None => 1,
    }
}

/// The length in bytes of a character class at the beginning of a pattern, with its brackets.
fn class_length(pattern: &str) -> usize {
    let mut is_escaped = false;
    for (index, character) in pattern.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ']' if index > 1 && !pattern[..index].ends_with("[^") => return index + 1,
            _ => {}
        }
    }
    pattern.len()
}

#[cfg(test)]
mod tests {
    use super::super::anonymizer::OriginalWords;
    use super::*;

    #[test]
    fn an_anonymous_pattern_matches_the_anonymous_text() {
        let anonymizer = Anonymizer::new(0, OriginalWords::default());
        for (pattern, text) in [
            (r"#(?P<id>[0-9]+)", "#123"),
            (r"TOOL-(?P<id>[0-9]+)", "TOOL-123"),
            (r"(?P<project>[A-Z]+)-(?P<number>\d{2,4})", "CORE-42"),
            (r"(?i)commit\s(?P<hash>[\w-]+)", "commit abc"),
        ] {
            let (anonymous, names) = anonymizer.anonymize_pattern(pattern);
            let regex = regex::Regex::new(&anonymous).expect("a pattern");
            assert!(
                regex.is_match(&anonymizer.anonymize_text(text)),
                "{anonymous} in {}",
                anonymizer.anonymize_text(text)
            );
            assert!(names.values().all(|name| anonymous.contains(&format!("<{name}>"))));
            assert!(
                !anonymous.contains("TOOL") && !anonymous.contains("commit") && !anonymous.contains("project"),
                "{anonymous}"
            );
        }
    }
}
