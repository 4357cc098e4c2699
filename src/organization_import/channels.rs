//! Converts channels and subscriptions to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use super::settings::convert_permissions;
use crate::fixture::format::{Channel, Notifications, Subscriber, SubscriberDetails};
use crate::realm::channel::{MAX_CHANNEL_DESCRIPTION_LENGTH, Privacy, TopicsPolicy};
use crate::realm::channel_boolean_setting::CHANNEL_BOOLEAN_SETTINGS;
use crate::realm::permission::CHANNEL_PERMISSIONS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The messages of a channel from which the start and the end of the account's subscription are inferred: for each, its
/// ID and its time in UNIX seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReceivedRange {
    /// The last message before the first that the account received.
    pub last_missed: Option<(i64, i64)>,
    /// The first message that the account received.
    pub first: Option<(i64, i64)>,
    /// The last message that the account received.
    pub last: Option<(i64, i64)>,
}

/// Whether the account is subscribed to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptionStatus {
    Subscribed,
    /// The account was subscribed earlier.
    Unsubscribed,
    NeverSubscribed,
}

/// Converts a channel; None if `--channel` excludes it. `defaults` are the IDs of the channels that new users join.
pub fn convert_channel(
    record: &Value,
    status: SubscriptionStatus,
    received: ReceivedRange,
    defaults: &BTreeSet<i64>,
    directory: &Directory,
) -> Option<Channel> {
    let id = record.integer("stream_id")?;
    let mut channel = Channel::named(directory.channel_name(id)?);
    channel.id = Some(id);
    channel.description =
        directory.convert_markdown(record.text("description")).chars().take(MAX_CHANNEL_DESCRIPTION_LENGTH).collect();
    channel.privacy = match () {
        () if record.boolean("is_web_public") => Privacy::WebPublic,
        () if !record.boolean("invite_only") => Privacy::Public,
        () if record.boolean("history_public_to_subscribers") => Privacy::PrivateSharedHistory,
        () => Privacy::PrivateProtectedHistory,
    };
    channel.creator = record.integer("creator_id").and_then(|id| directory.handle(id));
    channel.created = directory.convert_creation_time(record);
    channel.archived = record.boolean("is_archived");
    channel.default = defaults.contains(&id) && !channel.archived && !channel.privacy.is_private();
    channel.folder = record.integer("folder_id").and_then(|id| directory.folders.get(id)).map(str::to_owned);
    channel.message_retention_days = record.integer("message_retention_days").filter(|days| *days == -1 || *days > 0);
    let policy: Option<TopicsPolicy> = serde_json::from_value(record["topics_policy"].clone()).ok();
    channel.topics_policy = policy.unwrap_or_default();
    channel.permissions =
        convert_permissions(CHANNEL_PERMISSIONS, &|name| permission_value(record, name, directory), directory);
    channel.subscribers = convert_subscribers(record, status, received, directory);
    Some(set_boolean_settings(channel, record))
}

/// Sets the boolean settings, whose names in fixtures are those of the API.
fn set_boolean_settings(channel: Channel, record: &Value) -> Channel {
    let enabled_names: Vec<&str> =
        CHANNEL_BOOLEAN_SETTINGS.iter().map(|setting| setting.name).filter(|name| record.boolean(name)).collect();
    if enabled_names.is_empty() {
        return channel;
    }
    let mut document = json!(channel);
    for name in enabled_names {
        document[name] = true.into();
    }
    serde_json::from_value(document).unwrap_or(channel)
}

/// The holder of a permission as the API shows it; at older levels, the ID of the group that the posting policy names.
fn permission_value(record: &Value, name: &str, directory: &Directory) -> Option<Value> {
    if let Some(value) = record.get(name) {
        return Some(value.clone());
    }
    let policy = record.integer("stream_post_policy").filter(|_| name == "can_send_message_group")?;
    directory.system_group_id(former_posting_group(policy)?).map(Value::from)
}

/// The system group that may post to a channel, by the number of the former policy.
fn former_posting_group(policy: i64) -> Option<&'static str> {
    match policy {
        1 => Some("role:everyone"),
        2 => Some("role:administrators"),
        3 => Some("role:fullmembers"),
        4 => Some("role:moderators"),
        _ => None,
    }
}

fn convert_subscribers(
    record: &Value,
    status: SubscriptionStatus,
    received: ReceivedRange,
    directory: &Directory,
) -> Vec<Subscriber> {
    let other_ids =
        record.integers("subscribers").into_iter().filter(|id| *id != directory.own_id).collect::<BTreeSet<_>>();
    let mut subscribers: Vec<Subscriber> = directory.handles(other_ids).into_iter().map(Subscriber::Handle).collect();
    if status != SubscriptionStatus::NeverSubscribed
        && let Some(user) = directory.handle(directory.own_id)
    {
        subscribers
            .push(Subscriber::Details(Box::new(convert_own_subscription(user, record, status, received, directory))));
    }
    subscribers
}

/// The account's own subscription. Its start and its end are inferred from the messages that the account received or
/// missed.
fn convert_own_subscription(
    user: String,
    record: &Value,
    status: SubscriptionStatus,
    received: ReceivedRange,
    directory: &Directory,
) -> SubscriberDetails {
    let since = match (received.last_missed, received.first) {
        (None, _) => None,
        (Some(_), Some((_, first))) => Some(first),
        (Some((_, last_missed)), None) => Some(last_missed + 1),
    };
    let left_at = (status == SubscriptionStatus::Unsubscribed)
        .then(|| received.last.map_or(since.unwrap_or(0), |(_, last)| last + 1));
    // Not before the subscription began.
    let left_at = left_at.map(|left_at| left_at.max(since.unwrap_or(left_at)));
    let earliest = record.integer("date_created").unwrap_or(directory.reference_time);
    let optional_boolean = |key: &str| record[key].as_bool();
    let color = record["color"].as_str().filter(|color| is_color(color));
    SubscriberDetails {
        user,
        since: since.map(|at| directory.convert_past_time(at)),
        // `left_at` is 0 if no message of the channel is known.
        left_at: left_at.map(|at| directory.convert_past_time(if at == 0 { earliest } else { at })),
        color: color.map(str::to_owned),
        pinned: record.boolean("pin_to_top"),
        // The former field `in_home_view` is the opposite.
        muted: optional_boolean("is_muted").unwrap_or_else(|| optional_boolean("in_home_view") == Some(false)),
        notifications: Notifications {
            desktop: optional_boolean("desktop_notifications"),
            audible: optional_boolean("audible_notifications"),
            push: optional_boolean("push_notifications"),
            email: optional_boolean("email_notifications"),
            wildcard_mentions: optional_boolean("wildcard_mentions_notify"),
        },
    }
}

fn is_color(color: &str) -> bool {
    color
        .strip_prefix('#')
        .is_some_and(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
