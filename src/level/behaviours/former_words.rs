//! Refusals of single operations that had other words.

use crate::error::Error;
use crate::feature::Feature;
use crate::level::{Refusal, SPECIFIED};

/// Operations, a message of the newest level in which `*` means any text, and what was said before, in which `{0}`
/// means the first of these texts, `{1}` for the second.
type Row = (&'static [&'static str], &'static str, &'static str);

/// What operations said that read their parameters by the former rules. The first row that fits counts.
static AS_READ: &[Row] = &[
    (PRINCIPALS, "principals is not a list", "principals is not an allowed_type"),
    (&["PATCH /user_groups/{user_group_id}"], "*[\"new\"] is not an integer", "{0} is not an integer"),
    (&["POST /bots", "PATCH /bots/{bot_id}"], "config_data[*] is not a string", OF_TEXTS),
    (&["PUT /bot_storage"], "storage[*] is not a string", OF_TEXTS),
    (
        FIELDS,
        "field_data[*][\"dict[str,str]\"] is not a dict",
        "field_data contains a value that is not an allowed_type",
    ),
    (&["POST /register"], "narrow[*] is not length 2", "narrow[{0}] should have exactly 2 items"),
    (DATA, "*[\"value\"][\"str\"] is not a string", "{0}[\"value\"] is not an allowed_type"),
    (TOKENS, "appid has invalid format", "Invalid app ID"),
];

