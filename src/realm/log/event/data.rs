//! Types of events that are the same for every reader. Their fields are those that clients receive.
//!
//! These are the events that rules of the realm emit; the events that only operations emit are in `record`.

use super::{DeliveryCondition, Event, EventKind, Payload};
use crate::realm::model::id::{ChannelId, GroupId, MessageId, ReminderId, ScheduledMessageId, UserId};
use crate::realm::model::user::UNKNOWN_USER_NAME;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The fields of an event that is the same for every reader.
pub trait EventData: Serialize + JsonSchema {
    /// The event's `type` and `op`.
    const KIND: EventKind;
    /// The names of fields that hold topic names: these depend on whether the client understands the empty topic.
    const TOPIC_FIELDS: &'static [&'static str] = &[];

    /// Converts the fields to an event for queues that fulfil a condition.
    fn only_for(self, condition: DeliveryCondition) -> Event
    where
        Self: Sized,
    {
        Event::from(self).only_for(condition)
    }
}

impl<E: EventData> From<E> for Event {
    fn from(data: E) -> Self {
        let fields = match serde_json::to_value(data) {
            Ok(Value::Object(fields)) => fields,
            other => unreachable!("a struct is serialized as an object, not as {other:?}"),
        };
        Self::new(E::KIND, Payload::Fields { fields: Arc::new(fields), topic_fields: E::TOPIC_FIELDS })
    }
}

/// Implements [`EventData`] for types, whose kind has the same name unless `is` names another one.
macro_rules! event_data {
    ($($name:ident $(is $kind:ident)? $(with topics in $topics:expr)?;)*) => {$(
        impl $crate::realm::log::event::EventData for $name {
            const KIND: $crate::realm::log::event::EventKind = event_data!(@kind $name $($kind)?);
            $(const TOPIC_FIELDS: &'static [&'static str] = $topics;)?
        }
    )*};
    (@kind $name:ident) => { $crate::realm::log::event::EventKind::$name };
    (@kind $name:ident $kind:ident) => { $crate::realm::log::event::EventKind::$kind };
}
pub(crate) use event_data;

event_data! {
    Heartbeat;
    LaterLevelEvent;
    InvitesChanged;
    MutedTopics with topics in &["muted_topics"];
    UserTopic with topics in &["topic_name"];
    RemindersRemove;
    ScheduledMessagesRemove;
    RealmUserRemove;
    StreamDelete;
    FirstMessageUpdate is StreamUpdate;
    SubscriptionPeerAdd;
    SubscriptionPeerRemove;
    UpdateMessageFlagsAdd;
    UpdateMessageFlagsRemove with topics in &["message_details"];
    UserGroupAddMembers;
    UserGroupRemoveMembers;
}

/// A heartbeat: nothing happened for a minute.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Heartbeat {}

/// An event of a type that no client knows, in worlds above the newest level or because of a fault.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LaterLevelEvent {}

/// Invitations were created, accepted or revoked, or expired.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InvitesChanged {}

/// The user's muted topics, for clients that don't request `user_topic`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MutedTopics {
    /// For each topic: the channel's name, the topic, and when it was muted, in UNIX seconds.
    #[schemars(with = "Vec<Vec<Value>>")]
    pub muted_topics: Vec<(String, String, i64)>,
}

/// A user's policy for a topic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserTopic {
    /// ID of the channel that has the topic.
    pub stream_id: ChannelId,
    /// Name of the topic, as spelled in the change.
    pub topic_name: String,
    /// Time of the change, in UNIX seconds.
    pub last_updated: i64,
    /// The policy from now on: 0 none, 1 muted, 2 unmuted, 3 followed.
    #[schemars(extend("enum" = [0, 1, 2, 3]))]
    pub visibility_policy: i64,
}

/// A reminder was sent or removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemindersRemove {
    /// ID of a reminder that the user had.
    pub reminder_id: ReminderId,
}

/// A scheduled message was sent or removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagesRemove {
    /// ID of a scheduled message that the user had.
    pub scheduled_message_id: ScheduledMessageId,
}

/// A user is no longer visible to a limited guest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUserRemove {
    /// What the guest still sees of the user.
    pub person: UnknownPerson,
}

/// A user that the reader may not know of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct UnknownPerson {
    /// The user's ID, which stays the same.
    pub user_id: UserId,
    /// The same for all users that the reader may not see.
    pub full_name: &'static str,
}

impl RealmUserRemove {
    pub fn of(user_id: UserId) -> Self {
        Self { person: UnknownPerson { user_id, full_name: UNKNOWN_USER_NAME } }
    }
}

/// Channels are no longer visible.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StreamDelete {
    /// An object with the ID of each channel.
    pub streams: Vec<DeletedChannel>,
    /// IDs of the same channels, sorted.
    pub stream_ids: OrdSetOf<ChannelId>,
}

/// A channel that is no longer visible.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct DeletedChannel {
    /// ID of the channel; nothing else of it is sent.
    pub stream_id: ChannelId,
}

impl StreamDelete {
    pub fn of(channels: &OrdSet<ChannelId>) -> Self {
        let streams = channels.iter().map(|id| DeletedChannel { stream_id: *id }).collect();
        Self { streams, stream_ids: OrdSetOf(channels.clone()) }
    }
}

