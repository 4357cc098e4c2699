//! The data of one organization and the rules over it: no HTTP, no async, no wall clock.
//!
//! [`Realm`] is a value made of persistent maps: cloning it copies some pointers, so a private copy per request, a fork
//! and a snapshot cost next to nothing.

pub mod invariants;
pub mod log;
pub mod model;
pub mod narrow;
pub mod rules;
pub mod tx;

pub use log::{event, queue};
pub use model::content_hash::{content_hash, to_hexadecimal};
pub use model::{
    agenda, attachment, cached, channel, channel_boolean_setting, client, counters, deserialize_unique, device, email,
    emoji, export, graph, group, id, invite, linkifier, membership, message, message_ids, organization, output_format,
    permission, personal, picture, playground, preview_delays, profile_field, push, read_set, render_context,
    resumable_upload, scheduled, seeded_rng, sent_message, setting, state_serialization, subscription_colors,
    system_group, text, time_zone, topic, url, user, webhook_call,
};
pub use rules::{
    access, account_emails, account_names, account_permissions, bot_owner_notices, deletion, editing, exporting, flags,
    full_members, groups, invitations, languages, mention_recipients, message_link, muted_messages, muting, notice,
    passwords, permission_holders, personal_items, posting, presence, previews, pushing, queues, quotation, reindexing,
    render, requested_emoji, rewinding, run_agenda, schedule, send, setting_values, topic_policies, unread,
    user_messages, visibility, webhook, widget,
};

use attachment::Attachment;
use channel::{Channel, Folder};
use counters::Counters;
use emoji::CustomEmoji;
use event::EventLog;
use group::{Group, SystemGroup};
use id::{
    ChannelId, EmojiId, ExportId, FolderId, GroupId, InviteId, InviteLinkId, MessageId, ProfileFieldId, RecipientId,
    ReminderId, ScheduledMessageId, UserId,
};
use imbl::{OrdMap, OrdSet, Vector};
use invite::{Invite, InviteLink};
use message::{Conversation, Message};
use message_ids::MessageIds;
use organization::Organization;
use personal::UserState;
use profile_field::ProfileField;
use queue::{Queue, QueueId};
use scheduled::{Reminder, ScheduledMessage};
use seeded_rng::SeededRng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use text::to_lowercase;
use topic::{Topic, TopicKey};
use user::User;

use crate::time::Timestamp;

/// The number of users, messages and other items above which [`Realm::is_large`] holds.
const LARGE_REALM_THRESHOLD: usize = 4_000;

