//! Outgoing webhooks: which messages call a bot, which URLs may be called, and the handling of the answers.
//! `server/webhooks.rs` makes the requests.

mod outcome;
mod python;

use crate::realm::model::id::UserId;
use crate::realm::model::message::MessagePlace;
use crate::realm::model::render_context::RenderContext;
use crate::realm::model::sent_message::SentMessage;
use crate::realm::model::user::{Bot, BotKind, User};
use crate::realm::tx::Tx;
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

pub use crate::realm::model::webhook_call::{WebhookCall, WebhookFormat, WebhookTrigger};
pub use outcome::{CallOutcome, MAX_REDIRECTS, REPLY_TIMEOUT_SECONDS};

/// The hosts that webhooks may be posted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Only this machine.
    #[default]
    Loopback,
    /// All hosts.
    Anywhere,
}

impl WebhookCall {
    /// None if the user is not an active outgoing webhook bot with a service.
    fn new(
        user: &User,
        trigger: WebhookTrigger,
        sent_message: &Arc<SentMessage>,
        render_context: Option<&RenderContext>,
    ) -> Option<Self> {
        let is_webhook_bot = |bot: &&Bot| bot.kind == BotKind::OutgoingWebhook && user.is_active;
        let service = user.bot.as_ref().filter(is_webhook_bot)?.services.first()?;
        let text_field = |key: &str| service.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Self {
            bot: user.id,
            trigger,
            url: text_field("base_url"),
            token: text_field("token"),
            format: if service.get("interface") == Some(&2.into()) {
                WebhookFormat::Slack
            } else {
                WebhookFormat::Generic
            },
            sent_message: sent_message.clone(),
            render_context: render_context.cloned(),
        })
    }

    /// The outcome of a call that can't be posted. None if it can be posted.
    pub fn outcome_if_blocked(&self, reach: Reach) -> Option<CallOutcome> {
        if self.format == WebhookFormat::Slack && matches!(self.sent_message.message.place, MessagePlace::Direct { .. })
        {
            return Some(CallOutcome::DirectToSlack);
        }
        outcome_if_url_blocked(&self.url, reach)
    }
}

/// The outcome of a call to a URL that can't be posted to. None if it can be.
pub fn outcome_if_url_blocked(url: &str, reach: Reach) -> Option<CallOutcome> {
    let Some((scheme, _)) = url.split_once(':') else { return Some(CallOutcome::NoScheme) };
    let uri = url.parse::<http::Uri>().ok().filter(|uri| matches!(uri.scheme_str(), Some("http" | "https")));
    let Some(host) = uri.as_ref().and_then(http::Uri::host) else {
        return Some(CallOutcome::UnknownScheme { scheme: scheme.to_owned(), url: url.to_owned() });
    };
    (reach == Reach::Loopback && !is_loopback_host(host)).then(|| CallOutcome::Forbidden(host.to_owned()))
}

/// Whether a host is a loopback address, or a name that always resolves to one.
pub fn is_loopback_host(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or_else(|_| is_loopback_name(host), |address| address.to_canonical().is_loopback())
}

/// Whether a name is `localhost` or in that domain.
pub fn is_loopback_name(host: &str) -> bool {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

impl Tx {
    /// Adds calls of the outgoing webhook bots that a channel message mentions by name or that receive a direct
    /// message. Messages from bots call no bots, to prevent endless conversations between bots.
    pub(super) fn call_webhooks(
        &mut self,
        sent_message: &Arc<SentMessage>,
        mentioned: &BTreeSet<UserId>,
        render_context: Option<&RenderContext>,
    ) {
        if sent_message.sender.is_bot() {
            return;
        }
        let to_call = |trigger| {
            let realm = &**self;
            move |user: &UserId| WebhookCall::new(realm.users.get(user)?, trigger, sent_message, render_context)
        };
        let calls: Vec<WebhookCall> = match sent_message.message.place {
            MessagePlace::Channel { .. } => mentioned.iter().filter_map(to_call(WebhookTrigger::Mention)).collect(),
            MessagePlace::Direct { .. } => {
                sent_message.message.recipients.iter().filter_map(to_call(WebhookTrigger::DirectMessage)).collect()
            }
        };
        self.webhook_calls_mut().extend(calls);
    }
}
