//! What `realm_bot` events told of bots' accounts before 474, when lists of bots had their names, keys and pictures too.

use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use crate::record::events::{BotUpdate, RealmBotUpdate};
use serde_json::{Map, Value};

/// The first level whose lists of bots leave accounts to the lists of users.
const ACCOUNTS_APART_SINCE: i64 = 474;

/// Tells a bot's owner and the administrators what is new about its account, where the level's lists of bots have it;
/// nothing for people.
///
/// Event: `realm_bot` update, below 474.
pub fn tell_of_account(tx: &mut Tx, id: UserId, key: &'static str, value: impl FnOnce(&Realm, &User) -> Value) {
    if !tx.users[&id].is_bot() {
        return;
    }
    let audience = who_lists(tx, id);
    tx.emit_before(ACCOUNTS_APART_SINCE, audience, |realm| account_update(id, key, value(realm, &realm.users[&id])));
}

fn account_update(user_id: UserId, key: &str, value: Value) -> RealmBotUpdate {
    let account = Map::from_iter([(key.to_owned(), value)]);
    RealmBotUpdate { bot: BotUpdate { user_id, services: None, account } }
}

/// Tells the administrators who owns a bot; owners who are none lose it or get it whole.
///
/// Event: `realm_bot` update, below 474.
pub fn tell_of_owner(tx: &mut Tx, bot: UserId, owner: UserId) {
    let audience = Audience::of(tx.at_least(Role::Administrator));
    tx.emit_before(ACCOUNTS_APART_SINCE, audience, |_| account_update(bot, "owner_id", owner.0.into()));
}

/// Whose lists have a bot: its owner's and administrators'.
pub fn who_lists(realm: &Realm, bot: UserId) -> Audience {
    let owner = realm.users[&bot].bot_owner();
    Audience::of(realm.at_least(Role::Administrator)).and(owner.into_iter().collect())
}
