//! Reads and describes the effect of a fault.

use crate::control::times::SpanInput;
use crate::control::{refusal, unknown_word_error};
use crate::error::{Error, ErrorKind};
use crate::fault::{Disturbance, Effect, MAX_DELAY_MS, PushRelayFailure};
use crate::json_diagnostic;
use http::StatusCode;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The words of the effect `bouncer`.
const PUSH_RELAY_FAILURES: [(&str, PushRelayFailure); 3] = [
    ("unreachable", PushRelayFailure::Unreachable),
    ("server_error", PushRelayFailure::ServerError),
    ("admin_action_required", PushRelayFailure::AdminActionRequired),
];

/// The words of the effect `drop`, each with whether the request is carried out.
const DROP_TIMES: [(&str, bool); 2] = [("before", false), ("after", true)];

/// The words of the effect `events`.
const DISTURBANCES: [(&str, Disturbance); 4] = [
    ("repeat", Disturbance::Repeat),
    ("hold", Disturbance::Hold),
    ("one_by_one", Disturbance::OneByOne),
    ("unknown", Disturbance::Unknown),
];

fn find_word<T: Copy>(value: &Value, meanings: &[(&str, T)]) -> Option<T> {
    meanings.iter().find(|(word, _)| *value == *word).map(|(_, meaning)| *meaning)
}

fn words<T>(meanings: &[(&'static str, T)]) -> Vec<&'static str> {
    meanings.iter().map(|(word, _)| *word).collect()
}

/// Words as a text, such as `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// Reads the effect, of which there must be exactly one. `retries` does not count: it is an option of `drop`.
pub(super) fn read_effect(effect: &Map<String, Value>) -> Result<Effect, Error> {
    let has_value = |name: &str| effect.get(name).is_some_and(|value| !value.is_null());
    let retries = match effect.get("retries") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(retries)) if has_value("drop") => *retries,
        Some(Value::Bool(_)) => return Err(refusal("$.effect.retries: needs drop")),
        Some(other) => return Err(refusal(format!("$.effect.retries: takes true or false, not {}", shorten(other)))),
    };
    let mut entries = effect.iter().filter(|(name, value)| *name != "retries" && !value.is_null());
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        let names: Vec<&str> = effect.keys().map(String::as_str).collect();
        let received = if names.is_empty() { String::new() } else { format!(", not {}", names.join(" and ")) };
        return Err(refusal(format!("$.effect: takes exactly one of {EFFECT_NAMES}{received}")));
    };
    let wrong_value = |expected: &str| refusal(format!("$.effect.{name}: takes {expected}, not {}", shorten(value)));
    let wrong_word = |words: &[&str]| match value.as_str() {
        Some(word) => unknown_word_error(&format!("$.effect.{name}"), &alternatives(words), word, words),
        None => wrong_value(&alternatives(words)),
    };
    let count = |value: &Value| value.as_u64().ok_or_else(|| wrong_value("a whole number from 0 on"));
    let require_true = |effect: Effect| if *value == true { Ok(effect) } else { Err(wrong_value("true")) };
    match name.as_str() {
        "bouncer" => match find_word(value, &PUSH_RELAY_FAILURES) {
            Some(failure) => Ok(Effect::PushRelayFailure(failure)),
            None => Err(wrong_word(&words(&PUSH_RELAY_FAILURES))),
        },
        "delay_ms" => {
            let delay = value.as_u64().filter(|delay| *delay <= MAX_DELAY_MS);
            let range = format!("a whole number of milliseconds from 0 to {MAX_DELAY_MS}, an hour");
            delay.map(Effect::DelayMs).ok_or_else(|| wrong_value(&range))
        }
        "truncate_at" => count(value).map(Effect::TruncateAt),
        "error" => error_effect(value),
        "rate_limit" => rate_limit_effect(value)
            .ok_or_else(|| wrong_value("retry_after: seconds from 0 on, or a span such as 1m30s")),
        "drop" => match find_word(value, &DROP_TIMES) {
            Some(is_carried_out) => Ok(Effect::Drop { is_carried_out, drops_retries: retries }),
            None => Err(wrong_word(&words(&DROP_TIMES))),
        },
        "events" => match find_word(value, &DISTURBANCES) {
            Some(disturbance) => Ok(Effect::Events(disturbance)),
            None => Err(wrong_word(&words(&DISTURBANCES))),
        },
        "change" => match value.as_object().filter(|keys| !keys.is_empty()) {
            Some(keys) => Ok(Effect::Change(keys.clone())),
            None => Err(wrong_value("keys of a reply, each with a value or null")),
        },
        "pseudo_localize" => require_true(Effect::PseudoLocalize),
        "gateway" => match error_status(value) {
            Some(status) => Ok(Effect::Gateway(status)),
            None => Err(wrong_value("an HTTP status from 400 to 599")),
        },
        "garbage" => require_true(Effect::Garbage),
        "lose_queue" => require_true(Effect::LoseQueue),
        _ => Err(unknown_effect(name, value)),
    }
}

