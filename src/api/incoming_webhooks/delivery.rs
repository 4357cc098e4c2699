//! What a service delivers, and what becomes of it.

use super::payload::Part;
use super::{DeliverWebhook, Service};
use crate::error::Error;
use serde_json::Value;

/// A delivery whose payload was read.
pub struct Delivery<'a> {
    /// Where it was delivered to.
    pub service: &'a Service,
    /// The parameters of the address.
    pub params: &'a DeliverWebhook,
    /// The payload; null where it is a form.
    pub payload: &'a Value,
    /// The headers that services use, by their names in small letters.
    pub headers: &'a [(&'static str, String)],
}

impl<'a> Delivery<'a> {
    /// The payload, to be taken apart.
    pub fn whole(&self) -> Part<'a> {
        Part::whole(self.payload, "request")
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(header, _)| *header == name).map(|(_, value)| value.as_str())
    }

    /// Whether the address gives the topic, so that messages have to say what the topic would.
    pub fn has_own_topic(&self) -> bool {
        self.params.topic.is_some()
    }

    /// The refusal of an event that the service has, and that makes no message.
    pub fn unsupported(&self, event: &str) -> Error {
        let webhook_name = self.service.display_name.replace(' ', "");
        Error::UnsupportedWebhookEvent { webhook_name: webhook_name.into(), event_type: event.into() }
    }
}

/// A message to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notification {
    /// The topic, where the address gives none.
    pub topic: String,
    /// Markdown.
    pub content: String,
    /// What patterns of events choose it by; None where they do not.
    pub event: Option<String>,
    /// The channel, where the payload decides on it.
    pub channel: Option<String>,
}

/// What becomes of a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The messages, in their order.
    pub messages: Vec<Notification>,
    /// What is sent to the owner of the bot.
    pub for_owner: Option<String>,
    /// What the reply repeats, to prove that it comes from here.
    pub challenge: Option<String>,
}

impl Outcome {
    /// One message.
    pub fn message(topic: impl Into<String>, content: impl Into<String>) -> Self {
        Self::from(Notification { topic: topic.into(), content: content.into(), ..Notification::default() })
    }

    /// One message of an event.
    pub fn event(event: &str, topic: impl Into<String>, content: impl Into<String>) -> Self {
        Self::from(Notification {
            topic: topic.into(),
            content: content.into(),
            event: Some(event.to_owned()),
            ..Notification::default()
        })
    }
}

impl From<Notification> for Outcome {
    fn from(message: Notification) -> Self {
        Self { messages: vec![message], ..Self::default() }
    }
}
