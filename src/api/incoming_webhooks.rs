//! Incoming webhooks: deliveries of other services, which become messages of a bot.
//!
//! Each service is a row of [`SERVICES`] with a function that renders its payload as messages. These functions do not
//! depend on channels or bots.

mod alertmanager;
mod delivery;
mod git;
mod github;
mod github_pull_request;
mod gitlab;
mod grafana;
mod payload;
mod python_text;
mod sentry;
mod shell_pattern;
mod simple_services;
mod slack;
mod slack_blocks;
mod slack_text;

use super::parameter::RequiredParameter;
use super::{OperationContext, PartialWrite, operation};
use crate::api::parameter::types::recipients::{self, MessageType, Recipients};
use crate::error::Error;
use crate::realm::bot_owner_notices::{self, NamedChannel};
use crate::realm::send::{ContentAuthor, OutgoingMessage, Target};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use delivery::{Delivery, RenderedDelivery, WebhookMessage};
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Maximum number of messages that one delivery makes.
pub const MAX_MESSAGES: usize = 500;
/// The service whose error replies have the format of Slack.
pub const SLACK_INCOMING: &str = "slack_incoming";
/// The headers that deliveries depend on, in lower case.
pub const HEADERS: [&str; 4] = [CONTENT_TYPE, github::EVENT_HEADER, gitlab::EVENT_HEADER, slack::RETRY_HEADER];
const CONTENT_TYPE: &str = "content-type";

/// A service whose deliveries become messages.
pub struct Service {
    /// The last segment of the path.
    pub name: &'static str,
    /// The name in messages and errors.
    pub display_name: &'static str,
    /// The name of the client that its messages are sent with.
    pub client: &'static str,
    /// The header that names the event, in the spelling of the service's documentation: the `EVENT_HEADER` of its
    /// module. None if the payload names it.
    event_header: Option<&'static str>,
    payload_location: PayloadLocation,
    /// Renders the messages of a delivery. Fails with `BadValue` or `InvalidValue` if the payload lacks a value that
    /// they need or has one of another type, and with `UnsupportedWebhookEvent` for an event that the service does not
    /// support.
    render: fn(&Delivery<'_>) -> Result<RenderedDelivery, Error>,
}

/// Where the payload of a request is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PayloadLocation {
    /// In the body, which is JSON regardless of its content type.
    Body,
    /// In a JSON body, or in the parameter `payload` of a form.
    BodyOrParameter,
    /// In a JSON body, or in several parameters of a form.
    BodyOrParameters,
}

/// The services, in alphabetical order.
#[rustfmt::skip]
pub static SERVICES: &[Service] = &[
    json_service("alertmanager", "Alertmanager", "AlertmanagerWebhook", alertmanager::render),
    json_service("buildbot", "Buildbot", "BuildbotWebhook", simple_services::render_buildbot),
    Service {
        event_header: Some("X-GitHub-Event"),
        ..json_service("github", "GitHub", "GitHubWebhook", github::render)
    },
    Service {
        event_header: Some("X-GitLab-Event"),
        ..json_service("gitlab", "GitLab", "GitLabWebhook", gitlab::render)
    },
    json_service("grafana", "Grafana", "GrafanaWebhook", grafana::render),
    json_service("helloworld", "Hello World", "HelloWorldWebhook", simple_services::render_hello_world),
    json_service("json", "JSON", "JSONWebhook", simple_services::render_json),
    json_service("sentry", "Sentry", "SentryWebhook", sentry::render),
    Service {
        payload_location: PayloadLocation::BodyOrParameters,
        ..json_service("slack", "Slack", "SlackWebhook", slack::render_events)
    },
    Service {
        payload_location: PayloadLocation::BodyOrParameter,
        ..json_service(SLACK_INCOMING, "Slack Incoming", "SlackIncomingWebhook", slack::render_incoming)
    },
];

const fn json_service(
    name: &'static str,
    display_name: &'static str,
    client: &'static str,
    render: fn(&Delivery<'_>) -> Result<RenderedDelivery, Error>,
) -> Service {
    Service { name, display_name, client, event_header: None, payload_location: PayloadLocation::Body, render }
}

pub fn find_service(name: &str) -> Option<&'static Service> {
    SERVICES.iter().find(|service| service.name == name)
}

