//! Adding, removing and moving messages, with their indexes, and creating conversations.

use super::Tx;
use crate::realm::model::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::model::message::{Conversation, Message, MessagePlace};
use crate::realm::model::message_ids::MessageIds;
use crate::realm::model::topic::{Topic, TopicKey};
use std::sync::Arc;

impl Tx {
    /// Adds a message and its index entries.
    pub fn add_message(&mut self, message: Message) -> Arc<Message> {
        let id = message.id;
        let message = Arc::new(message);
        self.index_message(&message);
        if let Some(channel) = message.place.channel().filter(|channel| self.channels[channel].first_message.is_none())
        {
            self.channel_mut(channel).first_message = Some(id);
        }
        self.realm.messages.insert(id, message.clone());
        message
    }

    /// Removes a message and its index entries, and the topic if it has no other messages.
    pub fn remove_message(&mut self, id: MessageId) -> Option<Arc<Message>> {
        let message = self.realm.messages.remove(&id)?;
        self.unindex_message(&message);
        // Flags of recipients remain: no index has them, and there may be very many recipients.
        for user in self.realm.late_holders.remove(&id).unwrap_or_default() {
            let state = self.user_state_mut(user);
            state.historical.remove(&id);
            state.starred.remove(&id);
            state.collapsed.remove(&id);
            state.hidden_previews.remove(&id);
        }
        for path_id in &message.body.uploads {
            if let Some(attachment) = self.realm.attachments.get_mut(path_id) {
                Arc::make_mut(attachment).messages.remove(&id);
            }
        }
        Some(message)
    }

    /// Does nothing if the message does not exist.
    pub fn move_message(&mut self, id: MessageId, place: MessagePlace) {
        let Some(before) = self.realm.messages.get(&id).cloned() else { return };
        self.unindex_message(&before);
        self.message_mut(id).place = place;
        let after = self.realm.messages[&id].clone();
        self.index_message(&after);
    }

    /// Creates the conversation of these users if it does not exist.
    pub fn find_or_create_conversation(&mut self, mut members: Vec<UserId>) -> RecipientId {
        members.sort_unstable();
        members.dedup();
        let members: Arc<[UserId]> = members.into();
        if let Some(id) = self.realm.conversations_by_members.get(&members) {
            return *id;
        }
        self.realm.counters.recipient += 1;
        let id = RecipientId(self.realm.counters.recipient);
        self.realm.conversations_by_members.insert(members.clone(), id);
        for member in members.iter() {
            self.user_state_mut(*member).conversations.insert(id);
        }
        self.realm.conversations.insert(id, Arc::new(Conversation { id, members, messages: MessageIds::default() }));
        id
    }

    fn channel_messages_mut(&mut self, channel: ChannelId) -> &mut MessageIds {
        Arc::make_mut(self.realm.channel_messages.get_mut(&channel).expect("the channel was looked up"))
    }

    fn index_message(&mut self, message: &Message) {
        match &message.place {
            MessagePlace::Channel { channel, topic } => {
                self.channel_messages_mut(*channel).insert(message.id);
                let key = (*channel, TopicKey::from_shared(topic));
                match self.realm.topics.get_mut(&key) {
                    Some(topic) => Arc::make_mut(topic).messages.insert(message.id),
                    None => {
                        let messages = [message.id].into_iter().collect();
                        self.realm.topics.insert(key, Arc::new(Topic { messages }));
                    }
                }
            }
            MessagePlace::Direct { conversation } => {
                if let Some(conversation) = self.realm.conversations.get_mut(conversation) {
                    Arc::make_mut(conversation).messages.insert(message.id);
                }
            }
        }
    }

    fn unindex_message(&mut self, message: &Message) {
        match &message.place {
            MessagePlace::Channel { channel, topic } => {
                self.channel_messages_mut(*channel).remove(message.id);
                let key = (*channel, TopicKey::from_shared(topic));
                if let Some(topic_entry) = self.realm.topics.get_mut(&key) {
                    let topic_entry = Arc::make_mut(topic_entry);
                    topic_entry.messages.remove(message.id);
                    if topic_entry.messages.is_empty() {
                        self.realm.topics.remove(&key);
                    }
                }
            }
            MessagePlace::Direct { conversation } => {
                if let Some(conversation) = self.realm.conversations.get_mut(conversation) {
                    Arc::make_mut(conversation).messages.remove(message.id);
                }
            }
        }
    }
}
