//! A change of the realm: a private copy, the primitive steps on it, and the events that they cause.
//!
//! A step keeps every index true; checks and permission are the caller's. Publishing the copy or
//! dropping it is the world's.

mod messages;

use super::Realm;
use super::log::event::{Audience, DeliveryCondition, Entry, Event};
use super::log::queue::QueueId;
use super::model::agenda::Due;
use super::model::channel::{Channel, Subscription};
use super::model::form::form_at;
use super::model::group::{Group, SystemGroup};
use super::model::id::{ChannelId, GroupId, MessageId, UserId};
use super::model::message::{Attachment, Message};
use super::model::palette::Palette;
use super::model::personal::UserState;
use super::model::site::Site;
use super::model::user::{Role, User};
use super::model::webhook_call::WebhookCall;
use crate::feature::Feature;
use crate::time::Span;
use chat_markdown::Form;
use chat_markdown::budget::Budget;
use std::ops::Deref;
use std::sync::Arc;

/// A private copy of the realm that is being changed.
#[derive(Debug)]
pub struct Tx {
    realm: Realm,
    feature_level: i64,
    first_entry: u64,
    touched_queues: Vec<QueueId>,
    finished_queues: Vec<QueueId>,
    webhook_calls: Vec<WebhookCall>,
    budget: Budget,
}

impl Deref for Tx {
    type Target = Realm;

    fn deref(&self) -> &Realm {
        &self.realm
    }
}

impl Tx {
    /// A change of this copy, at the newest feature level.
    pub fn new(realm: Realm) -> Self {
        Self::at_level(realm, i64::MAX)
    }

    /// A change of this copy in a world of a feature level.
    pub fn at_level(realm: Realm, feature_level: i64) -> Self {
        let first_entry = realm.log.end();
        Self {
            realm,
            feature_level,
            first_entry,
            touched_queues: Vec::new(),
            finished_queues: Vec::new(),
            webhook_calls: Vec::new(),
            budget: Budget::of_request(),
        }
    }

    /// Whether the change is made in a world below a feature level.
    pub fn is_before(&self, level: i64) -> bool {
        self.feature_level < level
    }

    /// Whether the world's level has a rule.
    pub fn has(&self, feature: Feature) -> bool {
        feature.is_at(self.feature_level)
    }

    /// The feature level of the world.
    pub fn feature_level(&self) -> i64 {
        self.feature_level
    }

    /// The form that the level gives to HTML.
    pub fn form(&self) -> Form {
        form_at(self.feature_level)
    }

    /// Where the server itself is.
    pub fn site(&self) -> Site {
        Site { form: self.form(), ..Site::default() }
    }

    /// What the descriptions and profiles that this change renders may cost in all.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The changed realm, to be published.
    pub fn into_realm(self) -> Realm {
        self.realm
    }

    /// The position in the log of the first entry that this change made.
    pub fn first_entry(&self) -> u64 {
        self.first_entry
    }

    /// Notes that a hanging poll of this queue must look at it again: it ended or was replaced.
    pub fn touch_queue(&mut self, id: &QueueId) {
        self.touched_queues.push(id.clone());
    }

    /// Notes that a hanging poll of this queue, which its client ends, is answered with what there is.
    pub fn finish_polls(&mut self, id: &QueueId) {
        self.finished_queues.push(id.clone());
    }

    /// The queues whose hanging polls are answered with what there is.
    pub fn finished_queues_mut(&mut self) -> &mut Vec<QueueId> {
        &mut self.finished_queues
    }

    /// The queues whose hanging polls must look again, events aside.
    pub fn touched_queues_mut(&mut self) -> &mut Vec<QueueId> {
        &mut self.touched_queues
    }

    /// The outgoing webhooks that the change calls.
    pub fn webhook_calls_mut(&mut self) -> &mut Vec<WebhookCall> {
        &mut self.webhook_calls
    }

    /// Keeps bytes under their content hash, which it gives.
    pub fn keep_blob(&mut self, bytes: bytes::Bytes) -> String {
        let hash = super::content_hash(&bytes);
        self.realm.blobs.insert(hash.clone(), bytes);
        hash
    }

    /// The whole copy, for steps that no method here covers.
    pub fn realm_mut(&mut self) -> &mut Realm {
        &mut self.realm
    }

