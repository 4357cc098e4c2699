//! The table of control's calls: what is served, what each takes and what it replies.

mod records;
mod table;

use crate::error::Error;
use crate::http::router::shape_similarity;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

pub use records::{RECORDS, describe};
pub use table::{CALLS, WATCH_FILTERS};

/// A call of control.
pub struct Row {
    /// HTTP method.
    pub method: &'static str,
    /// Path below `/control`, with placeholders.
    pub path: &'static str,
    /// What is carried out.
    pub call: Call,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// What it takes besides its path.
    pub takes: Takes,
    /// Its reply without the envelope, in the notation of `openapi/shape.rs`; empty where there is nothing else in it.
    pub reply: &'static str,
}

/// What is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Lists the calls.
    Index,
    /// Says that the server can answer.
    Health,
    /// How the build was compared with real servers.
    Fidelity,
    /// The document of the API or of control.
    Openapi,
    /// Lists worlds.
    Worlds,
    CreateWorld,
    /// Ends worlds by the beginning of their names.
    DeleteWorlds,
    /// The clients of all worlds.
    AllReports,
    /// Forgets the clients of all worlds.
    ClearAllReports,
    /// One world's row.
    World,
    DeleteWorld,
    /// A call for one world.
    Of(OfWorld),
}

/// What is carried out in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfWorld {
    Reset,
    Upgrade,
    Snapshots,
    KeepSnapshot,
    Restore,
    ForgetSnapshot,
    State,
    PutState,
    Clock,
    MoveClock,
    Faults,
    InstallFault,
    ClearFaults,
    RemoveFault,
    Networks,
    SetNetwork,
    EndNetwork,
    Previews,
    SetPreviews,
    EndPreviews,
    RateLimits,
    SetRateLimit,
    EndRateLimit,
    Journal,
    ClearJournal,
    Report,
    ClearReport,
    VerifyJournal,
    WaitJournal,
    Watch,
    Queues,
    WaitQueues,
    LoseQueue,
    Users,
    Channels,
    Groups,
    Messages,
    Pushes,
    WaitPushes,
    ClearPushes,
    Webhooks,
    ClearWebhooks,
    AcceptInvite,
    Invariants,
}

/// What a call takes besides its path.
#[derive(Clone, Copy)]
pub enum Takes {
    Nothing,
    /// Filters in the query string.
    Filters(&'static [Filter]),
    /// A JSON body of this schema.
    Body(fn(&mut SchemaGenerator) -> Schema),
    /// As a body; it may be as large as a whole world.
    Document(fn(&mut SchemaGenerator) -> Schema),
}

/// A filter in a query string.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    pub name: &'static str,
    /// `string`, `integer` or `boolean`.
    pub kind: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The values that it takes; any of its kind where there are none.
    pub choices: &'static [&'static str],
}

impl Filter {
    /// The schema of its value; one that is required is not empty.
    pub fn schema(&self, is_required: bool) -> Value {
        let mut schema = json!({"type": self.kind});
        match self.kind {
            "integer" => schema["minimum"] = 0.into(),
            "string" if is_required => schema["minLength"] = 1.into(),
            _ => {}
        }
        if !self.choices.is_empty() {
            schema["enum"] = json!(self.choices);
        }
        schema
    }
}

impl Row {
    /// Whether a call for a world is a use of it, which keeps the world and counts as its last request: a call that steers.
    /// Looking is none, so that an open console keeps nothing.
    pub fn is_use(&self) -> bool {
        self.method != "GET"
    }

    /// What is in the place of the placeholders, if a path below `/control` is of this call.
    fn fits<'path>(&self, parts: &[&'path str]) -> Option<Vec<&'path str>> {
        let own = split(self.path);
        if own.len() != parts.len() {
            return None;
        }
        let mut values = Vec::new();
        for (own, part) in own.iter().zip(parts) {
            if own.starts_with('{') {
                values.push(*part);
            } else if own != part {
                return None;
            }
        }
        values.iter().all(|value| !value.is_empty()).then_some(values)
    }
}

