//! Bot storage (specification, "Bot storage"): texts by key, with a limit on the total size for each bot.

use super::parameter::parameters;
use super::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::tx::Tx;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of characters in all keys and values of one bot (specification, Limits).
pub const MAX_STORAGE_CHARACTERS: usize = 10_000_000;

operation! {
    /// Stores texts in the calling bot's storage, overwriting values of the same keys.
    pub UpdateBotStorage = PUT "/bot_storage", for Bot;
    params {
        /// Texts by key; values of other keys stay.
        storage: BTreeMap<String, String>,
    }
    errors [BotsOnly, BadValue, StorageFull];
}

impl Write for UpdateBotStorage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let bot = context.caller().id;
        check_size(&tx.user_state(bot).storage, &params.storage)?;

        tx.user_state_mut(bot).storage.extend(params.storage);
        Ok(Success {})
    }
}

/// Checks that the storage does not exceed its limit with the new entries.
fn check_size(storage: &OrdMap<String, String>, new_entries: &BTreeMap<String, String>) -> Result<(), Error> {
    let size = |(key, value): (&String, &String)| key.chars().count() + value.chars().count();
    let unchanged_size = storage.iter().filter(|(key, _)| !new_entries.contains_key(*key)).map(size).sum::<usize>();
    let total_size = unchanged_size + new_entries.iter().map(size).sum::<usize>();
    match total_size.checked_sub(MAX_STORAGE_CHARACTERS) {
        Some(excess) if excess > 0 => {
            Err(Error::StorageFull { excess: excess.into(), limit: MAX_STORAGE_CHARACTERS.into() })
        }
        _ => Ok(()),
    }
}

operation! {
    /// Returns the contents of the calling bot's storage, or those of the given keys.
    pub GetBotStorage = GET "/bot_storage", for Bot;
    params from BotStorageKeysParams;
    reply BotStorageReply;
    errors [BotsOnly, StorageKeyNotFound];
}

parameters! {
    /// The parameter of reading and removing.
    pub struct BotStorageKeysParams {
        /// Only these keys, each of which must exist; all keys when absent.
        keys: Option<Vec<String>>,
    }
}

/// The stored texts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BotStorageReply {
    /// Texts by key. Only the requested keys, if the request has `keys`.
    pub storage: BTreeMap<String, String>,
}

impl Read for GetBotStorage {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<BotStorageReply, Error> {
        let storage = &realm.user_state(context.caller().id).storage;
        let find_entry =
            |key: String| storage.get(&key).cloned().map(|value| (key, value)).ok_or(Error::StorageKeyNotFound);
        let storage = match params.keys {
            Some(keys) => keys.into_iter().map(find_entry).collect::<Result<_, _>>()?,
            None => storage.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        };
        Ok(BotStorageReply { storage })
    }
}

operation! {
    /// Removes texts from the calling bot's storage; removes nothing if a key does not exist.
    pub RemoveBotStorage = DELETE "/bot_storage", for Bot;
    params from BotStorageKeysParams;
    errors [BotsOnly, StorageKeyNotFound];
}

impl Write for RemoveBotStorage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let bot = context.caller().id;
        let storage = &tx.user_state(bot).storage;
        if params.keys.iter().flatten().any(|key| !storage.contains_key(key)) {
            return Err(Error::StorageKeyNotFound);
        }

        let storage = &mut tx.user_state_mut(bot).storage;
        match params.keys {
            Some(keys) => keys.iter().for_each(|key| {
                storage.remove(key);
            }),
            None => storage.clear(),
        }
        Ok(Success {})
    }
}
