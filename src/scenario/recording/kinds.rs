//! What numbers in requests and replies are the ids of, by their place.

/// Keys of users' ids, besides those that end in `user_id`.
const USERS: [&str; 20] = [
    "sender_id",
    "acting_user_id",
    "updater_id",
    "owner_id",
    "bot_owner_id",
    "creator_id",
    "subscribers",
    "members",
    "users",
    "principals",
    "direct_members",
    "deleted_by",
    "uploader_id",
    "author_id",
    "user_ids",
    "partner_ids",
    "read_by",
    "add_members",
    "direct_member_ids",
    "other_user_id",
];
/// Keys of messages' ids, besides those that end in `message_id`.
const MESSAGES: [&str; 7] = ["messages", "anchor", "first_id", "last_id", "message_ids", "max_id", "last_read_id"];

/// The kind of what a list or the parts of a path are of: `message` for `messages`.
pub fn singular(name: &str) -> String {
    match name {
        "streams" | "channels" | "subscriptions" | "stream" | "default_streams" => "channel".to_owned(),
        "users" | "members" | "person" | "display_recipient" | "bots" | "muted_users" | "recipients" => {
            "user".to_owned()
        }
        "user_groups" | "user_group" | "realm_user_groups" => "group".to_owned(),
        "raw_unreads" => "message".to_owned(),
        other => other.strip_suffix('s').unwrap_or(other).to_owned(),
    }
}

/// The kind that a key's numbers are ids of; `around` is the kind of what the key is in, for `id` alone.
pub fn kind(key: &str, around: &str) -> Option<String> {
    let of = |kind: &str| Some(kind.to_owned());
    match key {
        "id" | "ids" => of(around).filter(|kind| !kind.is_empty()),
        _ if USERS.contains(&key) || key.ends_with("user_id") || key.ends_with("user_ids") => of("user"),
        _ if ["stream_id", "channel_id", "stream_ids", "channel_ids"].iter().any(|end| key.ends_with(end)) => {
            of("channel")
        }
        "scheduled_message_id" | "scheduled_message_ids" => of("scheduled_message"),
        _ if MESSAGES.contains(&key) || key.ends_with("message_id") || key == "msg_id" || key == "msg_ids" => {
            of("message")
        }
        "subgroups" | "direct_subgroups" | "direct_subgroup_ids" | "add_subgroups" | "delete_subgroups" => of("group"),
        _ if key.ends_with("group_id") || key.ends_with("group_ids") => of("group"),
        _ if key.starts_with("can_") && key.ends_with("_group") => of("group"),
        "recipient_id" | "last_event_id" | "event_id" | "realm_id" | "user_profile_id" => None,
        _ => key.strip_suffix("_ids").or_else(|| key.strip_suffix("_id")).map(singular),
    }
}

/// Whether a key's number is a time, or may be by its size: from the year 2014 to 2096, in seconds or milliseconds.
pub fn is_time(key: &str, value: f64) -> bool {
    let is_instant = |seconds: f64| (1.4e9..4e9).contains(&seconds);
    let is_named = ["timestamp", "_time", "_at", "date_created", "last_updated", "date_sent"];
    is_instant(value) || is_instant(value / 1e3) || (is_named.iter().any(|end| key.ends_with(end)) && is_instant(value))
}

/// Whether a text is an instant such as `2026-01-01T00:00:00Z`.
pub fn is_instant(text: &str) -> bool {
    let shape = text.as_bytes();
    shape.len() >= 16
        && shape.is_ascii()
        && shape[4] == b'-'
        && shape[7] == b'-'
        && [b'T', b' '].contains(&shape[10])
        && shape[13] == b':'
        && shape[..4].iter().all(u8::is_ascii_digit)
}
