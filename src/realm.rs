//! The data of one organization and the rules over it: no HTTP, no async, no wall clock.
//!
//! [`Realm`] is a value made of persistent maps: cloning it copies some pointers, so that a private
//! copy per request, a fork and a snapshot all cost next to nothing.

pub mod invariants;
pub mod log;
pub mod model;
pub mod narrow;
pub mod rules;
pub mod tx;

pub use log::{event, queue};
pub use model::{
    address, agenda, channel, channel_switch, client, counters, device, distinct, export, form, group, id, linkifier,
    membership, memo, message, message_ids, organization, palette, permission, personal, picture, playground, preview,
    push, read_set, resumable, seeded_rng, sent_message, setting, site, stored, system_group, text, time_zone, topic,
    user, walk, webhook_call,
};
pub use rules::{
    access, account_addresses, account_names, account_rights, belongings, bot_owner, deletion, editing, exporting,
    flag, full_members, groups, invitation, mentions_outside, muting, notice, permission_holders, posting, presence,
    previews, pushing, reindexing, render, rows, schedule, send, setting_values, timer, topic_visibility, visibility,
    wanted_emoji, webhook, widget,
};

use channel::{Channel, Folder};
use counters::Counters;
use event::EventLog;
use group::{Group, SystemGroup};
use id::{
    ChannelId, EmojiId, ExportId, FolderId, GroupId, InviteId, InviteLinkId, MessageId, ProfileFieldId, RecipientId,
    ReminderId, ScheduledMessageId, UserId,
};
use imbl::{OrdMap, OrdSet, Vector};
use message::{Attachment, Conversation, CustomEmoji, Message};
use message_ids::MessageIds;
use organization::{Invite, InviteLink, Organization, ProfileField, Reminder, ScheduledMessage};
use personal::UserState;
use queue::{Queue, QueueId};
use seeded_rng::SeededRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use text::in_lowercase;
use topic::{Topic, TopicKey};
use user::User;

use crate::time::Timestamp;

/// How many users, messages and the like make an organization a large one.
const LARGE: usize = 4_000;

