//! Who a message reaches by a mention although they are not where it was sent.

use crate::feature::Feature;
use crate::realm::model::id::UserId;
use crate::realm::model::message::{Body, Message, Place};
use crate::realm::tx::Tx;
use imbl::OrdSet;

impl Tx {
    /// Adds those mentioned by name that a message reaches outside of the channel's subscribers or of the conversation,
    /// where bots alone are reached. Below a level it is bots alone in channels too (A-270 in docs/assumptions.md).
    pub fn reach_mentioned(&self, place: &Place, body: &Body, recipients: &mut OrdSet<UserId>) {
        let channel = place.channel().map(|id| &self.channels[&id]);
        let reaches_people = channel.is_some() && self.has(Feature::MentionsReachReaders);
        let mentioned = body.mentioned.iter().filter_map(|user| self.users.get(user));
        for user in mentioned {
            let may_read = channel.is_none_or(|channel| self.can_read(user, channel));
            let is_reached = reaches_people || (user.is_generic_bot() && !user.is_system_bot());
            if user.is_active && is_reached && may_read {
                recipients.insert(user.id);
            }
        }
    }

    /// Marks a message as read for those who have it only because it mentions them: unread messages lie in subscribed
    /// channels, above the point from which on the subscription counts, and in one's own conversations (A-410 in
    /// docs/assumptions.md).
    pub fn read_outside(&mut self, message: &Message) {
        for user in &message.body.mentioned {
            let is_outside = match &message.place {
                Place::Channel { channel, .. } => {
                    let subscription = self.user_state(*user).subscription(*channel);
                    subscription.is_none_or(|subscription| subscription.since >= message.id)
                }
                Place::Direct { conversation } => !self.takes_part(*user, *conversation),
            };
            if is_outside {
                self.user_state_mut(*user).read.insert(message.id);
            }
        }
    }
}
