//! Users whose messages the caller does not want to see.

use super::parameter::parameters;
use super::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::event::{Audience, Event, EventKind, List, Payload};
use crate::realm::id::{MessageId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::FlagUpdate;

parameters! {
    /// The user to mute or unmute.
    pub struct MutedUserParams {
        /// The user; may be a bot or deactivated.
        @path muted_user_id: UserId,
    }
}

operation! {
    /// Mutes a user.
    pub MuteUser = POST "/users/me/muted_users/{muted_user_id}", for User, since 48;
    params from MutedUserParams;
    errors [CannotMuteSelf, NoSuchUser, InsufficientPermission, UserAlreadyMuted];
    events [UpdateMessageFlagsAdd, MutedUsers];
}

impl Write for MuteUser {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let (caller, muted) = (call.caller(), params.muted_user_id);
        if muted == caller.id {
            return Err(Error::CannotMuteSelf);
        }
        tx.accessible_user(caller, muted)?;
        if tx.user_state(caller.id).muted_users.contains_key(&muted) {
            return Err(Error::UserAlreadyMuted);
        }

        let now = tx.now;
        tx.mute(caller.id, muted, now);
        read_all_of(tx, caller.id, muted);
        emit(tx, caller.id);
        Ok(Success {})
    }
}

/// What was unread of a user who is muted is read. Tells so where there was anything.
fn read_all_of(tx: &mut Tx, user: UserId, muted: UserId) {
    let is_theirs = |id: &MessageId| tx.messages.get(id).is_some_and(|message| message.sender == muted);
    let messages: Vec<MessageId> = tx.unread(user).into_iter().filter(is_theirs).collect();
    if messages.is_empty() {
        return;
    }
    for message in &messages {
        tx.user_state_mut(user).read.insert(*message);
    }
    tx.recall_pushes(user);
    tx.emit(Audience::user(user), FlagUpdate::new(true, "read", messages));
}

operation! {
    /// Unmutes a user.
    pub UnmuteUser = DELETE "/users/me/muted_users/{muted_user_id}", for User, since 48;
    params from MutedUserParams;
    errors [NoSuchUser, InsufficientPermission, UserNotMuted];
    events [MutedUsers];
}

impl Write for UnmuteUser {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let (caller, muted) = (call.caller(), params.muted_user_id);
        tx.accessible_user(caller, muted)?;
        if !tx.user_state(caller.id).muted_users.contains_key(&muted) {
            return Err(Error::UserNotMuted);
        }

        tx.unmute(caller.id, muted);
        emit(tx, caller.id);
        Ok(Success {})
    }
}

fn emit(tx: &mut Tx, user: UserId) {
    let muted = List::MutedUsers(tx.user_state(user).muted_users.clone());
    tx.emit(Audience::user(user), Event::new(EventKind::MutedUsers, Payload::List(muted)));
}
