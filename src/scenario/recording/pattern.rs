//! What a reply or an event must be, made of what it was.

use super::kinds::{is_instant, is_time, kind, singular};
use super::names::Names;
use super::secrets::is_secret;
use super::text::placeholder;
use serde_json::{Map, Value};

/// A value of a reply is expected by its type alone if it takes more bytes than this.
const LARGEST: usize = 3_000;

/// Keys whose values depend on the client, the server or the day.
const VOLATILE: [&str; 10] = [
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

/// The expectation for a reply or an event; `around` is the kind of what it is about.
pub fn of(value: &Value, around: &str, names: &mut Names) -> Value {
    let Value::Object(object) = value else { return part("", value, around, names) };
    let mut made = Map::new();
    for (key, inner) in object {
        let is_large = inner.is_array() || inner.is_object();
        let made_of = if is_large && inner.to_string().len() > LARGEST {
            placeholder(if inner.is_array() { "array" } else { "object" }).into()
        } else {
            part(key, inner, around, names)
        };
        made.insert(written_key(key, names), made_of);
    }
    Value::Object(made)
}

fn part(key: &str, value: &Value, around: &str, names: &mut Names) -> Value {
    if VOLATILE.contains(&key) || key.ends_with("_version") || key.ends_with("_feature_level") {
        return placeholder("any").into();
    }
    match value {
        Value::Object(object) => {
            let around = if key.is_empty() { around.to_owned() } else { singular(key) };
            let written = object.iter().map(|(key, inner)| (written_key(key, names), part(key, inner, &around, names)));
            Value::Object(written.collect::<Vec<_>>().into_iter().collect())
        }
        Value::Array(items) => array(key, items, around, names),
        Value::Number(number) => self::number(key, number, around, names),
        Value::String(text) => self::text(key, text, names).into(),
        other => other.clone(),
    }
}

fn array(key: &str, items: &[Value], around: &str, names: &mut Names) -> Value {
    let mut made: Vec<Value> = items.iter().map(|item| part(key, item, around, names)).collect();
    let is_scalar = items.iter().all(|item| !item.is_array() && !item.is_object());
    let captures = made.iter().any(|item| item.as_str().is_some_and(|text| text.contains(":=")));
    if is_scalar && items.len() > 1 && !captures {
        made.insert(0, placeholder("any order").into());
    }
    Value::Array(made)
}

fn number(key: &str, number: &serde_json::Number, around: &str, names: &mut Names) -> Value {
    let value = number.as_f64().unwrap_or_default();
    let Some(id) = number.as_i64() else { return placeholder("number").into() };
    if is_time(key, value) {
        return placeholder("number").into();
    }
    let is_of_realm = matches!(key, "recipient_id" | "last_event_id" | "realm_id");
    match kind(key, around) {
        // Numbers such as -1 and 0 mean that there is nothing.
        Some(_) if id <= 0 => id.into(),
        Some(kind) => names.received(&kind, id),
        None if is_of_realm => placeholder("int").into(),
        None => number.clone().into(),
    }
}

/// Whether a text depends on the address of the server or the numbers of new messages.
fn is_of_place(key: &str, text: &str) -> bool {
    let is_link = ["url", "uri", "link", "href", "source", "path_id", "avatar"].iter().any(|word| key.contains(word));
    let holds_link = ["href=\"/", "src=\"/", "/near/", "/user_uploads/", "://"].iter().any(|part| text.contains(part));
    is_link || holds_link || text.starts_with('/')
}

/// Whether a text looks drawn: hexadecimal or a UUID, of some length.
fn is_drawn(text: &str) -> bool {
    text.len() >= 24
        && text.chars().all(|one| one.is_ascii_hexdigit() || one == '-')
        && text.contains(|one: char| one.is_ascii_digit())
}

fn text(key: &str, text: &str, names: &Names) -> String {
    if is_secret(key) && !text.is_empty() {
        return placeholder("string");
    }
    if let Some(name) = names.whole(text) {
        return name;
    }
    if key.ends_with("full_name")
        && let Some(name) = names.full_name(text)
    {
        return name;
    }
    if is_of_place(key, text) || is_instant(text) || is_drawn(text) {
        return placeholder("string");
    }
    names.within(text)
}

/// A key: an address, or the number of a message that has a name.
fn written_key(key: &str, names: &Names) -> String {
    if let Some(name) = names.whole(key) {
        return name;
    }
    let message = key.parse().ok().and_then(|id| names.known("message", id));
    message.unwrap_or_else(|| key.replace("{{", "\\{{"))
}
