//! Parameter types of `POST /register`: client capabilities, subscribers to include, idle timeout, narrow of the queue.

use crate::api::parameter::types::event_types::MAX_QUEUE_TEXT_LENGTH;
use crate::api::parameter::{FromJson, Parameter, impl_json_parameter, json_parameter};
use crate::error::Error;
use crate::realm::narrow::MAX_TERMS;
use crate::realm::queue::{Capabilities, MOBILE_IDLE_TIMEOUT_SECONDS, QueueTerm};
use crate::realm::text::check_length;
use crate::record::subscription::IncludeSubscribers;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// `client_capabilities`: an object of booleans; unknown keys are ignored.
#[derive(Clone, Copy, Debug, Default)]
pub struct CapabilitiesParameter(pub Capabilities);

impl FromJson for CapabilitiesParameter {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let object = value.as_object().ok_or_else(|| Error::bad_value(path, "is not a dict"))?;
        let mut capabilities = Capabilities::default();
        for (name, capability) in capabilities.by_name_mut() {
            if let Some(value) = object.get(name) {
                *capability = bool::from_json(value, &format!("{path}[\"{name}\"]"))?;
            }
        }
        Ok(Self(capabilities))
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let mut capabilities = Capabilities::default();
        let properties: serde_json::Map<String, Value> = capabilities
            .by_name_mut()
            .into_iter()
            .map(|(name, _)| (name.to_owned(), serde_json::json!({"type": "boolean"})))
            .collect();
        json_schema!({"type": "object", "properties": properties})
    }
}
impl_json_parameter!(CapabilitiesParameter);

/// Which subscribers the reply lists. `partial` with JSON quotes is refused.
#[derive(Clone, Copy, Debug)]
pub struct IncludeSubscribersParameter(pub IncludeSubscribers);

impl Parameter for IncludeSubscribersParameter {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        match text {
            "true" => Ok(Self(IncludeSubscribers::All)),
            "false" => Ok(Self(IncludeSubscribers::Omitted)),
            "partial" => Ok(Self(IncludeSubscribers::Partial)),
            _ => Err(Error::InvalidValue { parameter: name.into() }),
        }
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": ["true", "false", "partial"]})
    }
}

/// `idle_queue_timeout`: a positive number of seconds, or the text "mobile" (A-8 in docs/assumptions.md).
#[derive(Clone, Copy, Debug)]
pub struct IdleTimeout(pub i64);

impl FromJson for IdleTimeout {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        match value {
            Value::String(word) if word == "mobile" => Ok(Self(MOBILE_IDLE_TIMEOUT_SECONDS)),
            Value::String(_) => Err(Error::InvalidValue { parameter: path.into() }),
            number => match i64::from_json(number, path)? {
                seconds if seconds < 1 => Err(Error::bad_value(path, "is too small")),
                seconds => Ok(Self(seconds)),
            },
        }
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [{"type": "integer", "minimum": 1}, {"const": "mobile"}]})
    }
}

impl Parameter for IdleTimeout {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        if text == "mobile" { Ok(Self(MOBILE_IDLE_TIMEOUT_SECONDS)) } else { json_parameter(text, name) }
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

/// `narrow` of a queue: pairs of operator and operand.
#[derive(Clone, Debug, Default)]
pub struct EventNarrow(pub Vec<(String, String)>);

impl FromJson for EventNarrow {
    fn from_json(value: &Value, path: &str) -> Result<Self, Error> {
        let items = value.as_array().ok_or_else(|| Error::bad_value(path, "is not a list"))?;
        let parse_pair = |(index, item): (usize, &Value)| {
            let pair_path = format!("{path}[{index}]");
            let pair = item.as_array().ok_or_else(|| Error::bad_value(&pair_path, "is not a list"))?;
            let text_at = |position: usize| {
                let value = pair.get(position).unwrap_or(&Value::Null);
                String::from_json(value, &format!("{pair_path}[{position}]"))
            };
            if pair.len() != 2 {
                return Err(Error::bad_value(&pair_path, "is not length 2"));
            }
            Ok((text_at(0)?, text_at(1)?))
        };
        items.iter().enumerate().map(parse_pair).collect::<Result<_, _>>().map(Self)
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let pair = serde_json::json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2});
        json_schema!({"type": "array", "items": pair})
    }
}

impl Parameter for EventNarrow {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        // Limited because the queue stores the narrow.
        check_length(text, name, MAX_QUEUE_TEXT_LENGTH)?;
        json_parameter(text, name)
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        Self::json_schema(generator)
    }
}

impl EventNarrow {
    /// The conditions that messages have to meet to get into the queue.
    ///
    /// # Errors
    ///
    /// `BadNarrow` for more than [`MAX_TERMS`], `OperatorNotSupported`, `OperandNotSupported`.
    pub fn terms(&self) -> Result<Vec<QueueTerm>, Error> {
        if self.0.len() > MAX_TERMS {
            return Err(Error::BadNarrow { desc: format!("more than {MAX_TERMS} terms").into() });
        }
        self.0.iter().map(|(operator, operand)| QueueTerm::new(operator, operand)).collect()
    }
}
