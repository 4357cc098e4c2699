//! JSON with placeholders: an expectation, or a body to be filled in.

use super::mistake::Mistake;
use super::template::{Matcher, Part, Template};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Number;
use std::ops::Range;

/// A JSON value with placeholders, and where it is.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Bytes from the file's start.
    pub range: Range<usize>,
    /// What it is.
    pub shape: Shape,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Shape {
    /// null
    Null,
    /// true or false
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A text, or a placeholder that matches anything.
    Text(Template),
    /// An object.
    Object(Vec<Property>),
    /// An array.
    Array(Vec<Pattern>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Property {
    /// Of both, bytes from the file's start.
    pub range: Range<usize>,
    /// The key, which may refer to values.
    pub name: Template,
    /// The value.
    pub value: Pattern,
}

impl Pattern {
    /// Reads JSON that begins at a place of a file.
    ///
    /// # Errors
    ///
    /// All that is wrong, each at its place.
    pub fn parse(text: &str, at: usize) -> Result<Self, Vec<Mistake>> {
        let strict = ParseOptions {
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
        let parsed = parse_to_ast(text, &CollectOptions::default(), &strict)
            .map_err(|error| Mistake::at(at + error.range().start, format!("no JSON: {}", error.kind())))?;
        let value = parsed.value.ok_or_else(|| Mistake::at(at, "JSON is missing"))?;
        let mut mistakes = Vec::new();
        let pattern = read(&value, at, &mut mistakes);
        if mistakes.is_empty() { Ok(pattern) } else { Err(mistakes) }
    }

    /// All texts in it, keys included.
    pub fn templates(&self) -> Vec<&Template> {
        match &self.shape {
            Shape::Null | Shape::Boolean(_) | Shape::Number(_) => Vec::new(),
            Shape::Text(template) => vec![template],
            Shape::Array(items) => items.iter().flat_map(Pattern::templates).collect(),
            Shape::Object(properties) => properties
                .iter()
                .flat_map(|property| std::iter::once(&property.name).chain(property.value.templates()))
                .collect(),
        }
    }

    /// The matcher that it is as a whole.
    pub fn matcher(&self) -> Option<&Matcher> {
        match &self.shape {
            Shape::Text(template) => match template.only() {
                Some(Part::Matcher(matcher)) => Some(matcher),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Reads a value; what has a mistake is read as null.
fn read(value: &ast::Value<'_>, at: usize, mistakes: &mut Vec<Mistake>) -> Pattern {
    let range = value.range().start + at..value.range().end + at;
    let shape = match value {
        ast::Value::NullKeyword(_) => Shape::Null,
        ast::Value::BooleanLit(literal) => Shape::Boolean(literal.value),
        ast::Value::NumberLit(literal) => literal.value.parse().map_or_else(
            |_| {
                mistakes.push(Mistake::at(range.start, "no number that JSON has"));
                Shape::Null
            },
            Shape::Number,
        ),
        ast::Value::StringLit(literal) => text(&literal.value, range.start, mistakes).map_or(Shape::Null, Shape::Text),
        ast::Value::Array(array) => Shape::Array(items(array, at, mistakes)),
        ast::Value::Object(object) => Shape::Object(properties(object, at, mistakes)),
    };
    Pattern { range, shape }
}

fn text(text: &str, at: usize, mistakes: &mut Vec<Mistake>) -> Option<Template> {
    Template::parse(text, at).map_err(|reason| mistakes.push(Mistake::at(at, reason))).ok()
}

fn items(array: &ast::Array<'_>, at: usize, mistakes: &mut Vec<Mistake>) -> Vec<Pattern> {
    let items: Vec<Pattern> = array.elements.iter().map(|item| read(item, at, mistakes)).collect();
    for (index, item) in items.iter().enumerate() {
        let reason = match item.matcher() {
            Some(Matcher::Absent) => "{{absent}} is said of a key, not of an item",
            Some(Matcher::AnyOrder) if index > 0 => "{{any order}} is the first item",
            _ => continue,
        };
        mistakes.push(Mistake::at(item.range.start, reason));
    }
    items
}

fn properties(object: &ast::Object<'_>, at: usize, mistakes: &mut Vec<Mistake>) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for property in &object.properties {
        let range = property.range.start + at..property.range.end + at;
        let name = property.name.as_str();
        if !names.insert(name.to_owned()) {
            mistakes.push(Mistake::at(range.start, format!("the key '{name}' is there twice")));
        }
        let name = text(name, range.start, mistakes);
        let value = read(&property.value, at, mistakes);
        let Some(name) = name else { continue };
        if name.is_expectation() {
            let reason = "a key may hold values, such as {{mel.user_id}}, and nothing else";
            mistakes.push(Mistake::at(range.start, reason));
        }
        if matches!(value.matcher(), Some(Matcher::Rest | Matcher::AnyOrder)) {
            mistakes.push(Mistake::at(value.range.start, "{{...}} and {{any order}} are said in arrays"));
        }
        properties.push(Property { range, name, value });
    }
    properties
}
