//! Error messages for JSON that does not match a type, in terms of JSON: serde's messages are in terms of Rust.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use std::borrow::Cow;
use std::fmt;

/// In characters; longer names and values are truncated in messages.
const MAX_NAME_LENGTH: usize = 100;
/// In characters; longer paths and reasons are truncated.
const MAX_TEXT_LENGTH: usize = 2_000;
/// Only the beginning of a longer name is compared, in characters: the time grows with the product of both lengths.
const MAX_COMPARED_LENGTH: usize = 64;
/// Known names are listed in a message only if there are no more than this.
const MAX_LISTED_NAMES: usize = 12;
/// The Jaro-Winkler similarity, from 0 to 1, above which a name is suggested.
const MIN_SIMILARITY: f64 = 0.8;

/// A mistake in a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Such as `$.channels[2].subscribers[0]`; `$` is the whole document.
    pub path: String,
    /// What is wrong and, if possible, what is expected.
    pub reason: String,
}

impl Diagnostic {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", truncate(&self.path, MAX_TEXT_LENGTH), truncate(&self.reason, MAX_TEXT_LENGTH))
    }
}

/// Parses a JSON object. A list is refused, because serde accepts it for a struct.
///
/// # Errors
///
/// The first mistake.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Diagnostic> {
    if text.trim_ascii_start().starts_with('[') {
        return Err(Diagnostic::new("$", "takes an object"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let reason = describe_syntax_error(text, error.inner());
        let path = format_path(error.path());
        // A key that can't be read has no name.
        let path = if error.inner().is_syntax() { path.trim_end_matches(".?") } else { &path };
        let diagnostic = Diagnostic::new(path, translate_serde_message(&reason));
        if diagnostic.reason.starts_with("expected value at ") {
            list_enum_values::<T>(text, error.path(), diagnostic)
        } else {
            diagnostic
        }
    })?;
    json.end().map_err(|error| Diagnostic::new("$", error.to_string()))?;
    Ok(value)
}

/// What is wrong with a text that is no JSON: the message of serde, or that JSON takes double quotes where the text has
/// none, or single ones.
pub fn describe_syntax_error(text: &str, error: &serde_json::Error) -> String {
    let column = error.column().saturating_sub(1);
    let character = text.split('\n').nth(error.line().saturating_sub(1)).and_then(|line| line.as_bytes().get(column));
    let message = error.to_string();
    let what = match message.split_once(" at line ") {
        Some(("key must be a string" | "expected value", _)) if character == Some(&b'\'') => {
            "JSON takes double quotes, not single ones,"
        }
        Some(("key must be a string", _)) => "a key takes double quotes",
        _ => return message,
    };
    format!("{what} at line {} column {}", error.line(), error.column())
}

/// Improves the diagnostic of a non-string value for an enum, for which serde does not list the variants. Malformed
/// JSON keeps its diagnostic, which has the line and column.
fn list_enum_values<T: DeserializeOwned>(text: &str, path: &Path, diagnostic: Diagnostic) -> Diagnostic {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return diagnostic };
    let target = path.iter().try_fold(&mut document, |value, segment| match segment {
        Segment::Seq { index } => value.get_mut(*index),
        Segment::Map { key } | Segment::Enum { variant: key } => value.get_mut(key),
        Segment::Unknown => None,
    });
    let Some(target) = target else { return diagnostic };
    // No variant has an empty name, so the refusal of an empty string lists all variants.
    let value = std::mem::replace(target, Value::from("")).to_string();
    let reason = deserialize::<T>(document).err().map(|refusal| refusal.reason).unwrap_or_default();
    // The message of `describe_unknown`, which lists no names if there are many.
    let expected = reason.split_once(", only ").map_or("a name, as text", |(_, names)| names);
    Diagnostic::new(diagnostic.path, format!("takes {expected}, not {}", truncate(&value, MAX_NAME_LENGTH)))
}

/// Deserializes JSON that was parsed before.
///
/// # Errors
///
/// The first mistake.
pub fn deserialize<'de, T: Deserialize<'de>>(
    json: impl Deserializer<'de, Error = serde_json::Error>,
) -> Result<T, Diagnostic> {
    serde_path_to_error::deserialize(json).map_err(|error| {
        Diagnostic::new(format_path(error.path()), translate_serde_message(&error.inner().to_string()))
    })
}

