//! Parameter types for texts: not blank, limited in length, nullable.
//!
//! A choice where the API is silent: A-43 in docs/assumptions.md.

use crate::api::parameter::{FromJson, Parameter};
use crate::error::Error;
use crate::realm::text::check_length;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// A trimmed text that is not blank and has at most `MAX` code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonBlank<const MAX: usize>(pub String);

/// A trimmed text that is not blank, of any length.
pub type NonBlankText = NonBlank<{ usize::MAX }>;

impl<const MAX: usize> NonBlank<MAX> {
    fn parse(text: &str, path: &str) -> Result<Self, Error> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Error::bad_value(path, "cannot be blank"));
        }
        check_length(text, path, MAX)?;
        Ok(Self(text.to_owned()))
    }
}

impl<const MAX: usize> Parameter for NonBlank<MAX> {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        Self::parse(text, name)
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        let mut schema = schemars::json_schema!({"type": "string", "minLength": 1});
        if MAX < usize::MAX {
            schema.insert("maxLength".into(), MAX.into());
        }
        schema
    }
}

impl<const MAX: usize> FromJson for NonBlank<MAX> {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        Self::parse(&String::from_json(value, path)?, path)
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Self::schema(generator)
    }
}

/// An untrimmed text of at most `MAX` code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitedText<const MAX: usize>(pub String);

impl<const MAX: usize> Parameter for LimitedText<MAX> {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        check_length(text, name, MAX)?;
        Ok(Self(text.to_owned()))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "maxLength": MAX})
    }
}

/// A text or null. Texts are sent raw, so the text `null` means null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NullableText<T>(pub Option<T>);

impl<T: Parameter> Parameter for NullableText<T> {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        if text == "null" { Ok(Self(None)) } else { T::from_text(text, name).map(|value| Self(Some(value))) }
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let text_schema = T::schema(generator);
        schemars::json_schema!({"anyOf": [text_schema, {"type": "null"}]})
    }
}

/// Returns the text of a parameter for which null means the same as absence.
pub fn non_null<T>(parameter: Option<NullableText<T>>) -> Option<T> {
    parameter.and_then(|parameter| parameter.0)
}
