//! Muting users, whose messages clients then hide, and unmuting them.

use super::parameter::parameters;
use super::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::event::{Audience, Event, EventKind, Payload, WholeList};
use crate::realm::id::{MessageId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::FlagUpdate;

parameters! {
    /// The parameters of muting and of unmuting.
    pub struct MutedUserParams {
        /// ID of a user other than the caller; may be a bot or deactivated.
        @path muted_user_id: UserId,
    }
}

operation! {
    /// Mutes a user for the caller, and marks the user's messages as read.
    pub MuteUser = POST "/users/me/muted_users/{muted_user_id}", for User, since 48;
    params from MutedUserParams;
    errors [CannotMuteSelf, NoSuchUser, InsufficientPermission, UserAlreadyMuted];
    events [UpdateMessageFlagsAdd, MutedUsers];
}

impl Write for MuteUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let (caller, muted_id) = (context.caller(), params.muted_user_id);
        if muted_id == caller.id {
            return Err(Error::CannotMuteSelf);
        }
        tx.accessible_user(caller, muted_id)?;
        if tx.user_state(caller.id).muted_users.contains_key(&muted_id) {
            return Err(Error::UserAlreadyMuted);
        }

        let now = tx.now;
        tx.mute(caller.id, muted_id, now);
        mark_messages_read(tx, caller.id, muted_id);
        emit_muted_users(tx, caller.id);
        Ok(Success {})
    }
}

/// Marks all unread messages of a muted user as read.
///
/// Event: `update_message_flags` to the caller, if there are such messages.
fn mark_messages_read(tx: &mut Tx, caller: UserId, muted_id: UserId) {
    let is_from_muted = |id: &MessageId| tx.messages.get(id).is_some_and(|message| message.sender == muted_id);
    let messages: Vec<MessageId> = tx.unread_messages(caller).into_iter().filter(is_from_muted).collect();
    if messages.is_empty() {
        return;
    }
    for message in &messages {
        tx.user_state_mut(caller).read.insert(*message);
    }
    tx.recall_pushes(caller);
    tx.emit(Audience::of_user(caller), FlagUpdate::new(true, "read", messages));
}

operation! {
    /// Unmutes a user for the caller. Messages that muting marked as read stay read.
    pub UnmuteUser = DELETE "/users/me/muted_users/{muted_user_id}", for User, since 48;
    params from MutedUserParams;
    errors [NoSuchUser, InsufficientPermission, UserNotMuted];
    events [MutedUsers];
}

impl Write for UnmuteUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let (caller, muted_id) = (context.caller(), params.muted_user_id);
        tx.accessible_user(caller, muted_id)?;
        if !tx.user_state(caller.id).muted_users.contains_key(&muted_id) {
            return Err(Error::UserNotMuted);
        }

        tx.unmute(caller.id, muted_id);
        emit_muted_users(tx, caller.id);
        Ok(Success {})
    }
}

fn emit_muted_users(tx: &mut Tx, user: UserId) {
    let muted_users = WholeList::MutedUsers(tx.user_state(user).muted_users.clone());
    tx.emit(Audience::of_user(user), Event::new(EventKind::MutedUsers, Payload::List(muted_users)));
}
