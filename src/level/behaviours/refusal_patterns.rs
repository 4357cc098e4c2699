//! Former messages of refusals by single operations, found by patterns of the newest messages.

use crate::error::Error;
use crate::feature::Feature;
use crate::level::{Refusal, SPECIFIED_LEVEL};

/// Operations, a pattern for the message of the newest level in which `*` matches any text, and the former message, in
/// which `{0}` is the text of the first `*`, `{1}` that of the second.
type Row = (&'static [&'static str], &'static str, &'static str);

/// Messages of operations that parse their parameters by the former rules. The first matching row counts.
static FORMER_PARSING_MESSAGES: &[Row] = &[
    (PRINCIPALS, "principals is not a list", "principals is not an allowed_type"),
    (&["PATCH /user_groups/{user_group_id}"], "*[\"new\"] is not an integer", "{0} is not an integer"),
    (&["POST /bots", "PATCH /bots/{bot_id}"], "config_data[*] is not a string", NOT_A_STRING),
    (&["PUT /bot_storage"], "storage[*] is not a string", NOT_A_STRING),
    (
        PROFILE_FIELDS,
        "field_data[*][\"dict[str,str]\"] is not a dict",
        "field_data contains a value that is not an allowed_type",
    ),
    (&["POST /register"], "narrow[*] is not length 2", "narrow[{0}] should have exactly 2 items"),
    (PROFILE_DATA, "*[\"value\"][\"str\"] is not a string", "{0}[\"value\"] is not an allowed_type"),
    (DEVICE_TOKENS, "appid has invalid format", "Invalid app ID"),
];

/// Messages recorded at level 387 of operations that parse their parameters by the present rules. The first matching row
/// counts.
static RECORDED_MESSAGES: &[Row] = &[
    (
        &["PATCH /settings"],
        "Invalid web_home_view",
        "Invalid web_home_view: Value error, Not in the list of possible values",
    ),
    (
        &["PATCH /settings"],
        "Invalid web_animate_image_previews",
        "Invalid web_animate_image_previews: Value error, Not in the list of possible values",
    ),
    (
        &["POST /messages/{message_id}/report"],
        "Moderation request channel must be specified to enable message reporting.",
        "Message reporting is not enabled in this organization.",
    ),
    (PRINCIPALS, "principals[*] is not a string*", "principals[\"list[str]\"][{0}] is not a string"),
    (SCHEDULING, "Invalid type", "Invalid type: Value error, Not in the list of possible values"),
    (
        &["POST /messages/{message_id}/report"],
        "Invalid report_type",
        "Invalid report_type: Value error, Not in the list of possible values",
    ),
    (PRINCIPALS, "principals is not a list", "principals[\"list[str]\"] is not a list"),
    (BOTS, "Name is already in use!", "Name is already in use."),
    (BOTS, "*payload_url is not a URL", "Invalid {0}payload_url: Value error, Not a URL"),
    (MESSAGES_BY_ID, "message_id is too small", "Invalid message(s)"),
    (MESSAGES_BY_ID, "messages[*] is too small", "Invalid message(s)"),
    (
        &["POST /users/me/subscriptions/properties"],
        "subscription_data[*] is not a dict",
        "Invalid subscription_data[{0}]: Input should be a valid dictionary or instance of SubscriptionPropertyChangeRequest",
    ),
    (
        SUBSCRIBING,
        "*[*] is not a dict",
        "Invalid {0}[{1}]: Input should be a valid dictionary or instance of AddSubscriptionData",
    ),
    (DRAFTS, "draft* is not a dict", "Invalid draft{0}: Input should be a valid dictionary or instance of DraftData"),
    (
        &["PATCH /users/{user_id}", "PATCH /users/{email}"],
        "*[*] is not a dict",
        "Invalid {0}[{1}]: Input should be a valid dictionary or instance of ProfileDataElement",
    ),
];

/// The first level at which the refusal of a value that is not an object names the expected type.
const OBJECT_TYPES_NAMED_SINCE: i64 = 274;

const SCHEDULING: &[&str] = &["POST /scheduled_messages", "PATCH /scheduled_messages/{scheduled_message_id}"];
const BOTS: &[&str] = &["POST /bots", "PATCH /bots/{bot_id}"];
const DRAFTS: &[&str] = &["POST /drafts", "PATCH /drafts/{draft_id}"];
const MESSAGES_BY_ID: &[&str] = &["POST /submessage", "POST /reminders", "POST /messages/flags"];

