//! Mentioned users who are not subscribed to the channel or not in the conversation: they receive the message too.

use crate::feature::Feature;
use crate::realm::model::id::UserId;
use crate::realm::model::message::{Body, Message, MessagePlace};
use crate::realm::tx::Tx;
use imbl::OrdSet;

impl Tx {
    /// Adds active users who are mentioned by name and may read the channel to the recipients. In conversations, and in
    /// channels below the level of [`Feature::MentionsReachReaders`], this applies only to generic bots (A-270 in
    /// docs/assumptions.md).
    pub fn add_mentioned_recipients(&self, place: &MessagePlace, body: &Body, recipients: &mut OrdSet<UserId>) {
        let channel = place.channel().map(|id| &self.channels[&id]);
        let reaches_people = channel.is_some() && self.has(Feature::MentionsReachReaders);
        let mentioned = body.mentioned_users.iter().filter_map(|user| self.users.get(user));
        for user in mentioned {
            let may_read = channel.is_none_or(|channel| self.can_read(user, channel));
            let receives_mentions = reaches_people || (user.is_generic_bot() && !user.is_system_bot());
            if user.is_active && receives_mentions && may_read {
                recipients.insert(user.id);
            }
        }
    }

    /// Marks a message as read for users who receive it only because of a mention. Only messages in the user's
    /// conversations, and in subscribed channels after subscribing, can be unread (A-410 in docs/assumptions.md).
    pub fn mark_as_read_for_outsiders(&mut self, message: &Message) {
        for user in &message.body.mentioned_users {
            let is_outside = match &message.place {
                MessagePlace::Channel { channel, .. } => {
                    let subscription = self.user_state(*user).subscription(*channel);
                    subscription.is_none_or(|subscription| subscription.since >= message.id)
                }
                MessagePlace::Direct { conversation } => !self.is_participant(*user, *conversation),
            };
            if is_outside {
                self.user_state_mut(*user).read.insert(message.id);
            }
        }
    }
}
