//! Replacing the API key of an account, and the reply with only an API key.

use super::bot::emit_bot_account_field;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// The API key of an account.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ApiKeyOnlyReply {
    /// 32 letters and digits.
    pub api_key: String,
}

/// Gives an account a new API key; the old one no longer works.
///
/// Event: for bots that of [`emit_bot_account_field`].
pub fn regenerate_api_key(tx: &mut Tx, user: UserId) -> ApiKeyOnlyReply {
    let api_key = tx.realm_mut().rng.api_key();
    tx.replace_api_key(user, api_key.clone());
    emit_bot_account_field(tx, user, "api_key", |_, bot| json!(bot.api_key));
    ApiKeyOnlyReply { api_key }
}
