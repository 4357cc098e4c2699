//! The type of a channel in the parameters `subscriptions` and `add`, which list the channels to subscribe to.

use crate::api::parameter::FromJson;
use crate::error::Error;
use crate::realm::channel::MAX_CHANNEL_DESCRIPTION_LENGTH;
use crate::realm::subscription_colors::is_color;
use crate::realm::text::check_length;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// A channel to subscribe to, which the request creates if it does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelToSubscribe {
    /// As sent; not checked yet.
    pub name: String,
    /// The color of the subscription: `#` and 3 or 6 hexadecimal digits. None: the server chooses one.
    pub color: Option<String>,
    /// At most 1,024 code points. Used only if the request creates the channel.
    pub description: Option<String>,
}

impl FromJson for ChannelToSubscribe {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let object = value.as_object().ok_or_else(|| Error::bad_value(path, "is not a dict"))?;
        let text_field = |key: &str| match object.get(key) {
            Some(value) => Option::<String>::from_json(value, &format!("{path}[\"{key}\"]")),
            None => Ok(None),
        };
        let name = object
            .get("name")
            .ok_or_else(|| Error::bad_value(format!("{path}[\"name\"]"), "field is missing: Field required"))?;
        let name = String::from_json(name, &format!("{path}[\"name\"]"))?;
        let color = text_field("color")?;
        if color.as_deref().is_some_and(|color| !is_color(color)) {
            // Real servers have this text for both parameters.
            let reason = "add.color is not a valid hex color code".into();
            return Err(Error::InvalidValueBecause { parameter: path.into(), reason });
        }
        let description = text_field("description")?;
        if let Some(description) = &description {
            check_length(description, &format!("{path}[\"description\"]"), MAX_CHANNEL_DESCRIPTION_LENGTH)?;
        }
        Ok(Self { name, color, description })
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "color": {"type": ["string", "null"]},
                "description": {"type": ["string", "null"]},
            },
            "required": ["name"],
        })
    }
}
