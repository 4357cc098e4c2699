//! Changing the flags of a user's messages: read, starred, collapsed, hidden previews (specification, "Personal message
//! flags").
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::OperationContext;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::{Message, MessagePlace};
use crate::realm::personal::UserState;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::{FlagUpdate, MessageDetails};
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A flag that users can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    Read,
    Starred,
    Collapsed,
    HideLinkPreviews,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagOp {
    Add,
    Remove,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagChange {
    pub flag: Flag,
    pub op: FlagOp,
}

/// Flags that only the server sets.
const SERVER_FLAGS: &[&str] = &[
    "mentioned",
    "stream_wildcard_mentioned",
    "topic_wildcard_mentioned",
    "group_mentioned",
    "has_alert_word",
    "historical",
    "force_expand",
    "force_collapse",
];

impl FlagChange {
    /// Parses the parameters `flag` and `op`.
    ///
    /// # Errors
    ///
    /// In this order: `InvalidFlag`, `FlagNotEditable`, `InvalidFlagOperation`.
    pub fn parse(context: &OperationContext<'_>, flag: &str, op: &str) -> Result<Self, Error> {
        let flag = match flag {
            "read" => Flag::Read,
            "starred" => Flag::Starred,
            "collapsed" => Flag::Collapsed,
            "hide_link_previews" if context.has(Feature::PreviewsHiddenByFlag) => Flag::HideLinkPreviews,
            flag if SERVER_FLAGS.contains(&flag) => return Err(Error::FlagNotEditable { flag: flag.into() }),
            unknown => return Err(Error::InvalidFlag { flag: unknown.into() }),
        };
        let op = match op {
            "add" => FlagOp::Add,
            "remove" => FlagOp::Remove,
            other => return Err(Error::InvalidFlagOperation { op: other.into() }),
        };
        Ok(Self { flag, op })
    }

    /// Whether the change marks messages as unread. In channels, that needs a subscription.
    pub fn makes_unread(self) -> bool {
        self == Self { flag: Flag::Read, op: FlagOp::Remove }
    }
}

impl Flag {
    fn wire_name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Starred => "starred",
            Self::Collapsed => "collapsed",
            Self::HideLinkPreviews => "hide_link_previews",
        }
    }
}

/// The result of changing a flag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagChangeResult {
    /// Messages whose flag changed, sorted.
    pub messages: Vec<MessageId>,
    /// Channels whose messages were not marked as unread, because the user is not subscribed to them.
    pub ignored_channels: BTreeSet<ChannelId>,
}

/// Changes a flag of a user's messages. Starring, collapsing, hiding previews and marking as unread add a user message
/// for messages that the user did not receive.
///
/// Event: always one `update_message_flags` to the user, even if nothing changed.
///
/// # Errors
///
/// `InvalidMessage` if a message is inaccessible, except when adding `read` (which skips it), removing a flag other
/// than `read`, or marking as unread in a channel that the user is not subscribed to. On an error, nothing is changed.
pub fn change_flag(tx: &mut Tx, user: &User, ids: &[MessageId], change: FlagChange) -> Result<FlagChangeResult, Error> {
    let result = change_flag_without_event(tx, user, ids, change)?;
    emit_flag_update(tx, user.id, change, &result.messages, false);
    Ok(result)
}

/// Like [`change_flag`], without the event.
///
/// # Errors
///
/// Those of [`change_flag`].
pub fn change_flag_without_event(
    tx: &mut Tx,
    user: &User,
    ids: &[MessageId],
    change: FlagChange,
) -> Result<FlagChangeResult, Error> {
    let ids: BTreeSet<MessageId> = ids.iter().copied().collect();
    match change {
        FlagChange { flag: Flag::Read, op: FlagOp::Add } => Ok(mark_read(tx, user.id, &ids)),
        FlagChange { flag: Flag::Read, op: FlagOp::Remove } => mark_unread(tx, user, &ids),
        FlagChange { flag: Flag::Starred, op } => change_stored_flag(tx, user, &ids, |state| &mut state.starred, op),
        FlagChange { flag: Flag::Collapsed, op } => {
            change_stored_flag(tx, user, &ids, |state| &mut state.collapsed, op)
        }
        FlagChange { flag: Flag::HideLinkPreviews, op } => {
            change_stored_flag(tx, user, &ids, |state| &mut state.hidden_previews, op)
        }
    }
}

/// Those of the messages for which the user has a user message, and whose flag has the value that the change sets,
/// sorted.
pub fn messages_with_flag_value(realm: &Realm, user: UserId, ids: &[MessageId], change: FlagChange) -> Vec<MessageId> {
    let state = realm.user_state(user);
    let has_value = |message: &Message| {
        let has_flag = match change.flag {
            Flag::Read => !realm.is_unread(user, message),
            Flag::Starred => state.starred.contains(&message.id),
            Flag::Collapsed => state.collapsed.contains(&message.id),
            Flag::HideLinkPreviews => state.hidden_previews.contains(&message.id),
        };
        realm.has_user_message(user, message) && has_flag == (change.op == FlagOp::Add)
    };
    let ids: BTreeSet<MessageId> = ids.iter().copied().collect();
    ids.into_iter().filter(|id| realm.messages.get(id).is_some_and(|message| has_value(message))).collect()
}

