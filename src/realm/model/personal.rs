//! What is a user's own: settings, subscriptions, flags, lists. Only that user's clients see it,
//! but for status and presence.

use super::channel::Subscription;
use super::device::Device;
use super::id::{ChannelId, DeviceId, Id, MessageId, RecipientId, ScheduledMessageId, UserId, ids};
use super::message::Emoji;
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

/// Longest alert word, in code points.
pub const MAX_ALERT_WORD_LENGTH: usize = 100;

/// A user's own state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserState {
    /// Settings that differ from the defaults, by name.
    #[serde(with = "super::stored::settings")]
    pub settings: OrdMap<&'static str, Value>,
    /// Names of settings that the user changed themselves, whatever they are now.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub edited_settings: OrdSet<String>,
    /// Subscriptions, past ones included.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub subscriptions: OrdMap<ChannelId, Arc<Subscription>>,
    /// What was read.
    pub read: ReadSet,
    /// What was starred.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub starred: OrdSet<MessageId>,
    /// What was collapsed.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub collapsed: OrdSet<MessageId>,
    /// Messages whose link previews the user hides.
    #[serde(default, deserialize_with = "crate::realm::distinct::members", skip_serializing_if = "OrdSet::is_empty")]
    pub hidden_previews: OrdSet<MessageId>,
    /// Messages for which a row was made later, by starring or reacting: flagged `historical`. Those that became unread
    /// since count as received.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub historical: OrdSet<MessageId>,
    /// Direct message conversations.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub conversations: OrdSet<RecipientId>,
    /// What was said of topics.
    #[serde(with = "super::stored::pairs")]
    pub topics: OrdMap<(ChannelId, TopicKey), Arc<UserTopic>>,
    /// Whose messages are hidden, and since when.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub muted_users: OrdMap<UserId, Timestamp>,
    /// Words to be alerted to, in the order in which they were added.
    pub alert_words: Vector<String>,
    /// The user's status.
    pub status: Status,
    /// The user's presence.
    pub presence: Option<Presence>,
    /// When the user last changed something, to the hour; sending counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_at: Option<Timestamp>,
    /// Unsent messages.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub drafts: OrdMap<DraftId, Arc<Draft>>,
    /// Scheduled messages that were sent.
    #[serde(default, skip_serializing_if = "OrdSet::is_empty")]
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub sent_scheduled: OrdSet<ScheduledMessageId>,
    /// Saved snippets.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub snippets: OrdMap<SnippetId, Arc<Snippet>>,
    /// The left sidebar, in the order in which views were added.
    pub navigation_views: Vector<NavigationView>,
    /// Devices registered for encrypted push.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub devices: OrdMap<DeviceId, Device>,
    /// Tokens of devices without encryption.
    pub push_tokens: Vector<PushToken>,
    /// A bot's storage.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub storage: OrdMap<String, String>,
    /// When a bot's owner was last notified that nobody hears it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_notified_at: Option<Timestamp>,
    /// One-time notices that the user has seen.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub onboarding_steps_seen: OrdSet<String>,
}

impl UserState {
    /// A setting's value.
    pub fn setting(&self, setting: UserSetting) -> &Value {
        let row = setting.row();
        self.settings.get(row.name).unwrap_or(&row.default)
    }

    /// A setting's value, by its name.
    ///
    /// # Panics
    ///
    /// When no setting has the name: names are written in the code, never taken from input.
    pub fn setting_named(&self, name: &str) -> &Value {
        self.settings.get(name).unwrap_or_else(|| {
            let row = setting::find(&USER_SETTINGS, name).or_else(|| setting::find(&FORMER_USER_SETTINGS, name));
            &row.unwrap_or_else(|| panic!("no setting is called {name}")).default
        })
    }

    /// A switch among the settings.
    pub fn is_on(&self, setting: UserSetting) -> bool {
        self.setting(setting).as_bool().unwrap_or_default()
    }

    /// A number among the settings.
    pub fn number(&self, setting: UserSetting) -> i64 {
        self.setting(setting).as_i64().unwrap_or_default()
    }

    /// The subscription to a channel, if it is active.
    pub fn subscription(&self, channel: ChannelId) -> Option<&Arc<Subscription>> {
        self.subscriptions.get(&channel).filter(|subscription| subscription.is_active)
    }

    /// Whether the user is subscribed to the channel and has not muted it.
    pub fn hears(&self, channel: ChannelId) -> bool {
        self.subscription(channel).is_some_and(|subscription| !subscription.is_muted)
    }

    /// What the user said of a topic.
    pub fn topic_policy(&self, channel: ChannelId, topic: &str) -> VisibilityPolicy {
        if self.topics.is_empty() {
            return VisibilityPolicy::None;
        }
        self.topics.get(&(channel, TopicKey::new(topic))).map_or(VisibilityPolicy::None, |topic| topic.policy)
    }

    /// What the user said of topics, in the order in which it was said first.
    pub fn topics_in_order(&self) -> Vec<(ChannelId, &UserTopic)> {
        let mut topics: Vec<(ChannelId, &UserTopic)> =
            self.topics.iter().map(|((channel, _), topic)| (*channel, topic.as_ref())).collect();
        topics.sort_by_key(|(_, topic)| topic.place);
        topics
    }

