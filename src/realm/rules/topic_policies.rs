//! Topic policies (`visibility_policy`): explicit changes, and automatic changes when users participate in a topic.

use crate::realm::Realm;
use crate::realm::log::event::data;
use crate::realm::log::event::{Audience, DeliveryCondition, EventData};
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::{Message, MessagePlace};
use crate::realm::model::personal::{UserTopic, VisibilityPolicy};
use crate::realm::model::setting::UserSetting;
use crate::realm::model::topic::TopicKey;
use crate::realm::model::user::User;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// The policy that a user's settings give a topic when they participate in it. None if the topic keeps its policy.
    /// `applies` returns whether the value of a setting covers the kind of participation.
    fn policy_after_participation(
        &self,
        user: &User,
        channel: ChannelId,
        topic: &str,
        applies: impl Fn(i64) -> bool,
    ) -> Option<VisibilityPolicy> {
        if user.is_bot() {
            return None;
        }
        let state = self.user_state(user.id);
        let is_muted = state.subscription(channel).is_some_and(|subscription| subscription.is_muted);
        let new_policy = if applies(state.number(UserSetting::AutomaticallyFollowTopicsPolicy)) {
            VisibilityPolicy::Followed
        } else if is_muted && applies(state.number(UserSetting::AutomaticallyUnmuteTopicsInMutedStreamsPolicy)) {
            VisibilityPolicy::Unmuted
        } else {
            return None;
        };
        // In the order of the numbers, unmuted replaces none and muted, and followed replaces all of them.
        (state.topic_policy(channel, topic).number() < new_policy.number()).then_some(new_policy)
    }

    /// Whether a message begins a topic for its sender: they can see no messages in it, and have set no policy.
    pub fn begins_topic(&self, user: &User, place: &MessagePlace) -> bool {
        let MessagePlace::Channel { channel, topic } = place else { return false };
        let is_visible = |id: MessageId| self.visible_message(user, id).is_some();
        let topic_messages = self.topics.get(&(*channel, TopicKey::new(topic)));
        self.user_state(user.id).topic_policy(*channel, topic) == VisibilityPolicy::None
            && topic_messages.is_none_or(|topic| !topic.messages.iter().any(is_visible))
    }

    /// Topics with a policy, in the order in which the user first set one. Topics of archived channels are left out.
    pub fn topics_with_policy(&self, user: UserId) -> impl Iterator<Item = (ChannelId, &UserTopic)> {
        let topics = self.user_state(user).topics_in_order().into_iter();
        topics.filter(|(channel, _)| !self.channels[channel].is_archived)
    }

    /// Muted topics in the legacy format: channel name, topic, UNIX seconds.
    pub fn muted_topics(&self, user: UserId) -> Vec<(String, String, i64)> {
        let muted = self.topics_with_policy(user).filter(|(_, topic)| topic.policy == VisibilityPolicy::Muted);
        muted
            .map(|(channel, topic)| {
                (self.channels[&channel].name.clone(), topic.name.to_string(), topic.last_updated.seconds())
            })
            .collect()
    }
}

impl Tx {
    /// Follows or unmutes the topic of a new message according to the settings of the sender and the mentioned users.
    /// Returns the sender's new policy, None if it is unchanged. The caller calls [`Realm::begins_topic`] before it
    /// adds the message.
    pub fn apply_automatic_policies(
        &mut self,
        sender: &User,
        message: &Message,
        begins_topic: bool,
    ) -> Option<VisibilityPolicy> {
        let MessagePlace::Channel { channel, topic } = &message.place else { return None };
        let body = &message.body;
        // Values of the settings: 1 any participation, 2 sending, 3 beginning a topic, 4 never.
        let applies = |setting: i64| setting <= 2 || (setting == 3 && begins_topic);
        let sender_policy = self.policy_after_participation(sender, *channel, topic, applies);
        if let Some(policy) = sender_policy {
            self.set_topic_policy(sender.id, *channel, topic.clone(), policy);
        }
        let mentioned: OrdSet<UserId> =
            body.mentioned_users.iter().chain(&body.group_mentioned_users).copied().collect();
        for user in mentioned {
            let state = self.user_state(user);
            let follows = state.is_enabled(UserSetting::AutomaticallyFollowTopicsWhereMentioned)
                && state.subscription(*channel).is_some()
                && matches!(state.topic_policy(*channel, topic), VisibilityPolicy::None | VisibilityPolicy::Unmuted);
            if follows && !self.users[&user].is_bot() {
                self.set_topic_policy(user, *channel, topic.clone(), VisibilityPolicy::Followed);
            }
        }
        sender_policy
    }

