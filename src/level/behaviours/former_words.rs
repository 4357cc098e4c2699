//! Refusals of single operations that had other words.

use crate::error::Error;
use crate::level::Refusal;

/// Operations, a message of the newest level in which `*` means any text, and what was said before, in which `{0}`
/// means the first of these texts, `{1}` for the second.
type Row = (&'static [&'static str], &'static str, &'static str);

/// The first row that fits counts.
static ROWS: &[Row] = &[
    (PRINCIPALS, "principals is not a list", "principals is not an allowed_type"),
    (SUBSCRIBING, "Stream '*' does not exist", "Stream(s) ({0}) do not exist"),
    (&["PATCH /streams/{stream_id}"], "Stream '*' already exists", "Stream name '{0}' is already taken."),
    (&["PATCH /streams/{stream_id}"], "Stream content access is required.", "Invalid stream ID"),
    (&["PATCH /user_groups/{user_group_id}"], "*[\"new\"] is not an integer", "{0} is not an integer"),
    (
        &["PATCH /default_stream_groups/{group_id}/streams"],
        "Invalid op",
        "Invalid value for \"op\". Specify one of \"add\" or \"remove\".",
    ),
    (&["POST /bots", "PATCH /bots/{bot_id}"], "config_data[*] is not a string", OF_TEXTS),
    (&["PUT /bot_storage"], "storage[*] is not a string", OF_TEXTS),
    (
        FIELDS,
        "field_data[*][\"dict[str,str]\"] is not a dict",
        "field_data contains a value that is not an allowed_type",
    ),
    (&["POST /register"], "narrow[*] is not length 2", "narrow[{0}] should have exactly 2 items"),
    (
        &["POST /drafts", "PATCH /drafts/{draft_id}"],
        "Argument \"*\" at drafts[*] is unexpected",
        "Argument \"{0}\" at drafts[{1}][\"{0}\"] is unexpected",
    ),
    (
        &["POST /invites"],
        "Invalid stream ID *. No invites were sent.",
        "Stream does not exist with id: {0}. No invites were sent.",
    ),
    (DATA, "*[\"value\"][\"str\"] is not a string", "{0}[\"value\"] is not an allowed_type"),
    (&["POST /zcommand"], "A command begins with a slash.", "There should be a leading slash in the zcommand."),
    (&["POST /typing"], "Missing 'stream_id' argument", "Missing stream_id"),
    (&["POST /submessage"], "message_id is too small", "Invalid message(s)"),
    (&["POST /messages/flags"], "messages[*] is too small", "Invalid message(s)"),
    (TOKENS, "appid has invalid format", "Invalid app ID"),
];

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
    ("administrators", "Only organization administrators can send to this stream."),
    ("moderators", "Only organization administrators and moderators can send to this stream."),
    ("users", "Guests cannot send to this stream."),
    ("full members", "New members cannot send to this stream."),
];

/// Gives a refusal the words that it had.
pub(super) fn speak(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    let message = refusal.message.clone().unwrap_or_else(|| refusal.error.message());
    if let Error::MayNotPost { policy } = &*refusal.error
        && let Some((_, former)) = POSTERS.iter().find(|(posters, _)| policy.as_str() == Some(*posters))
    {
        refusal.message = Some((*former).to_owned());
        return;
    }
    if let Some(former) = special(refusal, &way, &message) {
        refusal.message = Some(former.to_owned());
        return;
    }
    for (ways, now, before) in ROWS {
        if let Some(parts) = parts(now, &message).filter(|_| ways.contains(&way.as_str())) {
            let whole = message.split('[').next().unwrap_or_default();
            let mut former = before.replace("{path}", whole);
            for (at, part) in parts.iter().enumerate() {
                former = former.replace(&format!("{{{at}}}"), part);
            }
            refusal.message = Some(former);
            return;
        }
    }
}

/// What depends on more than the message.
fn special(refusal: &Refusal<'_>, way: &str, message: &str) -> Option<&'static str> {
    let given = |name: &str| refusal.values.get(name).map(String::as_str);
    let is_direct = matches!(given("type"), Some("direct" | "private"));
    match way {
        _ if PRINCIPALS.contains(&way) && refusal.level >= PRINCIPALS_BY_ID_SINCE => {
            message.starts_with("principals[").then_some("principals is not an allowed_type")
        }
        "POST /scheduled_messages" | "PATCH /scheduled_messages/{scheduled_message_id}" => match message {
            "Argument \"to\" is not valid JSON." | "to is not a string or integer" if is_direct => {
                Some("Invalid data type for recipients")
            }
            "Argument \"to\" is not valid JSON." | "to is not a string or integer" => {
                Some("Invalid data type for stream ID")
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
