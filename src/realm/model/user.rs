//! User accounts: profile, role, credentials and bot configuration.

use super::cached::Cached;
use super::id::{ChannelId, ProfileFieldId, UserId};
use crate::time::Timestamp;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Shown to guests instead of the names of users that they can't access.
pub const UNKNOWN_USER_NAME: &str = "Unknown user";

/// An account of a person or a bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    pub id: UserId,
    /// The real address, unique in the organization ignoring case.
    pub email: String,
    pub full_name: String,
    pub role: Role,
    pub is_active: bool,
    /// Whether the account was imported and never logged in.
    pub is_imported_stub: bool,
    /// Whether the account was deactivated and its data removed.
    pub is_deleted: bool,
    /// None for a person.
    pub bot: Option<Bot>,
    /// The time of creation, or of the first login if `joins_at_first_login`.
    pub date_joined: Timestamp,
    /// Whether `date_joined` becomes the time of the first login, for accounts that were imported or created through
    /// the API.
    pub joins_at_first_login: bool,
    /// The IANA name; "" if it was never set.
    pub timezone: String,
    pub avatar: Avatar,
    pub email_visibility: EmailVisibility,
    /// 32 letters and digits.
    pub api_key: String,
    /// In plain text, because a test double has no secrets; None if the user cannot log in with a password.
    pub password: Option<String>,
    /// Whether the user may create users and change their addresses through the API. The role of administrator is
    /// needed too; below level 36, the role alone suffices for creating users.
    pub can_create_users: bool,
    /// Values of custom profile fields.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::map")]
    pub profile: OrdMap<ProfileFieldId, ProfileEntry>,
    #[serde(skip)]
    pub cached_json: CachedUserJson,
}

/// Parts of replies about a user, serialized on first use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CachedUserJson {
    /// Entries in lists of users: one per combination of list (plain, register reply), visible email address and
    /// `client_gravatar`; `ListedUser::cached` computes the index.
    pub list_entries: [Cached<Box<RawValue>>; 8],
    /// The user's own view (`GET /users/me`).
    pub own: Cached<Box<[u8]>>,
    /// Parts that are expensive to serialize.
    pub serialized_parts: Cached<Arc<SerializedUserParts>>,
}

#[derive(Debug)]
pub struct SerializedUserParts {
    pub avatar_url: Box<RawValue>,
    /// With a precision of minutes.
    pub date_joined: Box<RawValue>,
    /// Values of custom profile fields, by ID of the field.
    pub profile_data: Box<RawValue>,
}

/// A user's value of a custom profile field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileEntry {
    pub value: String,
    /// The HTML, rendered when the value was set; None if the kind of field has no Markdown.
    pub rendered: Option<String>,
}

impl User {
    pub fn is_bot(&self) -> bool {
        self.bot.is_some()
    }

    pub fn is_generic_bot(&self) -> bool {
        self.bot.as_ref().is_some_and(|bot| bot.kind == BotKind::Generic)
    }

    /// Whether the account belongs to the service, as that of the notification bot does.
    pub fn is_system_bot(&self) -> bool {
        self.bot.as_ref().is_some_and(|bot| bot.is_system)
    }

    pub fn is_guest(&self) -> bool {
        self.role == Role::Guest
    }

    /// Owners are administrators too.
    pub fn is_admin(&self) -> bool {
        self.role <= Role::Administrator
    }

    /// The user who owns the bot; None for a person, or a bot without an owner.
    pub fn bot_owner(&self) -> Option<UserId> {
        self.bot.as_ref().and_then(|bot| bot.owner)
    }

    /// The bot's defaults; none are set for a person.
    pub fn bot_defaults(&self) -> BotDefaults {
        self.bot.as_ref().map(|bot| bot.defaults).unwrap_or_default()
    }
}

/// What only the accounts of bots have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bot {
    pub kind: BotKind,
    /// None for a system bot, or a bot from before bots had owners.
    pub owner: Option<UserId>,
    /// Whether it belongs to the service. System bots are not in the organization's list of users.
    pub is_system: bool,
    /// None unless it is a system bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_kind: Option<SystemBotKind>,
    /// Outgoing webhooks, or the configuration of an embedded bot, as in `services` of the register reply.
    pub services: Vec<Value>,
    /// Values of parameters that its requests omit.
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

