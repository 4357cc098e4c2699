//! The calls that set, list and end rate limits.

use super::query::Query;
use super::times::SpanInput;
use super::{refusal, users};
use crate::error::Error;
use crate::fault::rate_limit::{RateLimit, RateLimits};
use crate::time::Span;
use crate::world::{WatchFrame, World};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

const MAX_REQUESTS: u32 = 1_000_000;
/// The longest time in which a budget may refill: 100 years.
const MAX_SPAN_DAYS: i64 = 36_525;

/// A budget of requests that refills with the world's clock.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RateLimitTerms")]
pub struct RateLimitSpec {
    /// Whose requests, by email address or handle; by default those of each user without a limit of their own.
    user: Option<String>,
    /// Number of requests in a full budget, from 1 to 1,000,000.
    #[schemars(with = "u32", range(min = 1, max = MAX_REQUESTS))]
    requests: i64,
    /// The time in which an empty budget refills, by the world's clock; more than 0, and at most 100 years.
    seconds: SpanInput,
}

/// Sets the rate limit of a user, or that of each user without one of their own.
///
/// # Errors
///
/// `ControlRefused` for an unknown user, a handle that several users have, or a number or time out of range.
pub fn set(world: &World, spec: &RateLimitSpec) -> Result<Value, Error> {
    let realm = world.snapshot();
    let user = spec.user.as_deref().map(|name| users::find_user(&realm, name, "$.user")).transpose()?;
    let budget_size = u32::try_from(spec.requests).ok().filter(|size| (1..=MAX_REQUESTS).contains(size));
    let budget_size = budget_size.ok_or_else(|| {
        refusal(format!("$.requests: takes a whole number from 1 to {MAX_REQUESTS}, not {}", spec.requests))
    })?;
    let SpanInput(span) = spec.seconds;
    if span <= Span::from_seconds(0) || span > Span::from_days(MAX_SPAN_DAYS) {
        return Err(refusal("$.seconds: takes more than 0 seconds, and at most 100 years"));
    }
    world.rate_limits().lock().set(user.map(|user| user.id), RateLimit { budget_size, span });
    broadcast_rate_limits(world);
    Ok(json!({}))
}

pub fn list(world: &World) -> Value {
    let realm = world.snapshot();
    let limits = world.rate_limits().lock();
    let to_record = |(user, RateLimit { budget_size, span })| {
        let user = Option::and_then(user, |user| realm.user(user)).map(|user| user.email.as_str());
        json!({"user": user, "requests": budget_size, "seconds": span.micros() as f64 / 1e6})
    };
    json!({"rate_limits": limits.all().map(to_record).collect::<Vec<_>>()})
}

/// Sends the current rate limits to the world's watchers.
fn broadcast_rate_limits(world: &World) {
    world.broadcast(WatchFrame::NetworksOrRateLimits { at: world.now(), kind: "rate_limit", current: list(world) });
}

/// Ends the limit of the user in the query, or all limits if it names none.
///
/// # Errors
///
/// `ControlRefused` for an unknown user, or a handle that several users have.
pub fn end(world: &World, query: &Query) -> Result<Value, Error> {
    match query.text("user") {
        Some(name) => {
            let user = users::find_user(&world.snapshot(), name, "user")?;
            world.rate_limits().lock().remove(user.id);
        }
        None => *world.rate_limits().lock() = RateLimits::default(),
    }
    broadcast_rate_limits(world);
    Ok(json!({}))
}