    /// Follows or unmutes the topic of a message to which a user added a reaction or submessage, according to their
    /// settings.
    pub fn apply_participation_policy(&mut self, user: &User, message: &Message) {
        let Some((channel, topic)) = message.channel_and_topic() else { return };
        if self.user_state(user.id).subscription(channel).is_none() {
            return;
        }
        if let Some(policy) = self.policy_after_participation(user, channel, topic, |setting| setting == 1) {
            self.set_topic_policy(user.id, channel, topic.clone(), policy);
        }
    }

    /// Sets a policy and emits its events. Returns whether it changed.
    pub fn set_topic_policy(
        &mut self,
        user: UserId,
        channel: ChannelId,
        topic: Arc<str>,
        policy: VisibilityPolicy,
    ) -> bool {
        let is_changed = self.store_topic_policy(user, channel, &topic, policy);
        if is_changed {
            self.emit_muted_topics(user);
            self.emit_topic_policy(user, channel, &topic, policy);
        }
        is_changed
    }

    /// Removes a policy without emitting `muted_topics`, which the caller emits with its next change.
    pub fn clear_topic_policy(&mut self, user: UserId, channel: ChannelId, topic: Arc<str>) {
        if self.store_topic_policy(user, channel, &topic, VisibilityPolicy::None) {
            self.emit_topic_policy(user, channel, &topic, VisibilityPolicy::None);
        }
    }

    /// Returns whether the policy changed.
    fn store_topic_policy(
        &mut self,
        user: UserId,
        channel: ChannelId,
        topic: &Arc<str>,
        policy: VisibilityPolicy,
    ) -> bool {
        if self.user_state(user).topic_policy(channel, topic) == policy {
            return false;
        }
        let now = self.now;
        let key = (channel, TopicKey::from_shared(topic));
        let topics = &mut self.user_state_mut(user).topics;
        if policy == VisibilityPolicy::None {
            topics.remove(&key);
        } else if let Some(user_topic) = topics.get_mut(&key) {
            // The topic keeps the spelling of the first change.
            let user_topic = Arc::make_mut(user_topic);
            (user_topic.policy, user_topic.last_updated) = (policy, now);
        } else {
            let position = topics.values().map(|topic| topic.position).max().unwrap_or_default() + 1;
            topics.insert(key, Arc::new(UserTopic { name: topic.clone(), policy, last_updated: now, position }));
        }
        true
    }

    fn emit_muted_topics(&mut self, user: UserId) {
        // The list may be long, so it is built only if a client or watcher receives it.
        if self.has_reader_for(user, "muted_topics", DeliveryCondition::NoUserTopics) {
            let event = data::MutedTopics { muted_topics: self.muted_topics(user) };
            self.emit(Audience::of_user(user), event.only_for(DeliveryCondition::NoUserTopics));
        }
    }

    fn emit_topic_policy(&mut self, user: UserId, channel: ChannelId, topic: &str, policy: VisibilityPolicy) {
        let event = data::UserTopic {
            stream_id: channel,
            topic_name: topic.to_owned(),
            last_updated: self.now.seconds(),
            visibility_policy: policy.number(),
        };
        self.emit(Audience::of_user(user), event);
    }
}
