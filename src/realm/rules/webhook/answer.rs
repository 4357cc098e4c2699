//! What becomes of a call: the bot's answer is sent where the message was, and of a failure both those who are there and
//! the bot's owner are notified (A-363).

use super::python::{is_true, repr_of_bytes, repr_of_text, str_of};
use super::{Interface, WebhookCall};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::message::Place;
use crate::realm::rules::send::{Outgoing, Target};
use crate::realm::tx::Tx;
use bytes::Bytes;
use serde_json::{Map, Value};

/// How long a receiver may take to answer, in seconds.
pub const ANSWER_TIME_SECONDS: u64 = 10;
/// Redirects of one call that are followed (A-362).
pub const MAX_REDIRECTS: usize = 30;
/// What answers are sent with.
const CLIENT: &str = "OutgoingWebhookResponse";
/// The status by which a proxy between the server and the receiver says that the address is a forbidden one.
const FORBIDDEN_BY_PROXY: u16 = 407;

/// What posting a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A reply.
    Answered {
        /// HTTP status.
        status: u16,
        /// Its body.
        body: Bytes,
    },
    /// No whole reply, and why.
    NoConnection(String),
    /// No reply in time.
    TimedOut,
    /// Not posted: the host is not this machine.
    Forbidden(String),
    /// Not posted: the URL has no scheme.
    NoScheme,
    /// Not posted: the URL's scheme.
    UnknownScheme {
        /// As it is in the URL.
        scheme: String,
        /// The URL of the bot, or the one that it led to.
        url: String,
    },
    /// More redirects than are followed.
    TooManyRedirects,
    /// Not posted: the interface knows no direct messages.
    DirectToSlack,
}

/// What is sent where the message was.
struct Answer {
    content: String,
    widget_content: Option<String>,
}

impl Outcome {
    /// Whether another try may help.
    pub fn is_worth_another_try(&self) -> bool {
        match self {
            Outcome::Answered { status, .. } => *status >= 500,
            Outcome::NoConnection(_) | Outcome::TimedOut => true,
            _ => false,
        }
    }

    /// Why there was no reply, in a sentence; None where there was one.
    pub fn error(&self) -> Option<String> {
        Some(match self {
            Outcome::Answered { .. } => return None,
            Outcome::NoConnection(reason) => reason.clone(),
            Outcome::TimedOut => format!("no reply came within {ANSWER_TIME_SECONDS} s"),
            Outcome::Forbidden(host) => format!(
                "{host} is not this machine, and only loopback addresses are posted to: start the server with \
                 --webhooks anywhere for others"
            ),
            Outcome::NoScheme => "the bot's URL does not begin with http:// or https://".to_owned(),
            Outcome::UnknownScheme { scheme, .. } => format!("{scheme} URLs can't be posted to"),
            Outcome::TooManyRedirects => format!("more than {MAX_REDIRECTS} redirects"),
            Outcome::DirectToSlack => "the Slack interface has no direct messages".to_owned(),
        })
    }
}

impl Tx {
    /// Does what a call led to: sends the answer or tells of the failure (A-364). Gives why an answer could not
    /// be used.
    pub fn settle_webhook(&mut self, call: &WebhookCall, outcome: &Outcome) -> Option<String> {
        if !self.is_active(call.bot) || self.organization.is_deactivated {
            return Some("the bot is not active any more".to_owned());
        }
        match outcome {
            Outcome::Answered { status: 200..300, body } => return self.take_answer(call, body).err(),
            Outcome::Answered { status, body } => {
                self.fail(call, &format!("Third party responded with {status}"));
                let payload = if body.is_empty() { None } else { Some(repr_of_bytes(body)) };
                self.post_status(call, *status, payload);
            }
            Outcome::Forbidden(_) => {
                self.fail(call, &format!("Third party responded with {FORBIDDEN_BY_PROXY}"));
                self.post_status(call, FORBIDDEN_BY_PROXY, None);
            }
            Outcome::NoConnection(_) => {
                self.fail(call, "Bot is unavailable");
                self.post_to_owner(call, "A connection error occurred. Is my bot server down?", None);
            }
            Outcome::TimedOut => {
                self.fail(call, "Bot is unavailable");
                self.post_to_owner(call, &format!("Request timed out after {ANSWER_TIME_SECONDS} seconds."), None);
            }
            Outcome::DirectToSlack => self.fail(call, "Slack outgoing webhooks don't support direct messages."),
            Outcome::NoScheme => {
                let url = repr_of_text(&call.url);
                let supposed = format!("https://{}", call.url);
                let what = format!("Invalid URL {url}: No scheme supplied. Perhaps you meant {supposed}?");
                self.post_exception(call, "MissingSchema", &what);
            }
            Outcome::UnknownScheme { url, .. } => {
                let what = format!("No connection adapters were found for {}", repr_of_text(url));
                self.post_exception(call, "InvalidSchema", &what);
            }
            Outcome::TooManyRedirects => {
                self.post_exception(call, "TooManyRedirects", &format!("Exceeded {MAX_REDIRECTS} redirects."));
            }
        }
        None
    }

