//! Calls of outgoing webhooks, as data.

use super::id::UserId;
use super::sent_message::SentMessage;
use super::site::Site;
use std::sync::Arc;

/// A message that is to be posted to the URL of a bot.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookCall {
    pub bot: UserId,
    /// Why it is called.
    pub trigger: Trigger,
    /// Where it is posted to, as the bot has it.
    pub url: String,
    /// What the receiver knows the server by.
    pub token: String,
    /// In which form.
    pub interface: Interface,
    pub sent: Arc<SentMessage>,
    /// Where its sender was, if a client sent it.
    pub site: Option<Site>,
}

/// Why a bot is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A message in a channel mentions it by name.
    Mention,
    /// It receives a direct message.
    DirectMessage,
}

/// The form of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// 1: JSON with the message.
    Generic,
    /// 2: a form, as the product of that name posts it.
    Slack,
}
