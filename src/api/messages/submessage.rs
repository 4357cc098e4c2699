//! Adding submessages to a message: votes and options of polls, tasks of to-do lists.

use crate::api::parameter::types::text::LimitedText;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::event::Audience;
use crate::realm::id::MessageId;
use crate::realm::message::Submessage;
use crate::realm::tx::Tx;
use crate::realm::widget::Widget;
use crate::record::events;
use serde_json::Value;

/// Maximum length of the content and of the type of a submessage, in code points (A-450 in docs/assumptions.md). A real
/// server accepted a type of 10,050 code points.
const MAX_LENGTH: usize = 20_000;
/// Maximum size of all submessages of a message together, which are part of every record of the message.
const MAX_TOTAL_BYTES: usize = 1024 * 1024;
/// How much a submessage counts besides its texts.
const OVERHEAD_BYTES: usize = 64;

operation! {
    /// Adds a vote, an option or a task to a poll or to-do list.
    pub AddSubmessage = POST "/submessage", for User;
    params {
        /// ID of the message; until its sender has added a submessage, others may not.
        message_id: MessageId,
        /// `widget`, as clients send it; any other value is accepted too.
        msg_type: LimitedText<MAX_LENGTH>,
        /// JSON text; refused if the message is a poll or to-do list that does not allow it.
        content: LimitedText<MAX_LENGTH>,
    }
    errors [InvalidMessage, NotAWidget, InvalidSubmessage, SubmessageRefused, TooManySubmessages];
    events [MutedTopics, UserTopic, Submessage];
}

impl Write for AddSubmessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let (LimitedText(msg_type), LimitedText(content)) = (params.msg_type, params.content);
        let caller = context.caller().id;
        let message = context.changeable_message(tx, params.message_id)?.clone();
        let accepts_other_senders = message.submessages.iter().any(|submessage| submessage.sender == message.sender);
        if !accepts_other_senders && message.sender != caller {
            return Err(Error::NotAWidget);
        }
        let data: Value = serde_json::from_str(&content).map_err(|_| Error::InvalidSubmessage)?;
        if let Some(widget) = Widget::of(&message) {
            let result = widget.check_submessage(&data, message.sender == caller);
            result.map_err(|problem| Error::SubmessageRefused { problem: problem.into() })?;
        }
        let size = |msg_type: &str, content: &str| OVERHEAD_BYTES + msg_type.len() + content.len();
        let sizes = message.submessages.iter().map(|submessage| size(&submessage.kind, &submessage.content));
        if sizes.sum::<usize>() + size(&msg_type, &content) > MAX_TOTAL_BYTES {
            return Err(Error::TooManySubmessages { limit_kib: (MAX_TOTAL_BYTES / 1024).into() });
        }

        tx.realm_mut().counters.submessage += 1;
        let id = tx.counters.submessage;
        let event = events::Submessage {
            msg_type: msg_type.clone(),
            content: content.clone(),
            message_id: message.id,
            sender_id: caller,
            submessage_id: id,
        };
        let submessage = Submessage { id, sender: caller, kind: msg_type, content };
        tx.message_mut(message.id).submessages.push_back(submessage);
        tx.apply_participation_policy(context.caller(), &message);
        let audience = if tx.has(Feature::MessageEventsShareAudience) {
            tx.action_audience(&[message.id])
        } else {
            Audience::of_users(tx.message_holders(message.id))
        };
        tx.emit(audience, event);
        Ok(Success {})
    }
}
