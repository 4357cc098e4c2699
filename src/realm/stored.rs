//! How a realm is written down whole and read again: what serde can't do by itself, and the indexes that are made again.
//!
//! Queues, the event log and everything that follows from the rest are not written.

pub mod messages;

use super::Realm;
use super::change::Tx;
use super::channel::{Topic, TopicKey};
use super::id::LinkifierId;
use super::linkifier::{Linkifier, LinkifierSource};
use super::message::Place;
use super::permission::{CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, GroupSettingValue, Permissions, REALM_PERMISSIONS};
use super::setting::{REALM_SETTINGS, USER_SETTINGS};
use super::timer::Due;
use super::user::EmailVisibility;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use imbl::{OrdMap, Vector};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Permissions by name; names are those of the tables.
pub mod permissions {
    use super::*;

    /// Writes them as they are.
    pub fn serialize<S: Serializer>(permissions: &Permissions, serializer: S) -> Result<S::Ok, S::Error> {
        permissions.serialize(serializer)
    }

    /// Reads them; an unknown name is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Permissions, D::Error> {
        let read = BTreeMap::<String, GroupSettingValue>::deserialize(deserializer)?;
        let tables = || REALM_PERMISSIONS.iter().chain(CHANNEL_PERMISSIONS).chain(GROUP_PERMISSIONS);
        let named = |(name, value): (String, GroupSettingValue)| {
            let row = tables().find(|row| row.name == name);
            row.map(|row| (row.name, value)).ok_or_else(|| D::Error::custom(format!("no permission is called {name}")))
        };
        read.into_iter().map(named).collect()
    }
}

/// Settings by name; names are those of the tables.
pub mod settings {
    use super::*;

    /// Writes them as they are.
    pub fn serialize<S: Serializer>(settings: &OrdMap<&'static str, Value>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(settings.iter())
    }

    /// Reads them; an unknown name or a value of the wrong kind is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OrdMap<&'static str, Value>, D::Error> {
        let read = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let named = |(name, value): (String, Value)| {
            // The one default of new users that is in the account.
            let (name, is_sound) = if name == "email_address_visibility" {
                let visibility = value.as_i64().and_then(EmailVisibility::from_number);
                ("email_address_visibility", visibility.is_some())
            } else {
                let row = USER_SETTINGS.iter().chain(REALM_SETTINGS.iter()).find(|row| row.name == name);
                let row = row.ok_or_else(|| D::Error::custom(format!("no setting is called {name}")))?;
                (row.name, row.kind.accepts(&value))
            };
            if is_sound { Ok((name, value)) } else { Err(D::Error::custom(format!("{name} can't be {value}"))) }
        };
        read.into_iter().map(named).collect()
    }
}

/// A map as a list of pairs, for keys that no JSON object can have.
pub mod pairs {
    use super::*;

    /// Writes the pairs in the order of their keys.
    pub fn serialize<K, V, S>(map: &OrdMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
    where
        K: Ord + Serialize,
        V: Serialize,
        S: Serializer,
    {
        serializer.collect_seq(map.iter())
    }

    /// Reads the pairs.
    pub fn deserialize<'de, K, V, D>(deserializer: D) -> Result<OrdMap<K, V>, D::Error>
    where
        K: Ord + Clone + Deserialize<'de>,
        V: Clone + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// Bytes by content hash, as base64.
pub mod blobs {
    use super::*;

    /// Writes them.
    pub fn serialize<S: Serializer>(blobs: &OrdMap<String, Bytes>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(blobs.iter().map(|(hash, bytes)| (hash, STANDARD.encode(bytes))))
    }

    /// Reads them; bytes that are not what their hash says are an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OrdMap<String, Bytes>, D::Error> {
        let decode = |(hash, text): (String, String)| {
            let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
            if crate::realm::content_hash(&bytes) != hash {
                return Err(D::Error::custom(format!("the bytes of {hash} are others")));
            }
            Ok((hash, Bytes::from(bytes)))
        };
        BTreeMap::<String, String>::deserialize(deserializer)?.into_iter().map(decode).collect()
    }
}

/// Linkifiers by what they were made of; they are compiled again.
pub mod linkifiers {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Stored {
        id: LinkifierId,
        pattern: String,
        url_template: String,
        example_input: Option<String>,
        reverse_template: Option<String>,
        alternative_url_templates: Vec<String>,
    }

    /// Writes them in their order.
    pub fn serialize<S: Serializer>(linkifiers: &Vector<Arc<Linkifier>>, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = |one: &Arc<Linkifier>| Stored {
            id: one.id,
            pattern: one.pattern.clone(),
            url_template: one.url_template.clone(),
            example_input: one.example_input.clone(),
            reverse_template: one.reverse_template.clone(),
            alternative_url_templates: one.alternative_url_templates.clone(),
        };
        serializer.collect_seq(linkifiers.iter().map(stored))
    }

