//! The API's records of channels, subscriptions, folders and groups of default channels (specification, "Channel
//! subscription record").

use crate::realm::Realm;
use crate::realm::channel::{Channel, Folder, Subscription, TopicsPolicy};
use crate::realm::channel_boolean_setting::ChannelBooleanSettings;
use crate::realm::group::SystemGroup;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::permission::{CHANNEL_PERMISSIONS, GroupSettingValue, schema_of};
use crate::realm::personal::UserState;
use crate::realm::setting::UserSetting;
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The number of subscribers from which `include_subscribers=partial` lists only some of them.
pub const MIN_SUBSCRIBERS_FOR_PARTIAL_LIST: usize = 250;

/// A channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Channel")]
#[expect(clippy::struct_excessive_bools, reason = "the API defines these fields")]
pub struct ChannelRecord {
    /// Its ID.
    pub stream_id: i64,
    /// Unique name.
    pub name: String,
    /// Markdown source.
    pub description: String,
    /// HTML.
    pub rendered_description: String,
    /// UNIX seconds.
    pub date_created: i64,
    /// Null if no creator is recorded.
    pub creator_id: Option<i64>,
    /// Private channel.
    pub invite_only: bool,
    /// Anyone on the internet may read.
    pub is_web_public: bool,
    /// Archived.
    pub is_archived: bool,
    /// New subscribers see the whole history.
    pub history_public_to_subscribers: bool,
    /// Null if the channel has no history.
    pub first_message_id: Option<i64>,
    /// Null without a folder.
    pub folder_id: Option<i64>,
    /// Always true; real servers say whether it had messages in the last 180 days, or is new.
    pub is_recently_active: bool,
    /// Null inherits, -1 is forever.
    pub message_retention_days: Option<i64>,
    /// 1 any user, 2 administrators, 3 full members, 4 moderators; deprecated.
    pub stream_post_policy: i64,
    /// Whether `stream_post_policy` is 2; deprecated.
    pub is_announcement_only: bool,
    /// Number of messages, divided by the age of the channel in weeks, at most four, and rounded up; null for channels
    /// younger than a week.
    pub stream_weekly_traffic: Option<i64>,
    /// Active subscribers.
    pub subscriber_count: i64,
    /// Which topics may be used.
    pub topics_policy: TopicsPolicy,
    /// The settings that are on or off.
    #[serde(flatten)]
    pub boolean_settings: ChannelBooleanSettings,
    /// The eleven `can_…_group` settings.
    #[serde(flatten)]
    #[schemars(schema_with = "permissions_schema")]
    pub permissions: BTreeMap<&'static str, GroupSettingValue>,
}

fn permissions_schema(generator: &mut SchemaGenerator) -> Schema {
    schema_of(CHANNEL_PERMISSIONS, generator)
}

impl ChannelRecord {
    /// The record is the same for everybody who can see the channel.
    pub fn new(realm: &Realm, channel: &Channel) -> Self {
        let policy = post_policy(realm, channel);
        Self {
            stream_id: channel.id.0,
            name: channel.name.clone(),
            description: channel.description.clone(),
            rendered_description: channel.rendered_description.clone(),
            date_created: channel.date_created.seconds(),
            creator_id: channel.creator.map(|creator| creator.0),
            invite_only: channel.privacy.is_private(),
            is_web_public: channel.privacy.is_web_public(),
            is_archived: channel.is_archived,
            history_public_to_subscribers: channel.privacy.has_public_history(),
            first_message_id: channel.first_message.map(|id| id.0),
            folder_id: channel.folder.map(|folder| folder.0),
            is_recently_active: true,
            message_retention_days: channel.message_retention_days,
            stream_post_policy: policy,
            is_announcement_only: policy == 2,
            stream_weekly_traffic: weekly_traffic(realm, channel),
            subscriber_count: channel.subscribers.len() as i64,
            topics_policy: channel.topics_policy,
            boolean_settings: channel.boolean_settings,
            permissions: realm.permissions_without_deactivated_users(&channel.permissions),
        }
    }
}