/// Values of parameters that a bot's requests omit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BotDefaults {
    /// The channel of messages that name none (`default_sending_stream`).
    pub sending_channel: Option<ChannelId>,
    /// The only channel whose messages queues without a narrow receive (`default_events_register_stream`).
    pub events_channel: Option<ChannelId>,
    /// Whether queues receive the messages of all public channels (`default_all_public_streams`).
    pub all_public_channels: bool,
}

impl BotDefaults {
    pub fn channels(self) -> impl Iterator<Item = ChannelId> {
        self.sending_channel.into_iter().chain(self.events_channel)
    }
}

/// `bot_type` on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotKind {
    /// 1: uses the API as a person's client does.
    Generic,
    /// 2: delivers webhooks and sends messages; few other operations accept it.
    IncomingWebhook,
    /// 3: is called by the server.
    OutgoingWebhook,
    /// 4: runs inside the server.
    Embedded,
}

impl BotKind {
    pub fn number(self) -> i64 {
        match self {
            BotKind::Generic => 1,
            BotKind::IncomingWebhook => 2,
            BotKind::OutgoingWebhook => 3,
            BotKind::Embedded => 4,
        }
    }
}

/// A user's role, with its number on the wire. A smaller number has more permissions.
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
    /// From the highest to the lowest.
    pub const ALL: [Role; 5] = [Role::Owner, Role::Administrator, Role::Moderator, Role::Member, Role::Guest];

    pub fn number(self) -> i64 {
        match self {
            Role::Owner => 100,
            Role::Administrator => 200,
            Role::Moderator => 300,
            Role::Member => 400,
            Role::Guest => 600,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Role::Owner => "owner",
            Role::Administrator => "administrator",
            Role::Moderator => "moderator",
            Role::Member => "member",
            Role::Guest => "guest",
        }
    }

    pub fn from_number(number: i64) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.number() == number)
    }
}

/// Who may see a user's real address: `email_address_visibility`, with the numbers on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmailVisibility {
    /// 1
    Everyone,
    /// 2: not guests.
    Members,
    /// 3: owners and administrators.
    Administrators,
    /// 4: nobody, not even administrators.
    Nobody,
    /// 5: moderators and above.
    Moderators,
}

impl EmailVisibility {
    pub fn number(self) -> i64 {
        match self {
            EmailVisibility::Everyone => 1,
            EmailVisibility::Members => 2,
            EmailVisibility::Administrators => 3,
            EmailVisibility::Nobody => 4,
            EmailVisibility::Moderators => 5,
        }
    }

    pub fn from_number(number: i64) -> Option<Self> {
        [Self::Everyone, Self::Members, Self::Administrators, Self::Nobody, Self::Moderators]
            .into_iter()
            .find(|visibility| visibility.number() == number)
    }

    /// Whether users with this role may see the address.
    pub fn is_visible_to(self, role: Role) -> bool {
        match self {
            EmailVisibility::Everyone => true,
            EmailVisibility::Members => role <= Role::Member,
            EmailVisibility::Moderators => role <= Role::Moderator,
            EmailVisibility::Administrators => role <= Role::Administrator,
            EmailVisibility::Nobody => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Avatar {
    pub source: AvatarSource,
    /// Starts at 1 and grows with each change. It is part of the URL, so that browsers load the new picture.
    pub version: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum AvatarSource {
    /// `G`: an external provider, which identifies users by a hash of their address.
    Provider,
    /// `U`: uploaded by the user.
    Uploaded {
        /// The content hash of the picture.
        blob: String,
        /// The content hash of the larger version.
        medium_blob: String,
    },
}

impl AvatarSource {
    /// `avatar_source` on the wire.
    pub fn letter(&self) -> &'static str {
        match self {
            AvatarSource::Provider => "G",
            AvatarSource::Uploaded { .. } => "U",
        }
    }
}
