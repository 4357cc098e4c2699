//! What `realm_bot` events said of bots' accounts before 474, when lists of bots had their names, keys and pictures too.

use crate::api::Call;
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

/// Tells a bot's owner and the administrators what is new about its account, where the level's lists of bots have it;
/// nothing for people.
///
/// Event: `realm_bot` update, below 474.
pub fn emit_account(tx: &mut Tx, id: UserId, key: &'static str, value: impl FnOnce(&Realm, &User) -> Value) {
    if !tx.users[&id].is_bot() {
        return;
    }
    let audience = who_lists(tx, id);
    tx.emit_before(Feature::BotAccountsApart.since(), audience, |realm| {
        account_update(id, key, value(realm, &realm.users[&id]))
    });
}

fn account_update(user_id: UserId, key: &str, value: Value) -> RealmBotUpdate {
    let account = Map::from_iter([(key.to_owned(), value)]);
    RealmBotUpdate { bot: BotUpdate { user_id, account, ..BotUpdate::default() } }
}

/// Tells the administrators who owns a bot; owners who are none lose it or get it whole.
///
/// Event: `realm_bot` update, below 474.
pub fn emit_owner(tx: &mut Tx, bot: UserId, owner: UserId) {
    let audience = Audience::of(tx.at_least(Role::Administrator));
    tx.emit_before(Feature::BotAccountsApart.since(), audience, |_| account_update(bot, "owner_id", owner.0.into()));
}

/// Whose lists have a bot: its owner's and administrators'.
pub fn who_lists(realm: &Realm, bot: UserId) -> Audience {
    let owner = realm.users[&bot].bot_owner();
    Audience::of(realm.at_least(Role::Administrator)).and(owner.into_iter().collect())
}

/// Whether the caller may make bots of a kind; those that only send messages take less.
///
/// # Errors
///
/// `InsufficientPermission`, and below 344 `AdministratorRequired`. A kind that there is not (None) is refused like others.
pub fn check_may_create_bot(realm: &Realm, call: &Call<'_>, kind: Option<BotKind>) -> Result<(), Error> {
    let caller = call.caller();
    let may = |name| realm.may(caller.id, name);
    if !call.has(Feature::BotsByGroups) {
        // What the policy restricts are generic bots.
        let permission = match kind {
            Some(BotKind::Generic) => RealmPermission::CanCreateBots,
            _ => RealmPermission::CanCreateWriteOnlyBots,
        };
        return if caller.is_admin() || may(permission) { Ok(()) } else { Err(Error::AdministratorRequired) };
    }
    let may_create = may(RealmPermission::CanCreateBots)
        || (kind == Some(BotKind::IncomingWebhook) && may(RealmPermission::CanCreateWriteOnlyBots));
    if may_create { Ok(()) } else { Err(Error::InsufficientPermission) }
}

/// The active bot of this name, whatever the case.
pub fn bot_named<'realm>(realm: &'realm Realm, name: &str) -> Option<&'realm Arc<User>> {
    let folded = name.to_lowercase();
    realm.users.values().find(|user| user.is_bot() && user.is_active && user.full_name.to_lowercase() == folded)
}
