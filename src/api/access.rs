//! Which accounts may call an operation, as far as that does not depend on its parameters.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::permission::RealmPermission;
use crate::realm::user::{BotKind, Role, User};

/// The callers that an operation accepts. Incoming webhook bots may call only operations for [`Access::Anyone`],
/// [`Access::AnyAccount`] and [`Access::KeyHolder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The operation needs no credentials and ignores wrong ones.
    Anyone,
    /// [`Access::User`], and spectators, who send no credentials, if the organization has public access.
    UserOrSpectator,
    /// Any account, including incoming webhook bots.
    AnyAccount,
    /// Any account, including incoming webhook bots, with its key in the parameter `api_key`.
    KeyHolder,
    /// Any account except incoming webhook bots.
    User,
    /// People, not bots.
    Human,
    NotGuest,
    /// Accounts with the permission `can_create_groups`, except guests.
    GroupCreator,
    HumanNotGuest,
    /// Administrators and owners, bots with these roles included.
    Administrator,
    /// Owners, bots with this role included.
    Owner,
    Bot,
}

impl Access {
    /// Checks that the caller may call the operation.
    ///
    /// # Errors
    ///
    /// `WebhookBotNotAllowed`, `AdministratorRequired`, `OwnerRequired`, `GuestsNotAllowed`, `BotsNotAllowed`,
    /// `BotsOnly`, `InsufficientPermission`.
    pub fn check(self, realm: &Realm, caller: &User) -> Result<(), Error> {
        let is_incoming_webhook = caller.bot.as_ref().is_some_and(|bot| bot.kind == BotKind::IncomingWebhook);
        if is_incoming_webhook && !matches!(self, Access::Anyone | Access::AnyAccount | Access::KeyHolder) {
            return Err(Error::WebhookBotNotAllowed);
        }
        match self {
            Access::Anyone | Access::UserOrSpectator | Access::AnyAccount | Access::KeyHolder | Access::User => Ok(()),
            Access::Administrator if !caller.is_admin() => Err(Error::AdministratorRequired),
            Access::Owner if caller.role != Role::Owner => Err(Error::OwnerRequired),
            Access::NotGuest | Access::GroupCreator | Access::HumanNotGuest if caller.is_guest() => {
                Err(Error::GuestsNotAllowed)
            }
            Access::GroupCreator if !realm.may(caller.id, RealmPermission::CanCreateGroups) => {
                Err(Error::InsufficientPermission)
            }
            Access::Human | Access::HumanNotGuest if caller.is_bot() => Err(Error::BotsNotAllowed),
            Access::Bot if !caller.is_bot() => Err(Error::BotsOnly),
            Access::Administrator
            | Access::Owner
            | Access::NotGuest
            | Access::GroupCreator
            | Access::HumanNotGuest
            | Access::Human
            | Access::Bot => Ok(()),
        }
    }

    /// Whether spectators may call the operation.
    pub fn accepts_spectators(self, realm: &Realm) -> bool {
        self == Access::Anyone || (self == Access::UserOrSpectator && realm.allows_spectators())
    }

    /// The text in the reference and the OpenAPI document.
    pub fn description(self) -> &'static str {
        match self {
            Access::Anyone => "anyone, without credentials",
            Access::UserOrSpectator => "any account; spectators, who have none, if the organization has public access",
            Access::AnyAccount => "any account, including incoming webhook bots",
            Access::KeyHolder => "any account, including incoming webhook bots, by its key as `api_key`",
            Access::User => "any account",
            Access::Human => "human users, not bots",
            Access::NotGuest => "any account except guests",
            Access::GroupCreator => "users who may create user groups (`can_create_groups`), except guests",
            Access::HumanNotGuest => "human users, not bots or guests",
            Access::Administrator => "organization administrators",
            Access::Owner => "organization owners",
            Access::Bot => "bots",
        }
    }
}
