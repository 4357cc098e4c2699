//! Push notifications about messages: who receives them, and their removal when messages are read or deleted (A-55 in
//! docs/assumptions.md).

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::{Payload, SentMessage};
use crate::realm::log::queue::Queue;
use crate::realm::model::id::{MessageId, UserId};
use crate::realm::model::message::{Message, MessagePlace};
use crate::realm::model::personal::VisibilityPolicy;
use crate::realm::model::push::{PushContent, PushTarget};
use crate::realm::model::setting::{RealmSetting, UserSetting};
use crate::realm::tx::Tx;
use crate::time::Span;
use foldhash::HashSet;
use std::cell::LazyCell;
use std::sync::Arc;

/// Users who were active this recently count as online, if they have a client that receives messages.
const ONLINE_THRESHOLD: Span = Span::from_seconds(200);

/// The users who want a push for a message.
#[derive(Default)]
pub struct PushReceivers {
    /// Those who receive it at once.
    pub offline: Vec<UserId>,
    /// Those who are online, sorted. They receive it if it is unread when their last queue ends.
    pub online: Vec<UserId>,
}

impl Realm {
    /// Whether a user receives pushes for a message unless they are held back: the user is active, the message is
    /// unread, sent neither by the user nor by a user that they mute, and the user's settings enable pushes for it.
    fn wants_push(&self, user: UserId, message: &Message) -> bool {
        let state = self.user_state(user);
        if message.sender == user
            || !self.is_active(user)
            || !self.is_unread(user, message)
            || state.muted_users.contains_key(&message.sender)
        {
            return false;
        }
        let is_addressed = matches!(message.place, MessagePlace::Direct { .. }) || message.mentions(user);
        let wants_addressed = state.is_enabled(UserSetting::EnableOfflinePushNotifications);
        (is_addressed && wants_addressed)
            || (message.wildcard_mentions(user) && wants_addressed && self.wants_wildcards(user, message))
            || self.wants_all_messages(user, message)
    }

    /// Whether the user's settings enable notifications for wildcard mentions in the message's topic. False for direct
    /// messages.
    fn wants_wildcards(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel_and_topic() else { return false };
        let state = self.user_state(user);
        let is_followed = state.topic_policy(channel, topic) == VisibilityPolicy::Followed;
        if is_followed && state.is_enabled(UserSetting::EnableFollowedTopicWildcardMentionsNotify) {
            return true;
        }
        let channel_setting =
            state.subscription(channel).and_then(|subscription| subscription.wildcard_mentions_notify);
        channel_setting.unwrap_or_else(|| state.is_enabled(UserSetting::WildcardMentionsNotify))
            && !state.is_topic_muted(channel, topic)
    }

    /// Whether the user's settings enable pushes for all messages of the channel, unless the topic is muted, or of the
    /// followed topic.
    fn wants_all_messages(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel_and_topic() else { return false };
        let state = self.user_state(user);
        let is_followed = state.topic_policy(channel, topic) == VisibilityPolicy::Followed;
        if is_followed && state.is_enabled(UserSetting::EnableFollowedTopicPushNotifications) {
            return true;
        }
        let channel_setting = state.subscription(channel).and_then(|subscription| subscription.push_notifications);
        channel_setting.unwrap_or_else(|| state.is_enabled(UserSetting::EnableStreamPushNotifications))
            && !state.is_topic_muted(channel, topic)
    }

    /// Whether the user is online, and wants no pushes meanwhile.
    pub fn holds_back_pushes(&self, user: UserId) -> bool {
        self.wants_no_pushes_now(user) && self.users_who_receive_messages().contains(&user)
    }

    /// The users with an event queue that receives messages.
    fn users_who_receive_messages(&self) -> HashSet<UserId> {
        let receiving_queues = self.queues.values().filter(|queue| queue.options.receives_messages());
        receiving_queues.map(|queue| queue.owner).collect()
    }

    /// Whether the user was active a moment ago, and wants no pushes while online.
    fn wants_no_pushes_now(&self, user: UserId) -> bool {
        if self.user_state(user).is_enabled(UserSetting::EnableOnlinePushNotifications) {
            return false;
        }
        let active_at = self.user_state(user).presence.and_then(|presence| presence.active_at);
        active_at.is_some_and(|active_at| active_at.plus(ONLINE_THRESHOLD) > self.now)
    }

    /// The users of `users`, which are sorted, who want a push for a message. The queues are walked once at most,
    /// whatever the number of users.
    fn push_receivers_among(&self, users: impl Iterator<Item = UserId>, message: &Message) -> PushReceivers {
        if !self.organization.is_enabled(RealmSetting::PushNotificationsEnabled) {
            return PushReceivers::default();
        }
        let owners = LazyCell::new(|| self.users_who_receive_messages());
        let is_online = |user: &UserId| self.wants_no_pushes_now(*user) && owners.contains(user);
        let (online, offline) = users.filter(|user| self.wants_push(*user, message)).partition(is_online);
        PushReceivers { offline, online }
    }

