//! Adapts an OpenAPI document to linters and client generators: makes explicit what its schemas leave implicit.

use serde_json::{Map, Value, json};

/// Replaces `true` by `{}` where it is a schema, except in `additionalProperties`; adds `items` to arrays; and splits
/// enums into one schema for each type.
pub fn make_explicit(part: &mut Value) {
    match part {
        Value::Array(items) => items.iter_mut().for_each(make_explicit),
        Value::Object(schema) => {
            schema.values_mut().for_each(make_explicit);
            if allows_arrays(schema) && !schema.contains_key("items") && !schema.contains_key("prefixItems") {
                schema.insert("items".into(), json!({}));
            }
            for keyword in ["properties", "patternProperties", "$defs"] {
                if let Some(Value::Object(properties)) = schema.get_mut(keyword) {
                    properties.values_mut().for_each(replace_true);
                }
            }
            for keyword in ["anyOf", "oneOf", "allOf"] {
                if let Some(Value::Array(alternatives)) = schema.get_mut(keyword) {
                    alternatives.iter_mut().for_each(replace_true);
                }
            }
            if let Some(items) = schema.get_mut("items") {
                replace_true(items);
            }
            split_mixed_enum(schema);
        }
        _ => {}
    }
}

/// Splits an enum of strings and integers into two, because generators need an enum of one type.
fn split_mixed_enum(schema: &mut Map<String, Value>) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let (texts, numbers): (Vec<Value>, Vec<Value>) = values.iter().cloned().partition(Value::is_string);
    if !texts.is_empty() && numbers.iter().any(Value::is_number) && numbers.iter().all(Value::is_number) {
        schema.remove("enum");
        let text_schema = json!({"type": "string", "enum": texts});
        schema.insert("anyOf".into(), json!([text_schema, {"type": "integer", "enum": numbers}]));
    }
}

fn allows_arrays(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => kinds.contains(&json!("array")),
        _ => false,
    }
}

fn replace_true(schema: &mut Value) {
    if *schema == true {
        *schema = json!({});
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implicit_parts_are_made_explicit() {
        let mut schema = json!({
            "type": "object",
            "properties": {"any": true, "list": {"type": ["array", "null"]}, "items": {"type": "boolean", "default": true}},
            "additionalProperties": true,
            "anyOf": [true, {"items": true}],
        });
        let mut choice = json!({"enum": ["one", 1]});

        make_explicit(&mut choice);
        make_explicit(&mut schema);

        let expected = json!({
            "type": "object",
            "properties": {
                "any": {},
                "list": {"type": ["array", "null"], "items": {}},
                "items": {"type": "boolean", "default": true},
            },
            "additionalProperties": true,
            "anyOf": [{}, {"items": {}}],
        });
        assert_eq!(schema, expected);
        let expected = json!({"anyOf": [{"type": "string", "enum": ["one"]}, {"type": "integer", "enum": [1]}]});
        assert_eq!(choice, expected);
    }
}
