//! The state of each user: settings, subscriptions, flags, status, presence, drafts and other lists.

use super::channel::Subscription;
use super::device::Device;
use super::emoji::Emoji;
use super::id::{ChannelId, DeviceId, Id, MessageId, RecipientId, ScheduledMessageId, UserId, parameter_id_types};
use super::push::PushToken;
use super::read_set::ReadSet;
use super::setting::{self, FORMER_USER_SETTINGS, USER_SETTINGS};
use super::topic::TopicKey;
use crate::realm::model::setting::UserSetting;
use crate::time::Timestamp;
use imbl::{OrdMap, OrdSet, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The maximum length of an alert word, in code points.
pub const MAX_ALERT_WORD_LENGTH: usize = 100;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserState {
    /// Only the settings that differ from their defaults, by name.
    #[serde(with = "super::state_serialization::settings")]
    pub settings: OrdMap<&'static str, Value>,
    /// The names of settings that the user has changed, even if they have their default value again.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub edited_settings: OrdSet<String>,
    /// Includes past subscriptions.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub subscriptions: OrdMap<ChannelId, Arc<Subscription>>,
    pub read: ReadSet,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub starred: OrdSet<MessageId>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub collapsed: OrdSet<MessageId>,
    /// Messages whose link previews the user hides.
    #[serde(
        default,
        deserialize_with = "crate::realm::deserialize_unique::set",
        skip_serializing_if = "OrdSet::is_empty"
    )]
    pub hidden_previews: OrdSet<MessageId>,
    /// Messages with the flag `historical`: the user message was created after sending, for example by starring the
    /// message or by marking it as unread.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub historical: OrdSet<MessageId>,
    /// The conversations of direct messages that the user is in; each is added when it is created.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub conversations: OrdSet<RecipientId>,
    /// Topics for which the user set a policy.
    #[serde(with = "super::state_serialization::pairs")]
    pub topics: OrdMap<(ChannelId, TopicKey), Arc<UserTopic>>,
    /// Each with the time of muting.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub muted_users: OrdMap<UserId, Timestamp>,
    /// In the order in which they were added.
    pub alert_words: Vector<String>,
    pub status: Status,
    /// None if the user has neither reported a presence nor changed `presence_enabled`.
    pub presence: Option<Presence>,
    /// When the user last made a request that changes the realm, polls included, or sent a message of the fixture;
    /// updated at most once per hour.
    // The name in state documents, which must stay so that they can still be read.
    #[serde(rename = "active_at", default, skip_serializing_if = "Option::is_none")]
    pub last_request_at: Option<Timestamp>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub drafts: OrdMap<DraftId, Arc<Draft>>,
    /// The user's scheduled messages that were sent, to tell them from those that never existed.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub sent_scheduled: OrdSet<ScheduledMessageId>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub snippets: OrdMap<SnippetId, Arc<Snippet>>,
    /// The entries of the left sidebar and of its menu, in the order in which they were added.
    pub navigation_views: Vector<NavigationView>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub devices: OrdMap<DeviceId, Device>,
    /// The tokens of devices without encrypted push notifications.
    pub push_tokens: Vector<PushToken>,
    /// The key-value storage of a bot.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub storage: OrdMap<String, String>,
    /// When the bot's owner was last notified of a problem with the bot's messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_notified_at: Option<Timestamp>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub onboarding_steps_seen: OrdSet<String>,
}

impl UserState {
    pub fn setting(&self, setting: UserSetting) -> &Value {
        let row = setting.row();
        self.settings.get(row.name).unwrap_or(&row.default)
    }

    /// The value of the setting with this name, or its default.
    ///
    /// # Panics
    ///
    /// When no setting has this name. Callers only use names from the code, not from input.
    pub fn setting_named(&self, name: &str) -> &Value {
        self.settings.get(name).unwrap_or_else(|| {
            let row = setting::find(&USER_SETTINGS, name).or_else(|| setting::find(&FORMER_USER_SETTINGS, name));
            &row.unwrap_or_else(|| panic!("no setting is called {name}")).default
        })
    }

    /// The value of a Boolean setting; false if it is null.
    pub fn is_enabled(&self, setting: UserSetting) -> bool {
        self.setting(setting).as_bool().unwrap_or_default()
    }

    /// The value of an integer setting, in the setting's unit.
    pub fn number(&self, setting: UserSetting) -> i64 {
        self.setting(setting).as_i64().unwrap_or_default()
    }

    /// None if the user is not subscribed, or no longer.
    pub fn subscription(&self, channel: ChannelId) -> Option<&Arc<Subscription>> {
        self.subscriptions.get(&channel).filter(|subscription| subscription.is_active)
    }

    /// Whether the user is subscribed to the channel and has not muted it.
    pub fn has_unmuted_subscription(&self, channel: ChannelId) -> bool {
        self.subscription(channel).is_some_and(|subscription| !subscription.is_muted)
    }

    /// [`VisibilityPolicy::None`] for a topic without a policy.
    pub fn topic_policy(&self, channel: ChannelId, topic: &str) -> VisibilityPolicy {
        if self.topics.is_empty() {
            return VisibilityPolicy::None;
        }
        self.topics.get(&(channel, TopicKey::new(topic))).map_or(VisibilityPolicy::None, |topic| topic.policy)
    }

    /// Topics with a policy, in the order in which the user first set one.
    pub fn topics_in_order(&self) -> Vec<(ChannelId, &UserTopic)> {
        let mut topics: Vec<(ChannelId, &UserTopic)> =
            self.topics.iter().map(|((channel, _), topic)| (*channel, topic.as_ref())).collect();
        topics.sort_by_key(|(_, topic)| topic.position);
        topics
    }

