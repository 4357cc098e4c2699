//! Compares the state of a client with a later register reply.

use super::channels::{BOT_CHANNEL_KEYS, CHANNEL_LISTS};
use super::json::{Object, into_object, remove_member, remove_number};
use super::older_levels::CHANNEL_PURPOSE_KEYS;
use super::rights::remove_rights;
use super::{NOT_KEPT, State, UnknownPart};
use crate::wire::{LISTS, ListUpdates};
use serde_json::Value;
use std::fmt;
use std::sync::LazyLock;

/// A key in which the state and a later register reply differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path of the key. In lists it contains the keys that identify the row.
    pub place: String,
    /// The value according to the events. None if the key is absent.
    pub folded: Option<Value>,
    /// The value in the later reply. None if the key is absent.
    pub registered: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let display_or_nothing =
            |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
        write!(
            formatter,
            "{}: events say {}, registering says {}",
            self.place,
            display_or_nothing(&self.folded),
            display_or_nothing(&self.registered)
        )
    }
}

/// Whether the order of a list carries information that its rows do not have.
fn is_ordered(key: &str) -> bool {
    key == "recent_private_conversations" || LISTS.iter().any(|list| list.is_ordered && list.key == key)
}

/// Keys that identify the rows of lists.
static ROW_KEYS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut keys = vec!["stream_id", "user_id"];
    for list in LISTS {
        match list.updates {
            ListUpdates::ByElement { id, .. } if !keys.contains(&id) => keys.push(id),
            _ => {}
        }
    }
    keys.extend(["other_user_id", "user_ids_string", "user_ids", "name"]);
    keys
});

/// The name of users who are invisible to a guest, in placeholders for clients that need a record of each user. No
/// event is sent about placeholders.
const PLACEHOLDER_NAME: &str = "Unknown user";

impl State {
    /// Compares the state with a later reply to the same register request. The result is empty if the events reported
    /// all changes. Keys in [`NOT_KEPT`] and parts in [`State::unknown_parts`] are ignored.
    pub fn differences(&self, later: &Value) -> Vec<Difference> {
        let (mut folded, registered) = (self.normalize(&self.value), self.normalize(&into_object(later.clone())));
        self.ignore_unsent_deletions(&mut folded, &registered);
        let mut differences = Vec::new();
        collect_differences("", &Value::Object(folded), &Value::Object(registered), &mut differences);
        differences
    }

    /// Removes starred messages that may have been deleted without an event, and lowers `max_message_id` if the newest
    /// message may have been deleted.
    fn ignore_unsent_deletions(&self, folded: &mut Object, registered: &Object) {
        let registered_ids = registered.get("starred_messages").and_then(Value::as_array);
        if let (Some(folded_ids), Some(registered_ids)) =
            (folded.get_mut("starred_messages").and_then(Value::as_array_mut), registered_ids)
        {
            folded_ids.retain(|id| registered_ids.contains(id));
        }
        let newest_id = |state: &Object| state.get("max_message_id").and_then(Value::as_i64);
        if self.unknown_parts.contains(&UnknownPart::NewestMessage)
            && let (Some(newest_folded), Some(newest_registered)) = (newest_id(folded), newest_id(registered))
        {
            folded.insert("max_message_id".into(), newest_folded.min(newest_registered).into());
        }
    }

    /// Removes what cannot be compared, sorts lists whose order has no meaning, and unifies the URLs of pictures and
    /// the case of topics.
    fn normalize(&self, value: &Object) -> Object {
        let mut normalized = value.clone();
        for (key, _) in NOT_KEPT {
            match key.strip_prefix("*.") {
                None => _ = normalized.shift_remove(*key),
                Some(key_in_rows) => remove_from_rows(&mut normalized, key_in_rows),
            }
        }
        for part in &self.unknown_parts {
            remove_unknown(&mut normalized, part);
        }
        sort_addresses(&mut normalized);
        for list in ["realm_users", "realm_non_active_users", "cross_realm_bots"] {
            let Some(users) = normalized.get_mut(list).and_then(Value::as_array_mut) else { continue };
            users.retain(|user| user["full_name"] != PLACEHOLDER_NAME);
            users.iter_mut().for_each(normalize_avatar_url);
        }
        for (key, value) in &mut normalized {
            if !is_ordered(key) {
                sort(value);
            }
        }
        if let Some(buckets) = normalized.get_mut("unread_msgs").and_then(Value::as_object_mut) {
            for bucket in buckets.get_mut("streams").and_then(Value::as_array_mut).into_iter().flatten() {
                // The topic has the case of its oldest unread message, which is not known after that one is read.
                if !self.distinguishes_topic_case() {
                    let lowercase_topic = bucket["topic"].as_str().unwrap_or_default().to_lowercase();
                    bucket["topic"] = lowercase_topic.into();
                }
                // The senders, which levels below 90 send, follow from the messages.
                bucket.as_object_mut().map(|bucket| bucket.shift_remove("sender_ids"));
            }
            buckets.values_mut().for_each(sort);
        }
        normalized
    }
}

