//! Passes the requests and polls of a world's clients to its report.

use super::Response;
use super::context::RequestContext;
use super::incoming_webhooks;
use super::protocol::sends_json;
use super::reply::ConnectionFault;
use super::request::IncomingRequest;
use super::trace::{CONSOLE_CLIENT, JournaledRequest};
use crate::api::{Access, NEWEST_FEATURE_LEVEL};
use crate::level;
use crate::report::{Facts, Moment, Observation, Receipt, WaitingPoll, stable_hash};
use crate::world::World;
use http::{Method, header};
use serde_json::Value;

/// Parameters with secrets, which do not belong in a query string.
const SECRET_PARAMETERS: [&str; 4] = ["api_key", "password", "old_password", "new_password"];

/// How much of a reply its client receives once it is sent.
pub(super) fn receipt(context: &RequestContext<'_>, journaled: &JournaledRequest, response: &Response) -> Receipt {
    let effect = fault_effect(context, journaled);
    match response.extensions().get::<ConnectionFault>() {
        // In place of the reply, its client gets an HTML page.
        None if matches!(effect.as_deref(), Some("garbage" | "gateway")) => Receipt::Broken,
        None => Receipt::Complete,
        Some(fault) if *fault == ConnectionFault::Dropped => Receipt::Missing,
        Some(_) => Receipt::Broken,
    }
}

/// Reports a request with its reply, unless it is from the console, which is not a client under test.
pub(super) fn report_request(
    context: &RequestContext<'_>,
    journaled: &JournaledRequest,
    response: &Response,
    receipt: Receipt,
) {
    let entry = &*journaled.entry;
    if *entry.client == *CONSOLE_CLIENT {
        return;
    }
    let effect = fault_effect(context, journaled);
    let facts = collect_facts(context, journaled);
    let level = context.settings.feature_level;
    let issues = journaled.row.map_or(Vec::new(), |row| level::compatibility_issues(row, &entry.params, level));
    let sent_at = context.world.real_time().now();
    context.world.report().observe(&Observation {
        client: context.incoming.client_with_version(),
        entry,
        reply: response.body(),
        receipt,
        effect: effect.as_deref(),
        started_at: journaled.arrived_at.micros(),
        answered_at: journaled.answered_at.real,
        reply_sent_at: Moment { real: sent_at.micros(), world: journaled.answered_at.world },
        facts,
        issues: &issues,
        ignored_parameters: &journaled.ignored_parameters,
        is_queue_alive: &|queue| context.world.published_realm().queues.contains_key(queue),
    });
}

fn collect_facts(context: &RequestContext<'_>, journaled: &JournaledRequest) -> Facts {
    let incoming = context.incoming;
    let takes_form =
        journaled.row.is_some_and(|row| row.protocol.reads_query_and_form() && row.access != Access::KeyHolder);
    let has_body = !incoming.body.is_empty() && !matches!(*incoming.method(), Method::GET | Method::HEAD);
    let is_unauthorized = journaled.entry.status == 401;
    let authorization = if is_unauthorized { incoming.headers().get(header::AUTHORIZATION) } else { None };
    Facts {
        sends_json: takes_form && has_body && sends_json(incoming),
        splits_parameters: takes_form && has_body && !incoming.query().is_empty(),
        secret_query_parameter: secret_query_parameter(incoming),
        connection_number: incoming.connection_number(),
        refused_credentials_hash: authorization.map_or(0, |header| stable_hash(&header.as_bytes())),
        level: context.settings.feature_level,
        newest_level: NEWEST_FEATURE_LEVEL,
    }
}

/// Reports that a poll begins to wait.
pub(super) fn report_waiting_poll<'a>(context: &RequestContext<'a>) -> ReportedPoll<'a> {
    if context.trace.is_of_console() {
        return ReportedPoll { world: context.world, poll: None };
    }
    let client = context.incoming.client_with_version();
    let started_at = context.world.real_time().now().micros();
    let poll =
        context.world.report().record_poll_start(client, context.trace.user(), &context.trace.params, started_at);
    ReportedPoll { world: context.world, poll: Some(poll) }
}

/// A waiting poll. Dropping it without [`ReportedPoll::record_answer`] reports that the client closed the connection.
pub(super) struct ReportedPoll<'a> {
    world: &'a World,
    /// None for a poll of the console, and once the answer was recorded.
    poll: Option<WaitingPoll>,
}

impl ReportedPoll<'_> {
    pub fn record_answer(mut self) {
        if let Some(poll) = self.poll.take() {
            self.world.report().record_poll_answer(&poll);
        }
    }
}

impl Drop for ReportedPoll<'_> {
    fn drop(&mut self) {
        if let Some(poll) = self.poll.take() {
            let now = self.world.real_time().now();
            let at = self.world.clock().now(now).fractional_seconds();
            self.world.report().check_aborted_poll(&poll, now.micros(), at);
        }
    }
}

/// The name of the first parameter in the query string that holds a secret.
fn secret_query_parameter(incoming: &IncomingRequest) -> Option<&'static str> {
    let query = incoming.query();
    // Incoming webhooks have the key of a bot in the query, because other services cannot authenticate by a header.
    // The path may begin with the prefix of a world.
    if query.is_empty() || incoming.path().contains(incoming_webhooks::PATH_PREFIX) {
        return None;
    }
    let mut names = query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(_, value)| !value.is_empty());
    names.find_map(|(name, _)| SECRET_PARAMETERS.into_iter().find(|secret| *secret == name))
}

fn fault_effect(context: &RequestContext<'_>, journaled: &JournaledRequest) -> Option<String> {
    journaled.entry.fault.as_deref().and_then(|id| effect_name(context.world, id))
}

/// The name of a fault's effect, as the test sent it; for effects on events, the kind of disturbance.
fn effect_name(world: &World, fault_id: &str) -> Option<String> {
    let effect = world.faults().lock().effect_as_sent(fault_id)?;
    let (name, value) = effect.as_object()?.iter().next()?;
    match value {
        Value::String(disturbance) if name == "events" => Some(disturbance.clone()),
        _ => Some(name.clone()),
    }
}