fn mark_read(tx: &mut Tx, user: UserId, ids: &BTreeSet<MessageId>) -> FlagChangeResult {
    let is_unread = |id: &MessageId| tx.messages.get(id).is_some_and(|message| tx.is_unread(user, message));
    let messages: Vec<MessageId> = ids.iter().copied().filter(is_unread).collect();
    let read_ids = &mut tx.user_state_mut(user).read;
    for id in &messages {
        read_ids.insert(*id);
    }
    tx.recall_pushes(user);
    FlagChangeResult { messages, ignored_channels: BTreeSet::new() }
}

fn mark_unread(tx: &mut Tx, user: &User, ids: &BTreeSet<MessageId>) -> Result<FlagChangeResult, Error> {
    let mut result = FlagChangeResult::default();
    let mut messages: Vec<Arc<Message>> = Vec::new();
    for id in ids {
        let message = tx.messages.get(id).ok_or(Error::InvalidMessage)?;
        let channel = message.channel_and_topic().map(|(channel, _)| channel);
        let is_accessible = tx.has_user_message(user.id, message) || tx.can_see_message(user, message);
        match channel.filter(|channel| tx.user_state(user.id).subscription(*channel).is_none()) {
            Some(channel) if is_accessible => {
                result.ignored_channels.insert(channel);
            }
            Some(_) => {}
            // A bot that was mentioned in a conversation of others has no unread messages there.
            None if message.conversation().is_some_and(|conversation| !tx.is_participant(user.id, conversation))
                && is_accessible => {}
            None if is_accessible => messages.push(message.clone()),
            None => return Err(Error::InvalidMessage),
        }
    }
    for message in messages {
        tx.add_historical_user_message(user.id, message.id);
        let was_recipient = message.recipients.contains(&user.id);
        if !was_recipient {
            tx.add_late_recipient(user.id, message.id);
        }
        let was_read = tx.user_state_mut(user.id).read.remove(message.id);
        let was_unread = !was_read && was_recipient;
        if was_unread {
            // Its user message was unread already.
            continue;
        }
        // Unread messages must be newer than the subscription.
        if let Some((channel, _)) = message.channel_and_topic() {
            tx.move_subscription_start(user.id, channel, message.id);
        }
        result.messages.push(message.id);
    }
    Ok(result)
}

/// Changes a flag that is kept as a set of the messages that have it: any flag except `read`.
fn change_stored_flag(
    tx: &mut Tx,
    user: &User,
    ids: &BTreeSet<MessageId>,
    flagged_messages: fn(&mut UserState) -> &mut OrdSet<MessageId>,
    op: FlagOp,
) -> Result<FlagChangeResult, Error> {
    if op == FlagOp::Add {
        for id in ids {
            let message = tx.messages.get(id).ok_or(Error::InvalidMessage)?;
            let is_closed_to_guest = !tx.has(Feature::GuestsReadWebPublic) && tx.is_unsubscribed_guest(user, message);
            if !tx.has_user_message(user.id, message) && (is_closed_to_guest || !tx.can_see_message(user, message)) {
                return Err(Error::InvalidMessage);
            }
        }
        for id in ids {
            tx.add_historical_user_message(user.id, *id);
        }
    }
    let flagged_ids = flagged_messages(tx.user_state_mut(user.id));
    let mut result = FlagChangeResult::default();
    for id in ids {
        let is_changed = match op {
            FlagOp::Add => flagged_ids.insert(*id).is_none(),
            FlagOp::Remove => flagged_ids.remove(id).is_some(),
        };
        if is_changed {
            result.messages.push(*id);
        }
    }
    // The set may still have messages that were deleted.
    result.messages.retain(|id| tx.messages.contains_key(id));
    Ok(result)
}

/// Event: `update_message_flags` to the user. `covers_all_messages` says that all messages were marked as read.
pub fn emit_flag_update(
    tx: &mut Tx,
    user: UserId,
    change: FlagChange,
    messages: &[MessageId],
    covers_all_messages: bool,
) {
    let flag = change.flag.wire_name();
    let adds = change.op == FlagOp::Add;
    let mut update = FlagUpdate { all: covers_all_messages, ..FlagUpdate::new(adds, flag, messages.iter().copied()) };
    if change.makes_unread() {
        let details = |id: &MessageId| Some((id.to_string(), json!(message_details(tx, user, tx.messages.get(id)?))));
        update.details = Some(messages.iter().filter_map(details).collect());
    }
    tx.emit(Audience::of_user(user), update);
}

/// The details with which a client can count a message as unread without having the message.
fn message_details(realm: &Realm, user: UserId, message: &Message) -> MessageDetails {
    let mentioned = realm.is_notable_mention(user, message).then_some(true);
    match &message.place {
        MessagePlace::Channel { channel, topic } => MessageDetails {
            kind: "stream",
            stream_id: Some(*channel),
            topic: Some(topic.to_string()),
            unmuted_stream_msg: Some(!realm.is_muted_for(user, message)),
            user_ids: None,
            mentioned,
        },
        MessagePlace::Direct { conversation } => {
            let others = realm.conversations[conversation].members.iter().filter(|member| **member != user);
            MessageDetails {
                kind: "private",
                stream_id: None,
                topic: None,
                unmuted_stream_msg: None,
                user_ids: Some(others.copied().collect()),
                mentioned,
            }
        }
    }
}
