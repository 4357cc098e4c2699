//! Reactivating users and bots. A bot whose owner is deactivated gets another owner.
//!
//! A choice where the API is silent: A-64 in docs/assumptions.md.

use crate::api::changes::users::activation::reactivate;
use crate::api::changes::users::bot::{check_may_create_bot, emit_bot_account_field, find_active_bot_by_name};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::account_permissions::administered_user;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::events::PersonUpdate;
use serde_json::json;

operation! {
    /// Reactivates a user, with subscriptions and groups; for administrators, and owners of bots.
    pub ReactivateUser = POST "/users/{user_id}/reactivate", for User;
    params {
        /// ID of the user, who may be a bot; not of a system bot.
        @path user_id: UserId,
    }
    errors [NoSuchUser, InsufficientPermission, BotNameActive, PlaceholderAccount];
    events [
        RealmUserUpdate, RealmExportConsent, RealmUserAdd, SubscriptionPeerAdd, UserGroupAddMembers, RealmUpdateDict,
        UserGroupUpdate, StreamUpdate,
    ];
}

impl Write for ReactivateUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let user = administered_user(tx, caller, params.user_id)?;
        check_bot_reactivation(tx, context, &user)?;
        if user.is_deleted {
            return Err(Error::PlaceholderAccount);
        }

        reactivate(tx, user.id);
        replace_inactive_owner(tx, caller, &user);
        Ok(Success {})
    }
}

/// Checks that the caller may create a bot of this kind, and that no other active bot has the name. Does nothing for
/// people.
fn check_bot_reactivation(realm: &Realm, context: &OperationContext<'_>, user: &User) -> Result<(), Error> {
    let Some(bot) = &user.bot else { return Ok(()) };
    check_may_create_bot(realm, context, Some(bot.kind))?;
    // An active bot is found by its own name. From `ActiveBotReactivationRefused` on, that is a conflict too.
    let is_conflict =
        |other: &&std::sync::Arc<User>| other.id != user.id || context.has(Feature::ActiveBotReactivationRefused);
    match find_active_bot_by_name(realm, &user.full_name).filter(is_conflict) {
        Some(_) => Err(Error::BotNameActive { name: user.full_name.as_str().into() }),
        None => Ok(()),
    }
}

/// Makes the caller the owner of a bot whose owner is deactivated, so that reactivated bots have an active owner. If
/// the caller is a bot, the caller's owner becomes the owner, because bots can't own bots.
///
/// Events: `realm_user` update to everyone who can access the bot, and that of [`emit_bot_account_field`].
fn replace_inactive_owner(tx: &mut Tx, caller: &User, user: &User) {
    let has_inactive_owner = user.bot_owner().is_some_and(|owner| !tx.is_active(owner));
    if !has_inactive_owner {
        return;
    }
    let owner = if caller.is_bot() { caller.bot_owner() } else { Some(caller.id) };
    if let Some(bot) = &mut tx.user_mut(user.id).bot {
        bot.owner = owner;
    }
    let audience = tx.audience_with_access_to(user.id);
    tx.emit(audience, PersonUpdate::BotOwner { user_id: user.id, bot_owner_id: owner });
    emit_bot_account_field(tx, user.id, "owner_id", |_, _| json!(owner));
}
