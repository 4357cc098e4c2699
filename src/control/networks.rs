//! The calls that set, list and end networks between clients and a world.

use super::milliseconds::Milliseconds;
use super::query::Query;
use super::{refusal, unknown_word_error, users};
use crate::error::Error;
use crate::fault::MAX_DELAY_MS;
use crate::fault::network::{Network, PROFILES, Profile};
use crate::world::{WatchFrame, World};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// A network: a profile, numbers, or a profile with some numbers replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NetworkTerms")]
pub struct NetworkSpec {
    /// Whose network, by email address or handle; by default that of all users who have none of their own.
    user: Option<String>,
    /// The built-in profile for the numbers that are left out; without one, they limit nothing.
    #[schemars(schema_with = "profile_schema")]
    #[serde(default)]
    profile: Option<String>,
    /// The delay of each reply, in milliseconds of real time.
    #[schemars(with = "Option<u64>", range(max = MAX_DELAY_MS))]
    latency_ms: Option<Milliseconds>,
    /// The largest random delay of a reply in addition, in milliseconds.
    #[schemars(with = "Option<u64>", range(max = MAX_DELAY_MS))]
    jitter_ms: Option<Milliseconds>,
    /// Bytes of bodies that pass in a second, in either direction, from 1.
    #[schemars(range(min = 1))]
    bytes_per_second: Option<u64>,
    /// The share of requests whose connection breaks, from 0 to 1: half of them before they are carried out.
    #[schemars(range(min = 0, max = 1))]
    loss: Option<f64>,
}

fn profile_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<Option<&str>> = PROFILES.iter().map(|profile| Some(profile.name)).chain([None]).collect();
    json_schema!({"type": ["string", "null"], "enum": names})
}

/// The values of a network without a profile.
const NO_PROFILE: Profile =
    Profile { name: "", latency_ms: 0, jitter_ms: 0, bytes_per_second: None, loss_rate: 0.0, description: "" };

/// Sets the network of a user, or that of all users without one of their own.
///
/// # Errors
///
/// `ControlRefused` for a body without any property of a network, an unknown user or profile, or a number out of range.
pub fn set(world: &World, spec: &NetworkSpec) -> Result<Value, Error> {
    let [latency_ms, jitter_ms] =
        [spec.latency_ms, spec.jitter_ms].map(|value| value.map(|Milliseconds(number)| number));
    let numbers = [latency_ms, jitter_ms, spec.bytes_per_second];
    if spec.profile.is_none() && spec.loss.is_none() && numbers.iter().all(Option::is_none) {
        return Err(refusal("$: takes a profile, or latency_ms, jitter_ms, bytes_per_second or loss"));
    }
    let user = users::find_email(&world.snapshot(), spec.user.as_deref(), "$.user")?;
    let mut profile = spec.profile.as_deref().map_or(Ok(NO_PROFILE), find_profile)?;
    for (name, value, field) in
        [("latency_ms", latency_ms, &mut profile.latency_ms), ("jitter_ms", jitter_ms, &mut profile.jitter_ms)]
    {
        *field = value.unwrap_or(*field);
        if *field > MAX_DELAY_MS {
            return Err(refusal(format!(
                "$.{name}: takes a whole number of milliseconds from 0 to {MAX_DELAY_MS}, an hour"
            )));
        }
    }
    if spec.bytes_per_second == Some(0) {
        return Err(refusal("$.bytes_per_second: takes a whole number from 1 on"));
    }
    profile.bytes_per_second = spec.bytes_per_second.or(profile.bytes_per_second);
    profile.loss_rate = spec.loss.unwrap_or(profile.loss_rate);
    if !(0.0..=1.0).contains(&profile.loss_rate) {
        return Err(refusal("$.loss: takes a number from 0 to 1"));
    }
    world.networks().lock().set(user, profile);
    broadcast_networks(world);
    Ok(json!({}))
}

fn find_profile(name: &str) -> Result<Profile, Error> {
    PROFILES.iter().find(|profile| profile.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        unknown_word_error("$.profile", &format!("one of {}", names.join(", ")), name, &names)
    })
}

pub fn list(world: &World) -> Value {
    let networks = world.networks().lock();
    let to_record = |Network { user, profile, .. }: &Network| {
        json!({
            "user": user,
            "profile": Some(profile.name).filter(|name| !name.is_empty()),
            "latency_ms": profile.latency_ms,
            "jitter_ms": profile.jitter_ms,
            "bytes_per_second": profile.bytes_per_second,
            "loss": profile.loss_rate,
        })
    };
    json!({"networks": networks.all().iter().map(to_record).collect::<Vec<_>>()})
}

/// Sends the current networks to the world's watchers.
fn broadcast_networks(world: &World) {
    world.broadcast(WatchFrame::NetworksOrRateLimits { at: world.now(), kind: "network", current: list(world) });
}

/// Ends the network of the user in the query, or all networks if it names none.
///
/// # Errors
///
/// `ControlRefused` for an unknown user, or a handle that several users have.
pub fn end(world: &World, query: &Query) -> Result<Value, Error> {
    match users::find_email(&world.snapshot(), query.text("user"), "user")? {
        Some(user) => world.networks().lock().remove(&user),
        None => world.networks().lock().clear(),
    }
    broadcast_networks(world);
    Ok(json!({}))
}
