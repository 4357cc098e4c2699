//! What is sent later: scheduled messages and reminders (reference behaviour, 13.2 and 13.3).

use super::send::{Outgoing, Target};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::log::event::data::{RemindersRemove, ScheduledMessagesRemove};
use crate::realm::log::event::{Audience, Event, EventKind, Payload};
use crate::realm::model::agenda::Due;
use crate::realm::model::id::{MessageId, ReminderId, ScheduledMessageId, UserId};
use crate::realm::model::message::{Message, Place};
use crate::realm::model::organization::{Reminder, ScheduledMessage, ScheduledTarget};
use crate::realm::model::text::{MAX_MESSAGE_LENGTH, truncate};
use crate::realm::model::user::UNKNOWN_USER_NAME;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use chat_markdown::Form;
use std::sync::Arc;

/// How the notification bot begins when it reminds of something.
const REMINDER_BEGINNING: &str = "You requested a reminder";

/// A message as it would be stored if it were sent now.
#[derive(Clone, Debug, PartialEq)]
pub struct DryRun {
    /// Where it would go; the topic as it would be stored.
    pub to: ScheduledTarget,
    /// Markdown.
    pub content: String,
    /// As HTML.
    pub rendered: String,
}

impl Realm {
    /// Sends a message on a copy of the realm, in a world of a feature level, so that all checks of sending apply, and gives what came of it.
    ///
    /// # Errors
    ///
    /// Those of [`Tx::send`].
    pub fn try_sending(&self, outgoing: Outgoing, feature_level: i64) -> Result<DryRun, Error> {
        let sender = outgoing.sender;
        let mut trial = Tx::at_level(self.clone(), feature_level);
        let sent = trial.send(outgoing)?;
        let message = &trial.messages[&sent.id];
        let to = match &message.place {
            Place::Channel { channel, topic } => {
                ScheduledTarget::Channel { channel: *channel, topic: topic.to_string() }
            }
            Place::Direct { conversation } => {
                let members = trial.conversations[conversation].members.iter().copied();
                let others: Vec<UserId> = members.filter(|user| *user != sender).collect();
                ScheduledTarget::Direct { users: if others.is_empty() { vec![sender] } else { others } }
            }
        };
        Ok(DryRun { to, content: message.body.content.clone(), rendered: message.body.rendered().into_owned() })
    }

    /// What the notification bot will say to a user of a message; "" when it is gone.
    pub fn reminder_text(&self, user: UserId, id: MessageId, note: &str) -> String {
        let Some(message) = self.messages.get(&id) else { return String::new() };
        let what = match message.channel() {
            Some((channel, topic)) => format!("#**{}>{topic}@{id}**", self.channels[&channel].name),
            None => "the following direct message".to_owned(),
        };
        let note = shown_note(note);
        let sender = &self.users[&message.sender];
        let is_known = self.user(user).is_none_or(|user| self.can_access_user(user, sender.id));
        let who = if is_known { sender.silent_mention() } else { UNKNOWN_USER_NAME.to_owned() };
        let link = self.message_link(message, Form::default());
        let beginning = format!("{REMINDER_BEGINNING} for {what}.{note}\n\n{who}");
        let content = &message.body.content;
        if content.starts_with("/poll") {
            return format!("{beginning} [sent]({link}) a poll.");
        }
        if content.starts_with("/todo") {
            return format!("{beginning} [sent]({link}) a to-do list.");
        }
        quoting(&format!("{beginning} [said]({link}):"), content)
    }

    /// The address of a message inside the client.
    pub fn message_link(&self, message: &Message, form: Form) -> String {
        match message.channel() {
            Some((channel, topic)) => {
                let channel = &self.channels[&channel];
                let name = chat_markdown::encode_hash_component(&channel.name.replace(' ', "-"));
                address_in(&format!("{}/{}-{name}", form.channel_path, channel.id), topic, message.id)
            }
            None => {
                let ids: Vec<String> = message.recipients.iter().map(ToString::to_string).collect();
                format!("#narrow/dm/{}/near/{}", ids.join(","), message.id)
            }
        }
    }
}

/// The address of a message in a topic of a channel, which is given by the part of the address that leads to it.
pub fn address_in(channel: &str, topic: &str, id: MessageId) -> String {
    format!("#narrow/{channel}/topic/{}/near/{id}", chat_markdown::encode_hash_component(topic))
}

/// A text that quotes another. The quoted one is what gives way when the whole is too long to be sent.
pub fn quoting(beginning: &str, content: &str) -> String {
    let fence = "`".repeat(longest_run(content, '`').max(2) + 1);
    let frame = |quoted: &str| format!("{beginning}\n{fence}quote\n{quoted}\n{fence}");
    let room = MAX_MESSAGE_LENGTH.saturating_sub(frame("").chars().count());
    frame(&truncate(content, room, "\n[message truncated]"))
}

/// A note as a reminder has it: every line is in the quote, so that none of it is as the bot's own.
fn shown_note(note: &str) -> String {
    if note.is_empty() { String::new() } else { format!(" Note:\n > {}", lines(note).replace('\n', "\n > ")) }
}

/// A text whose lines end in line feeds, however they ended.
pub fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The length of the longest run of a character.
pub fn longest_run(text: &str, character: char) -> usize {
    text.split(|other| other != character).map(str::len).max().unwrap_or_default()
}

impl Tx {
    /// The next number of the sequence that reminders and scheduled messages share.
    pub fn next_scheduled(&mut self) -> i64 {
        self.realm_mut().counters.scheduled += 1;
        self.counters.scheduled
    }

