//! A call of an outgoing webhook on the wire, in the names and forms of its world.

use crate::api::SERVICE_VERSION;
use crate::feature::Feature;
use crate::level::emulation;
use crate::realm::Realm;
use crate::realm::webhook::{Interface, Trigger, WebhookCall};
use crate::record::message::{MessageRecord, MessageView};
use crate::world::WorldSettings;
use serde_json::{Value, json};

/// A request to the address of a bot.
pub struct Posted {
    /// The header `User-Agent`.
    pub user_agent: String,
    /// The header `Content-Type`.
    pub content_type: &'static str,
    /// The body as it is sent.
    pub bytes: Vec<u8>,
    /// The same for people: JSON, or the form as text.
    pub shown: Value,
}

impl Posted {
    /// What is posted for a call.
    pub fn of(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> Self {
        let user_agent = settings.dialect.webhook_agent(SERVICE_VERSION);
        match call.interface {
            Interface::Generic => {
                let body = generic(realm, settings, call);
                Self { user_agent, content_type: "application/json", bytes: body.to_string().into_bytes(), shown: body }
            }
            Interface::Slack => {
                let form = slack(realm, settings, call);
                let content_type = "application/x-www-form-urlencoded";
                Self { user_agent, content_type, bytes: form.clone().into_bytes(), shown: form.into() }
            }
        }
    }
}

fn trigger(call: &WebhookCall, settings: &WorldSettings) -> &'static str {
    match call.trigger {
        Trigger::Mention => "mention",
        Trigger::DirectMessage if !Feature::DirectMessagesInWebhooks.is_at(settings.feature_level) => "private_message",
        Trigger::DirectMessage => "direct_message",
    }
}

fn generic(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> Value {
    let bot = realm.users.get(&call.bot);
    let mut body = json!({
        "data": call.sent.message.body.content,
        "message": message(realm, settings, call),
        "bot_email": bot.map(|bot| realm.api_email(bot)),
        "bot_full_name": bot.map(|bot| bot.full_name.as_str()),
        "token": call.token,
        "trigger": trigger(call, settings),
    });
    settings.dialect.translate(&mut body);
    body
}

/// The message as events have it, in Markdown and as HTML.
fn message(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> Value {
    let bot = realm.users.get(&call.bot).map(AsRef::as_ref);
    let view = MessageView {
        viewer: bot,
        apply_markdown: false,
        client_gravatar: false,
        computes_system_bots: false,
        allow_empty_topic_name: true,
    };
    let sent = &call.sent;
    let record = MessageRecord::new(realm, &sent.message, &sent.sender, sent.channel.as_deref(), view);
    let mut message = serde_json::to_value(record).unwrap_or_default();
    message["rendered_content"] = sent.message.body.rendered().into();
    if let Some(emulation) = emulation(settings.feature_level) {
        emulation.shape_message(realm, bot, &mut message);
    }
    message
}

fn slack(realm: &Realm, settings: &WorldSettings, call: &WebhookCall) -> String {
    let message = &call.sent.message;
    let channel = call.sent.channel.as_ref();
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
        .append_pair("user_name", &call.sent.sender.full_name)
        .append_pair("text", &message.body.content)
        .append_pair("trigger_word", trigger(call, settings))
        .append_pair("service_id", &call.bot.to_string())
        .finish()
}
