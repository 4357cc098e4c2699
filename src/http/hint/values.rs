//! Hints at values: the form that a parameter takes, its possible values, and misspelled types of events.

use super::nearest::most_like;
use crate::api::Row;
use crate::api::parameter::{ParameterInfo, RawParameters};
use crate::error::Error;
use crate::record::events::SCHEMAS;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

/// The parameters that hold types of events.
const EVENT_TYPES: [&str; 2] = ["event_types", "fetch_event_types"];
/// A list of more possible values is no hint.
const VALUES_MAX: usize = 12;
/// More of a value than this is not repeated.
const SHOWN_MAX_CHARS: usize = 40;

/// A hint for a value that a parameter does not take: its form in JSON, or all possible values and the nearest.
pub fn for_value(error: &Error, row: &Row, raw: &RawParameters) -> Option<String> {
    let (Error::BadValue { parameter, .. }
    | Error::InvalidValue { parameter }
    | Error::InvalidValueBecause { parameter, .. }) = error
    else {
        return None;
    };
    let name = parameter.as_str()?;
    let info = row.parameters.iter().find(|info| info.name == name)?;
    let sent = raw.text(info).ok()??;
    let schema = (info.schema)(&mut SchemaGenerator::default()).to_value();
    one_of(info, &schema, sent).or_else(|| form(info, &schema, sent))
}

/// The possible values of a parameter.
fn one_of(info: &ParameterInfo, schema: &Value, sent: &str) -> Option<String> {
    let values = schema["enum"].as_array()?;
    if values.is_empty() || values.len() > VALUES_MAX {
        return None;
    }
    let texts: Vec<String> =
        values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), Into::into)).collect();
    let nearest = most_like(sent, texts.iter().cloned()).map(|nearest| format!("; the nearest is {nearest}"));
    Some(format!("{} takes one of: {}{}.", info.name, texts.join(", "), nearest.unwrap_or_default()))
}

/// The form of a parameter in JSON, for a value that is none.
fn form(info: &ParameterInfo, schema: &Value, sent: &str) -> Option<String> {
    if !info.is_json
        || serde_json::from_str::<Value>(sent).is_ok_and(|value| schema["type"] != "array" || value.is_array())
    {
        return None;
    }
    let name = info.name;
    match schema["type"].as_str()? {
        "array" => {
            let words = sent.split(',').map(|word| word.trim_matches([' ', '[', ']', '"', '\'']));
            let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            let example = match schema["items"]["type"].as_str() {
                Some("integer") => json!(words.iter().filter_map(|word| word.parse::<i64>().ok()).collect::<Vec<_>>()),
                Some("string") => json!(words),
                _ => return Some(format!("{name} takes a list in JSON.")),
            };
            let is_short = !words.is_empty() && sent.chars().count() <= SHOWN_MAX_CHARS && example != json!([]);
            let shown = if is_short { format!(", such as {example}") } else { String::new() };
            Some(format!("{name} takes a list in JSON{shown}."))
        }
        "object" => Some(format!("{name} takes an object in JSON, such as {{\"key\": true}}.")),
        "integer" => Some(format!("{name} takes a whole number.")),
        "number" => Some(format!("{name} takes a number.")),
        "boolean" => Some(format!("{name} takes true or false.")),
        _ => None,
    }
}

/// A hint for a request that succeeds and names a type of events that there is not: its events never come.
pub fn for_event_types(raw: &RawParameters) -> Option<String> {
    EVENT_TYPES.iter().find_map(|name| {
        let types: Vec<String> = serde_json::from_str(raw.values.get(*name)?).ok()?;
        let known = || SCHEMAS.iter().map(|(kind, _)| kind.type_name().to_owned());
        let meant = |sent: &String| Some((sent.clone(), most_like(sent, known())?));
        let unknown = types.iter().filter(|sent| !known().any(|other| other == **sent) && !is_of_replies(sent));
        let (sent, nearest) = unknown.take(VALUES_MAX).find_map(meant)?;
        Some(format!("There is no type of events '{sent}' in {name}; the nearest is '{nearest}'."))
    })
}

/// Whether a type is asked for to get keys of the register reply, without any events.
fn is_of_replies(name: &str) -> bool {
    crate::api::register::lists::ROWS.iter().any(|row| row.is_of(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_shown_with_the_words_that_were_sent() {
        let row = crate::api::OPERATIONS.iter().find(|row| row.route.path == "/register").expect("an operation");
        let info = row.parameters.iter().find(|info| info.name == "event_types").expect("a parameter");
        let schema = json!({"type": "array", "items": {"type": "string"}});
        for (sent, hint) in [
            ("message", Some("event_types takes a list in JSON, such as [\"message\"].")),
            ("message,reaction", Some("event_types takes a list in JSON, such as [\"message\",\"reaction\"].")),
            ("['message']", Some("event_types takes a list in JSON, such as [\"message\"].")),
            ("[]", None),
        ] {
            assert_eq!(form(info, &schema, sent).as_deref(), hint, "{sent}");
        }
    }
}