fn unknown_effect(name: &str, value: &Value) -> Error {
    refusal(match name {
        "status" | "code" | "msg" => {
            format!("$.effect.{name}: is a key of the effect `error`: {}", shorten(&json!({"error": {name: value}})))
        }
        _ => {
            let names: Vec<&str> = EFFECT_NAMES.split(", ").flat_map(|part| part.split(" and ")).collect();
            let nearest = json_diagnostic::most_similar(name, &names).unwrap_or_default();
            format!("$.effect.{name}: is unknown; there are {EFFECT_NAMES}; the nearest is '{nearest}'")
        }
    })
}

/// A value as text for an error message, shortened to 60 characters.
pub(super) fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The schema of what [`read_effect`] reads.
pub(super) fn effect_schema(_: &mut SchemaGenerator) -> Schema {
    let schema = json!({
        "type": "object",
        "description": "Exactly one effect, by its name; retries goes with drop.",
        "properties": {
            "bouncer": {"type": "string", "enum": words(&PUSH_RELAY_FAILURES),
                "description": "Operations that call the push relay fail with the relay's error."},
            "delay_ms": {"type": "integer", "minimum": 0, "maximum": MAX_DELAY_MS,
                "description": "The reply is delayed by this time."},
            "error": {
                "type": "object",
                "description": "The reply is this error, with all further keys; nothing is done.",
                "properties": {
                    "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "HTTP status."},
                    "code": {"type": "string", "description": "The error's code; by default the usual one of the status."},
                    "msg": {"type": "string", "description": "The error's message; by default the usual one of the status."},
                },
                "required": ["status"],
            },
            "rate_limit": {
                "type": "object",
                "description": "The reply is 429; nothing is done.",
                "properties": {"retry_after": {"description": "Seconds, or a span such as 1m30s."}},
                "required": ["retry_after"],
                "additionalProperties": false,
            },
            "change": {
                "type": ["object", "null"],
                "description": "These keys of a successful reply have these values; null: they are left out.",
                "minProperties": 1,
                "additionalProperties": true,
            },
            "pseudo_localize": {"type": "boolean", "description": "true: msg of a failed reply is in accented letters."},
            "drop": {"type": "string", "enum": words(&DROP_TIMES),
                "description": "The connection closes without a reply, before or after the request is carried out."},
            "retries": {"type": "boolean", "description": "With drop: whether repetitions are dropped too."},
            "truncate_at": {"type": "integer", "minimum": 0, "description": "The body breaks off after this number of bytes."},
            "gateway": {"type": "integer", "minimum": 400, "maximum": 599,
                "description": "The reply is a gateway's HTML page with this HTTP status; nothing is done."},
            "garbage": {"type": "boolean", "description": "true: the body is a proxy's HTML page."},
            "lose_queue": {"type": "boolean", "description": "true: the caller's event queues are lost."},
            "events": {"type": "string", "enum": words(&DISTURBANCES),
                "description": "How the reply to a poll of events is changed."},
        },
        "minProperties": 1,
        "maxProperties": 2,
        "additionalProperties": false,
    });
    Schema::try_from(schema).expect("it is an object")
}

/// The names of the effects, as error messages list them.
const EFFECT_NAMES: &str = "bouncer, delay_ms, error, rate_limit, change, pseudo_localize, drop, truncate_at, garbage, gateway, lose_queue and events";

