//! The trace of a request: what its stages record for the journal and for the watch socket.

use super::Response;
#[cfg(feature = "pages")]
use super::authentication::Credentials;
use super::authentication::RequestCredentials;
use super::reply::{self, ConnectionFault};
use super::request::IncomingRequest;
use crate::api::OperationRow;
use crate::api::parameter::RawParameters;
use crate::fault::rate_limit::Budget;
use crate::journal::{Body, Entry};
#[cfg(feature = "pages")]
use crate::realm::user::User;
use crate::report::Moment;
use crate::time::{Span, Timestamp};
use crate::world::{NewEvents, UnjournaledPoll, WatchFrame, World};
use bytes::Bytes;
use http::{Method, header};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The name of the console as a client.
pub const CONSOLE_CLIENT: &str = "chatdouble-console";

/// The data of one request, collected until its journal entry is written.
pub struct Trace {
    /// When the request arrived, in real time.
    arrived_at: Timestamp,
    /// The effective method, after an override by parameter or header.
    pub method: Cow<'static, str>,
    /// The path of an operation without `/api/v1` or `/json`, with neutral names; that of a file or page without the
    /// prefix of the world.
    pub path: String,
    /// The path of the operation with placeholders, or the kind of the file.
    pub route: Option<&'static str>,
    pub row: Option<&'static OperationRow>,
    pub credentials: RequestCredentials,
    /// The name of the client without its version.
    pub client: Box<str>,
    /// The parameters, those of operations with neutral names; `…` replaces the key of an incoming webhook.
    pub params: Arc<BTreeMap<String, String>>,
    /// The names of parameters that a successful request sent and the operation does not take at the world's level.
    pub ignored_parameters: Vec<String>,
    /// The ID of the fault that fired, or `network`.
    pub fault: Option<String>,
    /// The number of the network on which the request began; None if its user had no network.
    pub network: Option<u64>,
    /// How long the fault delays the reply.
    pub delay: Duration,
    /// The rate limit budget to which the request was charged.
    pub budget: Option<Budget>,
    /// The events that the request added to the event log.
    pub new_events: NewEvents,
    /// Set for a poll that was parked, until the journal has it.
    pub poll: Option<UnjournaledPoll>,
}

impl Trace {
    /// The email address in the credentials, which are not checked.
    pub fn user(&self) -> Option<&str> {
        self.credentials.as_ref()?.as_ref().ok().map(|credentials| &**credentials.email())
    }

    pub fn is_of_console(&self) -> bool {
        *self.client == *CONSOLE_CLIENT
    }

    /// Records the user who logged in by the request.
    #[cfg(feature = "pages")]
    pub fn set_caller(&mut self, user: &User) {
        self.credentials = Some(Ok(Arc::new(Credentials::of_user(user))));
    }

    /// Begins the trace of a request, and records its arrival in the lifecycle of the world.
    pub fn begin(world: &World, incoming: &IncomingRequest, path: String) -> Self {
        let arrived_at = world.real_time().now();
        world.lifecycle().record_request(arrived_at);
        let mut trace = Self {
            arrived_at,
            method: method_name(incoming.method()),
            path,
            client: incoming.client_name().into(),
            route: None,
            row: None,
            credentials: incoming.credentials.clone(),
            params: RawParameters::no_values(),
            ignored_parameters: Vec::new(),
            fault: None,
            network: None,
            delay: Duration::ZERO,
            budget: None,
            new_events: NewEvents::default(),
            poll: None,
        };
        trace.network = world.networks().lock().number(trace.user());
        trace
    }

