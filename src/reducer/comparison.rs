//! Comparing what a client knows with what a later register reply says.

use super::channels::{BOT_CHANNELS, LISTS as CHANNELS};
use super::past::PURPOSES;
use super::rows::{Object, forget_member, object, remove_number};
use super::{NOT_KEPT, State, Unknowable};
use crate::wire::{LISTS, ListUpdates};
use serde_json::Value;
use std::fmt;
use std::sync::LazyLock;

/// A key in which the folded state and a later register reply differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Where: a key, and for lists what identifies the row.
    pub place: String,
    /// As the events have it; None: not at all.
    pub folded: Option<Value>,
    /// As the later reply has it.
    pub registered: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
        write!(f, "{}: events say {}, registering says {}", self.place, show(&self.folded), show(&self.registered))
    }
}

/// Whether the order of a list means something that the rows don't say.
fn is_ordered(key: &str) -> bool {
    key == "recent_private_conversations" || LISTS.iter().any(|list| list.is_ordered && list.key == key)
}

/// Keys by which rows of lists are known.
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

/// What those are called who are out of a guest's sight, in rows for clients that need one for everybody. Nothing tells
/// of such rows.
const PLACEHOLDER: &str = "Unknown user";

impl State {
    /// How a later register reply to the same request differs from the state: nothing, for a server whose events tell
    /// all. Left out are [`NOT_KEPT`] and what is in doubt.
    pub fn differences(&self, later: &Value) -> Vec<Difference> {
        let (mut folded, registered) = (self.normal_form(&self.value), self.normal_form(&object(later.clone())));
        self.concede_deletions(&mut folded, &registered);
        let mut differences = Vec::new();
        compare("", &Value::Object(folded), &Value::Object(registered), &mut differences);
        differences
    }

    /// Takes out of the state what was deleted where that is not sent to the user: starred messages, and perhaps the newest.
    fn concede_deletions(&self, folded: &mut Object, registered: &Object) {
        let later = registered.get("starred_messages").and_then(Value::as_array);
        if let (Some(starred), Some(later)) = (folded.get_mut("starred_messages").and_then(Value::as_array_mut), later)
        {
            starred.retain(|id| later.contains(id));
        }
        let newest = |state: &Object| state.get("max_message_id").and_then(Value::as_i64);
        if self.doubts.contains(&Unknowable::NewestMessage)
            && let (Some(known), Some(later)) = (newest(folded), newest(registered))
        {
            folded.insert("max_message_id".into(), known.min(later).into());
        }
    }

    /// Without what can't be compared, lists without a meaningful order sorted.
    fn normal_form(&self, value: &Object) -> Object {
        let mut normal = value.clone();
        for (key, _) in NOT_KEPT {
            match key.strip_prefix("*.") {
                None => _ = normal.shift_remove(*key),
                Some(inner) => without_inner(&mut normal, inner),
            }
        }
        for doubt in &self.doubts {
            leave_out(&mut normal, doubt);
        }
        sort_addresses(&mut normal);
        for list in ["realm_users", "realm_non_active_users", "cross_realm_bots"] {
            let Some(users) = normal.get_mut(list).and_then(Value::as_array_mut) else { continue };
            users.retain(|user| user["full_name"] != PLACEHOLDER);
            users.iter_mut().for_each(leave_picture_to_client);
        }
        for (key, value) in &mut normal {
            if !is_ordered(key) {
                sort(value);
            }
        }
        if let Some(shelves) = normal.get_mut("unread_msgs").and_then(Value::as_object_mut) {
            for shelf in shelves.get_mut("streams").and_then(Value::as_array_mut).into_iter().flatten() {
                // Spelt like one of its messages: which, is not sent when that one is read.
                if !self.lists_topics_by_case() {
                    let folded = shelf["topic"].as_str().unwrap_or_default().to_lowercase();
                    shelf["topic"] = folded.into();
                }
                // Who sent what is unread there, below 90: it follows from the messages.
                shelf.as_object_mut().map(|shelf| shelf.shift_remove("sender_ids"));
            }
            shelves.values_mut().for_each(sort);
        }
        normal
    }
}

