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
    /// The user.
    pub person: UserRecord,
}

/// A user was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmUserUpdate {
    /// The user and what changed.
    pub person: PersonUpdate,
}

impl From<PersonUpdate> for crate::realm::event::Event {
    fn from(person: PersonUpdate) -> Self {
        RealmUserUpdate { person }.into()
    }
}

/// What changed of a user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum PersonUpdate {
    /// The name changed.
    Name {
        /// ID of the user.
        user_id: UserId,
        /// Display name.
        full_name: String,
    },
    /// The picture changed.
    Avatar {
        /// ID of the user.
        user_id: UserId,
        /// `G` of a provider, `J` the default, `U` uploaded.
        avatar_source: &'static str,
        /// The picture's URL.
        avatar_url: String,
        /// URL of the larger picture.
        avatar_url_medium: String,
        /// Increases with each change.
        avatar_version: i64,
    },
    /// The time zone changed.
    Timezone {
        /// ID of the user.
        user_id: UserId,
        /// API address.
        email: String,
        /// IANA identifier.
        timezone: String,
    },
    /// A bot's owner.
    BotOwner {
        /// ID of the bot.
        user_id: UserId,
        /// The owner.
        #[schemars(with = "UserId")]
        bot_owner_id: Option<UserId>,
    },
    /// The role changed.
    Role {
        /// ID of the user.
        user_id: UserId,
        /// 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
        #[schemars(schema_with = "role_schema")]
        role: i64,
    },
    /// The real address.
    DeliveryEmail {
        /// ID of the user.
        user_id: UserId,
        /// Null if the reader can no longer see it.
        delivery_email: Option<String>,
    },
    /// A value of a custom profile field.
    ProfileField {
        /// ID of the user.
        user_id: UserId,
        /// The field and its value.
        custom_profile_field: ProfileChange,
    },
    /// The API address.
    Email {
        /// ID of the user.
        user_id: UserId,
        /// The address.
        new_email: String,
    },
    /// The account was deactivated or reactivated.
    IsActive {
        /// ID of the user.
        user_id: UserId,
        /// Whether it is active.
        is_active: bool,
    },
    /// An imported user logged in for the first time.
    IsImportedStub {
        /// ID of the user.
        user_id: UserId,
        /// Always false.
        is_imported_stub: bool,
    },
    /// The time of joining.
    DateJoined {
        /// ID of the user.
        user_id: UserId,
        /// ISO 8601 to the minute.
        date_joined: String,
    },
}

fn role_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": [100, 200, 300, 400, 600]})
}

/// A value of a custom profile field.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ProfileChange {
    /// The field.
    pub id: ProfileFieldId,
    /// Null if it was removed.
    pub value: Option<String>,
    /// HTML, for text fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub rendered_value: Option<String>,
}

/// A bot was created, or got a new owner.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmBotAdd {
    /// The bot.
    pub bot: BotRecord,
}

/// A bot was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmBotUpdate {
    /// The bot and what changed.
    pub bot: BotUpdate,
}

/// What changed of a bot.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct BotUpdate {
    /// ID of the bot.
    pub user_id: UserId,
    /// Its URL or its configuration.
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

/// A bot now has another owner.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmBotDelete {
    /// The bot.
    pub bot: RemovedBot,
}

/// A bot that the user no longer owns.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RemovedBot {
    /// ID of the bot.
    pub user_id: UserId,
}

/// A user's status was changed.
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
    /// In the modern format, by user ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, PresenceRecord>")]
    pub presences: Option<BTreeMap<UserId, PresenceRecord>>,
    /// In the legacy format: the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "UserId")]
    pub user_id: Option<UserId>,
    /// In the legacy format: the time, UNIX seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub server_timestamp: Option<f64>,
    /// In the legacy format, by client.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, LegacyPresenceRecord>")]
    pub presence: Option<BTreeMap<&'static str, LegacyPresenceRecord>>,
    /// In the legacy format, without `slim_presence`: API address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub email: Option<String>,
}