/// Sorts lists of subscribers that contain email addresses, whose order has no meaning.
fn sort_addresses(normalized: &mut Object) {
    for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
        for channel in normalized.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let subscribers = channel.get_mut("subscribers").and_then(Value::as_array_mut);
            if let Some(subscribers) = subscribers.filter(|subscribers| subscribers.iter().any(Value::is_string)) {
                subscribers.sort_by_key(ToString::to_string);
            }
        }
    }
}

fn for_each_row(normalized: &mut Object, lists: &[&str], change: impl Fn(&mut Value)) {
    for list in lists {
        normalized.get_mut(*list).and_then(Value::as_array_mut).into_iter().flatten().for_each(&change);
    }
}

fn clear_subscriber_count(normalized: &mut Object, lists: &[&str], id: i64) {
    for_each_row(normalized, lists, |row| {
        if row["stream_id"] == id {
            row["subscriber_count"] = Value::Null;
        }
    });
}

fn remove_channel_rows(normalized: &mut Object, lists: &[&str], id: i64) {
    for list in lists {
        if let Some(rows) = normalized.get_mut(*list).and_then(Value::as_array_mut) {
            rows.retain(|row| row["stream_id"] != id);
        }
    }
}

/// Removes a user's status and presence, whose keys are user IDs, or email addresses at older levels.
fn remove_status_and_presence(normalized: &mut Object, id: i64) {
    let users = normalized.get("realm_users").and_then(Value::as_array).into_iter().flatten();
    let address = users.filter(|user| user["user_id"] == id).find_map(|user| user["email"].as_str()).map(str::to_owned);
    for list in ["user_status", "presences"] {
        if let Some(values_by_user) = normalized.get_mut(list).and_then(Value::as_object_mut) {
            values_by_user.shift_remove(&id.to_string());
            address.iter().for_each(|address| _ = values_by_user.shift_remove(address));
        }
    }
}

/// Removes whether a user is away, and the status if it says nothing else.
fn remove_away_status(normalized: &mut Object, id: &str) {
    let Some(statuses) = normalized.get_mut("user_status").and_then(Value::as_object_mut) else { return };
    let has_only_away = statuses.get_mut(id).and_then(Value::as_object_mut).is_some_and(|status| {
        status.shift_remove("away");
        status.is_empty()
    });
    if has_only_away {
        statuses.shift_remove(id);
    }
}

fn remove_from_rows(normalized: &mut Object, key_in_rows: &str) {
    for list in normalized.values_mut().filter_map(Value::as_array_mut) {
        for row in list.iter_mut().filter_map(Value::as_object_mut) {
            row.shift_remove(key_in_rows);
        }
    }
}

/// Replaces Gravatar URLs by null: events send them to all clients, but a register reply only to clients that do not
/// compute them.
fn normalize_avatar_url(user: &mut Value) {
    let is_computable = |url: &str| url.starts_with("https://secure.gravatar.com/");
    if user["avatar_url"].as_str().is_some_and(is_computable) {
        user["avatar_url"] = Value::Null;
    }
}