operation! {
    /// Takes a delivery of another service, and posts messages about it as a bot.
    pub DeliverWebhook = POST "/external/{integration}", for KeyHolder;
    params {
        /// `alertmanager`, `buildbot`, `github`, `gitlab`, `grafana`, `helloworld`, `json`, `sentry`, `slack` or
        /// `slack_incoming`.
        @path integration: String,
        /// API key of the account that posts the messages: usually an incoming webhook bot.
        api_key: Option<String>,
        /// What the service sends, as the body; from Slack it may be a parameter of a form.
        payload: Option<String>,
        /// The channel, by name or ID; without it the messages go to the bot's owner.
        stream: Option<String>,
        /// The topic; without it, each service has one of its own.
        topic: Option<String>,
        /// Shell patterns: only events that match one of them are posted.
        only_events: Option<Vec<String>>,
        /// Shell patterns: events that match one of them are not posted.
        exclude_events: Option<Vec<String>>,
        /// GitHub, GitLab: the branches whose pushes are posted, separated by commas.
        branches: Option<String>,
        /// GitHub: whether nothing is posted about private repositories.
        ignore_private_repositories: bool = false,
        /// Alertmanager: the label or annotation that is the topic.
        name: String = "instance".to_owned() => "instance",
        /// Alertmanager: the label or annotation that says what is wrong.
        desc: String = "alertname".to_owned() => "alertname",
        /// Slack: the token of the app. Any value is accepted, but without one, Slack's verification of the URL fails.
        slack_app_token: String = String::new() => "",
        /// Slack: 1 for a topic for each of its channels, 0 for the channel of the same name.
        channels_map_to_topics: Option<String>,
        /// Slack, in forms: who wrote the message.
        user_name: Option<String>,
        /// Slack, in forms: the message.
        text: Option<String>,
        /// Slack, in forms: where it was written.
        channel_name: Option<String>,
    }
    reply DeliverWebhookReply;
    errors [
        PayloadNotJson, SlackPayloadNotJson, MissingWebhookEvent, UnsupportedWebhookEvent, TooManyWebhookMessages,
        UnknownSlackMapping, NobodyToNotify, MessageEmpty, MessageNullBytes, ChannelNameEmpty, ChannelNameTooLong,
        ChannelNameInvalidCharacter, TopicInvalidCharacter, MayNotPost, NotAuthorizedToSend, MayNotCreateTopic,
        EmptyTopicNotAllowed, OnlyEmptyTopicAllowed, RecipientDeactivated, RecipientsInaccessible,
        DirectMessagesDisabled, NoAuthorizingParticipant, MayNotInitiateDirect, UnableToRender,
        ChannelWildcardNotAllowed, TopicWildcardNotAllowed, MayNotMentionGroup,
    ];
    events [RealmUserAdd, MutedTopics, UserTopic, Message, AttachmentUpdate];
}

/// What a service wants in reply to a delivery, besides success.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DeliverWebhookReply {
    /// True; only for `slack_incoming`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// The text with which Slack checks the URL of the webhook; only for `slack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
}

