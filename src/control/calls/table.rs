//! The table of all calls of control.

use super::Input::{Body, Document, Filters, Nothing};
use super::records::{CLOCK, FIDELITY, MOVED_CLOCK, NETWORKS, PREVIEWS, RATE_LIMITS, REPORT};
use super::{Call, CallRow, Filter, Input, WorldCall, WorldCall as InWorld};
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

/// A row for each call. `InWorld::Reset` is [`WorldCall::Reset`]: the short name keeps many rows in one line.
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
        InWorld::Reset,
        Body(body::<reset::Reset>),
        "Resets a world to its initial state.",
        "",
    ),
    world_row(
        "POST",
        "/worlds/{name}/upgrade",
        InWorld::Upgrade,
        Body(body::<worlds::Upgrade>),
        "Upgrades a world to a newer feature level.",
        r#"{"feature_level": "int"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/snapshots",
        InWorld::Snapshots,
        Nothing,
        "Lists snapshots.",
        r#"{"snapshots": "@Snapshot[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/snapshots",
        InWorld::KeepSnapshot,
        Body(body::<snapshots::SnapshotName>),
        "Takes a snapshot, replacing one of the same name.",
        "",
    ),
    world_row(
        "POST",
        "/worlds/{name}/snapshots/{snapshot}/restore",
        InWorld::Restore,
        Nothing,
        "Restores a snapshot.",
        "",
    ),
    world_row(
        "DELETE",
        "/worlds/{name}/snapshots/{snapshot}",
        InWorld::ForgetSnapshot,
        Nothing,
        "Removes a snapshot.",
        "",
    ),
    world_row(
        "GET",
        "/worlds/{name}/state",
        InWorld::State,
        Nothing,
        "Returns the whole world as a document.",
        r#"{"state": "any"}"#,
    ),
    world_row(
        "PUT",
        "/worlds/{name}/state",
        InWorld::PutState,
        Document(any_document),
        "Replaces a world's state with a document.",
        "",
    ),
    world_row("GET", "/worlds/{name}/clock", InWorld::Clock, Nothing, "Returns the time and the agenda.", CLOCK),
    world_row(
        "POST",
        "/worlds/{name}/clock",
        InWorld::MoveClock,
        Body(body::<clock::ClockChange>),
        "Moves, starts or freezes the clock.",
        MOVED_CLOCK,
    ),
    world_row(
        "GET",
        "/worlds/{name}/faults",
        InWorld::Faults,
        Nothing,
        "Lists faults, including spent ones.",
        r#"{"faults": "@Fault[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/faults",
        InWorld::InstallFault,
        Body(body::<faults::FaultSpec>),
        "Installs a fault.",
        r#"{"fault_id": "string"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/faults", InWorld::ClearFaults, Nothing, "Removes all faults.", ""),
    world_row("DELETE", "/worlds/{name}/faults/{fault_id}", InWorld::RemoveFault, Nothing, "Removes a fault.", ""),
    world_row("GET", "/worlds/{name}/network", InWorld::Networks, Nothing, "Lists networks.", NETWORKS),
    world_row(
        "POST",
        "/worlds/{name}/network",
        InWorld::SetNetwork,
        Body(body::<networks::NetworkSpec>),
        "Sets a network.",
        "",
    ),
    world_row("DELETE", "/worlds/{name}/network", InWorld::EndNetwork, Filters(&[ONE_USER]), "Ends networks.", ""),
    world_row("GET", "/worlds/{name}/rate_limit", InWorld::RateLimits, Nothing, "Lists rate limits.", RATE_LIMITS),
    world_row(
        "POST",
        "/worlds/{name}/rate_limit",
        InWorld::SetRateLimit,
        Body(body::<rate_limits::RateLimitSpec>),
        "Limits requests.",
        "",
    ),
    world_row(
        "DELETE",
        "/worlds/{name}/rate_limit",
        InWorld::EndRateLimit,
        Filters(&[ONE_USER]),
        "Ends rate limits.",
        "",
    ),
    world_row("GET", "/worlds/{name}/previews", InWorld::Previews, Nothing, "Shows when previews arrive.", PREVIEWS),
    world_row(
        "POST",
        "/worlds/{name}/previews",
        InWorld::SetPreviews,
        Body(body::<previews::PreviewDelaySpec>),
        "Sets when previews arrive.",
        "",
    ),
    world_row("DELETE", "/worlds/{name}/previews", InWorld::EndPreviews, Nothing, "Lets previews arrive as usual.", ""),
    world_row(
        "GET",
        "/worlds/{name}/journal",
        InWorld::Journal,
        Filters(JOURNAL_FILTERS),
        "Lists requests and their replies, newest last.",
        r#"{"entries": "@JournalEntry[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/journal", InWorld::ClearJournal, Nothing, "Empties the journal.", ""),
    world_row(
        "GET",
        "/worlds/{name}/report",
        InWorld::Report,
        Nothing,
        "Reports what a world's clients did wrong.",
        REPORT,
    ),
    world_row("DELETE", "/worlds/{name}/report", InWorld::ClearReport, Nothing, "Empties the report of a world.", ""),
    world_row(
        "POST",
        "/worlds/{name}/journal/verify",
        InWorld::VerifyJournal,
        Body(body::<journal::Assertion>),
        "Asserts that certain requests were made.",
        r#"{"count": "int"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/journal/wait",
        InWorld::WaitJournal,
        Body(body::<journal::AwaitedRequests>),
        "Waits until certain requests were made.",
        r#"{"count": "int"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/watch",
        InWorld::Watch,
        Filters(WATCH_FILTERS),
        "Broadcasts on a WebSocket what happens, as it happens.",
        "",
    ),
    world_row(
        "GET",
        "/worlds/{name}/queues",
        InWorld::Queues,
        Nothing,
        "Lists event queues.",
        r#"{"queues": "@Queue[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/queues/wait",
        InWorld::WaitQueues,
        Body(body::<queues::AwaitedQueues>),
        "Waits until event queues are in a state.",
        r#"{"count": "int", "queues": "@Queue[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/queues/{queue_id}", InWorld::LoseQueue, Nothing, "Loses an event queue.", ""),
    world_row(
        "GET",
        "/worlds/{name}/users",
        InWorld::Users,
        Filters(&[ONE_USER]),
        "Lists all accounts with their keys.",
        r#"{"users": "@User[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/channels",
        InWorld::Channels,
        Filters(&[SEEN_BY]),
        "Lists all channels with their topics and permissions.",
        r#"{"channels": "@Channel[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/groups",
        InWorld::Groups,
        Nothing,
        "Lists all user groups with their members.",
        r#"{"groups": "@Group[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/messages",
        InWorld::Messages,
        Filters(MESSAGE_FILTERS),
        "Lists messages, whoever can see them, newest last.",
        r#"{"messages": "@Message[]"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/pushes",
        InWorld::Pushes,
        Filters(PUSH_FILTERS),
        "Lists pushes handed to the push relay, newest last.",
        r#"{"pushes": "@Push[]"}"#,
    ),
    world_row(
        "POST",
        "/worlds/{name}/pushes/wait",
        InWorld::WaitPushes,
        Body(body::<pushes::AwaitedPushes>),
        "Waits until certain pushes were handed to the push relay.",
        r#"{"count": "int", "pushes": "@Push[]"}"#,
    ),
    world_row("DELETE", "/worlds/{name}/pushes", InWorld::ClearPushes, Nothing, "Empties the list of pushes.", ""),
    world_row(
        "GET",
        "/worlds/{name}/webhooks",
        InWorld::Webhooks,
        Nothing,
        "Lists posts to outgoing webhooks and their replies, newest last.",
        r#"{"webhooks": "@Webhook[]"}"#,
    ),
    world_row(
        "DELETE",
        "/worlds/{name}/webhooks",
        InWorld::ClearWebhooks,
        Nothing,
        "Empties the list of webhooks.",
        "",
    ),
    world_row(
        "POST",
        "/worlds/{name}/invites/{key}/accept",
        InWorld::AcceptInvite,
        Body(body::<invites::InviteAcceptance>),
        "Accepts an invitation.",
        r#"{"user_id": "int"}"#,
    ),
    world_row(
        "GET",
        "/worlds/{name}/invariants",
        InWorld::Invariants,
        Nothing,
        "Checks the invariants.",
        r#"{"checked": "string[]", "violations": "@Violation[]"}"#,
    ),
];
