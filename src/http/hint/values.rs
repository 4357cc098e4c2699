//! Hints for wrong values of parameters: their JSON type, their possible values, and misspelled types of events.

use super::nearest::find_similar;
use crate::api::OperationRow;
use crate::api::parameter::{ParameterInfo, RawParameters};
use crate::error::Error;
use crate::record::events::SCHEMAS;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

/// The parameters that take types of events.
const EVENT_TYPE_PARAMETERS: [&str; 2] = ["event_types", "fetch_event_types"];
/// A parameter with more possible values than this gets no list of them.
const MAX_LISTED_VALUES: usize = 12;
/// Of the event types that a request sends, at most this many unknown ones are compared with the known ones.
const MAX_COMPARED_TYPES: usize = 12;
/// An example is made only from a sent value of at most this length.
const MAX_EXAMPLE_CHARS: usize = 40;

/// A hint for a value that a parameter does not take: its possible values and the nearest of them, or its JSON type.
pub fn for_value(error: &Error, row: &OperationRow, raw: &RawParameters) -> Option<String> {
    let (Error::BadValue { parameter, .. }
    | Error::InvalidValue { parameter }
    | Error::InvalidValueBecause { parameter, .. }) = error
    else {
        return None;
    };
    let name = parameter.as_str()?;
    let info = row.parameters.iter().find(|info| info.name == name)?;
    let sent_value = raw.text(info).ok()??;
    let schema = (info.schema)(&mut SchemaGenerator::default()).to_value();
    possible_values_hint(info, &schema, sent_value).or_else(|| json_type_hint(info, &schema, sent_value))
}

fn possible_values_hint(info: &ParameterInfo, schema: &Value, sent_value: &str) -> Option<String> {
    let values = schema["enum"].as_array()?;
    if values.is_empty() || values.len() > MAX_LISTED_VALUES {
        return None;
    }
    let names: Vec<String> =
        values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into)).collect();
    let nearest = find_similar(sent_value, names.iter().cloned()).map(|nearest| format!("; the nearest is {nearest}"));
    Some(format!("{} takes one of: {}{}.", info.name, names.join(", "), nearest.unwrap_or_default()))
}

/// A hint for a value that is not JSON or, where a list is needed, is JSON of another type.
fn json_type_hint(info: &ParameterInfo, schema: &Value, sent_value: &str) -> Option<String> {
    if !info.is_json
        || serde_json::from_str::<Value>(sent_value).is_ok_and(|value| schema["type"] != "array" || value.is_array())
    {
        return None;
    }
    let name = info.name;
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let kinds: Vec<&str> =
            alternatives.iter().filter_map(|schema| json_type_in_words(schema["type"].as_str()?)).collect();
        return (!kinds.is_empty()).then(|| format!("{name} takes {}.", kinds.join(" or ")));
    }
    match schema["type"].as_str()? {
        "array" => {
            let items = sent_value.split(',').map(|item| item.trim_matches([' ', '[', ']', '"', '\'']));
            let items: Vec<&str> = items.filter(|item| !item.is_empty()).collect();
            let example = match schema["items"]["type"].as_str() {
                Some("integer") => json!(items.iter().filter_map(|item| item.parse::<i64>().ok()).collect::<Vec<_>>()),
                Some("string") => json!(items),
                _ => return Some(format!("{name} takes a list in JSON.")),
            };
            let has_example =
                !items.is_empty() && sent_value.chars().count() <= MAX_EXAMPLE_CHARS && example != json!([]);
            let example_clause = if has_example { format!(", such as {example}") } else { String::new() };
            Some(format!("{name} takes a list in JSON{example_clause}."))
        }
        "object" => Some(format!("{name} takes an object in JSON, such as {{\"key\": true}}.")),
        kind => json_type_in_words(kind).map(|words| format!("{name} takes {words}.")),
    }
}

/// A type of JSON in words.
fn json_type_in_words(json_type: &str) -> Option<&'static str> {
    match json_type {
        "array" => Some("a list in JSON"),
        "object" => Some("an object in JSON"),
        "integer" => Some("a whole number"),
        "number" => Some("a number"),
        "boolean" => Some("true or false"),
        _ => None,
    }
}

/// A hint for a successful request with an unknown type of events, of which the client would never receive any.
pub fn for_event_types(raw: &RawParameters) -> Option<String> {
    EVENT_TYPE_PARAMETERS.iter().find_map(|name| {
        let types: Vec<String> = serde_json::from_str(raw.values.get(*name)?).ok()?;
        let known_types = || SCHEMAS.iter().map(|(kind, _)| kind.type_name().to_owned());
        let with_nearest = |sent_type: &String| Some((sent_type.clone(), find_similar(sent_type, known_types())?));
        // Some types have only a part of the register reply, and no events.
        let unknown_types = types.iter().filter(|sent_type| {
            !known_types().any(|known| known == **sent_type) && !crate::api::register::selects_listed_value(sent_type)
        });
        let (sent_type, nearest) = unknown_types.take(MAX_COMPARED_TYPES).find_map(with_nearest)?;
        Some(format!("There is no type of events '{sent_type}' in {name}; the nearest is '{nearest}'."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_a_list_has_the_items_that_were_sent() {
        let row = crate::api::OPERATIONS.iter().find(|row| row.route.path == "/register").expect("an operation");
        let info = row.parameters.iter().find(|info| info.name == "event_types").expect("a parameter");
        let schema = json!({"type": "array", "items": {"type": "string"}});
        for (sent_value, hint) in [
            ("message", Some("event_types takes a list in JSON, such as [\"message\"].")),
            ("message,reaction", Some("event_types takes a list in JSON, such as [\"message\",\"reaction\"].")),
            ("['message']", Some("event_types takes a list in JSON, such as [\"message\"].")),
            ("[]", None),
        ] {
            assert_eq!(json_type_hint(info, &schema, sent_value).as_deref(), hint, "{sent_value}");
        }
    }
}
