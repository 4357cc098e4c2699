//! Events as a queue's client sees them: the log's entries, shaped for who looks and what the client understands.

use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::realm::event::{Entry, Payload, SentMessage, UpdatedMessage};
use crate::realm::message::{Attachment, Message, Place};
use crate::realm::queue::{Queue, UNKNOWN_EVENT};
use crate::realm::user::User;
use crate::record::attachment::AttachmentRecord;
use crate::record::channel::{IncludeSubscribers, SubscriptionRecord};
use crate::record::message::{MessageLook, MessageRecord, shown_topic};
use crate::record::user::{Look, UserRecord};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// An entry as the events that it makes for a queue, without their ids. As many as [`Queue::parts`] says.
pub fn render(realm: &Realm, queue: &Queue, entry: &Entry) -> Vec<Map<String, Value>> {
    let mut events = known(realm, queue, entry);
    if entry.queue.is_none() && queue.gets_unknown_events() {
        events.push(object(json!({ "type": UNKNOWN_EVENT })));
    }
    events
}

fn known(realm: &Realm, queue: &Queue, entry: &Entry) -> Vec<Map<String, Value>> {
    let Some(viewer) = realm.user(queue.owner) else { return Vec::new() };
    let event = &entry.event;
    let fields = match &event.payload {
        Payload::DeleteMessages { messages, place } => {
            return deleted(queue, messages, place).into_iter().map(|fields| with_type(entry, fields)).collect();
        }
        Payload::Shaped(fields) => fields.as_ref().clone(),
        Payload::WithTopic { keys, shaped } => with_shown_topics(queue, keys, shaped),
        Payload::Message(sent) => sent_message(realm, queue, viewer, sent),
        Payload::UpdateMessage(updated) => updated_message(realm, queue, viewer, updated),
        Payload::UserAdd(user) => {
            let look =
                Look { viewer: Some(viewer), client_gravatar: queue.options.client_gravatar, include_profile: true };
            object(json!({ "person": UserRecord::new(realm, user, look) }))
        }
        Payload::Subscribed(subscriptions) => {
            let shows_null = queue.options.capabilities.notification_settings_null;
            let record = |(channel, subscription): &(Arc<Channel>, Arc<Subscription>)| {
                SubscriptionRecord::new(realm, viewer, channel, subscription, IncludeSubscribers::All, shows_null)
            };
            object(json!({ "subscriptions": subscriptions.iter().map(record).collect::<Vec<_>>() }))
        }
        Payload::PeersLeft { channels, users } => {
            object(json!({"stream_ids": channels, "user_ids": users.without(&viewer.id)}))
        }
        Payload::Presence { user, presence, now } => {
            crate::record::presence::event(realm, queue, user, *presence, *now)
        }
        Payload::Scheduled(scheduled) => {
            object(json!({ "scheduled_message": crate::record::scheduled::ScheduledMessageRecord::new(scheduled) }))
        }
        Payload::Attachment { attachment, upload_space_used } => {
            object(json!({ "attachment": attachment_record(attachment), "upload_space_used": upload_space_used }))
        }
    };
    vec![with_type(entry, fields)]
}

fn with_type(entry: &Entry, fields: Map<String, Value>) -> Map<String, Value> {
    let mut whole = Map::with_capacity(fields.len() + 3);
    whole.insert("type".into(), entry.event.kind.into());
    if let Some(op) = entry.event.op {
        whole.insert("op".into(), op.into());
    }
    whole.extend(fields);
    whole
}

fn with_shown_topics(queue: &Queue, keys: &[&str], shaped: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = shaped.clone();
    if queue.options.capabilities.empty_topic_name {
        return fields;
    }
    for key in keys {
        if let Some(value) = fields.get_mut(*key) {
            show_topics(value);
        }
    }
    fields
}

/// Replaces an empty topic: the value itself, the `topic` of each object in it (`message_details`), or texts of lists.
fn show_topics(value: &mut Value) {
    match value {
        Value::String(topic) if topic.is_empty() => *topic = shown_topic("", false),
        // Rows of the older list of muted topics: a channel's name, which is never empty, a topic, a time.
        Value::Array(rows) => rows.iter_mut().for_each(show_topics),
        Value::Object(object) => {
            for (inner_key, inner) in object.iter_mut() {
                if inner.is_object() || inner_key == "topic" {
                    show_topics(inner);
                }
            }
        }
        _ => {}
    }
}

fn sent_message(realm: &Realm, queue: &Queue, viewer: &User, sent: &SentMessage) -> Map<String, Value> {
    let options = &queue.options;
    let look = MessageLook {
        viewer: Some(viewer),
        apply_markdown: options.apply_markdown,
        client_gravatar: options.client_gravatar,
        allow_empty_topic_name: options.capabilities.empty_topic_name,
    };
    let message: &Message = &sent.message;
    let record = MessageRecord::new(realm, message, &sent.sender, sent.channel.as_deref(), look);
    let mut fields = object(json!({ "message": record, "flags": event_flags(sent, viewer) }));
    if let Some((queue_id, local_id)) = &sent.local
        && *queue_id == queue.id
    {
        fields.insert("local_message_id".into(), local_id.as_str().into());
    }
    fields
}

/// The flags that a message begins with; none for those who merely overhear it.
fn event_flags(sent: &SentMessage, viewer: &User) -> Vec<&'static str> {
    let message = &sent.message;
    let mut flags = Vec::new();
    if !message.recipients.contains(&viewer.id) {
        return flags;
    }
    let is_outside = sent.channel.as_ref().is_some_and(|channel| !channel.subscribers.contains(&viewer.id));
    if is_outside || (sent.read_by_sender && message.sender == viewer.id) {
        flags.push("read");
    }
    flags.extend(message.sending_flags(viewer.id));
    if message.wildcard_mentions(viewer.id) {
        flags.push("wildcard_mentioned");
    }
    flags
}

fn updated_message(realm: &Realm, queue: &Queue, viewer: &User, updated: &UpdatedMessage) -> Map<String, Value> {
    let mut fields = object(json!({
        "user_id": updated.user,
        "edit_timestamp": updated.at.seconds(),
        "message_id": updated.message,
        "message_ids": updated.messages,
        "rendering_only": updated.rendering_only,
    }));
    // The flags as they are now: whatever changed since follows in events of its own, with the same result.
    let flags = realm.messages.get(&updated.message).map(|message| realm.flags(viewer.id, message)).unwrap_or_default();
    fields.insert("flags".into(), json!(flags));
    fields.extend(with_shown_topics(queue, &["orig_subject", "subject"], &updated.fields));
    fields
}

fn deleted(queue: &Queue, messages: &[crate::realm::id::MessageId], place: &Place) -> Vec<Map<String, Value>> {
    let common = match place {
        Place::Channel { channel, topic } => object(json!({
            "message_type": "stream",
            "stream_id": channel,
            "topic": shown_topic(topic, queue.options.capabilities.empty_topic_name),
        })),
        Place::Direct { .. } => object(json!({ "message_type": "private" })),
    };
    if queue.options.capabilities.bulk_message_deletion {
        let mut fields = common;
        fields.insert("message_ids".into(), json!(messages));
        return vec![fields];
    }
    let one = |id: &crate::realm::id::MessageId| {
        let mut fields = common.clone();
        fields.insert("message_id".into(), json!(id));
        fields
    };
    messages.iter().map(one).collect()
}

/// An uploaded file's row (reference: Attachment).
pub fn attachment_record(attachment: &Attachment) -> Value {
    json!(AttachmentRecord::new(attachment))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
