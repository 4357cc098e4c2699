//! Installing, listing and removing faults.

use super::requests::{Among, METHODS, RequestPattern};
use super::times::Seconds;
use super::{refused, unknown_of, users};
use crate::error::Error;
use crate::fault::{Bouncer, Disturbance, Effect, Matching, POLL, RELAYED, Rule};
use crate::json_diagnostic;
use crate::world::World;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A fault.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultRule")]
pub struct Sent {
    #[serde(rename = "match")]
    /// The requests that it applies to; all by default.
    matching: Option<SentMatch>,
    /// Number of requests that pass first.
    after: Option<u64>,
    /// The probability that it fires, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    probability: Option<f64>,
    /// How many times it fires, from 1.
    #[schemars(range(min = 1))]
    times: Option<u64>,
    /// Exactly one effect, by its name.
    #[schemars(schema_with = "effect_schema")]
    effect: Map<String, Value>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultMatch")]
struct SentMatch {
    /// HTTP method, in capitals.
    #[schemars(extend("enum" = METHODS))]
    method: Option<String>,
    /// Path of an operation with its placeholders, or of a kind of files such as /static/*.
    path: Option<String>,
    /// The caller: an address or its handle.
    user: Option<String>,
    /// Parameters that must be among those sent, as text.
    params: Option<BTreeMap<String, String>>,
}

/// All rules, spent ones too.
pub fn list(world: &World) -> Value {
    let faults = world.faults().lock();
    let record = |rule: &Rule| {
        let mut record = rule.rule.clone();
        record["fault_id"] = rule.id.as_str().into();
        record["passed"] = rule.passed.into();
        record["fired"] = rule.fired.into();
        record
    };
    json!({"faults": faults.rules().iter().map(record).collect::<Vec<_>>()})
}

/// Installs a rule.
///
/// # Errors
///
/// `ControlRefused`.
pub fn install(world: &World, rule: Value) -> Result<Value, Error> {
    let rule = read(world, rule)?;
    let id = world.faults().lock().install(rule);
    Ok(json!({ "fault_id": id }))
}

/// Reads a rule for a world.
///
/// # Errors
///
/// `ControlRefused`.
pub fn read(world: &World, mut rule: Value) -> Result<Rule, Error> {
    let sent: Sent = json_diagnostic::fit(&rule).map_err(|fault| refused(fault.to_string()))?;
    let matching = sent.matching.unwrap_or_default();
    let pattern =
        RequestPattern { method: matching.method, path: matching.path, params: matching.params.unwrap_or_default() };
    let RequestPattern { method, path, params } = pattern.checked(world, "$.match.", Among::Operations)?;
    let user = users::address(&world.snapshot(), matching.user.as_deref(), "$.match.user")?;
    if sent.probability.is_some_and(|probability| !(0.0..=1.0).contains(&probability)) {
        return Err(refused(format!(
            "$.probability: takes a number from 0 to 1, not {}",
            quoted(&rule["probability"])
        )));
    }
    if sent.times == Some(0) {
        return Err(refused("$.times: takes a number from 1 on, not 0"));
    }
    let matching = Matching { method, path, user, params };
    let effect = effect(&sent.effect)?;
    check_concern(&effect, &matching)?;
    leave_out_nulls(&mut rule);
    Ok(Rule {
        id: String::new(),
        matching,
        after: sent.after.unwrap_or(0),
        probability: sent.probability,
        times: sent.times,
        effect,
        rule,
        passed: 0,
        fired: 0,
        dropped: Vec::new(),
        fired_anywhere: Arc::default(),
    })
}

/// Asserts that the requests that match are some that the effect is for.
fn check_concern(effect: &Effect, matching: &Matching) -> Result<(), Error> {
    let path = matching.path.as_deref();
    let method = matching.method.as_deref();
    match effect {
        Effect::Bouncer(_) if path.is_some_and(|path| !path.starts_with(RELAYED)) => {
            Err(refused(format!("$.match.path: the effect bouncer is for operations below {RELAYED}")))
        }
        Effect::Events(_)
            if path.is_some_and(|path| path != POLL.1) || method.is_some_and(|method| method != POLL.0) =>
        {
            let part = if path.is_some_and(|path| path != POLL.1) { "path" } else { "method" };
            Err(refused(format!("$.match.{part}: the effect events is for {} {}", POLL.0, POLL.1)))
        }
        _ => Ok(()),
    }
}

/// Takes keys of a rule out that are null: they count as left out.
fn leave_out_nulls(rule: &mut Value) {
    let parts = std::iter::once("").chain(["/match", "/effect"]);
    for part in parts {
        if let Some(Value::Object(keys)) = rule.pointer_mut(part) {
            keys.retain(|_, value| !value.is_null());
        }
    }
}

/// Removes a rule.
///
/// # Errors
///
/// `ControlNotFound`.
pub fn remove(world: &World, id: &str) -> Result<Value, Error> {
    if world.faults().lock().remove(id) {
        return Ok(json!({}));
    }
    let faults = world.faults().lock();
    let ids: Vec<&str> = faults.rules().iter().map(|rule| rule.id.as_str()).collect();
    Err(Error::ControlNotFound { what: unknown_of("fault", id, &ids).into() })
}

/// Exactly one effect.
fn effect(sent: &Map<String, Value>) -> Result<Effect, Error> {
    let is_given = |name: &str| sent.get(name).is_some_and(|value| !value.is_null());
    let retries = match sent.get("retries") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(retries)) if is_given("drop") => *retries,
        Some(Value::Bool(_)) => return Err(refused("$.effect.retries: needs drop")),
        Some(other) => return Err(refused(format!("$.effect.retries: takes true or false, not {}", quoted(other)))),
    };
    let mut entries = sent.iter().filter(|(name, value)| *name != "retries" && !value.is_null());
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        let names: Vec<&str> = sent.keys().map(String::as_str).collect();
        let found = if names.is_empty() { String::new() } else { format!(", not {}", names.join(" and ")) };
        return Err(refused(format!("$.effect: takes exactly one of {EFFECTS}{found}")));
    };
    let wrong = |takes: &str| refused(format!("$.effect.{name}: takes {takes}, not {}", quoted(value)));
    let count = |value: &Value| value.as_u64().ok_or_else(|| wrong("a whole number from 0 on"));
    let is_true = |effect: Effect| if *value == true { Ok(effect) } else { Err(wrong("true")) };
    match name.as_str() {
        "bouncer" => match value.as_str() {
            Some("unreachable") => Ok(Effect::Bouncer(Bouncer::Unreachable)),
            Some("server_error") => Ok(Effect::Bouncer(Bouncer::ServerError)),
            Some("admin_action_required") => Ok(Effect::Bouncer(Bouncer::AdminActionRequired)),
            _ => Err(wrong("unreachable, server_error or admin_action_required")),
        },
        "delay_ms" => {
            value.as_u64().map(Effect::DelayMs).ok_or_else(|| wrong("a whole number of milliseconds from 0 on"))
        }
        "truncate_at" => count(value).map(Effect::TruncateAt),
        "error" => error(value).ok_or_else(|| wrong("status (400 to 599), code, msg and further keys")),
        "rate_limit" => {
            rate_limit(value).ok_or_else(|| wrong("retry_after: seconds from 0 on, or a span such as 1m30s"))
        }
        "drop" => match value.as_str() {
            Some(when @ ("before" | "after")) => Ok(Effect::Drop { is_carried_out: when == "after", retries }),
            _ => Err(wrong("before or after")),
        },
        "events" => match value.as_str() {
            Some("repeat") => Ok(Effect::Events(Disturbance::Repeat)),
            Some("hold") => Ok(Effect::Events(Disturbance::Hold)),
            Some("one_by_one") => Ok(Effect::Events(Disturbance::OneByOne)),
            Some("unknown") => Ok(Effect::Events(Disturbance::Unknown)),
            _ => Err(wrong("repeat, hold, one_by_one or unknown")),
        },
        "change" => match value.as_object().filter(|keys| !keys.is_empty()) {
            Some(keys) => Ok(Effect::Change(keys.clone())),
            None => Err(wrong("keys of a reply, each with a value or null")),
        },
        "pseudo_localize" => is_true(Effect::PseudoLocalize),
        "garbage" => is_true(Effect::Garbage),
        "lose_queue" => is_true(Effect::LoseQueue),
        _ => Err(refused(format!(
            "$.effect.{name}: is unknown; there are {EFFECTS}; the nearest is '{}'",
            nearest(name)
        ))),
    }
}

