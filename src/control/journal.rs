//! The calls for a world's journal: listing entries, and verifying or awaiting requests.

use super::query::Query;
use super::request_pattern::{METHODS, PatternUse, RequestPattern};
use super::{MAX_COMPARED_BYTES, arrivals, known_names_clause, queues, refusal, users, waiting};
use crate::error::Error;
use crate::fault::{NETWORK_FAULT_ID, POLL_METHOD, POLL_PATH, RequestConditions};
use crate::journal::{Entry, Filter};
use crate::json_diagnostic::most_similar;
use crate::world::{World, Worlds};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest number of nearest requests that a failed verification or wait shows.
const MAX_NEAREST_REQUESTS: usize = 3;
/// The largest number of matching requests that a failed verification or wait shows when there were too many.
const MAX_MATCHING_REQUESTS: usize = 10;

/// Declares the type of a body that describes the expected requests.
macro_rules! expected_requests {
    ($(#[$docs:meta])* $name:ident as $schema:literal, with { $($other_fields:tt)* }) => {
        $(#[$docs])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = $schema)]
        pub struct $name {
            /// HTTP method, in capitals.
            #[schemars(extend("enum" = METHODS))]
            method: Option<String>,
            /// Path, filled in or with the placeholders of an operation; with or without `/api/v1` or `/json`.
            path: Option<String>,
            /// The caller, by email address or handle.
            user: Option<String>,
            /// Parameters that a request must have, with their values as text.
            params: Option<BTreeMap<String, String>>,
            /// HTTP status of the reply; 0 for a dropped connection.
            status: Option<u16>,
            /// ID of the fault that fired for the request; `network` for losses of a network.
            fault: Option<String>,
            /// The minimum number of such requests; 1 if neither `at_most` nor `exactly` is given.
            at_least: Option<usize>,
            /// The maximum number of such requests.
            at_most: Option<usize>,
            /// The exact number; can't be combined with `at_least` or `at_most`.
            exactly: Option<usize>,
            $($other_fields)*
        }
    };
}

expected_requests! {
    /// Which requests the journal must have, and how many.
    Verification as "Assertion", with {}
}
expected_requests! {
    /// Which requests the journal must get, how many, and how long to wait for them.
    AwaitedRequests as "AwaitedRequests", with {
        /// How long to wait at most, in milliseconds of real time.
        timeout_ms: u64,
    }
}

impl AwaitedRequests {
    fn into_parts(self) -> (Verification, u64) {
        let Self { method, path, user, params, status, fault, at_least, at_most, exactly, timeout_ms } = self;
        (Verification { method, path, user, params, status, fault, at_least, at_most, exactly }, timeout_ms)
    }
}

/// Lists the entries that match the query, newest last; only the newest ones if the query has a `limit`.
///
/// # Errors
///
/// `ControlRefused` for a value that no entry can have, or an unknown user or fault.
pub fn list(world: &World, query: &Query) -> Result<Value, Error> {
    let status = query.number("status").map(|status| u16::try_from(status).unwrap_or(u16::MAX));
    let text = |name| query.text(name).map(str::to_owned);
    let spec = FilterSpec {
        method: text("method"),
        path: text("path"),
        user: query.text("user"),
        status,
        fault: text("fault"),
    };
    let filter = Filter { since: query.number("since"), ..spec.into_filter(world, BTreeMap::new(), "")? };
    let limit = query.number("limit").map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut entries = world.journal().find(&filter);
    entries.drain(..entries.len().saturating_sub(limit));
    Ok(json!({ "entries": entries.iter().map(AsRef::as_ref).collect::<Vec<&Entry>>() }))
}

/// Verifies that the journal contains the expected requests.
///
/// # Errors
///
/// `ControlRefused` for conditions or bounds that can't be met; `VerificationFailed` if the number is not as expected.
pub fn verify(world: &World, worlds: &Worlds, expected_requests: Verification) -> Result<Value, Error> {
    let (filter, bounds) = expected_requests.into_filter_and_bounds(world)?;
    let count = world.journal().find(&filter).len();
    if bounds.allows(count) {
        return Ok(json!({ "count": count }));
    }
    let (reason, nearest) =
        (bounds.failure_reason(count, world, worlds, &filter), bounds.requests_to_show(count, world, &filter));
    Err(Error::VerificationFailed { reason: reason.into(), count: count.into(), nearest: nearest.into() })
}

/// Waits until the journal contains the expected requests.
///
/// # Errors
///
/// `ControlRefused` for conditions or bounds that can't be met; `VerificationTimedOut` when the timeout elapses, or
/// as soon as there are more requests than allowed; `UnknownControlWorld` when the world is deleted while waiting.
pub async fn wait(world: &World, worlds: &Worlds, expected_requests: AwaitedRequests) -> Result<Value, Error> {
    let (expected_requests, timeout_ms) = expected_requests.into_parts();
    let (filter, bounds) = expected_requests.into_filter_and_bounds(world)?;
    let count = || world.journal().find(&filter).len();
    // The number grows until the journal is emptied, so a wait ends as soon as there are too many.
    let check = || Some(count()).filter(|count| *count >= bounds.at_least);
    let reached_count = waiting::wait_until(world, timeout_ms, || world.journal().changed(), check).await?;
    let count = reached_count.unwrap_or_else(count);
    if reached_count.is_some() && bounds.allows(count) {
        return Ok(json!({ "count": count }));
    }
    let (reason, nearest) =
        (bounds.failure_reason(count, world, worlds, &filter), bounds.requests_to_show(count, world, &filter));
    Err(Error::VerificationTimedOut { reason: reason.into(), count: count.into(), nearest: nearest.into() })
}

/// The unchecked values of a filter.
struct FilterSpec<'a> {
    method: Option<String>,
    path: Option<String>,
    user: Option<&'a str>,
    status: Option<u16>,
    fault: Option<String>,
}

impl FilterSpec<'_> {
    /// Checks the values and makes the filter. `prefix` precedes their names in errors, such as `$.` in a body.
    fn into_filter(self, world: &World, params: BTreeMap<String, String>, prefix: &str) -> Result<Filter, Error> {
        if self.status.is_some_and(|status| status != 0 && !(100..600).contains(&status)) {
            return Err(refusal(format!("{prefix}status: takes an HTTP status, or 0 for a dropped connection")));
        }
        let pattern = RequestPattern { method: self.method, path: self.path, params };
        let pattern = pattern.check_and_translate(world, prefix, PatternUse::Entries(self.status))?;
        let user = users::find_email(&world.snapshot(), self.user, &format!("{prefix}user"))?;
        let RequestPattern { method, path, params } = pattern;
        if let Some(fault) = &self.fault {
            check_fault(world, fault, prefix)?;
        }
        Ok(Filter { method, path, user, status: self.status, fault: self.fault, params, since: None })
    }
}

