//! Sending a message: who may, what the text means, whom it reaches, which events follow
//! (reference behaviour, POST /messages).

use super::Realm;
use super::acquaintance::Acquaintance;
use super::change::Tx;
use super::channel::{Channel, RESOLVED_PREFIX, TopicKey, TopicsPolicy};
use super::event::{Audience, Event, Payload, SentMessage};
use super::id::{ChannelId, MessageId, UserId};
use super::markdown::{self, Mentions};
use super::message::{Attachment, Body, Message, Place};
use super::permission::{GROUP_PERMISSIONS, covers, setting};
use super::personal::{UserTopic, VisibilityPolicy};
use super::render::{EMPTY_TOPIC_DISPLAY_NAME, names_empty_topic};
use super::user::User;
use super::widget::first_submessage;
use crate::error::Error;
use imbl::{OrdSet, Vector};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Longest message, in code points; longer ones are cut.
pub const MAX_MESSAGE_LENGTH: usize = 10_000;
/// Longest topic, in code points; longer ones are cut.
pub const MAX_TOPIC_LENGTH: usize = 60;
/// Subscribers above which mentioning all of them needs a right of its own.
const WILDCARD_MENTION_THRESHOLD: usize = 15;

/// A message about to be sent.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Who sends it.
    pub sender: UserId,
    /// Where to.
    pub to: Target,
    /// Markdown.
    pub content: String,
    /// What it is sent with.
    pub client: Arc<str>,
    /// The sender has read it.
    pub read_by_sender: bool,
    /// The sending queue and the client's own name for the message.
    pub local: Option<(String, String)>,
    /// The organization's addresses as the sender knows them.
    pub own_urls: Vec<String>,
}

/// Where a message goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A topic of a channel.
    Channel {
        /// The channel.
        channel: ChannelId,
        /// As typed.
        topic: String,
    },
    /// People; the sender may be among them.
    Direct {
        /// Their ids.
        users: Vec<UserId>,
    },
}

/// What sending gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// The message.
    pub id: MessageId,
    /// How the topic is shown to the sender from now on, when sending changed it.
    pub new_policy: Option<VisibilityPolicy>,
}

/// A text as it is stored: no white space at its end, no newlines before it, cut at the limit.
///
/// # Errors
///
/// `MessageEmpty`, `MessageNullBytes`.
pub fn normal_content(content: &str) -> Result<String, Error> {
    let content = content.trim_end().trim_start_matches(['\n', '\r']);
    if content.trim().is_empty() {
        return Err(Error::MessageEmpty);
    }
    if content.contains('\0') {
        return Err(Error::MessageNullBytes);
    }
    Ok(truncate(content, MAX_MESSAGE_LENGTH, "\n[message truncated]"))
}

/// A topic as it is stored; "" for every way to say the general one.
///
/// # Errors
///
/// `TopicInvalidCharacter`.
pub fn normal_topic(topic: &str) -> Result<String, Error> {
    let topic = topic.trim();
    if let Some(position) = invalid_character(topic) {
        return Err(Error::TopicInvalidCharacter { position: position.into() });
    }
    if names_empty_topic(topic) || topic == "(no topic)" {
        return Ok(String::new());
    }
    Ok(truncate(topic, MAX_TOPIC_LENGTH, "..."))
}

/// The place, counted from 1, of the first character that names can't hold.
pub fn invalid_character(text: &str) -> Option<usize> {
    text.chars()
        .position(|character| {
            character.is_control()
                || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
        })
        .map(|index| index + 1)
}

/// A text of at most `limit` code points; what was cut off is replaced by `suffix`.
pub fn truncate(text: &str, limit: usize, suffix: &str) -> String {
    // No text has more characters than bytes.
    if text.len() <= limit || text.chars().count() <= limit {
        return text.to_owned();
    }
    text.chars().take(limit.saturating_sub(suffix.chars().count())).chain(suffix.chars()).collect()
}

