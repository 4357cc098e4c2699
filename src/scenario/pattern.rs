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
    /// What is wrong, at its place.
    pub fn parse(text: &str, at: usize) -> Result<Self, Mistake> {
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
        read(&value, at)
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

fn read(value: &ast::Value<'_>, at: usize) -> Result<Pattern, Mistake> {
    let range = value.range().start + at..value.range().end + at;
    let shape = match value {
        ast::Value::NullKeyword(_) => Shape::Null,
        ast::Value::BooleanLit(literal) => Shape::Boolean(literal.value),
        ast::Value::NumberLit(literal) => {
            let number = literal.value.parse().map_err(|_| Mistake::at(range.start, "no number that JSON has"))?;
            Shape::Number(number)
        }
        ast::Value::StringLit(literal) => Shape::Text(text(&literal.value, range.start)?),
        ast::Value::Array(array) => Shape::Array(items(array, at)?),
        ast::Value::Object(object) => Shape::Object(properties(object, at)?),
    };
    Ok(Pattern { range, shape })
}

fn text(text: &str, at: usize) -> Result<Template, Mistake> {
    Template::parse(text, at).map_err(|reason| Mistake::at(at, reason))
}

fn items(array: &ast::Array<'_>, at: usize) -> Result<Vec<Pattern>, Mistake> {
    let items: Vec<Pattern> = array.elements.iter().map(|item| read(item, at)).collect::<Result<_, _>>()?;
    for (index, item) in items.iter().enumerate() {
        match item.matcher() {
            Some(Matcher::Absent) => {
                return Err(Mistake::at(item.range.start, "{{absent}} is said of a key, not of an item"));
            }
            Some(Matcher::AnyOrder) if index > 0 => {
                return Err(Mistake::at(item.range.start, "{{any order}} is the first item"));
            }
            _ => {}
        }
    }
    Ok(items)
}

fn properties(object: &ast::Object<'_>, at: usize) -> Result<Vec<Property>, Mistake> {
    let mut properties: Vec<Property> = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for property in &object.properties {
        let range = property.range.start + at..property.range.end + at;
        let name = property.name.as_str();
        if !names.insert(name.to_owned()) {
            return Err(Mistake::at(range.start, format!("the key '{name}' is there twice")));
        }
        let name = text(name, range.start)?;
        let value = read(&property.value, at)?;
        if name.is_expectation() {
            return Err(Mistake::at(range.start, "a key may hold values, such as {{mel.user_id}}, and nothing else"));
        }
        if matches!(value.matcher(), Some(Matcher::Rest | Matcher::AnyOrder)) {
            return Err(Mistake::at(value.range.start, "{{...}} and {{any order}} are said in arrays"));
        }
        properties.push(Property { range, name, value });
    }
    Ok(properties)
}