/// One organization, whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Realm {
    /// The time up to which everything that was due is done.
    pub now: Timestamp,
    /// The organization itself.
    pub organization: Arc<Organization>,
    /// Accounts, the system's bots included.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub users: OrdMap<UserId, Arc<User>>,
    /// What is the users' own.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub personal: OrdMap<UserId, Arc<UserState>>,
    /// Accounts by real address in lower case.
    #[serde(skip)]
    pub users_by_email: OrdMap<String, UserId>,
    /// Accounts by API key.
    #[serde(skip)]
    pub users_by_key: OrdMap<String, UserId>,
    /// Active accounts, the system's bots left out.
    #[serde(skip)]
    pub active_users: OrdSet<UserId>,
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub groups: OrdMap<GroupId, Arc<Group>>,
    /// What is known of members through subgroups.
    #[serde(skip)]
    pub memberships: membership::Memberships,
    /// The system's groups.
    #[serde(skip)]
    pub system_groups: Arc<BTreeMap<SystemGroup, GroupId>>,
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub channels: OrdMap<ChannelId, Arc<Channel>>,
    /// Channels by name in lower case.
    #[serde(skip)]
    pub channels_by_name: OrdMap<String, ChannelId>,
    /// Channel folders.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub folders: OrdMap<FolderId, Arc<Folder>>,
    /// The messages of each channel; apart from the channels, which stay the same when something is sent to them.
    #[serde(skip)]
    pub channel_messages: OrdMap<ChannelId, Arc<MessageIds>>,
    /// Topics that have messages.
    #[serde(skip)]
    pub topics: OrdMap<(ChannelId, TopicKey), Arc<Topic>>,
    /// Direct message conversations.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub conversations: OrdMap<RecipientId, Arc<Conversation>>,
    /// Conversations by their sorted members.
    #[serde(skip)]
    pub conversations_by_members: OrdMap<Arc<[UserId]>, RecipientId>,
    #[serde(with = "stored::messages")]
    pub messages: OrdMap<MessageId, Arc<Message>>,
    /// Messages for which rows were made later, and whose these are: `historical` of each user, the other way round.
    #[serde(skip)]
    pub late_rows: OrdMap<MessageId, OrdSet<UserId>>,
    /// Alert words in lower case, and whose they are.
    #[serde(skip)]
    pub alert_words: OrdMap<String, OrdSet<UserId>>,
    /// Muted users, and who mutes them: `muted_users` of each user, the other way round.
    #[serde(skip)]
    pub muted_by: OrdMap<UserId, OrdSet<UserId>>,
    /// Uploaded files by path id.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub attachments: OrdMap<String, Arc<Attachment>>,
    /// How long their thumbnails, and the previews of pages, take.
    #[serde(default, skip_serializing_if = "preview::PreviewDelays::are_usual")]
    pub preview_delays: preview::PreviewDelays,
    /// Messages whose pages get their cards later, and when.
    #[serde(default, deserialize_with = "crate::realm::distinct::keys", skip_serializing_if = "OrdMap::is_empty")]
    pub awaited_cards: OrdMap<MessageId, Timestamp>,
    /// Their bytes, in all.
    #[serde(skip)]
    pub upload_space_used: i64,
    /// Bytes of uploads and pictures by content hash; a value like all the rest, so that a fork shares them.
    #[serde(with = "stored::blobs")]
    pub blobs: OrdMap<String, bytes::Bytes>,
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub custom_emoji: OrdMap<EmojiId, Arc<CustomEmoji>>,
    /// Linkifiers in processing order.
    #[serde(with = "stored::linkifiers")]
    pub linkifiers: Vector<Arc<linkifier::Linkifier>>,
    /// Custom profile fields.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub profile_fields: OrdMap<ProfileFieldId, Arc<ProfileField>>,
    /// Links with which anyone may join.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub invite_links: OrdMap<InviteLinkId, Arc<InviteLink>>,
    /// Invitations by email.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub invites: OrdMap<InviteId, Arc<Invite>>,
    /// Keys of invitations by email that were accepted: their pages say so.
    #[serde(default, deserialize_with = "crate::realm::distinct::members", skip_serializing_if = "OrdSet::is_empty")]
    pub used_invites: OrdSet<String>,
    /// Messages to be sent later.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub scheduled_messages: OrdMap<ScheduledMessageId, Arc<ScheduledMessage>>,
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub reminders: OrdMap<ReminderId, Arc<Reminder>>,
    /// Exports of the organization's data, those that failed or were deleted included.
    #[serde(default, deserialize_with = "crate::realm::distinct::keys")]
    pub exports: OrdMap<ExportId, Arc<export::Export>>,
    /// Uploads that arrive piece by piece, by the address that the file will have; no part of the state that is given
    /// out.
    #[serde(skip)]
    pub resumable_uploads: OrdMap<String, Arc<resumable::ResumableUpload>>,
    /// Users that push notifications reach: those with an active device or a token.
    #[serde(skip)]
    pub reached_by_push: OrdSet<UserId>,
    /// What the push relay was handed; no part of the state that is given out.
    #[serde(skip)]
    pub relay: push::Relay,
    /// Event queues.
    #[serde(skip)]
    pub queues: OrdMap<QueueId, Arc<Queue>>,
    /// What happened, for the queues.
    #[serde(skip)]
    pub log: EventLog,
    /// What is to come.
    #[serde(skip)]
    pub agenda: agenda::Agenda,
    pub chance: SeededRng,
    /// What the next of each kind is numbered.
    #[serde(deserialize_with = "counters::known")]
    pub counters: Counters,
}

/// A group of the system's without members, whose settings nobody has.
fn system_group(which: SystemGroup, ids: &BTreeMap<SystemGroup, GroupId>) -> Group {
    let nobody = permission::GroupSettingValue::Group(ids[&SystemGroup::Nobody]);
    Group {
        id: ids[&which],
        name: which.name().into(),
        description: which.description().into(),
        members: OrdSet::new(),
        subgroups: which.subgroup().map(|subgroup| ids[&subgroup]).into_iter().collect(),
        creator: None,
        date_created: None,
        system: Some(which),
        is_deactivated: false,
        permissions: permission::GROUP_PERMISSIONS.iter().map(|row| (row.name, nobody.clone())).collect(),
    }
}

impl Realm {
    /// An organization without users, but with the system's groups.
    pub fn new(organization: Organization, now: Timestamp, seed: u64) -> Self {
        Self::with_system_groups(
            organization,
            SystemGroup::ALL.into_iter().zip((1..).map(GroupId)).collect(),
            now,
            seed,
        )
    }