    /// Adds an event to the log.
    pub fn emit(&mut self, audience: Audience, event: impl Into<Event>) {
        let (at, event) = (self.realm.now, event.into());
        self.realm.log.push(Entry { at, audience, queue: None, event });
    }

    /// Adds an event that only worlds below a level have; elsewhere it is not even made.
    pub fn emit_before<E: Into<Event>>(&mut self, level: i64, audience: Audience, event: impl FnOnce(&Realm) -> E) {
        let is_older = self.queues.values().next().is_some_and(|queue| queue.options.level.is_before(level));
        if is_older {
            let event = event(&self.realm).into().only_for(DeliveryCondition::Before(level));
            self.emit(audience, event);
        }
    }

    /// Adds an event for one queue alone.
    pub fn emit_to_queue(&mut self, queue: QueueId, event: impl Into<Event>) {
        let (at, event) = (self.realm.now, event.into());
        self.realm.log.push(Entry { at, audience: Audience::default(), queue: Some(queue), event });
    }

    /// A user to be changed.
    ///
    /// # Panics
    ///
    /// When there is no such user: whoever asks has looked the user up. So with the next ones.
    pub fn user_mut(&mut self, id: UserId) -> &mut User {
        Arc::make_mut(self.realm.users.get_mut(&id).expect("the user was looked up"))
    }

    /// What is a user's own, to be changed.
    pub fn user_state_mut(&mut self, id: UserId) -> &mut UserState {
        Arc::make_mut(self.realm.personal.get_mut(&id).expect("the user was looked up"))
    }

    /// Notes that a user did something, unless that is known for the last hour.
    pub fn note_activity(&mut self, id: UserId) {
        let now = self.now;
        let is_known = self.user_state(id).active_at.is_some_and(|at| at.plus(Span::minutes(60)) > now && at <= now);
        if !is_known {
            self.user_state_mut(id).active_at = Some(now);
        }
    }

    /// A channel to be changed. Names, messages and subscribers have steps of their own.
    pub fn channel_mut(&mut self, id: ChannelId) -> &mut Channel {
        Arc::make_mut(self.realm.channels.get_mut(&id).expect("the channel was looked up"))
    }

    /// A group to be changed.
    pub fn group_mut(&mut self, id: GroupId) -> &mut Group {
        Arc::make_mut(self.realm.groups.get_mut(&id).expect("the group was looked up"))
    }

    /// A message to be changed. Its place has a step of its own.
    pub fn message_mut(&mut self, id: MessageId) -> &mut Message {
        Arc::make_mut(self.realm.messages.get_mut(&id).expect("the message was looked up"))
    }

    /// Adds an uploaded file.
    pub fn add_attachment(&mut self, attachment: Arc<Attachment>) {
        self.remove_attachment(&attachment.path_id);
        self.realm.upload_space_used = self.realm.upload_space_used.saturating_add(attachment.size);
        if let Some(at) = attachment.thumbnails_at {
            self.realm.agenda.set(Due::Thumbnails(attachment.path_id.clone()), Some(at));
        }
        self.realm.attachments.insert(attachment.path_id.clone(), attachment);
    }

    /// Removes an uploaded file, if it is there. Its bytes stay.
    pub fn remove_attachment(&mut self, path_id: &str) {
        if let Some(attachment) = self.realm.attachments.remove(path_id) {
            self.realm.upload_space_used = self.realm.upload_space_used.saturating_sub(attachment.size);
            if attachment.thumbnails_at.is_some() {
                self.realm.agenda.set(Due::Thumbnails(path_id.to_owned()), None);
            }
        }
    }

    /// Adds an account, and puts it into the groups of its role.
    pub fn add_user(&mut self, user: User) {
        let id = user.id;
        self.realm.users_by_email.insert(user.email.to_lowercase(), id);
        self.realm.users_by_key.insert(user.api_key.clone(), id);
        if user.is_active && !user.is_system_bot() {
            self.realm.active_users.insert(id);
        }
        let role = user.role;
        let is_system = user.is_system_bot();
        self.realm.users.insert(id, Arc::new(user));
        self.realm.personal.insert(id, Arc::new(UserState::default()));
        if !is_system {
            self.enter_role(id, role);
            self.schedule_full_membership(id);
        }
    }

