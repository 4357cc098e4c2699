//! Refusals of unknown names and words, with suggestions.

use super::refusal;
use crate::error::Error;
use crate::json_diagnostic;

/// Longer names are cut before they are compared with others.
pub const MAX_COMPARED_BYTES: usize = 200;
/// The most names that a refusal lists.
const MAX_LISTED_NAMES: usize = 10;
/// Longer names are cut in that list, and longer words where a refusal quotes them.
const MAX_LISTED_BYTES: usize = 60;

/// A sentence that says that there is nothing of this kind with this name, and names the nearest.
pub fn unknown_name_message(kind: &str, name: &str, known: &[&str]) -> String {
    let nearest = json_diagnostic::most_similar(&name[..name.floor_char_boundary(MAX_COMPARED_BYTES)], known);
    let nearest = nearest.map(|nearest| format!("; the nearest is '{nearest}'"));
    format!("There is no {kind} '{name}'{}", nearest.unwrap_or_default())
}

/// Like [`unknown_name_message`], with a list of the names in the world.
pub fn unknown_name_in_world_message(kind: &str, name: &str, known: &[&str]) -> String {
    format!("{}{}", unknown_name_message(kind, name, known), known_names_clause(known))
}

/// An addition to a refusal: the known names of a world, or that it has none; empty for a single one, which the refusal
/// names as the nearest.
pub fn known_names_clause(known: &[&str]) -> String {
    match known {
        [] => "; this world has none".to_owned(),
        [_] => String::new(),
        _ => {
            let listed = known.iter().take(MAX_LISTED_NAMES);
            let names: Vec<&str> = listed.map(|name| &name[..name.floor_char_boundary(MAX_LISTED_BYTES)]).collect();
            let rest = match known.len() - names.len() {
                0 => String::new(),
                rest_count => format!(" and {rest_count} more"),
            };
            format!("; there are '{}'{rest}", names.join("', '"))
        }
    }
}

/// The refusal of a word that is not one of `words`: it says what is accepted, quotes the word, and names the nearest
/// of `words`. `location` is where the word was found.
pub fn unknown_word_error(location: &str, expected: &str, word: &str, words: &[&str]) -> Error {
    let beginning = &word[..word.floor_char_boundary(MAX_LISTED_BYTES)];
    let ellipsis = if beginning.len() < word.len() { "…" } else { "" };
    let nearest = json_diagnostic::most_similar(beginning, words).unwrap_or_default();
    refusal(format!("{location}: takes {expected}, not '{beginning}{ellipsis}'; the nearest is '{nearest}'"))
}