/// Messages below a level. Several rows may change a message one after the other.
static BY_LEVEL: &[(i64, Row)] = &[
    (417, (SUBSCRIBING, "Channel '*' does not exist", "Channel(s) ({0}) do not exist")),
    (417, (&["PATCH /streams/{stream_id}"], "Channel '*' already exists", "Channel name is already in use.")),
    (
        SPECIFIED_LEVEL,
        (
            &["PATCH /default_stream_groups/{group_id}/streams"],
            "Invalid op",
            "Invalid value for \"op\". Specify one of \"add\" or \"remove\".",
        ),
    ),
    (
        SPECIFIED_LEVEL,
        (
            &["POST /drafts", "PATCH /drafts/{draft_id}"],
            "Argument \"*\" at drafts[*] is unexpected",
            "Argument \"{0}\" at drafts[{1}][\"{0}\"] is unexpected",
        ),
    ),
    (
        SPECIFIED_LEVEL,
        (&["POST /zcommand"], "A command begins with a slash.", "There should be a leading slash in the zcommand."),
    ),
    (361, (&["PATCH /streams/{stream_id}"], "Channel name is already in use.", "Channel name already in use.")),
    (361, (&["PATCH /streams/{stream_id}"], "Channel content access is required.", "Invalid channel ID")),
    (355, (&["POST /bots"], "Email is already in use.", "Username already in use")),
    (255, (&["PATCH /streams/{stream_id}"], "Channel name already in use.", NAME_TAKEN)),
    (
        255,
        (
            &["POST /invites"],
            "Invalid channel ID *. No invites were sent.",
            "Stream does not exist with id: {0}. No invites were sent.",
        ),
    ),
    (255, (&["POST /typing"], "Missing 'stream_id' argument", "Missing stream_id")),
];

/// `{name}` is the requested name of the channel.
const NAME_TAKEN: &str = "Stream name '{name}' is already taken.";

/// The first level at which principals may be IDs.
const PRINCIPAL_IDS_SINCE: i64 = 9;

const PRINCIPALS: &[&str] = &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"];
const SUBSCRIBING: &[&str] =
    &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions", "PATCH /users/me/subscriptions"];
const PROFILE_FIELDS: &[&str] = &["POST /realm/profile_fields", "PATCH /realm/profile_fields/{field_id}"];
const PROFILE_DATA: &[&str] = &["PATCH /users/me/profile_data", "PATCH /users/{user_id}"];
const DEVICE_TOKENS: &[&str] = &["POST /users/me/platform_device_token", "DELETE /users/me/platform_device_token"];
const NOT_A_STRING: &str = "{path} contains a value that is not a string";

/// The refusals to post to a channel, by the users who may post.
const POSTING_REFUSALS: [(&str, &str); 4] = [
    ("administrators", "Only organization administrators can send to this channel."),
    ("moderators", "Only organization administrators and moderators can send to this channel."),
    ("users", "Guests cannot send to this channel."),
    ("full members", "New members cannot send to this channel."),
];

/// Sets the message that a refusal had below the levels of [`BY_LEVEL`].
pub(super) fn set_message_by_level(refusal: &mut Refusal<'_>) {
    let route = format!("{} {}", refusal.route.method, refusal.route.path);
    if let Error::MayNotPost { policy } = &*refusal.error
        && !Feature::PostingByGroups.is_at(refusal.level)
        && let Some((_, former_message)) =
            POSTING_REFUSALS.iter().find(|(posters, _)| policy.as_str() == Some(*posters))
    {
        refusal.message = Some((*former_message).to_owned());
        return;
    }
    let message = refusal.message.clone().unwrap_or_else(|| refusal.error.message());
    let is_renaming = route == "PATCH /messages/{message_id}" && !refusal.values.contains_key("stream_id");
    let is_edit = !Feature::RenamingIsMoving.is_at(refusal.level);
    if is_renaming && is_edit && message == "You don't have permission to move this message" {
        refusal.message = Some("You don't have permission to edit this message".to_owned());
        return;
    }
    let mut message = message;
    for (since, row) in BY_LEVEL.iter().filter(|(since, _)| refusal.level < *since) {
        if let Some(former_message) = former_message(row, &route, &message) {
            let name = refusal.values.get("new_name").map(|name| name.trim()).unwrap_or_default();
            message = if *since == 255 { former_message.replace("{name}", name) } else { former_message };
            refusal.message = Some(message.clone());
        }
    }
}

