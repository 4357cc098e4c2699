//! Changing a scheduled message, including one that could not be sent.

use super::{SCHEDULING_ERRORS, ToParameter, check_and_render, find_own_scheduled_message};
use crate::api::parameter::WholeNumber;
use crate::api::parameter::types::recipients::MessageType;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::{Error, ErrorKind};
use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::{ScheduledMessageId, UserId};
use crate::realm::schedule::{DryRunResult, checked_delivery_time};
use crate::realm::scheduled::{ScheduledMessage, ScheduledTarget};
use crate::realm::topic::normalize_topic_to_send_to;
use crate::realm::tx::Tx;
use crate::record::events::ScheduledMessagesUpdate;
use crate::record::scheduled::ScheduledMessageRecord;
use crate::time::Timestamp;

operation! {
    /// Changes one of the caller's scheduled messages.
    pub EditScheduledMessage = PATCH "/scheduled_messages/{scheduled_message_id}", for User, since 184;
    params {
        /// ID of one of the caller's scheduled messages that was not sent yet.
        @path scheduled_message_id: ScheduledMessageId,
        /// `channel` (or `stream`), `direct` (or `private`); requires `to`.
        type_ as "type": Option<MessageType>,
        /// A channel's ID, or a list of users' IDs.
        to: Option<ToParameter>,
        /// Required if `type` is `channel`.
        topic: Option<String>,
        /// Markdown; cut at 10,000 code points.
        content: Option<String>,
        /// UNIX seconds, later than now; required for a message that could not be sent.
        scheduled_delivery_timestamp: Option<WholeNumber>,
    }
    errors in &ERRORS;
    events [ScheduledMessagesUpdate];
}

/// Five errors of the edit itself, then [`SCHEDULING_ERRORS`] without `MissingTopic`, so that there are four more.
/// They are checked in this order, except that a time that is too large or not in the future is refused before
/// `ScheduledMessageSent`.
const ERRORS: [ErrorKind; SCHEDULING_ERRORS.len() + 4] = {
    let mut errors = [ErrorKind::NothingToChange; SCHEDULING_ERRORS.len() + 4];
    errors[1] = ErrorKind::RecipientRequired;
    errors[2] = ErrorKind::TopicRequired;
    errors[3] = ErrorKind::ScheduledMessageSent;
    errors[4] = ErrorKind::NoSuchScheduledMessage;
    let (mut index, mut length) = (0, 5);
    while index < SCHEDULING_ERRORS.len() {
        if !matches!(SCHEDULING_ERRORS[index], ErrorKind::MissingTopic) {
            errors[length] = SCHEDULING_ERRORS[index];
            length += 1;
        }
        index += 1;
    }
    errors
};

impl EditScheduledMessage {
    fn check_parameter_combination(&self) -> Result<(), Error> {
        let is_empty = self.type_.is_none()
            && self.to.is_none()
            && self.content.is_none()
            && self.topic.is_none()
            && self.scheduled_delivery_timestamp.is_none();
        if is_empty {
            return Err(Error::NothingToChange);
        }
        if self.type_.is_some() && self.to.is_none() {
            return Err(Error::RecipientRequired);
        }
        if self.type_ == Some(MessageType::Channel) && self.topic.is_none() {
            return Err(Error::TopicRequired);
        }
        Ok(())
    }

    /// The unchanged message, and its new time if the request has one, after the checks that do not depend on the
    /// recipients.
    fn checked_original<'realm>(
        &self,
        realm: &'realm Realm,
        sender: UserId,
    ) -> Result<(&'realm ScheduledMessage, Option<Timestamp>), Error> {
        self.check_parameter_combination()?;
        let deliver_at = self
            .scheduled_delivery_timestamp
            .map(|WholeNumber(seconds)| checked_delivery_time(realm, seconds))
            .transpose()?;
        if realm.user_state(sender).sent_scheduled.contains(&self.scheduled_message_id) {
            return Err(Error::ScheduledMessageSent);
        }
        let message = find_own_scheduled_message(realm, sender, self.scheduled_message_id)?;
        if message.has_failed && deliver_at.is_none() {
            return Err(Error::DeliveryNotInFuture);
        }
        Ok((message, deliver_at))
    }

    /// The type of the changed message, after the checks that do not depend on it.
    ///
    /// # Errors
    ///
    /// In this order: `NothingToChange`, `RecipientRequired`, `TopicRequired`, `TimestampTooLarge`,
    /// `DeliveryNotInFuture` for a time that is not later than now, `ScheduledMessageSent`, `NoSuchScheduledMessage`,
    /// `DeliveryNotInFuture` for a message that could not be sent and gets no new time.
    pub fn checked_kind(&self, realm: &Realm, sender: UserId) -> Result<MessageType, Error> {
        let (message, _) = self.checked_original(realm, sender)?;
        Ok(self.type_.unwrap_or_else(|| target_parameters(&message.to).0))
    }
}

impl Write for EditScheduledMessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let sender = context.caller().id;
        let (message, deliver_at) = params.checked_original(tx, sender)?;
        let message = message.clone();
        let needs_check = params.type_.is_some() || params.to.is_some() || params.content.is_some();
        let DryRunResult { to, content, rendered } = if needs_check {
            let (old_kind, old_to, old_topic) = target_parameters(&message.to);
            let kind = params.type_.unwrap_or(old_kind);
            let to = params.to.unwrap_or(old_to).recipients(kind)?;
            let content = params.content.as_deref().unwrap_or(&message.content);
            check_and_render(tx, context, kind, &to, params.topic.or(old_topic), content)?
        } else {
            // Without new recipients or content, the checks of sending are left to the time of delivery.
            let to = replace_topic(message.to.clone(), params.topic.as_deref())?;
            DryRunResult { to, content: message.content.clone(), rendered: message.rendered.clone() }
        };

        let message = tx.put_scheduled_message(ScheduledMessage {
            to,
            content,
            rendered,
            deliver_at: deliver_at.unwrap_or(message.deliver_at),
            has_failed: false,
            ..message
        });
        let event = ScheduledMessagesUpdate { scheduled_message: ScheduledMessageRecord::new(&message) };
        tx.emit(Audience::of_user(sender), event);
        Ok(Success {})
    }
}

/// The target with the new topic, if the request has one. Direct messages have no topic, so their target is unchanged.
///
/// # Errors
///
/// `TopicInvalidCharacter`.
fn replace_topic(target: ScheduledTarget, topic: Option<&str>) -> Result<ScheduledTarget, Error> {
    match (target, topic) {
        (ScheduledTarget::Channel { channel, .. }, Some(topic)) => {
            Ok(ScheduledTarget::Channel { channel, topic: normalize_topic_to_send_to(topic)?.into_owned() })
        }
        (target, _) => Ok(target),
    }
}

/// The parameters `type`, `to` and `topic` that select a target.
fn target_parameters(target: &ScheduledTarget) -> (MessageType, ToParameter, Option<String>) {
    match target {
        ScheduledTarget::Channel { channel, topic } => {
            (MessageType::Channel, ToParameter::Channel(channel.0), Some(topic.clone()))
        }
        ScheduledTarget::Direct { users } => {
            (MessageType::Direct, ToParameter::Users(users.iter().map(|user| user.0).collect()), None)
        }
    }
}