/// The deprecated `stream_post_policy`, derived from `can_send_message_group`; 1 for holders that it can't express.
pub fn post_policy(realm: &Realm, channel: &Channel) -> i64 {
    let Some(GroupSettingValue::Group(group)) = channel.permissions.get("can_send_message_group") else { return 1 };
    let is_group = |system_group| *group == realm.system_group(system_group);
    if is_group(SystemGroup::Administrators) {
        2
    } else if is_group(SystemGroup::FullMembers) {
        3
    } else if is_group(SystemGroup::Moderators) {
        4
    } else {
        1
    }
}

/// The number of messages, divided by the age of the channel in weeks, at most four, and rounded up. None for channels
/// younger than a week. in docs/assumptions.md.
fn weekly_traffic(realm: &Realm, channel: &Channel) -> Option<i64> {
    let age = realm.now.since(channel.date_created);
    if age < Span::from_days(7) {
        return None;
    }
    let weeks = (age.whole_seconds() / Span::from_days(7).whole_seconds()).clamp(1, 4);
    Some((realm.messages_in(channel.id).len() as i64 + weeks - 1) / weeks)
}

/// A user's subscription: the channel with the user's own settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Subscription")]
pub struct SubscriptionRecord {
    /// The channel.
    #[serde(flatten)]
    pub channel: ChannelRecord,
    /// The user's color for it.
    pub color: String,
    /// Whether it is muted: shown last, without notifications.
    pub is_muted: bool,
    /// Deprecated inverse of `is_muted`.
    pub in_home_view: bool,
    /// Whether it is shown first.
    pub pin_to_top: bool,
    /// Null inherits `enable_stream_desktop_notifications`; the next ones likewise.
    pub desktop_notifications: Option<bool>,
    /// Null inherits `enable_stream_audible_notifications`.
    pub audible_notifications: Option<bool>,
    /// Push notifications.
    pub push_notifications: Option<bool>,
    /// Emails.
    pub email_notifications: Option<bool>,
    /// Whether wildcard mentions notify.
    pub wildcard_mentions_notify: Option<bool>,
    /// The subscribers.
    #[serde(flatten)]
    pub subscribers: SubscriberLists,
}

/// A channel that the user was never subscribed to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NeverSubscribed")]
pub struct NeverSubscribedRecord {
    /// The channel.
    #[serde(flatten)]
    pub channel: ChannelRecord,
    /// The subscribers.
    #[serde(flatten)]
    pub subscribers: SubscriberLists,
}

/// The subscribers, as far as the request asks for them.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SubscriberLists {
    /// All, sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribers: Option<Vec<UserId>>,
    /// The viewer, bots, and users who were active in the last 14 days, sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_subscribers: Option<Vec<UserId>>,
}

/// The values of the parameter `include_subscribers`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IncludeSubscribers {
    /// No list of subscribers.
    #[default]
    No,
    All,
    /// All subscribers of channels with fewer than 250; otherwise the viewer, bots and recently active users.
    Partial,
}

impl SubscriberLists {
    /// The lists that the request asks for. The list is empty if the viewer may not see the subscribers.
    pub fn new(realm: &Realm, viewer: Option<&User>, channel: &Channel, include: IncludeSubscribers) -> Self {
        if include == IncludeSubscribers::No {
            return Self::default();
        }
        let is_visible = viewer.is_some_and(|viewer| realm.can_see(viewer, channel));
        if !is_visible {
            return Self { subscribers: Some(Vec::new()), partial_subscribers: None };
        }
        let is_partial =
            include == IncludeSubscribers::Partial && channel.subscribers.len() >= MIN_SUBSCRIBERS_FOR_PARTIAL_LIST;
        if !is_partial {
            return Self {
                subscribers: Some(channel.subscribers.iter().copied().collect()),
                partial_subscribers: None,
            };
        }
        let is_viewer = |id: UserId| viewer.is_some_and(|viewer| viewer.id == id);
        let is_listed = |id: &UserId| is_viewer(*id) || is_bot_or_active(realm, *id);
        let listed_subscribers = channel.subscribers.iter().copied().filter(is_listed).collect();
        Self { subscribers: None, partial_subscribers: Some(listed_subscribers) }
    }
}