/// `limit` is in characters; an ellipsis replaces what is cut off.
fn truncate(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

fn format_path(path: &Path) -> String {
    let mut text = "$".to_owned();
    for segment in path {
        match segment {
            Segment::Seq { index } => text += &format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } => text += &path_step(key),
            Segment::Unknown => text += ".?",
        }
    }
    text
}

/// The step of a path to a key: `.key`, or `["a key"]` if the key has other characters than letters, digits, `_`, `$`
/// and `-`.
pub fn path_step(key: &str) -> String {
    let key = &*truncate(key, MAX_NAME_LENGTH);
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '-');
    if !key.is_empty() && key.chars().all(is_plain) { format!(".{key}") } else { format!("[{}]", Value::from(key)) }
}

/// Translates an error message of serde: `invalid type: string "7", expected u64` becomes `takes a whole number from 0
/// on, not the text "7"`. Unknown messages are returned as they are.
pub fn translate_serde_message(message: &str) -> String {
    for (prefix, what) in [("unknown field ", "key"), ("unknown variant ", "value")] {
        if let Some(names) = message.strip_prefix(prefix) {
            let mut names = names.split('`').skip(1).step_by(2);
            let unknown_name = names.next().unwrap_or_default();
            return describe_unknown(what, unknown_name, &names.collect::<Vec<_>>());
        }
    }
    if let Some((key, _)) = message.strip_prefix("missing field `").and_then(|field| field.split_once('`')) {
        return format!("`{key}` is missing");
    }
    // The next two are messages of this program's own deserializers. The position in the text is dropped, because the
    // path of the diagnostic is more useful.
    if message.starts_with("takes ") {
        return message.split(" at line ").next().unwrap_or(message).to_owned();
    }
    if let Some((member, _)) = message.split_once("` is here twice at line ") {
        return format!("{}` is here twice", truncate(member, MAX_NAME_LENGTH));
    }
    let mismatch = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    let Some((value, expected)) = mismatch.and_then(|mismatch| mismatch.rsplit_once(", expected ")) else {
        return message.to_owned();
    };
    let expected = expected.split(" at line ").next().unwrap_or(expected);
    format!("takes {}, not {}", describe_type(expected), describe_value(value))
}

fn describe_type(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0 on",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" | "str" | "string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        type_name if type_name.starts_with("struct ") => "an object",
        other => other,
    }
}

fn describe_value(value: &str) -> String {
    let literal = |prefix: &str| value.strip_prefix(prefix).map(|literal| literal.trim_matches('`').to_owned());
    match value {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "null" | "unit value" | "Option value" => "null".to_owned(),
        _ => literal("integer ")
            .or_else(|| literal("floating point "))
            .or_else(|| literal("boolean "))
            .or_else(|| {
                value.strip_prefix("string ").map(|text| format!("the text {}", truncate(text, MAX_NAME_LENGTH)))
            })
            .unwrap_or_else(|| truncate(value, MAX_NAME_LENGTH).into_owned()),
    }
}

/// A message about an unknown name, with the most similar known one, or all of them if they are few. `what` is the kind
/// of name, such as `key`.
pub fn describe_unknown(what: &str, name: &str, known: &[&str]) -> String {
    let nearest = similar_name(name, known).or_else(|| only_name_with_word(name, known));
    let name = truncate(name, MAX_NAME_LENGTH);
    match nearest {
        Some(nearest) => format!("there is no {what} `{name}`; did you mean `{nearest}`?"),
        None if known.is_empty() || known.len() > MAX_LISTED_NAMES => format!("there is no {what} `{name}`"),
        None => format!("there is no {what} `{name}`, only `{}`", known.join("`, `")),
    }
}

/// The only known name with this word, such as `feature_level` for `level`; None if no name or several names have it.
fn only_name_with_word<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let mut matches = known.iter().filter(|candidate| candidate.split('_').any(|part| part == word));
    matches.next().filter(|_| matches.next().is_none()).copied()
}

/// The most similar known name; None if none is similar.
pub fn similar_name<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let (similarity, nearest) = most_similar_with_score(name, known)?;
    (similarity > MIN_SIMILARITY).then_some(nearest)
}

/// The known name that has the most in common with a name, however little; None if `known` is empty.
pub fn most_similar<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    most_similar_with_score(name, known).map(|(_, nearest)| nearest)
}

