//! Transactions: a private copy of the realm, its basic changes, and the emitting of events.
//!
//! Each change keeps all indexes consistent; the methods that return mutable references leave that to the caller, and
//! panic when the object does not exist. Validation and permission checks are the caller's task too. The world
//! publishes the copy or drops it.

mod messages;

use super::Realm;
use super::log::event::{Audience, DeliveryCondition, Entry, Event};
use super::log::queue::QueueId;
use super::model::agenda::AgendaItem;
use super::model::attachment::Attachment;
use super::model::channel::{Channel, Subscription};
use super::model::group::{Group, SystemGroup};
use super::model::id::{ChannelId, GroupId, MessageId, UserId};
use super::model::message::Message;
use super::model::output_format::output_format_at_level;
use super::model::personal::UserState;
use super::model::render_context::RenderContext;
use super::model::subscription_colors::ColorCountsByUser;
use super::model::user::{Role, User};
use super::model::webhook_call::WebhookCall;
use crate::feature::Feature;
use crate::time::Span;
use chat_markdown::OutputFormat;
use chat_markdown::budget::Budget;
use std::ops::Deref;
use std::sync::Arc;

/// A transaction: a private copy of the realm that is being changed.
#[derive(Debug)]
pub struct Tx {
    realm: Realm,
    feature_level: i64,
    first_entry: u64,
    queues_to_wake: Vec<QueueId>,
    deleted_queues: Vec<QueueId>,
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
    /// A transaction at the newest feature level.
    pub fn new(realm: Realm) -> Self {
        Self::at_level(realm, i64::MAX)
    }

    pub fn at_level(realm: Realm, feature_level: i64) -> Self {
        let first_entry = realm.log.end();
        Self {
            realm,
            feature_level,
            first_entry,
            queues_to_wake: Vec::new(),
            deleted_queues: Vec::new(),
            webhook_calls: Vec::new(),
            budget: Budget::for_request(),
        }
    }

    /// Whether the world is below a feature level.
    pub fn is_before(&self, level: i64) -> bool {
        self.feature_level < level
    }

    pub fn has(&self, feature: Feature) -> bool {
        feature.is_at(self.feature_level)
    }

    pub fn feature_level(&self) -> i64 {
        self.feature_level
    }

    /// The format of rendered HTML at the world's level.
    pub fn output_format(&self) -> OutputFormat {
        output_format_at_level(self.feature_level)
    }

    /// The rendering context of messages that the server itself sends.
    pub fn render_context(&self) -> RenderContext {
        RenderContext { output_format: self.output_format(), ..RenderContext::default() }
    }

