//! What it takes to change a flag of somebody's messages, and what it does (specification, "Personal message flags").
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::Call;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::{Message, Place};
use crate::realm::personal::UserState;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::{FlagUpdate, MessageDetails};
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A flag that users set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// Was read.
    Read,
    /// Is marked with a star.
    Starred,
    /// Is shown collapsed.
    Collapsed,
    /// Is shown without previews of its links.
    HideLinkPreviews,
}

/// What becomes of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagOp {
    /// Set.
    Add,
    /// Taken away.
    Remove,
}

/// A change of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagChange {
    /// Which flag.
    pub flag: Flag,
    /// What becomes of it.
    pub op: FlagOp,
}

/// Flags that the server sets itself.
const KEPT_BY_SERVER: &[&str] = &[
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
    /// The change that a request names.
    ///
    /// # Errors
    ///
    /// In this order: `InvalidFlag`, `FlagNotEditable`, `InvalidFlagOperation`.
    pub fn parse(call: &Call<'_>, flag: &str, op: &str) -> Result<Self, Error> {
        let flag = match flag {
            "read" => Flag::Read,
            "starred" => Flag::Starred,
            "collapsed" => Flag::Collapsed,
            "hide_link_previews" if call.has(Feature::PreviewsHiddenByFlag) => Flag::HideLinkPreviews,
            flag if KEPT_BY_SERVER.contains(&flag) => return Err(Error::FlagNotEditable { flag: flag.into() }),
            unknown => return Err(Error::InvalidFlag { flag: unknown.into() }),
        };
        let op = match op {
            "add" => FlagOp::Add,
            "remove" => FlagOp::Remove,
            other => return Err(Error::InvalidFlagOperation { op: other.into() }),
        };
        Ok(Self { flag, op })
    }

    /// Whether messages become unread, which is for subscribed channels alone.
    pub fn makes_unread(self) -> bool {
        self == Self { flag: Flag::Read, op: FlagOp::Remove }
    }

    fn names(self) -> (&'static str, &'static str) {
        let flag = match self.flag {
            Flag::Read => "read",
            Flag::Starred => "starred",
            Flag::Collapsed => "collapsed",
            Flag::HideLinkPreviews => "hide_link_previews",
        };
        (flag, if self.op == FlagOp::Add { "add" } else { "remove" })
    }
}

/// What a change of a flag did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Messages whose flag really changed, sorted.
    pub messages: Vec<MessageId>,
    /// Channels whose messages did not become unread since the user is not subscribed to them.
    pub ignored_channels: BTreeSet<ChannelId>,
}

/// Changes a flag of a user's messages. What is so already, and what the user can't see, is passed over; marking what they did not receive gives them a row for it.
///
/// Event: always one `update_message_flags` to the user, even when nothing changed.
///
/// # Errors
///
/// `InvalidMessage`, when a message to be marked, or marked as unread, can't be seen; nothing has changed then.
pub fn change_flag(tx: &mut Tx, user: &User, ids: &[MessageId], change: FlagChange) -> Result<Changed, Error> {
    let changed = apply(tx, user, ids, change)?;
    emit(tx, user.id, change, &changed.messages, false);
    Ok(changed)
}

/// As [`change_flag`], without the event.
pub fn apply(tx: &mut Tx, user: &User, ids: &[MessageId], change: FlagChange) -> Result<Changed, Error> {
    let ids: BTreeSet<MessageId> = ids.iter().copied().collect();
    match change {
        FlagChange { flag: Flag::Read, op: FlagOp::Add } => Ok(mark_read(tx, user.id, &ids)),
        FlagChange { flag: Flag::Read, op: FlagOp::Remove } => mark_unread(tx, user, &ids),
        FlagChange { flag: Flag::Starred, op } => mark(tx, user, &ids, |own| &mut own.starred, op),
        FlagChange { flag: Flag::Collapsed, op } => mark(tx, user, &ids, |own| &mut own.collapsed, op),
        FlagChange { flag: Flag::HideLinkPreviews, op } => mark(tx, user, &ids, |own| &mut own.hidden_previews, op),
    }
}

/// Of some messages those that the user has a row for and whose flag is as a change makes it, sorted.
pub fn as_changed(realm: &Realm, user: UserId, ids: &[MessageId], change: FlagChange) -> Vec<MessageId> {
    let own = realm.user_state(user);
    let is_so = |message: &Message| {
        let has_flag = match change.flag {
            Flag::Read => !realm.is_unread(user, message),
            Flag::Starred => own.starred.contains(&message.id),
            Flag::Collapsed => own.collapsed.contains(&message.id),
            Flag::HideLinkPreviews => own.hidden_previews.contains(&message.id),
        };
        realm.has_row(user, message) && has_flag == (change.op == FlagOp::Add)
    };
    let ids: BTreeSet<MessageId> = ids.iter().copied().collect();
    ids.into_iter().filter(|id| realm.messages.get(id).is_some_and(|message| is_so(message))).collect()
}

