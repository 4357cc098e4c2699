//! The effects of fired faults on requests and their replies.

use super::hint;
use super::pending_response::{self, PendingBody, PendingResponse};
use super::reply::{self, ConnectionFault};
use super::trace::Trace;
use super::{pseudo_locale, rate_limit};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::fault::network::Loss;
use crate::fault::{Disturbance, Effect, NETWORK_FAULT_ID, PushRelayFailure, RELAY_PATH_PREFIX, RequestView};
use crate::level::{Emulation, add_unknown_field};
use crate::realm::queue::QueueId;
use crate::realm::user::User;
use crate::time::Timestamp;
use crate::world::World;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value};
use std::time::Duration;

/// The fault of a request, if any: one of the world's faults, or the loss of the request or its reply by the network.
#[derive(Default)]
pub struct Fault {
    /// The ID of the fault and its effect.
    id_and_effect: Option<(String, Effect)>,
}

impl Fault {
    /// Fires the world's faults; if none fires, the network may lose the request.
    pub fn fire(world: &World, trace: &mut Trace) -> Self {
        let id_and_effect = fire_world_faults(world, trace).or_else(|| {
            let loss = world.networks().lock().draw_loss(trace.user())?;
            Some((
                NETWORK_FAULT_ID.to_owned(),
                Effect::Drop { is_carried_out: loss == Loss::After, drops_retries: false },
            ))
        });
        trace.fault = id_and_effect.as_ref().map(|(id, _)| id.clone());
        if let Some((_, Effect::DelayMs(milliseconds))) = &id_and_effect {
            trace.delay = Duration::from_millis(*milliseconds);
        }
        Self { id_and_effect }
    }

    /// The failure of the push relay, if that is the effect.
    pub fn push_relay_failure(&self) -> Option<PushRelayFailure> {
        match self.id_and_effect {
            Some((_, Effect::PushRelayFailure(failure))) => Some(failure),
            _ => None,
        }
    }

    /// The change to the events of a poll, if that is the effect.
    pub fn disturbance(&self) -> Option<Disturbance> {
        match self.id_and_effect {
            Some((_, Effect::Events(disturbance))) => Some(disturbance),
            _ => None,
        }
    }

    /// Ends all queues of the caller, if that is the effect.
    pub fn lose_queues(&self, world: &World, caller: &User) {
        if !matches!(self.id_and_effect, Some((_, Effect::LoseQueue))) {
            return;
        }
        let result = world.commit(|tx| {
            let ids: Vec<QueueId> =
                tx.queues.values().filter(|queue| queue.owner == caller.id).map(|queue| queue.id.clone()).collect();
            for id in &ids {
                tx.end_queue(id);
            }
            Ok(())
        });
        debug_assert!(result.is_ok(), "ending queues can't be refused");
    }

    /// The response to send without carrying out the operation, if the effect says so.
    pub fn replacement_response(&self, emulation: Option<&Emulation>, now: Timestamp) -> Option<PendingResponse> {
        let (id, effect) = self.id_and_effect.as_ref()?;
        let response = match effect {
            Effect::Error { status, fields } => reply::json(*status, PendingBody::json_line(fields.clone())),
            Effect::Gateway(status) => gateway_page(*status),
            Effect::RateLimit { retry_after } => rate_limit_response(retry_after, emulation, now),
            Effect::Drop { is_carried_out: false, .. } => {
                // The connection closes, so that nobody sees the status.
                with_connection_fault(reply::empty(502), ConnectionFault::Dropped)
            }
            _ => return None,
        };
        Some(with_fault_id(response, id))
    }

    /// Applies the effect to a response, and names the fault in its header.
    pub fn apply_to_response(&self, response: PendingResponse, dialect: &Dialect) -> PendingResponse {
        let Some((id, effect)) = &self.id_and_effect else { return response };
        let response = match effect {
            Effect::Drop { .. } => with_connection_fault(response, ConnectionFault::Dropped),
            Effect::TruncateAt(bytes) => with_connection_fault(
                response,
                ConnectionFault::TruncatedAt(usize::try_from(*bytes).unwrap_or(usize::MAX)),
            ),
            Effect::Change(fields) => with_changed_fields(response, fields, dialect),
            Effect::PseudoLocalize => with_pseudo_localized_message(response),
            Effect::Garbage => proxy_page(),
            Effect::Events(Disturbance::Unknown) => with_unknown_fields(response),
            _ => response,
        };
        with_fault_id(response, id)
    }
}