    /// Adds a reminder of a message that is there, or of a note alone, and puts it on the agenda.
    pub fn add_reminder(
        &mut self,
        user: UserId,
        message: Option<MessageId>,
        note: String,
        deliver_at: Timestamp,
    ) -> Arc<Reminder> {
        let id = ReminderId(self.next_scheduled());
        let content = match message {
            Some(message) => self.reminder_text(user, message, &note),
            None => format!("{REMINDER_BEGINNING}.{}", shown_note(&note)),
        };
        // What is too large to be rendered is shown empty; it was a message, so it hardly is.
        let rendered = chat_markdown::render(&content, &self.seen_by(user, None).silenced())
            .map(|rendered| rendered.html)
            .unwrap_or_default();
        let reminder = Arc::new(Reminder { id, user, message, note, content, rendered, deliver_at, has_failed: false });
        self.realm_mut().reminders.insert(id, reminder.clone());
        self.schedule(Due::Reminder(id), Some(deliver_at));
        reminder
    }

    /// Adds or replaces a scheduled message, and puts it on the agenda.
    pub fn put_scheduled(&mut self, message: ScheduledMessage) -> Arc<ScheduledMessage> {
        let message = Arc::new(message);
        self.realm_mut().scheduled_messages.insert(message.id, message.clone());
        self.schedule(Due::ScheduledMessage(message.id), Some(message.deliver_at));
        message
    }

    /// Sends a message, or leaves everything as it was.
    ///
    /// # Errors
    ///
    /// Those of [`Tx::send`].
    pub fn send_wholly(&mut self, outgoing: Outgoing) -> Result<(), Error> {
        let before = self.realm_mut().clone();
        let sent = self.send(outgoing);
        if sent.is_err() {
            *self.realm_mut() = before;
        }
        sent.map(|_| ())
    }

    /// Sends what a reminder promised, from the notification bot to its user.
    pub(super) fn deliver_reminder(&mut self, id: ReminderId) {
        let Some(reminder) = self.realm_mut().reminders.remove(&id) else { return };
        if !self.organization.is_deactivated {
            let user = reminder.user;
            // What grew too large to be rendered since, say by linkifiers, is not said; that it was asked for is.
            if !self.notify_person(user, user, reminder.content.clone()) {
                self.notify_person(user, user, REMINDER_BEGINNING.to_owned() + ".");
            }
        }
        self.emit(Audience::user(reminder.user), RemindersRemove { reminder_id: id });
    }

    /// Sends a scheduled message, or marks it as failed.
    pub(super) fn deliver_scheduled(&mut self, id: ScheduledMessageId) {
        let Some(scheduled) = self.scheduled_messages.get(&id).cloned() else { return };
        let outgoing = Outgoing {
            read_by_sender: scheduled.read_by_sender,
            ..Outgoing::from_server(scheduled.sender, scheduled.to.target(), scheduled.content.clone())
        };
        let may_send = self.is_active(scheduled.sender) && !self.organization.is_deactivated;
        let outcome = if may_send { Some(self.send_wholly(outgoing)) } else { None };
        if outcome == Some(Ok(())) {
            self.realm_mut().scheduled_messages.remove(&id);
            self.user_state_mut(scheduled.sender).sent_scheduled.insert(id);
            self.emit(Audience::user(scheduled.sender), ScheduledMessagesRemove { scheduled_message_id: id });
            return;
        }
        let mut failed = scheduled.as_ref().clone();
        failed.has_failed = true;
        let failed = Arc::new(failed);
        self.realm_mut().scheduled_messages.insert(id, failed.clone());
        let event = Event::new(EventKind::ScheduledMessagesUpdate, Payload::Scheduled(failed));
        self.emit(Audience::user(scheduled.sender), event);
        if let Some(Err(error)) = outcome {
            self.post_failure(&scheduled, &error);
        }
    }

    /// Tells somebody that a message of theirs was not sent, where it would have gone and why.
    fn post_failure(&mut self, scheduled: &ScheduledMessage, error: &Error) {
        let place = match &scheduled.to {
            ScheduledTarget::Channel { channel, topic } => {
                let seen =
                    self.channels.get(channel).filter(|channel| self.can_see(&self.users[&scheduled.sender], channel));
                seen.map_or_else(String::new, |channel| format!(" in #**{}>{topic}**", channel.name))
            }
            ScheduledTarget::Direct { .. } => String::new(),
        };
        let content = format!(
            "Your message scheduled for <time:{}>{place} was not sent:\n> {}",
            scheduled.deliver_at,
            error.message()
        );
        // Who can't be written to by the notification bot finds the message among those that failed.
        self.notify_person(scheduled.sender, scheduled.sender, content);
    }
}

impl ScheduledTarget {
    /// Where it goes when it is sent.
    pub fn target(&self) -> Target {
        match self {
            ScheduledTarget::Channel { channel, topic } => Target::Channel { channel: *channel, topic: topic.clone() },
            ScheduledTarget::Direct { users } => Target::Direct { users: users.clone() },
        }
    }
}

/// A time at which something is to be sent, from UNIX seconds.
///
/// # Errors
///
/// `DeliveryNotInFuture`.
pub fn future_time(realm: &Realm, seconds: i64) -> Result<Timestamp, Error> {
    let at = Timestamp::from_seconds(seconds);
    if at > realm.now { Ok(at) } else { Err(Error::DeliveryNotInFuture) }
}
