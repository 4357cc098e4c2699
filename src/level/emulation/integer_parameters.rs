//! How older levels parse integer parameters: they accept `true` and `false` for 1 and 0, and refuse integers outside
//! the range of `i64` as values of a wrong type.

use crate::api::parameter::ParameterInfo;
use schemars::SchemaGenerator;
use serde_json::Value;
use std::collections::BTreeMap;

/// A parameter with integers, either as its value or within lists and objects.
pub struct IntegerParameter {
    name: &'static str,
    /// The JSON schema of the value.
    schema: Value,
    /// Whether a boolean may replace the whole value.
    accepts_single_boolean: bool,
}

impl IntegerParameter {
    /// None if the parameter takes no integers.
    pub fn from_info(info: &ParameterInfo, accepts_single_boolean: bool) -> Option<Self> {
        let schema = (info.schema)(&mut SchemaGenerator::default()).to_value();
        let has_integers = schema.to_string().contains("\"integer\"");
        has_integers.then_some(Self {
            name: info.name,
            schema,
            accepts_single_boolean: accepts_single_boolean && info.is_json,
        })
    }

    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Replaces the booleans in the value of a request with integers.
    pub fn replace_booleans(&self, values: &mut BTreeMap<String, String>) {
        let Some(text) = values.get_mut(self.name) else { return };
        match text.trim() {
            "true" if self.accepts_single_boolean && takes_integer(&self.schema) => "1".clone_into(text),
            "false" if self.accepts_single_boolean && takes_integer(&self.schema) => "0".clone_into(text),
            json if json.starts_with(['[', '{']) && (json.contains("true") || json.contains("false")) => {
                let Ok(mut value) = serde_json::from_str(json) else { return };
                if replace_nested(&mut value, &self.schema) {
                    *text = value.to_string();
                }
            }
            _ => {}
        }
    }
}

/// Replaces integers that do not fit in `i64`. Older levels refused them with the error for values that are not
/// integers; this text gets the same error.
pub const NOT_AN_INTEGER: &str = "0.5";

/// Integers with no more digits than this fit in `i64`.
const MAX_DIGITS_WITHIN_RANGE: usize = 18;

/// Whether a text is an integer outside the range of `i64`.
pub fn is_integer_beyond_range(text: &str) -> bool {
    let starts_like_integer = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    starts_like_integer
        && text.parse::<i64>().is_err()
        && text.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        && text.len() > MAX_DIGITS_WITHIN_RANGE
}

/// The schemas of which a value has to match one.
fn alternatives(schema: &Value) -> &[Value] {
    schema["anyOf"].as_array().map_or_else(|| std::slice::from_ref(schema), Vec::as_slice)
}

/// Whether a schema allows integers but no booleans.
fn takes_integer(schema: &Value) -> bool {
    let has_type = |kind: &str| alternatives(schema).iter().any(|alternative| alternative["type"] == kind);
    has_type("integer") && !has_type("boolean")
}

/// Replaces the booleans within a list or object that are in the place of integers; returns whether there were any.
fn replace_nested(value: &mut Value, schema: &Value) -> bool {
    let mut is_changed = false;
    for alternative in alternatives(schema) {
        match value {
            Value::Array(items) => {
                items.iter_mut().for_each(|item| is_changed |= replace_value(item, &alternative["items"]));
            }
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut() {
                    is_changed |= replace_value(field, &alternative["properties"][key.as_str()]);
                }
            }
            _ => {}
        }
    }
    is_changed
}

fn replace_value(value: &mut Value, schema: &Value) -> bool {
    match value {
        Value::Bool(boolean) if takes_integer(schema) => {
            *value = i64::from(*boolean).into();
            true
        }
        _ => replace_nested(value, schema),
    }
}
