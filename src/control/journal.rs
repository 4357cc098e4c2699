//! The journal: looking at it, asserting on it, waiting for it.

use super::filters::Filters;
use super::requests::{Among, METHODS, RequestPattern};
use super::{COMPARED_MAX_BYTES, refused, users, waiting};
use crate::error::Error;
use crate::fault::NETWORK;
use crate::journal::{Entry, Filter};
use crate::json_diagnostic::most_alike;
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Near misses that are shown.
const NEAREST: usize = 3;
/// Of requests of which there were too many, so many are shown.
const MATCHING: usize = 10;

/// Declares a body that says which requests are expected.
macro_rules! expected_requests {
    ($(#[$about:meta])* $name:ident as $schema:literal, with { $($further:tt)* }) => {
        $(#[$about])*
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = $schema)]
        pub struct $name {
            /// HTTP method, in capitals.
            #[schemars(extend("enum" = METHODS))]
            method: Option<String>,
            /// Path, filled in or with the placeholders of an operation.
            path: Option<String>,
            /// The caller: an address or its handle.
            user: Option<String>,
            /// Parameters that must be among those sent, as text.
            params: Option<BTreeMap<String, String>>,
            /// HTTP status; 0 for a dropped connection.
            status: Option<u16>,
            /// Id of the fault that fired, or `network`.
            fault: Option<String>,
            /// The minimum number of such requests; 1 if none of the three is given.
            at_least: Option<usize>,
            /// The maximum number.
            at_most: Option<usize>,
            /// The exact number; without the other two.
            exactly: Option<usize>,
            $($further)*
        }
    };
}

expected_requests! {
    /// The expected requests.
    Assertion as "Assertion", with {}
}
expected_requests! {
    /// The expected requests, and how long to wait for them.
    Awaited as "AwaitedRequests", with {
        /// How long to wait, in real time.
        timeout_ms: u64,
    }
}

impl Awaited {
    fn parts(self) -> (Assertion, u64) {
        let Self { method, path, user, params, status, fault, at_least, at_most, exactly, timeout_ms } = self;
        (Assertion { method, path, user, params, status, fault, at_least, at_most, exactly }, timeout_ms)
    }
}

/// The entries that the query's filters admit, newest last.
///
/// # Errors
///
/// `ControlRefused` for an unknown filter, and for a value that no entry can have.
pub fn show(world: &World, filters: &Filters) -> Result<Value, Error> {
    let status = filters.number("status").map(|status| u16::try_from(status).unwrap_or(u16::MAX));
    let text = |name| filters.text(name).map(str::to_owned);
    let wanted =
        Wanted { method: text("method"), path: text("path"), user: filters.text("user"), status, fault: text("fault") };
    let filter = Filter { since: filters.number("since"), ..wanted.filter(world, BTreeMap::new(), "")? };
    let limit = filters.number("limit").map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut entries = world.journal().find(&filter);
    entries.drain(..entries.len().saturating_sub(limit));
    Ok(json!({ "entries": entries.iter().map(AsRef::as_ref).collect::<Vec<&Entry>>() }))
}

/// Asserts that the journal holds what is wanted.
///
/// # Errors
///
/// `ControlRefused`, `VerificationFailed`.
pub fn verify(world: &World, wanted: Assertion) -> Result<Value, Error> {
    let (filter, bounds) = wanted.read(world)?;
    let count = world.journal().find(&filter).len();
    if bounds.admit(count) {
        return Ok(json!({ "count": count }));
    }
    let (reason, nearest) = (bounds.reason(count, world, &filter), bounds.evidence(count, world, &filter));
    Err(Error::VerificationFailed { reason: reason.into(), count: count.into(), nearest: nearest.into() })
}

