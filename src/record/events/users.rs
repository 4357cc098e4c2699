//! The fields of events about users and bots.

use crate::realm::emoji::ReactionType;
use crate::realm::event::event_data;
use crate::realm::id::{ProfileFieldId, UserId};
use crate::record::bot::{BotRecord, BotService};
use crate::record::presence::{LegacyPresenceRecord, PresenceRecord};
use crate::record::user::UserRecord;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

event_data! {
    RealmUserAdd;
    RealmUserUpdate;
    RealmBotAdd;
    RealmBotUpdate;
    RealmBotDelete;
    UserStatus;
}

/// A user was added, or became visible.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUserAdd {
    /// The user, as the reader may see them.
    pub person: UserRecord,
}

/// A user was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUserUpdate {
    /// ID of the user, and the new values of what changed.
    pub person: PersonUpdate,
}

impl From<PersonUpdate> for crate::realm::event::Event {
    fn from(person: PersonUpdate) -> Self {
        RealmUserUpdate { person }.into()
    }
}

/// The new values of a user, in one of these combinations.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum PersonUpdate {
    /// The name changed.
    Name {
        /// ID of the user.
        user_id: UserId,
        /// New name.
        full_name: String,
    },
    /// The picture changed.
    Avatar {
        /// ID of the user.
        user_id: UserId,
        /// Where the picture comes from: `G` from the provider, `U` uploaded.
        #[schemars(extend("enum" = ["G", "U"]))]
        avatar_source: &'static str,
        /// URL of the picture.
        avatar_url: String,
        /// URL of the larger picture.
        avatar_url_medium: String,
        /// Number that grows with each change of the picture.
        avatar_version: i64,
    },
    /// The time zone changed.
    Timezone {
        /// ID of the user.
        user_id: UserId,
        /// API address of the user.
        email: String,
        /// IANA name of the new time zone.
        timezone: String,
    },
    /// A bot got another owner.
    BotOwner {
        /// ID of the bot.
        user_id: UserId,
        // None only if a bot without an owner reactivated the bot.
        /// ID of the new owner.
        #[schemars(with = "UserId")]
        bot_owner_id: Option<UserId>,
    },
    /// The role changed.
    Role {
        /// ID of the user.
        user_id: UserId,
        /// New role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
        #[schemars(schema_with = "role_schema")]
        role: i64,
    },
    /// The real address changed, or whether the reader may see it.
    DeliveryEmail {
        /// ID of the user.
        user_id: UserId,
        /// The real address; null if the reader can no longer see it.
        delivery_email: Option<String>,
    },
    /// A value of a custom profile field changed.
    ProfileField {
        /// ID of the user.
        user_id: UserId,
        /// The field and the user's new value.
        custom_profile_field: ProfileChange,
    },
    /// The API address changed.
    Email {
        /// ID of the user.
        user_id: UserId,
        /// The new API address.
        new_email: String,
    },
    /// The account was deactivated or reactivated.
    IsActive {
        /// ID of the user.
        user_id: UserId,
        /// False after a deactivation, true after a reactivation.
        is_active: bool,
    },
    /// An imported user logged in for the first time.
    IsImportedStub {
        /// ID of the user.
        user_id: UserId,
        /// Always false: the user has logged in.
        is_imported_stub: bool,
    },
    /// The time of joining changed, with the first login.
    DateJoined {
        /// ID of the user.
        user_id: UserId,
        /// The new time of joining, ISO 8601 to the minute.
        date_joined: String,
    },
}

fn role_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": [100, 200, 300, 400, 600]})
}

/// A user's new value of a custom profile field.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ProfileChange {
    /// ID of the field.
    pub id: ProfileFieldId,
    /// The value as text; null if it was removed.
    pub value: Option<String>,
    /// The value in HTML; absent for types of fields without Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub rendered_value: Option<String>,
}

/// A bot was created, or got a new owner.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmBotAdd {
    /// The bot with its services and defaults.
    pub bot: BotRecord,
}

/// The services or the defaults of a bot were changed; below level 474, also its account.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmBotUpdate {
    /// ID of the bot, and the new values of what changed.
    pub bot: BotUpdate,
}

/// The new values of a bot; what did not change is absent.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BotUpdate {
    /// ID of the bot.
    pub user_id: UserId,
    /// The services as they are now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<BotService>")]
    pub services: Option<Vec<Value>>,
    /// The name of the channel for its messages without a recipient; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub default_sending_stream: Option<Option<String>>,
    /// The name of the only channel whose messages its queues without a narrow get; null for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub default_events_register_stream: Option<Option<String>>,
    /// Whether its queues get messages of all public channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub default_all_public_streams: Option<bool>,
    /// What changed of its account, below level 474.
    #[serde(flatten)]
    #[schemars(skip)]
    pub account: Map<String, Value>,
}

/// A bot got another owner; sent to the former one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmBotDelete {
    /// The bot that the reader no longer owns.
    pub bot: RemovedBot,
}

/// A bot that the user no longer owns.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RemovedBot {
    /// ID of the bot.
    pub user_id: UserId,
}

/// A user's status was changed; what did not change is absent.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct UserStatus {
    /// ID of the user.
    pub user_id: UserId,
    /// The opposite of `presence_enabled`; deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub away: Option<bool>,
    /// Text of the status; "" for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub status_text: Option<String>,
    /// Name of the status emoji; "" for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub emoji_name: Option<String>,
    /// Code of the status emoji; "" for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub emoji_code: Option<String>,
    /// Namespace of `emoji_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ReactionType")]
    pub reaction_type: Option<ReactionType>,
}

/// A user's presence changed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Presence {
    /// The user's presence by user ID; only in the modern format, for clients with `simplified_presence_events`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, PresenceRecord>")]
    pub presences: Option<BTreeMap<UserId, PresenceRecord>>,
    /// In the legacy format: ID of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "UserId")]
    pub user_id: Option<UserId>,
    /// In the legacy format: the time of the event, UNIX seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub server_timestamp: Option<f64>,
    /// In the legacy format: the presence by kind of client, which is always `website`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, LegacyPresenceRecord>")]
    pub presence: Option<BTreeMap<&'static str, LegacyPresenceRecord>>,
    /// In the legacy format, without `slim_presence`: API address of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub email: Option<String>,
}