impl Realm {
    /// Whether a user may post to a topic.
    ///
    /// # Errors
    ///
    /// In this order: `MayNotPost`, `NotAuthorizedToSend`, `MayNotCreateTopic`, `EmptyTopicNotAllowed`,
    /// `OnlyEmptyTopicAllowed`.
    pub fn check_may_post(&self, sender: &User, channel: &Channel, topic: &str) -> Result<(), Error> {
        if sender.is_system_bot() {
            return Ok(());
        }
        // A bot may do what its owner may.
        let holders: Vec<UserId> = std::iter::once(sender.id).chain(sender.bot_owner()).collect();
        let may = |name| holders.iter().any(|user| self.may_in(*user, channel, name));
        if !may("can_send_message_group") || channel.is_archived {
            return Err(Error::MayNotPost);
        }
        let reads = holders.iter().filter_map(|user| self.users.get(user)).any(|user| self.can_read(user, channel));
        if !reads {
            return Err(Error::NotAuthorizedToSend { channel_name: channel.name.clone().into() });
        }
        if !self.topics.contains_key(&(channel.id, TopicKey::new(topic))) && !may("can_create_topic_group") {
            return Err(Error::MayNotCreateTopic);
        }
        self.check_topic_policy(channel, topic)
    }

    /// Whether the channel's policy allows the topic.
    ///
    /// # Errors
    ///
    /// `EmptyTopicNotAllowed`, `OnlyEmptyTopicAllowed`.
    pub fn check_topic_policy(&self, channel: &Channel, topic: &str) -> Result<(), Error> {
        let disabled = match channel.topics_policy {
            TopicsPolicy::Inherit => self.organization.setting("topics_policy") == "disable_empty_topic",
            TopicsPolicy::DisableEmptyTopic => true,
            TopicsPolicy::AllowEmptyTopic | TopicsPolicy::EmptyTopicOnly => false,
        };
        let display_name = || EMPTY_TOPIC_DISPLAY_NAME.into();
        if topic.is_empty() && disabled {
            return Err(Error::EmptyTopicNotAllowed { topic: display_name() });
        }
        if !topic.is_empty() && channel.topics_policy == TopicsPolicy::EmptyTopicOnly {
            return Err(Error::OnlyEmptyTopicAllowed { topic: display_name() });
        }
        Ok(())
    }

    /// Whether a user may send a direct message to these.
    ///
    /// # Errors
    ///
    /// In this order: `RecipientDeactivated`, `RecipientsInaccessible`, `DirectMessagesDisabled`,
    /// `DirectNotAuthorized`, `MayNotInitiateDirect`.
    pub fn check_may_message(&self, sender: &User, users: &[UserId]) -> Result<(), Error> {
        for user in users.iter().filter_map(|id| self.users.get(id)) {
            if !user.is_active {
                return Err(Error::RecipientDeactivated { email: user.email.clone().into() });
            }
            if !self.can_access_user(sender, user.id) {
                return Err(Error::RecipientsInaccessible);
            }
        }
        let others: Vec<&User> = users
            .iter()
            .filter(|id| **id != sender.id)
            .filter_map(|id| self.users.get(id))
            .map(AsRef::as_ref)
            .collect();
        if sender.is_bot() || others.iter().all(|user| user.is_bot()) {
            return Ok(());
        }
        let may_authorize = |user: &UserId| self.may(*user, "direct_message_permission_group");
        if !users.iter().chain([&sender.id]).any(may_authorize) {
            let nobody =
                super::permission::GroupSettingValue::Group(self.system_group(super::group::SystemGroup::Nobody));
            let is_off = self.organization.permissions.get("direct_message_permission_group") == Some(&nobody);
            return Err(if is_off { Error::DirectMessagesDisabled } else { Error::DirectNotAuthorized });
        }
        let mut members: Vec<UserId> = users.iter().copied().chain([sender.id]).collect();
        members.sort_unstable();
        members.dedup();
        let has_begun = self
            .conversations_by_members
            .get(members.as_slice())
            .is_some_and(|conversation| !self.conversations[conversation].messages.is_empty());
        if !has_begun && !self.may(sender.id, "direct_message_initiator_group") {
            return Err(Error::MayNotInitiateDirect);
        }
        Ok(())
    }