    /// Begins to observe a poll whose client may close the connection while the poll waits.
    pub fn observe_poll<'a>(&self, world: &'a World) -> ObservedPoll<'a> {
        let user = self.credentials.as_ref().and_then(|result| Some(result.as_ref().ok()?.email().clone()));
        let entry = self.fault.as_ref().map(|fault| Entry {
            // The journal sets the ID; `drop` sets the times.
            id: 0,
            at: 0.0,
            method: self.method.clone(),
            path: self.path.clone(),
            route: self.route,
            user: user.clone(),
            params: self.params.clone(),
            status: 0,
            reply: Body(Bytes::new()),
            arrived_at: self.arrived_at.micros(),
            duration_ms: 0.0,
            client: self.client.clone(),
            hint: None,
            fault: Some(fault.clone()),
            events: self.new_events.positions(),
            truncated: false,
        });
        ObservedPoll { world, arrived_at: self.arrived_at, user, entry, is_answered: false }
    }

    /// Writes the journal entry, and broadcasts to watchers the request, then the fault that fired, then the events.
    pub fn finish(&mut self, world: &World, response: &Response) -> JournaledRequest {
        let answered_at = world.real_time().now();
        let duration = answered_at.plus(Span::from_duration(self.delay)).since(self.arrived_at);
        let is_dropped = response.extensions().get::<ConnectionFault>() == Some(&ConnectionFault::Dropped);
        let now = world.clock().now(answered_at);
        let fault = self.fault.clone().filter(|_| world.is_watched());
        let entry = world.journal().push(Entry {
            // The journal sets it.
            id: 0,
            // A running clock goes on until the reply is ready; the entry must not be later than its events.
            at: self.new_events.entries.first().map_or(now, |event| now.min(event.at)).fractional_seconds(),
            method: std::mem::take(&mut self.method),
            path: std::mem::take(&mut self.path),
            route: self.route,
            user: self.credentials.take().and_then(Result::ok).map(|credentials| credentials.email().clone()),
            params: self.params.clone(),
            status: if is_dropped { 0 } else { response.status().as_u16() },
            reply: Body(if is_text(response) { response.body().clone() } else { Bytes::new() }),
            arrived_at: self.arrived_at.micros(),
            duration_ms: duration.micros() as f64 / 1e3,
            client: std::mem::take(&mut self.client),
            hint: response.headers().get(reply::HINT_HEADER).and_then(|hint| hint.to_str().ok()).map(Into::into),
            fault: self.fault.take(),
            events: self.new_events.positions(),
            truncated: false,
        });
        let journal_id = entry.id;
        world.broadcast(WatchFrame::Request(entry.clone()));
        // A loss by the network has a fault ID but no fault in the list, and so no effect.
        let fired_fault = fault.and_then(|id| world.faults().lock().effect_as_sent(&id).map(|effect| (id, effect)));
        if let Some((fault_id, effect)) = fired_fault {
            world.broadcast(WatchFrame::Fault { at: now, fault_id, journal_id, effect });
        }
        world.broadcast_change(&self.new_events);
        self.poll = None;
        JournaledRequest {
            entry,
            arrived_at: self.arrived_at,
            answered_at: Moment { real: answered_at.micros(), world: now.micros() },
            delay: self.delay,
            row: self.row,
            ignored_parameters: std::mem::take(&mut self.ignored_parameters),
        }
    }
}

/// A request after its journal entry was written.
pub struct JournaledRequest {
    pub entry: Arc<Entry>,
    /// When the request arrived, in real time.
    pub arrived_at: Timestamp,
    /// When the reply was ready.
    pub answered_at: Moment,
    /// How long a fault delays the reply.
    pub delay: Duration,
    pub row: Option<&'static OperationRow>,
    pub ignored_parameters: Vec<String>,
}

/// A waiting poll. Dropping it without [`ObservedPoll::record_answer`] means that the client gave up. If a
/// fault fired on the poll, dropping it writes a journal entry with the status 0.
pub struct ObservedPoll<'a> {
    world: &'a World,
    arrived_at: Timestamp,
    user: Option<Arc<str>>,
    /// None if no fault fired on the poll.
    entry: Option<Entry>,
    is_answered: bool,
}

impl ObservedPoll<'_> {
    pub fn record_answer(mut self) {
        self.is_answered = true;
    }
}

impl Drop for ObservedPoll<'_> {
    fn drop(&mut self) {
        if self.is_answered {
            return;
        }
        let now = self.world.real_time().now();
        let Some(entry) = self.entry.take() else {
            return self.world.record_given_up_poll(self.user.take(), now.since(self.arrived_at));
        };
        let entry = self.world.journal().push(Entry {
            at: self.world.clock().now(now).fractional_seconds(),
            duration_ms: now.since(self.arrived_at).micros() as f64 / 1e3,
            ..entry
        });
        self.world.broadcast(WatchFrame::Request(entry));
    }
}

/// The name of a method; it is allocated only for unusual methods.
pub fn method_name(method: &Method) -> Cow<'static, str> {
    match *method {
        Method::GET => "GET".into(),
        Method::POST => "POST".into(),
        Method::PUT => "PUT".into(),
        Method::PATCH => "PATCH".into(),
        Method::DELETE => "DELETE".into(),
        Method::HEAD => "HEAD".into(),
        Method::OPTIONS => "OPTIONS".into(),
        _ => method.as_str().to_owned().into(),
    }
}

/// Whether the body of a reply is text: the journal stores no other bodies.
fn is_text(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_none_or(|content_type| {
        // Most replies are of this type, and the comparison is cheaper than the search.
        content_type == "application/json" || content_type.starts_with("text/") || content_type.contains("json")
    })
}
