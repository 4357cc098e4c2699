//! Bots as their owners and administrators see them.

use crate::realm::user::User;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

/// What a bot does by itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Bot")]
pub struct BotRecord {
    /// Its ID.
    pub user_id: i64,
    /// Always null: bots have no channel that they send to by default.
    pub default_sending_stream: Option<String>,
    /// Always null.
    pub default_events_register_stream: Option<String>,
    /// Always false.
    pub default_all_public_streams: bool,
    /// What it calls or is configured with.
    #[schemars(schema_with = "services")]
    pub services: Vec<Value>,
}

/// The document has the schema of a service by its name.
pub fn services(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"$ref": "#/components/schemas/BotService"}})
}

impl BotRecord {
    /// A bot. An embedded one without a configuration has no services.
    pub fn new(bot: &User) -> Self {
        let services = bot.bot.iter().flat_map(|bot| &bot.services);
        Self {
            user_id: bot.id.0,
            default_sending_stream: None,
            default_events_register_stream: None,
            default_all_public_streams: false,
            services: services.filter(|service| service.get("config_data") != Some(&json!({}))).cloned().collect(),
        }
    }
}