fn most_similar_with_score<'a>(name: &str, known: &[&'a str]) -> Option<(f64, &'a str)> {
    let name: String = name.chars().take(MAX_COMPARED_LENGTH).flat_map(char::to_lowercase).collect();
    // More than 1 for a name that differs in one letter.
    let similarity = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let is_typo = name.chars().count() > 1 && strsim::damerau_levenshtein(&name, &candidate) <= 1;
        strsim::jaro_winkler(&name, &candidate) + if is_typo { 1.0 } else { 0.0 }
    };
    known.iter().map(|candidate| (similarity(candidate), *candidate)).max_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_serde_are_translated() {
        fn translated<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
            translate_serde_message(&serde_json::from_str::<T>(json).expect_err(json).to_string())
        }
        #[derive(Debug, serde::Deserialize)]
        struct Point {
            _x: i64,
        }

        assert_eq!(
            translated::<u64>("\"7, expected 8\""),
            "takes a whole number from 0 on, not the text \"7, expected 8\""
        );
        assert_eq!(translated::<u32>("-1"), "takes a whole number from 0 on, not -1");
        assert_eq!(translated::<i64>("1.5"), "takes a whole number, not 1.5");
        assert_eq!(translated::<String>("true"), "takes a text, not true");
        assert_eq!(translated::<bool>("null"), "takes true or false, not null");
        assert_eq!(translated::<Vec<i64>>("{}"), "takes a list, not an object");
        assert_eq!(translated::<Point>("7"), "takes an object, not 7");
        assert_eq!(translated::<f64>("[]"), "takes a number, not a list");
    }

    #[test]
    fn missing_and_unknown_keys_are_reported_with_their_path() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Point {
            #[serde(rename = "width")]
            _width: i64,
        }
        let reason = |text: &str| {
            let result: Result<std::collections::BTreeMap<String, Vec<Point>>, Diagnostic> = read(text);
            result.expect_err(text).to_string()
        };

        assert_eq!(reason(r#"{"points": [{}]}"#), "$.points[0]: `width` is missing");
        assert_eq!(
            reason(r#"{"a point": [{"wdth": 7}]}"#),
            r#"$["a point"][0].wdth: there is no key `wdth`; did you mean `width`?"#
        );
        let unknown = describe_unknown("key", "level", &["label", "feature_level", "clock"]);
        assert_eq!(unknown, "there is no key `level`; did you mean `feature_level`?");
        assert_eq!(reason("5"), "$: takes an object, not 5");
        assert_eq!(reason("[]"), "$: takes an object");
        assert_eq!(reason("{} {}"), "$: trailing characters at line 1 column 4");
    }

    #[test]
    fn single_quotes_and_keys_without_quotes_are_reported() {
        type Lists = std::collections::BTreeMap<String, Vec<String>>;
        let reason = |text: &str| read::<Lists>(text).expect_err(text).to_string();

        let single_quotes = "JSON takes double quotes, not single ones, at line";
        assert_eq!(reason("{'a': []}"), format!("$: {single_quotes} 1 column 2"));
        assert_eq!(reason("{\n  \"a\": ['b']}"), format!("$.a[0]: {single_quotes} 2 column 9"));
        assert_eq!(reason("{a: []}"), "$: a key takes double quotes at line 1 column 2");
        assert!(reason("{\"a\": ?}").contains("expected value at line 1 column 7"));
    }

    #[test]
    fn a_wrong_value_for_an_enum_is_refused_with_the_variants() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Colour {
            Red,
            DarkBlue,
        }
        #[derive(Debug, serde::Deserialize)]
        struct Painted {
            #[expect(dead_code, reason = "it is only read")]
            colours: std::collections::BTreeMap<String, Vec<Colour>>,
        }
        let reason = |text: &str| read::<Painted>(text).expect_err("it does not fit").to_string();

        let message = reason(r#"{"colours": {"1": ["red", 7]}}"#);
        assert_eq!(message, "$.colours.1[1]: takes `red`, `dark_blue`, not 7");
        // Malformed JSON is reported with its position.
        assert!(reason(r#"{"colours": {"1": ["red", ?]}}"#).contains("expected value at line 1 column"));
    }

    #[test]
    fn unknown_messages_are_unchanged() {
        let message = "EOF while parsing at line 1 column 2";
        assert_eq!(translate_serde_message(message), message);
    }
}
