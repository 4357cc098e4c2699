//! Which messages users are informed of on their devices, and when these forget them again (A-55 in docs/assumptions.md).

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::SentMessage;
use crate::realm::model::id::{MessageId, UserId};
use crate::realm::model::message::{Message, Place};
use crate::realm::model::personal::VisibilityPolicy;
use crate::realm::model::push::{PushContent, PushTarget};
use crate::realm::model::setting::{RealmSetting, UserSetting};
use crate::realm::tx::Tx;
use crate::time::Span;
use std::sync::Arc;

/// Somebody who used a client this recently is there.
const STILL_THERE: Span = Span::seconds(200);

impl Realm {
    /// Whether a user wants to be notified of a message on their devices: it is unread, not their own nor of somebody that
    /// they muted, and their settings say so for its kind.
    fn wants_push(&self, user: UserId, message: &Message) -> bool {
        let own = self.user_state(user);
        if message.sender == user
            || !self.is_active(user)
            || !self.is_unread(user, message)
            || own.muted_users.contains_key(&message.sender)
            || (!own.is_on(UserSetting::EnableOnlinePushNotifications) && self.is_there(user))
        {
            return false;
        }
        let is_addressed = matches!(message.place, Place::Direct { .. }) || message.mentions(user);
        let wants_addressed = own.is_on(UserSetting::EnableOfflinePushNotifications);
        (is_addressed && wants_addressed)
            || (message.wildcard_mentions(user) && wants_addressed && self.wants_wildcards(user, message))
            || self.wants_all_of_topic(user, message)
    }

    /// Whether mentions of everybody count for the user where the message is.
    fn wants_wildcards(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel() else { return false };
        let own = self.user_state(user);
        let is_followed = own.topic_policy(channel, topic) == VisibilityPolicy::Followed;
        if is_followed && own.is_on(UserSetting::EnableFollowedTopicWildcardMentionsNotify) {
            return true;
        }
        let by_channel = own.subscription(channel).and_then(|subscription| subscription.wildcard_mentions_notify);
        by_channel.unwrap_or_else(|| own.is_on(UserSetting::WildcardMentionsNotify))
            && !own.is_topic_muted(channel, topic)
    }

    /// Whether the user wants all messages of the channel or, following it, of the topic.
    fn wants_all_of_topic(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel() else { return false };
        let own = self.user_state(user);
        let is_followed = own.topic_policy(channel, topic) == VisibilityPolicy::Followed;
        if is_followed && own.is_on(UserSetting::EnableFollowedTopicPushNotifications) {
            return true;
        }
        let by_channel = own.subscription(channel).and_then(|subscription| subscription.push_notifications);
        by_channel.unwrap_or_else(|| own.is_on(UserSetting::EnableStreamPushNotifications))
            && !own.is_topic_muted(channel, topic)
    }

    fn is_there(&self, user: UserId) -> bool {
        let active_at = self.user_state(user).presence.and_then(|presence| presence.active_at);
        active_at.is_some_and(|at| at.plus(STILL_THERE) > self.now)
    }
}

impl Tx {
    /// Hands a new message to the relay, for every device of those recipients who want to receive of it.
    pub fn push_message(&mut self, sent: &Arc<SentMessage>) {
        if !self.organization.is_on(RealmSetting::PushNotificationsEnabled) {
            return;
        }
        let message = &sent.message;
        // Few have devices, many receive a message.
        let reached = self.reached_by_push.iter().copied();
        let notified: Vec<UserId> = reached.filter(|user| self.wants_push(*user, message)).collect();
        self.push_to(notified, sent);
    }

    /// Hands an edited message to the relay, for those that it mentions only now.
    pub fn push_edited(&mut self, before: &Message, after: &Arc<Message>) {
        let Some(sender) = self.user(after.sender).cloned() else { return };
        if !self.organization.is_on(RealmSetting::PushNotificationsEnabled) {
            return;
        }
        let is_mentioned = |message: &Message, user| message.mentions(user) || message.wildcard_mentions(user);
        let is_newly_notified = |user: &UserId| {
            let is_shown = self.relay.shown.get(user).is_some_and(|shown| shown.contains(&after.id));
            is_mentioned(after, *user) && !is_mentioned(before, *user) && !is_shown && self.wants_push(*user, after)
        };
        let notified: Vec<UserId> = self.reached_by_push.iter().copied().filter(is_newly_notified).collect();
        let sent = Arc::new(SentMessage::of(self, after, &sender));
        self.push_to(notified, &sent);
    }

    /// The devices and tokens that pushes about messages reach a user by: where encryption is required, no legacy token
    ///
    fn message_targets(&self, user: UserId) -> Vec<PushTarget> {
        let mut targets = self.push_targets(user);
        if self.has(Feature::EncryptedPushesAlone)
            && self.organization.is_on(RealmSetting::RequireE2eePushNotifications)
        {
            targets.retain(|target| matches!(target, PushTarget::Device(_)));
        }
        targets
    }

    fn push_to(&mut self, users: Vec<UserId>, sent: &Arc<SentMessage>) {
        let message = &sent.message;
        for user in users {
            let targets = self.message_targets(user);
            if targets.is_empty() {
                continue;
            }
            for target in targets {
                self.push(user, target, PushContent::Message(sent.clone()));
            }
            self.realm_mut().relay.shown.entry(user).or_default().insert(message.id);
        }
    }

    /// Takes back what a user's devices show of messages that the user has read since, or that are gone.
    pub fn recall_pushes(&mut self, user: UserId) {
        let Some(shown) = self.relay.shown.get(&user) else { return };
        let is_over = |id: &MessageId| self.messages.get(id).is_none_or(|message| !self.is_unread(user, message));
        let over: Vec<MessageId> = shown.iter().copied().filter(is_over).collect();
        if over.is_empty() {
            return;
        }
        let left = shown.clone().relative_complement(over.iter().copied().collect());
        if left.is_empty() {
            self.realm_mut().relay.shown.remove(&user);
        } else {
            self.realm_mut().relay.shown.insert(user, left);
        }
        for target in self.message_targets(user) {
            self.push(user, target, PushContent::Removal(over.clone()));
        }
    }

    /// [`Tx::recall_pushes`] for everybody: messages were deleted.
    pub fn recall_all_pushes(&mut self) {
        let users: Vec<UserId> = self.relay.shown.keys().copied().collect();
        for user in users {
            self.recall_pushes(user);
        }
    }
}
