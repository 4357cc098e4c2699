//! Deactivating users (specification, DELETE /users/{user_id}), including the caller.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::changes::users::activation::{DeletionActions, deactivate};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::account_permissions::is_only_owner;
use crate::realm::id::UserId;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use serde_json::Value;

/// Maximum length of the comment in the email to the user, in code points, after trimming.
const MAX_COMMENT_LENGTH: usize = 2000;

operation! {
    /// Deactivates a user, after the bots that they own; for administrators.
    pub DeactivateUser = DELETE "/users/{user_id}", for User;
    params {
        /// ID of an active user who is not a bot.
        @path user_id: UserId,
        /// What to delete; the data of the user's bots goes first.
        actions since 459: Option<DeletionActions>,
        /// For the email to the user, which this server does not send; at most 2,000 code points.
        deactivation_notification_comment since 135: Option<String>,
    }
    errors [BadValue, NoSuchUser, TargetDeactivated, InsufficientPermission, OwnerRequired, CannotDeactivateOnlyOwner];
    events [
        DeleteMessage, StreamUpdate, RealmUserUpdate, InvitesChanged, SubscriptionPeerRemove, RealmUpdateDict,
        UserGroupUpdate, RealmUserRemove, UserGroupRemoveMembers,
    ];
    effects [EndsSessions];
}

impl Write for DeactivateUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let comment = params.deactivation_notification_comment.unwrap_or_default();
        check_length(comment.trim(), "deactivation_notification_comment", MAX_COMMENT_LENGTH)?;
        check_may_deactivate(tx, context.caller(), params.user_id)?;

        deactivate(tx, params.user_id, params.actions.as_ref());
        Ok(Success {})
    }
}

fn check_may_deactivate(realm: &Realm, caller: &User, id: UserId) -> Result<(), Error> {
    let user = realm.user(id).filter(|user| !user.is_bot()).ok_or(Error::NoSuchUser)?;
    if !user.is_active {
        return Err(Error::TargetDeactivated);
    }
    if !caller.is_admin() {
        return Err(Error::InsufficientPermission);
    }
    if user.role == Role::Owner && caller.role != Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if is_only_owner(realm, user) { Err(Error::CannotDeactivateOnlyOwner) } else { Ok(()) }
}

operation! {
    /// Deactivates the caller, after the bots that they own.
    pub DeactivateOwnUser = DELETE "/users/me", for User;
    errors [CannotDeactivateLastUser];
    events [
        InvitesChanged, SubscriptionPeerRemove, RealmUserUpdate, RealmUpdateDict, UserGroupUpdate, StreamUpdate,
        RealmUserRemove, UserGroupRemoveMembers,
    ];
    effects [EndsSessions];
}

impl Write for DeactivateOwnUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        if tx.active_users.len() == 1 {
            return Err(last_user_error("user", false));
        }
        if is_only_owner(tx, caller) {
            return Err(last_user_error("organization owner", true));
        }

        deactivate(tx, caller.id, None);
        Ok(Success {})
    }
}

fn last_user_error(entity: &str, is_last_owner: bool) -> Error {
    Error::CannotDeactivateLastUser { entity: entity.into(), is_last_owner: Value::Bool(is_last_owner).into() }
}
