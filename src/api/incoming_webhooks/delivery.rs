//! A delivery of a service, and the messages that are rendered from it.

use super::payload::PayloadValue;
use super::{DeliverWebhook, Service};
use crate::error::Error;
use serde_json::Value;

/// A request of a service, with all that the rendering of messages depends on.
pub struct Delivery<'a> {
    pub service: &'a Service,
    pub params: &'a DeliverWebhook,
    /// Null if the service sent a form with several parameters.
    pub payload: &'a Value,
    /// Names in lower case, and values.
    pub headers: &'a [(&'static str, String)],
}

impl<'a> Delivery<'a> {
    /// The payload, for reading its values.
    pub fn root(&self) -> PayloadValue<'a> {
        PayloadValue::root(self.payload, "request")
    }

    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(header, _)| *header == name).map(|(_, value)| value.as_str())
    }

    /// Whether the request sets the topic, even to an empty one. GitHub's messages then contain the title that the
    /// default topic would have.
    pub fn has_custom_topic(&self) -> bool {
        self.params.topic.is_some()
    }

    /// The error for an event that is not supported.
    pub fn unsupported_event_error(&self, event: &str) -> Error {
        let webhook_name = self.service.display_name.replace(' ', "");
        Error::UnsupportedWebhookEvent { webhook_name: webhook_name.into(), event_type: event.into() }
    }
}

/// A message that a delivery makes, before it has a recipient.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookMessage {
    /// The default topic, which a topic in the request replaces.
    pub topic: String,
    /// Markdown.
    pub content: String,
    /// The event that `only_events` and `exclude_events` filter by. None: the message is always sent.
    pub event: Option<String>,
    /// A channel from the payload, which replaces that of the request.
    pub channel: Option<String>,
}

/// The result of rendering a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedDelivery {
    pub messages: Vec<WebhookMessage>,
    /// The text of a notice to the owner of the bot, if there is something to report.
    pub owner_notice: Option<String>,
    /// A text in the payload that the reply has to repeat, with which Slack checks the URL.
    pub challenge: Option<String>,
}

impl RenderedDelivery {
    /// A single message that is always sent.
    pub fn of_message(topic: impl Into<String>, content: impl Into<String>) -> Self {
        Self::from(WebhookMessage { topic: topic.into(), content: content.into(), ..WebhookMessage::default() })
    }

    /// A single message about an event.
    pub fn of_event(event: &str, topic: impl Into<String>, content: impl Into<String>) -> Self {
        Self::from(WebhookMessage {
            topic: topic.into(),
            content: content.into(),
            event: Some(event.to_owned()),
            ..WebhookMessage::default()
        })
    }
}

impl From<WebhookMessage> for RenderedDelivery {
    fn from(message: WebhookMessage) -> Self {
        Self { messages: vec![message], ..Self::default() }
    }
}