/// Lists of subscribers that hold addresses, which have no order.
fn sort_addresses(normal: &mut Object) {
    for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
        for channel in normal.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            let subscribers = channel.get_mut("subscribers").and_then(Value::as_array_mut);
            if let Some(subscribers) = subscribers.filter(|all| all.iter().any(Value::is_string)) {
                subscribers.sort_by_key(ToString::to_string);
            }
        }
    }
}

/// What is done to each row of some lists.
fn each_row(normal: &mut Object, lists: &[&str], change: impl Fn(&mut Value)) {
    for list in lists {
        normal.get_mut(*list).and_then(Value::as_array_mut).into_iter().flatten().for_each(&change);
    }
}

/// How many subscribers a channel has.
fn forget_count(normal: &mut Object, lists: &[&str], id: i64) {
    each_row(normal, lists, |row| {
        if row["stream_id"] == id {
            row["subscriber_count"] = Value::Null;
        }
    });
}

fn forget_channel(normal: &mut Object, lists: &[&str], id: i64) {
    for list in lists {
        if let Some(rows) = normal.get_mut(*list).and_then(Value::as_array_mut) {
            rows.retain(|row| row["stream_id"] != id);
        }
    }
}

/// What somebody does: it is known by their ID, and by their address at older levels.
fn forget_doings(normal: &mut Object, id: i64) {
    let users = normal.get("realm_users").and_then(Value::as_array).into_iter().flatten();
    let address = users.filter(|user| user["user_id"] == id).find_map(|user| user["email"].as_str()).map(str::to_owned);
    for list in ["user_status", "presences"] {
        if let Some(doings) = normal.get_mut(list).and_then(Value::as_object_mut) {
            doings.shift_remove(&id.to_string());
            address.iter().for_each(|address| _ = doings.shift_remove(address));
        }
    }
}

fn forget_away(normal: &mut Object, id: &str) {
    let Some(statuses) = normal.get_mut("user_status").and_then(Value::as_object_mut) else { return };
    let is_away_alone = statuses.get_mut(id).and_then(Value::as_object_mut).is_some_and(|status| {
        status.shift_remove("away");
        status.is_empty()
    });
    if is_away_alone {
        statuses.shift_remove(id);
    }
}

fn without_inner(normal: &mut Object, inner: &str) {
    for list in normal.values_mut().filter_map(Value::as_array_mut) {
        for row in list.iter_mut().filter_map(Value::as_object_mut) {
            row.shift_remove(inner);
        }
    }
}

/// Changes of a picture give the provider's address to everybody, registering only to those who don't compute it.
fn leave_picture_to_client(user: &mut Value) {
    let is_computable = |url: &str| url.starts_with("https://secure.gravatar.com/");
    if user["avatar_url"].as_str().is_some_and(is_computable) {
        user["avatar_url"] = Value::Null;
    }
}

