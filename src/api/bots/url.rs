//! The parameter with the URL that an outgoing webhook calls.

use crate::api::parameter::{FromJson, impl_json_parameter};
use crate::error::Error;
use crate::realm::url::is_url;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// A URL, which clients send as a JSON string, in quotes.
#[derive(Clone, Debug)]
pub struct Url(pub String);

impl FromJson for Url {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let url = String::from_json(value, path)?;
        if is_url(&url) { Ok(Self(url)) } else { Err(Error::bad_value(path, "is not a URL")) }
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<String>()
    }
}
impl_json_parameter!(Url);