/// All data of one organization. Fields that `serde` skips are indexes, or data that state documents leave out. Fields
/// that it renames have a former name in documents, which must stay so that they can still be read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Realm {
    /// Every agenda item that was due before this time has run.
    pub now: Timestamp,
    pub organization: Arc<Organization>,
    /// Includes the system bots.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub users: OrdMap<UserId, Arc<User>>,
    /// Each user's flags, drafts, settings, status and the like.
    #[serde(rename = "personal", deserialize_with = "crate::realm::deserialize_unique::map")]
    pub user_states: OrdMap<UserId, Arc<UserState>>,
    /// Keyed by real address in lower case.
    #[serde(skip)]
    pub users_by_email: OrdMap<String, UserId>,
    /// Keyed by API key.
    #[serde(skip)]
    pub users_by_key: OrdMap<String, UserId>,
    /// Without the system bots.
    #[serde(skip)]
    pub active_users: OrdSet<UserId>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub groups: OrdMap<GroupId, Arc<Group>>,
    #[serde(skip)]
    pub membership_cache: membership::SharedMembershipCache,
    #[serde(skip)]
    pub system_groups: Arc<BTreeMap<SystemGroup, GroupId>>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub channels: OrdMap<ChannelId, Arc<Channel>>,
    /// Keyed by name in lower case.
    #[serde(skip)]
    pub channels_by_name: OrdMap<String, ChannelId>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub folders: OrdMap<FolderId, Arc<Folder>>,
    /// Not part of [`Channel`], so that sending a message does not change the channel's value.
    #[serde(skip)]
    pub channel_messages: OrdMap<ChannelId, Arc<MessageIds>>,
    /// Only topics that have messages.
    #[serde(skip)]
    pub topics: OrdMap<(ChannelId, TopicKey), Arc<Topic>>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub conversations: OrdMap<RecipientId, Arc<Conversation>>,
    /// Keyed by the sorted members.
    #[serde(skip)]
    pub conversations_by_members: OrdMap<Arc<[UserId]>, RecipientId>,
    #[serde(with = "state_serialization::messages")]
    pub messages: OrdMap<MessageId, Arc<Message>>,
    /// Users whose user message was created after the message was sent: the inverse of each user's `historical`.
    #[serde(skip)]
    pub late_holders: OrdMap<MessageId, OrdSet<UserId>>,
    /// Keyed by the alert word in lower case.
    #[serde(skip)]
    pub users_by_alert_word: OrdMap<String, OrdSet<UserId>>,
    /// The inverse of each user's `muted_users`.
    #[serde(skip)]
    pub users_by_muted_user: OrdMap<UserId, OrdSet<UserId>>,
    /// Keyed by path ID.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub attachments: OrdMap<String, Arc<Attachment>>,
    /// How long thumbnails of uploads and previews of web pages take.
    #[serde(default, skip_serializing_if = "preview_delays::PreviewDelays::are_default")]
    pub preview_delays: preview_delays::PreviewDelays,
    /// For messages that wait for the previews of the pages that they link to: when the previews are ready.
    #[serde(
        rename = "awaited_cards",
        default,
        deserialize_with = "crate::realm::deserialize_unique::map",
        skip_serializing_if = "OrdMap::is_empty"
    )]
    pub pending_previews: OrdMap<MessageId, Timestamp>,
    /// Total size of the attachments, in bytes.
    #[serde(skip)]
    pub upload_space_used: i64,
    /// Contents of uploads and pictures, keyed by [`content_hash`]. Forks share them.
    #[serde(with = "state_serialization::blobs")]
    pub blobs: OrdMap<String, bytes::Bytes>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub custom_emoji: OrdMap<EmojiId, Arc<CustomEmoji>>,
    /// In processing order.
    #[serde(with = "state_serialization::linkifiers")]
    pub linkifiers: Vector<Arc<linkifier::Linkifier>>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub profile_fields: OrdMap<ProfileFieldId, Arc<ProfileField>>,
    /// Reusable links; `invites` are for one address each.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub invite_links: OrdMap<InviteLinkId, Arc<InviteLink>>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub invites: OrdMap<InviteId, Arc<Invite>>,
    /// Keys of accepted email invitations: the invitation's page says that it was used.
    #[serde(
        rename = "used_invites",
        default,
        deserialize_with = "crate::realm::deserialize_unique::set",
        skip_serializing_if = "OrdSet::is_empty"
    )]
    pub accepted_invite_keys: OrdSet<String>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub scheduled_messages: OrdMap<ScheduledMessageId, Arc<ScheduledMessage>>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub reminders: OrdMap<ReminderId, Arc<Reminder>>,
    /// Includes failed and deleted exports.
    #[serde(default, deserialize_with = "crate::realm::deserialize_unique::map")]
    pub exports: OrdMap<ExportId, Arc<export::Export>>,
    /// Resumable uploads, finished or not, keyed by the path ID of the file.
    #[serde(skip)]
    pub resumable_uploads: OrdMap<String, Arc<resumable_upload::ResumableUpload>>,
    /// Users with an active device or a push token.
    #[serde(skip)]
    pub users_with_push: OrdSet<UserId>,
    /// The pushes that were handed to the push relay.
    #[serde(skip)]
    pub relay: push::PushRelay,
    #[serde(skip)]
    pub queues: OrdMap<QueueId, Arc<Queue>>,
    /// A queue for each watcher who reads the events of one user. It has that user as its owner and the watcher's
    /// options, and nobody polls it. Events that are emitted only for users with a queue are emitted for its owner too;
    /// for all else, it does not count.
    #[serde(skip)]
    pub watcher_queues: Arc<Vec<Arc<Queue>>>,
    #[serde(skip)]
    pub log: EventLog,
    #[serde(skip)]
    pub agenda: agenda::Agenda,
    #[serde(rename = "chance")]
    pub rng: SeededRng,
    #[serde(deserialize_with = "counters::deserialize")]
    pub counters: Counters,
}

/// A system group without members, all of whose permissions are held by nobody.
fn new_system_group(kind: SystemGroup, ids: &BTreeMap<SystemGroup, GroupId>) -> Group {
    let nobody = permission::GroupSettingValue::Group(ids[&SystemGroup::Nobody]);
    Group {
        id: ids[&kind],
        name: kind.name().into(),
        description: kind.description().into(),
        members: OrdSet::new(),
        subgroups: kind.subgroup().map(|subgroup| ids[&subgroup]).into_iter().collect(),
        creator: None,
        date_created: None,
        system: Some(kind),
        is_deactivated: false,
        permissions: permission::GROUP_PERMISSIONS.iter().map(|row| (row.name, nobody.clone())).collect(),
    }
}

impl Realm {
    /// An organization without users. Its system groups are numbered from 1.
    pub fn new(organization: Organization, now: Timestamp, seed: u64) -> Self {
        Self::with_system_groups(
            organization,
            SystemGroup::ALL.into_iter().zip((1..).map(GroupId)).collect(),
            now,
            seed,
        )
    }

