//! What is noted of a request on its way, for the journal and for those who watch.

use super::Response;
use super::authentication::{Credentials, RequestCredentials};
use super::reply::{self, ConnectionFault};
use super::request::ApiRequest;
use crate::api::Row;
use crate::api::parameter::RawParameters;
use crate::fault::rate_limit::Budget;
use crate::journal::{Body, Entry};
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use crate::world::{NewEvents, Watched, World};
use bytes::Bytes;
use http::{Method, header};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The notes on one request.
pub struct Trace {
    began: Timestamp,
    /// The method as it is carried out.
    pub method: Cow<'static, str>,
    /// Without `/api/v1`.
    pub path: String,
    /// The operation's path.
    pub route: Option<&'static str>,
    /// The operation, if it is one.
    pub row: Option<&'static Row>,
    /// The credentials of the request; None where it has none.
    pub credentials: RequestCredentials,
    /// What the client calls itself.
    pub client: Box<str>,
    /// As sent.
    pub params: Arc<BTreeMap<String, String>>,
    /// The fault that fired.
    pub fault: Option<String>,
    /// How long that fault holds the reply back.
    pub delay: Duration,
    /// The budget that the request was counted in.
    pub budget: Option<Budget>,
    /// What the request added to the event log.
    pub new_events: NewEvents,
}

/// A request with its entry in the journal.
pub struct Entered {
    pub entry: Arc<Entry>,
    /// When it came, in real time.
    pub began: Timestamp,
    /// When its reply was made, in real time.
    pub ended: Timestamp,
    /// How long a fault holds the reply back.
    pub delay: Duration,
    pub row: Option<&'static Row>,
    /// When its reply was made, by the world's clock.
    pub at: Timestamp,
}

/// A method's name.
pub fn name_of(method: &Method) -> Cow<'static, str> {
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

/// Whether a reply can be read in the journal: a picture can't.
fn is_text(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_none_or(|kind| kind == "application/json" || kind.starts_with("text/") || kind.contains("json"))
}

impl Trace {
    /// The address that the credentials claim.
    pub fn user(&self) -> Option<&str> {
        self.credentials.as_ref()?.as_ref().ok().map(|credentials| &**credentials.email())
    }

    /// Notes who logged in by the request.
    pub fn note_caller(&mut self, user: &User) {
        self.credentials = Some(Ok(Arc::new(Credentials::of(user))));
    }

    /// Begins the notes.
    pub fn begin(world: &World, incoming: &ApiRequest, path: String) -> Self {
        let began = world.real_time().now();
        world.lifecycle().note_request(began);
        Self {
            began,
            method: name_of(incoming.method()),
            path,
            client: incoming.client_name().into(),
            route: None,
            row: None,
            credentials: incoming.credentials.clone(),
            params: RawParameters::no_values(),
            fault: None,
            delay: Duration::ZERO,
            budget: None,
            new_events: NewEvents::default(),
        }
    }

    /// Enters the request into the world's journal and tells those who watch: the request, then its events.
    pub fn end(&mut self, world: &World, response: &Response) -> Entered {
        let ended = world.real_time().now();
        let took = ended.plus(Span::from_duration(self.delay)).since(self.began);
        let is_dropped = response.extensions().get::<ConnectionFault>() == Some(&ConnectionFault::Dropped);
        let now = world.clock().now(ended);
        let fault = self.fault.clone().filter(|_| world.is_watched());
        let entry = world.journal().enter(Entry {
            id: 0,
            at: self.new_events.entries.first().map_or(now, |event| now.min(event.at)).fractional_seconds(),
            method: std::mem::take(&mut self.method),
            path: std::mem::take(&mut self.path),
            route: self.route,
            user: self.credentials.take().and_then(Result::ok).map(|credentials| credentials.email().clone()),
            params: self.params.clone(),
            status: if is_dropped { 0 } else { response.status().as_u16() },
            reply: Body(if is_text(response) { response.body().clone() } else { Bytes::new() }),
            duration_ms: took.micros() as f64 / 1e3,
            client: std::mem::take(&mut self.client),
            hint: response.headers().get(reply::HINT).and_then(|hint| hint.to_str().ok()).map(Into::into),
            fault: self.fault.take(),
            events: self.new_events.positions(),
            truncated: false,
        });
        let journal_id = entry.id;
        world.broadcast(Watched::Request(entry.clone()));
        // What the network lost was lost by no rule.
        let sent = fault.and_then(|id| world.faults().lock().effect_as_sent(&id).map(|effect| (id, effect)));
        if let Some((fault_id, effect)) = sent {
            world.broadcast(Watched::Fault { at: now, fault_id, journal_id, effect });
        }
        world.broadcast_events(&self.new_events);
        Entered { entry, began: self.began, ended, delay: self.delay, row: self.row, at: now }
    }
}