    /// Whether the topic is muted, or has no policy and its channel is muted or not subscribed to.
    pub fn is_topic_muted(&self, channel: ChannelId, topic: &str) -> bool {
        match self.topic_policy(channel, topic) {
            VisibilityPolicy::Muted => true,
            VisibilityPolicy::Unmuted | VisibilityPolicy::Followed => false,
            VisibilityPolicy::None => !self.has_unmuted_subscription(channel),
        }
    }
}

/// A kind of item that is stored per user, with IDs that are unique in the organization: drafts and snippets.
pub trait PersonalItem: Sized {
    type Id: Id;

    fn id(&self) -> Self::Id;

    fn list(state: &UserState) -> &OrdMap<Self::Id, Arc<Self>>;

    fn list_mut(state: &mut UserState) -> &mut OrdMap<Self::Id, Arc<Self>>;

    /// The last ID that was assigned to an item of this kind.
    fn counter(counters: &mut ItemCounters) -> &mut i64;
}

/// Access to the IDs of a kind of [`PersonalItem`], for invariants.
#[derive(Clone, Copy)]
pub struct PersonalItemKind {
    pub name: &'static str,
    /// For each item of a user's list, its key and its ID, which must be equal.
    pub keys_and_ids: fn(&UserState) -> Vec<(i64, i64)>,
    /// The last ID that was assigned to an item of this kind.
    pub last_id: fn(&ItemCounters) -> i64,
}

macro_rules! personal_items {
    ($($(#[$meta:meta])* $name:ident: $type:ident $id:ident in $list:ident;)*) => {
        parameter_id_types! { $(#[doc = concat!("A ", stringify!($name), ".")] $id;)* }

        /// The last ID of each kind of [`PersonalItem`].
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct ItemCounters {
            $(
                $(#[$meta])*
                pub $name: i64,
            )*
        }

        $(impl PersonalItem for $type {
            type Id = $id;

            fn id(&self) -> $id {
                self.id
            }

            fn list(state: &UserState) -> &OrdMap<$id, Arc<Self>> {
                &state.$list
            }

            fn list_mut(state: &mut UserState) -> &mut OrdMap<$id, Arc<Self>> {
                &mut state.$list
            }

            fn counter(counters: &mut ItemCounters) -> &mut i64 {
                &mut counters.$name
            }
        })*

        pub const PERSONAL_ITEM_KINDS: &[PersonalItemKind] = &[$(PersonalItemKind {
            name: stringify!($name),
            keys_and_ids: |state| state.$list.iter().map(|(key, item)| (key.number(), item.id.number())).collect(),
            last_id: |counters| counters.$name,
        }),*];
    };
}

personal_items! {
    snippet: Snippet SnippetId in snippets;
    draft: Draft DraftId in drafts;
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserTopic {
    /// As spelled.
    pub name: Arc<str>,
    pub policy: VisibilityPolicy,
    pub last_updated: Timestamp,
    /// The position in the order in which the user first set policies.
    // The name in state documents, which must stay so that they can still be read.
    #[serde(rename = "place", default)]
    pub position: i64,
}

/// How a topic is shown to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VisibilityPolicy {
    /// 0: as its channel.
    None,
    /// 1: hidden.
    Muted,
    /// 2: shown in a muted channel.
    Unmuted,
    /// 3: shown first.
    Followed,
}

impl VisibilityPolicy {
    pub fn number(self) -> i64 {
        self as i64
    }

    pub fn from_number(number: i64) -> Option<Self> {
        [Self::None, Self::Muted, Self::Unmuted, Self::Followed].into_iter().find(|policy| policy.number() == number)
    }
}

/// A user's status (specification, "User status").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Never ""; None for a status without a text.
    pub text: Option<String>,
    pub emoji: Option<Emoji>,
    /// True from the first time that this program sets the status. Older state documents lack the field, so ask
    /// [`Status::was_set`].
    // The name in state documents, which must stay so that they can still be read.
    #[serde(rename = "is_stored", default)]
    pub is_marked_as_set: bool,
}

impl Status {
    /// Whether the user ever set a status. Then clients see whether the user is away, even if the status has neither
    /// text nor emoji.
    pub fn was_set(&self) -> bool {
        // One with a text or an emoji was set, whatever an older state document says.
        self.is_marked_as_set || self.text.is_some() || self.emoji.is_some()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    /// When the user last used a client; None if never.
    pub active_at: Option<Timestamp>,
    /// When the user last had a client open; None if never.
    pub connected_at: Option<Timestamp>,
    /// From a counter of the realm; clients pass it as `last_update_id`.
    pub update_id: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    pub id: DraftId,
    pub to: DraftTarget,
    /// "" unless the draft is for a channel.
    pub topic: String,
    /// In Markdown.
    pub content: String,
    /// The time of the last change: from the client, or the world's time if the client gives none.
    pub timestamp: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DraftTarget {
    /// The user has not chosen recipients.
    Nowhere,
    Channel(ChannelId),
    Users(Vec<UserId>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snippet {
    pub id: SnippetId,
    /// At most 60 code points.
    pub title: String,
    /// In Markdown.
    pub content: String,
    pub date_created: Timestamp,
}

/// URL fragments of the built-in views. Clients name these views themselves.
pub const BUILT_IN_FRAGMENTS: [&str; 9] = [
    "inbox",
    "recent",
    "feed",
    "drafts",
    "narrow/has/reaction/sender/me",
    "narrow/is/mentioned",
    "narrow/is/starred",
    "scheduled",
    "reminders",
];

/// An entry of the left sidebar (specification, "Navigation view").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NavigationView {
    /// Fragment of the view's URL, without `#`; unique among the user's views.
    pub fragment: String,
    /// Whether it is in the sidebar rather than in the menu.
    pub is_pinned: bool,
    /// Name of a custom view; absent for a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
