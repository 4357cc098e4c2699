//! The table of all calls of control.

use super::Input::{Body, Document, Filters, Nothing};
use super::records::{CLOCK, FIDELITY, MOVED_CLOCK, NETWORKS, PREVIEWS, RATE_LIMITS, REPORT};
use super::{Call, CallRow, Filter, Input, WorldCall, WorldCall as In};
use crate::control::request_pattern::METHODS;
use crate::control::{
    clock, faults, invites, journal, networks, previews, pushes, queues, rate_limits, reset, snapshots, worlds,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};

const fn filter(name: &'static str, kind: &'static str, description: &'static str) -> Filter {
    Filter { name, kind, description, choices: &[] }
}

const fn choice(name: &'static str, choices: &'static [&'static str], description: &'static str) -> Filter {
    Filter { name, kind: "string", description, choices }
}

const fn row(
    method: &'static str,
    path: &'static str,
    call: Call,
    input: Input,
    summary: &'static str,
    reply: &'static str,
) -> CallRow {
    CallRow { method, path, call, summary, input, reply }
}

const fn world_row(
    method: &'static str,
    path: &'static str,
    call: WorldCall,
    input: Input,
    summary: &'static str,
    reply: &'static str,
) -> CallRow {
    CallRow { method, path, call: Call::InWorld(call), summary, input, reply }
}

fn body<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The schema of a fixture or a state. `fixtures/schema.json` describes fixtures in detail.
fn any_document(_: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "object", "description": "A fixture document, or a reply of GET."})
}

const PREFIX: Filter = filter("prefix", "string", "Only worlds whose names start with this.");
const PUSH_FILTERS: &[Filter] = &[
    filter("user", "string", "Only those for this user: an address or its handle."),
    filter("device_id", "integer", "Only those for this device."),
    filter("since", "integer", "Only those after the one with this id."),
];
const JOURNAL_FILTERS: &[Filter] = &[
    choice("method", &METHODS, "Only requests with this HTTP method."),
    filter("path", "string", "Only requests for this path, filled in or with the placeholders of an operation."),
    filter("user", "string", "Only requests of this user: an address or its handle."),
    filter("status", "integer", "Only requests that were answered with this HTTP status."),
    filter("fault", "string", "Only requests at which the fault with this id fired, or `network`."),
    filter("since", "integer", "Only entries after the one with this id."),
    filter("limit", "integer", "The maximum number; the newest are returned."),
];
const ONE_USER: Filter = filter("user", "string", "Only this user: an address or its handle.");
const SEEN_BY: Filter =
    filter("seen_by", "string", "Adds to each whether this user (an address or its handle) sees it, and if not, why.");
const MESSAGE_FILTERS: &[Filter] = &[
    filter("channel", "integer", "Only messages of the channel with this id."),
    filter("topic", "string", "Only messages of this topic."),
    filter("before", "integer", "Only messages before the one with this id."),
    filter("limit", "integer", "The maximum number, 100 by default, at most 1,000; the newest are returned."),
    SEEN_BY,
    filter("rendered", "boolean", "Adds the HTML of each, which clients get."),
];
/// The filters of the watch socket.
pub const WATCH_FILTERS: &[Filter] = &[filter(
    "per_second",
    "integer",
    "Maximum number of frames per second; for omitted frames only their number is sent (lost).",
)];
const OPENAPI_FILTERS: &[Filter] = &[
    choice("dialect", &["neutral", "zulip"], "Dialect of the names in the document; the server's own by default."),
    filter(
        "feature_level",
        "integer",
        "Level of the operations, parameters, replies and events; the newest by default.",
    ),
    filter("control", "boolean", "true: the document of control instead."),
];