/// A value that was sent, as much of it as an error shows.
fn quoted(value: &Value) -> String {
    const SHOWN: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The effect whose name is most like this one.
fn nearest(name: &str) -> &'static str {
    let names: Vec<&str> = EFFECTS.split(", ").flat_map(|part| part.split(" and ")).collect();
    json_diagnostic::most_alike(name, &names).unwrap_or_default()
}

/// The schema of [`effect`].
fn effect_schema(_: &mut SchemaGenerator) -> Schema {
    let schema = json!({
        "type": "object",
        "description": "Exactly one effect, by its name; retries goes with drop.",
        "properties": {
            "bouncer": {"type": "string", "enum": ["unreachable", "server_error", "admin_action_required"],
                "description": "Operations that call the push relay fail with the relay's error."},
            "delay_ms": {"type": "integer", "minimum": 0, "description": "The reply comes so much later."},
            "error": {
                "type": "object",
                "description": "The reply is this error, with all further keys; nothing is done.",
                "properties": {
                    "status": {"type": "integer", "minimum": 400, "maximum": 599, "description": "HTTP status."},
                    "code": {"type": "string", "description": "The error's code."},
                    "msg": {"type": "string", "description": "The error's message."},
                },
                "required": ["status", "code", "msg"],
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
            "truncate_at": {"type": "integer", "minimum": 0, "description": "The body breaks off after so many bytes."},
            "garbage": {"type": "boolean", "description": "true: the body is a proxy's HTML page."},
            "lose_queue": {"type": "boolean", "description": "true: the caller's event queues are lost."},
            "events": {"type": "string", "enum": ["repeat", "hold", "one_by_one", "unknown"],
                "description": "What a poll of events gives."},
        },
        "minProperties": 1,
        "maxProperties": 2,
        "additionalProperties": false,
    });
    Schema::try_from(schema).expect("it is an object")
}

const EFFECTS: &str =
    "bouncer, delay_ms, error, rate_limit, change, pseudo_localize, drop, truncate_at, garbage, lose_queue and events";

fn error(value: &Value) -> Option<Effect> {
    let sent = value.as_object()?;
    let status = sent.get("status")?.as_u64().and_then(|status| u16::try_from(status).ok())?;
    let has_texts = sent.get("code")?.is_string() && sent.get("msg")?.is_string() && !sent.contains_key("result");
    if !(400..=599).contains(&status) || !has_texts {
        return None;
    }
    let mut fields = Map::from_iter([("result".to_owned(), Value::from("error"))]);
    fields.insert("msg".into(), sent["msg"].clone());
    fields.extend(
        sent.iter()
            .filter(|(key, _)| !matches!(key.as_str(), "status" | "msg" | "code"))
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    fields.insert("code".into(), sent["code"].clone());
    Some(Effect::Error { status, fields })
}

fn rate_limit(value: &Value) -> Option<Effect> {
    let sent = value.as_object().filter(|sent| sent.len() == 1)?;
    let value = sent.get("retry_after")?;
    if value.is_number() {
        return value
            .as_f64()
            .filter(|seconds| *seconds >= 0.0)
            .map(|_| Effect::RateLimit { retry_after: value.clone() });
    }
    let Seconds(span) = Seconds::parse(value.as_str()?).ok()?;
    Some(Effect::RateLimit { retry_after: span.whole_seconds().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_the_effects_that_there_are() {
        let schema = effect_schema(&mut SchemaGenerator::default()).to_value();

        let properties = schema["properties"].as_object().expect("properties");
        let described = properties.keys().map(String::as_str).filter(|name| *name != "retries");
        let mut described: Vec<&str> = described.collect();
        let mut known: Vec<&str> = EFFECTS.split(", ").flat_map(|part| part.split(" and ")).collect();
        known.sort_unstable();
        described.sort_unstable();
        assert_eq!(described, known);
    }
}
