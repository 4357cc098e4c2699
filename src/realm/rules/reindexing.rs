//! Computes the indexes and the agenda of a realm that was read from a document.

use crate::realm::Realm;
use crate::realm::model::agenda::AgendaItem;
use crate::realm::model::message::MessagePlace;
use crate::realm::model::topic::{Topic, TopicKey};
use crate::realm::model::user::User;
use crate::realm::tx::Tx;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Realm {
    /// The realm with its indexes and agenda.
    #[must_use]
    pub fn reindexed(mut self) -> Self {
        self.system_groups =
            Arc::new(self.groups.values().filter_map(|group| Some((group.system?, group.id))).collect());
        self.users_by_email = self.users.values().map(|user| (user.email.to_lowercase(), user.id)).collect();
        self.users_by_key = self.users.values().map(|user| (user.api_key.clone(), user.id)).collect();
        let is_active_user = |user: &&Arc<User>| user.is_active && !user.is_system_bot();
        self.active_users = self.users.values().filter(is_active_user).map(|user| user.id).collect();
        self.channels_by_name =
            self.channels.values().map(|channel| (channel.name.to_lowercase(), channel.id)).collect();
        self.conversations_by_members =
            self.conversations.values().map(|conversation| (conversation.members.clone(), conversation.id)).collect();
        let mut messages_by_topic: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut messages_by_channel: BTreeMap<_, Vec<_>> = self.channels.keys().map(|id| (*id, Vec::new())).collect();
        for message in self.messages.values() {
            if let MessagePlace::Channel { channel, topic } = &message.place {
                messages_by_topic.entry((*channel, TopicKey::new(topic))).or_default().push(message.id);
                messages_by_channel.entry(*channel).or_default().push(message.id);
            }
        }
        let to_topic = |messages: Vec<_>| Arc::new(Topic { messages: messages.into_iter().collect() });
        self.topics = messages_by_topic.into_iter().map(|(key, messages)| (key, to_topic(messages))).collect();
        let to_ids = |messages: Vec<_>| Arc::new(messages.into_iter().collect());
        self.channel_messages =
            messages_by_channel.into_iter().map(|(channel, messages)| (channel, to_ids(messages))).collect();
        self.upload_space_used = self.computed_upload_space();
        self.share_subscribers();
        for (user, state) in &self.user_states.clone() {
            if !self.push_targets(*user).is_empty() {
                self.users_with_push.insert(*user);
            }
            for word in &state.alert_words {
                self.users_by_alert_word.entry(word.to_lowercase()).or_default().insert(*user);
            }
            for muted in state.muted_users.keys() {
                self.users_by_muted_user.entry(*muted).or_default().insert(*user);
            }
            for message in &state.historical {
                self.late_holders.entry(*message).or_default().insert(*user);
            }
        }
        self.with_agenda()
    }

    /// Makes channels share the set of subscribers with their newest message, if its recipients are the same users.
    /// Comparing sets that share memory is fast.
    fn share_subscribers(&mut self) {
        for (id, ids) in &self.channel_messages {
            let newest = ids.last().and_then(|newest| self.messages.get(&newest));
            if let (Some(newest), Some(channel)) = (newest, self.channels.get_mut(id))
                && channel.subscribers == newest.recipients
            {
                Arc::make_mut(channel).subscribers = newest.recipients.clone();
            }
        }
    }

    /// Schedules all agenda items except those of queues.
    pub(super) fn with_agenda(self) -> Self {
        let mut tx = Tx::new(self);
        let reminders: Vec<_> = tx.reminders.values().cloned().collect();
        for reminder in reminders.iter().filter(|reminder| !reminder.has_failed) {
            tx.schedule(AgendaItem::Reminder(reminder.id), Some(reminder.deliver_at));
        }
        let scheduled_messages: Vec<_> = tx.scheduled_messages.values().cloned().collect();
        for message in scheduled_messages.iter().filter(|message| !message.has_failed) {
            tx.schedule(AgendaItem::ScheduledMessage(message.id), Some(message.deliver_at));
        }
        let now = tx.now;
        let links: Vec<_> = tx.invite_links.values().filter(|link| !link.is_revoked).cloned().collect();
        for link in links {
            tx.schedule(AgendaItem::InviteLink(link.id), link.terms.expires_at.filter(|expires_at| *expires_at > now));
        }
        let invites: Vec<_> = tx.invites.values().cloned().collect();
        for invite in invites {
            tx.schedule(AgendaItem::Invite(invite.id), invite.terms.expires_at.filter(|expires_at| *expires_at > now));
        }
        let exports: Vec<_> = tx.exports.values().cloned().collect();
        for export in exports {
            tx.schedule(AgendaItem::Export(export.id), export.ready_at());
        }
        let pictures: Vec<_> = tx.attachments.values().filter(|file| file.thumbnails_at.is_some()).cloned().collect();
        for picture in pictures {
            tx.schedule(AgendaItem::Thumbnails(picture.path_id.clone()), picture.thumbnails_at);
        }
        for (id, at) in tx.pending_previews.clone() {
            tx.schedule(AgendaItem::PagePreviews(id), Some(at));
        }
        let users: Vec<_> = tx.users.keys().copied().collect();
        for user in users {
            tx.schedule_full_membership(user);
        }
        tx.into_realm()
    }
}
