//! Putting clients on networks.

use super::filters::Filters;
use super::milliseconds::Milliseconds;
use super::{refused, users};
use crate::error::Error;
use crate::fault::network::{Network, PROFILES, Profile};
use crate::json_diagnostic::most_alike;
use crate::world::{Watched, World};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};

/// The longest latency and jitter, in milliseconds: an hour.
const MOST_MS: u64 = 3_600_000;

/// A network: a profile, numbers of its own, or a profile with other numbers.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "NetworkTerms")]
pub struct Sent {
    /// Whose network: an address or its handle; that of all who have none of their own by default.
    user: Option<String>,
    /// The name of a profile.
    #[schemars(schema_with = "profile_schema")]
    #[serde(default)]
    profile: Option<String>,
    /// What each reply waits for, in milliseconds.
    #[schemars(with = "Option<u64>", range(max = MOST_MS))]
    latency_ms: Option<Milliseconds>,
    /// What each reply waits for in addition, in milliseconds, at most.
    #[schemars(with = "Option<u64>", range(max = MOST_MS))]
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

/// A network of which nothing is known yet.
const CUSTOM: Profile = Profile { name: "", latency_ms: 0, jitter_ms: 0, bytes_per_second: None, loss: 0.0, about: "" };

/// Puts a user, or all who have no network of their own, on one.
///
/// # Errors
///
/// `ControlRefused`.
pub fn set(world: &World, sent: &Sent) -> Result<Value, Error> {
    let [latency_ms, jitter_ms] = [sent.latency_ms, sent.jitter_ms].map(|sent| sent.map(|Milliseconds(number)| number));
    let numbers = [latency_ms, jitter_ms, sent.bytes_per_second];
    if sent.profile.is_none() && sent.loss.is_none() && numbers.iter().all(Option::is_none) {
        return Err(refused("$: takes a profile, or latency_ms, jitter_ms, bytes_per_second or loss"));
    }
    let user = users::address(&world.snapshot(), sent.user.as_deref(), "$.user")?;
    let mut profile = sent.profile.as_deref().map_or(Ok(CUSTOM), named)?;
    for (name, value, place) in
        [("latency_ms", latency_ms, &mut profile.latency_ms), ("jitter_ms", jitter_ms, &mut profile.jitter_ms)]
    {
        *place = value.unwrap_or(*place);
        if *place > MOST_MS {
            return Err(refused(format!("$.{name}: takes a whole number of milliseconds up to {MOST_MS}, an hour")));
        }
    }
    if sent.bytes_per_second == Some(0) {
        return Err(refused("$.bytes_per_second: takes a whole number from 1 on"));
    }
    profile.bytes_per_second = sent.bytes_per_second.or(profile.bytes_per_second);
    profile.loss = sent.loss.unwrap_or(profile.loss);
    if !(0.0..=1.0).contains(&profile.loss) {
        return Err(refused("$.loss: takes a number from 0 to 1"));
    }
    world.networks().lock().set(user, profile);
    tell(world);
    Ok(json!({}))
}

/// The profile of this name.
fn named(name: &str) -> Result<Profile, Error> {
    PROFILES.iter().find(|profile| profile.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        let compared = &name[..name.floor_char_boundary(super::COMPARED_MAX_BYTES)];
        let nearest = most_alike(compared, &names).map(|nearest| format!("; the nearest is '{nearest}'"));
        refused(format!("$.profile: takes one of {}{}", names.join(", "), nearest.unwrap_or_default()))
    })
}

/// The networks that there are.
pub fn list(world: &World) -> Value {
    let networks = world.networks().lock();
    let record = |Network { user, profile, .. }: &Network| {
        json!({
            "user": user,
            "profile": Some(profile.name).filter(|name| !name.is_empty()),
            "latency_ms": profile.latency_ms,
            "jitter_ms": profile.jitter_ms,
            "bytes_per_second": profile.bytes_per_second,
            "loss": profile.loss,
        })
    };
    json!({"networks": networks.all().iter().map(record).collect::<Vec<_>>()})
}

/// Tells those who watch a world which networks there are now.
fn tell(world: &World) {
    world.broadcast(Watched::Conditions { at: world.now(), kind: "network", now: list(world) });
}

/// Ends the network of a user, or all networks.
///
/// # Errors
///
/// `ControlRefused` for an unknown user.
pub fn end(world: &World, filters: &Filters) -> Result<Value, Error> {
    match users::address(&world.snapshot(), filters.text("user"), "user")? {
        Some(user) => world.networks().lock().remove(&user),
        None => world.networks().lock().clear(),
    }
    tell(world);
    Ok(json!({}))
}
