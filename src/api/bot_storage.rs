//! What bots keep for themselves (specification, "Bot storage"): texts by key, limited in their sum.

use super::parameter::parameters;
use super::{About, Access, Call, Operation, Read, Route, Success, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Most characters of all keys and values of one bot together (specification, Limits).
pub const MAX_STORAGE_CHARACTERS: usize = 10_000_000;

/// PUT /bot_storage
pub struct UpdateBotStorage;

parameters! {
    /// What is stored.
    pub struct UpdateBotStorageParams {
        /// Texts by key; those of other keys stay.
        storage: BTreeMap<String, String>,
    }
}

impl Operation for UpdateBotStorage {
    const ROUTE: Route = Route::put("/bot_storage");
    const ACCESS: Access = Access::Bot;
    const ABOUT: About = About {
        summary: "Stores texts in the calling bot's storage, overwriting those of the same keys.",
        since: 0,
        is_specified: true,
        errors: &["BotsOnly", "BadValue", "StorageFull"],
        events: &[],
    };
    type Params = UpdateBotStorageParams;
    type Reply = Success;
}

impl Write for UpdateBotStorage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let bot = call.caller().id;
        check_size(&tx.own(bot).storage, &params.storage)?;

        tx.own_mut(bot).storage.extend(params.storage);
        Ok(Success {})
    }
}

/// Whether a storage stays within its limit when these are put into it; exactly filling it is allowed.
fn check_size(storage: &OrdMap<String, String>, new: &BTreeMap<String, String>) -> Result<(), Error> {
    let size = |(key, value): (&String, &String)| key.chars().count() + value.chars().count();
    let kept = storage.iter().filter(|(key, _)| !new.contains_key(*key)).map(size).sum::<usize>();
    let total = kept + new.iter().map(size).sum::<usize>();
    match total.checked_sub(MAX_STORAGE_CHARACTERS) {
        Some(excess) if excess > 0 => {
            Err(Error::StorageFull { excess: excess.into(), limit: MAX_STORAGE_CHARACTERS.into() })
        }
        _ => Ok(()),
    }
}

/// GET /bot_storage
pub struct GetBotStorage;

parameters! {
    /// What is looked at.
    pub struct BotStorageKeysParams {
        /// Only these keys; all when absent.
        keys: Option<Vec<String>>,
    }
}

/// What is stored.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BotStorageReply {
    /// Texts by key.
    pub storage: BTreeMap<String, String>,
}

impl Operation for GetBotStorage {
    const ROUTE: Route = Route::get("/bot_storage");
    const ACCESS: Access = Access::Bot;
    const ABOUT: About = About {
        summary: "Gives what the calling bot has stored.",
        since: 0,
        is_specified: false,
        errors: &["BotsOnly", "StorageKeyNotFound"],
        events: &[],
    };
    type Params = BotStorageKeysParams;
    type Reply = BotStorageReply;
}

impl Read for GetBotStorage {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<BotStorageReply, Error> {
        let storage = &realm.own(call.caller().id).storage;
        let entry = |key: String| storage.get(&key).cloned().map(|value| (key, value)).ok_or(Error::StorageKeyNotFound);
        let storage = match params.keys {
            Some(keys) => keys.into_iter().map(entry).collect::<Result<_, _>>()?,
            None => storage.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        };
        Ok(BotStorageReply { storage })
    }
}

/// DELETE /bot_storage
pub struct RemoveBotStorage;

impl Operation for RemoveBotStorage {
    const ROUTE: Route = Route::delete("/bot_storage");
    const ACCESS: Access = Access::Bot;
    const ABOUT: About = About {
        summary: "Removes texts from the calling bot's storage; nothing when a key does not exist.",
        since: 0,
        is_specified: false,
        errors: &["BotsOnly", "StorageKeyNotFound"],
        events: &[],
    };
    type Params = BotStorageKeysParams;
    type Reply = Success;
}

impl Write for RemoveBotStorage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let bot = call.caller().id;
        let stored = &tx.own(bot).storage;
        if params.keys.iter().flatten().any(|key| !stored.contains_key(key)) {
            return Err(Error::StorageKeyNotFound);
        }

        let storage = &mut tx.own_mut(bot).storage;
        match params.keys {
            Some(keys) => keys.iter().for_each(|key| {
                storage.remove(key);
            }),
            None => storage.clear(),
        }
        Ok(Success {})
    }
}
