//! Channels and subscriptions.

use super::directory::Directory;
use super::json::Json;
use super::settings::{former_senders, made, permissions};
use crate::fixture::format::{Channel, Notifications, Subscriber, SubscriberDetails};
use crate::realm::channel::{Privacy, TopicsPolicy};
use crate::realm::channel_switch::CHANNEL_SWITCHES;
use crate::realm::permission::CHANNEL_PERMISSIONS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The messages of a channel from which the time of the account's own subscription follows. Each is a number and a time in
/// Unix seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Received {
    /// The last message before the first that the account received.
    pub missed: Option<(i64, i64)>,
    /// The first message that the account received.
    pub first: Option<(i64, i64)>,
    /// The last message that the account received.
    pub last: Option<(i64, i64)>,
}

/// The account's relation to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is subscribed.
    Subscribed,
    /// It was.
    Unsubscribed,
    /// It never was.
    Other,
}

/// A channel of the fixture; None if `--channel` leaves it out.
pub fn channel(
    record: &Value,
    (relation, received): (Relation, Received),
    defaults: &BTreeSet<i64>,
    directory: &Directory,
) -> Option<Channel> {
    let id = record.int("stream_id")?;
    let mut channel = Channel::named(directory.channel(id)?);
    channel.id = Some(id);
    channel.description = directory.markdown(record.text("description")).chars().take(1024).collect();
    channel.privacy = match () {
        () if record.flag("is_web_public") => Privacy::WebPublic,
        () if !record.flag("invite_only") => Privacy::Public,
        () if record.flag("history_public_to_subscribers") => Privacy::PrivateSharedHistory,
        () => Privacy::PrivateProtectedHistory,
    };
    channel.creator = record.int("creator_id").and_then(|id| directory.handle(id));
    channel.created = made(record, directory);
    channel.archived = record.flag("is_archived");
    channel.default = defaults.contains(&id) && !channel.archived && !channel.privacy.is_private();
    channel.folder = record.int("folder_id").and_then(|id| directory.folders.get(id)).map(str::to_owned);
    channel.message_retention_days = record.int("message_retention_days").filter(|days| *days == -1 || *days > 0);
    let policy: Option<TopicsPolicy> = serde_json::from_value(record["topics_policy"].clone()).ok();
    channel.topics_policy = policy.unwrap_or_default();
    channel.permissions =
        permissions(CHANNEL_PERMISSIONS, &|name| permission_value(record, name, directory), directory);
    channel.subscribers = subscribers(record, (relation, received), directory);
    Some(with_switches(channel, record))
}

/// Adds the switches, which fixtures name as the API does.
fn with_switches(channel: Channel, record: &Value) -> Channel {
    let on: Vec<&str> = CHANNEL_SWITCHES.iter().map(|switch| switch.name).filter(|name| record.flag(name)).collect();
    if on.is_empty() {
        return channel;
    }
    let mut document = json!(channel);
    for name in on {
        document[name] = true.into();
    }
    serde_json::from_value(document).unwrap_or(channel)
}

fn permission_value(record: &Value, name: &str, directory: &Directory) -> Option<Value> {
    if let Some(value) = record.get(name) {
        return Some(value.clone());
    }
    let policy = record.int("stream_post_policy").filter(|_| name == "can_send_message_group")?;
    directory.group_id(former_senders(policy)?).map(Value::from)
}

fn subscribers(record: &Value, (relation, received): (Relation, Received), directory: &Directory) -> Vec<Subscriber> {
    let others = record.ints("subscribers").into_iter().filter(|id| *id != directory.own).collect::<BTreeSet<_>>();
    let mut subscribers: Vec<Subscriber> = directory.handles(others).into_iter().map(Subscriber::Handle).collect();
    if relation != Relation::Other
        && let Some(user) = directory.handle(directory.own)
    {
        subscribers.push(Subscriber::Details(Box::new(own(user, record, relation, received, directory))));
    }
    subscribers
}

/// The account's own subscription: since when follows from what it did not receive.
fn own(
    user: String,
    record: &Value,
    relation: Relation,
    received: Received,
    directory: &Directory,
) -> SubscriberDetails {
    let since = match (received.missed, received.first) {
        (None, _) => None,
        (Some(_), Some((_, first))) => Some(first),
        (Some((_, missed)), None) => Some(missed + 1),
    };
    let left =
        (relation == Relation::Unsubscribed).then(|| received.last.map_or(since.unwrap_or(0), |(_, last)| last + 1));
    let left = left.map(|left| left.max(since.unwrap_or(left)));
    let earliest = record.int("date_created").unwrap_or(directory.reference);
    let choice = |key: &str| record[key].as_bool();
    let color = record["color"].as_str().filter(|color| is_color(color));
    SubscriberDetails {
        user,
        since: since.map(|at| directory.past(at)),
        left: left.map(|at| directory.past(if at == 0 { earliest } else { at })),
        color: color.map(str::to_owned),
        pinned: record.flag("pin_to_top"),
        muted: choice("is_muted").unwrap_or_else(|| choice("in_home_view") == Some(false)),
        notifications: Notifications {
            desktop: choice("desktop_notifications"),
            audible: choice("audible_notifications"),
            push: choice("push_notifications"),
            email: choice("email_notifications"),
            wildcard_mentions: choice("wildcard_mentions_notify"),
        },
    }
}

fn is_color(color: &str) -> bool {
    color
        .strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
