//! Handles the outcome of a webhook call. An answer is sent to the message's topic or conversation; a failure is
//! reported there and, except for direct messages to Slack webhooks, to the bot's owner (A-363).

use super::python::{is_true, repr_of_bytes, repr_of_text, str_of};
use super::{WebhookCall, WebhookFormat};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::id::UserId;
use crate::realm::model::message::MessagePlace;
use crate::realm::rules::send::{OutgoingMessage, Target};
use crate::realm::tx::Tx;
use bytes::Bytes;
use serde_json::{Map, Value};

/// The time for a call with its redirects, in seconds.
pub const REPLY_TIMEOUT_SECONDS: u64 = 10;
/// Maximum number of redirects that a call follows (A-362).
pub const MAX_REDIRECTS: usize = 30;
/// The client name of answers, and of reports of failures.
const CLIENT: &str = "OutgoingWebhookResponse";
/// On real servers, calls go through a proxy, which refuses forbidden hosts with this status.
const PROXY_REFUSAL_STATUS: u16 = 407;

/// What came of the request to a bot's URL, or why none was made. `Forbidden` and `UnknownScheme` may also be about the
/// target of a redirect, which is then not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    Replied {
        /// HTTP status.
        status: u16,
        body: Bytes,
    },
    /// No complete reply arrived, for this reason.
    NoReply(String),
    /// No complete reply arrived within [`REPLY_TIMEOUT_SECONDS`].
    TimedOut,
    /// Not posted: the host, which this names, is not this machine, and only this machine is allowed.
    Forbidden(String),
    /// Not posted: the URL has no scheme.
    NoScheme,
    /// Not posted: the URL's scheme is not supported, or the URL can't be parsed.
    UnknownScheme {
        scheme: String,
        /// The bot's URL, or the target of a redirect.
        url: String,
    },
    /// More than [`MAX_REDIRECTS`] redirects.
    TooManyRedirects,
    /// Not posted: the Slack interface does not support direct messages.
    DirectToSlack,
}

/// The message that a bot replies with.
struct Answer {
    content: String,
    widget_content: Option<String>,
}

impl CallOutcome {
    pub fn is_retryable(&self) -> bool {
        match self {
            CallOutcome::Replied { status, .. } => *status >= 500,
            CallOutcome::NoReply(_) | CallOutcome::TimedOut => true,
            _ => false,
        }
    }

    /// Why there was no reply. None if there was one.
    pub fn error(&self) -> Option<String> {
        Some(match self {
            CallOutcome::Replied { .. } => return None,
            CallOutcome::NoReply(reason) => reason.clone(),
            CallOutcome::TimedOut => format!("no reply came within {REPLY_TIMEOUT_SECONDS} s"),
            CallOutcome::Forbidden(host) => format!(
                "{host} is not this machine, and only loopback addresses are posted to: start the server with \
                 --webhooks anywhere for others"
            ),
            CallOutcome::NoScheme => "the bot's URL does not begin with http:// or https://".to_owned(),
            CallOutcome::UnknownScheme { scheme, .. } => format!("{scheme} URLs can't be posted to"),
            CallOutcome::TooManyRedirects => format!("more than {MAX_REDIRECTS} redirects"),
            CallOutcome::DirectToSlack => "the Slack interface has no direct messages".to_owned(),
        })
    }
}

