//! The query parameters of control's calls.

use super::QueryParameter;
use crate::control::request_pattern::METHODS;

const fn parameter(name: &'static str, kind: &'static str, description: &'static str) -> QueryParameter {
    QueryParameter { name, kind, description, choices: &[], is_required: false }
}

const fn choice(name: &'static str, choices: &'static [&'static str], description: &'static str) -> QueryParameter {
    QueryParameter { name, kind: "string", description, choices, is_required: false }
}

pub const WORLD_PREFIX_PARAMETER: QueryParameter =
    parameter("prefix", "string", "Only worlds whose names start with this.");
/// Required, since a call without a prefix would delete all worlds.
pub const REQUIRED_WORLD_PREFIX_PARAMETER: QueryParameter =
    QueryParameter { is_required: true, ..WORLD_PREFIX_PARAMETER };
pub const PUSH_PARAMETERS: &[QueryParameter] = &[
    parameter("user", "string", "Only those for this user: an address or its handle."),
    parameter("device_id", "integer", "Only those for this device."),
    parameter("since", "integer", "Only those after the one with this id."),
];
pub const JOURNAL_PARAMETERS: &[QueryParameter] = &[
    choice("method", &METHODS, "Only requests with this HTTP method."),
    parameter("path", "string", "Only requests for this path, filled in or with the placeholders of an operation."),
    parameter("user", "string", "Only requests of this user: an address or its handle."),
    parameter("status", "integer", "Only requests that were answered with this HTTP status."),
    parameter("fault", "string", "Only requests at which the fault with this id fired, or `network`."),
    parameter("since", "integer", "Only entries after the one with this id."),
    parameter("limit", "integer", "The maximum number; the newest are returned."),
];
pub const USER_PARAMETER: QueryParameter = parameter("user", "string", "Only this user: an address or its handle.");
pub const SEEN_BY_PARAMETER: QueryParameter = parameter(
    "seen_by",
    "string",
    "Adds to each whether this user (an address or its handle) sees it, and if not, why.",
);
pub const MESSAGE_PARAMETERS: &[QueryParameter] = &[
    parameter("channel", "integer", "Only messages of the channel with this id."),
    parameter("topic", "string", "Only messages of this topic."),
    parameter("before", "integer", "Only messages before the one with this id."),
    parameter("limit", "integer", "The maximum number, 100 by default, at most 1,000; the newest are returned."),
    SEEN_BY_PARAMETER,
    parameter("rendered", "boolean", "Adds the HTML of each, which clients get."),
];
pub const WATCH_PARAMETERS: &[QueryParameter] = &[
    parameter(
        "per_second",
        "integer",
        "Maximum number of frames per second; for omitted frames only their number is sent (lost).",
    ),
    parameter(
        "user",
        "string",
        "Only events that a client of this user (an address or its handle) receives, as it receives them.",
    ),
    parameter(
        "register",
        "string",
        "With user: a JSON object of parameters of POST /register that the client has; apply_markdown is true by default.",
    ),
];
pub const OPENAPI_PARAMETERS: &[QueryParameter] = &[
    choice("dialect", &["neutral", "zulip"], "Dialect of the names in the document; the server's own by default."),
    parameter(
        "feature_level",
        "integer",
        "Level of the operations, parameters, replies and events; the newest by default.",
    ),
    parameter("control", "boolean", "true: the document of control instead."),
];