fn mark_read(tx: &mut Tx, user: UserId, ids: &BTreeSet<MessageId>) -> Changed {
    let is_unread = |id: &MessageId| tx.messages.get(id).is_some_and(|message| tx.is_unread(user, message));
    let messages: Vec<MessageId> = ids.iter().copied().filter(is_unread).collect();
    let read = &mut tx.user_state_mut(user).read;
    for id in &messages {
        read.insert(*id);
    }
    tx.recall_pushes(user);
    Changed { messages, ignored_channels: BTreeSet::new() }
}

fn mark_unread(tx: &mut Tx, user: &User, ids: &BTreeSet<MessageId>) -> Result<Changed, Error> {
    let mut changed = Changed::default();
    let mut found: Vec<Arc<Message>> = Vec::new();
    for id in ids {
        let message = tx.messages.get(id).ok_or(Error::InvalidMessage)?;
        let channel = message.channel().map(|(channel, _)| channel);
        let is_seen = tx.has_row(user.id, message) || tx.can_see_message(user, message);
        match channel.filter(|channel| tx.user_state(user.id).subscription(*channel).is_none()) {
            Some(channel) if is_seen => {
                changed.ignored_channels.insert(channel);
            }
            Some(_) => {}
            // A bot that was mentioned in others' conversation has nothing unread there.
            None if message.conversation().is_some_and(|id| !tx.takes_part(user.id, id)) && is_seen => {}
            None if is_seen => found.push(message.clone()),
            None => return Err(Error::InvalidMessage),
        }
    }
    for message in found {
        tx.add_row(user.id, message.id);
        let is_late = !message.recipients.contains(&user.id);
        if is_late {
            tx.receive_late(user.id, message.id);
        }
        if !tx.user_state_mut(user.id).read.remove(message.id) && !is_late {
            continue;
        }
        if let Some((channel, _)) = message.channel() {
            tx.reach_back(user.id, channel, message.id);
        }
        changed.messages.push(message.id);
    }
    Ok(changed)
}

fn mark(
    tx: &mut Tx,
    user: &User,
    ids: &BTreeSet<MessageId>,
    marked: fn(&mut UserState) -> &mut OrdSet<MessageId>,
    op: FlagOp,
) -> Result<Changed, Error> {
    if op == FlagOp::Add {
        for id in ids {
            let message = tx.messages.get(id).ok_or(Error::InvalidMessage)?;
            let is_closed = !tx.has(Feature::GuestsReadWebPublic) && tx.is_guest_outside(user, message);
            if !tx.has_row(user.id, message) && (is_closed || !tx.can_see_message(user, message)) {
                return Err(Error::InvalidMessage);
            }
        }
        for id in ids {
            tx.add_row(user.id, *id);
        }
    }
    let marked = marked(tx.user_state_mut(user.id));
    let mut changed = Changed::default();
    for id in ids {
        let is_changed = match op {
            FlagOp::Add => marked.insert(*id).is_none(),
            FlagOp::Remove => marked.remove(id).is_some(),
        };
        if is_changed {
            changed.messages.push(*id);
        }
    }
    // What was marked and is deleted since has no flags, though it was kept that it had.
    changed.messages.retain(|id| tx.messages.contains_key(id));
    Ok(changed)
}

/// Tells a user's clients of changed flags. `is_all`: everything is read, whatever the list has.
pub fn emit(tx: &mut Tx, user: UserId, change: FlagChange, messages: &[MessageId], is_all: bool) {
    let (flag, op) = change.names();
    let mut update = FlagUpdate { all: is_all, ..FlagUpdate::new(op == "add", flag, messages.iter().copied()) };
    if change.makes_unread() {
        let details = |id: &MessageId| Some((id.to_string(), json!(message_details(tx, user, tx.messages.get(id)?))));
        update.details = Some(messages.iter().filter_map(details).collect());
    }
    tx.emit(Audience::user(user), update);
}

/// What a client needs to know to count a message that it may not have as unread.
fn message_details(realm: &Realm, user: UserId, message: &Message) -> MessageDetails {
    let mentioned = realm.is_notable_mention(user, message).then_some(true);
    match &message.place {
        Place::Channel { channel, topic } => MessageDetails {
            kind: "stream",
            stream_id: Some(*channel),
            topic: Some(topic.to_string()),
            unmuted_stream_msg: Some(!realm.is_muted_for(user, message)),
            user_ids: None,
            mentioned,
        },
        Place::Direct { conversation } => {
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