/// A set that is serialized as the list of its sorted members.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct OrdSetOf<T: Ord>(pub OrdSet<T>);

impl<T: Ord + JsonSchema> JsonSchema for OrdSetOf<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Vec::<T>::json_schema(generator)
    }
}

/// The first message of a channel changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FirstMessageUpdate {
    /// ID of the channel that has another first message.
    pub stream_id: ChannelId,
    /// Present name of the channel, without a change.
    pub name: String,
    /// Always `first_message_id`.
    pub property: &'static str,
    /// ID of the oldest message that remains; null without messages.
    pub value: Option<MessageId>,
}

/// Other users were subscribed to channels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionPeerAdd(pub Peers);

/// Other users were unsubscribed from channels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionPeerRemove(pub Peers);

/// Subscriptions of others: each of the users and each of the channels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Peers {
    /// IDs of the channels in which each of the users was subscribed or unsubscribed.
    pub stream_ids: Vec<ChannelId>,
    /// IDs of the users, sorted.
    pub user_ids: OrdSetOf<UserId>,
}

impl Peers {
    pub fn new(channels: impl IntoIterator<Item = ChannelId>, users: OrdSet<UserId>) -> Self {
        Self { stream_ids: channels.into_iter().collect(), user_ids: OrdSetOf(users) }
    }
}

/// A flag was added to messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateMessageFlagsAdd {
    /// The same as `op`.
    #[schemars(extend("enum" = ["add"]))]
    pub operation: &'static str,
    /// `read`, `starred`, `collapsed` or `hide_link_previews`.
    #[schemars(extend("enum" = ["collapsed", "hide_link_previews", "read", "starred"]))]
    pub flag: &'static str,
    /// IDs of the messages that have the flag now; empty if `all` is true.
    pub messages: Vec<MessageId>,
    /// Whether all messages of the user were marked as read.
    pub all: bool,
}

/// A flag was removed from messages.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateMessageFlagsRemove {
    /// The same as `op`.
    #[schemars(extend("enum" = ["remove"]))]
    pub operation: &'static str,
    /// `read`, `starred`, `collapsed` or `hide_link_previews`.
    #[schemars(extend("enum" = ["collapsed", "hide_link_previews", "read", "starred"]))]
    pub flag: &'static str,
    /// IDs of the messages that lack the flag now.
    pub messages: Vec<MessageId>,
    /// Always false.
    pub all: bool,
    /// For messages that became unread: the data that a client needs to count them, by ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, MessageDetails>")]
    pub message_details: Option<Map<String, Value>>,
}

/// The location of an unread message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct MessageDetails {
    /// `private` for a direct message, `stream` for a channel message.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["private", "stream"]))]
    pub kind: &'static str,
    /// ID of the message's channel; absent for direct messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ChannelId")]
    pub stream_id: Option<ChannelId>,
    /// Topic of the message; absent for direct messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub topic: Option<String>,
    /// For channel messages: whether the topic is not muted. A topic without a policy is muted if its channel is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub unmuted_stream_msg: Option<bool>,
    /// IDs of the others in the conversation; absent for channel messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<UserId>")]
    pub user_ids: Option<Vec<UserId>>,
    /// True if the message mentions the user. Wildcard mentions don't count in muted topics and in direct messages of
    /// muted users.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub mentioned: Option<bool>,
}

/// The addition or removal of a flag.
#[derive(Clone, Debug)]
pub struct FlagUpdate {
    /// Whether the flag is added; if not, it is removed.
    pub is_added: bool,
    /// The name on the wire, such as `starred`.
    pub flag: &'static str,
    /// Empty if `all` is set.
    pub messages: Vec<MessageId>,
    /// Whether all of the user's messages were marked as read.
    pub all: bool,
    /// The data of messages that became unread, by ID.
    pub details: Option<Map<String, Value>>,
}

impl FlagUpdate {
    pub fn new(is_added: bool, flag: &'static str, messages: impl IntoIterator<Item = MessageId>) -> Self {
        Self { is_added, flag, messages: messages.into_iter().collect(), all: false, details: None }
    }
}

impl From<FlagUpdate> for Event {
    fn from(update: FlagUpdate) -> Self {
        let FlagUpdate { is_added, flag, messages, all, details } = update;
        match is_added {
            true => UpdateMessageFlagsAdd { operation: "add", flag, messages, all }.into(),
            false => {
                UpdateMessageFlagsRemove { operation: "remove", flag, messages, all, message_details: details }.into()
            }
        }
    }
}

/// Users became direct members of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupAddMembers(pub Members);

/// Users are no longer direct members of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupRemoveMembers(pub Members);

/// The changed direct members of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Members {
    /// ID of the group whose direct members changed.
    pub group_id: GroupId,
    /// IDs of the users who were added or removed.
    pub user_ids: Vec<UserId>,
}

/// Whether users were added to a group or removed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberChange {
    Add,
    Remove,
}

impl MemberChange {
    pub fn to_event(self, group_id: GroupId, users: impl IntoIterator<Item = UserId>) -> Event {
        let members = Members { group_id, user_ids: users.into_iter().collect() };
        match self {
            MemberChange::Add => UserGroupAddMembers(members).into(),
            MemberChange::Remove => UserGroupRemoveMembers(members).into(),
        }
    }
}
