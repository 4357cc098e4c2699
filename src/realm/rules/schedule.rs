//! Scheduled messages and reminders: creation, rendering and delivery (reference behaviour, 13.2 and 13.3).

use super::quotation::{append_quotation, normalize_line_ends};
use super::send::{OutgoingMessage, Target};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::data::{RemindersRemove, ScheduledMessagesRemove};
use crate::realm::log::event::{Audience, Event, EventKind, Payload};
use crate::realm::model::agenda::AgendaItem;
use crate::realm::model::id::{MessageId, ReminderId, ScheduledMessageId, UserId};
use crate::realm::model::message::MessagePlace;
use crate::realm::model::scheduled::{Reminder, ScheduledMessage, ScheduledTarget};
use crate::realm::model::user::UNKNOWN_USER_NAME;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use chat_markdown::OutputFormat;
use std::sync::Arc;

const REMINDER_PREFIX: &str = "You requested a reminder";

/// The message that [`Realm::dry_run_send`] sent on a copy of the realm.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRunResult {
    /// With the normalized topic; for a direct message, without the sender unless it is to the sender alone.
    pub to: ScheduledTarget,
    /// Markdown, normalized as for sending.
    pub content: String,
    /// The content as HTML.
    pub rendered: String,
}

impl Realm {
    /// Sends a message on a copy of the realm, so that all checks of sending apply.
    ///
    /// # Errors
    ///
    /// Those of [`Tx::send`].
    pub fn dry_run_send(&self, outgoing: OutgoingMessage, feature_level: i64) -> Result<DryRunResult, Error> {
        let sender = outgoing.sender;
        let mut copy = Tx::at_level(self.clone(), feature_level);
        let send_result = copy.send(outgoing)?;
        let message = &copy.messages[&send_result.id];
        let target = match &message.place {
            MessagePlace::Channel { channel, topic } => {
                ScheduledTarget::Channel { channel: *channel, topic: topic.to_string() }
            }
            MessagePlace::Direct { conversation } => {
                let members = copy.conversations[conversation].members.iter().copied();
                let others: Vec<UserId> = members.filter(|user| *user != sender).collect();
                ScheduledTarget::Direct { users: if others.is_empty() { vec![sender] } else { others } }
            }
        };
        Ok(DryRunResult {
            to: target,
            content: message.body.content.clone(),
            rendered: message.body.rendered_html().into_owned(),
        })
    }

    /// The text of the reminder about a message. It is empty if the message does not exist.
    pub fn reminder_text(&self, user: UserId, id: MessageId, note: &str) -> String {
        let Some(message) = self.messages.get(&id) else { return String::new() };
        let subject = match message.channel_and_topic() {
            Some((channel, topic)) => format!("#**{}>{topic}@{id}**", self.channels[&channel].name),
            None => "the following direct message".to_owned(),
        };
        let note = quote_note(note);
        let sender = &self.users[&message.sender];
        let can_access = self.user(user).is_none_or(|user| self.can_access_user(user, sender.id));
        let sender_name = if can_access { sender.silent_mention() } else { UNKNOWN_USER_NAME.to_owned() };
        let link = self.message_link(message, OutputFormat::default());
        let introduction = format!("{REMINDER_PREFIX} for {subject}.{note}\n\n{sender_name}");
        let content = &message.body.content;
        if content.starts_with("/poll") {
            return format!("{introduction} [sent]({link}) a poll.");
        }
        if content.starts_with("/todo") {
            return format!("{introduction} [sent]({link}) a to-do list.");
        }
        append_quotation(&format!("{introduction} [said]({link}):"), content)
    }
}

/// Quotes every line of a note, so that no line looks like text from the bot.
fn quote_note(note: &str) -> String {
    if note.is_empty() {
        String::new()
    } else {
        format!(" Note:\n > {}", normalize_line_ends(note).replace('\n', "\n > "))
    }
}

impl Tx {
    /// The next ID; reminders and scheduled messages share a counter.
    pub fn next_scheduled_id(&mut self) -> i64 {
        self.realm_mut().counters.scheduled += 1;
        self.counters.scheduled
    }

    /// Adds and schedules a reminder. `message` is None for a reminder with only a note.
    pub fn add_reminder(
        &mut self,
        user: UserId,
        message: Option<MessageId>,
        note: String,
        deliver_at: Timestamp,
    ) -> Arc<Reminder> {
        let id = ReminderId(self.next_scheduled_id());
        let content = match message {
            Some(message) => self.reminder_text(user, message, &note),
            None => format!("{REMINDER_PREFIX}.{}", quote_note(&note)),
        };
        // A text that is too large to render becomes empty. This is rare, because the quoted text was rendered before.
        let rendered = chat_markdown::render(&content, &self.view_of(user, None).silenced())
            .map(|rendered| rendered.html)
            .unwrap_or_default();
        let reminder = Arc::new(Reminder { id, user, message, note, content, rendered, deliver_at, has_failed: false });
        self.realm_mut().reminders.insert(id, reminder.clone());
        self.schedule(AgendaItem::Reminder(id), Some(deliver_at));
        reminder
    }

