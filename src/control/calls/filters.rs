//! The filters in the queries of control's calls.

use super::Filter;
use crate::control::request_pattern::METHODS;

const fn filter(name: &'static str, kind: &'static str, description: &'static str) -> Filter {
    Filter { name, kind, description, choices: &[] }
}

const fn choice(name: &'static str, choices: &'static [&'static str], description: &'static str) -> Filter {
    Filter { name, kind: "string", description, choices }
}

pub const PREFIX: Filter = filter("prefix", "string", "Only worlds whose names start with this.");
pub const PUSH_FILTERS: &[Filter] = &[
    filter("user", "string", "Only those for this user: an address or its handle."),
    filter("device_id", "integer", "Only those for this device."),
    filter("since", "integer", "Only those after the one with this id."),
];
pub const JOURNAL_FILTERS: &[Filter] = &[
    choice("method", &METHODS, "Only requests with this HTTP method."),
    filter("path", "string", "Only requests for this path, filled in or with the placeholders of an operation."),
    filter("user", "string", "Only requests of this user: an address or its handle."),
    filter("status", "integer", "Only requests that were answered with this HTTP status."),
    filter("fault", "string", "Only requests at which the fault with this id fired, or `network`."),
    filter("since", "integer", "Only entries after the one with this id."),
    filter("limit", "integer", "The maximum number; the newest are returned."),
];
pub const ONE_USER: Filter = filter("user", "string", "Only this user: an address or its handle.");
pub const SEEN_BY: Filter =
    filter("seen_by", "string", "Adds to each whether this user (an address or its handle) sees it, and if not, why.");
pub const MESSAGE_FILTERS: &[Filter] = &[
    filter("channel", "integer", "Only messages of the channel with this id."),
    filter("topic", "string", "Only messages of this topic."),
    filter("before", "integer", "Only messages before the one with this id."),
    filter("limit", "integer", "The maximum number, 100 by default, at most 1,000; the newest are returned."),
    SEEN_BY,
    filter("rendered", "boolean", "Adds the HTML of each, which clients get."),
];
/// The filters of the watch socket.
pub const WATCH_FILTERS: &[Filter] = &[
    filter(
        "per_second",
        "integer",
        "Maximum number of frames per second; for omitted frames only their number is sent (lost).",
    ),
    filter(
        "user",
        "string",
        "Only events that a client of this user (an address or its handle) receives, as it receives them.",
    ),
    filter(
        "register",
        "string",
        "With user: a JSON object of parameters of POST /register that the client has; apply_markdown is true by default.",
    ),
];
pub const OPENAPI_FILTERS: &[Filter] = &[
    choice("dialect", &["neutral", "zulip"], "Dialect of the names in the document; the server's own by default."),
    filter(
        "feature_level",
        "integer",
        "Level of the operations, parameters, replies and events; the newest by default.",
    ),
    filter("control", "boolean", "true: the document of control instead."),
];