impl Tx {
    /// Sends the answer, or reports the failure (A-364). Returns why an answer of the bot was not sent, or that the bot
    /// or the organization is not active; None if an answer was sent, if none was needed, or if the call itself failed.
    pub fn handle_webhook_outcome(&mut self, call: &WebhookCall, outcome: &CallOutcome) -> Option<String> {
        if !self.is_active(call.bot) || self.organization.is_deactivated {
            return Some("the bot is not active any more".to_owned());
        }
        match outcome {
            CallOutcome::Replied { status: 200..300, body } => return self.send_answer_from_reply(call, body).err(),
            CallOutcome::Replied { status, body } => {
                self.report_failure(call, &format!("Third party responded with {status}"));
                let payload = if body.is_empty() { None } else { Some(repr_of_bytes(body)) };
                self.report_status_to_owner(call, *status, payload);
            }
            CallOutcome::Forbidden(_) => {
                self.report_failure(call, &format!("Third party responded with {PROXY_REFUSAL_STATUS}"));
                self.report_status_to_owner(call, PROXY_REFUSAL_STATUS, None);
            }
            CallOutcome::NoReply(_) => {
                self.report_failure(call, "Bot is unavailable");
                self.report_to_owner(call, "A connection error occurred. Is my bot server down?", None);
            }
            CallOutcome::TimedOut => {
                self.report_failure(call, "Bot is unavailable");
                self.report_to_owner(call, &format!("Request timed out after {REPLY_TIMEOUT_SECONDS} seconds."), None);
            }
            CallOutcome::DirectToSlack => {
                self.report_failure(call, "Slack outgoing webhooks don't support direct messages.")
            }
            CallOutcome::NoScheme => {
                let url = repr_of_text(&call.url);
                let suggested_url = format!("https://{}", call.url);
                let explanation = format!("Invalid URL {url}: No scheme supplied. Perhaps you meant {suggested_url}?");
                self.report_exception(call, "MissingSchema", &explanation);
            }
            CallOutcome::UnknownScheme { url, .. } => {
                let explanation = format!("No connection adapters were found for {}", repr_of_text(url));
                self.report_exception(call, "InvalidSchema", &explanation);
            }
            CallOutcome::TooManyRedirects => {
                self.report_exception(call, "TooManyRedirects", &format!("Exceeded {MAX_REDIRECTS} redirects."));
            }
        }
        None
    }

    /// Sends the answer that the reply contains, if any.
    ///
    /// # Errors
    ///
    /// Why the answer can't be parsed or sent; this is also reported where the message is, and to the bot's owner.
    fn send_answer_from_reply(&mut self, call: &WebhookCall, body: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(body);
        let result = parse_reply(call.format, &text).and_then(|answer| match answer {
            Some(answer) => self.send_answer(call, answer).map_err(|error| error.message()),
            None => Ok(()),
        });
        result.inspect_err(|problem| {
            self.report_failure(call, problem);
            let explanation = format!(
                "The outgoing webhook server attempted to send a message, but that request resulted in the following \
                 error:\n> {problem}"
            );
            self.report_to_owner(call, &explanation, Some(repr_of_text(&text)).filter(|_| !text.is_empty()));
        })
    }

    /// Sends a message of the bot to the topic or conversation of the call's message.
    fn send_answer(&mut self, call: &WebhookCall, answer: Answer) -> Result<(), Error> {
        let target = match &call.sent_message.message.place {
            MessagePlace::Channel { channel, topic } => {
                let name =
                    || call.sent_message.channel.as_ref().map(|channel| channel.name.clone()).unwrap_or_default();
                if self.channels.get(channel).is_none_or(|channel| channel.is_archived) {
                    return Err(Error::UnknownChannel { stream: name().into() });
                }
                Target::Channel { channel: *channel, topic: topic.to_string() }
            }
            MessagePlace::Direct { conversation } => {
                let members = self.conversations.get(conversation).map(|conversation| conversation.members.clone());
                Target::Direct { users: members.iter().flat_map(|members| members.iter().copied()).collect() }
            }
        };
        self.send_as_bot(call, target, answer)
    }

    fn send_as_bot(&mut self, call: &WebhookCall, target: Target, answer: Answer) -> Result<(), Error> {
        self.send_or_restore(OutgoingMessage {
            client: CLIENT.into(),
            render_context: call.render_context.clone(),
            widget_content: answer.widget_content,
            is_bot_reply: true,
            ..OutgoingMessage::from_server(call.bot, target, answer.content)
        })
    }