/// The HTTP statuses that the effects `error` and `gateway` may have.
const ERROR_STATUSES: std::ops::RangeInclusive<u64> = 400..=599;

fn error_status(value: &Value) -> Option<u16> {
    let status = value.as_u64().filter(|status| ERROR_STATUSES.contains(status))?;
    u16::try_from(status).ok()
}

/// Reads the effect `error`. A missing `code` or `msg` is that of [`default_error`].
fn error_effect(value: &Value) -> Result<Effect, Error> {
    let wrong_value = |key: &str, expected: &str, value: &Value| {
        refusal(format!("$.effect.error{key}: takes {expected}, not {}", shorten(value)))
    };
    let Some(error) = value.as_object() else {
        return Err(wrong_value("", "an object with status, and optionally code, msg and further keys", value));
    };
    let status = match error.get("status") {
        None => return Err(refusal("$.effect.error: `status` is missing, an HTTP status from 400 to 599")),
        Some(status) => match error_status(status) {
            Some(number) => number,
            None => return Err(wrong_value(".status", "an HTTP status from 400 to 599", status)),
        },
    };
    if let Some(result) = error.get("result").filter(|result| **result != "error") {
        return Err(wrong_value(".result", "error, which is the default", result));
    }
    let (default_code, default_msg) = default_error(status);
    let text = |key: &str, default: &str| match error.get(key) {
        None | Some(Value::Null) => Ok(Value::from(default)),
        Some(text) if text.is_string() => Ok(text.clone()),
        Some(other) => Err(wrong_value(&format!(".{key}"), "a text", other)),
    };
    let (code, msg) = (text("code", default_code)?, text("msg", &default_msg)?);
    let mut fields = Map::from_iter([("result".to_owned(), Value::from("error")), ("msg".to_owned(), msg)]);
    let further = error.iter().filter(|(key, _)| !matches!(key.as_str(), "status" | "result" | "msg" | "code"));
    fields.extend(further.map(|(key, value)| (key.clone(), value.clone())));
    fields.insert("code".into(), code);
    Ok(Effect::Error { status, fields })
}

/// The code and the message of the API's usual error with a status. For a status without one, they are a generic code
/// and the name of the status.
fn default_error(status: u16) -> (&'static str, String) {
    let kind = match status {
        401 => ErrorKind::NotLoggedIn,
        404 => ErrorKind::UnknownPath,
        405 => ErrorKind::MethodNotAllowed,
        429 => ErrorKind::RateLimitHit,
        500 => ErrorKind::Internal,
        _ => {
            let code = if status < 500 { ErrorKind::ControlRefused } else { ErrorKind::Internal }.row().code;
            let name = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
            return (code, name.unwrap_or("Error").to_owned());
        }
    };
    (kind.row().code, kind.row().message.to_owned())
}

/// Reads the effect `rate_limit`: an object with `retry_after` only. None for anything else, such as a negative number.
/// A text loses its fraction of a second; a number stays as it is.
fn rate_limit_effect(value: &Value) -> Option<Effect> {
    let keys = value.as_object().filter(|keys| keys.len() == 1)?;
    let value = keys.get("retry_after")?;
    if value.is_number() {
        return value
            .as_f64()
            .filter(|seconds| *seconds >= 0.0)
            .map(|_| Effect::RateLimit { retry_after: value.clone() });
    }
    let SpanInput(span) = SpanInput::parse(value.as_str()?).ok()?;
    (span.micros() >= 0).then(|| Effect::RateLimit { retry_after: span.whole_seconds().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_all_effects_and_no_other() {
        let schema = effect_schema(&mut SchemaGenerator::default()).to_value();

        let properties = schema["properties"].as_object().expect("properties");
        let described_names = properties.keys().map(String::as_str).filter(|name| *name != "retries");
        let mut described_names: Vec<&str> = described_names.collect();
        let mut known_names: Vec<&str> = EFFECT_NAMES.split(", ").flat_map(|part| part.split(" and ")).collect();
        known_names.sort_unstable();
        described_names.sort_unstable();
        assert_eq!(described_names, known_names);
    }
}