/// Refuses an ID that is neither `network` nor that of a fault that is installed or in the journal: no request would
/// match it.
fn check_fault(world: &World, id: &str, prefix: &str) -> Result<(), Error> {
    let faults = world.faults().lock();
    let installed_ids: Vec<&str> = faults.all().iter().map(|fault| fault.id.as_str()).collect();
    let has_fired = || world.journal().all().iter().any(|entry| entry.fault.as_deref() == Some(id));
    if id == NETWORK_FAULT_ID || installed_ids.contains(&id) || has_fired() {
        return Ok(());
    }
    let nearest_clause = most_similar(&id[..id.floor_char_boundary(MAX_COMPARED_BYTES)], &installed_ids)
        .map(|nearest| format!("; the nearest is '{nearest}'"));
    let nearest_clause = nearest_clause.unwrap_or_default();
    Err(refusal(format!(
        "{prefix}fault: there is no fault '{id}' in this world{nearest_clause}{}",
        known_names_clause(&installed_ids)
    )))
}

/// The limits of the number of entries, inclusive.
#[derive(Clone, Copy)]
struct Bounds {
    at_least: usize,
    at_most: Option<usize>,
}

impl Bounds {
    fn allows(self, count: usize) -> bool {
        count >= self.at_least && self.at_most.is_none_or(|max| count <= max)
    }

