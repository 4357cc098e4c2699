//! A compact notation for the schemas of replies that no Rust type describes.
//!
//! `int`, `number`, `string`, `bool`, `null` and `any` are types, `string(a|b)` and `int(1|2)` enums, `T[]` and `[T]`
//! arrays, `T|U` and `{"one_of": [T, U]}` alternatives, `{"*": T}` an object with arbitrary keys, `@Name` a reference
//! to a schema of the document. Any other object has exactly its keys; `key?` is optional.

use serde_json::{Map, Value, json};

/// Converts the notation to a schema.
///
/// # Panics
///
/// For a value that is not in the notation.
pub fn parse_shape(shape: &Value) -> Value {
    match shape {
        Value::String(text) => schema_of_text(text),
        Value::Array(items) => json!({"type": "array", "items": items.first().map_or(json!({}), parse_shape)}),
        Value::Object(keys) => match (keys.get("*"), keys.get("one_of").and_then(Value::as_array)) {
            (Some(values), _) => json!({"type": "object", "additionalProperties": parse_shape(values)}),
            (_, Some(alternatives)) => json!({"anyOf": alternatives.iter().map(parse_shape).collect::<Vec<_>>()}),
            _ => strict_object(keys),
        },
        other => panic!("{other} is not in the notation of schemas"),
    }
}

fn strict_object(keys: &Map<String, Value>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (key, shape) in keys {
        let name = key.strip_suffix('?').unwrap_or(key);
        if name == key {
            required.push(name);
        }
        properties.insert(name.to_owned(), parse_shape(shape));
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn schema_of_text(text: &str) -> Value {
    let alternatives = split_alternatives(text);
    if alternatives.len() > 1 {
        return json!({"anyOf": alternatives.into_iter().map(schema_of_text).collect::<Vec<_>>()});
    }
    if let Some(items) = text.strip_suffix("[]") {
        return json!({"type": "array", "items": schema_of_text(items)});
    }
    if let Some(name) = text.strip_prefix('@') {
        return json!({"$ref": format!("#/components/schemas/{name}")});
    }
    if let Some(values) = text.strip_prefix("string(").and_then(|values| values.strip_suffix(')')) {
        return json!({"enum": values.split('|').collect::<Vec<_>>()});
    }
    if let Some(numbers) = text.strip_prefix("int(").and_then(|numbers| numbers.strip_suffix(')')) {
        let numbers = numbers.split('|').map(|number| number.parse::<i64>().expect("a number"));
        return json!({"enum": numbers.collect::<Vec<_>>()});
    }
    match text {
        "int" => json!({"type": "integer"}),
        "bool" => json!({"type": "boolean"}),
        "any" => json!({}),
        "number" | "string" | "null" => json!({ "type": text }),
        _ => panic!("{text} is not in the notation of schemas"),
    }
}

/// Splits a text at the bars outside of parentheses.
fn split_alternatives(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_separator = |character: char| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == '|' && depth == 0
    };
    text.split(is_separator).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_is_converted_to_a_schema() {
        let shape = json!({"to": {"*": "int[]"}, "of?": "string(a|b)|null"});

        let expected = json!({
            "type": "object",
            "properties": {
                "to": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}},
                "of": {"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]},
            },
            "required": ["to"],
            "additionalProperties": false,
        });
        assert_eq!(parse_shape(&shape), expected);
    }
}