/// The call for a method and a path that begins with `/control`, and what is in the place of its placeholders.
///
/// # Errors
///
/// `ControlNotFound` with the nearest call.
pub fn find<'path>(method: &str, path: &'path str) -> Result<(&'static Row, Vec<&'path str>), Error> {
    let method = if method == "HEAD" { "GET" } else { method };
    let below = path.strip_prefix("/control").unwrap_or(path);
    let parts = split(below.trim_end_matches('/'));
    let found = CALLS.iter().find_map(|row| Some((row, row.fits(&parts)?)).filter(|_| row.method == method));
    found.ok_or_else(|| {
        let fitting = CALLS.iter().filter(|row| row.fits(&parts).is_some());
        let mut methods: Vec<&str> = fitting.map(|row| row.method).collect();
        if !methods.is_empty() {
            methods
                .sort_by_key(|method| ["GET", "POST", "PUT", "PATCH", "DELETE"].iter().position(|one| one == method));
            let what = format!("There is no control call {method} {path}; the path takes {}", methods.join(", "));
            return Error::ControlNotFound { what: what.into() };
        }
        let nearest = nearest(method, &parts);
        let what = format!(
            "There is no control call {method} {path}; the nearest is {} /control{}",
            nearest.method, nearest.path
        );
        Error::ControlNotFound { what: what.into() }
    })
}

fn split(path: &str) -> Vec<&str> {
    path.split('/').skip(1).collect()
}

/// More parts of a path than this, and more of each, are not compared.
const COMPARED_PARTS_MAX: usize = 8;
const COMPARED_PART_MAX_BYTES: usize = 64;

fn nearest(method: &str, parts: &[&str]) -> &'static Row {
    let cut = |part: &&'_ str| part.floor_char_boundary(COMPARED_PART_MAX_BYTES);
    let parts: Vec<&str> = parts.iter().take(COMPARED_PARTS_MAX).map(|part| &part[..cut(part)]).collect();
    let likeness = |row: &&Row| {
        let same_method = if row.method == method { 0.02 } else { 0.0 };
        // The first call has no parts to compare.
        let similarity = if row.path.is_empty() { 0.0 } else { shape_similarity(&parts, &row.path[1..]) };
        ((similarity + same_method) * 1e6) as i64
    };
    CALLS.iter().rev().max_by_key(likeness).unwrap_or(&CALLS[0])
}

/// The list of all calls.
pub fn index() -> Value {
    let call = |row: &Row| {
        let path = format!("/control{}", row.path);
        json!({"method": row.method, "path": path, "summary": row.summary})
    };
    json!({"calls": CALLS.iter().map(call).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_call_and_a_wrong_one_to_the_nearest() {
        let found = |method, path| find(method, path).map(|(row, values)| (row.path, values));

        assert_eq!(found("GET", "/control"), Ok(("", vec![])));
        assert_eq!(found("GET", "/control/"), Ok(("", vec![])));
        assert_eq!(found("GET", "/control/worlds/a/clock"), Ok(("/worlds/{name}/clock", vec!["a"])));
        for (method, path, nearest) in [
            ("POST", "/control/worlds/default/snapshot", "POST /control/worlds/{name}/snapshots"),
            ("GET", "/control/world", "GET /control/worlds"),
            ("GET", "/control/helth", "GET /control/health"),
            ("POST", "/control/worlds/a/journal/verfy", "POST /control/worlds/{name}/journal/verify"),
            ("DELETE", "/control/worlds//clock", "GET /control/worlds/{name}/clock"),
        ] {
            let Err(Error::ControlNotFound { what }) = find(method, path) else { panic!("{path} is no call") };
            let said = what.as_str().unwrap_or_default().to_owned();
            assert!(said.ends_with(&format!("; the nearest is {nearest}")), "{said}");
        }
        for (method, path, methods) in [
            ("PUT", "/control/health", "GET"),
            ("PUT", "/control/worlds/a/snapshots", "GET, POST"),
            ("POST", "/control/worlds/a/snapshots/b", "DELETE"),
        ] {
            let Err(Error::ControlNotFound { what }) = find(method, path) else { panic!("{path} is no call") };
            let said = what.as_str().unwrap_or_default().to_owned();
            assert!(said.ends_with(&format!("; the path takes {methods}")), "{said}");
        }
    }
}