    /// Adds or replaces a scheduled message, and schedules it.
    pub fn put_scheduled_message(&mut self, message: ScheduledMessage) -> Arc<ScheduledMessage> {
        let message = Arc::new(message);
        self.realm_mut().scheduled_messages.insert(message.id, message.clone());
        self.schedule(AgendaItem::ScheduledMessage(message.id), Some(message.deliver_at));
        message
    }

    /// Removes a due reminder, and sends it to its user unless the organization is deactivated.
    pub(super) fn deliver_reminder(&mut self, id: ReminderId) {
        let Some(reminder) = self.realm_mut().reminders.remove(&id) else { return };
        if !self.organization.is_deactivated {
            let user = reminder.user;
            // The text may have become too large to render, for example because of new linkifiers.
            if !self.post_notice_to_user(user, user, reminder.content.clone()) {
                self.post_notice_to_user(user, user, REMINDER_PREFIX.to_owned() + ".");
            }
        }
        self.emit(Audience::of_user(reminder.user), RemindersRemove { reminder_id: id });
    }

    /// Sends a due message, or marks it as failed.
    pub(super) fn deliver_scheduled_message(&mut self, id: ScheduledMessageId) {
        let Some(message) = self.scheduled_messages.get(&id).cloned() else { return };
        let outgoing = OutgoingMessage {
            is_read_by_sender: message.is_read_by_sender,
            ..OutgoingMessage::from_server(message.sender, message.to.to_target(), message.content.clone())
        };
        let may_send = self.is_active(message.sender) && !self.organization.is_deactivated;
        let result = if may_send { Some(self.send_or_restore(outgoing)) } else { None };
        if result == Some(Ok(())) {
            self.realm_mut().scheduled_messages.remove(&id);
            self.user_state_mut(message.sender).sent_scheduled.insert(id);
            self.emit(Audience::of_user(message.sender), ScheduledMessagesRemove { scheduled_message_id: id });
            return;
        }
        let mut failed_message = message.as_ref().clone();
        failed_message.has_failed = true;
        let failed_message = Arc::new(failed_message);
        self.realm_mut().scheduled_messages.insert(id, failed_message.clone());
        let event = Event::new(EventKind::ScheduledMessagesUpdate, Payload::ScheduledMessage(failed_message));
        self.emit(Audience::of_user(message.sender), event);
        if let Some(Err(error)) = result {
            self.notify_of_failure(&message, &error);
        }
    }

    /// Notifies a user that their scheduled message was not sent, with its destination and the reason.
    fn notify_of_failure(&mut self, scheduled: &ScheduledMessage, error: &Error) {
        let destination = match &scheduled.to {
            ScheduledTarget::Channel { channel, topic } => {
                let visible_channel =
                    self.channels.get(channel).filter(|channel| self.can_see(&self.users[&scheduled.sender], channel));
                visible_channel.map_or_else(String::new, |channel| format!(" in #**{}>{topic}**", channel.name))
            }
            ScheduledTarget::Direct { .. } => String::new(),
        };
        let content = format!(
            "Your message scheduled for <time:{}>{destination} was not sent:\n> {}",
            scheduled.deliver_at,
            error.message()
        );
        // If the notification can't be sent, the user still finds the message among the failed ones.
        self.post_notice_to_user(scheduled.sender, scheduled.sender, content);
    }
}

impl ScheduledTarget {
    pub fn to_target(&self) -> Target {
        match self {
            ScheduledTarget::Channel { channel, topic } => Target::Channel { channel: *channel, topic: topic.clone() },
            ScheduledTarget::Direct { users } => Target::Direct { users: users.clone() },
        }
    }
}

/// Checks that a delivery time, in UNIX seconds, is in the future, and not after the year 9999.
///
/// # Errors
///
/// `TimestampTooLarge`, `DeliveryNotInFuture`.
pub fn checked_delivery_time(realm: &Realm, seconds: i64) -> Result<Timestamp, Error> {
    if seconds > Timestamp::MAX.seconds() {
        return Err(Error::TimestampTooLarge { parameter: "scheduled_delivery_timestamp".into() });
    }
    let delivery_time = Timestamp::from_seconds(seconds);
    if delivery_time > realm.now { Ok(delivery_time) } else { Err(Error::DeliveryNotInFuture) }
}
