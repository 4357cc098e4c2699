//! The calls that install, list and remove faults.

use super::request_pattern::{METHODS, PatternUse, RequestPattern};
use super::times::SpanInput;
use super::{refusal, unknown_name_in_world_message, unknown_word_error, users};
use crate::error::{Error, ErrorKind};
use crate::fault::{
    Disturbance, Effect, InstalledFault, MAX_DELAY_MS, POLL_METHOD, POLL_PATH, PushRelayFailure, RELAY_PATH_PREFIX,
    RequestConditions,
};
use crate::json_diagnostic;
use crate::world::World;
use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A failure to cause in the requests that match.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultRule")]
pub struct FaultSpec {
    #[serde(rename = "match")]
    /// Which requests the fault is for; all by default.
    matching: Option<MatchSpec>,
    /// Number of matching requests that pass before the fault may fire; 0 by default.
    after: Option<u64>,
    /// The probability that it fires for a matching request, from 0 to 1; it always fires by default.
    #[schemars(range(min = 0, max = 1))]
    probability: Option<f64>,
    /// How many times it fires at most, from 1; without limit by default.
    #[schemars(range(min = 1))]
    times: Option<u64>,
    /// Exactly one effect, by its name.
    #[schemars(schema_with = "effect_schema")]
    effect: Map<String, Value>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultMatch")]
struct MatchSpec {
    /// HTTP method, in capitals.
    #[schemars(extend("enum" = METHODS))]
    method: Option<String>,
    /// Path of an operation with its placeholders, or of a kind of files such as /static/*.
    path: Option<String>,
    /// The caller, by email address or handle.
    user: Option<String>,
    /// Parameters that a request must have, with their values as text.
    params: Option<BTreeMap<String, String>>,
}

/// Lists all faults, including spent ones.
pub fn list(world: &World) -> Value {
    let faults = world.faults().lock();
    let to_record = |fault: &InstalledFault| {
        let mut record = fault.source.clone();
        record["fault_id"] = fault.id.as_str().into();
        record["passed"] = fault.pass_count.into();
        record["fired"] = fault.fire_count.into();
        record
    };
    json!({"faults": faults.all().iter().map(to_record).collect::<Vec<_>>()})
}

/// Installs a fault in a world.
///
/// # Errors
///
/// Those of [`read`].
pub fn install(world: &World, source: Value) -> Result<Value, Error> {
    let fault = read(world, source)?;
    let id = world.faults().lock().install(fault);
    Ok(json!({ "fault_id": id }))
}

/// Reads a fault and checks that its names exist in a world.
///
/// # Errors
///
/// `ControlRefused` for JSON of another shape, an unknown name, a value out of range, or an effect that none of the
/// matching requests can have.
pub fn read(world: &World, mut source: Value) -> Result<InstalledFault, Error> {
    let spec: FaultSpec =
        json_diagnostic::deserialize(&source).map_err(|diagnostic| refusal(diagnostic.to_string()))?;
    let matching = spec.matching.unwrap_or_default();
    let pattern =
        RequestPattern { method: matching.method, path: matching.path, params: matching.params.unwrap_or_default() };
    let RequestPattern { method, path, params } =
        pattern.check_and_translate(world, "$.match.", PatternUse::Operations)?;
    let user = users::find_email(&world.snapshot(), matching.user.as_deref(), "$.match.user")?;
    if spec.probability.is_some_and(|probability| !(0.0..=1.0).contains(&probability)) {
        let sent_value = shorten(&source["probability"]);
        return Err(refusal(format!("$.probability: takes a number from 0 to 1, not {sent_value}")));
    }
    if spec.times == Some(0) {
        return Err(refusal("$.times: takes a number from 1 on, not 0"));
    }
    let conditions = RequestConditions { method, path, user, params };
    let effect = read_effect(&spec.effect)?;
    check_effect_applies(&effect, &conditions)?;
    remove_nulls(&mut source);
    Ok(InstalledFault {
        id: String::new(),
        conditions,
        after: spec.after.unwrap_or(0),
        probability: spec.probability,
        max_fires: spec.times,
        effect,
        source,
        pass_count: 0,
        fire_count: 0,
        dropped_requests: Vec::new(),
        fire_count_in_all_worlds: Arc::default(),
    })
}

/// Checks that the effect can apply to some of the matching requests.
fn check_effect_applies(effect: &Effect, conditions: &RequestConditions) -> Result<(), Error> {
    let path = conditions.path.as_deref();
    let method = conditions.method.as_deref();
    match effect {
        Effect::PushRelayFailure(_) if path.is_some_and(|path| !path.starts_with(RELAY_PATH_PREFIX)) => {
            Err(refusal(format!("$.match.path: the effect bouncer is for operations below {RELAY_PATH_PREFIX}")))
        }
        Effect::Events(_)
            if path.is_some_and(|path| path != POLL_PATH) || method.is_some_and(|method| method != POLL_METHOD) =>
        {
            let part = if path.is_some_and(|path| path != POLL_PATH) { "path" } else { "method" };
            Err(refusal(format!("$.match.{part}: the effect events is for {} {}", POLL_METHOD, POLL_PATH)))
        }
        _ => Ok(()),
    }
}

/// Removes the keys with null from a fault, its `match` and its `effect`, where null means that the key is absent. The
/// value of an effect stays as it is.
fn remove_nulls(source: &mut Value) {
    let parts = std::iter::once("").chain(["/match", "/effect"]);
    for part in parts {
        if let Some(Value::Object(keys)) = source.pointer_mut(part) {
            keys.retain(|_, value| !value.is_null());
        }
    }
}

/// Removes a fault by its ID.
///
/// # Errors
///
/// `ControlNotFound` for an ID that no fault of the world has.
pub fn remove(world: &World, id: &str) -> Result<Value, Error> {
    if world.faults().lock().remove(id) {
        return Ok(json!({}));
    }
    let faults = world.faults().lock();
    let ids: Vec<&str> = faults.all().iter().map(|fault| fault.id.as_str()).collect();
    Err(Error::ControlNotFound { message: unknown_name_in_world_message("fault", id, &ids).into() })
}

/// Reads the effect, of which there must be exactly one. `retries` does not count: it is an option of `drop`.
fn read_effect(spec: &Map<String, Value>) -> Result<Effect, Error> {
    let has_value = |name: &str| spec.get(name).is_some_and(|value| !value.is_null());
    let retries = match spec.get("retries") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(retries)) if has_value("drop") => *retries,
        Some(Value::Bool(_)) => return Err(refusal("$.effect.retries: needs drop")),
        Some(other) => return Err(refusal(format!("$.effect.retries: takes true or false, not {}", shorten(other)))),
    };
    let mut entries = spec.iter().filter(|(name, value)| *name != "retries" && !value.is_null());
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        let names: Vec<&str> = spec.keys().map(String::as_str).collect();
        let received = if names.is_empty() { String::new() } else { format!(", not {}", names.join(" and ")) };
        return Err(refusal(format!("$.effect: takes exactly one of {EFFECT_NAMES}{received}")));
    };
    let wrong_value = |takes: &str| refusal(format!("$.effect.{name}: takes {takes}, not {}", shorten(value)));
    let wrong_word = |takes: &str, words: &[&str]| match value.as_str() {
        Some(word) => unknown_word_error(&format!("$.effect.{name}"), takes, word, words),
        None => wrong_value(takes),
    };
    let count = |value: &Value| value.as_u64().ok_or_else(|| wrong_value("a whole number from 0 on"));
    let require_true = |effect: Effect| if *value == true { Ok(effect) } else { Err(wrong_value("true")) };
    match name.as_str() {
        "bouncer" => match value.as_str() {
            Some("unreachable") => Ok(Effect::PushRelayFailure(PushRelayFailure::Unreachable)),
            Some("server_error") => Ok(Effect::PushRelayFailure(PushRelayFailure::ServerError)),
            Some("admin_action_required") => Ok(Effect::PushRelayFailure(PushRelayFailure::AdminActionRequired)),
            _ => Err(wrong_word(
                "unreachable, server_error or admin_action_required",
                &["unreachable", "server_error", "admin_action_required"],
            )),
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
        "drop" => match value.as_str() {
            Some(when @ ("before" | "after")) => {
                Ok(Effect::Drop { is_carried_out: when == "after", drops_retries: retries })
            }
            _ => Err(wrong_word("before or after", &["before", "after"])),
        },
        "events" => match value.as_str() {
            Some("repeat") => Ok(Effect::Events(Disturbance::Repeat)),
            Some("hold") => Ok(Effect::Events(Disturbance::Hold)),
            Some("one_by_one") => Ok(Effect::Events(Disturbance::OneByOne)),
            Some("unknown") => Ok(Effect::Events(Disturbance::Unknown)),
            _ => Err(wrong_word("repeat, hold, one_by_one or unknown", &["repeat", "hold", "one_by_one", "unknown"])),
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
fn shorten(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The schema of what [`read_effect`] reads.
fn effect_schema(_: &mut SchemaGenerator) -> Schema {
    let schema = json!({
        "type": "object",
        "description": "Exactly one effect, by its name; retries goes with drop.",
        "properties": {
            "bouncer": {"type": "string", "enum": ["unreachable", "server_error", "admin_action_required"],
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
            "drop": {"type": "string", "enum": ["before", "after"],
                "description": "The connection closes without a reply, before or after the request is carried out."},
            "retries": {"type": "boolean", "description": "With drop: whether repetitions are dropped too."},
            "truncate_at": {"type": "integer", "minimum": 0, "description": "The body breaks off after this number of bytes."},
            "gateway": {"type": "integer", "minimum": 400, "maximum": 599,
                "description": "The reply is a gateway's HTML page with this HTTP status; nothing is done."},
            "garbage": {"type": "boolean", "description": "true: the body is a proxy's HTML page."},
            "lose_queue": {"type": "boolean", "description": "true: the caller's event queues are lost."},
            "events": {"type": "string", "enum": ["repeat", "hold", "one_by_one", "unknown"],
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
    let wrong_value = |key: &str, takes: &str, value: &Value| {
        refusal(format!("$.effect.error{key}: takes {takes}, not {}", shorten(value)))
    };
    let Some(spec) = value.as_object() else {
        return Err(wrong_value("", "an object with status, and optionally code, msg and further keys", value));
    };
    let status = match spec.get("status") {
        None => return Err(refusal("$.effect.error: `status` is missing, an HTTP status from 400 to 599")),
        Some(status) => match error_status(status) {
            Some(number) => number,
            None => return Err(wrong_value(".status", "an HTTP status from 400 to 599", status)),
        },
    };
    if let Some(result) = spec.get("result").filter(|result| **result != "error") {
        return Err(wrong_value(".result", "error, which is the default", result));
    }
    let (default_code, default_msg) = default_error(status);
    let text = |key: &str, default: &str| match spec.get(key) {
        None | Some(Value::Null) => Ok(Value::from(default)),
        Some(text) if text.is_string() => Ok(text.clone()),
        Some(other) => Err(wrong_value(&format!(".{key}"), "a text", other)),
    };
    let (code, msg) = (text("code", default_code)?, text("msg", &default_msg)?);
    let mut fields = Map::from_iter([("result".to_owned(), Value::from("error")), ("msg".to_owned(), msg)]);
    let further = spec.iter().filter(|(key, _)| !matches!(key.as_str(), "status" | "result" | "msg" | "code"));
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
    let spec = value.as_object().filter(|spec| spec.len() == 1)?;
    let value = spec.get("retry_after")?;
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
