//! Accounts: what everybody may know of a user, and their credentials.

use super::id::{ChannelId, ProfileFieldId, UserId};
use super::memo::Memo;
use crate::time::Timestamp;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The name that guests see of users that they may not know of.
pub const UNKNOWN_USER_NAME: &str = "Unknown user";

/// An account, human or bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    pub id: UserId,
    /// The real address (`delivery_email`).
    pub email: String,
    /// Display name.
    pub full_name: String,
    /// Its place in the hierarchy.
    pub role: Role,
    /// False once deactivated.
    pub is_active: bool,
    /// Imported, and never logged in.
    pub is_imported_stub: bool,
    /// Deactivated, with its account data removed.
    pub is_deleted: bool,
    /// What makes it a bot.
    pub bot: Option<Bot>,
    /// When it was made, or first logged in where `joins_at_first_login`.
    pub date_joined: Timestamp,
    /// Imported or made through the API: `date_joined` moves to the first login.
    pub joins_at_first_login: bool,
    /// IANA name of the profile's time zone; empty when never set.
    pub timezone: String,
    /// Its picture.
    pub avatar: Avatar,
    /// Who may see the real address.
    pub email_visibility: EmailVisibility,
    /// 32 letters and digits.
    pub api_key: String,
    /// The password in clear: a test double keeps no secrets. None: can't log in with one.
    pub password: Option<String>,
    /// May create users through the API (together with being an administrator).
    pub can_create_users: bool,
    /// What the user says in custom profile fields.
    #[serde(deserialize_with = "crate::realm::distinct::keys")]
    pub profile: OrdMap<ProfileFieldId, ProfileEntry>,
    /// What was written of it already.
    #[serde(skip)]
    pub memo: UserMemo,
}

/// A user as JSON, whole and in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserMemo {
    /// As lists have it, for each of the ways in which it is looked at.
    pub lines: [Memo<Box<RawValue>>; 8],
    /// As the user sees themselves.
    pub own: Memo<Box<[u8]>>,
    /// What takes most work to write.
    pub written: Memo<Arc<Written>>,
}

/// Parts of a user's record, as JSON.
#[derive(Debug)]
pub struct Written {
    /// The address of the picture.
    pub avatar_url: Box<RawValue>,
    /// To the minute.
    pub date_joined: Box<RawValue>,
    /// What the user says in custom profile fields, by ID.
    pub profile_data: Box<RawValue>,
}

/// What a user says in a custom profile field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileEntry {
    /// As text.
    pub value: String,
    /// As HTML, for the kinds that take Markdown: as it was rendered when it was said.
    pub rendered: Option<String>,
}

impl User {
    /// Whether the account is a bot.
    pub fn is_bot(&self) -> bool {
        self.bot.is_some()
    }

    /// Whether the account is a bot of the general kind, which uses the API as people do.
    pub fn is_generic_bot(&self) -> bool {
        self.bot.as_ref().is_some_and(|bot| bot.kind == BotKind::Generic)
    }

    /// Whether the account belongs to the service itself, as the notification bot does.
    pub fn is_system_bot(&self) -> bool {
        self.bot.as_ref().is_some_and(|bot| bot.is_system)
    }

    /// Whether the account is a guest's.
    pub fn is_guest(&self) -> bool {
        self.role == Role::Guest
    }

    /// Whether the account is an administrator's or an owner's.
    pub fn is_admin(&self) -> bool {
        self.role <= Role::Administrator
    }

    /// The owner of a bot.
    pub fn bot_owner(&self) -> Option<UserId> {
        self.bot.as_ref().and_then(|bot| bot.owner)
    }

    /// What the requests of a bot mean where they don't say it; nothing of people.
    pub fn bot_defaults(&self) -> BotDefaults {
        self.bot.as_ref().map(|bot| bot.defaults).unwrap_or_default()
    }
}

/// What makes an account a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bot {
    /// What it does.
    pub kind: BotKind,
    /// Who answers for it; legacy and system bots have none.
    pub owner: Option<UserId>,
    /// One of the service's own, shown apart from the organization's users.
    pub is_system: bool,
    /// What it does for the service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_kind: Option<SystemBotKind>,
    /// Its outgoing services or its configuration, as the register reply lists them (`services`).
    pub services: Vec<Value>,
    /// What its requests mean where they don't say it.
    #[serde(default)]
    pub defaults: BotDefaults,
}

