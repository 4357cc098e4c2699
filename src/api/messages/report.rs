//! Reporting messages to the organization's moderators.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::parameter::string_enum;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::Message;
use crate::realm::quotation::longest_run;
use crate::realm::send::{ContentAuthor, OutgoingMessage, Target};
use crate::realm::text::{MAX_MESSAGE_LENGTH, check_length, truncate};
use crate::realm::tx::Tx;
use crate::realm::user::User;

/// Maximum length of the description of a report, in code points.
const MAX_DESCRIPTION_LENGTH: usize = 1_000;

/// Length reserved in the notice for everything except the description and the quoted message, in code points.
const RESERVED_LENGTH: usize = 500;

string_enum! {
    /// The reason for a report (`server_report_message_types`).
    pub enum ReportType {
        Spam = "spam",
        Harassment = "harassment",
        Inappropriate = "inappropriate",
        Norms = "norms",
        /// The description is required and says why.
        Other = "other",
    }
}

impl ReportType {
    /// In the order in which clients show them.
    pub const ALL: [Self; 5] = [Self::Spam, Self::Harassment, Self::Inappropriate, Self::Norms, Self::Other];

    /// The label that clients show for the reason. [`ReportType::text`] is the word on the wire.
    pub fn label(self) -> &'static str {
        match self {
            Self::Spam => "Spam",
            Self::Harassment => "Harassment",
            Self::Inappropriate => "Inappropriate content",
            Self::Norms => "Violates community norms",
            Self::Other => "Other reason",
        }
    }
}

operation! {
    /// Reports a message to the organization's channel for moderation requests.
    pub ReportMessage = POST "/messages/{message_id}/report", for User, since 382;
    params {
        /// ID of a message that the caller can access.
        @path message_id: MessageId,
        /// Why the message is reported; `other` requires a `description`.
        report_type: ReportType,
        /// Further details; at most 1,000 code points, required for `other`.
        description: Option<String>,
    }
    errors [NoModerationChannel, BadValue, ExplanationRequired, InvalidMessage, ReportNotSent];
    events [Message];
}

impl Write for ReportMessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let description = params.description.unwrap_or_default();
        let description = description.trim();
        check_length(description, "description", MAX_DESCRIPTION_LENGTH)?;
        let channel = tx.organization.moderation_requests.filter(|channel| !tx.channels[channel].is_archived);
        let channel = channel.ok_or(Error::NoModerationChannel)?;
        if params.report_type == ReportType::Other && description.is_empty() {
            return Err(Error::ExplanationRequired);
        }
        let message = tx.visible_message(caller, params.message_id).cloned().ok_or(Error::InvalidMessage)?;

        let sender = tx.users[&message.sender].clone();
        let content = notice_content(
            tx,
            caller,
            &message,
            params.report_type,
            &context.origin.make_upload_links_relative(description.to_owned()),
        );
        let topic = format!("{}'s moderation requests", sender.full_name);
        let is_topic_allowed = tx.check_topic_policy(&tx.channels[&channel], &topic).is_ok();
        let is_sent = tx.notification_bot().filter(|_| is_topic_allowed).is_some_and(|bot| {
            let target = Target::Channel { channel, topic };
            tx.send(OutgoingMessage {
                content_author: ContentAuthor::QuotedUser(caller.id),
                render_context: Some(context.render_context()),
                ..OutgoingMessage::from_server(bot, target, content)
            })
            .is_ok()
        });
        if is_sent || !context.has(Feature::UndeliveredReportsRefused) {
            Ok(Success {})
        } else {
            Err(Error::ReportNotSent)
        }
    }
}

/// Returns the content of the notice to the moderators.
fn notice_content(realm: &Realm, reporter: &User, message: &Message, reason: ReportType, description: &str) -> String {
    let sender = realm.users[&message.sender].silent_mention();
    let head = format!(
        "{}\n- Reason: **{}**\n- Notes:\n{}",
        first_line(realm, &reporter.silent_mention(), &sender, message),
        reason.text(),
        fence_text("quote", description)
    );
    let max_length = MAX_MESSAGE_LENGTH - MAX_DESCRIPTION_LENGTH - RESERVED_LENGTH;
    let content = truncate(&message.body.content, max_length, "\n[message truncated]");
    format!("{head}\n{}\n", fence_text(&format!("spoiler **Message sent by {sender}**"), &content))
}

/// Returns the first line of the notice: who reported a message, and who sent it.
fn first_line(realm: &Realm, reporter: &str, sender: &str, message: &Message) -> String {
    if let Some((channel, topic)) = message.channel_and_topic() {
        let channel = &realm.channels[&channel].name;
        return format!("{reporter} reported #**{channel}>{topic}@{}** sent by {sender}.", message.id);
    }
    let mention = |id: &UserId| realm.users[id].silent_mention();
    let conversation = message.conversation().and_then(|id| realm.conversations.get(&id));
    let members = conversation.map(|conversation| conversation.members.to_vec()).unwrap_or_default();
    let mentions: Vec<String> = members.iter().map(mention).collect();
    match &mentions[..] {
        [others @ .., last] if others.len() > 1 => {
            format!("{reporter} reported a DM sent by {sender} to {}, and {last}.", others.join(", "))
        }
        // In a conversation of at most two, the sender alone says which it is.
        _ => format!("{reporter} reported a DM sent by {sender}."),
    }
}

/// Puts a text into a fenced block, with a fence that is longer than any in the text.
fn fence_text(kind: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{fence} {kind}\n{text}\n{fence}")
}
