//! Reminders: at a chosen time, the notification bot sends the user a message about another message, or with a note.
//!
//! A choice where the API is silent: A-46 in docs/assumptions.md.

use super::parameter::WholeNumber;
use super::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::agenda::AgendaItem;
use crate::realm::event::Audience;
use crate::realm::id::{MessageId, ReminderId, UserId};
use crate::realm::schedule::checked_delivery_time;
use crate::realm::scheduled::Reminder;
use crate::realm::tx::Tx;
use crate::record::events::{RemindersAdd, RemindersRemove};
use crate::record::scheduled::ReminderRecord;
use crate::time::Span;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of the note of a reminder, in code points (`max_reminder_note_length`).
pub const MAX_NOTE_LENGTH: usize = 1_000;

/// The delay of a reminder whose request names no time.
const DEFAULT_DELAY: Span = Span::from_seconds(3_600);

/// The reminders of a user in the order of their times.
pub fn reminder_records(realm: &Realm, user: UserId) -> Vec<ReminderRecord> {
    let mut reminders: Vec<&Reminder> =
        realm.reminders.values().filter(|reminder| reminder.user == user).map(AsRef::as_ref).collect();
    reminders.sort_by_key(|reminder| (reminder.deliver_at, reminder.id));
    reminders.into_iter().map(ReminderRecord::new).collect()
}

operation! {
    /// Lists the caller's reminders.
    pub GetReminders = GET "/reminders", for User, since 399;
    reply RemindersReply;
}

/// The caller's reminders.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemindersReply {
    /// In order of time.
    pub reminders: Vec<ReminderRecord>,
}

impl Read for GetReminders {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<RemindersReply, Error> {
        Ok(RemindersReply { reminders: reminder_records(realm, context.caller().id) })
    }
}

operation! {
    /// Schedules a message from the notification bot to the caller.
    pub CreateReminder = POST "/reminders", for User, since 381;
    params {
        /// ID of the message to be reminded of; without it, the reminder has only its note.
        message_id: Option<MessageId>,
        /// UNIX seconds, later than now; by default in an hour.
        scheduled_delivery_timestamp: Option<WholeNumber>,
        /// Shown in the message that the notification bot sends; at most 1,000 code points.
        note since 415: Option<String>,
    }
    reply ReminderIdReply;
    errors [TimestampTooLarge, DeliveryNotInFuture, InvalidMessage, NoteTooLong];
    events [RemindersAdd];
}

/// The reminder that was scheduled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReminderIdReply {
    /// ID of the new reminder.
    pub reminder_id: ReminderId,
}

impl Write for CreateReminder {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<ReminderIdReply, Error> {
        let caller = context.caller();
        let deliver_at = match params.scheduled_delivery_timestamp {
            Some(WholeNumber(seconds)) => checked_delivery_time(tx, seconds)?,
            None => tx.now.plus(DEFAULT_DELAY),
        };
        let check_message = |id| tx.visible_message(caller, id).map(|message| message.id).ok_or(Error::InvalidMessage);
        let message = params.message_id.map(check_message).transpose()?;
        let note = params.note.unwrap_or_default();
        let note = note.trim_end().trim_start_matches(['\n', '\r']);
        if note.chars().count() > MAX_NOTE_LENGTH {
            return Err(Error::NoteTooLong { limit: MAX_NOTE_LENGTH.into() });
        }

        let note = context.origin.make_upload_links_relative(note.to_owned());
        let reminder = tx.add_reminder(caller.id, message, note, deliver_at);
        let event = RemindersAdd { reminders: vec![ReminderRecord::new(&reminder)] };
        tx.emit(Audience::of_user(caller.id), event);
        Ok(ReminderIdReply { reminder_id: reminder.id })
    }
}

operation! {
    /// Removes one of the caller's reminders.
    pub RemoveReminder = DELETE "/reminders/{reminder_id}", for User, since 399;
    params {
        /// ID of one of the caller's reminders that was not sent yet.
        @path reminder_id: ReminderId,
    }
    errors [NoSuchReminder];
    events [RemindersRemove];
}

impl Write for RemoveReminder {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.caller().id;
        let id = params.reminder_id;
        if tx.reminders.get(&id).is_none_or(|reminder| reminder.user != user) {
            return Err(Error::NoSuchReminder);
        }

        tx.realm_mut().reminders.remove(&id);
        tx.schedule(AgendaItem::Reminder(id), None);
        tx.emit(Audience::of_user(user), RemindersRemove { reminder_id: id });
        Ok(Success {})
    }
}
