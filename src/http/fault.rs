//! Faults at the edge: what a fired rule makes of a request and of its reply (contract, Faults).

use super::Response;
use super::reply::{self, ConnectionFault};
use super::trace::Trace;
use crate::error::Error;
use crate::fault::{Bouncer, Disturbance, Effect, RELAYED, Seen};
use crate::level::{add_unknown_field, emulation};
use crate::realm::queue::QueueId;
use crate::realm::user::User;
use crate::time::Timestamp;
use crate::world::World;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use std::time::Duration;

/// Marks a reply that a fault made.
const FAULT: HeaderName = HeaderName::from_static("x-chatdouble-fault");

/// How many requests are allowed in the longest span that counts, how many of them are left, and when all are again,
/// UNIX seconds (reference behaviour, section 2.4).
const RATE_LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const RATE_LIMIT_REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RATE_LIMIT_RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
/// The limit that servers begin with.
const REQUESTS_AN_HOUR: &str = "2000";

/// The rule that fired for a request, if one did.
pub struct Fault {
    fired: Option<(String, Effect)>,
}

impl Fault {
    /// Asks the world's rules.
    pub fn fire(world: &World, trace: &mut Trace) -> Self {
        let mut faults = world.faults().lock();
        if faults.is_empty() {
            return Self { fired: None };
        }
        let fired = faults.fire(Seen {
            method: &trace.method,
            path: trace.route,
            full_path: &trace.path,
            params: &trace.params,
            user: trace.user(),
            at: world.real_time().now(),
            asks_relay: trace.route.is_some_and(|path| path.starts_with(RELAYED)),
        });
        trace.fault = fired.as_ref().map(|(id, _)| id.clone());
        if let Some((_, Effect::DelayMs(milliseconds))) = &fired {
            trace.delay = Duration::from_millis(*milliseconds);
        }
        Self { fired }
    }

    /// How the push relay fails.
    pub fn bouncer(&self) -> Option<Bouncer> {
        match self.fired {
            Some((_, Effect::Bouncer(bouncer))) => Some(bouncer),
            _ => None,
        }
    }

    /// What becomes of the events of a poll.
    pub fn disturbance(&self) -> Option<Disturbance> {
        match self.fired {
            Some((_, Effect::Events(disturbance))) => Some(disturbance),
            _ => None,
        }
    }

    /// Ends all queues of the caller, when that is the effect.
    pub fn lose_queues(&self, world: &World, caller: &User) {
        if !matches!(self.fired, Some((_, Effect::LoseQueue))) {
            return;
        }
        let lost = world.commit(|tx| {
            let ids: Vec<QueueId> =
                tx.queues.values().filter(|queue| queue.owner == caller.id).map(|queue| queue.id.clone()).collect();
            for id in &ids {
                tx.end_queue(id);
            }
            Ok(())
        });
        debug_assert!(lost.is_ok(), "ending queues can't be refused");
    }

    /// The reply that takes the operation's place, when nothing is to be done.
    pub fn instead(&self, feature_level: i64, now: Timestamp) -> Option<Response> {
        let (id, effect) = self.fired.as_ref()?;
        let response = match effect {
            Effect::Error { status, fields } => {
                let mut body = serde_json::to_vec(fields).unwrap_or_default();
                body.push(b'\n');
                reply::json(*status, body)
            }
            Effect::RateLimit { retry_after } => rate_limited(retry_after, feature_level, now),
            Effect::Drop { is_carried_out: false, .. } => mangled(reply::empty(502), ConnectionFault::Dropped),
            _ => return None,
        };
        Some(marked(response, id))
    }

    /// What becomes of the reply when the operation was carried out.
    pub fn afterwards(&self, response: Response) -> Response {
        let Some((id, effect)) = &self.fired else { return response };
        let response = match effect {
            Effect::Drop { .. } => mangled(response, ConnectionFault::Dropped),
            Effect::TruncateAt(bytes) => {
                mangled(response, ConnectionFault::TruncatedAt(usize::try_from(*bytes).unwrap_or(usize::MAX)))
            }
            Effect::Garbage => garbage(),
            Effect::Events(Disturbance::Unknown) => with_unknown_fields(response),
            _ => response,
        };
        marked(response, id)
    }
}

/// Fields that no client knows, in the reply and in each of its events.
fn with_unknown_fields(response: Response) -> Response {
    let Ok(serde_json::Value::Object(mut reply)) = serde_json::from_slice(response.body()) else { return response };
    for event in reply.get_mut("events").and_then(|events| events.as_array_mut()).into_iter().flatten() {
        if let Some(event) = event.as_object_mut() {
            add_unknown_field(event);
        }
    }
    add_unknown_field(&mut reply);
    let mut body = serde_json::to_vec(&reply).unwrap_or_default();
    body.push(b'\n');
    response.map(|_| body.into())
}

fn marked(mut response: Response, id: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(FAULT, value);
    }
    response
}

fn mangled(mut response: Response, how: ConnectionFault) -> Response {
    response.extensions_mut().insert(how);
    response
}

/// A reply to a request beyond the limit. What is left of it, and when all of it is there again, is in headers, by
/// the world's time.
fn rate_limited(retry_after: &serde_json::Value, feature_level: i64, now: Timestamp) -> Response {
    let error = Error::RateLimitHit { retry_after: retry_after.clone().into() };
    let former = emulation(feature_level).and_then(|emulation| emulation.code_of(None, error.row()));
    let mut response = reply::former_failure(&error, former, None, None);
    if let Ok(value) = HeaderValue::from_str(&retry_after.to_string()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    let reset = now.fractional_seconds() + retry_after.as_f64().unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(RATE_LIMIT, HeaderValue::from_static(REQUESTS_AN_HOUR));
    headers.insert(RATE_LIMIT_REMAINING, HeaderValue::from_static("0"));
    headers.insert(RATE_LIMIT_RESET, HeaderValue::from(reset.ceil() as i64));
    response
}

/// A proxy's page where JSON was expected.
fn garbage() -> Response {
    let page = "<!doctype html>\n<html><head><title>Gateway</title></head><body><h1>Please log in to the network</h1></body></html>\n";
    let mut response = Response::new(Bytes::from_static(page.as_bytes()));
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}