    /// The rendering budget that all descriptions and profiles of the transaction share.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn into_realm(self) -> Realm {
        self.realm
    }

    /// The log position of the transaction's first entry.
    pub fn first_entry(&self) -> u64 {
        self.first_entry
    }

    /// Wakes up the parked poll of a queue that was removed or is polled again.
    pub fn wake_poll(&mut self, id: &QueueId) {
        self.queues_to_wake.push(id.clone());
    }

    /// Has the parked poll of a queue that its client deletes answered when the transaction is committed, with the
    /// available events, possibly none.
    pub fn finish_poll(&mut self, id: &QueueId) {
        self.deleted_queues.push(id.clone());
    }

    /// The queues that their clients deleted ([`Tx::finish_poll`]). Their parked polls are answered when the
    /// transaction is committed.
    pub fn deleted_queues_mut(&mut self) -> &mut Vec<QueueId> {
        &mut self.deleted_queues
    }

    /// The queues whose parked polls wake up when the transaction is committed ([`Tx::wake_poll`]). Queues with new
    /// events are not included.
    pub fn queues_to_wake_mut(&mut self) -> &mut Vec<QueueId> {
        &mut self.queues_to_wake
    }

    /// The calls of outgoing webhooks to make when the transaction is committed.
    pub fn webhook_calls_mut(&mut self) -> &mut Vec<WebhookCall> {
        &mut self.webhook_calls
    }

    /// Stores the bytes of a file, once for equal files, and returns their content hash.
    pub fn store_blob(&mut self, bytes: bytes::Bytes) -> String {
        let hash = super::content_hash(&bytes);
        self.realm.blobs.insert(hash.clone(), bytes);
        hash
    }

    /// The private copy, for changes without a method here. The caller must keep the indexes consistent.
    pub fn realm_mut(&mut self) -> &mut Realm {
        &mut self.realm
    }

    /// Adds an event to the log, for the queues of its audience.
    pub fn emit(&mut self, audience: Audience, event: impl Into<Event>) {
        let (at, event) = (self.realm.now, event.into());
        self.realm.log.push(Entry { at, audience, queue: None, event });
    }

    /// Emits an event that only worlds below a level have. In other worlds and without readers, `event` is not called.
    pub fn emit_before<E: Into<Event>>(&mut self, level: i64, audience: Audience, event: impl FnOnce(&Realm) -> E) {
        // One reader suffices, because all queues of a world have the same level.
        let has_older_readers = self.event_readers().next().is_some_and(|queue| queue.options.level.is_before(level));
        if has_older_readers {
            let event = event(&self.realm).into().only_for(DeliveryCondition::Before(level));
            self.emit(audience, event);
        }
    }

    /// Adds an event to the log, for one queue alone.
    pub fn emit_to_queue(&mut self, queue: QueueId, event: impl Into<Event>) {
        let (at, event) = (self.realm.now, event.into());
        self.realm.log.push(Entry { at, audience: Audience::default(), queue: Some(queue), event });
    }

    /// An account, to be changed. The caller updates the indexes of its email address, key and activity.
    pub fn user_mut(&mut self, id: UserId) -> &mut User {
        Arc::make_mut(self.realm.users.get_mut(&id).expect("the user was looked up"))
    }

    /// A user's own settings, flags and lists, to be changed. The caller updates their indexes.
    pub fn user_state_mut(&mut self, id: UserId) -> &mut UserState {
        Arc::make_mut(self.realm.user_states.get_mut(&id).expect("the user was looked up"))
    }

    /// Updates [`UserState::last_request_at`], at most once per hour to avoid copying the state.
    pub fn record_activity(&mut self, id: UserId) {
        let now = self.now;
        let is_recent = self.user_state(id).last_request_at.is_some_and(|last_request_at| {
            last_request_at.plus(Span::from_minutes(60)) > now && last_request_at <= now
        });
        if !is_recent {
            self.user_state_mut(id).last_request_at = Some(now);
        }
    }

    /// The caller must not change the name, because [`Tx::rename_channel`] updates the index too. Subscribers may
    /// change only together with the users' subscriptions.
    pub fn channel_mut(&mut self, id: ChannelId) -> &mut Channel {
        Arc::make_mut(self.realm.channels.get_mut(&id).expect("the channel was looked up"))
    }

    /// A group, to be changed.
    pub fn group_mut(&mut self, id: GroupId) -> &mut Group {
        Arc::make_mut(self.realm.groups.get_mut(&id).expect("the group was looked up"))
    }

    /// The caller must not change the place, because [`Tx::move_message`] updates the indexes too.
    pub fn message_mut(&mut self, id: MessageId) -> &mut Message {
        Arc::make_mut(self.realm.messages.get_mut(&id).expect("the message was looked up"))
    }

    /// Adds an attachment, or replaces the one with the same path ID.
    pub fn add_attachment(&mut self, attachment: Arc<Attachment>) {
        self.remove_attachment(&attachment.path_id);
        self.realm.upload_space_used = self.realm.upload_space_used.saturating_add(attachment.size);
        if let Some(at) = attachment.thumbnails_at {
            self.realm.agenda.set(AgendaItem::Thumbnails(attachment.path_id.clone()), Some(at));
        }
        self.realm.attachments.insert(attachment.path_id.clone(), attachment);
    }

    /// Does nothing if the attachment does not exist. Its blob remains.
    pub fn remove_attachment(&mut self, path_id: &str) {
        if let Some(attachment) = self.realm.attachments.remove(path_id) {
            self.realm.upload_space_used = self.realm.upload_space_used.saturating_sub(attachment.size);
            if attachment.thumbnails_at.is_some() {
                self.realm.agenda.set(AgendaItem::Thumbnails(path_id.to_owned()), None);
            }
        }
    }

    /// Adds an account and, unless it is a system bot, makes it a member of the system groups of its role.
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
        self.realm.user_states.insert(id, Arc::new(UserState::default()));
        if !is_system {
            self.join_role_groups(id, role);
            self.schedule_full_membership(id);
        }
    }

    /// Adds a user to the system groups of a role, and returns these groups.
    pub fn join_role_groups(&mut self, user: UserId, role: Role) -> Vec<GroupId> {
        let mut groups = vec![self.system_group(SystemGroup::of_role(role))];
        let is_full_member = self.users.get(&user).is_some_and(|user| self.is_full_member(user));
        if is_full_member {
            groups.push(self.system_group(SystemGroup::FullMembers));
        }
        for group in &groups {
            self.group_mut(*group).members.insert(user);
        }
        groups
    }

    /// Removes a user from all system groups, and returns those that the user was a member of.
    pub fn leave_system_groups(&mut self, user: UserId) -> Vec<GroupId> {
        let groups: Vec<GroupId> =
            self.system_groups.values().copied().filter(|group| self.groups[group].members.contains(&user)).collect();
        for group in &groups {
            self.group_mut(*group).members.remove(&user);
        }
        groups
    }

    pub fn replace_api_key(&mut self, user: UserId, key: String) {
        let previous_key = std::mem::replace(&mut self.user_mut(user).api_key, key.clone());
        self.realm.users_by_key.remove(&previous_key);
        self.realm.users_by_key.insert(key, user);
    }

    pub fn add_channel(&mut self, channel: Channel) {
        self.realm.channels_by_name.insert(channel.name.to_lowercase(), channel.id);
        self.realm.channel_messages.insert(channel.id, Arc::default());
        self.realm.channels.insert(channel.id, Arc::new(channel));
    }

    /// The caller checks that the name is not in use.
    pub fn rename_channel(&mut self, id: ChannelId, name: String) {
        let previous_name = std::mem::replace(&mut self.channel_mut(id).name, name.clone());
        self.realm.channels_by_name.remove(&previous_name.to_lowercase());
        self.realm.channels_by_name.insert(name.to_lowercase(), id);
    }

    /// Subscribes a user. The settings of an earlier subscription apply again; `color` replaces its color. Returns
    /// false if the user is already subscribed.
    pub fn subscribe(&mut self, user: UserId, channel: ChannelId, color: Option<String>) -> bool {
        self.subscribe_with_color_counts(&mut ColorCountsByUser::default(), user, channel, color)
    }

    /// Does the same as [`Tx::subscribe`], with color counts that several subscriptions share.
    pub fn subscribe_with_color_counts(
        &mut self,
        color_counts: &mut ColorCountsByUser,
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
            (None, Some(earlier_subscription)) => earlier_subscription.color.clone(),
            (None, None) => color_counts.counts_of(&self.realm, user).least_used_color(),
        };
        color_counts.counts_of(&self.realm, user).count(&color);
        // Only new subscriptions take the channel's default of push notifications.
        let enables_pushes = self.has(Feature::ChannelDefaultsTurnOnPushes)
            && self.channels[&channel].boolean_settings.default_push_notifications;
        let new_subscription = || Subscription {
            push_notifications: enables_pushes.then_some(true),
            ..Subscription::new(color.clone(), since)
        };
        let state = self.user_state_mut(user);
        let subscription = state.subscriptions.entry(channel).or_insert_with(|| Arc::new(new_subscription()));
        let subscription = Arc::make_mut(subscription);
        subscription.is_active = true;
        subscription.since = since;
        subscription.color = color;
        if is_active {
            self.channel_mut(channel).subscribers.insert(user);
        }
        true
    }

    /// Unsubscribes a user, marks the unread messages of the channel as read, and returns them. Recalls the pushes for
    /// messages that the user's devices should no longer show.
    pub fn unsubscribe(&mut self, user: UserId, channel: ChannelId) -> Vec<MessageId> {
        let unread_ids = self.unread_in_channel(user, channel);
        let state = self.user_state_mut(user);
        for message in &unread_ids {
            state.read.insert(*message);
        }
        if let Some(subscription) = state.subscriptions.get_mut(&channel) {
            Arc::make_mut(subscription).is_active = false;
        }
        self.channel_mut(channel).subscribers.remove(&user);
        self.recall_pushes(user);
        unread_ids
    }
}
