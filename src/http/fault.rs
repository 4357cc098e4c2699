//! Faults at the edge: what a fired rule makes of a request and of its reply (contract, Faults).

use super::draft::{self, Draft, DraftBody};
use super::reply::{self, ConnectionFault};
use super::trace::Trace;
use super::{pseudo_locale, rate_limit};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::fault::network::Loss;
use crate::fault::{Bouncer, Disturbance, Effect, NETWORK, RELAYED, Seen};
use crate::level::{Emulation, add_unknown_field};
use crate::realm::queue::QueueId;
use crate::realm::user::User;
use crate::time::Timestamp;
use crate::world::World;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value};
use std::time::Duration;

/// The rule that fired for a request, if one did, or what the network does to it.
#[derive(Default)]
pub struct Fault {
    fired: Option<(String, Effect)>,
}

impl Fault {
    /// Asks the world's rules, and the network where none of them fires.
    pub fn fire(world: &World, trace: &mut Trace) -> Self {
        let fired = Self::fired(world, trace).or_else(|| {
            let loss = world.networks().lock().lose(trace.user())?;
            Some((NETWORK.to_owned(), Effect::Drop { is_carried_out: loss == Loss::After, retries: false }))
        });
        trace.fault = fired.as_ref().map(|(id, _)| id.clone());
        if let Some((_, Effect::DelayMs(milliseconds))) = &fired {
            trace.delay = Duration::from_millis(*milliseconds);
        }
        Self { fired }
    }

    fn fired(world: &World, trace: &Trace) -> Option<(String, Effect)> {
        let mut faults = world.faults().lock();
        if faults.is_empty() {
            return None;
        }
        faults.fire(Seen {
            method: &trace.method,
            path: trace.route,
            full_path: &trace.path,
            params: &trace.params,
            user: trace.user(),
            at: world.real_time().now(),
            asks_relay: trace.route.is_some_and(|path| path.starts_with(RELAYED)),
        })
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
    pub fn instead(&self, emulation: Option<&Emulation>, now: Timestamp) -> Option<Draft> {
        let (id, effect) = self.fired.as_ref()?;
        let response = match effect {
            Effect::Error { status, fields } => reply::json(*status, DraftBody::line(fields.clone())),
            Effect::RateLimit { retry_after } => rate_limited(retry_after, emulation, now),
            Effect::Drop { is_carried_out: false, .. } => mangled(reply::empty(502), ConnectionFault::Dropped),
            _ => return None,
        };
        Some(marked(response, id))
    }

    /// What becomes of the reply when the operation was carried out.
    pub fn afterwards(&self, response: Draft, dialect: &Dialect) -> Draft {
        let Some((id, effect)) = &self.fired else { return response };
        let response = match effect {
            Effect::Drop { .. } => mangled(response, ConnectionFault::Dropped),
            Effect::TruncateAt(bytes) => {
                mangled(response, ConnectionFault::TruncatedAt(usize::try_from(*bytes).unwrap_or(usize::MAX)))
            }
            Effect::Change(keys) => changed(response, keys, dialect),
            Effect::PseudoLocalize => translated(response),
            Effect::Garbage => garbage(),
            Effect::Events(Disturbance::Unknown) => with_unknown_fields(response),
            _ => response,
        };
        marked(response, id)
    }
}

/// The response with another reply in its body, where it has one.
fn with_reply(response: Draft, change: impl FnOnce(&mut Map<String, Value>)) -> Draft {
    response.map(|body| body.changed(change))
}

/// A success with these values at its top level; null leaves a key out.
fn changed(response: Draft, keys: &Map<String, Value>, dialect: &Dialect) -> Draft {
    if !response.status().is_success() {
        return response;
    }
    with_reply(response, |reply| {
        for (key, value) in keys {
            let key = dialect.vendor_key(key);
            match value {
                Value::Null => _ = reply.shift_remove(key),
                value => _ = reply.insert(key.to_owned(), value.clone()),
            }
        }
    })
}

/// A failed reply as from a server that translates.
fn translated(mut response: Draft) -> Draft {
    if response.status().is_success() {
        return response;
    }
    let language = HeaderValue::from_static(pseudo_locale::TAG);
    response.headers_mut().insert(header::CONTENT_LANGUAGE, language);
    with_reply(response, |reply| {
        if let Some(Value::String(message)) = reply.get_mut("msg") {
            *message = pseudo_locale::pseudo_localized(message);
        }
    })
}

/// Fields that no client knows, in the reply and in each of its events.
fn with_unknown_fields(response: Draft) -> Draft {
    with_reply(response, |reply| {
        for event in reply.get_mut("events").and_then(|events| events.as_array_mut()).into_iter().flatten() {
            if let Some(event) = event.as_object_mut() {
                add_unknown_field(event);
            }
        }
        add_unknown_field(reply);
    })
}

fn marked(mut response: Draft, id: &str) -> Draft {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(reply::FAULT, value);
    }
    response
}

fn mangled(mut response: Draft, how: ConnectionFault) -> Draft {
    response.extensions_mut().insert(how);
    response
}

/// A reply to a request beyond the limit. What is left of it, and when all of it is there again, is in headers, by
/// the world's time.
fn rate_limited(retry_after: &Value, emulation: Option<&Emulation>, now: Timestamp) -> Draft {
    let error = Error::RateLimitHit { retry_after: retry_after.clone().into() };
    let former = emulation.and_then(|emulation| emulation.code_of(None, error.row()));
    let mut response = draft::former_failure(&error, former, None, None);
    rate_limit::tell_wait(retry_after, &mut response);
    rate_limit::tell(&rate_limit::usual(retry_after, now), &mut response);
    response
}

/// A proxy's page where JSON was expected.
fn garbage() -> Draft {
    let page = "<!doctype html>\n<html><head><title>Gateway</title></head><body><h1>Please log in to the network</h1></body></html>\n";
    let mut response = Draft::new(DraftBody::Bytes(Bytes::from_static(page.as_bytes())));
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}