    /// The same, with numbers for all of the system's groups.
    pub fn with_system_groups(
        organization: Organization,
        ids: BTreeMap<SystemGroup, GroupId>,
        now: Timestamp,
        seed: u64,
    ) -> Self {
        let largest = ids.values().map(|id| id.0).max().unwrap_or_default();
        let counters = Counters { group: largest, ..Counters::default() };
        let groups = SystemGroup::ALL.iter().map(|which| (ids[which], Arc::new(system_group(*which, &ids)))).collect();
        let mut realm = Self {
            now,
            organization: Arc::new(organization),
            users: OrdMap::new(),
            personal: OrdMap::new(),
            users_by_email: OrdMap::new(),
            users_by_key: OrdMap::new(),
            active_users: OrdSet::new(),
            groups,
            memberships: membership::Memberships::default(),
            system_groups: Arc::new(ids),
            channels: OrdMap::new(),
            channels_by_name: OrdMap::new(),
            folders: OrdMap::new(),
            channel_messages: OrdMap::new(),
            topics: OrdMap::new(),
            conversations: OrdMap::new(),
            conversations_by_members: OrdMap::new(),
            messages: OrdMap::new(),
            late_rows: OrdMap::new(),
            alert_words: OrdMap::new(),
            muted_by: OrdMap::new(),
            attachments: OrdMap::new(),
            preview_delays: preview::PreviewDelays::default(),
            awaited_cards: OrdMap::new(),
            upload_space_used: 0,
            blobs: OrdMap::new(),
            custom_emoji: OrdMap::new(),
            linkifiers: Vector::new(),
            profile_fields: OrdMap::new(),
            invite_links: OrdMap::new(),
            invites: OrdMap::new(),
            used_invites: OrdSet::new(),
            scheduled_messages: OrdMap::new(),
            reminders: OrdMap::new(),
            exports: OrdMap::new(),
            resumable_uploads: OrdMap::new(),
            reached_by_push: OrdSet::new(),
            relay: push::Relay::default(),
            queues: OrdMap::new(),
            log: EventLog::default(),
            agenda: agenda::Agenda::default(),
            chance: SeededRng::from_seed(seed),
            counters,
        };
        let defaults = realm.default_permissions(permission::REALM_PERMISSIONS, None);
        let organization = Arc::make_mut(&mut realm.organization);
        for (name, value) in defaults {
            organization.permissions.entry(name).or_insert(value);
        }
        realm
    }

    /// A user by id.
    pub fn user(&self, id: UserId) -> Option<&Arc<User>> {
        self.users.get(&id)
    }

    /// A user by real address, whatever the case.
    pub fn user_by_email(&self, email: &str) -> Option<&Arc<User>> {
        self.users_by_email.get(in_lowercase(email).as_ref()).and_then(|id| self.users.get(id))
    }

    /// Whether this is an active account; the system's bots are.
    pub fn is_active(&self, id: UserId) -> bool {
        self.users.get(&id).is_some_and(|user| user.is_active)
    }

    /// What is a user's own.
    ///
    /// # Panics
    ///
    /// When there is no such user: whoever asks has looked the user up.
    pub fn user_state(&self, id: UserId) -> &UserState {
        &self.personal[&id]
    }

    /// A channel by name, whatever the case.
    pub fn channel_by_name(&self, name: &str) -> Option<&Arc<Channel>> {
        self.channels_by_name.get(in_lowercase(name).as_ref()).and_then(|id| self.channels.get(id))
    }

    /// A channel's messages.
    ///
    /// # Panics
    ///
    /// When there is no such channel: whoever asks has looked the channel up.
    pub fn messages_in(&self, channel: ChannelId) -> &MessageIds {
        &self.channel_messages[&channel]
    }

    /// The conversation of exactly these users, in any order, if there is one.
    pub fn conversation_of(&self, members: impl IntoIterator<Item = UserId>) -> Option<&Arc<Conversation>> {
        let mut members: Vec<UserId> = members.into_iter().collect();
        members.sort_unstable();
        members.dedup();
        self.conversations.get(self.conversations_by_members.get(members.as_slice())?)
    }

    /// Whether there is so much in it that what goes through all of it takes more than a moment.
    pub fn is_large(&self) -> bool {
        let people = self.users.len() + self.groups.len() + self.queues.len() + self.alert_words.len();
        let talk = self.channels.len() + self.topics.len() + self.messages.len() + self.log.entries.len();
        people + talk > LARGE
    }

    /// What [`Realm::upload_space_used`] is to be.
    fn upload_space(&self) -> i64 {
        self.attachments.values().fold(0, |all, attachment| all.saturating_add(attachment.size))
    }
}

/// The name under which bytes are kept: SHA-256 in hexadecimal.
pub fn content_hash(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    hexadecimal(&Sha256::digest(bytes))
}

/// Two lower-case digits for each byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