/// What operations said at 387 that read their parameters by the rules of now. The first row that fits counts.
static AS_RECORDED: &[Row] = &[
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

/// The level from which on a value that is no object is refused by the name of the object.
const OBJECTS_NAMED_SINCE: i64 = 274;

const SCHEDULING: &[&str] = &["POST /scheduled_messages", "PATCH /scheduled_messages/{scheduled_message_id}"];
const BOTS: &[&str] = &["POST /bots", "PATCH /bots/{bot_id}"];
const DRAFTS: &[&str] = &["POST /drafts", "PATCH /drafts/{draft_id}"];
const MESSAGES_BY_ID: &[&str] = &["POST /submessage", "POST /reminders", "POST /messages/flags"];

/// What was said below a level, which is the first field; several rows may change one message after the other.
static BY_LEVEL: &[(i64, Row)] = &[
    (417, (SUBSCRIBING, "Channel '*' does not exist", "Channel(s) ({0}) do not exist")),
    (417, (&["PATCH /streams/{stream_id}"], "Channel '*' already exists", "Channel name is already in use.")),
    (
        SPECIFIED,
        (
            &["PATCH /default_stream_groups/{group_id}/streams"],
            "Invalid op",
            "Invalid value for \"op\". Specify one of \"add\" or \"remove\".",
        ),
    ),
    (
        SPECIFIED,
        (
            &["POST /drafts", "PATCH /drafts/{draft_id}"],
            "Argument \"*\" at drafts[*] is unexpected",
            "Argument \"{0}\" at drafts[{1}][\"{0}\"] is unexpected",
        ),
    ),
    (
        SPECIFIED,
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

/// Names the channel whose name it is.
const NAME_TAKEN: &str = "Stream name '{name}' is already taken.";

/// The first level at which principals are IDs or addresses; before, addresses.
const PRINCIPALS_BY_ID_SINCE: i64 = 9;

const PRINCIPALS: &[&str] = &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"];
const SUBSCRIBING: &[&str] =
    &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions", "PATCH /users/me/subscriptions"];
const FIELDS: &[&str] = &["POST /realm/profile_fields", "PATCH /realm/profile_fields/{field_id}"];
const DATA: &[&str] = &["PATCH /users/me/profile_data", "PATCH /users/{user_id}"];
const TOKENS: &[&str] = &["POST /users/me/platform_device_token", "DELETE /users/me/platform_device_token"];
const OF_TEXTS: &str = "{path} contains a value that is not a string";

/// What was said to those who may not post to a channel, by who may.
const POSTERS: [(&str, &str); 4] = [
    ("administrators", "Only organization administrators can send to this channel."),
    ("moderators", "Only organization administrators and moderators can send to this channel."),
    ("users", "Guests cannot send to this channel."),
    ("full members", "New members cannot send to this channel."),
];

/// Gives a refusal the words that it had below levels.
pub(super) fn speak(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    if let Error::MayNotPost { policy } = &*refusal.error
        && !Feature::PostingByGroups.is_at(refusal.level)
        && let Some((_, former)) = POSTERS.iter().find(|(posters, _)| policy.as_str() == Some(*posters))
    {
        refusal.message = Some((*former).to_owned());
        return;
    }
    let message = refusal.message.clone().unwrap_or_else(|| refusal.error.message());
    let is_renaming = way == "PATCH /messages/{message_id}" && !refusal.values.contains_key("stream_id");
    let is_former = !Feature::RenamingIsMoving.is_at(refusal.level);
    if is_renaming && is_former && message == "You don't have permission to move this message" {
        refusal.message = Some("You don't have permission to edit this message".to_owned());
        return;
    }
    let mut message = message;
    for (since, row) in BY_LEVEL.iter().filter(|(since, _)| refusal.level < *since) {
        if let Some(former) = former(row, &way, &message) {
            let name = refusal.values.get("new_name").map(|name| name.trim()).unwrap_or_default();
            message = if *since == 255 { former.replace("{name}", name) } else { former };
            refusal.message = Some(message.clone());
        }
    }
}

/// Gives a refusal the words that a server of level 387 was recorded to have.
pub(super) fn speak_as_recorded(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.error.message();
    let is_of_object = message.ends_with(" is not a dict");
    let is_read_as_before = refusal.is_read_as_before && !MESSAGES_BY_ID.contains(&way.as_str());
    if is_read_as_before || is_of_object && refusal.level < OBJECTS_NAMED_SINCE {
        return;
    }
    if way == "GET /streams" && refusal.values.contains_key("include_all_active") {
        refusal.message = message.strip_prefix("include_all ").map(|fault| format!("include_all_active {fault}"));
    } else if let Some(former) = AS_RECORDED.iter().find_map(|row| former(row, &way, &message)) {
        refusal.message = Some(former);
    }
}

/// Gives a refusal the words of an operation that reads its parameters by the former rules.
pub(super) fn speak_as_read(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.message.clone().unwrap_or_else(|| refusal.error.message());
    let special = special(refusal, &way, &message).map(str::to_owned);
    if let Some(former) = special.or_else(|| AS_READ.iter().find_map(|row| former(row, &way, &message))) {
        refusal.message = Some(former);
    }
}

/// What was said in place of a message, where a row fits.
fn former((ways, now, before): &Row, way: &str, message: &str) -> Option<String> {
    let parts = parts(now, message).filter(|_| ways.contains(&way))?;
    let whole = message.split('[').next().unwrap_or_default();
    let numbered = parts.iter().enumerate();
    Some(numbered.fold(before.replace("{path}", whole), |text, (at, part)| text.replace(&format!("{{{at}}}"), part)))
}

/// What depends on more than the message.
fn special(refusal: &Refusal<'_>, way: &str, message: &str) -> Option<&'static str> {
    let sent = |name: &str| refusal.values.get(name).map(String::as_str);
    let is_list = |name: &str| sent(name).is_some_and(|text| text.trim_start().starts_with('['));
    let is_direct = matches!(sent("type"), Some("direct" | "private"));
    match way {
        _ if PRINCIPALS.contains(&way) && refusal.level >= PRINCIPALS_BY_ID_SINCE => {
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

/// The texts for which the stars of a pattern stand, where it fits.
fn parts<'a>(pattern: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut pieces = pattern.split('*');
    let mut rest = text.strip_prefix(pieces.next()?)?;
    let mut parts = Vec::new();
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let at = if pieces.peek().is_none() {
            rest.len().checked_sub(piece.len()).filter(|_| rest.ends_with(piece))?
        } else {
            rest.find(piece)?
        };
        parts.push(&rest[..at]);
        rest = &rest[at + piece.len()..];
    }
    rest.is_empty().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn patterns_fit_whole_texts() {
        assert_eq!(parts("a * c", "a b c"), Some(vec!["b"]));
        assert_eq!(parts("Argument \"*\" at x[*]", "Argument \"n\" at x[0]"), Some(vec!["n", "0"]));
        assert_eq!(parts("abc", "abc"), Some(vec![]));
        assert_eq!(parts("abc", "abcd"), None);
        assert_eq!(parts("a*b", "a"), None);
    }
}