    /// Reports a failure in the topic or conversation of the message. If that is impossible, only the list of webhook
    /// calls has it.
    fn report_failure(&mut self, call: &WebhookCall, problem: &str) {
        let content = format!("Failure! {problem}");
        let _ = self.send_answer(call, Answer { content, widget_content: None });
    }

    fn report_status_to_owner(&mut self, call: &WebhookCall, status: u16, payload: Option<String>) {
        if status == PROXY_REFUSAL_STATUS {
            let explanation = "The URL configured for the webhook is for a private or disallowed network.";
            self.report_to_owner(call, explanation, payload);
        } else {
            self.report_to_owner(call, &format!("The webhook got a response with status code *{status}*."), payload);
        }
    }

    fn report_exception(&mut self, call: &WebhookCall, kind: &str, explanation: &str) {
        let command = &call.sent_message.message.body.content;
        let problem = format!(
            "An exception of type *{kind}* occurred for message `{command}`! See the server logs for more information."
        );
        self.report_failure(call, &problem);
        let explanation = format!(
            "When trying to send a request to the webhook service, an exception of type {kind} occurred:\n```\n{explanation}\n```"
        );
        self.report_to_owner(call, &explanation, None);
    }

    /// Sends a direct message to the bot's owner, if it has one. If that is impossible, only the list of webhook calls
    /// has the failure.
    fn report_to_owner(&mut self, call: &WebhookCall, explanation: &str, payload: Option<String>) {
        let Some((name, owner)) = bot_name_and_owner(self, call) else { return };
        let link = self.message_link(&call.sent_message.message, self.output_format());
        let mut content =
            format!("[A message]({link}) to your bot @_**{name}** triggered an outgoing webhook.\n{explanation}");
        if let Some(payload) = payload {
            content.push_str(&format!("\nThe response contains the following payload:\n```\n{payload}\n```"));
        }
        let _ = self.send_as_bot(call, Target::Direct { users: vec![owner] }, Answer { content, widget_content: None });
    }
}

fn bot_name_and_owner(realm: &Realm, call: &WebhookCall) -> Option<(String, UserId)> {
    let bot = realm.users.get(&call.bot)?;
    Some((bot.full_name.clone(), bot.bot_owner()?))
}

/// Parses a reply. None if it contains no answer, or an empty one. An error is the problem as users read it.
fn parse_reply(format: WebhookFormat, text: &str) -> Result<Option<Answer>, String> {
    let reply = match serde_json::from_str(text) {
        Ok(Value::Object(reply)) => reply,
        // Older receivers reply with an empty string instead of `response_not_required`.
        Ok(Value::String(text)) if text.is_empty() => return Ok(None),
        Ok(_) => return Err("Invalid response format".to_owned()),
        Err(_) => return Err("Invalid JSON in response".to_owned()),
    };
    let answer = match format {
        WebhookFormat::Generic => generic_answer(&reply),
        WebhookFormat::Slack => {
            reply.get("text").map(|text| Answer { content: slack_text(text), widget_content: None })
        }
    };
    Ok(answer.filter(|answer| !answer.content.trim().is_empty()))
}

fn generic_answer(reply: &Map<String, Value>) -> Option<Answer> {
    if reply.get("response_not_required").is_some_and(is_true) {
        return None;
    }
    if let Some(text) = reply.get("response_string") {
        return Some(Answer { content: str_of(text), widget_content: None });
    }
    let widget_content = match reply.get("widget_content") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        // The value must be a string with JSON. An empty string fails the later check with the same error.
        Some(_) => Some(String::new()),
    };
    reply.get("content").map(|content| Answer { content: str_of(content), widget_content })
}

/// A value that is not a string becomes an empty text, which is not sent.
fn slack_text(text: &Value) -> String {
    text.as_str().unwrap_or_default().to_owned()
}