impl PartialWrite for DeliverWebhook {
    fn run(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<Result<DeliverWebhookReply, Error>, Error> {
        let service = find_service(&params.integration).ok_or(Error::UnknownPath)?;
        let headers = context.headers;
        let payload = read_payload(service, &params, headers)?;
        let delivery = Delivery { service, params: &params, payload: &payload, headers };
        if let Some(header) = service.event_header
            && delivery.header(&header.to_ascii_lowercase()).is_none()
        {
            bot_owner_notices::notify_owner(
                tx,
                context.caller(),
                missing_header_notice(context.caller(), service, header),
            );
            return Ok(Err(Error::MissingWebhookEvent { header: header.into() }));
        }
        let rendered = (service.render)(&delivery)?;
        if rendered.messages.len() > MAX_MESSAGES {
            return Err(Error::TooManyWebhookMessages { limit: MAX_MESSAGES.into() });
        }

        for message in rendered.messages {
            if is_event_selected(&params, message.event.as_deref()) {
                send_message(tx, context, &delivery, message)?;
            }
        }
        if let Some(notice) = rendered.owner_notice {
            bot_owner_notices::notify_owner(tx, context.caller(), notice);
        }
        let ok = (service.name == SLACK_INCOMING).then_some(true);
        Ok(Ok(DeliverWebhookReply { ok, challenge: rendered.challenge }))
    }
}

/// The payload; null if the service sent a form with several parameters.
fn read_payload(
    service: &Service,
    params: &DeliverWebhook,
    headers: &[(&'static str, String)],
) -> Result<Value, Error> {
    let content_type = headers.iter().find(|(name, _)| *name == CONTENT_TYPE).map_or("", |(_, value)| value.as_str());
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    let is_json = media_type.eq_ignore_ascii_case("application/json");
    let text = match service.payload_location {
        PayloadLocation::BodyOrParameters if !is_json => return Ok(Value::Null),
        PayloadLocation::BodyOrParameter if !is_json => {
            RequiredParameter(params.payload.as_deref()).require("payload")?
        }
        PayloadLocation::Body | PayloadLocation::BodyOrParameter | PayloadLocation::BodyOrParameters => {
            params.payload.as_deref().unwrap_or_default()
        }
    };
    serde_json::from_str(text).map_err(|_| match service.payload_location {
        PayloadLocation::Body => Error::PayloadNotJson,
        PayloadLocation::BodyOrParameter | PayloadLocation::BodyOrParameters => Error::SlackPayloadNotJson,
    })
}

/// Whether `only_events` and `exclude_events` let an event through. A message without an event is always sent.
fn is_event_selected(params: &DeliverWebhook, event: Option<&str>) -> bool {
    let Some(event) = event else { return true };
    let matches_any = |patterns: &Vec<String>| patterns.iter().any(|pattern| shell_pattern::matches(event, pattern));
    params.only_events.as_ref().is_none_or(matches_any) && !params.exclude_events.as_ref().is_some_and(matches_any)
}

/// The notice to the owner of a bot about a delivery without the header that names the event.
fn missing_header_notice(bot: &User, service: &Service, header: &str) -> String {
    format!(
        "Hi there!  Your bot {} just sent an HTTP request to /api/v1/external/{} that\n\
         is missing the HTTP {header} header.  Because this header is how\n\
         {} indicates the event type, this usually indicates a configuration\n\
         issue, where you either entered the URL for a different integration, or are running\n\
         an older version of the third-party service that doesn't provide that header.",
        bot.full_name, service.name, service.display_name,
    )
}

/// Sends a message to the channel that the payload or the request names, or to the owner of the bot if neither names
/// one. If the channel has no active subscribers, the owner also gets a notice. If it does not exist, only the notice
/// is sent. No notice is sent within a minute of another.
fn send_message(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    delivery: &Delivery<'_>,
    message: WebhookMessage,
) -> Result<(), Error> {
    let caller = context.caller();
    let params = delivery.params;
    let Some(channel_text) = message.channel.as_ref().or(params.stream.as_ref()) else {
        let owner = caller.bot_owner().ok_or(Error::NobodyToNotify)?;
        let target = Target::Direct { users: vec![owner] };
        tx.send(outgoing_message(context, delivery, target, message.content))?;
        return Ok(());
    };
    let topic = params.topic.clone().unwrap_or(message.topic);
    let is_id = !channel_text.is_empty() && channel_text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too large for an ID names no channel.
    let id = if is_id { Some(channel_text.parse().unwrap_or(i64::MAX)) } else { None };
    let recipients = Recipients(id.map_or_else(|| Value::from(channel_text.as_str()), Value::from));
    recipients::check_content(tx, caller, MessageType::Channel, &recipients, Some(&topic), &message.content)?;
    let target = match recipients::resolve(tx, caller, MessageType::Channel, &recipients, Some(topic)) {
        Err(Error::UnknownChannel { .. } | Error::UnknownChannelId { .. }) => {
            let named = if is_id { NamedChannel::Id(channel_text) } else { NamedChannel::Name(channel_text) };
            bot_owner_notices::notify_of_unknown_channel(tx, caller, named);
            return Ok(());
        }
        result => result?,
    };
    if let Target::Channel { channel, .. } = target {
        bot_owner_notices::notify_of_missing_subscribers(tx, caller, channel);
    }
    let result = tx.send(outgoing_message(context, delivery, target, message.content));
    result.map_err(|error| recipients::name_channel_in_error(tx, &recipients, error))?;
    Ok(())
}

fn outgoing_message(
    context: &OperationContext<'_>,
    delivery: &Delivery<'_>,
    target: Target,
    content: String,
) -> OutgoingMessage {
    OutgoingMessage {
        sender: context.caller().id,
        to: target,
        content: context.origin.make_upload_links_relative(content),
        client: delivery.service.client.into(),
        is_read_by_sender: false,
        read_by: OrdSet::new(),
        queue_and_local_id: None,
        render_context: Some(context.render_context()),
        widget_content: None,
        content_author: ContentAuthor::Sender,
        is_bot_reply: false,
    }
}