/// What a bot does for the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SystemBotKind {
    /// Sends notices, reminders and texts for the organization.
    Notification,
    /// Welcomes new users.
    Welcome,
    /// Sends what arrives as email.
    EmailGateway,
}

/// What the requests of a bot mean where they don't say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotDefaults {
    /// Where messages to a channel go that name none (`default_sending_stream`).
    pub sending_channel: Option<ChannelId>,
    /// The channel of which queues without a narrow get messages alone (`default_events_register_stream`).
    pub events_channel: Option<ChannelId>,
    /// Whether queues get messages of all public channels (`default_all_public_streams`).
    pub all_public_channels: bool,
}

impl BotDefaults {
    /// The channels that they name.
    pub fn channels(self) -> impl Iterator<Item = ChannelId> {
        self.sending_channel.into_iter().chain(self.events_channel)
    }
}

/// `bot_type` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotKind {
    /// 1: calls the API like anybody.
    Generic,
    /// 2: may only send messages.
    IncomingWebhook,
    /// 3: is called by the server.
    OutgoingWebhook,
    /// 4: runs inside the server.
    Embedded,
}

impl BotKind {
    /// The number on the wire.
    pub fn number(self) -> i64 {
        match self {
            BotKind::Generic => 1,
            BotKind::IncomingWebhook => 2,
            BotKind::OutgoingWebhook => 3,
            BotKind::Embedded => 4,
        }
    }
}

/// A user's role; a smaller number has more permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// 100
    Owner,
    /// 200
    Administrator,
    /// 300
    Moderator,
    /// 400
    Member,
    /// 600
    Guest,
}

impl Role {
    /// All roles, mightiest first.
    pub const ALL: [Role; 5] = [Role::Owner, Role::Administrator, Role::Moderator, Role::Member, Role::Guest];

    /// The number on the wire.
    pub fn number(self) -> i64 {
        match self {
            Role::Owner => 100,
            Role::Administrator => 200,
            Role::Moderator => 300,
            Role::Member => 400,
            Role::Guest => 600,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Administrator => "administrator",
            Role::Moderator => "moderator",
            Role::Member => "member",
            Role::Guest => "guest",
        }
    }

    /// The role with this number.
    pub fn from_number(number: i64) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.number() == number)
    }
}

/// Who may see a user's real address (`email_address_visibility`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmailVisibility {
    /// 1
    Everyone,
    /// 2: not guests.
    Members,
    /// 3: owners and administrators.
    Administrators,
    /// 4: nobody, administrators included.
    Nobody,
    /// 5: moderators and above.
    Moderators,
}

impl EmailVisibility {
    /// The number on the wire.
    pub fn number(self) -> i64 {
        match self {
            EmailVisibility::Everyone => 1,
            EmailVisibility::Members => 2,
            EmailVisibility::Administrators => 3,
            EmailVisibility::Nobody => 4,
            EmailVisibility::Moderators => 5,
        }
    }

    /// The visibility with this number.
    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Everyone, Self::Members, Self::Administrators, Self::Nobody, Self::Moderators]
            .into_iter()
            .find(|visibility| visibility.number() == number)
    }

    /// Whether somebody of this role may see the address.
    pub fn admits(self, role: Role) -> bool {
        match self {
            EmailVisibility::Everyone => true,
            EmailVisibility::Members => role <= Role::Member,
            EmailVisibility::Moderators => role <= Role::Moderator,
            EmailVisibility::Administrators => role <= Role::Administrator,
            EmailVisibility::Nobody => false,
        }
    }
}

/// A user's picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avatar {
    /// Where it comes from.
    pub source: AvatarSource,
    /// Grows with each change, from 1; busts caches.
    pub version: i64,
}

/// Where a picture comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AvatarSource {
    /// `G`: the third-party provider, found by a hash of the address.
    Provider,
    /// `U`: uploaded; the names under which the picture's bytes are kept.
    Uploaded {
        /// Content hash of the picture.
        blob: String,
        /// Content hash of the larger one.
        medium_blob: String,
    },
}

impl AvatarSource {
    /// The letter on the wire.
    pub fn letter(&self) -> &'static str {
        match self {
            AvatarSource::Provider => "G",
            AvatarSource::Uploaded { .. } => "U",
        }
    }
}
