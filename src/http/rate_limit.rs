//! Charges requests to rate limits, and adds the state of the budget to replies (reference behaviour, section 2.4).

use crate::api::OperationRow;
use crate::error::Error;
use crate::fault::rate_limit::Budget;
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use crate::world::World;
use http::{HeaderName, HeaderValue, header};
use serde_json::Value;

/// The size of the budget, in requests.
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
/// The remaining requests.
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
/// The time at which the budget is full again, in UNIX seconds.
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The limit of real servers in their default configuration.
const DEFAULT_REQUESTS_PER_HOUR: u32 = 2000;
/// The resolution of `retry-after`.
const STEP_MICROS: i64 = 10;
const STEPS_PER_SECOND: i64 = 1_000_000 / STEP_MICROS;

/// Charges a request unless `budget` shows that it was charged before: an operation that is retried on a newer state
/// costs only once.
///
/// # Errors
///
/// `RateLimitHit` when the budget is used up.
pub fn charge(
    world: &World,
    row: &OperationRow,
    caller: Option<&User>,
    budget: &mut Option<Budget>,
) -> Result<(), Error> {
    let mut limits = world.rate_limits().lock();
    if limits.is_empty() {
        return Ok(());
    }
    if budget.is_none() {
        *budget = limits.charge(caller.map(|user| user.id), row.is_poll(), world.now());
    }
    match budget.as_ref().and_then(|budget| budget.retry_after) {
        Some(wait) => Err(Error::RateLimitHit { retry_after: retry_seconds(wait).into() }),
        None => Ok(()),
    }
}

pub fn add_headers<B>(budget: &Budget, response: &mut http::Response<B>) {
    if let Some(wait) = budget.retry_after {
        add_retry_after(&retry_seconds(wait), response);
    }
    let headers = response.headers_mut();
    headers.insert(LIMIT, budget.limit.into());
    headers.insert(REMAINING, budget.remaining.into());
    headers.insert(RESET, unix_seconds_rounded_up(budget.full_at).into());
}

/// Adds the header with the time after which to try again. `retry_after` is in seconds and may be a fraction.
pub fn add_retry_after<B>(retry_after: &Value, response: &mut http::Response<B>) {
    if let Ok(value) = HeaderValue::from_str(&retry_after.to_string()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
}

/// A used-up budget with the default limit, for replies of faults, which add the header `retry-after` themselves.
/// `retry_after` is in seconds.
pub fn used_up_budget(retry_after: &Value, now: Timestamp) -> Budget {
    let wait = Span::from_micros((retry_after.as_f64().unwrap_or_default() * 1e6) as i64);
    Budget { limit: DEFAULT_REQUESTS_PER_HOUR, remaining: 0, full_at: now.plus(wait), retry_after: None }
}

/// A span in seconds, rounded up to a multiple of [`STEP_MICROS`]: `serde_json` writes smaller fractions with an
/// exponent, and a client that waits for the rounded time is never too early.
fn retry_seconds(span: Span) -> Value {
    let steps = span.micros().div_euclid(STEP_MICROS) + i64::from(span.micros() % STEP_MICROS != 0);
    if steps % STEPS_PER_SECOND == 0 {
        (steps / STEPS_PER_SECOND).into()
    } else {
        (steps as f64 / STEPS_PER_SECOND as f64).into()
    }
}

fn unix_seconds_rounded_up(time: Timestamp) -> i64 {
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
            assert_eq!(retry_seconds(Span::from_micros(micros)).to_string(), text);
        }
        assert_eq!(unix_seconds_rounded_up(Timestamp::from_micros(1_000_001)), 2);
        assert_eq!(unix_seconds_rounded_up(Timestamp::from_micros(2_000_000)), 2);
    }
}
