//! The calls that install, list and remove faults.

mod effect;

use super::request_pattern::{METHODS, PatternUse, RequestPattern};
use super::{refusal, unknown_name_in_world_message, users};
use crate::error::Error;
use crate::fault::{Effect, Fault, InstalledFault, POLL_METHOD, POLL_PATH, RELAY_PATH_PREFIX, RequestConditions};
use crate::json_diagnostic;
use crate::world::World;
use effect::{effect_schema, read_effect, shorten};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A failure to cause in the requests that match.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultRule {
    #[serde(rename = "match")]
    /// Which requests the fault is for; all by default.
    matching: Option<FaultMatch>,
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
struct FaultMatch {
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
    let to_record = |installed: &InstalledFault| {
        let mut record = installed.fault.source.clone();
        record["fault_id"] = installed.id.as_str().into();
        record["passed"] = installed.pass_count.into();
        record["fired"] = installed.fire_count.into();
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

/// Reads the rule of a fault and checks that its names exist in a world.
///
/// # Errors
///
/// `ControlRefused` for JSON of another shape, an unknown name, a value out of range, or an effect that none of the
/// matching requests can have.
pub fn read(world: &World, mut source: Value) -> Result<Fault, Error> {
    let rule: FaultRule =
        json_diagnostic::deserialize(&source).map_err(|diagnostic| refusal(diagnostic.to_string()))?;
    let matching = rule.matching.unwrap_or_default();
    let pattern =
        RequestPattern { method: matching.method, path: matching.path, params: matching.params.unwrap_or_default() };
    let RequestPattern { method, path, params } =
        pattern.check_and_translate(world, "$.match.", PatternUse::Operations)?;
    let user = users::find_email(&world.snapshot(), matching.user.as_deref(), "$.match.user")?;
    if rule.probability.is_some_and(|probability| !(0.0..=1.0).contains(&probability)) {
        let sent_value = shorten(&source["probability"]);
        return Err(refusal(format!("$.probability: takes a number from 0 to 1, not {sent_value}")));
    }
    if rule.times == Some(0) {
        return Err(refusal("$.times: takes a number from 1 on, not 0"));
    }
    let conditions = RequestConditions { method, path, user, params };
    let effect = read_effect(&rule.effect)?;
    check_effect_applies(&effect, &conditions)?;
    remove_nulls(&mut source);
    Ok(Fault {
        source,
        conditions,
        after: rule.after.unwrap_or(0),
        probability: rule.probability,
        max_fires: rule.times,
        effect,
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
