//! Reporting messages to the organization's moderators.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::parameter::words;
use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::Message;
use crate::realm::schedule::longest_run;
use crate::realm::send::{Outgoing, Target, Voice};
use crate::realm::text::check_length;
use crate::realm::text::{MAX_MESSAGE_LENGTH, truncate};
use crate::realm::tx::Tx;
use crate::realm::user::User;

/// Longest explanation, in code points.
const MAX_DESCRIPTION_LENGTH: usize = 1_000;

/// What is left, in code points, for all that is neither the explanation nor the message.
const ROOM_FOR_THE_FRAME: usize = 500;

words! {
    /// Why a message is reported (`server_report_message_types`).
    pub enum ReportType {
        /// Advertisements.
        Spam = "spam",
        /// Attacks on somebody.
        Harassment = "harassment",
        /// What does not belong here.
        Inappropriate = "inappropriate",
        /// Against what was agreed.
        Norms = "norms",
        /// What the description says.
        Other = "other",
    }
}

impl ReportType {
    /// All, in the order in which clients show them.
    pub const ALL: [Self; 5] = [Self::Spam, Self::Harassment, Self::Inappropriate, Self::Norms, Self::Other];

    /// As people read it.
    pub fn name(self) -> &'static str {
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
        /// The message.
        @path message_id: MessageId,
        /// The reason.
        report_type: ReportType,
        /// Further details; at most 1,000 code points, required for `other`.
        description: Option<String>,
    }
    errors [NoModerationChannel, BadValue, ExplanationRequired, InvalidMessage, ReportNotSent];
    events [Message];
}

impl Write for ReportMessage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller();
        let description = params.description.unwrap_or_default();
        let description = description.trim();
        check_length(description, "description", MAX_DESCRIPTION_LENGTH)?;
        let channel = tx.organization.moderation_requests.filter(|channel| !tx.channels[channel].is_archived);
        let channel = channel.ok_or(Error::NoModerationChannel)?;
        if params.report_type == ReportType::Other && description.is_empty() {
            return Err(Error::ExplanationRequired);
        }
        let message = tx.message_seen_by(caller, params.message_id).cloned().ok_or(Error::InvalidMessage)?;

        let sender = tx.users[&message.sender].clone();
        let content = text(tx, caller, &message, params.report_type, &call.origin.strip(description.to_owned()));
        let topic = format!("{}'s moderation requests", sender.full_name);
        let takes_topic = tx.check_topic_policy(&tx.channels[&channel], &topic).is_ok();
        let is_sent = tx.notification_bot().filter(|_| takes_topic).is_some_and(|bot| {
            let voice = Voice::Repeated(caller.id);
            let to = Target::Channel { channel, topic };
            tx.send(Outgoing { voice, site: Some(call.site()), ..Outgoing::from_server(bot, to, content) }).is_ok()
        });
        if is_sent || !call.has(Feature::ReportsMustArrive) { Ok(Success {}) } else { Err(Error::ReportNotSent) }
    }
}

fn text(realm: &Realm, reporter: &User, message: &Message, why: ReportType, description: &str) -> String {
    let sender = realm.users[&message.sender].silent_mention();
    let head = format!(
        "{}\n- Reason: **{}**\n- Notes:\n{}",
        header(realm, &reporter.silent_mention(), &sender, message),
        why.text(),
        fenced("quote", description)
    );
    let room = MAX_MESSAGE_LENGTH - MAX_DESCRIPTION_LENGTH - ROOM_FOR_THE_FRAME;
    let content = truncate(&message.body.content, room, "\n[message truncated]");
    format!("{head}\n{}\n", fenced(&format!("spoiler **Message sent by {sender}**"), &content))
}

/// Who reported what.
fn header(realm: &Realm, reporter: &str, sender: &str, message: &Message) -> String {
    if let Some((channel, topic)) = message.channel() {
        let channel = &realm.channels[&channel].name;
        return format!("{reporter} reported #**{channel}>{topic}@{}** sent by {sender}.", message.id);
    }
    let mention = |id: &UserId| realm.users[id].silent_mention();
    let conversation = message.conversation().and_then(|id| realm.conversations.get(&id));
    let members = conversation.map(|conversation| conversation.members.to_vec()).unwrap_or_default();
    let others: Vec<String> = members.iter().map(mention).collect();
    match &others[..] {
        [first @ .., last] if first.len() > 1 => {
            format!("{reporter} reported a DM sent by {sender} to {}, and {last}.", first.join(", "))
        }
        _ => format!("{reporter} reported a DM sent by {sender}."),
    }
}

/// A text in a fence that it does not end itself.
fn fenced(kind: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    format!("{fence} {kind}\n{text}\n{fence}")
}