/// Sets the message that a refusal had in the recordings at level 387.
pub(super) fn set_recorded_message(refusal: &mut Refusal<'_>) {
    let route = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.error.message();
    let is_about_object = message.ends_with(" is not a dict");
    let uses_former_parsing = refusal.uses_former_parsing && !MESSAGES_BY_ID.contains(&route.as_str());
    if uses_former_parsing || is_about_object && refusal.level < OBJECT_TYPES_NAMED_SINCE {
        return;
    }
    if route == "GET /streams" && refusal.values.contains_key("include_all_active") {
        refusal.message = message.strip_prefix("include_all ").map(|problem| format!("include_all_active {problem}"));
    } else if let Some(former_message) = RECORDED_MESSAGES.iter().find_map(|row| former_message(row, &route, &message))
    {
        refusal.message = Some(former_message);
    }
}

/// Sets the message of an operation that parses its parameters by the former rules.
pub(super) fn set_former_parsing_message(refusal: &mut Refusal<'_>) {
    let route = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.message.clone().unwrap_or_else(|| refusal.error.message());
    let special_message = special_message(refusal, &route, &message).map(str::to_owned);
    if let Some(former_message) =
        special_message.or_else(|| FORMER_PARSING_MESSAGES.iter().find_map(|row| former_message(row, &route, &message)))
    {
        refusal.message = Some(former_message);
    }
}

/// The former message of a row; None if the row does not match.
fn former_message((routes, pattern, template): &Row, route: &str, message: &str) -> Option<String> {
    let matches = wildcard_matches(pattern, message).filter(|_| routes.contains(&route))?;
    let parameter = message.split('[').next().unwrap_or_default();
    let numbered = matches.iter().enumerate();
    Some(numbered.fold(template.replace("{path}", parameter), |text, (index, matched)| {
        text.replace(&format!("{{{index}}}"), matched)
    }))
}

/// Former messages that depend on more than the newest message.
fn special_message(refusal: &Refusal<'_>, route: &str, message: &str) -> Option<&'static str> {
    let value = |name: &str| refusal.values.get(name).map(String::as_str);
    let is_list = |name: &str| value(name).is_some_and(|text| text.trim_start().starts_with('['));
    let is_direct = matches!(value("type"), Some("direct" | "private"));
    match route {
        _ if PRINCIPALS.contains(&route) && refusal.level >= PRINCIPAL_IDS_SINCE => {
            message.starts_with("principals[").then_some("principals is not an allowed_type")
        }
        "POST /scheduled_messages" | "PATCH /scheduled_messages/{scheduled_message_id}" => match message {
            "to is not a string or integer" if is_direct && is_list("to") => {
                Some("Recipient list may only contain user IDs")
            }
            "Argument \"to\" is not valid JSON." | "to is not a string or integer" if is_direct => {
                Some("Invalid data type for recipients")
            }
            "Argument \"to\" is not valid JSON." | "to is not a string or integer" => {
                Some("Invalid data type for channel ID")
            }
            _ if message.starts_with("to[") => Some("Recipient list may only contain user IDs"),
            _ => None,
        },
        _ => None,
    }
}

/// The texts that the wildcards of a pattern match; None if the pattern does not match.
fn wildcard_matches<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = pattern.split('*');
    let mut remaining = text.strip_prefix(pieces.next()?)?;
    let mut matches = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let end = if pieces.peek().is_none() {
            remaining.len().checked_sub(piece.len()).filter(|_| remaining.ends_with(piece))?
        } else {
            remaining.find(piece)?
        };
        matches.push(&remaining[..end]);
        remaining = &remaining[end + piece.len()..];
    }
    remaining.is_empty().then_some(matches)
}

#[cfg(test)]
mod tests {
    use super::wildcard_matches;

    #[test]
    fn patterns_match_whole_texts() {
        assert_eq!(wildcard_matches("a * c", "a b c"), Some(vec!["b"]));
        assert_eq!(wildcard_matches("Argument \"*\" at x[*]", "Argument \"n\" at x[0]"), Some(vec!["n", "0"]));
        assert_eq!(wildcard_matches("abc", "abc"), Some(vec![]));
        assert_eq!(wildcard_matches("abc", "abcd"), None);
        assert_eq!(wildcard_matches("a*b", "a"), None);
    }
}
