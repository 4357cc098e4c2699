//! How topics are shown to users: what they choose, and what follows from taking part.

use crate::realm::Realm;
use crate::realm::log::event::data;
use crate::realm::log::event::{Audience, DeliveryCondition, EventData};
use crate::realm::model::id::{ChannelId, MessageId, UserId};
use crate::realm::model::message::{Message, Place};
use crate::realm::model::personal::{UserTopic, VisibilityPolicy};
use crate::realm::model::setting::UserSetting;
use crate::realm::model::topic::TopicKey;
use crate::realm::model::user::User;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// How a topic is shown to somebody from now on who takes part in it in a way to which their settings apply; None
    /// where that does not show more of it. A topic that the user muted is shown again.
    fn policy_by_taking_part(
        &self,
        user: &User,
        channel: ChannelId,
        topic: &str,
        applies: impl Fn(i64) -> bool,
    ) -> Option<VisibilityPolicy> {
        if user.is_bot() {
            return None;
        }
        let own = self.user_state(user.id);
        let is_muted = own.subscription(channel).is_some_and(|subscription| subscription.is_muted);
        let wanted = if applies(own.number(UserSetting::AutomaticallyFollowTopicsPolicy)) {
            VisibilityPolicy::Followed
        } else if is_muted && applies(own.number(UserSetting::AutomaticallyUnmuteTopicsInMutedStreamsPolicy)) {
            VisibilityPolicy::Unmuted
        } else {
            return None;
        };
        (own.topic_policy(channel, topic).number() < wanted.number()).then_some(wanted)
    }

    /// Whether somebody who sends to a topic begins it: nobody said anything there that they can see, and they said
    /// nothing of how it is shown.
    pub fn begins_topic(&self, user: &User, place: &Place) -> bool {
        let Place::Channel { channel, topic } = place else { return false };
        let is_seen = |id: MessageId| self.message_seen_by(user, id).is_some();
        let topic_messages = self.topics.get(&(*channel, TopicKey::new(topic)));
        self.user_state(user.id).topic_policy(*channel, topic) == VisibilityPolicy::None
            && topic_messages.is_none_or(|topic| !topic.messages.iter().any(is_seen))
    }

    /// What a user said of topics, in the order in which it was said first. What was said of an archived channel's is
    /// kept and left out.
    pub fn listed_topics(&self, user: UserId) -> impl Iterator<Item = (ChannelId, &UserTopic)> {
        let topics = self.user_state(user).topics_in_order().into_iter();
        topics.filter(|(channel, _)| !self.channels[channel].is_archived)
    }

    /// Muted topics in the legacy form: channel's name, topic, time.
    pub fn muted_topics(&self, user: UserId) -> Vec<(String, String, i64)> {
        let muted = self.listed_topics(user).filter(|(_, topic)| topic.policy == VisibilityPolicy::Muted);
        muted
            .map(|(channel, topic)| {
                (self.channels[&channel].name.clone(), topic.name.to_string(), topic.last_updated.seconds())
            })
            .collect()
    }
}

impl Tx {
    /// Follows or unmutes the topic as the sender's and the mentioned users' settings say; gives the sender's policy
    /// when it changed. Whether the message begins the topic is known only before it is there.
    pub fn apply_automatic_policies(
        &mut self,
        sender: &User,
        message: &Message,
        begins: bool,
    ) -> Option<VisibilityPolicy> {
        let Place::Channel { channel, topic } = &message.place else { return None };
        let body = &message.body;
        // 1 any participation, 2 sending, 3 beginning a topic, 4 never.
        let applies = |setting: i64| setting <= 2 || (setting == 3 && begins);
        let sender_policy = self.policy_by_taking_part(sender, *channel, topic, applies);
        if let Some(policy) = sender_policy {
            self.set_topic_policy(sender.id, *channel, topic.clone(), policy);
        }
        let mentioned: OrdSet<UserId> = body.mentioned.iter().chain(&body.group_mentioned).copied().collect();
        for user in mentioned {
            let own = self.user_state(user);
            let follows = own.is_on(UserSetting::AutomaticallyFollowTopicsWhereMentioned)
                && own.subscription(*channel).is_some()
                && matches!(own.topic_policy(*channel, topic), VisibilityPolicy::None | VisibilityPolicy::Unmuted);
            if follows && !self.users[&user].is_bot() {
                self.set_topic_policy(user, *channel, topic.clone(), VisibilityPolicy::Followed);
            }
        }
        sender_policy
    }

    /// Follows or unmutes the topic of a message that somebody reacted to or added to, if any participation does that.
    pub fn take_part(&mut self, user: &User, message: &Message) {
        let Some((channel, topic)) = message.channel() else { return };
        if self.user_state(user.id).subscription(channel).is_none() {
            return;
        }
        if let Some(policy) = self.policy_by_taking_part(user, channel, topic, |setting| setting == 1) {
            self.set_topic_policy(user.id, channel, topic.clone(), policy);
        }
    }

    /// Sets how a topic is shown to a user and tells their clients; false when it was so already.
    pub fn set_topic_policy(
        &mut self,
        user: UserId,
        channel: ChannelId,
        topic: Arc<str>,
        policy: VisibilityPolicy,
    ) -> bool {
        let is_new = self.note_topic_policy(user, channel, &topic, policy);
        if is_new {
            self.emit_muted_topics(user);
            self.emit_topic_policy(user, channel, &topic, policy);
        }
        is_new
    }

    /// Forgets what a user said of a topic, when `muted_topics` is to be sent with what follows.
    pub fn forget_topic_policy(&mut self, user: UserId, channel: ChannelId, topic: Arc<str>) {
        if self.note_topic_policy(user, channel, &topic, VisibilityPolicy::None) {
            self.emit_topic_policy(user, channel, &topic, VisibilityPolicy::None);
        }
    }

    fn note_topic_policy(
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
        let key = (channel, TopicKey::of(topic));
        let topics = &mut self.user_state_mut(user).topics;
        if policy == VisibilityPolicy::None {
            topics.remove(&key);
        } else if let Some(said) = topics.get_mut(&key) {
            // The topic stays spelt as when something was said of it first.
            let said = Arc::make_mut(said);
            (said.policy, said.last_updated) = (policy, now);
        } else {
            let place = topics.values().map(|topic| topic.place).max().unwrap_or_default() + 1;
            topics.insert(key, Arc::new(UserTopic { name: topic.clone(), policy, last_updated: now, place }));
        }
        true
    }

    fn emit_muted_topics(&mut self, user: UserId) {
        // The whole list is made for those alone who get it.
        if self.is_wanted_by(user, "muted_topics", DeliveryCondition::NoUserTopics) {
            let event = data::MutedTopics { muted_topics: self.muted_topics(user) };
            self.emit(Audience::user(user), event.only_for(DeliveryCondition::NoUserTopics));
        }
    }

    fn emit_topic_policy(&mut self, user: UserId, channel: ChannelId, topic: &str, policy: VisibilityPolicy) {
        let event = data::UserTopic {
            stream_id: channel,
            topic_name: topic.to_owned(),
            last_updated: self.now.seconds(),
            visibility_policy: policy.number(),
        };
        self.emit(Audience::user(user), event);
    }
}
