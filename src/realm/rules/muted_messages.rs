//! Whether a message is muted for a user, by topic, channel or sender.

use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::message::{Message, MessagePlace};
use crate::realm::model::personal::VisibilityPolicy;

impl Realm {
    /// Whether the message's topic is muted (see [`UserState::is_topic_muted`]), or the sender of a direct message.
    pub fn is_muted_for(&self, user: UserId, message: &Message) -> bool {
        match &message.place {
            MessagePlace::Channel { channel, topic } => self.user_state(user).is_topic_muted(*channel, topic),
            MessagePlace::Direct { .. } => self.user_state(user).muted_users.contains_key(&message.sender),
        }
    }

    /// Whether the user's combined feed leaves the message out: its topic is muted, or its channel is muted and the
    /// topic neither unmuted nor followed.
    pub fn is_excluded_from_home(&self, user: UserId, message: &Message) -> bool {
        let Some((channel, topic)) = message.channel_and_topic() else { return false };
        let state = self.user_state(user);
        match state.topic_policy(channel, topic) {
            VisibilityPolicy::Muted => true,
            VisibilityPolicy::Unmuted | VisibilityPolicy::Followed => false,
            VisibilityPolicy::None => state.subscription(channel).is_some_and(|subscription| subscription.is_muted),
        }
    }

    /// Whether the user has muted the message's topic or, if `with_channels`, its channel. Unlike
    /// [`Realm::is_excluded_from_home`], unmuted topics of muted channels count as muted.
    pub fn is_topic_or_channel_muted(&self, user: UserId, message: &Message, with_channels: bool) -> bool {
        let Some((channel, topic)) = message.channel_and_topic() else { return false };
        let state = self.user_state(user);
        let in_muted_channel = || state.subscription(channel).is_some_and(|subscription| subscription.is_muted);
        state.topic_policy(channel, topic) == VisibilityPolicy::Muted || (with_channels && in_muted_channel())
    }
}