    /// Like [`Realm::new`], with these IDs for the system groups.
    ///
    /// # Panics
    ///
    /// When `ids` lacks a system group.
    pub fn with_system_groups(
        organization: Organization,
        ids: BTreeMap<SystemGroup, GroupId>,
        now: Timestamp,
        seed: u64,
    ) -> Self {
        let largest_id = ids.values().map(|id| id.0).max().unwrap_or_default();
        let counters = Counters { group: largest_id, ..Counters::default() };
        let groups = SystemGroup::ALL.iter().map(|kind| (ids[kind], Arc::new(new_system_group(*kind, &ids)))).collect();
        let mut realm = Self {
            now,
            organization: Arc::new(organization),
            users: OrdMap::new(),
            user_states: OrdMap::new(),
            users_by_email: OrdMap::new(),
            users_by_key: OrdMap::new(),
            active_users: OrdSet::new(),
            groups,
            membership_cache: membership::SharedMembershipCache::default(),
            system_groups: Arc::new(ids),
            channels: OrdMap::new(),
            channels_by_name: OrdMap::new(),
            folders: OrdMap::new(),
            channel_messages: OrdMap::new(),
            topics: OrdMap::new(),
            conversations: OrdMap::new(),
            conversations_by_members: OrdMap::new(),
            messages: OrdMap::new(),
            late_holders: OrdMap::new(),
            users_by_alert_word: OrdMap::new(),
            users_by_muted_user: OrdMap::new(),
            attachments: OrdMap::new(),
            preview_delays: preview_delays::PreviewDelays::default(),
            pending_previews: OrdMap::new(),
            upload_space_used: 0,
            blobs: OrdMap::new(),
            custom_emoji: OrdMap::new(),
            linkifiers: Vector::new(),
            profile_fields: OrdMap::new(),
            invite_links: OrdMap::new(),
            invites: OrdMap::new(),
            accepted_invite_keys: OrdSet::new(),
            scheduled_messages: OrdMap::new(),
            reminders: OrdMap::new(),
            exports: OrdMap::new(),
            resumable_uploads: OrdMap::new(),
            users_with_push: OrdSet::new(),
            relay: push::PushRelay::default(),
            queues: OrdMap::new(),
            watcher_queues: Arc::default(),
            log: EventLog::default(),
            agenda: agenda::Agenda::default(),
            rng: SeededRng::from_seed(seed),
            counters,
        };
        let defaults = realm.default_permissions(permission::REALM_PERMISSIONS, None);
        let organization = Arc::make_mut(&mut realm.organization);
        for (name, value) in defaults {
            organization.permissions.entry(name).or_insert(value);
        }
        realm
    }

    pub fn user(&self, id: UserId) -> Option<&Arc<User>> {
        self.users.get(&id)
    }

    /// Looks a user up by real address, ignoring case.
    pub fn user_by_email(&self, email: &str) -> Option<&Arc<User>> {
        self.users_by_email.get(to_lowercase(email).as_ref()).and_then(|id| self.users.get(id))
    }

    /// Whether the account exists and is active. System bots are active.
    pub fn is_active(&self, id: UserId) -> bool {
        self.users.get(&id).is_some_and(|user| user.is_active)
    }

    /// The user's own settings, flags and lists.
    ///
    /// # Panics
    ///
    /// When the user does not exist.
    pub fn user_state(&self, id: UserId) -> &UserState {
        &self.user_states[&id]
    }

    /// Looks a channel up by name, ignoring case.
    pub fn channel_by_name(&self, name: &str) -> Option<&Arc<Channel>> {
        self.channels_by_name.get(to_lowercase(name).as_ref()).and_then(|id| self.channels.get(id))
    }

    /// The IDs of all messages in a channel, whatever their topic.
    ///
    /// # Panics
    ///
    /// When the channel does not exist.
    pub fn messages_in(&self, channel: ChannelId) -> &MessageIds {
        &self.channel_messages[&channel]
    }

    /// The conversation of exactly these users, in any order. None if they never exchanged messages.
    pub fn conversation_of(&self, members: impl IntoIterator<Item = UserId>) -> Option<&Arc<Conversation>> {
        let mut members: Vec<UserId> = members.into_iter().collect();
        members.sort_unstable();
        members.dedup();
        self.conversations.get(self.conversations_by_members.get(members.as_slice())?)
    }

    /// Whether work that visits all data takes noticeably long.
    pub fn is_large(&self) -> bool {
        let user_items = self.users.len() + self.groups.len() + self.queues.len() + self.users_by_alert_word.len();
        let message_items = self.channels.len() + self.topics.len() + self.messages.len() + self.log.entries.len();
        user_items + message_items > LARGE_REALM_THRESHOLD
    }

    /// Computes [`Realm::upload_space_used`] from the attachments.
    fn computed_upload_space(&self) -> i64 {
        self.attachments.values().fold(0, |total, attachment| total.saturating_add(attachment.size))
    }
}