    /// A text rendered for a place, and what it means for the recipients.
    ///
    /// # Errors
    ///
    /// `UnableToRender`, `ChannelWildcardNotAllowed`, `TopicWildcardNotAllowed`, `MayNotMentionGroup`.
    pub fn body(&self, sender: UserId, place: &Place, content: String, own_urls: &[String]) -> Result<Body, Error> {
        let names = self.seen_by(sender, own_urls);
        let (html, rendered) = markdown::render_to_keep(&content, &names).map_err(|_| Error::UnableToRender)?;
        let mentions = rendered.mentions;
        self.check_mentions(sender, place, &mentions)?;
        let group_mentioned = mentions
            .groups
            .iter()
            .fold(OrdSet::new(), |all: OrdSet<UserId>, group| all.union(self.all_members(*group)));
        let (mentions_channel, topic_mentioned) = match place {
            Place::Channel { channel, topic } => {
                (mentions.channel_wildcard, mentions.topic_wildcard.then(|| self.took_part(*channel, topic)))
            }
            Place::Direct { .. } => (false, None),
        };
        Ok(Body {
            alerted: self.alerted(&content),
            content,
            html,
            is_me_message: rendered.is_me_message,
            has_link: rendered.has_link,
            has_image: rendered.has_image,
            uploads: rendered.uploads,
            mentioned: mentions.users,
            group_mentioned,
            mentions_channel,
            topic_mentioned,
        })
    }

    fn check_mentions(&self, sender: UserId, place: &Place, mentions: &Mentions) -> Result<(), Error> {
        if let Place::Channel { channel, topic } = place {
            let many =
                |count: usize| count > WILDCARD_MENTION_THRESHOLD && !self.may(sender, "can_mention_many_users_group");
            if mentions.channel_wildcard && many(self.channels[channel].subscribers.len()) {
                return Err(Error::ChannelWildcardNotAllowed);
            }
            if mentions.topic_wildcard && many(self.took_part(*channel, topic).len()) {
                return Err(Error::TopicWildcardNotAllowed);
            }
        }
        for group in mentions.groups.iter().filter_map(|id| self.groups.get(id)) {
            let value = &group.permissions["can_mention_group"];
            if !covers(self, value, sender, setting(GROUP_PERMISSIONS, "can_mention_group")) {
                return Err(Error::MayNotMentionGroup { group: group.name.clone().into() });
            }
        }
        Ok(())
    }

    /// Those who sent or reacted to a message in a topic.
    fn took_part(&self, channel: ChannelId, topic: &str) -> BTreeSet<UserId> {
        let Some(topic) = self.topics.get(&(channel, TopicKey::new(topic))) else { return BTreeSet::new() };
        let messages = topic.messages.iter().map(|id| &self.messages[&id]);
        messages
            .flat_map(|message| std::iter::once(message.sender).chain(message.reactions.iter().map(|one| one.user)))
            .collect()
    }

    /// Those who want to be alerted to a word of the text.
    fn alerted(&self, content: &str) -> BTreeSet<UserId> {
        let mut alerted = BTreeSet::new();
        if self.alert_words.is_empty() {
            return alerted;
        }
        let folded = content.to_lowercase();
        for (word, users) in &self.alert_words {
            let Some(first) = word.bytes().next() else { continue };
            let is_whole = |start: usize| {
                let before = folded[..start].chars().next_back();
                let Some(behind) = folded[start..].strip_prefix(word.as_str()) else { return false };
                !before.is_some_and(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric)
            };
            // Preparing a search for the word would take longer than most texts do.
            if memchr::memchr_iter(first, folded.as_bytes()).any(is_whole) {
                alerted.extend(users.iter().copied());
            }
        }
        alerted
    }
}

