//! Installing, listing and removing faults.

use super::{known_method, refused, users};
use crate::api::route_named;
use crate::error::Error;
use crate::fault::{Bouncer, Effect, Matching, Rule};
use crate::misfit;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A rule as it is sent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    #[serde(rename = "match")]
    matching: Option<SentMatch>,
    after: Option<u64>,
    probability: Option<f64>,
    times: Option<u64>,
    effect: Map<String, Value>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SentMatch {
    method: Option<String>,
    path: Option<String>,
    user: Option<String>,
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
    let sent: Sent = misfit::fit(&rule).map_err(|fault| refused(fault.to_string()))?;
    let matching = sent.matching.unwrap_or_default();
    let route = matching.path.as_deref().and_then(route_named);
    if let (Some(path), None) = (&matching.path, route) {
        let nearest = crate::http::router::Router::nearest("GET", path).route.path;
        return Err(refused(format!("$.match.path: no operation has the path {path}; the nearest is {nearest}")));
    }
    known_method(matching.method.as_deref(), "$.match.method")?;
    let user = users::address(&world.snapshot(), matching.user.as_deref(), "$.match.user")?;
    if sent.probability.is_some_and(|probability| !(0.0..=1.0).contains(&probability)) {
        return Err(refused("$.probability: takes a number from 0 to 1"));
    }
    if sent.times == Some(0) {
        return Err(refused("$.times: takes a number from 1 on"));
    }
    let rule = Rule {
        id: String::new(),
        matching: Matching { method: matching.method, path: route.map(str::to_owned), user },
        after: sent.after.unwrap_or(0),
        probability: sent.probability,
        times: sent.times,
        effect: effect(&sent.effect)?,
        rule,
        passed: 0,
        fired: 0,
    };
    let id = world.faults().lock().install(rule);
    Ok(json!({ "fault_id": id }))
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
    Err(Error::ControlNotFound { what: format!("There is no fault '{id}'").into() })
}

/// Exactly one effect.
fn effect(sent: &Map<String, Value>) -> Result<Effect, Error> {
    let mut entries = sent.iter();
    let (Some((name, value)), None) = (entries.next(), entries.next()) else {
        return Err(refused(format!("$.effect: takes exactly one of {EFFECTS}")));
    };
    let wrong = |takes: &str| refused(format!("$.effect.{name}: takes {takes}"));
    let count = |value: &Value| value.as_u64().ok_or_else(|| wrong("a whole number from 0 on"));
    let is_true = |effect: Effect| if *value == true { Ok(effect) } else { Err(wrong("true")) };
    match name.as_str() {
        "bouncer" => match value.as_str() {
            Some("unreachable") => Ok(Effect::Bouncer(Bouncer::Unreachable)),
            Some("server_error") => Ok(Effect::Bouncer(Bouncer::ServerError)),
            Some("admin_action_required") => Ok(Effect::Bouncer(Bouncer::AdminActionRequired)),
            _ => Err(wrong("unreachable, server_error or admin_action_required")),
        },
        "delay_ms" => count(value).map(Effect::DelayMs),
        "truncate_at" => count(value).map(Effect::TruncateAt),
        "error" => error(value).ok_or_else(|| wrong("status (400 to 599), code, msg and further keys")),
        "rate_limit" => rate_limit(value).ok_or_else(|| wrong("retry_after in seconds")),
        "drop" => match value.as_str() {
            Some("before") => Ok(Effect::DropBefore),
            Some("after") => Ok(Effect::DropAfter),
            _ => Err(wrong("before or after")),
        },
        "garbage" => is_true(Effect::Garbage),
        "lose_queue" => is_true(Effect::LoseQueue),
        _ => Err(refused(format!("$.effect.{name}: is unknown; there are {EFFECTS}"))),
    }
}

const EFFECTS: &str = "bouncer, delay_ms, error, rate_limit, drop, truncate_at, garbage and lose_queue";

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
    let retry_after =
        sent.get("retry_after").filter(|seconds| seconds.as_f64().is_some_and(|seconds| seconds >= 0.0))?;
    Some(Effect::RateLimit { retry_after: retry_after.clone() })
}