    /// Whether a topic is muted, by itself or with its channel.
    pub fn is_topic_muted(&self, channel: ChannelId, topic: &str) -> bool {
        match self.topic_policy(channel, topic) {
            VisibilityPolicy::Muted => true,
            VisibilityPolicy::Unmuted | VisibilityPolicy::Followed => false,
            VisibilityPolicy::None => !self.hears(channel),
        }
    }
}

/// A kind of thing of which users have lists of their own, under numbers that count over the whole organization.
pub trait Owned: Sized {
    /// Names one.
    type Id: Id;

    /// Its number.
    fn id(&self) -> Self::Id;

    /// A user's list.
    fn list(own: &UserState) -> &OrdMap<Self::Id, Arc<Self>>;

    /// A user's list, to be changed.
    fn list_mut(own: &mut UserState) -> &mut OrdMap<Self::Id, Arc<Self>>;

    /// The number that was given last.
    fn counter(counters: &mut OwnCounters) -> &mut i64;
}

/// What is numbered of an [`Owned`] kind.
#[derive(Clone, Copy)]
pub struct OwnedKind {
    /// What one is called.
    pub name: &'static str,
    /// The keys of a user's list, with the numbers of what is kept there.
    pub numbers: fn(&UserState) -> Vec<(i64, i64)>,
    /// The number that was given last.
    pub last: fn(&OwnCounters) -> i64,
}

macro_rules! owned {
    ($($(#[$meta:meta])* $name:ident: $type:ident $id:ident in $list:ident;)*) => {
        ids! { $(#[doc = concat!("A ", stringify!($name), ".")] $id;)* }

        /// The numbers that were given last, of each [`Owned`] kind.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct OwnCounters {
            $(
                $(#[$meta])*
                pub $name: i64,
            )*
        }

        $(impl Owned for $type {
            type Id = $id;

            fn id(&self) -> $id {
                self.id
            }

            fn list(own: &UserState) -> &OrdMap<$id, Arc<Self>> {
                &own.$list
            }

            fn list_mut(own: &mut UserState) -> &mut OrdMap<$id, Arc<Self>> {
                &mut own.$list
            }

            fn counter(counters: &mut OwnCounters) -> &mut i64 {
                &mut counters.$name
            }
        })*

        /// Each [`Owned`] kind.
        pub const OWNED: &[OwnedKind] = &[$(OwnedKind {
            name: stringify!($name),
            numbers: |own| own.$list.iter().map(|(key, one)| (key.number(), one.id.number())).collect(),
            last: |counters| counters.$name,
        }),*];
    };
}

owned! {
    /// Saved snippets.
    snippet: Snippet SnippetId in snippets;
    /// Drafts.
    draft: Draft DraftId in drafts;
}

/// A user's policy for a topic.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserTopic {
    /// As spelt.
    pub name: Arc<str>,
    /// How it is shown.
    pub policy: VisibilityPolicy,
    /// When it was said.
    pub last_updated: Timestamp,
    /// Its place among what the user said of topics, in the order in which that was said first.
    #[serde(default)]
    pub place: i64,
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
    /// The number on the wire.
    pub fn number(self) -> i64 {
        self as i64
    }

    /// The policy with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::None, Self::Muted, Self::Unmuted, Self::Followed].into_iter().find(|policy| policy.number() == number)
    }
}

/// What a user says of themselves (specification, "User status").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Not empty when set.
    pub text: Option<String>,
    pub emoji: Option<Emoji>,
    /// Something was said once: from then on events say whether the user is away, without text and emoji too.
    #[serde(default)]
    pub is_stored: bool,
}

impl Status {
    /// Whether the user ever said something; states written before that was noted have what was said alone.
    pub fn is_known(&self) -> bool {
        self.is_stored || self.text.is_some() || self.emoji.is_some()
    }
}

/// A user's presence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presence {
    /// When the user last used a client.
    pub active_at: Option<Timestamp>,
    /// When the user last had a client open.
    pub connected_at: Option<Timestamp>,
    /// Grows with every change in the realm: what `last_update_id` refers to.
    pub update_id: i64,
}

/// An unsent message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    pub id: DraftId,
    /// Where it would go.
    pub to: DraftTarget,
    /// Its topic, "" for direct messages.
    pub topic: String,
    /// Markdown.
    pub content: String,
    /// When it was last changed, as the client said.
    pub timestamp: Timestamp,
}

/// Where a draft would go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DraftTarget {
    /// Not chosen yet.
    Nowhere,
    Channel(ChannelId),
    Users(Vec<UserId>),
}

/// A saved snippet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snippet {
    pub id: SnippetId,
    /// At most 60 characters.
    pub title: String,
    /// Markdown.
    pub content: String,
    /// When it was made.
    pub date_created: Timestamp,
}

/// Fragments of the views that every client has; they go by the client's own names.
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
    /// Identifies the view.
    pub fragment: String,
    /// Whether it is in the sidebar rather than in the menu.
    pub is_pinned: bool,
    /// Only for custom views.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}