/// Waits until the journal holds what is wanted.
///
/// # Errors
///
/// `ControlRefused`, `VerificationTimedOut`; `UnknownControlWorld` when the world is deleted meanwhile.
pub async fn wait(world: &World, wanted: Awaited) -> Result<Value, Error> {
    let (wanted, timeout_ms) = wanted.parts();
    let (filter, bounds) = wanted.read(world)?;
    let count = || world.journal().find(&filter).len();
    let check = || Some(count()).filter(|count| bounds.admit(*count));
    match waiting::until(world, timeout_ms, || world.journal().changed(), check).await? {
        Some(count) => Ok(json!({ "count": count })),
        None => {
            let count = count();
            let (reason, nearest) = (bounds.reason(count, world, &filter), bounds.evidence(count, world, &filter));
            Err(Error::VerificationTimedOut { reason: reason.into(), count: count.into(), nearest: nearest.into() })
        }
    }
}

/// Requests that are looked for, as they were named.
struct Wanted<'a> {
    method: Option<String>,
    path: Option<String>,
    user: Option<&'a str>,
    status: Option<u16>,
    fault: Option<String>,
}

impl Wanted<'_> {
    /// Checks each name; `at` is what they follow: `$.` in a body.
    fn filter(self, world: &World, params: BTreeMap<String, String>, at: &str) -> Result<Filter, Error> {
        if self.status.is_some_and(|status| status != 0 && !(100..600).contains(&status)) {
            return Err(refused(format!("{at}status: takes an HTTP status, or 0 for a dropped connection")));
        }
        let pattern = RequestPattern { method: self.method, path: self.path, params };
        let pattern = pattern.checked(world, at, Among::Entries(self.status))?;
        let user = users::address(&world.snapshot(), self.user, &format!("{at}user"))?;
        let RequestPattern { method, path, params } = pattern;
        if let Some(fault) = &self.fault {
            check_fault(world, fault, at)?;
        }
        Ok(Filter { method, path, user, status: self.status, fault: self.fault, params, since: None })
    }
}

/// Refuses a fault that is not installed and did not fire: an assertion on it could never hold.
fn check_fault(world: &World, id: &str, at: &str) -> Result<(), Error> {
    let faults = world.faults().lock();
    let installed: Vec<&str> = faults.rules().iter().map(|rule| rule.id.as_str()).collect();
    let has_fired = || world.journal().all().iter().any(|entry| entry.fault.as_deref() == Some(id));
    if id == NETWORK || installed.contains(&id) || has_fired() {
        return Ok(());
    }
    let nearest = most_alike(&id[..id.floor_char_boundary(COMPARED_MAX_BYTES)], &installed)
        .map(|nearest| format!("; the nearest is '{nearest}'"));
    Err(refused(format!("{at}fault: there is no fault '{id}' in this world{}", nearest.unwrap_or_default())))
}

/// How many entries there should be.
#[derive(Clone, Copy)]
struct Bounds {
    at_least: usize,
    at_most: Option<usize>,
}

impl Bounds {
    fn admit(self, count: usize) -> bool {
        count >= self.at_least && self.at_most.is_none_or(|most| count <= most)
    }

    fn reason(self, count: usize, world: &World, filter: &Filter) -> String {
        let wanted = match self.at_most {
            Some(most) if most == self.at_least => format!("exactly {most}"),
            Some(most) => format!("{} to {most}", self.at_least),
            None => format!("at least {}", self.at_least),
        };
        let noun = if self.at_most.unwrap_or(self.at_least) == 1 { "request" } else { "requests" };
        format!("Expected {wanted} such {noun}, found {count}{}", silence(world, filter))
    }

    /// The newest of the requests of which there were too many, in their order; else those that come nearest.
    fn evidence(self, count: usize, world: &World, filter: &Filter) -> Vec<Value> {
        if count <= self.at_least {
            return nearest(world, filter);
        }
        let mut entries = world.journal().find(filter);
        entries.drain(..entries.len().saturating_sub(MATCHING));
        entries.iter().map(|entry| json!({ "entry": entry.as_ref(), "diff": "" })).collect()
    }
}

