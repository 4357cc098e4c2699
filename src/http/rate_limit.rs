//! Requests that are counted, and what their replies say of it (reference behaviour, section 2.4).

use crate::api::Row;
use crate::error::Error;
use crate::fault::rate_limit::Budget;
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use crate::world::World;
use http::{HeaderName, HeaderValue, header};
use serde_json::Value;

/// How many requests are allowed in the longest span that counts, how many of them are left, and when all are again, in
/// UNIX seconds.
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Counts a request for an operation, unless it was counted in a budget already: a request that begins again is counted
/// once.
///
/// # Errors
///
/// `RateLimitHit` beyond the budget.
pub fn count(world: &World, row: &Row, caller: Option<&User>, budget: &mut Option<Budget>) -> Result<(), Error> {
    let mut limits = world.rate_limits().lock();
    // Most worlds limit nothing.
    if limits.is_empty() {
        return Ok(());
    }
    if budget.is_none() {
        *budget = limits.count(caller.map(|user| user.id), row.is_poll(), world.now());
    }
    match budget.as_ref().and_then(|budget| budget.retry_after) {
        Some(wait) => Err(Error::RateLimitHit { retry_after: seconds(wait).into() }),
        None => Ok(()),
    }
}

/// Adds what clients see of a budget to a reply.
pub fn tell<B>(budget: &Budget, response: &mut http::Response<B>) {
    if let Some(wait) = budget.retry_after {
        tell_wait(&seconds(wait), response);
    }
    let headers = response.headers_mut();
    headers.insert(LIMIT, budget.limit.into());
    headers.insert(REMAINING, budget.remaining.into());
    headers.insert(RESET, whole_seconds(budget.whole_at).into());
}

/// Adds what a client sees that has to wait for so many seconds from now on, a JSON number.
pub fn tell_wait<B>(retry_after: &Value, response: &mut http::Response<B>) {
    if let Ok(value) = HeaderValue::from_str(&retry_after.to_string()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
}

/// The budget of a server with the limit that servers begin with, all of which is spent.
pub fn usual(retry_after: &Value, now: Timestamp) -> Budget {
    let wait = Span::from_micros((retry_after.as_f64().unwrap_or_default() * 1e6) as i64);
    Budget { limit: REQUESTS_AN_HOUR, remaining: 0, whole_at: now.plus(wait), retry_after: None }
}

/// The limit that servers begin with.
const REQUESTS_AN_HOUR: u32 = 2000;

/// A span in seconds, rounded up to what is written without an exponent: whoever waits for it has waited long enough.
fn seconds(span: Span) -> Value {
    let steps = span.micros().div_euclid(STEP_MICROS) + i64::from(span.micros() % STEP_MICROS != 0);
    if steps % STEPS_A_SECOND == 0 {
        (steps / STEPS_A_SECOND).into()
    } else {
        (steps as f64 / STEPS_A_SECOND as f64).into()
    }
}

/// The smallest part of a second that `retry-after` tells.
const STEP_MICROS: i64 = 10;
const STEPS_A_SECOND: i64 = 1_000_000 / STEP_MICROS;

/// The first whole second that is not before a time.
fn whole_seconds(time: Timestamp) -> i64 {
    -(-time.micros()).div_euclid(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_rounded_up_and_written_without_an_exponent() {
        for (micros, text) in
            [(1, "0.00001"), (10, "0.00001"), (3_333_334, "3.33334"), (500_000, "0.5"), (60_000_000, "60")]
        {
            assert_eq!(seconds(Span::from_micros(micros)).to_string(), text);
        }
        assert_eq!(whole_seconds(Timestamp::from_micros(1_000_001)), 2);
        assert_eq!(whole_seconds(Timestamp::from_micros(2_000_000)), 2);
    }
}