fn fire_world_faults(world: &World, trace: &Trace) -> Option<(String, Effect)> {
    let mut faults = world.faults().lock();
    if faults.is_empty() {
        return None;
    }
    faults.fire(RequestView {
        method: &trace.method,
        path: trace.route,
        full_path: &trace.path,
        params: &trace.params,
        user: trace.user(),
        at: world.real_time().now(),
        calls_push_relay: trace.route.is_some_and(|path| path.starts_with(RELAY_PATH_PREFIX)),
    })
}

fn map_reply(response: PendingResponse, change: impl FnOnce(&mut Map<String, Value>)) -> PendingResponse {
    response.map(|body| body.map_object(change))
}

/// Sets fields at the top level of a successful reply; null removes a field. A hint names a field that is to be removed
/// and is not there.
fn with_changed_fields(response: PendingResponse, fields: &Map<String, Value>, dialect: &Dialect) -> PendingResponse {
    if !response.status().is_success() {
        return response;
    }
    let mut missing_field_hint = None;
    let response = map_reply(response, |reply| {
        for (key, value) in fields {
            let key = dialect.vendor_key(key);
            match value {
                Value::Null if reply.contains_key(key) => _ = reply.shift_remove(key),
                Value::Null => _ = missing_field_hint.get_or_insert_with(|| hint::for_absent_field(reply, key)),
                value => _ = reply.insert(key.to_owned(), value.clone()),
            }
        }
    });
    pending_response::with_hint(response, missing_field_hint)
}

/// Puts the message of a refusal into accented letters, as a server that translates its messages would change it.
fn with_pseudo_localized_message(mut response: PendingResponse) -> PendingResponse {
    if response.status().is_success() {
        return response;
    }
    let language = HeaderValue::from_static(pseudo_locale::LANGUAGE_TAG);
    response.headers_mut().insert(header::CONTENT_LANGUAGE, language);
    map_reply(response, |reply| {
        if let Some(Value::String(message)) = reply.get_mut("msg") {
            *message = pseudo_locale::pseudo_localize(message);
        }
    })
}

/// Adds fields that no client knows to the reply and to each of its events.
fn with_unknown_fields(response: PendingResponse) -> PendingResponse {
    map_reply(response, |reply| {
        for event in reply.get_mut("events").and_then(|events| events.as_array_mut()).into_iter().flatten() {
            if let Some(event) = event.as_object_mut() {
                add_unknown_field(event);
            }
        }
        add_unknown_field(reply);
    })
}

fn with_fault_id(mut response: PendingResponse, id: &str) -> PendingResponse {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(reply::FAULT_ID, value);
    }
    response
}

fn with_connection_fault(mut response: PendingResponse, fault: ConnectionFault) -> PendingResponse {
    response.extensions_mut().insert(fault);
    response
}

/// The reply to a request beyond the rate limit, with the state of a used-up budget in its headers.
fn rate_limit_response(retry_after: &Value, emulation: Option<&Emulation>, now: Timestamp) -> PendingResponse {
    let error = Error::RateLimitHit { retry_after: retry_after.clone().into() };
    let status_and_code = emulation.and_then(|emulation| emulation.former_code(None, error.row()));
    let mut response = pending_response::former_refusal(&error, status_and_code, None, None);
    rate_limit::add_retry_after(retry_after, &mut response);
    rate_limit::add_headers(&rate_limit::used_up_budget(retry_after, now), &mut response);
    response
}

/// The HTML page of a proxy, which a client gets where it expects JSON.
fn proxy_page() -> PendingResponse {
    let page = "<!doctype html>\n<html><head><title>Gateway</title></head><body><h1>Please log in to the network</h1></body></html>\n";
    html_page(StatusCode::OK, Bytes::from_static(page.as_bytes()))
}

/// The HTML page of a gateway that can't reach the server, with the name of its status as the title.
fn gateway_page(status: u16) -> PendingResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let title = match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => status.as_u16().to_string(),
    };
    let page = format!(
        "<!doctype html>\n<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center></body></html>\n"
    );
    html_page(status, Bytes::from(page))
}

fn html_page(status: StatusCode, page: Bytes) -> PendingResponse {
    let mut response = PendingResponse::new(PendingBody::Bytes(page));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}
