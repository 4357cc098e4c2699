//! Votes, options and tasks: what is added to polls and to-do lists.

use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::event::Audience;
use crate::realm::id::MessageId;
use crate::realm::message::Submessage;
use crate::realm::tx::Tx;
use crate::realm::widget::Widget;
use crate::record::events;
use serde_json::Value;

/// The first level at which the event goes to all who follow a message; before, to those with a row for it.
const FOLLOWED_SINCE: i64 = 248;

operation! {
    /// Adds to a poll or to-do list: a vote, an option, a task.
    pub AddSubmessage = POST "/submessage", for User;
    params {
        /// The message.
        message_id: MessageId,
        /// `widget`, as clients send it; any other value is accepted too.
        msg_type: String,
        /// JSON text.
        content: String,
    }
    errors [InvalidMessage, NotAWidget, InvalidSubmessage, WidgetRefused];
    events [MutedTopics, UserTopic, Submessage];
}

impl Write for AddSubmessage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller().id;
        let message = call.message_to_change(tx, params.message_id)?.clone();
        // Whatever its author attached, others may add to.
        let is_open = message.submessages.iter().any(|part| part.sender == message.sender);
        if !is_open && message.sender != caller {
            return Err(Error::NotAWidget);
        }
        let data: Value = serde_json::from_str(&params.content).map_err(|_| Error::InvalidSubmessage)?;
        if let Some(widget) = Widget::of(&message) {
            let checked = widget.check(&data, message.sender == caller);
            checked.map_err(|problem| Error::WidgetRefused { problem: problem.into() })?;
        }

        tx.realm_mut().counters.submessage += 1;
        let id = tx.counters.submessage;
        let event = events::Submessage {
            msg_type: params.msg_type.clone(),
            content: params.content.clone(),
            message_id: message.id,
            sender_id: caller,
            submessage_id: id,
        };
        let part = Submessage { id, sender: caller, kind: params.msg_type, content: params.content };
        tx.message_mut(message.id).submessages.push_back(part);
        tx.take_part(call.caller(), &message);
        let audience = match tx.is_before(FOLLOWED_SINCE) {
            true => Audience::of(tx.who_holds(message.id)),
            false => tx.who_follows(&message),
        };
        tx.emit(audience, event);
        Ok(Success {})
    }
}
