//! Serializes the requests to outgoing webhooks, at the world's level and in its dialect.

use crate::api::SERVICE_VERSION;
use crate::feature::Feature;
use crate::level::emulation;
use crate::realm::Realm;
use crate::realm::webhook::{WebhookCall, WebhookFormat, WebhookTrigger};
use crate::record::message::{MessageRecord, MessageView};
use crate::world::WorldSettings;
use serde_json::{Value, json};

/// The headers and the body of a request to the URL of an outgoing webhook bot.
pub struct WebhookRequest {
    pub user_agent: String,
    pub content_type: &'static str,
    pub body: Vec<u8>,
    /// The body as the list of webhook calls shows it: JSON, or the form as text.
    pub displayed_body: Value,
}

impl WebhookRequest {
    pub fn new(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> Self {
        let user_agent = settings.dialect.webhook_agent(SERVICE_VERSION);
        match call.format {
            WebhookFormat::Generic => {
                let body = generic_body(realm, settings, call);
                Self {
                    user_agent,
                    content_type: "application/json",
                    body: body.to_string().into_bytes(),
                    displayed_body: body,
                }
            }
            WebhookFormat::Slack => {
                let form = slack_form(realm, settings, call);
                let content_type = "application/x-www-form-urlencoded";
                Self { user_agent, content_type, body: form.clone().into_bytes(), displayed_body: form.into() }
            }
        }
    }
}

fn trigger_name(call: &WebhookCall, settings: &WorldSettings) -> &'static str {
    match call.trigger {
        WebhookTrigger::Mention => "mention",
        WebhookTrigger::DirectMessage if !Feature::DirectMessageTrigger.is_at(settings.feature_level) => {
            "private_message"
        }
        WebhookTrigger::DirectMessage => "direct_message",
    }
}

fn generic_body(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> Value {
    let bot = realm.users.get(&call.bot);
    let mut body = json!({
        "data": call.sent_message.message.body.content,
        "message": message_value(realm, settings, call),
        "bot_email": bot.map(|bot| realm.api_email(bot)),
        "bot_full_name": bot.map(|bot| bot.full_name.as_str()),
        "token": call.token,
        "trigger": trigger_name(call, settings),
    });
    settings.dialect.translate(&mut body);
    body
}

/// The message as in events, with its content as Markdown and as HTML.
fn message_value(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> Value {
    let bot = realm.users.get(&call.bot).map(AsRef::as_ref);
    let view = MessageView {
        viewer: bot,
        apply_markdown: false,
        client_gravatar: false,
        computes_system_bot_avatars: false,
        allow_empty_topic_name: true,
    };
    let sent_message = &call.sent_message;
    let record =
        MessageRecord::new(realm, &sent_message.message, &sent_message.sender, sent_message.channel.as_deref(), view);
    let mut message = serde_json::to_value(record).unwrap_or_default();
    message["rendered_content"] = sent_message.message.body.rendered_html().into();
    if let Some(emulation) = emulation(settings.feature_level) {
        emulation.downgrade_message(realm, bot, &mut message);
    }
    message
}

fn slack_form(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> String {
    let message = &call.sent_message.message;
    let channel = call.sent_message.channel.as_ref();
    let timestamp = message.sent_at.seconds().to_string();
    form_urlencoded::Serializer::new(String::new())
        .append_pair("token", &call.token)
        .append_pair("team_id", &format!("T{}", realm.organization.id))
        .append_pair("team_domain", &realm.organization.host)
        .append_pair("channel_id", &channel.map_or_else(String::new, |channel| format!("C{}", channel.id)))
        .append_pair("channel_name", channel.map_or("", |channel| &channel.name))
        .append_pair("thread_ts", &timestamp)
        .append_pair("timestamp", &timestamp)
        .append_pair("user_id", &format!("U{}", message.sender))
        .append_pair("user_name", &call.sent_message.sender.full_name)
        .append_pair("text", &message.body.content)
        .append_pair("trigger_word", trigger_name(call, settings))
        .append_pair("service_id", &call.bot.to_string())
        .finish()
}
