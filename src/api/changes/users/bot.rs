//! Bots: who may create them, which names are in use, and the `realm_bot` events about changes of their accounts.
//!
//! Only levels below 474 have these update events. From 474 on, `realm_user` events alone report changes of accounts.

use crate::api::OperationContext;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::permission::RealmPermission;
use crate::realm::tx::Tx;
use crate::realm::user::{BotKind, Role, User};
use crate::record::events::{BotUpdate, RealmBotUpdate};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Reports a changed field of a bot's account. Does nothing for people.
///
/// Event: below 474, `realm_bot` update to the bot's owner and the administrators.
pub fn emit_bot_account_field(tx: &mut Tx, id: UserId, key: &'static str, value: impl FnOnce(&Realm, &User) -> Value) {
    if !tx.users[&id].is_bot() {
        return;
    }
    let audience = realm_bot_audience(tx, id);
    tx.emit_before(Feature::BotUpdatesWithoutAccountFields.since(), audience, |realm| {
        account_update(id, key, value(realm, &realm.users[&id]))
    });
}

fn account_update(user_id: UserId, key: &str, value: Value) -> RealmBotUpdate {
    let account = Map::from_iter([(key.to_owned(), value)]);
    RealmBotUpdate { bot: BotUpdate { user_id, account, ..BotUpdate::default() } }
}

/// Reports the new owner of a bot to administrators. A new or former owner who is no administrator gets `realm_bot`
/// add or delete instead.
///
/// Event: below 474, `realm_bot` update.
pub fn emit_new_owner(tx: &mut Tx, bot: UserId, owner: UserId) {
    let audience = Audience::of_users(tx.users_with_role_or_higher(Role::Administrator));
    tx.emit_before(Feature::BotUpdatesWithoutAccountFields.since(), audience, |_| {
        account_update(bot, "owner_id", owner.0.into())
    });
}

/// The owner of a bot and the administrators.
pub fn realm_bot_audience(realm: &Realm, bot: UserId) -> Audience {
    let owner = realm.users[&bot].bot_owner();
    Audience::of_users(realm.users_with_role_or_higher(Role::Administrator)).with_users(owner.into_iter().collect())
}

/// Checks that the caller may create bots of a kind. For incoming webhook bots, `CanCreateWriteOnlyBots` is enough;
/// below 344 also for outgoing webhook and embedded bots, and administrators need no permission. `kind` is None for an
/// invalid number, so that callers without permission get the same error for it.
///
/// # Errors
///
/// `InsufficientPermission`, below 344 instead `AdministratorRequired`.
pub fn check_may_create_bot(realm: &Realm, context: &OperationContext<'_>, kind: Option<BotKind>) -> Result<(), Error> {
    let caller = context.caller();
    let has_permission = |permission| realm.may(caller.id, permission);
    if !context.has(Feature::GroupsDecideOnBotCreation) {
        // The former policy could restrict generic bots more than other bots.
        let permission = match kind {
            Some(BotKind::Generic) => RealmPermission::CanCreateBots,
            _ => RealmPermission::CanCreateWriteOnlyBots,
        };
        return if caller.is_admin() || has_permission(permission) {
            Ok(())
        } else {
            Err(Error::AdministratorRequired)
        };
    }
    let may_create = has_permission(RealmPermission::CanCreateBots)
        || (kind == Some(BotKind::IncomingWebhook) && has_permission(RealmPermission::CanCreateWriteOnlyBots));
    if may_create { Ok(()) } else { Err(Error::InsufficientPermission) }
}

/// An active bot with this name, regardless of case.
pub fn find_active_bot_by_name<'realm>(realm: &'realm Realm, name: &str) -> Option<&'realm Arc<User>> {
    let lowercase_name = name.to_lowercase();
    realm.users.values().find(|user| user.is_bot() && user.is_active && user.full_name.to_lowercase() == lowercase_name)
}