    fn failure_reason(self, count: usize, world: &World, worlds: &Worlds, filter: &Filter) -> String {
        let expected_count = match self.at_most {
            Some(max) if max == self.at_least => format!("exactly {max}"),
            Some(max) => format!("{} to {max}", self.at_least),
            None => format!("at least {}", self.at_least),
        };
        let noun = if self.at_most.unwrap_or(self.at_least) == 1 { "request" } else { "requests" };
        format!(
            "Expected {expected_count} such {noun}, found {count}{}{}",
            arrivals::no_requests_clause(world, worlds, filter),
            self.missing_entries_clause(count, world, filter)
        )
    }

    /// A clause for the message: about the filter's fault or, if there is nothing to say about it and requests are
    /// missing, about parked polls or polls that clients gave up, which the journal does not have.
    fn missing_entries_clause(self, count: usize, world: &World, filter: &Filter) -> String {
        match fault_clause(world, filter) {
            clause if clause.is_empty() && count < self.at_least => parked_polls_clause(world, filter),
            clause => clause,
        }
    }

    /// The requests to show: the newest matching ones if there were too many, otherwise the nearest ones.
    fn requests_to_show(self, count: usize, world: &World, filter: &Filter) -> Vec<Value> {
        if count <= self.at_least {
            return nearest_requests(world, filter);
        }
        let mut entries = world.journal().find(filter);
        entries.drain(..entries.len().saturating_sub(MAX_MATCHING_REQUESTS));
        entries.iter().map(|entry| json!({ "entry": entry.as_ref(), "diff": "" })).collect()
    }
}

impl Verification {
    /// Checks the values, and makes the filter for the requests and the bounds of their number.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for contradictory bounds, or a value that no request can have.
    fn into_filter_and_bounds(self, world: &World) -> Result<(Filter, Bounds), Error> {
        let bounds = match (self.exactly, self.at_least, self.at_most) {
            (Some(exactly), None, None) => Bounds { at_least: exactly, at_most: Some(exactly) },
            (Some(_), _, _) => return Err(refusal("$.exactly: can't be combined with at_least or at_most")),
            // `at_most` alone also allows no requests.
            (None, at_least, at_most) => {
                Bounds { at_least: at_least.unwrap_or(usize::from(at_most.is_none())), at_most }
            }
        };
        if bounds.at_most.is_some_and(|max| max < bounds.at_least) {
            return Err(refusal("$.at_most: is below at_least"));
        }
        let spec = FilterSpec {
            method: self.method,
            path: self.path,
            user: self.user.as_deref(),
            status: self.status,
            fault: self.fault,
        };
        Ok((spec.into_filter(world, self.params.unwrap_or_default(), "$.")?, bounds))
    }
}

/// A clause for the message if the fault of the filter has not fired or, while polls are parked, has fired for more
/// requests than the journal has.
fn fault_clause(world: &World, filter: &Filter) -> String {
    let Some(id) = filter.fault.as_deref() else { return String::new() };
    let faults = world.faults().lock();
    let Some(installed) = faults.all().iter().find(|fault| fault.id == id) else { return String::new() };
    let (fired, conditions) = (installed.fire_count, installed.fault.conditions.clone());
    drop(faults);
    if fired == 0 {
        let requests = describe_matching_requests(&conditions);
        return format!("; '{id}' is for {requests}, and has not fired{}", unaffected_polls_clause(world, conditions));
    }
    let journaled_count = world.journal().all().iter().filter(|entry| entry.fault.as_deref() == Some(id)).count();
    if fired <= journaled_count as u64 || world.parked_poll_count() == 0 {
        return String::new();
    }
    let times = if fired == 1 { "once".to_owned() } else { format!("{fired} times") };
    format!(
        "; '{id}' has fired {times}, but the journal has {journaled_count} of these requests: a parked poll comes into it when it is answered: send an event, or move the clock by a minute"
    )
}

/// A clause for the message if a parked poll would match the fault, but arrived before it was installed.
fn unaffected_polls_clause(world: &World, conditions: RequestConditions) -> String {
    let RequestConditions { method, path, user, params } = conditions;
    let filter = Filter { method, path, user, ..Filter::default() };
    if !params.is_empty() || !is_for_polls(&filter) || queues::count_parked(world, &filter) == 0 {
        return String::new();
    }
    "; a poll that was parked before is not met: send an event or move the clock by a minute, and the next one is"
        .to_owned()
}

