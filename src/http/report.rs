//! What the report on clients learns of a request.

use super::Response;
use super::context::RequestContext;
use super::deliveries;
use super::protocol::sends_json;
use super::reply::ConnectionFault;
use super::request::ApiRequest;
use super::trace::Entered;
use crate::api::{Access, NEWEST_FEATURE_LEVEL};
use crate::level;
use crate::report::{Arrival, Facts, Past, Seen, WaitingPoll, hash};
use crate::time::Span;
use crate::world::World;
use http::{Method, header};
use serde_json::Value;

/// Parameters that hold secrets, which no query should have.
const SECRETS: [&str; 3] = ["api_key", "password", "old_password"];

/// Tells the world's report of a request that was answered. The console is no client under test.
pub(super) fn note(context: &RequestContext<'_>, entered: &Entered, response: &Response) {
    if context.incoming.is_of_console() {
        return;
    }
    let entry = &*entered.entry;
    let effect = entry.fault.as_deref().and_then(|id| effect(context.world, id));
    let arrival = match response.extensions().get::<ConnectionFault>() {
        None if effect.as_deref() == Some("garbage") => Arrival::Broken,
        None => Arrival::Whole,
        Some(fault) if *fault == ConnectionFault::Dropped => Arrival::Missing,
        Some(_) => Arrival::Broken,
    };
    let facts = facts(context, entered);
    let level = context.settings.feature_level;
    let doubts = entered.row.map_or(Vec::new(), |row| level::doubts(row, &entry.params, level));
    let sent = entered.ended.plus(Span::from_duration(entered.delay));
    context.world.report().observe(&Seen {
        client: context.incoming.client_with_version(),
        entry,
        reply: response.body(),
        arrival,
        effect: effect.as_deref(),
        began: entered.began.micros(),
        ended: entered.ended.micros(),
        sent: Past { real: sent.micros(), world: entered.at.micros() },
        facts,
        doubts: &doubts,
        is_alive: &|queue| context.world.published().queues.contains_key(queue),
    });
}

fn facts(context: &RequestContext<'_>, entered: &Entered) -> Facts {
    let incoming = context.incoming;
    let is_form = entered.row.is_some_and(|row| row.protocol.takes_forms() && row.access != Access::KeyHolder);
    let has_body = !incoming.body.is_empty() && !matches!(*incoming.method(), Method::GET | Method::HEAD);
    let is_refused = entered.entry.status == 401;
    let authorization = if is_refused { incoming.headers().get(header::AUTHORIZATION) } else { None };
    Facts {
        sends_json: is_form && has_body && sends_json(incoming),
        splits_parameters: is_form && has_body && !incoming.query().is_empty(),
        secret_in_query: secret(incoming),
        connection: incoming.connection(),
        credentials: authorization.map_or(0, |header| hash(&header.as_bytes())),
        level: context.settings.feature_level,
        newest: NEWEST_FEATURE_LEVEL,
    }
}

/// Tells the world's report that a poll begins to wait.
pub(super) fn waiting<'a>(context: &RequestContext<'a>) -> Waiting<'a> {
    if context.incoming.is_of_console() {
        return Waiting { world: context.world, poll: None };
    }
    let client = context.incoming.client_with_version();
    let began = context.world.real_time().now().micros();
    let poll = context.world.report().note_waiting(client, context.trace.user(), &context.trace.params, began);
    Waiting { world: context.world, poll: Some(poll) }
}

/// A poll that waits: dropped unanswered where its client closes the connection.
pub(super) struct Waiting<'a> {
    world: &'a World,
    poll: Option<WaitingPoll>,
}

impl Waiting<'_> {
    /// Notes that it was answered.
    pub fn answered(mut self) {
        if let Some(poll) = self.poll.take() {
            self.world.report().note_answered(&poll);
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(poll) = self.poll.take() {
            let now = self.world.real_time().now();
            let at = self.world.clock().now(now).fractional_seconds();
            self.world.report().note_cut_short(&poll, now.micros(), at);
        }
    }
}

/// The parameter of a query that holds a secret.
fn secret(incoming: &ApiRequest) -> Option<&'static str> {
    let query = incoming.query();
    // Services that can't send headers have the key of a bot in the query, as documented.
    if query.is_empty() || incoming.path().contains(deliveries::FOLDER) {
        return None;
    }
    let mut names = query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(_, value)| !value.is_empty());
    names.find_map(|(name, _)| SECRETS.into_iter().find(|secret| *secret == name))
}

/// The effect of a fault: its key in the rule, or what becomes of events.
fn effect(world: &World, fault_id: &str) -> Option<String> {
    let effect = world.faults().lock().effect_as_sent(fault_id)?;
    let (name, value) = effect.as_object()?.iter().next()?;
    match value {
        Value::String(disturbance) if name == "events" => Some(disturbance.clone()),
        _ => Some(name.clone()),
    }
}
