//! JSON with placeholders: an expectation, or the body of a request.

use super::mistake::Mistake;
use super::template::{Matcher, Part, Template};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Number;
use std::ops::Range;

/// A JSON value with placeholders.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Byte range in the file.
    pub range: Range<usize>,
    pub value: PatternValue,
}

/// The JSON of a pattern, by type.
#[derive(Clone, Debug)]
pub enum PatternValue {
    Null,
    Boolean(bool),
    Number(Number),
    /// A string. If it consists of one placeholder, it may mean a value of another type.
    Text(Template),
    Object(Vec<Property>),
    Array(Vec<Pattern>),
}

/// A key of an object with its value.
#[derive(Clone, Debug)]
pub struct Property {
    /// Byte range of key and value in the file.
    pub range: Range<usize>,
    /// The key, which may contain references.
    pub name: Template,
    pub value: Pattern,
}

impl Pattern {
    /// Parses JSON that begins at a byte offset of a file.
    ///
    /// # Errors
    ///
    /// The first mistake in the JSON, or else all mistakes in its placeholders and keys, with byte offsets.
    pub fn parse(text: &str, offset: usize) -> Result<Self, Vec<Mistake>> {
        let strict_options = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &strict_options).map_err(|error| {
            let start = error.range().start;
            let reason = match unquoted_placeholder(text, start) {
                Some(placeholder) => format!("no JSON: {placeholder} must be in quotes: \"{placeholder}\""),
                None => format!("no JSON: {}", error.kind()),
            };
            Mistake::at(offset + start, reason)
        })?;
        let value = parsed.value.ok_or_else(|| Mistake::at(offset, "JSON is missing"))?;
        let mut mistakes = Vec::new();
        let pattern = convert_value(&value, offset, &mut mistakes);
        if mistakes.is_empty() { Ok(pattern) } else { Err(mistakes) }
    }

    /// All templates in the pattern, including keys.
    pub fn templates(&self) -> Vec<&Template> {
        match &self.value {
            PatternValue::Null | PatternValue::Boolean(_) | PatternValue::Number(_) => Vec::new(),
            PatternValue::Text(template) => vec![template],
            PatternValue::Array(items) => items.iter().flat_map(Pattern::templates).collect(),
            PatternValue::Object(properties) => properties
                .iter()
                .flat_map(|property| std::iter::once(&property.name).chain(property.value.templates()))
                .collect(),
        }
    }

    /// The matcher, if the pattern consists of nothing else.
    pub fn matcher(&self) -> Option<&Matcher> {
        match &self.value {
            PatternValue::Text(template) => match template.only_part() {
                Some(Part::Matcher(matcher)) => Some(matcher),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The placeholder without quotes at whose braces the JSON parser failed. None if it failed elsewhere.
fn unquoted_placeholder(text: &str, error_start: usize) -> Option<&str> {
    // The first brace alone would be an object, so that the mistake is the second one.
    let start = text.get(..=error_start)?.strip_suffix("{{").map(str::len)?;
    let end = text[start..].find("}}")?;
    let placeholder = &text[start..start + end + 2];
    (!placeholder.contains(['"', '\n'])).then_some(placeholder)
}

/// Converts a value. Texts and numbers with mistakes become null, and keys with invalid placeholders are left out.
fn convert_value(value: &ast::Value<'_>, offset: usize, mistakes: &mut Vec<Mistake>) -> Pattern {
    let range = value.range().start + offset..value.range().end + offset;
    let value = match value {
        ast::Value::NullKeyword(_) => PatternValue::Null,
        ast::Value::BooleanLit(literal) => PatternValue::Boolean(literal.value),
        ast::Value::NumberLit(literal) => literal.value.parse().map_or_else(
            |_| {
                mistakes.push(Mistake::at(range.start, "not a number of JSON"));
                PatternValue::Null
            },
            PatternValue::Number,
        ),
        ast::Value::StringLit(literal) => {
            parse_template(&literal.value, range.start, mistakes).map_or(PatternValue::Null, PatternValue::Text)
        }
        ast::Value::Array(array) => PatternValue::Array(convert_items(array, offset, mistakes)),
        ast::Value::Object(object) => PatternValue::Object(convert_properties(object, offset, mistakes)),
    };
    Pattern { range, value }
}

fn parse_template(text: &str, offset: usize, mistakes: &mut Vec<Mistake>) -> Option<Template> {
    Template::parse(text, offset).map_err(|reason| mistakes.push(Mistake::at(offset, reason))).ok()
}

fn convert_items(array: &ast::Array<'_>, offset: usize, mistakes: &mut Vec<Mistake>) -> Vec<Pattern> {
    let items: Vec<Pattern> = array.elements.iter().map(|item| convert_value(item, offset, mistakes)).collect();
    for (index, item) in items.iter().enumerate() {
        let reason = match item.matcher() {
            Some(Matcher::Absent) => "{{absent}} is for keys, not for items",
            Some(Matcher::AnyOrder) if index > 0 => "{{any order}} must be the first item",
            _ => continue,
        };
        mistakes.push(Mistake::at(item.range.start, reason));
    }
    items
}

fn convert_properties(object: &ast::Object<'_>, offset: usize, mistakes: &mut Vec<Mistake>) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    let mut keys = std::collections::BTreeSet::new();
    for property in &object.properties {
        let range = property.range.start + offset..property.range.end + offset;
        let key = property.name.as_str();
        if !keys.insert(key.to_owned()) {
            mistakes.push(Mistake::at(range.start, format!("the key '{key}' occurs twice")));
        }
        let name = parse_template(key, range.start, mistakes);
        let value = convert_value(&property.value, offset, mistakes);
        let Some(name) = name else { continue };
        if name.has_matchers_or_captures() {
            let reason = "a key may hold values, such as {{mel.user_id}}, and nothing else";
            mistakes.push(Mistake::at(range.start, reason));
        }
        if matches!(value.matcher(), Some(Matcher::Rest | Matcher::AnyOrder)) {
            mistakes.push(Mistake::at(value.range.start, "{{...}} and {{any order}} are for arrays"));
        }
        properties.push(Property { range, name, value });
    }
    properties
}
