//! Converts reminders, scheduled messages and invitations to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use super::messages::message_label;
use super::people::role_of_user;
use crate::fixture::format::{Invite, InviteLink, InviteTerms, Reminder, ScheduledMessage};
use crate::realm::user::Role;
use serde_json::Value;

/// The ID of the message that a reminder is about.
pub fn reminded_message_id(record: &Value) -> Option<i64> {
    record.integer("reminder_target_message_id").or_else(|| record.integer("message_id"))
}

/// Converts a reminder; None if its message is not in the fixture or if it is already due.
pub fn convert_reminder(record: &Value, is_message_in_fixture: bool, directory: &Directory) -> Option<Reminder> {
    let message = reminded_message_id(record)?;
    let at = record
        .integer("scheduled_delivery_timestamp")
        .filter(|at| *at > directory.reference_time && is_message_in_fixture)?;
    Some(Reminder {
        id: record.integer("reminder_id"),
        user: directory.handle(directory.own_id)?,
        message: message_label(message),
        at: directory.convert_time(at),
        note: directory.convert_markdown(&extract_note(record.text("content"))),
    })
}

/// Extracts the note of a reminder from the text of its message, such as `Call back` from
/// `… Note:\n > Call back\n\n@_**Ada|8** …`.
fn extract_note(content: &str) -> String {
    let Some((_, from_note)) = content.split_once("Note:\n > ") else { return String::new() };
    from_note.split_once("\n\n@_**").map_or(from_note, |(note, _)| note).to_owned()
}

/// Converts a scheduled message; None if it is already due, if its channel is not in the fixture, if nobody is left to
/// receive it, or if this double refuses its content.
pub fn convert_scheduled_message(record: &Value, directory: &Directory) -> Option<ScheduledMessage> {
    let at = record.integer("scheduled_delivery_timestamp").filter(|at| *at > directory.reference_time)?;
    let is_direct = record.text("type") != "stream";
    let channel = match record.integer("to").filter(|_| !is_direct) {
        Some(id) => Some(directory.channel_name(id)?),
        None => None,
    };
    let to = is_direct.then(|| directory.handles(record.integers("to")));
    Some(ScheduledMessage {
        id: record.integer("scheduled_message_id"),
        from: directory.handle(directory.own_id)?,
        at: directory.convert_time(at),
        topic: (!is_direct).then(|| directory.convert_topic(record.text("topic"))),
        channel,
        to: to.filter(|to| !to.is_empty()),
        content: directory.convert_content(record.text("content"))?,
    })
    .filter(|message| message.channel.is_some() || message.to.is_some())
}

/// An invitation: an element of `invite_links` or `invites` in a fixture.
pub enum Invitation {
    Link(InviteLink),
    Email(Invite),
}

/// Converts an invitation; None if the directory does not have the inviting user, or if the time is missing. The key is
/// omitted, because it lets anybody join.
pub fn convert_invitation(record: &Value, directory: &Directory) -> Option<Invitation> {
    let by = directory.handle(record.integer("invited_by_user_id")?)?;
    let role = record.integer("invited_as").and_then(Role::from_number).unwrap_or_else(|| role_of_user(record));
    let terms = InviteTerms {
        at: directory.convert_past_time(record.integer("invited")?),
        expires: record.integer("expiry_date").map(|at| directory.convert_time(at)),
        role,
        include_default_channels: true,
        ..InviteTerms::default()
    };
    let id = record.integer("id");
    if record.boolean("is_multiuse") {
        return Some(Invitation::Link(InviteLink { id, key: None, terms, by, revoked: false }));
    }
    let email = record.text("email");
    let email = match &directory.anonymizer {
        Some(anonymizer) => format!("invited{}@{}", id.unwrap_or_default(), anonymizer.anonymize_host(email)),
        None => email.to_owned(),
    };
    let notify_referrer_on_join = record.boolean("notify_referrer_on_join");
    Some(Invitation::Email(Invite { id, email, key: None, terms, by, notify_referrer_on_join }))
}
