//! Reading JSON payloads: values with their paths, so that errors can name the missing or malformed value.
//!
//! A choice where the API is silent: A-570 in docs/assumptions.md.

use crate::error::Error;
use serde_json::{Map, Value};

/// A value in a payload, with its path.
#[derive(Clone, Debug)]
pub struct PayloadValue<'a> {
    value: &'a Value,
    /// For example `request["alerts"][0]`.
    path: String,
}

impl<'a> PayloadValue<'a> {
    /// The payload itself. `name` is the first part of the paths in errors.
    pub fn root(value: &'a Value, name: &str) -> Self {
        Self { value, path: name.to_owned() }
    }

    fn bad_value(&self, problem: &str) -> Error {
        Error::bad_value(self.path.as_str(), problem)
    }

    fn object(&self) -> Result<&'a Map<String, Value>, Error> {
        self.value.as_object().ok_or_else(|| self.bad_value("is not a dict"))
    }

    fn member(&self, name: &str, value: &'a Value) -> Self {
        Self { value, path: format!("{}[{name:?}]", self.path) }
    }

    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// The member with a name.
    ///
    /// # Errors
    ///
    /// `BadValue` if there is none or if the value is not an object.
    pub fn require(&self, name: &str) -> Result<Self, Error> {
        let Some(value) = self.object()?.get(name) else {
            return Err(Error::bad_value(format!("{}[{name:?}]", self.path), "is missing"));
        };
        Ok(self.member(name, value))
    }

    /// The member with a name, which may be null; None if there is none.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object.
    pub fn find(&self, name: &str) -> Result<Option<Self>, Error> {
        Ok(self.object()?.get(name).map(|value| self.member(name, value)))
    }

    /// The member with a name; None if there is none or if it is null, false, zero or empty.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object.
    pub fn find_non_empty(&self, name: &str) -> Result<Option<Self>, Error> {
        Ok(self.find(name)?.filter(Self::is_non_empty))
    }

    fn is_non_empty(&self) -> bool {
        match self.value {
            Value::Null => false,
            Value::Bool(boolean) => *boolean,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
        }
    }

    /// The value as a text.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not a string.
    pub fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.bad_value("is not a string"))
    }

    /// The text of a member.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object, or if the member is missing or not a string.
    pub fn text_of(&self, name: &str) -> Result<&'a str, Error> {
        self.require(name)?.text()
    }

    /// The text of a member that is required but may be null.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object, or if the member is missing or neither a string nor null.
    pub fn text_or_null(&self, name: &str) -> Result<Option<&'a str>, Error> {
        let member = self.require(name)?;
        if member.value.is_null() { Ok(None) } else { member.text().map(Some) }
    }

    /// The text, which has to be one of these words.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not a string, `InvalidValue` if it is another word.
    pub fn one_of(&self, words: &[&str]) -> Result<&'a str, Error> {
        let text = self.text()?;
        if words.contains(&text) { Ok(text) } else { Err(Error::InvalidValue { parameter: self.path.as_str().into() }) }
    }

    /// The integer of a member.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object, or if the member is missing or not an integer.
    pub fn integer_of(&self, name: &str) -> Result<i64, Error> {
        let member = self.require(name)?;
        member.value.as_i64().ok_or_else(|| member.bad_value("is not an integer"))
    }

    /// The boolean of a member.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object, or if the member is missing or not a boolean.
    pub fn bool_of(&self, name: &str) -> Result<bool, Error> {
        let member = self.require(name)?;
        member.value.as_bool().ok_or_else(|| member.bad_value("is not a boolean"))
    }

    /// The text, which has to be a URL.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not a string, or does not begin with the scheme `http`, `https`, `ftp` or `ftps`.
    pub fn url(&self) -> Result<&'a str, Error> {
        let text = self.text()?;
        let is_url = ["http://", "https://", "ftp://", "ftps://"].iter().any(|scheme| text.starts_with(scheme));
        if is_url { Ok(text) } else { Err(self.bad_value("is not a URL")) }
    }

    /// The items of a list.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not a list.
    pub fn items(&self) -> Result<impl Iterator<Item = Self>, Error> {
        let items = self.value.as_array().ok_or_else(|| self.bad_value("is not a list"))?;
        Ok(items.iter().enumerate().map(|(index, value)| Self { value, path: format!("{}[{index}]", self.path) }))
    }

    /// The names and values of an object's members, in the order of the payload.
    ///
    /// # Errors
    ///
    /// `BadValue` if the value is not an object.
    pub fn members(&self) -> Result<impl Iterator<Item = (&'a str, Self)>, Error> {
        Ok(self.object()?.iter().map(|(name, value)| (name.as_str(), self.member(name, value))))
    }
}
