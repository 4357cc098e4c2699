//! The API's record of a bot, which its owner and administrators see.

use crate::realm::Realm;
use crate::realm::id::ChannelId;
use crate::realm::user::{BotDefaults, User};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A bot, as its owner and administrators see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Bot")]
pub struct BotRecord {
    /// ID of the bot's account.
    pub user_id: i64,
    /// The defaults for requests that omit a parameter.
    #[serde(flatten)]
    pub defaults: BotDefaultsRecord,
    /// One service for outgoing webhooks and for embedded bots with a configuration; none for other bots.
    #[schemars(with = "Vec<BotService>")]
    pub services: Vec<Value>,
}

/// The defaults for requests of a bot that omit a parameter.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BotDefaultsRecord {
    /// The name of the channel for messages without a recipient; null for none.
    pub default_sending_stream: Option<String>,
    /// The name of the only channel whose messages queues without a narrow get; null for none.
    pub default_events_register_stream: Option<String>,
    /// Whether queues get the messages of all public channels, even where the bot is not subscribed.
    pub default_all_public_streams: bool,
}

impl BotDefaultsRecord {
    /// Converts the defaults of a bot, with the current names of the channels.
    pub fn new(realm: &Realm, defaults: BotDefaults) -> Self {
        Self {
            default_sending_stream: channel_name(realm, defaults.sending_channel),
            default_events_register_stream: channel_name(realm, defaults.events_channel),
            default_all_public_streams: defaults.all_public_channels,
        }
    }
}

/// The current name of a channel; None without an ID, or if the channel does not exist.
pub fn channel_name(realm: &Realm, id: Option<ChannelId>) -> Option<String> {
    id.and_then(|id| realm.channels.get(&id)).map(|channel| channel.name.clone())
}

/// What an outgoing webhook calls, or how an embedded bot is configured.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BotService {
    Outgoing(OutgoingService),
    Embedded(EmbeddedService),
}

/// Where and how the server posts messages to an outgoing webhook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutgoingService {
    /// URL that gets the posts.
    pub base_url: String,
    /// Secret that the posts contain, so that the receiver can tell where they come from.
    pub token: String,
    /// Format of the posts: 1 generic, 2 that of Slack.
    #[schemars(extend("enum" = [1, 2]))]
    pub interface: i64,
}

/// Which embedded bot it is, and its configuration.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EmbeddedService {
    /// Name of one of the bots that run inside the server.
    pub service_name: String,
    /// Values of the bot's options, by name.
    pub config_data: BTreeMap<String, String>,
}

impl BotRecord {
    /// An embedded bot without a configuration has no services.
    pub fn new(realm: &Realm, bot: &User) -> Self {
        let services = bot.bot.iter().flat_map(|bot| &bot.services);
        Self {
            user_id: bot.id.0,
            defaults: BotDefaultsRecord::new(realm, bot.bot_defaults()),
            services: services.filter(|service| service.get("config_data") != Some(&json!({}))).cloned().collect(),
        }
    }
}