impl Assertion {
    fn read(self, world: &World) -> Result<(Filter, Bounds), Error> {
        let bounds = match (self.exactly, self.at_least, self.at_most) {
            (Some(exactly), None, None) => Bounds { at_least: exactly, at_most: Some(exactly) },
            (Some(_), _, _) => return Err(refused("$.exactly: can't be combined with at_least or at_most")),
            // Asking for at most so many does not ask for any.
            (None, at_least, at_most) => {
                Bounds { at_least: at_least.unwrap_or(usize::from(at_most.is_none())), at_most }
            }
        };
        if bounds.at_most.is_some_and(|most| most < bounds.at_least) {
            return Err(refused("$.at_most: is below at_least"));
        }
        let wanted = Wanted {
            method: self.method,
            path: self.path,
            user: self.user.as_deref(),
            status: self.status,
            fault: self.fault,
        };
        Ok((wanted.filter(world, self.params.unwrap_or_default(), "$.")?, bounds))
    }
}

/// Operations with which tests get credentials: their requests are near no other one.
const OF_TESTS: [&str; 2] = ["/dev_fetch_api_key", "/dev_list_users"];

/// The entries that may be shown next to what was looked for.
fn candidates(world: &World, filter: &Filter) -> impl Iterator<Item = Arc<Entry>> {
    let is_of_test = |entry: &Entry| entry.route.is_some_and(|route| OF_TESTS.contains(&route));
    let wants_them = filter.path.as_deref().is_some_and(|path| OF_TESTS.contains(&path));
    world.journal().all().into_iter().filter(move |entry| wants_them || !is_of_test(entry))
}

/// What is said when there is nothing to compare with: that there is no request, or none of the user.
fn silence(world: &World, filter: &Filter) -> String {
    let (mut is_empty, mut is_silent) = (true, true);
    for entry in candidates(world, filter) {
        is_empty = false;
        let user = filter.user.as_deref();
        is_silent &= user.is_some_and(|user| !entry.user.as_ref().is_some_and(|one| one.eq_ignore_ascii_case(user)));
    }
    match &filter.user {
        Some(user) if is_silent => format!("; {user} sent no request"),
        _ if is_empty => "; no request came".to_owned(),
        _ => String::new(),
    }
}

/// The entries that come nearest to what was looked for, each with a diff.
fn nearest(world: &World, filter: &Filter) -> Vec<Value> {
    let mut entries: Vec<(usize, Arc<Entry>)> =
        candidates(world, filter).map(|entry| (filter.misses(&entry), entry)).collect();
    entries.sort_by_key(|(misses, entry)| (*misses, std::cmp::Reverse(entry.id)));
    entries.truncate(NEAREST);
    let expected = filter.expected();
    let show = |(_, entry): &(usize, Arc<Entry>)| {
        let whole = serde_json::to_value(entry.as_ref()).unwrap_or_default();
        let keys = expected.keys().map(|key| {
            let found = match (key.as_str(), entry.route) {
                ("path", Some(route)) if expected[key] == route => Value::from(route),
                ("params", _) => params_asked_for(&expected[key], &whole["params"]),
                _ => whole[key].clone(),
            };
            (key.clone(), found)
        });
        let found: serde_json::Map<String, Value> = keys.collect();
        let (wanted, found) = (format!("{:#}\n", Value::from(expected.clone())), format!("{:#}\n", Value::from(found)));
        let diff = TextDiff::from_lines(&wanted, &found).unified_diff().header("expected", "found").to_string();
        json!({ "entry": whole, "diff": diff })
    };
    entries.iter().map(show).collect()
}

/// Of the parameters sent, those that were asked for.
fn params_asked_for(expected: &Value, sent: &Value) -> Value {
    let keys = expected.as_object().into_iter().flatten().map(|(key, _)| key);
    keys.filter_map(|key| Some((key.clone(), sent.get(key)?.clone())))
        .collect::<serde_json::Map<String, Value>>()
        .into()
}
