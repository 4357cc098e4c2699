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

/// A channel. All users who can see it get the same record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Channel")]
#[expect(clippy::struct_excessive_bools, reason = "the API defines these fields")]
pub struct ChannelRecord {
    /// ID of the channel.
    pub stream_id: i64,
    /// Name of the channel, unique in the organization regardless of case.
    pub name: String,
    /// Description in Markdown.
    pub description: String,
    /// The description in HTML.
    pub rendered_description: String,
    /// When it was created, UNIX seconds.
    pub date_created: i64,
    /// ID of the user who created it; null if none is recorded.
    pub creator_id: Option<i64>,
    /// Whether it is private.
    pub invite_only: bool,
    /// Whether anyone on the internet may read it.
    pub is_web_public: bool,
    /// Archived channels take no messages.
    pub is_archived: bool,
    /// Whether new subscribers see the whole history.
    pub history_public_to_subscribers: bool,
    /// ID of the first message that it got, or of the oldest one left if that was deleted; null for none.
    pub first_message_id: Option<i64>,
    /// ID of the folder that it is in; null for none.
    pub folder_id: Option<i64>,
    /// Always true; real servers say whether it had messages in the last 180 days, or is new.
    pub is_recently_active: bool,
    /// Days for which messages are kept; null for the organization's setting, -1 for no limit.
    pub message_retention_days: Option<i64>,
    /// Who may post: 1 any user, 2 administrators, 3 full members, 4 moderators; deprecated.
    #[schemars(extend("enum" = [1, 2, 3, 4]))]
    pub stream_post_policy: i64,
    /// Whether `stream_post_policy` is 2; deprecated.
    pub is_announcement_only: bool,
    /// Messages per week: all messages, divided by the channel's age in whole weeks, which counts as four if it is
    /// more, and rounded up; null for channels younger than a week.
    pub stream_weekly_traffic: Option<i64>,
    /// Number of subscribers, without deactivated users.
    pub subscriber_count: i64,
    /// Which topics may be used.
    pub topics_policy: TopicsPolicy,
    /// Settings with a Boolean value, each a key of its own.
    #[serde(flatten)]
    pub boolean_settings: ChannelBooleanSettings,
    /// The permissions of the channel, by name, such as `can_send_message_group`.
    #[serde(flatten)]
    #[schemars(schema_with = "permissions_schema")]
    pub permissions: BTreeMap<&'static str, GroupSettingValue>,
}

fn permissions_schema(generator: &mut SchemaGenerator) -> Schema {
    schema_of(CHANNEL_PERMISSIONS, generator)
}

impl ChannelRecord {
    /// Converts a channel; the record is the same for everybody who can see it.
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

/// Messages per week: all messages, divided by the channel's age in whole weeks, which counts as four if it is more,
/// and rounded up. None for channels younger than a week. in docs/assumptions.md.
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
    /// The fields of the channel, on the same level as the others.
    #[serde(flatten)]
    pub channel: ChannelRecord,
    /// Color in which the user sees it, `#rgb` or `#rrggbb`.
    pub color: String,
    /// Whether it is muted: shown last, without notifications.
    pub is_muted: bool,
    /// Deprecated inverse of `is_muted`.
    pub in_home_view: bool,
    /// Whether it is shown first.
    pub pin_to_top: bool,
    /// Whether messages notify on the desktop; null as `enable_stream_desktop_notifications` says.
    pub desktop_notifications: Option<bool>,
    /// Whether notifications have a sound; null as `enable_stream_audible_notifications` says.
    pub audible_notifications: Option<bool>,
    /// Whether messages notify on phones; null as `enable_stream_push_notifications` says.
    pub push_notifications: Option<bool>,
    /// Whether messages notify by email; null as `enable_stream_email_notifications` says.
    pub email_notifications: Option<bool>,
    /// Whether wildcard mentions notify; null as the user's setting of this name says.
    pub wildcard_mentions_notify: Option<bool>,
    /// Lists of subscribers, as far as the request asks for them.
    #[serde(flatten)]
    pub subscribers: SubscriberLists,
}

/// A channel that the user was never subscribed to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NeverSubscribed")]
pub struct NeverSubscribedRecord {
    /// The fields of the channel, on the same level as the others.
    #[serde(flatten)]
    pub channel: ChannelRecord,
    /// Lists of subscribers, as far as the request asks for them.
    #[serde(flatten)]
    pub subscribers: SubscriberLists,
}

/// The subscribers of a channel: none of the two lists, or one of them, as `include_subscribers` asks.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct SubscriberLists {
    /// IDs of all subscribers, sorted; empty if the user may not see them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribers: Option<Vec<UserId>>,
    /// IDs of those subscribers who are the viewer, bots, or users active in the last 14 days, sorted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial_subscribers: Option<Vec<UserId>>,
}

/// The values of the parameter `include_subscribers`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IncludeSubscribers {
    /// No list of subscribers.
    #[default]
    Omitted,
    All,
    /// All subscribers of channels with fewer than 250; otherwise the viewer, bots and recently active users.
    Partial,
}

impl SubscriberLists {
    /// The list that the request asks for. It is `subscribers` and empty if the viewer may not see who is subscribed.
    pub fn new(realm: &Realm, viewer: Option<&User>, channel: &Channel, include: IncludeSubscribers) -> Self {
        if include == IncludeSubscribers::Omitted {
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
    /// With `keeps_null`, inherited notification settings are null. Otherwise the user's settings replace them, except
    /// for `wildcard_mentions_notify`.
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

    /// The record of a web-public channel for a spectator: of `settings`, only the color is used.
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

/// A folder of channels in the left sidebar.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChannelFolder")]
pub struct FolderRecord {
    /// ID of the folder, which is `folder_id` of its channels.
    pub id: i64,
    /// Name of the folder, not empty; unique among folders that are not archived.
    pub name: String,
    /// Description in Markdown.
    pub description: String,
    /// The description in HTML.
    pub rendered_description: String,
    /// When it was created, UNIX seconds.
    pub date_created: Option<i64>,
    /// ID of the user who created it; null if none is recorded.
    pub creator_id: Option<i64>,
    /// Position among the folders, ascending.
    pub order: i64,
    /// Whether it is archived; only an empty folder can be.
    pub is_archived: bool,
}

impl FolderRecord {
    /// Converts a folder; the record is the same for everybody.
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

/// A group of default channels, to which new users can be subscribed together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DefaultChannelGroup")]
pub struct DefaultChannelGroupRecord {
    /// ID of the group.
    pub id: i64,
    /// Name of the group, unique among groups of default channels.
    pub name: String,
    /// What the group is for.
    pub description: String,
    /// IDs of the group's channels, sorted.
    pub streams: BTreeSet<ChannelId>,
}
