//! JSON that does not fit, in words for people: serde's own are about Rust's types.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;
use serde_path_to_error::{Path, Segment};
use std::borrow::Cow;
use std::fmt;

/// Characters of a name, a value, or a whole sentence that are shown: they may be of a document of any size.
const MAX_NAME_SHOWN: usize = 100;
const MAX_SHOWN: usize = 2_000;
/// Characters of a name that are compared with others: no known one is as long, and each comparison takes their product.
const COMPARED_MAX: usize = 64;

/// Something wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Where: `$.channels[2].subscribers[0]`, `$` being the whole document.
    pub path: String,
    /// What is wrong, and where it can be said, what would be right.
    pub reason: String,
}

impl Diagnostic {
    pub(crate) fn new(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), reason: reason.into() }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", clipped(&self.path, MAX_SHOWN), clipped(&self.reason, MAX_SHOWN))
    }
}

/// Reads JSON that is an object: a list would be taken for one whose keys are in their order.
///
/// # Errors
///
/// The first thing that does not fit, with its path.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Diagnostic> {
    if text.trim_ascii_start().starts_with('[') {
        return Err(Diagnostic::new("$", "takes an object"));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let diagnostic = Diagnostic::new(written(error.path()), in_words(&error.inner().to_string()));
        if diagnostic.reason.starts_with("expected value at ") {
            of_name::<T>(text, error.path(), diagnostic)
        } else {
            diagnostic
        }
    })?;
    json.end().map_err(|error| Diagnostic::new("$", error.to_string()))?;
    Ok(value)
}

/// A diagnostic of a value where one of several names belongs: the library says of it only that it expected something else. What
/// is no JSON at all keeps its diagnostic, which has the line and the column.
fn of_name<T: DeserializeOwned>(text: &str, path: &Path, diagnostic: Diagnostic) -> Diagnostic {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return diagnostic };
    let place = path.iter().try_fold(&mut document, |value, segment| match segment {
        Segment::Seq { index } => value.get_mut(*index),
        Segment::Map { key } | Segment::Enum { variant: key } => value.get_mut(key),
        Segment::Unknown => None,
    });
    let Some(place) = place else { return diagnostic };
    // No name is empty: the refusal of this one lists those that there are.
    let found = std::mem::replace(place, Value::from("")).to_string();
    let refused = fit::<T>(document).err().map(|refused| refused.reason).unwrap_or_default();
    let takes = refused.split_once(", only ").map_or("a name, as text", |(_, names)| names);
    Diagnostic::new(diagnostic.path, format!("takes {takes}, not {}", clipped(&found, MAX_NAME_SHOWN)))
}

/// A value of what was read already, or is being read.
///
/// # Errors
///
/// The first thing that does not fit, with its path.
pub fn fit<'de, T: Deserialize<'de>>(json: impl Deserializer<'de, Error = serde_json::Error>) -> Result<T, Diagnostic> {
    serde_path_to_error::deserialize(json)
        .map_err(|error| Diagnostic::new(written(error.path()), in_words(&error.inner().to_string())))
}

/// The beginning of a text, with dots where more of it follows.
fn clipped(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

fn written(path: &Path) -> String {
    let mut written = "$".to_owned();
    for segment in path {
        match segment {
            Segment::Seq { index } => written += &format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } => written += &step(key),
            Segment::Unknown => written += ".?",
        }
    }
    written
}

/// How a step to a key is written: `.key`, or `["a key"]` where it is no plain word.
pub fn step(key: &str) -> String {
    let key = &*clipped(key, MAX_NAME_SHOWN);
    let is_plain = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '-');
    if !key.is_empty() && key.chars().all(is_plain) { format!(".{key}") } else { format!("[{}]", Value::from(key)) }
}

