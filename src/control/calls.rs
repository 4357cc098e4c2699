//! The calls of control: the types of their table, and finding the call of a request.

mod query_parameters;
mod records;
mod table;

use crate::error::Error;
use crate::http::router::path_similarity;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

pub use query_parameters::WATCH_PARAMETERS;
pub use records::{RECORDS, add_descriptions};
pub use table::CALLS;

/// A row of the table of calls.
pub struct CallRow {
    pub method: &'static str,
    /// Path below `/control`, with placeholders.
    pub path: &'static str,
    pub call: Call,
    /// What the call does, in a sentence.
    pub summary: &'static str,
    pub input: Input,
    /// The reply without the envelope, in the notation of `openapi/shape.rs`; empty if there is only the envelope, or
    /// if the reply has no envelope either.
    pub reply: &'static str,
}

/// A call of control. The names of variants appear in the `operationId`s of the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Index,
    Health,
    Fidelity,
    Openapi,
    Worlds,
    CreateWorld,
    DeleteWorlds,
    AllReports,
    ClearAllReports,
    World,
    DeleteWorld,
    InWorld(WorldCall),
}

/// A call for one world. The names of variants appear in the `operationId`s of the OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorldCall {
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

/// The input of a call besides its path.
#[derive(Clone, Copy)]
pub enum Input {
    Nothing,
    /// Parameters in the query string.
    Query(&'static [QueryParameter]),
    /// A JSON body of this schema.
    Body(fn(&mut SchemaGenerator) -> Schema),
    /// A JSON body of this schema that may be as large as a world.
    Document(fn(&mut SchemaGenerator) -> Schema),
}

/// A parameter in a query string.
#[derive(Clone, Copy, Debug)]
pub struct QueryParameter {
    pub name: &'static str,
    /// `string`, `integer` or `boolean`.
    pub kind: &'static str,
    pub description: &'static str,
    /// The allowed values; empty if any value of the kind is allowed.
    pub choices: &'static [&'static str],
    /// Whether the call is refused without the parameter.
    pub is_required: bool,
}

impl QueryParameter {
    /// The schema of the value. The text of a required parameter must not be empty.
    pub fn schema(&self) -> Value {
        let mut schema = json!({"type": self.kind});
        match self.kind {
            "integer" => schema["minimum"] = 0.into(),
            "string" if self.is_required => schema["minLength"] = 1.into(),
            _ => {}
        }
        if !self.choices.is_empty() {
            schema["enum"] = json!(self.choices);
        }
        schema
    }
}

impl CallRow {
    /// Whether the call counts as use of its world, which delays the end of an idle world. Calls with GET do not, so
    /// that an open console keeps no world alive.
    pub fn counts_as_use(&self) -> bool {
        self.method != "GET"
    }

    /// The values of the placeholders if a path below `/control` belongs to this call.
    fn match_path<'path>(&self, parts: &[&'path str]) -> Option<Vec<&'path str>> {
        let row_parts = split_path(self.path);
        if row_parts.len() != parts.len() {
            return None;
        }
        let mut values = Vec::new();
        for (row_part, part) in row_parts.iter().zip(parts) {
            if row_part.starts_with('{') {
                values.push(*part);
            } else if row_part != part {
                return None;
            }
        }
        values.iter().all(|value| !value.is_empty()).then_some(values)
    }
}

/// Finds the call for a method and a path that begins with `/control`, with the values of its placeholders.
///
/// # Errors
///
/// `ControlNotFound`, with the methods of the path or, for an unknown path, with the nearest call.
pub fn find<'path>(method: &str, path: &'path str) -> Result<(&'static CallRow, Vec<&'path str>), Error> {
    let method = if method == "HEAD" { "GET" } else { method };
    let path_in_control = path.strip_prefix("/control").unwrap_or(path);
    let parts = split_path(path_in_control.trim_end_matches('/'));
    let call = CALLS.iter().find_map(|row| Some((row, row.match_path(&parts)?)).filter(|_| row.method == method));
    call.ok_or_else(|| {
        let rows = CALLS.iter().filter(|row| row.match_path(&parts).is_some());
        let mut methods: Vec<&str> = rows.map(|row| row.method).collect();
        if !methods.is_empty() {
            methods.sort_by_key(|method| {
                ["GET", "POST", "PUT", "PATCH", "DELETE"].iter().position(|other| other == method)
            });
            let message = format!("There is no control call {method} {path}; the path takes {}", methods.join(", "));
            return Error::ControlNotFound { message: message.into() };
        }
        let nearest_row = nearest_row(method, &parts);
        let message = format!(
            "There is no control call {method} {path}; the nearest is {} /control{}",
            nearest_row.method, nearest_row.path
        );
        Error::ControlNotFound { message: message.into() }
    })
}

