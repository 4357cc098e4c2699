//! Topics: listing those of a channel, and changing the caller's visibility policies for topics. A submodule deletes
//! topics.
//!
//! A choice for blank topics where the API is silent: A-456 in docs/assumptions.md.

pub mod delete;

use super::parameter::{Parameter, json_parameter, string_enum};
use super::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::personal::VisibilityPolicy;
use crate::realm::text::check_length;
use crate::realm::topic::{MAX_TOPIC_LENGTH, Topic, replace_empty_topic_name, topics_of_channel};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::message::display_topic_name;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::cmp::Reverse;

operation! {
    /// Lists the topics of a channel, also of an archived one, as far as the caller can read them.
    pub GetTopics = GET "/users/me/{stream_id}/topics", for User;
    params {
        /// ID of a channel that the caller can read; may be archived.
        @path stream_id: ChannelId,
        /// Whether the empty topic has the name "" instead of `realm_empty_topic_display_name`.
        allow_empty_topic_name since 334: bool = false,
    }
    reply TopicsReply;
    errors [InvalidChannelId];
}

/// Those topics of a channel that have a message which the caller can see.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TopicsReply {
    /// Sorted by newest message, newest first.
    pub topics: Vec<TopicRecord>,
}

/// A topic of a channel.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Topic")]
pub struct TopicRecord {
    /// Spelled as in the newest message that the caller can see.
    pub name: String,
    /// ID of the newest message that the caller can see.
    pub max_id: MessageId,
}

impl Read for GetTopics {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<TopicsReply, Error> {
        let caller = context.caller();
        let channel = realm.readable_channel(caller, params.stream_id)?;
        let mut topics: Vec<TopicRecord> = topics_of_channel(realm, channel.id)
            .filter_map(|topic| newest_visible_message(realm, caller, channel, topic))
            .filter_map(|id| {
                let (_, name) = realm.messages.get(&id)?.channel_and_topic()?;
                Some(TopicRecord { name: display_topic_name(name, params.allow_empty_topic_name), max_id: id })
            })
            .collect();
        topics.sort_by_key(|topic| Reverse(topic.max_id));
        Ok(TopicsReply { topics })
    }
}

/// The newest message of a topic that the user can see. With protected history, only messages that the user has as user
/// messages count.
fn newest_visible_message(realm: &Realm, user: &User, channel: &Channel, topic: &Topic) -> Option<MessageId> {
    if channel.privacy.has_public_history() {
        return topic.messages.last();
    }
    topic.messages.iter().rev().find(|id| realm.has_user_message(user.id, &realm.messages[id]))
}

operation! {
    /// Mutes, unmutes or follows a topic for the caller.
    pub SetTopicPolicy = POST "/user_topics", for User, since 170;
    params {
        /// ID of a channel, which the caller must be able to read unless the policy is 0.
        stream_id: ChannelId,
        /// Name of the topic, regardless of case, at most 60 code points; it need not exist.
        topic: TopicName,
        /// 0 inherited from the channel, 1 muted, 2 unmuted, 3 followed.
        visibility_policy: TopicPolicyParameter,
    }
    errors [InvalidValueBecause, InvalidChannelId];
    events [MutedTopics, UserTopic];
}

/// A topic in a request, trimmed: at most 60 code points. The display name of the empty topic counts as the empty
/// topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicName(pub String);

impl Parameter for TopicName {
    const IS_JSON: bool = false;

    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        // A blank name is the empty topic too (A-459 in docs/assumptions.md).
        let text = text.trim();
        check_length(text, name, MAX_TOPIC_LENGTH)?;
        Ok(Self(replace_empty_topic_name(text).to_owned()))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "maxLength": MAX_TOPIC_LENGTH})
    }
}

/// `visibility_policy`: the number of a [`VisibilityPolicy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicPolicyParameter(pub VisibilityPolicy);

impl Parameter for TopicPolicyParameter {
    fn from_text(text: &str, name: &str) -> Result<Self, Error> {
        let number: i64 = json_parameter(text, name)?;
        VisibilityPolicy::from_number(number).map(Self).ok_or_else(|| Error::disallowed_value(name))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "integer", "enum": [0, 1, 2, 3]})
    }
}

impl Write for SetTopicPolicy {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let TopicName(topic) = params.topic;
        let TopicPolicyParameter(policy) = params.visibility_policy;
        if policy == VisibilityPolicy::None {
            tx.channels.get(&params.stream_id).ok_or(Error::InvalidChannelId)?;
        } else {
            tx.readable_active_channel(caller, params.stream_id)?;
        }

        tx.set_topic_policy(caller.id, params.stream_id, topic.into(), policy);
        Ok(Success {})
    }
}

operation! {
    /// Mutes or unmutes a topic for the caller; deprecated, see POST /user_topics.
    pub MuteTopic = PATCH "/users/me/subscriptions/muted_topics", for User, deprecated 170 => "POST /user_topics";
    params {
        /// ID of the channel; required unless `stream` is given.
        stream_id: Option<ChannelId>,
        /// Name of the channel; refused together with `stream_id`.
        stream: Option<String>,
        /// Name of the topic, regardless of case, at most 60 code points; it need not exist.
        topic: TopicName,
        /// `add` mutes the topic, `remove` unmutes it.
        op: MuteOp,
    }
    errors [
        MissingParameter, UnsupportedCombination, InvalidChannelId, InvalidChannelName, TopicNotMuted,
    ];
    events [MutedTopics, UserTopic];
}

string_enum! {
    /// `op`: mute or unmute.
    pub enum MuteOp {
        Add = "add",
        Remove = "remove",
    }
}

impl Write for MuteTopic {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let TopicName(topic) = params.topic;
        let result = match (params.stream_id, params.stream) {
            (None, None) => return Err(Error::MissingParameter { var_name: "stream_id".into() }),
            (Some(_), Some(_)) => {
                return Err(Error::UnsupportedCombination { parameters: "stream_id, stream".into() });
            }
            // Unmuting does not require access to the channel.
            (Some(id), None) if params.op == MuteOp::Remove => tx.channels.get(&id).ok_or(Error::TopicNotMuted),
            (None, Some(name)) if params.op == MuteOp::Remove => {
                tx.channel_by_name(name.trim()).ok_or(Error::TopicNotMuted)
            }
            (Some(id), None) => tx.readable_active_channel(caller, id),
            (None, Some(name)) => tx.readable_active_channel_by_name(caller, &name),
        };
        let channel = result?.id;
        let policy = match params.op {
            MuteOp::Add => VisibilityPolicy::Muted,
            MuteOp::Remove => VisibilityPolicy::None,
        };
        let is_muted = tx.user_state(caller.id).topic_policy(channel, &topic) == VisibilityPolicy::Muted;
        if params.op == MuteOp::Add && is_muted && !context.has(Feature::MutingIsIdempotent) {
            return Err(Error::TopicAlreadyMuted);
        }
        if params.op == MuteOp::Remove && !is_muted && !context.has(Feature::MutingIsIdempotent) {
            return Err(Error::TopicNotMuted);
        }

        tx.set_topic_policy(caller.id, channel, topic.into(), policy);
        Ok(Success {})
    }
}
