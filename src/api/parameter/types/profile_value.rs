//! Values of custom profile fields in requests.

use crate::api::parameter::FromJson;
use crate::error::Error;
use crate::realm::id::UserId;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// A value before it is checked: a text, or users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedProfileValue {
    Text(String),
    Users(Vec<UserId>),
}

impl FromJson for RequestedProfileValue {
    /// Accepts a text or a list of user IDs; the error for all other values is `is not a string`.
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let parse_users = || Vec::<UserId>::from_json(value, path).ok().map(Self::Users);
        let text = value.as_str().map(|text| Self::Text(text.to_owned()));
        // Real servers name the first member of the union.
        text.or_else(parse_users).ok_or_else(|| Error::bad_value(format!("{path}[\"str\"]"), "is not a string"))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (text, users) = (String::json_schema(generator), Vec::<UserId>::json_schema(generator));
        schemars::json_schema!({"anyOf": [text, users]})
    }
}

impl RequestedProfileValue {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Users(users) => users.is_empty(),
        }
    }
}