fn split_path(path: &str) -> Vec<&str> {
    path.split('/').skip(1).collect()
}

/// Only this number of parts of an unknown path is compared with known paths.
const MAX_COMPARED_PARTS: usize = 8;
/// Only the beginning of a longer part is compared.
const MAX_COMPARED_PART_BYTES: usize = 64;

fn nearest_row(method: &str, parts: &[&str]) -> &'static CallRow {
    let end = |part: &&'_ str| part.floor_char_boundary(MAX_COMPARED_PART_BYTES);
    let parts: Vec<&str> = parts.iter().take(MAX_COMPARED_PARTS).map(|part| &part[..end(part)]).collect();
    let score = |row: &&CallRow| {
        // Decides between paths that are about equally similar.
        let method_bonus = if row.method == method { 0.02 } else { 0.0 };
        // A path without the world may be meant for the call of a world.
        let path_in_world = row.path.strip_prefix("/worlds/{name}/").filter(|_| parts.first() != Some(&"worlds"));
        let paths = [row.path.get(1..), path_in_world];
        let similarity = paths.into_iter().flatten().map(|path| path_similarity(&parts, path)).fold(0.0, f64::max);
        // In millionths, because `f64` is not `Ord` and can't be a key.
        ((similarity + method_bonus) * 1e6) as i64
    };
    // In reverse, because `max_by_key` takes the last of several equal rows.
    CALLS.iter().rev().max_by_key(score).unwrap_or(&CALLS[0])
}

/// The reply with the list of all calls.
pub fn index() -> Value {
    let call_entry = |row: &CallRow| {
        let path = format!("/control{}", row.path);
        json!({"method": row.method, "path": path, "summary": row.summary})
    };
    json!({"calls": CALLS.iter().map(call_entry).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_its_call_and_a_wrong_one_to_the_nearest() {
        let call = |method, path| find(method, path).map(|(row, values)| (row.path, values));

        assert_eq!(call("GET", "/control"), Ok(("", vec![])));
        assert_eq!(call("GET", "/control/"), Ok(("", vec![])));
        assert_eq!(call("GET", "/control/worlds/a/clock"), Ok(("/worlds/{name}/clock", vec!["a"])));
        for (method, path, nearest_call) in [
            ("POST", "/control/worlds/default/snapshot", "POST /control/worlds/{name}/snapshots"),
            ("GET", "/control/world", "GET /control/worlds"),
            ("GET", "/control/helth", "GET /control/health"),
            ("GET", "/control/clock", "GET /control/worlds/{name}/clock"),
            ("POST", "/control/faults", "POST /control/worlds/{name}/faults"),
            ("POST", "/control/worlds/a/journal/verfy", "POST /control/worlds/{name}/journal/verify"),
            ("DELETE", "/control/worlds//clock", "GET /control/worlds/{name}/clock"),
        ] {
            let Err(Error::ControlNotFound { message }) = find(method, path) else { panic!("{path} is no call") };
            let message = message.as_str().unwrap_or_default().to_owned();
            assert!(message.ends_with(&format!("; the nearest is {nearest_call}")), "{message}");
        }
        for (method, path, methods) in [
            ("PUT", "/control/health", "GET"),
            ("PUT", "/control/worlds/a/snapshots", "GET, POST"),
            ("POST", "/control/worlds/a/snapshots/b", "DELETE"),
        ] {
            let Err(Error::ControlNotFound { message }) = find(method, path) else { panic!("{path} is no call") };
            let message = message.as_str().unwrap_or_default().to_owned();
            assert!(message.ends_with(&format!("; the path takes {methods}")), "{message}");
        }
    }
}