/// The requests that a fault is for, in words.
fn describe_matching_requests(conditions: &RequestConditions) -> String {
    let RequestConditions { method, path, user, params } = conditions;
    let operation = [method.as_deref(), path.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let mut words = vec![if operation.is_empty() { "all requests".to_owned() } else { operation }];
    words.extend(user.as_ref().map(|user| format!("of {user}")));
    words.extend(params.iter().map(|(name, value)| format!("with {name}={value}")));
    words.join(" ")
}

fn is_for_polls(filter: &Filter) -> bool {
    filter.method.as_deref().is_none_or(|method| method == POLL_METHOD)
        && filter.path.as_deref().is_none_or(|path| path == POLL_PATH)
}

/// Clauses for the message about parked polls that may match the filter, and about such polls whose clients
/// disconnected. The status of both is not known, so the filter's is ignored. Empty for a filter with a fault, for
/// which there is [`fault_clause`].
fn parked_polls_clause(world: &World, filter: &Filter) -> String {
    if filter.fault.is_some() || !is_for_polls(filter) {
        return String::new();
    }
    let parked_clause = match queues::count_parked(world, filter) {
        0 => String::new(),
        1 => "; 1 poll is parked: a parked poll comes into the journal when it is answered".to_owned(),
        count => format!("; {count} polls are parked: a parked poll comes into the journal when it is answered"),
    };
    parked_clause + &given_up_polls_clause(world, filter)
}

/// A clause for the message if clients closed the connections of polls that may match the filter.
fn given_up_polls_clause(world: &World, filter: &Filter) -> String {
    let is_included = |user: Option<&str>| {
        filter.user.is_none()
            || filter.user.as_deref().zip(user).is_some_and(|(wanted, user)| user.eq_ignore_ascii_case(wanted))
    };
    let (count, longest) = world.count_given_up_polls(is_included);
    let seconds = longest.micros() as f64 / 1e6;
    let polls_text = match count {
        0 => return String::new(),
        1 => "1 poll was".to_owned(),
        count => format!("{count} polls were"),
    };
    format!(
        "; {polls_text} given up by the client, after {seconds:.1} s at most: such polls do not come into the journal"
    )
}

/// The entries that come nearest to the filter, each with a diff from what the filter expects. If any has the expected
/// path, those with other paths are left out.
fn nearest_requests(world: &World, filter: &Filter) -> Vec<Value> {
    let mut entries: Vec<(usize, Arc<Entry>)> =
        arrivals::candidates(world, filter).map(|entry| (filter.distance(&entry), entry)).collect();
    if entries.iter().any(|(_, entry)| filter.allows_path_of(entry)) {
        entries.retain(|(_, entry)| filter.allows_path_of(entry));
    }
    entries.sort_by_key(|(distance, entry)| (*distance, std::cmp::Reverse(entry.id)));
    entries.truncate(MAX_NEAREST_REQUESTS);
    let expected_conditions = filter.conditions();
    let record = |(_, entry): &(usize, Arc<Entry>)| {
        let entry_json = serde_json::to_value(entry.as_ref()).unwrap_or_default();
        let actual_condition = |key: &String| {
            let actual_value = match (key.as_str(), entry.route) {
                ("path", Some(route)) if expected_conditions[key] == route => Value::from(route),
                ("params", _) => params_to_compare(&expected_conditions[key], &entry_json["params"]),
                _ => entry_json[key].clone(),
            };
            (key.clone(), actual_value)
        };
        let actual_conditions: serde_json::Map<String, Value> =
            expected_conditions.keys().map(actual_condition).collect();
        let expected_text = format!("{:#}\n", Value::from(expected_conditions.clone()));
        let actual_text = format!("{:#}\n", Value::from(actual_conditions));
        let diff =
            TextDiff::from_lines(&expected_text, &actual_text).unified_diff().header("expected", "found").to_string();
        json!({ "entry": entry_json, "diff": diff })
    };
    entries.iter().map(record).collect()
}

/// The received parameters whose names are among the expected ones; others don't matter for a diff.
fn params_to_compare(expected: &Value, received: &Value) -> Value {
    let keys = expected.as_object().into_iter().flatten().map(|(key, _)| key);
    keys.filter_map(|key| Some((key.clone(), received.get(key)?.clone())))
        .collect::<serde_json::Map<String, Value>>()
        .into()
}
