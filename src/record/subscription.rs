//! The API's records of a user's subscription to a channel, of a channel that the user was never subscribed to, and of
//! the subscribers (specification, "Channel subscription record").

use super::channel::ChannelRecord;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::realm::id::UserId;
use crate::realm::personal::UserState;
use crate::realm::setting::UserSetting;
use crate::realm::user::User;
use crate::time::{Span, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of subscribers from which `include_subscribers=partial` lists only some of them.
pub const MIN_SUBSCRIBERS_FOR_PARTIAL_LIST: usize = 250;
/// Users who were active within this time are listed in `partial_subscribers`.
const RECENT_ACTIVITY: Span = Span::from_days(14);

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
    /// Whether messages notify on the desktop; null if the user's setting `enable_stream_desktop_notifications`
    /// applies.
    pub desktop_notifications: Option<bool>,
    /// Whether notifications have a sound; null if the user's setting `enable_stream_audible_notifications` applies.
    pub audible_notifications: Option<bool>,
    /// Whether messages notify on phones; null if the user's setting `enable_stream_push_notifications` applies.
    pub push_notifications: Option<bool>,
    /// Whether messages notify by email; null if the user's setting `enable_stream_email_notifications` applies.
    pub email_notifications: Option<bool>,
    /// Whether wildcard mentions notify; null if the user's setting of this name applies.
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

/// The subscribers of a channel: neither of the two lists, or one of them, as `include_subscribers` asks.
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
    /// All subscribers of channels with fewer than [`MIN_SUBSCRIBERS_FOR_PARTIAL_LIST`]; otherwise the viewer, bots and
    /// recently active users.
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
    let is_recent = |time: Option<Timestamp>| time.is_some_and(|time| realm.now.since(time) <= RECENT_ACTIVITY);
    let state = realm.user_state(id);
    realm.user(id).is_some_and(|user| user.is_bot())
        || is_recent(state.last_request_at)
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
            wildcard_mentions_notify: subscription.wildcard_mentions_notify,
            subscribers: SubscriberLists::new(realm, Some(user), channel, include),
        }
    }

    /// The record of a web-public channel for a spectator.
    pub fn for_spectator(realm: &Realm, channel: &Channel, color: String, include: IncludeSubscribers) -> Self {
        Self {
            channel: ChannelRecord::new(realm, channel),
            color,
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