fn leave_out(normal: &mut Object, doubt: &Unknowable) {
    match doubt {
        // Compared as far as it is known.
        Unknowable::NewestMessage => {}
        Unknowable::RecentConversations => _ = normal.shift_remove("recent_private_conversations"),
        Unknowable::DefaultChannels => {
            normal.shift_remove("realm_default_streams");
            normal.shift_remove("realm_default_stream_groups");
        }
        Unknowable::Bots => _ = normal.shift_remove("realm_bots"),
        Unknowable::BotChannels => each_row(normal, &["realm_bots"], |bot| {
            BOT_CHANNELS.iter().for_each(|key| bot[key] = Value::Null);
        }),
        Unknowable::UserTopics(id) => forget_channel(normal, &["user_topics"], *id),
        Unknowable::MutedTopics => _ = normal.shift_remove("muted_topics"),
        Unknowable::UnreadCount => {
            if let Some(unread) = normal.get_mut("unread_msgs").and_then(Value::as_object_mut) {
                unread.shift_remove("count");
            }
        }
        Unknowable::Mention(id) => {
            if let Some(mentions) = normal.get_mut("unread_msgs").and_then(|unread| unread.get_mut("mentions")) {
                remove_number(mentions, *id);
            }
        }
        Unknowable::PastSubscription(id) => forget_channel(normal, &["unsubscribed", "never_subscribed"], *id),
        Unknowable::Everything => normal.clear(),
        Unknowable::Rights => State::without_rights(normal),
        Unknowable::Addresses => each_row(normal, &["realm_users", "realm_non_active_users"], |row| {
            // The picture's address is left out where the client can compute it from the user's.
            row["delivery_email"] = Value::Null;
            row["avatar_url"] = Value::Null;
        }),
        Unknowable::VisibleUsers(id) => forget_doings(normal, *id),
        Unknowable::Away(id) => forget_away(normal, &id.to_string()),
        Unknowable::SubscriberCount(id) => forget_count(normal, &["streams", "unsubscribed", "never_subscribed"], *id),
        Unknowable::SubscriberCounts => each_row(normal, &CHANNELS, |row| row["subscriber_count"] = Value::Null),
        Unknowable::ArchivedSubscriberCount(id) => {
            forget_count(normal, &CHANNELS, *id);
        }
        Unknowable::OrderOfFolders => each_row(normal, &["channel_folders"], |folder| folder["order"] = Value::Null),
        Unknowable::Unread => _ = normal.shift_remove("unread_msgs"),
        Unknowable::Purposes => PURPOSES.iter().for_each(|key| _ = normal.shift_remove(*key)),
        Unknowable::HolderOfChannels(id) => {
            for lists in [CHANNELS.as_slice(), &["realm_default_streams"]] {
                each_row(normal, lists, |row| {
                    row.as_object_mut()
                        .into_iter()
                        .flat_map(|row| row.values_mut())
                        .for_each(|value| forget_member(value, *id));
                });
            }
        }
        Unknowable::Archived(id) => {
            let lists = ["streams", "subscriptions", "unsubscribed", "never_subscribed", "realm_default_streams"];
            forget_channel(normal, &lists, *id);
        }
        Unknowable::InheritedSettings => each_row(normal, &["subscriptions", "unsubscribed"], |row| {
            for kind in ["desktop", "audible", "push", "email"] {
                row[format!("{kind}_notifications")] = Value::Null;
            }
        }),
    }
}

fn sort(list: &mut Value) {
    if let Some(list) = list.as_array_mut() {
        list.sort_by_cached_key(|row| row_name(row).unwrap_or_else(|| row.to_string()));
    }
}

/// What a row is known by.
fn row_name(row: &Value) -> Option<String> {
    let name: Vec<String> = ROW_KEYS
        .iter()
        .chain(&["topic", "topic_name"])
        .filter_map(|key| Some(format!("{key}={}", row.as_object()?.get(*key)?)))
        .filter(|part| !part.starts_with("name=") || row.get("stream_id").is_none() && row.get("id").is_none())
        .collect();
    (!name.is_empty()).then(|| name.join(","))
}

fn compare(place: &str, folded: &Value, registered: &Value, differences: &mut Vec<Difference>) {
    if folded == registered {
        return;
    }
    let at = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match (folded, registered) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys().filter(|key| !one.contains_key(*key))) {
                match (one.get(key), other.get(key)) {
                    (Some(one), Some(other)) => compare(&at(key), one, other, differences),
                    (one, other) => differences.push(Difference {
                        place: at(key),
                        folded: one.cloned(),
                        registered: other.cloned(),
                    }),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.iter().chain(other).all(|row| row_name(row).is_some()) => {
            let by_name = |rows: &[Value]| -> Object {
                rows.iter().filter_map(|row| Some((format!("[{}]", row_name(row)?), row.clone()))).collect()
            };
            let (named, others) = (by_name(one), by_name(other));
            if named == others {
                // The same rows in another order.
                differences.push(Difference {
                    place: place.to_owned(),
                    folded: Some(folded.clone()),
                    registered: Some(registered.clone()),
                });
            } else {
                compare(place, &named.into(), &others.into(), differences);
            }
        }
        _ => differences.push(Difference {
            place: place.to_owned(),
            folded: Some(folded.clone()),
            registered: Some(registered.clone()),
        }),
    }
}