fn remove_unknown(normalized: &mut Object, part: &UnknownPart) {
    match part {
        // `ignore_unsent_deletions` handles this.
        UnknownPart::NewestMessage => {}
        UnknownPart::RecentConversations => _ = normalized.shift_remove("recent_private_conversations"),
        UnknownPart::DefaultChannels => {
            normalized.shift_remove("realm_default_streams");
            normalized.shift_remove("realm_default_stream_groups");
        }
        UnknownPart::Bots => _ = normalized.shift_remove("realm_bots"),
        UnknownPart::BotChannels => for_each_row(normalized, &["realm_bots"], |bot| {
            BOT_CHANNEL_KEYS.iter().for_each(|key| bot[key] = Value::Null);
        }),
        UnknownPart::UserTopics(id) => remove_channel_rows(normalized, &["user_topics"], *id),
        UnknownPart::MutedTopics => _ = normalized.shift_remove("muted_topics"),
        UnknownPart::UnreadCount => {
            if let Some(unread) = normalized.get_mut("unread_msgs").and_then(Value::as_object_mut) {
                unread.shift_remove("count");
            }
        }
        UnknownPart::Mention(id) => {
            if let Some(mentions) = normalized.get_mut("unread_msgs").and_then(|unread| unread.get_mut("mentions")) {
                remove_number(mentions, *id);
            }
        }
        UnknownPart::PastSubscription(id) => {
            remove_channel_rows(normalized, &["unsubscribed", "never_subscribed"], *id)
        }
        UnknownPart::Everything => normalized.clear(),
        UnknownPart::Rights => remove_rights(normalized),
        UnknownPart::Addresses => for_each_row(normalized, &["realm_users", "realm_non_active_users"], |row| {
            // The URL of the picture is null if the client can compute it from the email address.
            row["delivery_email"] = Value::Null;
            row["avatar_url"] = Value::Null;
        }),
        UnknownPart::StatusAndPresence(id) => remove_status_and_presence(normalized, *id),
        UnknownPart::Away(id) => remove_away_status(normalized, &id.to_string()),
        UnknownPart::SubscriberCount(id) => {
            clear_subscriber_count(normalized, &["streams", "unsubscribed", "never_subscribed"], *id)
        }
        UnknownPart::SubscriberCounts => {
            for_each_row(normalized, &CHANNEL_LISTS, |row| row["subscriber_count"] = Value::Null)
        }
        UnknownPart::ArchivedSubscriberCount(id) => {
            clear_subscriber_count(normalized, &CHANNEL_LISTS, *id);
        }
        UnknownPart::OrderOfFolders => {
            for_each_row(normalized, &["channel_folders"], |folder| folder["order"] = Value::Null)
        }
        UnknownPart::UnreadMessages => _ = normalized.shift_remove("unread_msgs"),
        UnknownPart::AnnouncementChannels => {
            CHANNEL_PURPOSE_KEYS.iter().for_each(|key| _ = normalized.shift_remove(*key))
        }
        UnknownPart::ChannelPermissionHolder(id) => remove_permission_holder(normalized, *id),
        UnknownPart::ChannelExistence(id) => {
            let lists = ["streams", "subscriptions", "unsubscribed", "never_subscribed", "realm_default_streams"];
            remove_channel_rows(normalized, &lists, *id);
        }
        UnknownPart::InheritedSettings => for_each_row(normalized, &["subscriptions", "unsubscribed"], |row| {
            for kind in ["desktop", "audible", "push", "email"] {
                row[format!("{kind}_notifications")] = Value::Null;
            }
        }),
    }
}

fn remove_permission_holder(normalized: &mut Object, id: i64) {
    for lists in [CHANNEL_LISTS.as_slice(), &["realm_default_streams"]] {
        for_each_row(normalized, lists, |row| {
            let values = row.as_object_mut().into_iter().flat_map(|row| row.values_mut());
            values.for_each(|value| remove_member(value, id));
        });
    }
}

fn sort(list: &mut Value) {
    if let Some(list) = list.as_array_mut() {
        list.sort_by_cached_key(|row| row_key(row).unwrap_or_else(|| row.to_string()));
    }
}

/// The keys that identify a row, with their values. None if the row has none of them.
fn row_key(row: &Value) -> Option<String> {
    let key: Vec<String> = ROW_KEYS
        .iter()
        // Rows of topics are identified together with their channel.
        .chain(&["topic", "topic_name"])
        .filter_map(|key| Some(format!("{key}={}", row.as_object()?.get(*key)?)))
        // A name identifies only rows without an ID, since names change.
        .filter(|pair| !pair.starts_with("name=") || row.get("stream_id").is_none() && row.get("id").is_none())
        .collect();
    (!key.is_empty()).then(|| key.join(","))
}

fn collect_differences(place: &str, folded: &Value, registered: &Value, differences: &mut Vec<Difference>) {
    if folded == registered {
        return;
    }
    let path_of = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match (folded, registered) {
        (Value::Object(folded_members), Value::Object(registered_members)) => {
            let added_keys = registered_members.keys().filter(|key| !folded_members.contains_key(*key));
            for key in folded_members.keys().chain(added_keys) {
                match (folded_members.get(key), registered_members.get(key)) {
                    (Some(folded_value), Some(registered_value)) => {
                        collect_differences(&path_of(key), folded_value, registered_value, differences);
                    }
                    (folded_value, registered_value) => differences.push(Difference {
                        place: path_of(key),
                        folded: folded_value.cloned(),
                        registered: registered_value.cloned(),
                    }),
                }
            }
        }
        (Value::Array(folded_items), Value::Array(registered_items))
            if folded_items.iter().chain(registered_items).all(|row| row_key(row).is_some()) =>
        {
            let rows_by_key = |rows: &[Value]| -> Object {
                rows.iter().filter_map(|row| Some((format!("[{}]", row_key(row)?), row.clone()))).collect()
            };
            let (folded_rows, registered_rows) = (rows_by_key(folded_items), rows_by_key(registered_items));
            if folded_rows == registered_rows {
                // Only the order of the rows differs.
                differences.push(Difference {
                    place: place.to_owned(),
                    folded: Some(folded.clone()),
                    registered: Some(registered.clone()),
                });
            } else {
                collect_differences(place, &folded_rows.into(), &registered_rows.into(), differences);
            }
        }
        _ => differences.push(Difference {
            place: place.to_owned(),
            folded: Some(folded.clone()),
            registered: Some(registered.clone()),
        }),
    }
}
