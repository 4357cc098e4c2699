//! Adapts the document to linters and client generators, which support only a part of the standard.

use serde_json::{Map, Value, json};

/// Makes explicit what schemas leave implicit and tools need: `{}` instead of `true`, `items` of arrays, and a schema
/// for each type of an enum.
pub fn make_explicit(part: &mut Value) {
    match part {
        Value::Array(members) => members.iter_mut().for_each(make_explicit),
        Value::Object(keys) => {
            keys.values_mut().for_each(make_explicit);
            if allows_arrays(keys) && !keys.contains_key("items") && !keys.contains_key("prefixItems") {
                keys.insert("items".into(), json!({}));
            }
            for keyword in ["properties", "patternProperties", "$defs"] {
                if let Some(Value::Object(members)) = keys.get_mut(keyword) {
                    members.values_mut().for_each(replace_true);
                }
            }
            for keyword in ["anyOf", "oneOf", "allOf"] {
                if let Some(Value::Array(members)) = keys.get_mut(keyword) {
                    members.iter_mut().for_each(replace_true);
                }
            }
            if let Some(items) = keys.get_mut("items") {
                replace_true(items);
            }
            split_mixed_enum(keys);
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

/// The schema of a JSON parameter in a query. Numbers and booleans are the same in JSON and in a query; all other types
/// are strings there, with their schema in `contentSchema`.
pub fn schema_in_query(schema: Value) -> Value {
    match schema["type"].as_str() {
        Some("boolean" | "integer" | "number") => schema,
        _ => json!({"type": "string", "contentMediaType": "application/json", "contentSchema": schema}),
    }
}

/// The operation ID for a type, such as `sendMessage` for `api::messages::SendMessage`.
pub fn operation_id(type_name: &str) -> String {
    let path = type_name.split('<').next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    let mut characters = name.chars();
    characters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(characters).collect()
}

/// The tag of an operation: the first module below `api`; `other` if it is not in `api`.
pub fn operation_tag(type_name: &str) -> &str {
    type_name.split("::").skip_while(|part| *part != "api").nth(1).unwrap_or("other")
}

/// The list of all tags that operations have.
pub fn tags(paths: &Map<String, Value>) -> Value {
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    let used_tags = operations.filter_map(|operation| operation["tags"].as_array()).flatten();
    let mut names: Vec<&str> = used_tags.filter_map(Value::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let tag_object = |name: &str| json!({"name": name, "description": format!("About {}.", name.replace('_', " "))});
    names.into_iter().map(tag_object).collect()
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

    #[test]
    fn operation_ids_and_tags_follow_from_type_names() {
        assert_eq!(operation_id("chatdouble::api::messages::send::SendMessage"), "sendMessage");
        assert_eq!(operation_id("chatdouble::api::pictures::Upload<chatdouble::api::Logo>"), "upload");
        assert_eq!(operation_tag("chatdouble::api::messages::send::SendMessage"), "messages");
    }
}
