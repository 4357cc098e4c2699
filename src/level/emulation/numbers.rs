//! Switches that are whole numbers: `true` for 1, `false` for 0.

use crate::api::parameter::ParameterInfo;
use schemars::SchemaGenerator;
use serde_json::Value;
use std::collections::BTreeMap;

/// A parameter that takes whole numbers.
pub struct Numbers {
    name: &'static str,
    schema: Value,
    /// It may be a number itself, or a switch in place of one.
    is_single: bool,
}

impl Numbers {
    /// Where the parameter takes whole numbers, itself or in lists and objects; None where it takes none.
    pub fn of(info: &ParameterInfo, is_single: bool) -> Option<Self> {
        let schema = (info.schema)(&mut SchemaGenerator::default()).to_value();
        let has_numbers = schema.to_string().contains("\"integer\"");
        has_numbers.then_some(Self { name: info.name, schema, is_single: is_single && info.is_json })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Replaces the switches in a request's value.
    pub fn replace(&self, values: &mut BTreeMap<String, String>) {
        let Some(text) = values.get_mut(self.name) else { return };
        match text.trim() {
            "true" if self.is_single && is_number(&self.schema) => "1".clone_into(text),
            "false" if self.is_single && is_number(&self.schema) => "0".clone_into(text),
            inside if inside.starts_with(['[', '{']) && (inside.contains("true") || inside.contains("false")) => {
                let Ok(mut value) = serde_json::from_str(inside) else { return };
                if replace_inside(&mut value, &self.schema) {
                    *text = value.to_string();
                }
            }
            _ => {}
        }
    }
}

/// Replaces a number that has no place in 64 bits, where such were no whole numbers.
pub const NO_WHOLE_NUMBER: &str = "0.5";

/// Whether a text is a whole number that has no place in 64 bits.
pub fn is_beyond_range(text: &str) -> bool {
    let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    is_number
        && text.parse::<i64>().is_err()
        && text.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        && text.len() > 18
}

/// The forms that a value may have.
fn forms(schema: &Value) -> &[Value] {
    schema["anyOf"].as_array().map_or_else(|| std::slice::from_ref(schema), Vec::as_slice)
}

/// Whether a whole number fits, and no switch.
fn is_number(schema: &Value) -> bool {
    let has = |kind: &str| forms(schema).iter().any(|form| form["type"] == kind);
    has("integer") && !has("boolean")
}

/// Replaces what is inside of a list or object; whether anything was.
fn replace_inside(value: &mut Value, schema: &Value) -> bool {
    let mut is_changed = false;
    for form in forms(schema) {
        match value {
            Value::Array(items) => {
                items.iter_mut().for_each(|item| is_changed |= replace_in(item, &form["items"]));
            }
            Value::Object(fields) => {
                for (key, field) in fields.iter_mut() {
                    is_changed |= replace_in(field, &form["properties"][key.as_str()]);
                }
            }
            _ => {}
        }
    }
    is_changed
}

fn replace_in(value: &mut Value, schema: &Value) -> bool {
    match value {
        Value::Bool(is_on) if is_number(schema) => {
            *value = i64::from(*is_on).into();
            true
        }
        _ => replace_inside(value, schema),
    }
}