impl Tx {
    /// Sends a message: all checks, then the message, what follows from it, and its events.
    ///
    /// # Errors
    ///
    /// Those of [`normal_content`], [`normal_topic`], [`Realm::check_may_post`],
    /// [`Realm::check_may_message`] and [`Realm::body`], in this order.
    pub fn send(&mut self, outgoing: Outgoing) -> Result<Sent, Error> {
        let content = normal_content(&outgoing.content)?;
        let sender = self.users.get(&outgoing.sender).cloned().ok_or(Error::NoSuchUser)?;
        let (place, mut recipients) = match outgoing.to {
            Target::Channel { channel, topic } => {
                let topic = normal_topic(&topic)?;
                let channel = self.channels.get(&channel).cloned().ok_or(Error::InvalidChannelId)?;
                self.check_may_post(&sender, &channel, &topic)?;
                (Place::Channel { channel: channel.id, topic: topic.into() }, channel.subscribers.clone())
            }
            Target::Direct { users } => {
                if users.is_empty() {
                    return Err(Error::NoRecipients);
                }
                self.check_may_message(&sender, &users)?;
                let members: Vec<UserId> = users.into_iter().chain([sender.id]).collect();
                let known = Acquaintance::of(self, &members.iter().copied().collect());
                let conversation = self.conversation(members);
                known.tell_changes(self);
                (Place::Direct { conversation }, self.conversations[&conversation].members.iter().copied().collect())
            }
        };
        let mut body = self.body(sender.id, &place, content, &outgoing.own_urls)?;
        self.settle_recipients(&place, &mut body, &mut recipients);

        let new_policy = self.apply_automatic_policies(&sender, &place, &body);
        self.realm_mut().counters.message += 1;
        let id = MessageId(self.counters.message);
        let now = self.now;
        let submessage = first_submessage(&body.content, sender.id, self.counters.submessage + 1);
        let submessages = submessage.map_or_else(Vector::new, Vector::unit);
        self.realm_mut().counters.submessage += submessages.len() as i64;
        let is_read = outgoing.read_by_sender && recipients.contains(&sender.id);
        let message = self.add_message(Message {
            id,
            sender: sender.id,
            client: outgoing.client,
            sent_at: now,
            place,
            body: Arc::new(body),
            recipients,
            reactions: Vector::new(),
            submessages,
            history: Vector::new(),
            last_edit: None,
            last_moved: None,
        });
        self.read_outside(&message);
        let mut read_by = self.read_where_muted(&message);
        if is_read {
            self.own_mut(sender.id).read.insert(id);
            read_by.insert(sender.id);
        }
        let sent = self.emit_message(&message, &sender, outgoing.local, read_by);
        self.push_message(&sent);
        self.claim_uploads(&message);
        Ok(Sent { id, new_policy })
    }

    /// Adds those mentioned who can read the channel, and drops mentions of those who can't.
    pub fn settle_recipients(&self, place: &Place, body: &mut Body, recipients: &mut OrdSet<UserId>) {
        if let Place::Channel { channel, .. } = place {
            let channel = &self.channels[channel];
            for user in &body.mentioned {
                let reaches = self.users.get(user).is_some_and(|user| user.is_active && self.can_read(user, channel));
                if reaches {
                    recipients.insert(*user);
                }
            }
        }
        body.mentioned.retain(|user| recipients.contains(user));
        body.alerted.retain(|user| recipients.contains(user));
        if !body.group_mentioned.is_empty() {
            body.group_mentioned = body.group_mentioned.clone().intersection(recipients.clone());
        }
    }

    /// Marks a channel message as read for those who have it only because it mentions them: unread messages lie in
    /// subscribed channels alone, above the point from which on the subscription counts.
    pub fn read_outside(&mut self, message: &Message) {
        let Some((channel, _)) = message.channel() else { return };
        for user in &message.body.mentioned {
            if self.own(*user).subscription(channel).is_none_or(|subscription| subscription.since >= message.id) {
                self.own_mut(*user).read.insert(message.id);
            }
        }
    }

    fn emit_message(
        &mut self,
        message: &Arc<Message>,
        sender: &Arc<User>,
        local: Option<(String, String)>,
        read_by: OrdSet<UserId>,
    ) -> Arc<SentMessage> {
        let audience = Audience::of(message.recipients.clone());
        let sent = Arc::new(SentMessage { local, read_by, ..SentMessage::of(self, message, sender) });
        self.emit(audience, Event::new("message", None, Payload::Message(sent.clone())));
        sent
    }

    /// Notes the message at the uploads that it links and that its sender may use; tells their owners.
    pub fn claim_uploads(&mut self, message: &Message) {
        for path_id in &message.body.uploads {
            let Some(attachment) = self.attachments.get(path_id) else { continue };
            if attachment.messages.contains(&message.id) {
                continue;
            }
            let mut changed = attachment.as_ref().clone();
            changed.messages.insert(message.id);
            let changed = Arc::new(changed);
            self.realm_mut().attachments.insert(path_id.clone(), changed.clone());
            self.emit_attachment_update(changed);
        }
    }

    /// Tells the owner of an upload which messages link it now.
    pub fn emit_attachment_update(&mut self, attachment: Arc<Attachment>) {
        let upload_space_used = self.upload_space_used();
        let audience = Audience::user(attachment.owner);
        let payload = Payload::Attachment { attachment, upload_space_used };
        self.emit(audience, Event::new("attachment", Some("update"), payload));
    }

