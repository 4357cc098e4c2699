//! Bots: listing the caller's own, returning and replacing API keys, deactivation. Submodules create and change bots,
//! and have the parameter for a webhook's URL.

pub mod create;
pub mod edit;
mod url;

use super::parameter::parameters;
use super::{OperationContext, Read, Success, Write, operation};
use crate::api::changes::users::activation::deactivate;
use crate::api::changes::users::api_key::{ApiKeyOnlyReply, regenerate_api_key};
use crate::api::changes::users::bot::realm_bot_audience;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::EventData;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use crate::record::avatar::{AvatarSize, avatar_url};
use crate::record::bot::BotDefaultsRecord;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

operation! {
    /// Lists the caller's active bots, with their keys.
    pub GetBots = GET "/bots", for HumanNotGuest;
    reply BotsReply;
}

/// The bots that the caller owns.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BotsReply {
    /// The active ones, in the order of IDs.
    pub bots: Vec<OwnBot>,
}

/// A bot as its owner sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OwnBot {
    /// The bot's email address.
    pub username: String,
    /// Display name, 1 to 100 code points.
    pub full_name: String,
    /// 32 letters and digits.
    pub api_key: String,
    /// Relative to the organization's URL for an uploaded picture, absolute for the provider's.
    pub avatar_url: String,
    /// Values for the parameters that its requests omit.
    #[serde(flatten)]
    pub defaults: BotDefaultsRecord,
}

impl Read for GetBots {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<BotsReply, Error> {
        let owner = context.caller().id;
        let bots = realm.users.values().filter(|user| user.is_active && user.bot_owner() == Some(owner));
        let own_bot = |user: &Arc<User>| OwnBot {
            username: user.email.clone(),
            full_name: user.full_name.clone(),
            api_key: user.api_key.clone(),
            avatar_url: avatar_url(realm, user, AvatarSize::Small),
            defaults: BotDefaultsRecord::new(realm, user.bot_defaults()),
        };
        Ok(BotsReply { bots: bots.map(own_bot).collect() })
    }
}

parameters! {
    /// The parameter of operations on a single bot.
    pub struct BotParams {
        /// User ID of the bot, which may be deactivated; one that may create users is for organization owners.
        @path bot_id: UserId,
    }
}

operation! {
    /// Returns a bot's API key, for its owner and administrators.
    pub GetBotApiKey = GET "/bots/{bot_id}/api_key", for HumanNotGuest, since 474;
    params from BotParams;
    reply ApiKeyOnlyReply;
    errors [NoSuchBot, InsufficientPermission, OwnerRequired];
}

impl Read for GetBotApiKey {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<ApiKeyOnlyReply, Error> {
        let bot = administered_bot(realm, context.caller(), params.bot_id)?;
        Ok(ApiKeyOnlyReply { api_key: bot.api_key.clone() })
    }
}

operation! {
    /// Gives a bot a new API key; the old one no longer works. For its owner and administrators.
    pub RegenerateBotApiKey = POST "/bots/{bot_id}/api_key/regenerate", for HumanNotGuest;
    params from BotParams;
    reply ApiKeyOnlyReply;
    errors [NoSuchBot, InsufficientPermission, OwnerRequired];
}

impl Write for RegenerateBotApiKey {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<ApiKeyOnlyReply, Error> {
        let bot = administered_bot(tx, context.caller(), params.bot_id)?.id;

        Ok(regenerate_api_key(tx, bot))
    }
}

operation! {
    /// Deactivates a bot; for its owner and administrators.
    pub DeactivateBot = DELETE "/bots/{bot_id}", for HumanNotGuest;
    params from BotParams;
    errors [NoSuchBot, InsufficientPermission, OwnerRequired];
    events [SubscriptionPeerRemove, RealmUserUpdate];
    effects [EndsSessions];
}

impl Write for DeactivateBot {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let bot = administered_bot(tx, context.caller(), params.bot_id)?;
        let (id, is_active) = (bot.id, bot.is_active);

        if is_active {
            deactivate(tx, id, None);
        }
        Ok(Success {})
    }
}

/// A bot, possibly deactivated, that the caller may administer: the caller owns the bot or is an administrator. If the
/// bot may create users, the caller has to be an owner of the organization.
///
/// # Errors
///
/// In this order: `NoSuchBot` (also for people and system bots), `InsufficientPermission`, `OwnerRequired`.
pub fn administered_bot<'realm>(realm: &'realm Realm, caller: &User, id: UserId) -> Result<&'realm Arc<User>, Error> {
    let bot = realm.user(id).filter(|user| user.is_bot() && !user.is_system_bot()).ok_or(Error::NoSuchBot)?;
    if !caller.is_admin() && bot.bot_owner() != Some(caller.id) {
        return Err(Error::InsufficientPermission);
    }
    if bot.can_create_users && caller.role != Role::Owner { Err(Error::OwnerRequired) } else { Ok(bot) }
}

/// Emits an event to the bot's owner and the administrators.
fn emit_bot_event(tx: &mut Tx, bot: UserId, event: impl EventData) {
    let audience = realm_bot_audience(tx, bot);
    tx.emit(audience, event);
}
