//! The first message of a channel, by which clients know how far back its history goes.

use crate::realm::Realm;
use crate::realm::change::{FIRST_MESSAGE_CHANGES_SINCE, Tx};
use crate::realm::event::{DeliveryCondition, Event};
use crate::realm::id::{ChannelId, MessageId};
use serde_json::json;
use std::collections::BTreeMap;

/// The first messages of channels, before messages come to them and go otherwise than by sending.
pub(super) struct FirstMessages(BTreeMap<ChannelId, Option<MessageId>>);

impl FirstMessages {
    /// As they are.
    pub(super) fn of(realm: &Realm, channels: impl IntoIterator<Item = ChannelId>) -> Self {
        Self(channels.into_iter().map(|channel| (channel, realm.messages_in(channel).first())).collect())
    }

    /// Tells who sees a channel that another message is its first.
    pub(super) fn tell_changes(self, tx: &mut Tx) {
        if tx.is_before(FIRST_MESSAGE_CHANGES_SINCE) {
            return;
        }
        for (channel, first) in self.0 {
            let channel = tx.channels[&channel].clone();
            let now_first = tx.messages_in(channel.id).first();
            if now_first != first {
                let audience = tx.who_can_see(&channel);
                let fields = json!({
                    "stream_id": channel.id,
                    "name": channel.name,
                    "property": "first_message_id",
                    "value": now_first,
                });
                let event = Event::shaped("stream", Some("update"), fields);
                tx.emit(audience, event.only_for(DeliveryCondition::of_channel(channel.is_archived)));
            }
        }
    }
}
