//! What linters and generators of clients understand of what the standard allows.

use serde_json::{Map, Value, json};

/// Says in the schemas within a part of a document what tools stumble over when it is left out: `{}` for `true`, and of what
/// an array is.
pub fn spell_out(part: &mut Value) {
    match part {
        Value::Array(members) => members.iter_mut().for_each(spell_out),
        Value::Object(keys) => {
            keys.values_mut().for_each(spell_out);
            if is_array(keys) && !keys.contains_key("items") && !keys.contains_key("prefixItems") {
                keys.insert("items".into(), json!({}));
            }
            for place in ["properties", "patternProperties", "$defs"] {
                if let Some(Value::Object(members)) = keys.get_mut(place) {
                    members.values_mut().for_each(open);
                }
            }
            for place in ["anyOf", "oneOf", "allOf"] {
                if let Some(Value::Array(members)) = keys.get_mut(place) {
                    members.iter_mut().for_each(open);
                }
            }
            if let Some(items) = keys.get_mut("items") {
                open(items);
            }
            divide(keys);
        }
        _ => {}
    }
}

/// Lists texts and numbers apart, which generators make a type each of.
fn divide(schema: &mut Map<String, Value>) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let (texts, others): (Vec<Value>, Vec<Value>) = values.iter().cloned().partition(Value::is_string);
    if !texts.is_empty() && others.iter().any(Value::is_number) && others.iter().all(Value::is_number) {
        schema.remove("enum");
        let texts = json!({"type": "string", "enum": texts});
        schema.insert("anyOf".into(), json!([texts, {"type": "integer", "enum": others}]));
    }
}

fn is_array(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => kinds.contains(&json!("array")),
        _ => false,
    }
}

fn open(schema: &mut Value) {
    if *schema == true {
        *schema = json!({});
    }
}

/// The schema of a parameter in a query that travels as JSON. A number and a truth value look as they do in a query anyway;
/// what has parts is text there, and `contentSchema` says what it holds.
pub fn in_query(schema: Value) -> Value {
    match schema["type"].as_str() {
        Some("boolean" | "integer" | "number") => schema,
        _ => json!({"type": "string", "contentMediaType": "application/json", "contentSchema": schema}),
    }
}

/// A type's name as the name of a function: `sendMessage` for `api::messages::SendMessage`.
pub fn function_name(type_name: &str) -> String {
    let path = type_name.split('<').next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}

/// The family that an operation is of: the first module below that of all operations.
pub fn family(type_name: &str) -> &str {
    type_name.split("::").skip_while(|part| *part != "api").nth(1).unwrap_or("other")
}

/// The tags that a document's operations have, as its own list of them.
pub fn tags(paths: &Map<String, Value>) -> Value {
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    let used = operations.filter_map(|operation| operation["tags"].as_array()).flatten();
    let mut names: Vec<&str> = used.filter_map(Value::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let described = |name: &str| json!({"name": name, "description": format!("About {}.", name.replace('_', " "))});
    names.into_iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_do_not_read_is_spelt_out() {
        let mut schema = json!({
            "type": "object",
            "properties": {"any": true, "list": {"type": ["array", "null"]}, "items": {"type": "boolean", "default": true}},
            "additionalProperties": true,
            "anyOf": [true, {"items": true}],
        });
        let mut choice = json!({"enum": ["one", 1]});

        spell_out(&mut choice);
        spell_out(&mut schema);

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
    fn a_type_names_a_function_and_its_module_a_family() {
        assert_eq!(function_name("chatdouble::api::messages::send::SendMessage"), "sendMessage");
        assert_eq!(function_name("chatdouble::api::pictures::Upload<chatdouble::api::Logo>"), "upload");
        assert_eq!(family("chatdouble::api::messages::send::SendMessage"), "messages");
    }
}