    /// Puts a user into the system groups of a role; gives the groups.
    pub fn enter_role(&mut self, user: UserId, role: Role) -> Vec<GroupId> {
        let mut groups = vec![self.system_group(SystemGroup::of_role(role))];
        let is_full = self.users.get(&user).is_some_and(|user| self.is_full_member(user));
        if is_full {
            groups.push(self.system_group(SystemGroup::FullMembers));
        }
        for group in &groups {
            self.group_mut(*group).members.insert(user);
        }
        groups
    }

    /// Takes a user out of all role groups; gives those that it was in.
    pub fn leave_roles(&mut self, user: UserId) -> Vec<GroupId> {
        let groups: Vec<GroupId> =
            self.system_groups.values().copied().filter(|group| self.groups[group].members.contains(&user)).collect();
        for group in &groups {
            self.group_mut(*group).members.remove(&user);
        }
        groups
    }

    /// Replaces an account's API key; the old one fails from now on.
    pub fn replace_api_key(&mut self, user: UserId, key: String) {
        let old = std::mem::replace(&mut self.user_mut(user).api_key, key.clone());
        self.realm.users_by_key.remove(&old);
        self.realm.users_by_key.insert(key, user);
    }

    /// Adds a channel.
    pub fn add_channel(&mut self, channel: Channel) {
        self.realm.channels_by_name.insert(channel.name.to_lowercase(), channel.id);
        self.realm.channel_messages.insert(channel.id, Arc::default());
        self.realm.channels.insert(channel.id, Arc::new(channel));
    }

    /// Gives a channel another name, which is free.
    pub fn rename_channel(&mut self, id: ChannelId, name: String) {
        let old = std::mem::replace(&mut self.channel_mut(id).name, name.clone());
        self.realm.channels_by_name.remove(&old.to_lowercase());
        self.realm.channels_by_name.insert(name.to_lowercase(), id);
    }

    /// Subscribes an active user; settings of an earlier subscription come back. False when subscribed already.
    pub fn subscribe(&mut self, user: UserId, channel: ChannelId, color: Option<String>) -> bool {
        self.subscribe_from(&mut Palette::default(), user, channel, color)
    }

    /// As [`Tx::subscribe`], for several subscriptions whose colours are chosen from one palette.
    pub fn subscribe_from(
        &mut self,
        palette: &mut Palette,
        user: UserId,
        channel: ChannelId,
        color: Option<String>,
    ) -> bool {
        if self.user_state(user).subscription(channel).is_some() {
            return false;
        }
        let since = MessageId(self.counters.message);
        let is_active = self.is_active(user);
        let color = match (color, self.user_state(user).subscriptions.get(&channel)) {
            (Some(color), _) => color,
            (None, Some(earlier)) => earlier.color.clone(),
            (None, None) => palette.of(&self.realm, user).next(),
        };
        palette.of(&self.realm, user).count(&color);
        // A channel decides once: who comes back has the settings of before.
        let decides =
            self.has(Feature::ChannelsDecideOnPushes) && self.channels[&channel].switches.default_push_notifications;
        let first =
            || Subscription { push_notifications: decides.then_some(true), ..Subscription::new(color.clone(), since) };
        let own = self.user_state_mut(user);
        let subscription = own.subscriptions.entry(channel).or_insert_with(|| Arc::new(first()));
        let subscription = Arc::make_mut(subscription);
        subscription.is_active = true;
        subscription.since = since;
        subscription.color = color;
        if is_active {
            self.channel_mut(channel).subscribers.insert(user);
        }
        true
    }

    /// Unsubscribes a user and marks what was unread there as read; gives what was unread.
    pub fn unsubscribe(&mut self, user: UserId, channel: ChannelId) -> Vec<MessageId> {
        let unread = self.unread_in_channel(user, channel);
        let own = self.user_state_mut(user);
        for message in &unread {
            own.read.insert(*message);
        }
        if let Some(subscription) = own.subscriptions.get_mut(&channel) {
            Arc::make_mut(subscription).is_active = false;
        }
        self.channel_mut(channel).subscribers.remove(&user);
        self.recall_pushes(user);
        unread
    }
}
