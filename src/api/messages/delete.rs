//! The operation that deletes a message, and who may delete it.

use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::deletion::delete_messages;
use crate::realm::id::MessageId;
use crate::realm::message::Message;
use crate::realm::permission::{ChannelPermission, RealmPermission};
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Span;

operation! {
    /// Deletes a message for all users.
    pub DeleteMessage = DELETE "/messages/{message_id}", for User;
    params {
        /// ID of a message; without the permission for any, it must be by the caller or a bot of the caller.
        @path message_id: MessageId,
    }
    errors [InvalidMessage, MayNotDelete, DeleteTimePassed];
    events [DeleteMessage, StreamUpdate];
}

impl Write for DeleteMessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let message = context.changeable_message(tx, params.message_id)?.clone();
        check_may_delete(tx, caller, &message)?;

        delete_messages(tx, caller.id, &[message.id]);
        Ok(Success {})
    }
}

/// Checks the permission to delete any message; for messages of the caller or of the caller's bots, another permission
/// suffices, with a time limit.
fn check_may_delete(realm: &Realm, caller: &User, message: &Message) -> Result<(), Error> {
    let channel = message.channel_and_topic().map(|(channel, _)| &realm.channels[&channel]);
    let has_permission = |realm_permission, channel_permission| {
        realm.may(caller.id, realm_permission)
            || channel.is_some_and(|channel| realm.may_in_channel(caller.id, channel, channel_permission))
    };
    if has_permission(RealmPermission::CanDeleteAnyMessage, ChannelPermission::CanDeleteAnyMessage) {
        return Ok(());
    }
    let sender = realm.user(message.sender);
    let is_own = message.sender == caller.id || sender.is_some_and(|sender| sender.bot_owner() == Some(caller.id));
    if !is_own || !has_permission(RealmPermission::CanDeleteOwnMessage, ChannelPermission::CanDeleteOwnMessage) {
        return Err(Error::MayNotDelete);
    }
    let limit = realm.organization.integer(RealmSetting::MessageContentDeleteLimitSeconds);
    let is_too_late = limit.is_some_and(|seconds| message.sent_at.plus(Span::from_seconds(seconds)) < realm.now);
    if is_too_late { Err(Error::DeleteTimePassed) } else { Ok(()) }
}
