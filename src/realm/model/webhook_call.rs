//! The requests that the server makes to the URLs of outgoing webhook bots.

use super::id::UserId;
use super::render_context::RenderContext;
use super::sent_message::SentMessage;
use std::sync::Arc;

/// The request to an outgoing webhook bot's URL that a message causes.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookCall {
    pub bot: UserId,
    pub trigger: WebhookTrigger,
    /// From the bot's configuration.
    pub url: String,
    /// Authenticates the server to the receiver.
    pub token: String,
    pub format: WebhookFormat,
    pub sent_message: Arc<SentMessage>,
    /// The context of the request that sent the message; None if no request sent it.
    pub render_context: Option<RenderContext>,
}

/// Why the bot is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookTrigger {
    /// A channel message mentions the bot.
    Mention,
    /// The bot receives a direct message.
    DirectMessage,
}

/// The format of the request body, which is `interface` of the bot's service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookFormat {
    /// `interface` 1, the default: JSON with the message.
    Generic,
    /// `interface` 2: form data in the format of Slack's outgoing webhooks.
    Slack,
}
