//! Reading what a service sends: values with their places, so that a refusal names what is missing.
//!
//! A choice where the API is silent: A-570 in docs/assumptions.md.

use crate::error::Error;
use serde_json::{Map, Value};

/// A value in a payload.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    value: &'a Value,
    /// Where it is: `request["alerts"][0]`.
    at: String,
}

impl<'a> Part<'a> {
    /// The whole payload, by the name that refusals give it.
    pub fn whole(value: &'a Value, name: &str) -> Self {
        Self { value, at: name.to_owned() }
    }

    fn refusal(&self, problem: &str) -> Error {
        Error::bad_value(self.at.as_str(), problem)
    }

    fn object(&self) -> Result<&'a Map<String, Value>, Error> {
        self.value.as_object().ok_or_else(|| self.refusal("is not a dict"))
    }

    fn within(&self, name: &str, value: &'a Value) -> Self {
        Self { value, at: format!("{}[{name:?}]", self.at) }
    }

    /// The value itself.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// The member of this name.
    ///
    /// # Errors
    ///
    /// `BadValue`, where there is none.
    pub fn key(&self, name: &str) -> Result<Self, Error> {
        let Some(value) = self.object()?.get(name) else {
            return Err(Error::bad_value(format!("{}[{name:?}]", self.at), "is missing"));
        };
        Ok(self.within(name, value))
    }

    /// The member of this name, where there is one, be it null.
    ///
    /// # Errors
    ///
    /// `BadValue` where this is no object.
    pub fn find(&self, name: &str) -> Result<Option<Self>, Error> {
        Ok(self.object()?.get(name).map(|value| self.within(name, value)))
    }

    /// The member of this name, unless it is null, false, zero or empty.
    ///
    /// # Errors
    ///
    /// `BadValue` where this is no object.
    pub fn non_empty(&self, name: &str) -> Result<Option<Self>, Error> {
        Ok(self.find(name)?.filter(Self::is_non_empty))
    }

    fn is_non_empty(&self) -> bool {
        match self.value {
            Value::Null => false,
            Value::Bool(is_true) => *is_true,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            Value::Object(members) => !members.is_empty(),
        }
    }

    /// The text that this is.
    ///
    /// # Errors
    ///
    /// `BadValue` where it is none.
    pub fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.refusal("is not a string"))
    }

    /// The text of a member.
    ///
    /// # Errors
    ///
    /// `BadValue` where there is none.
    pub fn text_of(&self, name: &str) -> Result<&'a str, Error> {
        self.key(name)?.text()
    }

    /// The text of a member that must be there and may be null.
    ///
    /// # Errors
    ///
    /// `BadValue` where it is missing or another kind of value.
    pub fn text_or_null(&self, name: &str) -> Result<Option<&'a str>, Error> {
        let part = self.key(name)?;
        if part.value.is_null() { Ok(None) } else { part.text().map(Some) }
    }

    /// One of these words.
    ///
    /// # Errors
    ///
    /// `BadValue` where it is no text, `InvalidValue` where it is another word.
    pub fn word(&self, words: &[&str]) -> Result<&'a str, Error> {
        let text = self.text()?;
        if words.contains(&text) { Ok(text) } else { Err(Error::InvalidValue { parameter: self.at.as_str().into() }) }
    }

    /// The whole number of a member.
    ///
    /// # Errors
    ///
    /// `BadValue` where there is none.
    pub fn number_of(&self, name: &str) -> Result<i64, Error> {
        let part = self.key(name)?;
        part.value.as_i64().ok_or_else(|| part.refusal("is not an integer"))
    }

    /// Whether a member is true.
    ///
    /// # Errors
    ///
    /// `BadValue` where there is none.
    pub fn switch_of(&self, name: &str) -> Result<bool, Error> {
        let part = self.key(name)?;
        part.value.as_bool().ok_or_else(|| part.refusal("is not a boolean"))
    }

    /// The address that this is.
    ///
    /// # Errors
    ///
    /// `BadValue` where it is none.
    pub fn address(&self) -> Result<&'a str, Error> {
        let text = self.text()?;
        let is_address = ["http://", "https://", "ftp://", "ftps://"].iter().any(|scheme| text.starts_with(scheme));
        if is_address { Ok(text) } else { Err(self.refusal("is not a URL")) }
    }

    /// The elements of a list.
    ///
    /// # Errors
    ///
    /// `BadValue` where this is none.
    pub fn items(&self) -> Result<impl Iterator<Item = Self>, Error> {
        let items = self.value.as_array().ok_or_else(|| self.refusal("is not a list"))?;
        Ok(items.iter().enumerate().map(|(index, value)| Self { value, at: format!("{}[{index}]", self.at) }))
    }

    /// The members of an object, in their order.
    ///
    /// # Errors
    ///
    /// `BadValue` where this is none.
    pub fn members(&self) -> Result<impl Iterator<Item = (&'a str, Self)>, Error> {
        Ok(self.object()?.iter().map(|(name, value)| (name.as_str(), self.within(name, value))))
    }
}