fn is_bot_or_active(realm: &Realm, id: UserId) -> bool {
    let active_since = realm.now.plus(Span::from_days(-14));
    let is_recent = |time: Option<Timestamp>| time.is_some_and(|time| time >= active_since);
    let state = realm.user_state(id);
    realm.user(id).is_some_and(|user| user.is_bot())
        || is_recent(state.active_at)
        || state.presence.is_some_and(|presence| is_recent(presence.active_at) || is_recent(presence.connected_at))
}

impl SubscriptionRecord {
    /// `keeps_null` keeps null for inherited notification settings. Otherwise the user's settings replace it.
    pub fn new(
        realm: &Realm,
        user: &User,
        channel: &Channel,
        subscription: &Subscription,
        include: IncludeSubscribers,
        keeps_null: bool,
    ) -> Self {
        let state: &UserState = realm.user_state(user.id);
        let inherit = |value: Option<bool>, setting| {
            if keeps_null { value } else { Some(value.unwrap_or_else(|| state.is_enabled(setting))) }
        };
        Self {
            channel: ChannelRecord::new(realm, channel),
            color: subscription.color.clone(),
            is_muted: subscription.is_muted,
            in_home_view: !subscription.is_muted,
            pin_to_top: subscription.pin_to_top,
            desktop_notifications: inherit(
                subscription.desktop_notifications,
                UserSetting::EnableStreamDesktopNotifications,
            ),
            audible_notifications: inherit(
                subscription.audible_notifications,
                UserSetting::EnableStreamAudibleNotifications,
            ),
            push_notifications: inherit(subscription.push_notifications, UserSetting::EnableStreamPushNotifications),
            email_notifications: inherit(subscription.email_notifications, UserSetting::EnableStreamEmailNotifications),
            // Null is kept for this setting even if `keeps_null` is false.
            wildcard_mentions_notify: subscription.wildcard_mentions_notify,
            subscribers: SubscriberLists::new(realm, Some(user), channel, include),
        }
    }
}

impl SubscriptionRecord {
    /// The record of a web-public channel for a spectator.
    pub fn for_spectator(
        realm: &Realm,
        channel: &Channel,
        settings: &Subscription,
        include: IncludeSubscribers,
    ) -> Self {
        Self {
            channel: ChannelRecord::new(realm, channel),
            color: settings.color.clone(),
            is_muted: false,
            in_home_view: true,
            pin_to_top: false,
            desktop_notifications: Some(true),
            audible_notifications: Some(true),
            push_notifications: Some(true),
            email_notifications: Some(true),
            wildcard_mentions_notify: Some(true),
            subscribers: SubscriberLists::new(realm, None, channel, include),
        }
    }
}

/// A channel folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChannelFolder")]
pub struct FolderRecord {
    /// Its ID.
    pub id: i64,
    /// Not empty.
    pub name: String,
    /// Markdown source.
    pub description: String,
    /// HTML.
    pub rendered_description: String,
    /// UNIX seconds.
    pub date_created: Option<i64>,
    /// The creator.
    pub creator_id: Option<i64>,
    /// Its position.
    pub order: i64,
    /// Archived.
    pub is_archived: bool,
}

impl FolderRecord {
    /// The record is the same for everybody.
    pub fn new(folder: &Folder) -> Self {
        Self {
            id: folder.id.0,
            name: folder.name.clone(),
            description: folder.description.clone(),
            rendered_description: folder.rendered_description.clone(),
            date_created: Some(folder.date_created.seconds()),
            creator_id: folder.creator.map(|creator| creator.0),
            order: folder.order,
            is_archived: folder.is_archived,
        }
    }
}

/// A group of default channels as clients see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DefaultChannelGroup")]
pub struct DefaultGroupRecord {
    /// Its ID.
    pub id: i64,
    /// Display name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its channels, sorted.
    pub streams: BTreeSet<ChannelId>,
}