    /// Sends what a receiver answered, if anything. What can't be understood or sent is reported; gives why.
    fn take_answer(&mut self, call: &WebhookCall, body: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(body);
        let sent = answer_in(call.interface, &text).and_then(|answer| match answer {
            Some(answer) => self.answer(call, answer).map_err(|error| error.message()),
            None => Ok(()),
        });
        sent.inspect_err(|problem| {
            self.fail(call, problem);
            let what = format!(
                "The outgoing webhook server attempted to send a message, but that request resulted in the following \
                 error:\n> {problem}"
            );
            self.post_to_owner(call, &what, Some(repr_of_text(&text)).filter(|_| !text.is_empty()));
        })
    }

    /// Sends a message of the bot's to where the call's message was sent.
    fn answer(&mut self, call: &WebhookCall, answer: Answer) -> Result<(), Error> {
        let to = match &call.sent.message.place {
            Place::Channel { channel, topic } => {
                let name = || call.sent.channel.as_ref().map(|channel| channel.name.clone()).unwrap_or_default();
                if self.channels.get(channel).is_none_or(|channel| channel.is_archived) {
                    return Err(Error::UnknownChannel { stream: name().into() });
                }
                Target::Channel { channel: *channel, topic: topic.to_string() }
            }
            Place::Direct { conversation } => {
                let members = self.conversations.get(conversation).map(|conversation| conversation.members.clone());
                Target::Direct { users: members.iter().flat_map(|members| members.iter().copied()).collect() }
            }
        };
        self.send_as_bot(call, to, answer)
    }

    fn send_as_bot(&mut self, call: &WebhookCall, to: Target, answer: Answer) -> Result<(), Error> {
        self.send_wholly(Outgoing {
            client: CLIENT.into(),
            site: call.site.clone(),
            widget_content: answer.widget_content,
            is_answer: true,
            ..Outgoing::from_server(call.bot, to, answer.content)
        })
    }

    /// Tells those who are where the message was. Where that can't be, nobody is notified.
    fn fail(&mut self, call: &WebhookCall, problem: &str) {
        let content = format!("Failure! {problem}");
        let _ = self.answer(call, Answer { content, widget_content: None });
    }

    fn post_status(&mut self, call: &WebhookCall, status: u16, payload: Option<String>) {
        if status == FORBIDDEN_BY_PROXY {
            let what = "The URL configured for the webhook is for a private or disallowed network.";
            self.post_to_owner(call, what, payload);
        } else {
            self.post_to_owner(call, &format!("The webhook got a response with status code *{status}*."), payload);
        }
    }

    fn post_exception(&mut self, call: &WebhookCall, kind: &str, what: &str) {
        let command = &call.sent.message.body.content;
        let problem = format!(
            "An exception of type *{kind}* occurred for message `{command}`! See the server logs for more information."
        );
        self.fail(call, &problem);
        let what = format!(
            "When trying to send a request to the webhook service, an exception of type {kind} occurred:\n```\n{what}\n```"
        );
        self.post_to_owner(call, &what, None);
    }

    /// Tells the bot's owner in a direct message; a bot without one tells nobody.
    fn post_to_owner(&mut self, call: &WebhookCall, what: &str, payload: Option<String>) {
        let Some((name, owner)) = named_owner(self, call) else { return };
        let link = self.message_link(&call.sent.message, self.form());
        let mut content =
            format!("[A message]({link}) to your bot @_**{name}** triggered an outgoing webhook.\n{what}");
        if let Some(payload) = payload {
            content.push_str(&format!("\nThe response contains the following payload:\n```\n{payload}\n```"));
        }
        let _ = self.send_as_bot(call, Target::Direct { users: vec![owner] }, Answer { content, widget_content: None });
    }
}

fn named_owner(realm: &Realm, call: &WebhookCall) -> Option<(String, crate::realm::model::id::UserId)> {
    let bot = realm.users.get(&call.bot)?;
    Some((bot.full_name.clone(), bot.bot_owner()?))
}

/// What a receiver's reply says; None: nothing.
fn answer_in(interface: Interface, text: &str) -> Result<Option<Answer>, String> {
    let reply = match serde_json::from_str(text) {
        Ok(Value::Object(reply)) => reply,
        // So did receivers say that they have nothing to say.
        Ok(Value::String(text)) if text.is_empty() => return Ok(None),
        Ok(_) => return Err("Invalid response format".to_owned()),
        Err(_) => return Err("Invalid JSON in response".to_owned()),
    };
    let answer = match interface {
        Interface::Generic => generic_answer(&reply),
        Interface::Slack => reply.get("text").map(|text| Answer { content: slack_text(text), widget_content: None }),
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
        // It has to be JSON in a text: anything else is no JSON.
        Some(_) => Some(String::new()),
    };
    reply.get("content").map(|content| Answer { content: str_of(content), widget_content })
}

/// A text that is none says nothing.
fn slack_text(text: &Value) -> String {
    text.as_str().unwrap_or_default().to_owned()
}
