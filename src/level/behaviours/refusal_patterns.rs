//! Former messages of refusals by single operations, found by patterns of the newest messages.

use crate::error::Error;
use crate::feature::Feature;
use crate::level::Refusal;

/// Operations, a pattern for the message of the newest level in which `*` matches any text, and the former message, in
/// which `{0}` is the text of the first `*`, `{1}` that of the second.
type MessagePattern = (&'static [&'static str], &'static str, &'static str);

/// Messages of operations that parse their parameters in the former way. The first matching row counts.
static FORMER_PARSING_MESSAGES: &[MessagePattern] = &[
    (PRINCIPAL_ROUTES, "principals is not a list", "principals is not an allowed_type"),
    (&["PATCH /user_groups/{user_group_id}"], "*[\"new\"] is not an integer", "{0} is not an integer"),
    (&["POST /bots", "PATCH /bots/{bot_id}"], "config_data[*] is not a string", NOT_A_STRING),
    (&["PUT /bot_storage"], "storage[*] is not a string", NOT_A_STRING),
    (
        PROFILE_FIELD_ROUTES,
        "field_data[*][\"dict[str,str]\"] is not a dict",
        "field_data contains a value that is not an allowed_type",
    ),
    (&["POST /register"], "narrow[*] is not length 2", "narrow[{0}] should have exactly 2 items"),
    (PROFILE_DATA_ROUTES, "*[\"value\"][\"str\"] is not a string", "{0}[\"value\"] is not an allowed_type"),
    (DEVICE_TOKEN_ROUTES, "appid has invalid format", "Invalid app ID"),
];

/// Messages recorded at the levels 247 and 387, whichever way an operation parses its parameters.
static RECORDED_MESSAGES_OF_BOTH_LEVELS: &[MessagePattern] = &[
    (
        &["PATCH /default_stream_groups/{group_id}/streams"],
        "Invalid op",
        "Invalid value for \"op\". Specify one of \"add\" or \"remove\".",
    ),
    (
        DRAFT_ROUTES,
        "Argument \"*\" at drafts[*] is unexpected",
        "Argument \"{0}\" at drafts[{1}][\"{0}\"] is unexpected",
    ),
    (&["POST /zcommand"], "A command begins with a slash.", "There should be a leading slash in the zcommand."),
];

/// Messages recorded at level 387 of operations that parse their parameters in the present way; those of
/// [`MESSAGE_ID_ROUTES`] apply in the former way too. The first matching row counts.
static RECORDED_MESSAGES: &[MessagePattern] = &[
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
    (PRINCIPAL_ROUTES, "principals[*] is not a string*", "principals[\"list[str]\"][{0}] is not a string"),
    (SCHEDULING_ROUTES, "Invalid type", "Invalid type: Value error, Not in the list of possible values"),
    (
        &["POST /messages/{message_id}/report"],
        "Invalid report_type",
        "Invalid report_type: Value error, Not in the list of possible values",
    ),
    (PRINCIPAL_ROUTES, "principals is not a list", "principals[\"list[str]\"] is not a list"),
    (BOT_ROUTES, "Name is already in use!", "Name is already in use."),
    (BOT_ROUTES, "*payload_url is not a URL", "Invalid {0}payload_url: Value error, Not a URL"),
    (MESSAGE_ID_ROUTES, "message_id is too small", "Invalid message(s)"),
    (MESSAGE_ID_ROUTES, "messages[*] is too small", "Invalid message(s)"),
    (
        &["POST /users/me/subscriptions/properties"],
        "subscription_data[*] is not a dict",
        "Invalid subscription_data[{0}]: Input should be a valid dictionary or instance of SubscriptionPropertyChangeRequest",
    ),
    (
        SUBSCRIPTION_ROUTES,
        "*[*] is not a dict",
        "Invalid {0}[{1}]: Input should be a valid dictionary or instance of AddSubscriptionData",
    ),
    (
        DRAFT_ROUTES,
        "draft* is not a dict",
        "Invalid draft{0}: Input should be a valid dictionary or instance of DraftData",
    ),
    (
        &["PATCH /users/{user_id}", "PATCH /users/{email}"],
        "*[*] is not a dict",
        "Invalid {0}[{1}]: Input should be a valid dictionary or instance of ProfileDataElement",
    ),
];

/// The first level at which the refusal of a value that is not an object names the expected type.
const OBJECT_TYPES_NAMED_SINCE: i64 = 274;

const SCHEDULING_ROUTES: &[&str] = &["POST /scheduled_messages", "PATCH /scheduled_messages/{scheduled_message_id}"];
const BOT_ROUTES: &[&str] = &["POST /bots", "PATCH /bots/{bot_id}"];
const DRAFT_ROUTES: &[&str] = &["POST /drafts", "PATCH /drafts/{draft_id}"];
const MESSAGE_ID_ROUTES: &[&str] = &["POST /submessage", "POST /reminders", "POST /messages/flags"];

