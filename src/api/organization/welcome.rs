//! The operation that sends a test of the custom welcome message to the caller (A-143 in docs/assumptions.md).

use crate::api::parameter::types::text::LimitedText;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::realm::id::MessageId;
use crate::realm::organization::MAX_WELCOME_LENGTH;
use crate::realm::send::{ContentAuthor, OutgoingMessage, Target};
use crate::realm::tx::Tx;
use schemars::JsonSchema;
use serde::Serialize;

operation! {
    /// Sends the caller a welcome message as new users would get it.
    pub TestWelcomeMessage = POST "/realm/test_welcome_bot_custom_message", for Administrator, since 416;
    params {
        /// Markdown; at most 8,000 code points.
        welcome_message_custom_text: LimitedText<MAX_WELCOME_LENGTH>,
    }
    reply TestWelcomeMessageReply;
    errors [BadValue, MessageEmpty, MessageNullBytes, UnableToRender];
    events [Message];
}

/// The welcome message that was sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TestWelcomeMessageReply {
    /// ID of the direct message to the caller.
    pub message_id: i64,
}

impl Write for TestWelcomeMessage {
    fn run(
        tx: &mut Tx,
        context: &OperationContext<'_>,
        params: Self::Params,
    ) -> Result<TestWelcomeMessageReply, Error> {
        let LimitedText(text) = params.welcome_message_custom_text;
        let bot = tx.notification_bot().ok_or(Error::NoSuchUser)?;
        let caller = context.caller().id;
        let target = Target::Direct { users: vec![caller] };
        let outgoing_message = OutgoingMessage {
            content_author: ContentAuthor::QuotedUser(caller),
            ..OutgoingMessage::from_server(bot, target, context.origin.make_upload_links_relative(text))
        };
        let MessageId(message_id) = tx.send(outgoing_message)?.id;
        Ok(TestWelcomeMessageReply { message_id })
    }
}
