//! The journal: looking at it, asserting on it, waiting for it.

use super::filters::Filters;
use super::{known_method, refused, users, waiting};
use crate::api::route_named;
use crate::error::Error;
use crate::journal::{Entry, Filter};
use crate::world::World;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Near misses that are shown.
const NEAREST: usize = 3;

/// The expected requests.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Assertion")]
pub struct JournalQuery {
    /// HTTP method, in capitals.
    method: Option<String>,
    /// Path, filled in or with the placeholders of an operation.
    path: Option<String>,
    /// The caller: an address or its handle.
    user: Option<String>,
    /// Parameters that must be among those sent, as text.
    params: Option<BTreeMap<String, String>>,
    /// HTTP status; 0 for a dropped connection.
    status: Option<u16>,
    /// The minimum number of such requests; 1 if none of the three is given.
    at_least: Option<usize>,
    /// The maximum number.
    at_most: Option<usize>,
    /// The exact number; without the other two.
    exactly: Option<usize>,
    /// How long to wait; only for waiting.
    timeout_ms: Option<u64>,
}

/// The entries that the query's filters admit, newest last.
///
/// # Errors
///
/// `ControlRefused` for an unknown filter or a bad value.
pub fn show(world: &World, filters: &Filters) -> Result<Value, Error> {
    known_method(filters.text("method"), "method")?;
    let status = |status| u16::try_from(status).map_err(|_| refused("status: takes an HTTP status"));
    let filter = Filter {
        method: filters.text("method").map(str::to_owned),
        path: filters.text("path").map(|path| as_route(path.to_owned(), "path")).transpose()?,
        user: users::address(&world.snapshot(), filters.text("user"), "user")?,
        status: filters.number("status").map(status).transpose()?,
        params: BTreeMap::new(),
        since: filters.number("since"),
    };
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
pub fn verify(world: &World, wanted: JournalQuery) -> Result<Value, Error> {
    if wanted.timeout_ms.is_some() {
        return Err(refused("$.timeout_ms: is for waiting"));
    }
    let (filter, bounds) = wanted.read(world)?;
    let count = world.journal().find(&filter).len();
    if bounds.admit(count) {
        return Ok(json!({ "count": count }));
    }
    let nearest = nearest(world, &filter);
    Err(Error::VerificationFailed { reason: bounds.reason(count).into(), count: count.into(), nearest: nearest.into() })
}

/// Waits until the journal holds what is wanted.
///
/// # Errors
///
/// `ControlRefused`, `VerificationTimedOut`; `UnknownWorld` when the world is deleted meanwhile.
pub async fn wait(world: &World, wanted: JournalQuery) -> Result<Value, Error> {
    let timeout_ms = wanted.timeout_ms;
    let (filter, bounds) = wanted.read(world)?;
    let count = || world.journal().find(&filter).len();
    let look = || Some(count()).filter(|count| bounds.admit(*count));
    match waiting::until(world, timeout_ms, || world.journal().changed(), look).await? {
        Some(count) => Ok(json!({ "count": count })),
        None => {
            let count = count();
            let nearest = nearest(world, &filter);
            let reason = bounds.reason(count).into();
            Err(Error::VerificationTimedOut { reason, count: count.into(), nearest: nearest.into() })
        }
    }
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

    fn reason(self, count: usize) -> String {
        let wanted = match self.at_most {
            Some(most) if most == self.at_least => format!("exactly {most}"),
            Some(most) => format!("{} to {most}", self.at_least),
            None => format!("at least {}", self.at_least),
        };
        let noun = if self.at_most.unwrap_or(self.at_least) == 1 { "request" } else { "requests" };
        format!("Expected {wanted} such {noun}, found {count}")
    }
}

impl JournalQuery {
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
        known_method(self.method.as_deref(), "$.method")?;
        let filter = Filter {
            method: self.method,
            path: self.path.map(|path| as_route(path, "$.path")).transpose()?,
            user: users::address(&world.snapshot(), self.user.as_deref(), "$.user")?,
            status: self.status,
            params: self.params.unwrap_or_default(),
            since: None,
        };
        Ok((filter, bounds))
    }
}

/// A path as entries have it: that of an operation when it is one with its placeholders. What clients have in front of
/// it is no part of it.
fn as_route(path: String, at: &str) -> Result<String, Error> {
    let inner = path.strip_prefix("/api/v1").filter(|rest| rest.starts_with('/')).unwrap_or(&path);
    if !inner.starts_with('/') {
        return Err(refused(format!("{at}: takes a path, which begins with a slash")));
    }
    Ok(route_named(inner).unwrap_or(inner).to_owned())
}

/// The entries that come nearest to what was looked for, each with a diff.
fn nearest(world: &World, filter: &Filter) -> Vec<Value> {
    let mut entries: Vec<(usize, Arc<Entry>)> =
        world.journal().all().into_iter().map(|entry| (filter.misses(&entry), entry)).collect();
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