/// Messages below a level, for worlds below 417, the level of the row that uses this table. Several rows may change a
/// message, one after the other.
static MESSAGES_BY_LEVEL: &[(i64, MessagePattern)] = &[
    (417, (SUBSCRIPTION_ROUTES, "Channel '*' does not exist", "Channel(s) ({0}) do not exist")),
    (417, (&["PATCH /streams/{stream_id}"], "Channel '*' already exists", "Channel name is already in use.")),
    (361, (&["PATCH /streams/{stream_id}"], "Channel name is already in use.", "Channel name already in use.")),
    (361, (&["PATCH /streams/{stream_id}"], "Channel content access is required.", "Invalid channel ID")),
    (355, (&["POST /bots"], "Email is already in use.", "Username already in use")),
    (255, (&["PATCH /streams/{stream_id}"], "Channel name already in use.", CHANNEL_NAME_TAKEN)),
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
const CHANNEL_NAME_TAKEN: &str = "Stream name '{name}' is already taken.";

/// The first level at which principals may be IDs.
const PRINCIPAL_IDS_SINCE: i64 = 9;

const PRINCIPAL_ROUTES: &[&str] = &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"];
const SUBSCRIPTION_ROUTES: &[&str] =
    &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions", "PATCH /users/me/subscriptions"];
const PROFILE_FIELD_ROUTES: &[&str] = &["POST /realm/profile_fields", "PATCH /realm/profile_fields/{field_id}"];
const PROFILE_DATA_ROUTES: &[&str] = &["PATCH /users/me/profile_data", "PATCH /users/{user_id}"];
const DEVICE_TOKEN_ROUTES: &[&str] =
    &["POST /users/me/platform_device_token", "DELETE /users/me/platform_device_token"];
/// `{parameter}` is the name of the parameter.
const NOT_A_STRING: &str = "{parameter} contains a value that is not a string";

/// The refusals to post to a channel, by the users who may post.
const POSTING_REFUSALS: [(&str, &str); 4] = [
    ("administrators", "Only organization administrators can send to this channel."),
    ("moderators", "Only organization administrators and moderators can send to this channel."),
    ("users", "Guests cannot send to this channel."),
    ("full members", "New members cannot send to this channel."),
];

/// Sets the message that a refusal had at the world's level, by [`POSTING_REFUSALS`], the rule for renamed topics and
/// [`MESSAGES_BY_LEVEL`].
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
    let stays_in_channel = route == "PATCH /messages/{message_id}" && !refusal.values.contains_key("stream_id");
    let renaming_counts_as_edit = !Feature::RenamingRefusedAsMoving.is_at(refusal.level);
    if stays_in_channel && renaming_counts_as_edit && message == "You don't have permission to move this message" {
        refusal.message = Some("You don't have permission to edit this message".to_owned());
        return;
    }
    let mut message = message;
    for (_, row) in MESSAGES_BY_LEVEL.iter().filter(|(since, _)| refusal.level < *since) {
        if let Some(former_message) = former_message(row, &route, &message) {
            message = former_message;
            // Only this template has the placeholder. In other messages, `{name}` may come from the request.
            if row.2 == CHANNEL_NAME_TAKEN {
                let name = refusal.values.get("new_name").map(|name| name.trim()).unwrap_or_default();
                message = message.replace("{name}", name);
            }
            refusal.message = Some(message.clone());
        }
    }
}

/// Sets the message that a refusal had in the recordings, by [`RECORDED_MESSAGES_OF_BOTH_LEVELS`] and
/// [`RECORDED_MESSAGES`].
pub(super) fn set_recorded_message(refusal: &mut Refusal<'_>) {
    let route = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.error.message();
    let find_in = |table: &[MessagePattern]| table.iter().find_map(|row| former_message(row, &route, &message));
    if let Some(former_message) = find_in(RECORDED_MESSAGES_OF_BOTH_LEVELS) {
        refusal.message = Some(former_message);
        return;
    }
    let is_about_object = message.ends_with(" is not a dict");
    let uses_former_parsing = refusal.uses_former_parsing && !MESSAGE_ID_ROUTES.contains(&route.as_str());
    if uses_former_parsing || is_about_object && refusal.level < OBJECT_TYPES_NAMED_SINCE {
        return;
    }
    if route == "GET /streams" && refusal.values.contains_key("include_all_active") {
        refusal.message = message.strip_prefix("include_all ").map(|problem| format!("include_all_active {problem}"));
    } else if let Some(former_message) = find_in(RECORDED_MESSAGES) {
        refusal.message = Some(former_message);
    }
}

/// Sets the message of an operation that parses its parameters in the former way.
pub(super) fn set_former_parsing_message(refusal: &mut Refusal<'_>) {
    let route = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.message.clone().unwrap_or_else(|| refusal.error.message());
    let message_of_operation = former_message_of_operation(refusal, &route, &message).map(str::to_owned);
    if let Some(former_message) = message_of_operation
        .or_else(|| FORMER_PARSING_MESSAGES.iter().find_map(|row| former_message(row, &route, &message)))
    {
        refusal.message = Some(former_message);
    }
}

/// The former message by a row; None if the row is not for the operation, or the pattern does not match.
fn former_message((routes, pattern, template): &MessagePattern, route: &str, message: &str) -> Option<String> {
    let matches = wildcard_matches(pattern, message).filter(|_| routes.contains(&route))?;
    let parameter = message.split('[').next().unwrap_or_default();
    let numbered_matches = matches.iter().enumerate();
    Some(numbered_matches.fold(template.replace("{parameter}", parameter), |text, (index, replacement)| {
        text.replace(&format!("{{{index}}}"), replacement)
    }))
}

/// The former message where it depends on more than the newest message.
fn former_message_of_operation(refusal: &Refusal<'_>, route: &str, message: &str) -> Option<&'static str> {
    let value = |name: &str| refusal.values.get(name).map(String::as_str);
    let is_list = |name: &str| value(name).is_some_and(|text| text.trim_start().starts_with('['));
    let is_direct = matches!(value("type"), Some("direct" | "private"));
    match route {
        _ if PRINCIPAL_ROUTES.contains(&route) && refusal.level >= PRINCIPAL_IDS_SINCE => {
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