/// A row for each call. `In::Reset` is [`WorldCall::Reset`]: the short name keeps many rows in one line.
pub const CALLS: &[CallRow] = &[
    row("GET", "", Call::Index, Nothing, "Lists all calls of control.", r#"{"calls": "@ControlCall[]"}"#),
    row(
        "GET",
        "/health",
        Call::Health,
        Nothing,
        "Reports that the server can answer; needs no token.",
        r#"{"version": "string", "feature_level": "int", "worlds": "int"}"#,
    ),
    row(
        "GET",
        "/fidelity",
        Call::Fidelity,
        Nothing,
        "Reports how this build was compared with recordings of real servers, by operation.",
        FIDELITY,
    ),
    row(
        "GET",
        "/openapi.json",
        Call::Openapi,
        Filters(OPENAPI_FILTERS),
        "Returns the OpenAPI document of the API, or of control, without the envelope.",
        "",
    ),
    row(
        "GET",
        "/report",
        Call::AllReports,
        Nothing,
        "Reports what all clients did wrong, also in ended worlds.",
        REPORT,
    ),
    row("DELETE", "/report", Call::ClearAllReports, Nothing, "Empties the report of all worlds.", ""),
    row("GET", "/worlds", Call::Worlds, Filters(&[PREFIX]), "Lists worlds.", r#"{"worlds": "@World[]"}"#),
    row(
        "POST",
        "/worlds",
        Call::CreateWorld,
        Document(body::<worlds::WorldSpec>),
        "Creates a world.",
        r#"{"name": "string", "url": "string"}"#,
    ),
    row(
        "DELETE",
        "/worlds",
        Call::DeleteWorlds,
        Filters(&[PREFIX]),
        "Deletes all worlds whose names start with a prefix, except `default`.",
        r#"{"deleted": "string[]"}"#,
    ),
    row("GET", "/worlds/{name}", Call::World, Nothing, "Returns a world's row.", r#"{"world": "@World"}"#),
    row("DELETE", "/worlds/{name}", Call::DeleteWorld, Nothing, "Deletes a world.", ""),
    world_row(
        "POST",
        "/worlds/{name}/reset",
        In::Reset,
        Body(body::<reset::Reset>),
        "Resets a world to its initial state.",
        "",
    ),
    world_row(
        "POST",
        "/worlds/{name}/upgrade",
        In::Upgrade,
        Body(body::<worlds::Upgrade>),
        "Upgrades a world to a newer feature level.",
        r#"{"feature_level": "int"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/snapshots",
        In::Snapshots,
        Nothing,
        "Lists snapshots.",
        r#"{"snapshots": "@Snapshot[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/snapshots",
        In::KeepSnapshot,
        Body(body::<snapshots::SnapshotName>),
        "Takes a snapshot, replacing one of the same name.",
        "",
    ),
    world_row("POST", "/worlds/{name}/snapshots/{snapshot}/restore", In::Restore, Nothing, "Restores a snapshot.", ""),
    world_row("DELETE", "/worlds/{name}/snapshots/{snapshot}", In::ForgetSnapshot, Nothing, "Removes a snapshot.", ""),
    world_row(
        "GET",
        "/worlds/{name}/state",
        In::State,
        Nothing,
        "Returns the whole world as a document.",
        r#"{"state": "any"}"#,
    ),
    world_row(
        "PUT",
        "/worlds/{name}/state",
        In::PutState,
        Document(any_document),
        "Replaces a world's state with a document.",
        "",
    ),
    world_row("GET", "/worlds/{name}/clock", In::Clock, Nothing, "Returns the time and the agenda.", CLOCK),
    world_row(
        "POST",
        "/worlds/{name}/clock",
        In::MoveClock,
        Body(body::<clock::ClockChange>),
        "Moves, starts or freezes the clock.",
        MOVED_CLOCK,
    ),
    world_row(
        "GET",
        "/worlds/{name}/faults",
        In::Faults,
        Nothing,
        "Lists faults, including spent ones.",
        r#"{"faults": "@Fault[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/faults",
        In::InstallFault,
        Body(body::<faults::FaultSpec>),
        "Installs a fault.",
        r#"{"fault_id": "string"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/faults", In::ClearFaults, Nothing, "Removes all faults.", ""),
    world_row("DELETE", "/worlds/{name}/faults/{fault_id}", In::RemoveFault, Nothing, "Removes a fault.", ""),
    world_row("GET", "/worlds/{name}/network", In::Networks, Nothing, "Lists networks.", NETWORKS),
    world_row(
        "POST",
        "/worlds/{name}/network",
        In::SetNetwork,
        Body(body::<networks::NetworkSpec>),
        "Sets a network.",
        "",
    ),
    world_row("DELETE", "/worlds/{name}/network", In::EndNetwork, Filters(&[ONE_USER]), "Ends networks.", ""),
    world_row("GET", "/worlds/{name}/rate_limit", In::RateLimits, Nothing, "Lists rate limits.", RATE_LIMITS),
    world_row(
        "POST",
        "/worlds/{name}/rate_limit",
        In::SetRateLimit,
        Body(body::<rate_limits::RateLimitSpec>),
        "Limits requests.",
        "",
    ),
    world_row("DELETE", "/worlds/{name}/rate_limit", In::EndRateLimit, Filters(&[ONE_USER]), "Ends rate limits.", ""),
    world_row("GET", "/worlds/{name}/previews", In::Previews, Nothing, "Shows when previews arrive.", PREVIEWS),
    world_row(
        "POST",
        "/worlds/{name}/previews",
        In::SetPreviews,
        Body(body::<previews::PreviewDelaySpec>),
        "Sets when previews arrive.",
        "",
    ),
    world_row("DELETE", "/worlds/{name}/previews", In::EndPreviews, Nothing, "Lets previews arrive as usual.", ""),
    world_row(
        "GET",
        "/worlds/{name}/journal",
        In::Journal,
        Filters(JOURNAL_FILTERS),
        "Lists requests and their replies, newest last.",
        r#"{"entries": "@JournalEntry[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/journal", In::ClearJournal, Nothing, "Empties the journal.", ""),
    world_row("GET", "/worlds/{name}/report", In::Report, Nothing, "Reports what a world's clients did wrong.", REPORT),
    world_row("DELETE", "/worlds/{name}/report", In::ClearReport, Nothing, "Empties the report of a world.", ""),
    world_row(
        "POST",
        "/worlds/{name}/journal/verify",
        In::VerifyJournal,
        Body(body::<journal::Assertion>),
        "Asserts that certain requests were made.",
        r#"{"count": "int"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/journal/wait",
        In::WaitJournal,
        Body(body::<journal::AwaitedRequests>),
        "Waits until certain requests were made.",
        r#"{"count": "int"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/watch",
        In::Watch,
        Filters(WATCH_FILTERS),
        "Broadcasts on a WebSocket what happens, as it happens.",
        "",
    ),
    world_row("GET", "/worlds/{name}/queues", In::Queues, Nothing, "Lists event queues.", r#"{"queues": "@Queue[]"}"#),
    world_row(
        "POST",
        "/worlds/{name}/queues/wait",
        In::WaitQueues,
        Body(body::<queues::AwaitedQueues>),
        "Waits until event queues are in a state.",
        r#"{"count": "int", "queues": "@Queue[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/queues/{queue_id}", In::LoseQueue, Nothing, "Loses an event queue.", ""),
    world_row(
        "GET",
        "/worlds/{name}/users",
        In::Users,
        Filters(&[ONE_USER]),
        "Lists all accounts with their keys.",
        r#"{"users": "@User[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/channels",
        In::Channels,
        Filters(&[SEEN_BY]),
        "Lists all channels with their topics and permissions.",
        r#"{"channels": "@Channel[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/groups",
        In::Groups,
        Nothing,
        "Lists all user groups with their members.",
        r#"{"groups": "@Group[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/messages",
        In::Messages,
        Filters(MESSAGE_FILTERS),
        "Lists messages, whoever can see them, newest last.",
        r#"{"messages": "@Message[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/pushes",
        In::Pushes,
        Filters(PUSH_FILTERS),
        "Lists pushes handed to the push relay, newest last.",
        r#"{"pushes": "@Push[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/pushes/wait",
        In::WaitPushes,
        Body(body::<pushes::AwaitedPushes>),
        "Waits until certain pushes were handed to the push relay.",
        r#"{"count": "int", "pushes": "@Push[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/pushes", In::ClearPushes, Nothing, "Empties the list of pushes.", ""),
    world_row(
        "GET",
        "/worlds/{name}/webhooks",
        In::Webhooks,
        Nothing,
        "Lists posts to outgoing webhooks and their replies, newest last.",
        r#"{"webhooks": "@Webhook[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/webhooks", In::ClearWebhooks, Nothing, "Empties the list of webhooks.", ""),
    world_row(
        "POST",
        "/worlds/{name}/invites/{key}/accept",
        In::AcceptInvite,
        Body(body::<invites::InviteAcceptance>),
        "Accepts an invitation.",
        r#"{"user_id": "int"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/invariants",
        In::Invariants,
        Nothing,
        "Checks the invariants.",
        r#"{"checked": "string[]", "violations": "@Violation[]"}"#,
    ),
];
