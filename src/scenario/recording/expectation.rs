//! Converts a recorded reply or event to an expectation.

use super::kinds::{is_id_without_kind, kind_of_collection, kind_of_id};
use super::names::Names;
use super::secrets::is_secret_name;
use super::text::placeholder;
use super::times::{is_timestamp_text, is_unix_time};
use serde_json::{Map, Value};

/// The maximum length of an array or object that is a member of a reply or event, in bytes of JSON. For a longer one,
/// only the type is expected.
const MAX_MEMBER_BYTES: usize = 3_000;

/// Keys of objects whose own keys are user IDs.
const KEYED_BY_USER: [&str; 2] = ["subscribed", "already_subscribed"];

/// Keys whose values depend on the client, the server or the date.
const VARIABLE_KEYS: [&str; 10] = [
    "client",
    "sending_client",
    "local_id",
    "queue_id",
    "stream_weekly_traffic",
    "avatar_url",
    "avatar_url_medium",
    "duration",
    "email_address",
    "timezone",
];

/// Converts a reply or an event. `parent_kind` is the kind of object that it describes.
pub fn convert_to_expectation(value: &Value, parent_kind: &str, names: &mut Names) -> Value {
    let Value::Object(object) = value else { return expected_value_of_key("", value, parent_kind, names) };
    let mut converted = Map::new();
    for (key, member) in object {
        let is_compound = member.is_array() || member.is_object();
        let expected_value = if is_compound && member.to_string().len() > MAX_MEMBER_BYTES {
            placeholder(if member.is_array() { "array" } else { "object" }).into()
        } else {
            expected_value_of_key(key, member, parent_kind, names)
        };
        converted.insert(expected_key(key, names), expected_value);
    }
    Value::Object(converted)
}

/// The expectation of the value of a key. `key` is empty for a value without one.
fn expected_value_of_key(key: &str, value: &Value, parent_kind: &str, names: &mut Names) -> Value {
    if VARIABLE_KEYS.contains(&key) || key.ends_with("_version") || key.ends_with("_feature_level") {
        return placeholder("any").into();
    }
    match value {
        Value::Object(object) if KEYED_BY_USER.contains(&key) => expected_object_keyed_by_user(object, names),
        Value::Object(object) => {
            let parent_kind = if key.is_empty() { parent_kind.to_owned() } else { kind_of_collection(key) };
            let members = object.iter().map(|(key, member)| {
                (expected_key(key, names), expected_value_of_key(key, member, &parent_kind, names))
            });
            Value::Object(members.collect::<Vec<_>>().into_iter().collect())
        }
        Value::Array(items) => expected_array(key, items, parent_kind, names),
        Value::Number(number) => expected_number(key, number, parent_kind, names),
        Value::String(text) => expected_text(key, text, names).into(),
        other => other.clone(),
    }
}

/// An object with lists of names by user IDs; any object if an ID belongs to none of the recording's accounts.
fn expected_object_keyed_by_user(object: &Map<String, Value>, names: &mut Names) -> Value {
    let user_key = |key: &str, names: &Names| match key.parse() {
        Ok(id) => names.id_placeholder("user", id),
        // At older levels, keys are addresses.
        Err(_) => names.placeholder_for(key),
    };
    let members: Option<Map<String, Value>> = object
        .iter()
        .map(|(key, member)| Some((user_key(key, names)?, expected_value_of_key("", member, "", names))))
        .collect();
    members.map_or_else(|| placeholder("object").into(), Value::Object)
}

fn expected_array(key: &str, items: &[Value], parent_kind: &str, names: &mut Names) -> Value {
    let mut converted: Vec<Value> =
        items.iter().map(|item| expected_value_of_key(key, item, parent_kind, names)).collect();
    let has_only_scalars = items.iter().all(|item| !item.is_array() && !item.is_object());
    // A placeholder with `:=` captures a value, which needs a fixed order.
    let contains_capture = converted.iter().any(|item| item.as_str().is_some_and(|text| text.contains(":=")));
    if has_only_scalars && items.len() > 1 && !contains_capture {
        converted.insert(0, placeholder("any order").into());
    }
    Value::Array(converted)
}

fn expected_number(key: &str, number: &serde_json::Number, parent_kind: &str, names: &mut Names) -> Value {
    let value = number.as_f64().unwrap_or_default();
    let Some(integer) = number.as_i64() else { return placeholder("number").into() };
    if is_unix_time(value) {
        return placeholder("number").into();
    }
    match kind_of_id(key, parent_kind) {
        // Numbers such as -1 and 0 mean that there is no object.
        Some(_) if integer <= 0 => integer.into(),
        Some(kind) => names.convert_id_in_expectation(&kind, integer),
        None if is_id_without_kind(key) => placeholder("int").into(),
        None => number.clone().into(),
    }
}

/// Whether a text depends on the server's URL or on new IDs, because it is or contains a link.
fn depends_on_server(key: &str, text: &str) -> bool {
    let is_link = ["url", "uri", "link", "href", "source", "path_id", "avatar"].iter().any(|word| key.contains(word));
    let contains_link =
        ["href=\"/", "src=\"/", "/near/", "/user_uploads/", "://"].iter().any(|part| text.contains(part));
    is_link || contains_link || text.starts_with('/')
}

/// Whether a text looks random: like a long hexadecimal number or a UUID.
fn looks_random(text: &str) -> bool {
    text.len() >= 24
        && text.chars().all(|character| character.is_ascii_hexdigit() || character == '-')
        && text.contains(|character: char| character.is_ascii_digit())
}

fn expected_text(key: &str, text: &str, names: &Names) -> String {
    if is_secret_name(key) && !text.is_empty() {
        return placeholder("string");
    }
    if let Some(name_placeholder) = names.placeholder_for(text) {
        return name_placeholder;
    }
    if key.ends_with("full_name")
        && let Some(name_placeholder) = names.full_name_placeholder(text)
    {
        return name_placeholder;
    }
    if depends_on_server(key, text) || is_timestamp_text(text) || looks_random(text) {
        return placeholder("string");
    }
    names.insert_placeholders(text)
}

/// The expected key, with a placeholder for an email address, a queue ID or a message ID.
fn expected_key(key: &str, names: &Names) -> String {
    if let Some(name_placeholder) = names.placeholder_for(key) {
        return name_placeholder;
    }
    let message_placeholder = key.parse().ok().and_then(|id| names.id_placeholder("message", id));
    message_placeholder.unwrap_or_else(|| key.replace("{{", "\\{{"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_id_of_an_object_without_a_kind_is_expected_as_any_integer() {
        let recorded = json!({"realm_id": 2, "event_id": 4, "user_profile_id": 9, "count": 3});
        let integer = placeholder("int");
        let expected = json!({"realm_id": integer, "event_id": integer, "user_profile_id": integer, "count": 3});
        assert_eq!(convert_to_expectation(&recorded, "", &mut Names::default()), expected);
    }
}
