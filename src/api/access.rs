//! Who may call an operation, as far as it does not depend on its parameters.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::permission::RealmPermission;
use crate::realm::user::{BotKind, Role, User};

/// Who may call an operation, as far as it does not depend on its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No credentials are asked for, and wrong ones don't matter.
    Anyone,
    /// Users, and anonymous visitors where the organization has public access.
    UserOrVisitor,
    /// Any account, webhook bots included.
    AnyAccount,
    /// Any account, webhook bots included, by its key among the parameters.
    KeyHolder,
    /// Any account but webhook bots.
    User,
    /// People, not bots.
    Human,
    /// Accounts that are not guests.
    NotGuest,
    /// Accounts that may create user groups.
    GroupCreator,
    /// People that are not guests.
    HumanNotGuest,
    /// Administrators and owners, bots of that role included.
    Administrator,
    /// Owners, bots of that role included.
    Owner,
    Bot,
}

impl Access {
    /// Whether the caller may call the operation.
    ///
    /// # Errors
    ///
    /// `WebhookBotNotAllowed`, `AdministratorRequired`, `OwnerRequired`, `GuestsNotAllowed`, `BotsNotAllowed`,
    /// `BotsOnly`, `InsufficientPermission`.
    pub fn check(self, realm: &Realm, caller: &User) -> Result<(), Error> {
        let is_webhook = caller.bot.as_ref().is_some_and(|bot| bot.kind == BotKind::IncomingWebhook);
        if is_webhook && !matches!(self, Access::Anyone | Access::AnyAccount | Access::KeyHolder) {
            return Err(Error::WebhookBotNotAllowed);
        }
        match self {
            Access::Anyone | Access::UserOrVisitor | Access::AnyAccount | Access::KeyHolder | Access::User => Ok(()),
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

    /// Whether an anonymous visitor may call the operation.
    pub fn takes_visitors(self, realm: &Realm) -> bool {
        self == Access::Anyone || (self == Access::UserOrVisitor && realm.has_public_access())
    }

    /// In words, for the documents.
    pub fn words(self) -> &'static str {
        match self {
            Access::Anyone => "anyone, without credentials",
            Access::UserOrVisitor => "any account; anonymous visitors if the organization has public access",
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