    /// Follows or unmutes the topic as the sender's and the mentioned users' settings say.
    fn apply_automatic_policies(&mut self, sender: &User, place: &Place, body: &Body) -> Option<VisibilityPolicy> {
        let Place::Channel { channel, topic } = place else { return None };
        let is_new = !self.topics.contains_key(&(*channel, TopicKey::new(topic)));
        let mut sender_policy = None;
        if !sender.is_bot() {
            let own = self.own(sender.id);
            // 1 any participation, 2 sending, 3 beginning a topic, 4 never.
            let applies = |setting: i64| setting <= 2 || (setting == 3 && is_new);
            let current = own.topic_policy(*channel, topic);
            let is_channel_muted = own.subscription(*channel).is_some_and(|subscription| subscription.is_muted);
            let wanted = if applies(own.number("automatically_follow_topics_policy")) {
                Some(VisibilityPolicy::Followed)
            } else if is_channel_muted && applies(own.number("automatically_unmute_topics_in_muted_streams_policy")) {
                Some(VisibilityPolicy::Unmuted)
            } else {
                None
            };
            let is_subscribed = own.subscription(*channel).is_some();
            sender_policy = wanted.filter(|wanted| {
                is_subscribed && current != VisibilityPolicy::Muted && current.number() < wanted.number()
            });
        }
        let mentioned: Vec<UserId> = body.mentioned.iter().copied().filter(|user| *user != sender.id).collect();
        for user in mentioned {
            let own = self.own(user);
            let follows = own.is_on("automatically_follow_topics_where_mentioned")
                && own.subscription(*channel).is_some()
                && matches!(own.topic_policy(*channel, topic), VisibilityPolicy::None | VisibilityPolicy::Unmuted);
            if follows && !self.users[&user].is_bot() {
                self.set_topic_policy(user, *channel, topic.clone(), VisibilityPolicy::Followed);
            }
        }
        if let Some(policy) = sender_policy {
            self.set_topic_policy(sender.id, *channel, topic.clone(), policy);
        }
        sender_policy
    }

    /// Sets how a topic is shown to a user and tells their clients; false when it was so already.
    pub fn set_topic_policy(
        &mut self,
        user: UserId,
        channel: ChannelId,
        topic: Arc<str>,
        policy: VisibilityPolicy,
    ) -> bool {
        if self.own(user).topic_policy(channel, &topic) == policy {
            return false;
        }
        let now = self.now;
        let key = (channel, TopicKey::new(&topic));
        let topics = &mut self.own_mut(user).topics;
        if policy == VisibilityPolicy::None {
            topics.remove(&key);
        } else {
            topics.insert(key, Arc::new(UserTopic { name: topic.clone(), policy, last_updated: now }));
        }
        self.emit_topic_policy(user, channel, &topic, policy);
        true
    }

    fn emit_topic_policy(&mut self, user: UserId, channel: ChannelId, topic: &str, policy: VisibilityPolicy) {
        let muted: Vec<_> = self.muted_topics(user);
        let event = Event::with_topic("muted_topics", None, &["muted_topics"], json!({"muted_topics": muted}));
        self.emit(Audience::user(user), event.needing(super::event::Needs::NoUserTopics));
        let fields = json!({
            "stream_id": channel,
            "topic_name": topic,
            "last_updated": self.now.seconds(),
            "visibility_policy": policy.number(),
        });
        self.emit(Audience::user(user), Event::with_topic("user_topic", None, &["topic_name"], fields));
    }
}

impl Outgoing {
    /// A message that the server sends by itself.
    pub fn from_server(sender: UserId, to: Target, content: String) -> Self {
        Self {
            sender,
            to,
            content,
            client: "Internal".into(),
            read_by_sender: false,
            local: None,
            own_urls: Vec::new(),
        }
    }
}

impl Realm {
    /// Muted topics in the legacy form: channel's name, topic, time.
    pub fn muted_topics(&self, user: UserId) -> Vec<(String, String, i64)> {
        let muted = self.own(user).topics.iter().filter(|(_, topic)| topic.policy == VisibilityPolicy::Muted);
        muted
            .map(|((channel, _), topic)| {
                (self.channels[channel].name.clone(), topic.name.to_string(), topic.last_updated.seconds())
            })
            .collect()
    }
}

/// Whether a topic is marked as resolved.
pub fn is_resolved(topic: &str) -> bool {
    topic.starts_with(RESOLVED_PREFIX)
}
