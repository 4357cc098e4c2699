//! The read receipts of a message: who has read it.

use super::check_not_archived;
use crate::api::{OperationContext, Read, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{MessageId, UserId};
use crate::realm::setting::{RealmSetting, UserSetting};
use schemars::JsonSchema;
use serde::Serialize;

operation! {
    /// Lists the users who have read a message.
    pub GetReadReceipts = GET "/messages/{message_id}/read_receipts", for User, since 137;
    params {
        /// ID of a message that the caller can access.
        @path message_id: MessageId,
    }
    reply GetReadReceiptsReply;
    errors [InvalidMessage, ReceiptsDisabled];
}

/// The read receipts of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GetReadReceiptsReply {
    /// IDs of active users, without the sender, users who turned receipts off, and users who muted the caller or
    /// are muted by the caller.
    pub user_ids: Vec<UserId>,
}

impl Read for GetReadReceipts {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<GetReadReceiptsReply, Error> {
        let caller = context.caller();
        let message = context.message(realm, params.message_id)?;
        check_not_archived(realm, context, message)?;
        if !realm.organization.is_enabled(RealmSetting::EnableReadReceipts) {
            return Err(Error::ReceiptsDisabled);
        }
        let excludes_muted = context.has(Feature::ReceiptsWithoutMuted);
        let is_listed = |id: &&UserId| {
            let state = realm.user_state(**id);
            let is_muted_either_way =
                state.muted_users.contains_key(&caller.id) || realm.user_state(caller.id).muted_users.contains_key(*id);
            **id != message.sender
                && realm.is_active(**id)
                // User messages that were added later count as read.
                && (state.read.contains(message.id) || !message.recipients.contains(*id))
                && state.is_enabled(UserSetting::SendReadReceipts)
                && !(is_muted_either_way && excludes_muted)
        };
        let late_holders = realm.late_holders.get(&message.id).cloned().unwrap_or_default();
        let recipients = message.recipients.clone().union(late_holders);
        Ok(GetReadReceiptsReply { user_ids: recipients.iter().filter(is_listed).copied().collect() })
    }
}