    /// Reads and compiles them.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vector<Arc<Linkifier>>, D::Error> {
        let compile = |stored: Stored| {
            let source = LinkifierSource {
                pattern: stored.pattern,
                url_template: stored.url_template,
                example_input: stored.example_input,
                reverse_template: stored.reverse_template,
                alternative_url_templates: stored.alternative_url_templates,
            };
            let compiled = Linkifier::compile(stored.id, source);
            compiled.map(Arc::new).map_err(|errors| D::Error::custom(errors.first_message()))
        };
        Vec::<Stored>::deserialize(deserializer)?.into_iter().map(compile).collect()
    }
}

impl Realm {
    /// Makes all indexes and the agenda again from what was read.
    #[must_use]
    pub fn reindexed(mut self) -> Self {
        self.system_groups =
            Arc::new(self.groups.values().filter_map(|group| Some((group.system?, group.id))).collect());
        self.users_by_email = self.users.values().map(|user| (user.email.to_lowercase(), user.id)).collect();
        self.users_by_key = self.users.values().map(|user| (user.api_key.clone(), user.id)).collect();
        let counts = |user: &&Arc<super::user::User>| user.is_active && !user.is_system_bot();
        self.active_users = self.users.values().filter(counts).map(|user| user.id).collect();
        self.channels_by_name = self.channels.values().map(|one| (one.name.to_lowercase(), one.id)).collect();
        self.conversations_by_members = self.conversations.values().map(|one| (one.members.clone(), one.id)).collect();
        let mut topics: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut channels: BTreeMap<_, Vec<_>> = self.channels.keys().map(|id| (*id, Vec::new())).collect();
        for message in self.messages.values() {
            if let Place::Channel { channel, topic } = &message.place {
                topics.entry((*channel, TopicKey::new(topic))).or_default().push(message.id);
                channels.entry(*channel).or_default().push(message.id);
            }
        }
        let topic = |messages: Vec<_>| Arc::new(Topic { messages: messages.into_iter().collect() });
        self.topics = topics.into_iter().map(|(key, messages)| (key, topic(messages))).collect();
        for (id, messages) in &channels {
            let channel = self.channels.get_mut(id).filter(|channel| channel.first_message.is_none());
            if let (Some(channel), Some(first)) = (channel, messages.first()) {
                Arc::make_mut(channel).first_message = Some(*first);
            }
        }
        let ids = |messages: Vec<_>| Arc::new(messages.into_iter().collect());
        self.channel_messages = channels.into_iter().map(|(channel, messages)| (channel, ids(messages))).collect();
        self.upload_space_used = self.upload_space();
        self.share_subscribers();
        for (user, own) in &self.personal.clone() {
            if !self.push_targets(*user).is_empty() {
                self.reached_by_push.insert(*user);
            }
            for word in &own.alert_words {
                self.alert_words.entry(word.to_lowercase()).or_default().insert(*user);
            }
            for muted in own.muted_users.keys() {
                self.muted_by.entry(*muted).or_default().insert(*user);
            }
            for message in &own.historical {
                self.late_rows.entry(*message).or_default().insert(*user);
            }
        }
        self.with_agenda()
    }

    /// Lets channels share their subscribers with the newest message that went to the same people: what is asked of both
    /// compares parts that they share at once.
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

    /// Puts everything to come on the agenda, queues aside.
    pub(super) fn with_agenda(self) -> Self {
        let mut tx = Tx::new(self);
        let reminders: Vec<_> = tx.reminders.values().cloned().collect();
        for reminder in reminders.iter().filter(|reminder| !reminder.has_failed) {
            tx.schedule(Due::Reminder(reminder.id), Some(reminder.deliver_at));
        }
        let scheduled: Vec<_> = tx.scheduled_messages.values().cloned().collect();
        for message in scheduled.iter().filter(|message| !message.has_failed) {
            tx.schedule(Due::ScheduledMessage(message.id), Some(message.deliver_at));
        }
        let now = tx.now;
        let links: Vec<_> = tx.invite_links.values().filter(|link| !link.is_revoked).cloned().collect();
        for link in links {
            tx.schedule(Due::InviteLink(link.id), link.terms.expires_at.filter(|at| *at > now));
        }
        let invites: Vec<_> = tx.invites.values().cloned().collect();
        for invite in invites {
            tx.schedule(Due::Invite(invite.id), invite.terms.expires_at.filter(|at| *at > now));
        }
        let exports: Vec<_> = tx.exports.values().cloned().collect();
        for export in exports {
            tx.schedule(Due::Export(export.id), export.due_at());
        }
        let users: Vec<_> = tx.users.keys().copied().collect();
        for user in users {
            tx.schedule_full_membership(user);
        }
        tx.into_realm()
    }
}
