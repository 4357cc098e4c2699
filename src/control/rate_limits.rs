//! Limiting requests.

use super::filters::Filters;
use super::times::Seconds;
use super::{refused, users};
use crate::error::Error;
use crate::fault::rate_limit::{RateLimit, RateLimits};
use crate::time::Span;
use crate::world::{Watched, World};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The most requests of a budget.
const MOST_REQUESTS: u32 = 1_000_000;
/// The longest time in which a budget refills.
const MOST_DAYS: i64 = 36_525;

/// A limit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RateLimitTerms")]
pub struct Sent {
    /// Whose requests: an address or its handle; those of each who has no limit of their own by default.
    user: Option<String>,
    /// Requests of a whole budget, from 1 to 1,000,000.
    #[schemars(range(min = 1, max = MOST_REQUESTS))]
    requests: u32,
    /// The time in which an empty budget becomes whole, by the world's clock.
    seconds: Seconds,
}

/// Limits the requests of a user, or of each who has no limit of their own.
///
/// # Errors
///
/// `ControlRefused`.
pub fn set(world: &World, sent: &Sent) -> Result<Value, Error> {
    let realm = world.snapshot();
    let user = sent.user.as_deref().map(|user| users::named(&realm, user, "$.user")).transpose()?;
    if !(1..=MOST_REQUESTS).contains(&sent.requests) {
        return Err(refused(format!("$.requests: takes a whole number from 1 to {MOST_REQUESTS}")));
    }
    let Seconds(span) = sent.seconds;
    if span <= Span::seconds(0) || span > Span::days(MOST_DAYS) {
        return Err(refused("$.seconds: takes more than 0 seconds, and at most 100 years"));
    }
    world.rate_limits().lock().set(user.map(|user| user.id), RateLimit { requests: sent.requests, span });
    tell(world);
    Ok(json!({}))
}

/// The limits that there are.
pub fn list(world: &World) -> Value {
    let realm = world.snapshot();
    let limits = world.rate_limits().lock();
    let record = |(user, RateLimit { requests, span })| {
        let user = Option::and_then(user, |user| realm.user(user)).map(|user| user.email.as_str());
        json!({"user": user, "requests": requests, "seconds": span.micros() as f64 / 1e6})
    };
    json!({"rate_limits": limits.all().map(record).collect::<Vec<_>>()})
}

/// Tells those who watch a world which limits there are now.
fn tell(world: &World) {
    world.broadcast(Watched::Conditions { at: world.now(), kind: "rate_limit", now: list(world) });
}

/// Ends the limit of a user, or all limits.
///
/// # Errors
///
/// `ControlRefused` for an unknown user.
pub fn end(world: &World, filters: &Filters) -> Result<Value, Error> {
    match filters.text("user") {
        Some(user) => {
            let user = users::named(&world.snapshot(), user, "user")?.id;
            world.rate_limits().lock().remove(user);
        }
        None => *world.rate_limits().lock() = RateLimits::default(),
    }
    tell(world);
    Ok(json!({}))
}