    /// The users who want a push for a new message.
    pub fn push_receivers_of(&self, message: &Message) -> PushReceivers {
        // This iterates over users with devices or tokens, who are usually fewer than the recipients.
        self.push_receivers_among(self.users_with_push.iter().copied(), message)
    }
}

impl Tx {
    /// Pushes an edited message to the users that only the new text mentions and whose devices do not show it.
    pub fn push_edited_message(&mut self, before: &Message, after: &Arc<Message>) {
        let is_mentioned = |message: &Message, user| message.mentions(user) || message.wildcard_mentions(user);
        let is_newly_mentioned = |user: &UserId| {
            let is_shown = self.relay.shown_messages.get(user).is_some_and(|shown_ids| shown_ids.contains(&after.id));
            is_mentioned(after, *user) && !is_mentioned(before, *user) && !is_shown
        };
        let newly_mentioned = self.users_with_push.iter().copied().filter(is_newly_mentioned);
        let receivers = self.push_receivers_among(newly_mentioned, after);
        self.push_present_state(receivers.offline, after);
    }

    /// Pushes what was held back from a queue's owner, who has no other queue: the messages that the queue has for a
    /// client, and that are still unread.
    pub fn push_held_back_messages(&mut self, queue: &Queue) {
        let owner = queue.owner;
        let is_other_queue_of_owner = |candidate: &Arc<Queue>| candidate.owner == owner && candidate.id != queue.id;
        if !self.users_with_push.contains(&owner)
            || !self.is_active(owner)
            || self.queues.values().any(is_other_queue_of_owner)
        {
            return;
        }
        let pending_entries = self.log.entries_from(queue.cursor.entry);
        let is_acknowledged = |position: u64| position == queue.cursor.entry && queue.cursor.acknowledged_parts > 0;
        let held_back_ids: Vec<MessageId> = pending_entries
            .filter_map(|(position, entry)| match &entry.event.payload {
                Payload::Message(sent) if sent.held_back_from.binary_search(&owner).is_ok() => {
                    (!is_acknowledged(position) && queue.receives(entry)).then_some(sent.message.id)
                }
                _ => None,
            })
            .collect();
        for id in held_back_ids {
            let message = self.messages.get(&id).cloned();
            let user = &self.users[&owner];
            let is_wanted =
                |message: &Arc<Message>| self.is_unread(owner, message) && self.can_see_message(user, message);
            if let Some(message) = message.filter(is_wanted) {
                self.push_present_state(vec![owner], &message);
            }
        }
    }

    /// Pushes a message as it is now.
    fn push_present_state(&mut self, users: Vec<UserId>, message: &Arc<Message>) {
        let Some(sender) = self.user(message.sender).cloned() else { return };
        let sent_message = Arc::new(SentMessage::new(self, message, &sender));
        self.push_message(users, &sent_message);
    }

    /// The targets of pushes about messages: no tokens if encryption is required.
    fn message_targets(&self, user: UserId) -> Vec<PushTarget> {
        let mut targets = self.push_targets(user);
        if self.has(Feature::OnlyEncryptedPushes)
            && self.organization.is_enabled(RealmSetting::RequireE2eePushNotifications)
        {
            targets.retain(|target| matches!(target, PushTarget::Device(_)));
        }
        targets
    }

    /// Pushes a message to the devices and tokens of users.
    pub fn push_message(&mut self, users: Vec<UserId>, sent_message: &Arc<SentMessage>) {
        let message = &sent_message.message;
        for user in users {
            let targets = self.message_targets(user);
            if targets.is_empty() {
                continue;
            }
            for target in targets {
                self.push(user, target, PushContent::Message(sent_message.clone()));
            }
            self.realm_mut().relay.shown_messages.entry(user).or_default().insert(message.id);
        }
    }

    /// Removes from a user's devices the notifications of messages that were read or deleted.
    pub fn recall_pushes(&mut self, user: UserId) {
        let Some(shown_ids) = self.relay.shown_messages.get(&user) else { return };
        let is_obsolete = |id: &MessageId| self.messages.get(id).is_none_or(|message| !self.is_unread(user, message));
        let obsolete_ids: Vec<MessageId> = shown_ids.iter().copied().filter(is_obsolete).collect();
        if obsolete_ids.is_empty() {
            return;
        }
        let remaining_ids = shown_ids.clone().relative_complement(obsolete_ids.iter().copied().collect());
        if remaining_ids.is_empty() {
            self.realm_mut().relay.shown_messages.remove(&user);
        } else {
            self.realm_mut().relay.shown_messages.insert(user, remaining_ids);
        }
        for target in self.message_targets(user) {
            self.push(user, target, PushContent::Removal(obsolete_ids.clone()));
        }
    }

    /// Calls [`Tx::recall_pushes`] for all users, after messages were deleted.
    pub fn recall_all_pushes(&mut self) {
        let users: Vec<UserId> = self.relay.shown_messages.keys().copied().collect();
        for user in users {
            self.recall_pushes(user);
        }
    }
}
