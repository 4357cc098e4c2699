//! The caller's own API key.

use super::bots::former::tell_of_account;
use super::parameter::parameters;
use super::{About, Access, Call, Operation, Route, Write};
use crate::error::Error;
use crate::realm::change::Tx;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// POST /users/me/api_key/regenerate
pub struct RegenerateOwnApiKey;

parameters! {
    /// Takes none.
    pub struct RegenerateOwnApiKeyParams {}
}

/// The key that works from now on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewApiKeyReply {
    /// 32 letters and digits.
    pub api_key: String,
}

impl Operation for RegenerateOwnApiKey {
    const ROUTE: Route = Route::post("/users/me/api_key/regenerate");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Gives the caller a new API key; the old one fails from now on and push tokens of the older kind are gone, event queues live on.",
        since: 0,
        is_specified: false,
        errors: &[],
        events: &[],
    };
    type Params = RegenerateOwnApiKeyParams;
    type Reply = NewApiKeyReply;
}

impl Write for RegenerateOwnApiKey {
    fn run(tx: &mut Tx, call: &Call<'_>, _params: Self::Params) -> Result<NewApiKeyReply, Error> {
        let api_key = tx.realm_mut().chance.api_key();
        tx.replace_api_key(call.caller().id, api_key.clone());
        tell_of_account(tx, call.caller().id, "api_key", |_, bot| json!(bot.api_key));
        tx.change_push_targets(call.caller().id, |own| own.push_tokens.clear());
        Ok(NewApiKeyReply { api_key })
    }
}
