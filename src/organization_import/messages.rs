//! Converts messages with their reactions and edits to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use crate::fixture::format::{Edit, Message, Reaction};
use serde_json::Value;
use std::collections::HashSet;

/// The text of a message whose own text this double refuses.
const PLACEHOLDER_TEXT: &str = "(no text)";

/// Facts about a message that are not in its record.
pub struct MessageContext<'a> {
    /// The edits, if the record does not have them.
    pub history: Option<&'a Value>,
    /// Whether another part of the fixture refers to the message.
    pub needs_label: bool,
    /// Whether the account is subscribed to the channel.
    pub is_subscribed: bool,
    /// The time of the previous message in UNIX seconds: times in a fixture must not decrease.
    pub earliest_time: i64,
}

/// Converts a message; None if its channel or its sender is not in the fixture.
pub fn convert_message(record: &Value, context: &MessageContext<'_>, directory: &Directory) -> Option<Message> {
    let id = record.integer("id")?;
    let is_in_channel = record.text("type") == "stream";
    let at = record.integer("timestamp")?.max(context.earliest_time);
    let own_handle = directory.handle(directory.own_id);
    let flags: HashSet<&str> = record.list("flags").iter().filter_map(Value::as_str).collect();
    let own_handle_if = |condition: bool| if condition { own_handle.iter().cloned().collect() } else { Vec::new() };
    let may_be_unread = !is_in_channel || context.is_subscribed;
    let channel = match record.integer("stream_id").filter(|_| is_in_channel) {
        Some(id) => Some(directory.channel_name(id)?),
        None => None,
    };
    let members = record.list("display_recipient").iter().filter_map(|member| member.integer("id"));
    let text = directory.convert_content(record.text("content")).unwrap_or_else(|| {
        directory.add_note(format!("Message {id} has a text that this double refuses"));
        PLACEHOLDER_TEXT.to_owned()
    });
    note_omitted_votes(record, id, directory);
    let from = directory.handle(record.integer("sender_id")?)?;
    Some(Message {
        id: Some(id),
        label: context.needs_label.then(|| message_label(id)),
        at: Some(directory.convert_past_time(at)),
        channel: channel.map(Into::into),
        topic: is_in_channel.then(|| directory.convert_topic(record.text("subject")).into()),
        to: (!is_in_channel).then(|| directory.handles(members)),
        client: convert_client_name(record.text("client"), directory).into(),
        unread_by: own_handle_if(!flags.contains("read") && may_be_unread && !flags.contains("historical")),
        starred_by: own_handle_if(flags.contains("starred")),
        collapsed_by: own_handle_if(flags.contains("collapsed")),
        hide_link_previews_by: own_handle_if(flags.contains("hide_link_previews")),
        reactions: convert_reactions(record, directory),
        edits: convert_edits(record, context, at, directory),
        ..Message::new(from.into(), text)
    })
}

/// The label by which other parts of the fixture refer to a message.
pub fn message_label(id: i64) -> String {
    format!("m{id}")
}

/// Anonymizes the name of a client, which may contain words of people, unless the server itself uses it.
fn convert_client_name(name: &str, directory: &Directory) -> String {
    let is_known = name == "website" || name == "webhook" || name == "internal" || name == "Internal";
    if is_known { name.to_owned() } else { directory.convert_text(name) }
}

fn note_omitted_votes(record: &Value, id: i64, directory: &Directory) {
    // The first submessage creates the widget, and this double creates it from the text.
    if record.list("submessages").len() > 1 {
        directory.add_note(format!("The votes in message {id} are not in the file"));
    }
}

/// Groups reactions by emoji, in the order of their first reaction.
fn convert_reactions(record: &Value, directory: &Directory) -> Vec<Reaction> {
    let mut reactions: Vec<Reaction> = Vec::new();
    for reaction_record in record.list("reactions") {
        let user_id = reaction_record.integer("user_id").or_else(|| reaction_record["user"].integer("id"));
        let user = user_id.and_then(|id| directory.handle(id));
        let (Some(user), Some(emoji)) = (user, directory.emoji_name(reaction_record)) else { continue };
        match reactions.iter_mut().find(|known_reaction| known_reaction.emoji == emoji) {
            Some(existing) if existing.by.contains(&user) => {}
            Some(existing) => existing.by.push(user),
            None => reactions.push(Reaction { emoji, by: vec![user] }),
        }
    }
    reactions
}

/// Converts edits and moves, the oldest first. A record has the newest one first, and a history has the oldest one
/// first.
fn convert_edits(record: &Value, context: &MessageContext<'_>, sent_at: i64, directory: &Directory) -> Vec<Edit> {
    let from_record: Vec<&Value> = record.list("edit_history").iter().rev().collect();
    let from_history: Vec<&Value> = context.history.and_then(Value::as_array).into_iter().flatten().collect();
    let mut last_time = sent_at;
    let changes = if from_record.is_empty() { from_history } else { from_record };
    let is_in_channel = record.text("type") == "stream";
    changes.into_iter().filter_map(|change| convert_edit(change, &mut last_time, is_in_channel, directory)).collect()
}

fn convert_edit(change: &Value, last_time: &mut i64, is_in_channel: bool, directory: &Directory) -> Option<Edit> {
    let at = change.integer("timestamp")?.max(*last_time);
    let previous_topic = change["prev_topic"].as_str().or_else(|| change["prev_subject"].as_str());
    let previous_topic = previous_topic.filter(|_| is_in_channel).map(|topic| directory.convert_topic(topic));
    let previous_channel =
        change.integer("prev_stream").filter(|_| is_in_channel).and_then(|id| directory.channel_name(id));
    let previous_content = change["prev_content"].as_str().and_then(|text| directory.convert_content(text));
    if previous_topic.is_none() && previous_channel.is_none() && previous_content.is_none() {
        return None;
    }
    *last_time = at;
    Some(Edit {
        at: directory.convert_past_time(at),
        by: change.integer("user_id").and_then(|id| directory.handle(id)),
        previous_content,
        previous_topic,
        previous_channel,
    })
}
