//! Reminders: the notification bot sends a message again at a time that its reader chose.
//!
//! A choice where the API is silent: A-46 in docs/assumptions.md.

use super::parameter::parameters;
use super::{About, Access, Call, Operation, Read, Route, Success, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::{Audience, Event};
use crate::realm::id::{MessageId, ReminderId, UserId};
use crate::realm::organization::Reminder;
use crate::realm::timer::Due;
use crate::record::scheduled::ReminderRecord;
use crate::time::{Span, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// Longest note, in code points (`max_reminder_note_length`).
pub const MAX_NOTE_LENGTH: usize = 1_000;

/// When a reminder comes that says no time.
const DEFAULT_DELAY: Span = Span::seconds(3_600);

/// The reminders of a user as clients see them, the next one first.
pub fn records_of(realm: &Realm, user: UserId) -> Vec<ReminderRecord> {
    let mut own: Vec<&Reminder> =
        realm.reminders.values().filter(|reminder| reminder.user == user).map(AsRef::as_ref).collect();
    own.sort_by_key(|reminder| (reminder.deliver_at, reminder.id));
    own.into_iter().map(ReminderRecord::new).collect()
}

/// GET /reminders
pub struct GetReminders;

parameters! {
    /// Takes none.
    pub struct GetRemindersParams {}
}

/// The caller's reminders.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemindersReply {
    /// The next one first.
    pub reminders: Vec<ReminderRecord>,
}

impl Operation for GetReminders {
    const ROUTE: Route = Route::get("/reminders");
    const ACCESS: Access = Access::User;
    const ABOUT: About =
        About { summary: "Lists the caller's reminders.", since: 399, is_specified: false, errors: &[], events: &[] };
    type Params = GetRemindersParams;
    type Reply = RemindersReply;
}

impl Read for GetReminders {
    fn run(realm: &Realm, call: &Call<'_>, _params: Self::Params) -> Result<RemindersReply, Error> {
        Ok(RemindersReply { reminders: records_of(realm, call.caller().id) })
    }
}

/// POST /reminders
pub struct CreateReminder;

parameters! {
    /// Of what to be reminded, and when.
    pub struct CreateReminderParams {
        /// The message; without it, the reminder is of its note alone.
        message_id: Option<MessageId>,
        /// UNIX seconds, later than now; without it, in an hour.
        scheduled_delivery_timestamp: Option<i64>,
        /// Shown in the message that the notification bot sends; at most 1,000 code points.
        note: Option<String>,
    }
}

/// The new reminder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReminderIdReply {
    /// Its ID.
    pub reminder_id: ReminderId,
}

impl Operation for CreateReminder {
    const ROUTE: Route = Route::post("/reminders");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Has the notification bot send a message to the caller later on.",
        since: 381,
        is_specified: true,
        errors: &["DeliveryNotInFuture", "InvalidMessage", "NoteTooLong"],
        events: &["reminders add"],
    };
    type Params = CreateReminderParams;
    type Reply = ReminderIdReply;
}

impl Write for CreateReminder {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<ReminderIdReply, Error> {
        let caller = call.caller();
        let deliver_at = match params.scheduled_delivery_timestamp {
            Some(seconds) => future_time(tx, seconds)?,
            None => tx.now.plus(DEFAULT_DELAY),
        };
        let seen = |id| tx.message_seen_by(caller, id).map(|message| message.id).ok_or(Error::InvalidMessage);
        let message = params.message_id.map(seen).transpose()?;
        let note = params.note.unwrap_or_default();
        let note = note.trim_end().trim_start_matches(['\n', '\r']);
        if note.chars().count() > MAX_NOTE_LENGTH {
            return Err(Error::NoteTooLong { limit: MAX_NOTE_LENGTH.into() });
        }

        let note = call.origin.strip(note.to_owned());
        let reminder = tx.add_reminder(caller.id, message, note, deliver_at);
        let fields = json!({ "reminders": [ReminderRecord::new(&reminder)] });
        tx.emit(Audience::user(caller.id), Event::shaped("reminders", Some("add"), fields));
        Ok(ReminderIdReply { reminder_id: reminder.id })
    }
}

/// A time at which something is to be sent.
///
/// # Errors
///
/// `DeliveryNotInFuture`.
pub fn future_time(realm: &Realm, seconds: i64) -> Result<Timestamp, Error> {
    let at = Timestamp::from_seconds(seconds);
    if at > realm.now { Ok(at) } else { Err(Error::DeliveryNotInFuture) }
}

/// DELETE /reminders/{reminder_id}
pub struct RemoveReminder;

parameters! {
    /// Which reminder.
    pub struct RemoveReminderParams {
        /// The reminder; the caller's own.
        @path reminder_id: ReminderId,
    }
}

impl Operation for RemoveReminder {
    const ROUTE: Route = Route::delete("/reminders/{reminder_id}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Removes one of the caller's reminders.",
        since: 399,
        is_specified: false,
        errors: &["NoSuchReminder"],
        events: &["reminders remove"],
    };
    type Params = RemoveReminderParams;
    type Reply = Success;
}

impl Write for RemoveReminder {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = call.caller().id;
        let id = params.reminder_id;
        if tx.reminders.get(&id).is_none_or(|reminder| reminder.user != user) {
            return Err(Error::NoSuchReminder);
        }

        tx.realm_mut().reminders.remove(&id);
        tx.schedule(Due::Reminder(id), None);
        tx.emit(Audience::user(user), Event::shaped("reminders", Some("remove"), json!({ "reminder_id": id })));
        Ok(Success {})
    }
}