/// What a reader of JSON says, in words, also of a value's type or range; other sayings stay as they are.
///
/// `invalid type: string "7", expected u64` becomes `takes a whole number from 0 on, not the text "7"`.
pub fn in_words(said: &str) -> String {
    for (beginning, what) in [("unknown field ", "key"), ("unknown variant ", "value")] {
        if let Some(rest) = said.strip_prefix(beginning) {
            let mut words = rest.split('`').skip(1).step_by(2);
            let wrong = words.next().unwrap_or_default();
            return unknown(what, wrong, &words.collect::<Vec<_>>());
        }
    }
    if let Some((key, _)) = said.strip_prefix("missing field `").and_then(|rest| rest.split_once('`')) {
        return format!("`{key}` is missing");
    }
    if said.starts_with("takes ") {
        return said.split(" at line ").next().unwrap_or(said).to_owned();
    }
    // Where a member is that is there twice is said by the path in front.
    if let Some((member, _)) = said.split_once("` is here twice at line ") {
        return format!("{}` is here twice", clipped(member, MAX_NAME_SHOWN));
    }
    let rest = said.strip_prefix("invalid type: ").or_else(|| said.strip_prefix("invalid value: "));
    let Some((found, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else { return said.to_owned() };
    // Where it is is said by the path in front.
    let expected = expected.split(" at line ").next().unwrap_or(expected);
    format!("takes {}, not {}", taken(expected), described(found))
}

fn taken(expected: &str) -> &str {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0 on",
        "f32" | "f64" => "a number",
        "a string" | "a borrowed string" | "str" | "string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        structure if structure.starts_with("struct ") => "an object",
        other => other,
    }
}

fn described(found: &str) -> String {
    let literal = |kind: &str| found.strip_prefix(kind).map(|rest| rest.trim_matches('`').to_owned());
    match found {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "null" | "unit value" | "Option value" => "null".to_owned(),
        _ => literal("integer ")
            .or_else(|| literal("floating point "))
            .or_else(|| literal("boolean "))
            .or_else(|| found.strip_prefix("string ").map(|text| format!("the text {}", clipped(text, MAX_NAME_SHOWN))))
            .unwrap_or_else(|| clipped(found, MAX_NAME_SHOWN).into_owned()),
    }
}

/// A sentence about a name that nothing has, with the nearest one or all.
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let nearest = nearest(name, known);
    let name = clipped(name, MAX_NAME_SHOWN);
    match nearest {
        Some(nearest) => format!("there is no {what} `{name}`; did you mean `{nearest}`?"),
        None if known.is_empty() || known.len() > LISTED_MAX => format!("there is no {what} `{name}`"),
        None => format!("there is no {what} `{name}`, only `{}`", known.join("`, `")),
    }
}

/// More names than this are not listed.
const LISTED_MAX: usize = 12;

/// The name that was probably meant; None where none is like this one.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let (likeness, nearest) = ranked(name, known)?;
    (likeness > 0.8).then_some(nearest)
}

/// The name that is most like this one, however little that is; None when there is none at all.
pub fn most_alike<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    ranked(name, known).map(|(_, nearest)| nearest)
}

fn ranked<'a>(name: &str, known: &[&'a str]) -> Option<(f64, &'a str)> {
    let name: String = name.chars().take(COMPARED_MAX).flat_map(char::to_lowercase).collect();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        let is_slip = name.chars().count() > 1 && strsim::damerau_levenshtein(&name, &other) <= 1;
        strsim::jaro_winkler(&name, &other) + if is_slip { 1.0 } else { 0.0 }
    };
    known.iter().map(|other| (likeness(other), *other)).max_by(|one, other| one.0.total_cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_rust_become_words() {
        fn said<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
            in_words(&serde_json::from_str::<T>(json).expect_err(json).to_string())
        }
        #[derive(Debug, serde::Deserialize)]
        struct Point {
            _x: i64,
        }

        assert_eq!(said::<u64>("\"7, expected 8\""), "takes a whole number from 0 on, not the text \"7, expected 8\"");
        assert_eq!(said::<u32>("-1"), "takes a whole number from 0 on, not -1");
        assert_eq!(said::<i64>("1.5"), "takes a whole number, not 1.5");
        assert_eq!(said::<String>("true"), "takes a text, not true");
        assert_eq!(said::<bool>("null"), "takes true or false, not null");
        assert_eq!(said::<Vec<i64>>("{}"), "takes a list, not an object");
        assert_eq!(said::<Point>("7"), "takes an object, not 7");
        assert_eq!(said::<f64>("[]"), "takes a number, not a list");
    }

    #[test]
    fn what_is_missing_or_unknown_is_reported_with_its_place() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Point {
            #[serde(rename = "width")]
            _width: i64,
        }
        let reason = |text: &str| {
            let read: Result<std::collections::BTreeMap<String, Vec<Point>>, Diagnostic> = read(text);
            read.expect_err(text).to_string()
        };

        assert_eq!(reason(r#"{"points": [{}]}"#), "$.points[0]: `width` is missing");
        assert_eq!(
            reason(r#"{"a point": [{"wdth": 7}]}"#),
            r#"$["a point"][0].wdth: there is no key `wdth`; did you mean `width`?"#
        );
        assert_eq!(reason("5"), "$: takes an object, not 5");
        assert_eq!(reason("[]"), "$: takes an object");
        assert_eq!(reason("{} {}"), "$: trailing characters at line 1 column 4");
    }

    #[test]
    fn a_value_in_place_of_a_name_is_refused_with_the_names() {
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

        let fault = reason(r#"{"colours": {"1": ["red", 7]}}"#);
        assert_eq!(fault, "$.colours.1[1]: takes `red`, `dark_blue`, not 7");
        // What is no JSON keeps its place.
        assert!(reason(r#"{"colours": {"1": ["red", ?]}}"#).contains("expected value at line 1 column"));
    }

    #[test]
    fn what_is_said_of_other_things_stays() {
        let said = "EOF while parsing at line 1 column 2";
        assert_eq!(in_words(said), said);
    }
}
