//! The kinds of objects in requests and replies, recognized by keys and paths.

/// Keys of user IDs, besides those that end with `user_id` or `user_ids`.
const USER_KEYS: [&str; 17] = [
    "sender_id",
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
    "partner_ids",
    "read_by",
    "add_members",
    "direct_member_ids",
];
/// Keys of message IDs, besides `msg_id`, `msg_ids` and those that end with `message_id`.
const MESSAGE_KEYS: [&str; 7] = ["messages", "anchor", "first_id", "last_id", "message_ids", "max_id", "last_read_id"];
/// Keys whose value is an ID of an object without a kind.
const KEYS_WITHOUT_KIND: [&str; 5] = ["recipient_id", "last_event_id", "event_id", "realm_id", "user_profile_id"];

/// The kind of the objects in a collection, from its name: `message` for `messages`.
pub fn kind_of_collection(name: &str) -> String {
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

/// Whether the value of a key is an ID of an object without a kind, such as `recipient_id`. Each server assigns its own.
pub fn is_id_without_kind(key: &str) -> bool {
    KEYS_WITHOUT_KIND.contains(&key)
}

/// The kind of object whose ID or IDs are the value of a key; None if the value is not an ID, or the ID of an object
/// without a kind, such as `recipient_id`. `parent_kind` is the kind of the object with the key, which determines the
/// kind for `id` and `ids`.
pub fn kind_of_id(key: &str, parent_kind: &str) -> Option<String> {
    let some_kind = |kind: &str| Some(kind.to_owned());
    match key {
        "id" | "ids" => some_kind(parent_kind).filter(|kind| !kind.is_empty()),
        _ if USER_KEYS.contains(&key) || key.ends_with("user_id") || key.ends_with("user_ids") => some_kind("user"),
        _ if ["stream_id", "channel_id", "stream_ids", "channel_ids"].iter().any(|suffix| key.ends_with(suffix)) => {
            some_kind("channel")
        }
        "scheduled_message_id" | "scheduled_message_ids" => some_kind("scheduled_message"),
        _ if MESSAGE_KEYS.contains(&key) || key.ends_with("message_id") || key == "msg_id" || key == "msg_ids" => {
            some_kind("message")
        }
        "default_streams" | "realm_default_streams" => some_kind("channel"),
        "folder_id" => some_kind("channel_folder"),
        "subgroups" | "direct_subgroups" | "direct_subgroup_ids" | "add_subgroups" | "delete_subgroups" => {
            some_kind("group")
        }
        _ if key.ends_with("group_id") || key.ends_with("group_ids") => some_kind("group"),
        _ if key.starts_with("can_") && key.ends_with("_group") => some_kind("group"),
        _ if is_id_without_kind(key) => None,
        _ => key.strip_suffix("_ids").or_else(|| key.strip_suffix("_id")).map(kind_of_collection),
    }
}

/// The kind of object that the operation with this path is about.
pub fn kind_of_path(path: &str) -> String {
    let mut segments = path.split('/').filter(|segment| !segment.is_empty() && segment.parse::<i64>().is_err());
    kind_of_collection(segments.rfind(|segment| !["realm", "me", "create"].contains(segment)).unwrap_or_default())
}
