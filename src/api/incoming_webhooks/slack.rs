//! Slack: messages that Slack reports, and messages in Slack's format from services that usually send to Slack.
//!
//! This server makes no request to Slack (A-572 in docs/assumptions.md).

use super::delivery::{Delivery, RenderedDelivery, WebhookMessage};
use super::payload::PayloadValue;
use super::slack_blocks::{attachment_to_markdown, block_to_markdown, join_paragraphs};
use super::slack_text::{emphasis_to_markdown, links_to_markdown, mentions_to_markdown};
use crate::error::Error;
use serde_json::Value;

/// The header that marks a repeated delivery, in lower case.
pub const RETRY_HEADER: &str = "x-slack-retry-num";

/// Renders a message in the format of Slack's incoming webhooks: its blocks and attachments, or its text if they show
/// nothing. Makes no message if the text is empty too.
pub fn render_incoming(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let payload = PayloadValue::root(delivery.payload, "payload");
    let topic = match payload.find("channel")? {
        Some(channel) if !delivery.has_custom_topic() => {
            let name = channel.text()?;
            name.strip_prefix(['@', '#']).unwrap_or(name).to_owned()
        }
        _ => "(no topic)".to_owned(),
    };
    let mut paragraphs = Vec::new();
    if let Some(blocks) = payload.find_non_empty("blocks")? {
        paragraphs.extend(blocks.items()?.map(|item| block_to_markdown(&item)).collect::<Result<Vec<_>, _>>()?);
    }
    if let Some(attachments) = payload.find_non_empty("attachments")? {
        paragraphs
            .extend(attachments.items()?.map(|item| attachment_to_markdown(&item)).collect::<Result<Vec<_>, _>>()?);
    }
    let mut text = join_paragraphs(paragraphs);
    if text.is_empty()
        && let Some(plain_text) = payload.find_non_empty("text")?
    {
        let icon = payload.find_non_empty("icon_emoji")?.map(|icon| icon.text()).transpose()?;
        text = format!("{}{}", icon.map(|icon| format!("{icon} ")).unwrap_or_default(), plain_text.text()?)
            .trim()
            .to_owned();
    }
    if text.is_empty() {
        return Ok(RenderedDelivery::default());
    }
    Ok(RenderedDelivery::of_message(topic, emphasis_to_markdown(links_to_markdown(&text).trim())))
}

/// Renders a message that Slack reports, as an event or in the parameters of Slack's legacy webhooks. Also answers
/// Slack's check of the URL. Repeated deliveries and messages of the receiving app itself make no message.
pub fn render_events(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let params = delivery.params;
    if delivery.payload.is_null() {
        return legacy_message(delivery);
    }
    let payload = PayloadValue::root(delivery.payload, "payload");
    if payload.text_of("type")? == "url_verification" {
        let challenge = payload.text_of("challenge")?.to_owned();
        if params.slack_app_token.is_empty() {
            let notice = "The Slack integration has no app token: the address of the webhook needs `slack_app_token`.";
            return Ok(RenderedDelivery { owner_notice: Some(notice.to_owned()), ..RenderedDelivery::default() });
        }
        let rendered =
            RenderedDelivery::of_message("Integration events", "Slack webhook has been successfully configured.");
        return Ok(RenderedDelivery { challenge: Some(challenge), ..rendered });
    }
    if delivery.header(RETRY_HEADER).is_some() || is_own_message(delivery.payload) {
        return Ok(RenderedDelivery::default());
    }
    let event = payload.require("event")?;
    let kind = event.text_of("type")?;
    if kind != "message" {
        return Err(delivery.unsupported_event_error(kind));
    }
    let text = event.find("text")?.map_or(Ok(""), |text| text.text())?;
    let Some(sender) = event.find_non_empty("user")? else {
        let is_bot = event.find("subtype")?.is_some_and(|subtype| subtype.value() == "bot_message");
        return Err(delivery.unsupported_event_error(if is_bot {
            "integration bot message"
        } else {
            "unknown Slack event"
        }));
    };
    // As on real servers, links in these messages stay as they are, and so do mentions in those of legacy webhooks.
    let mut content = format!("**{}**: {}", sender.text()?, mentions_to_markdown(&emphasis_to_markdown(text)));
    if let Some(files) = event.find_non_empty("files")? {
        for file in files.items()? {
            content.push_str(&format!("\n*[{}]({})*", file.text_of("title")?, file.text_of("permalink")?));
        }
    }
    let channel = event.find("channel")?.map_or(Ok(""), |channel| channel.text())?;
    channel_message(delivery, channel, content)
}

/// Whether the message was sent by the app that receives the event.
fn is_own_message(payload: &Value) -> bool {
    let sending_app = &payload["event"]["bot_profile"]["app_id"];
    !sending_app.is_null() && *sending_app == payload["api_app_id"]
}

/// Renders a message in the parameters of Slack's legacy webhooks.
fn legacy_message(delivery: &Delivery<'_>) -> Result<RenderedDelivery, Error> {
    let params = delivery.params;
    let required = |value: &'_ Option<String>, name: &str| {
        value.clone().ok_or_else(|| Error::MissingParameter { var_name: name.into() })
    };
    let user = required(&params.user_name, "user_name")?;
    let text = required(&params.text, "text")?;
    let channel = required(&params.channel_name, "channel_name")?;
    channel_message(delivery, &channel, format!("**{user}**: {}", links_to_markdown(&emphasis_to_markdown(&text))))
}

/// Returns a message from a Slack channel, in the topic or channel that `channels_map_to_topics` selects.
fn channel_message(delivery: &Delivery<'_>, channel: &str, content: String) -> Result<RenderedDelivery, Error> {
    let topic = "Message from Slack";
    match delivery.params.channels_map_to_topics.as_deref() {
        None => Ok(RenderedDelivery::of_message(topic, content)),
        Some("1") => Ok(RenderedDelivery::of_message(format!("channel: {channel}"), content)),
        Some("0") => {
            let channel = Some(channel.to_owned());
            Ok(WebhookMessage { topic: topic.to_owned(), content, event: None, channel }.into())
        }
        Some(_) => Err(Error::UnknownSlackMapping),
    }
}
