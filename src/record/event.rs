//! Events as a queue's client sees them: the log's entries, shaped for who looks and what the client understands.

use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::realm::event::{Entry, Payload, SentMessage, UpdatedMessage};
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Attachment, Message, Place};
use crate::realm::queue::{Reader, UNKNOWN_EVENT};
use crate::realm::user::User;
use crate::record::attachment::AttachmentRecord;
use crate::record::channel::{ChannelRecord, IncludeSubscribers, SubscriptionRecord};
use crate::record::message::{MessageRecord, MessageView, shown_topic};
use crate::record::user::{UserRecord, UserView};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// An event as a queue's client sees it: `type`, `op`, the rest, `id`.
#[derive(Debug)]
pub struct EventRecord<'a> {
    kind: &'static str,
    op: Option<&'static str>,
    fields: Fields<'a>,
    /// Its place in the queue; the long poll gives it.
    pub id: Option<i64>,
}

/// What an event carries besides `type`, `op` and `id`.
#[derive(Debug)]
enum Fields<'a> {
    /// The same for everybody.
    Shared(&'a Map<String, Value>),
    /// Made for the queue.
    Own(Map<String, Value>),
    /// A message, whose text is the same for all who look in the same way.
    Message { message: &'a RawValue, flags: Vec<&'static str>, local_message_id: Option<&'a str> },
}

impl Serialize for EventRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind)?;
        if let Some(op) = self.op {
            map.serialize_entry("op", op)?;
        }
        match &self.fields {
            Fields::Shared(fields) => fields.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?,
            Fields::Own(fields) => fields.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?,
            Fields::Message { message, flags, local_message_id } => {
                map.serialize_entry("message", message)?;
                map.serialize_entry("flags", flags)?;
                if let Some(id) = local_message_id {
                    map.serialize_entry("local_message_id", id)?;
                }
            }
        }
        if let Some(id) = self.id {
            map.serialize_entry("id", &id)?;
        }
        map.end()
    }
}

/// An entry as the events that it makes for a reader, without their ids. As many as [`crate::realm::queue::Queue::parts`] says.
pub fn render<'a>(realm: &Realm, reader: Reader<'_>, entry: &'a Entry) -> Vec<EventRecord<'a>> {
    let record = |fields| EventRecord { kind: entry.event.kind, op: entry.event.op, fields, id: None };
    let mut events: Vec<_> = known(realm, reader, entry).into_iter().map(record).collect();
    if entry.queue.is_none() && reader.options.gets_unknown_events() {
        events.push(EventRecord { kind: UNKNOWN_EVENT, op: None, fields: Fields::Own(Map::new()), id: None });
    }
    events
}

fn known<'a>(realm: &Realm, reader: Reader<'_>, entry: &'a Entry) -> Vec<Fields<'a>> {
    let Some(viewer) = realm.user(reader.user) else { return Vec::new() };
    let event = &entry.event;
    if reader.options.hears_of_peers_singly(event)
        && let Some((channels, users)) = event.peers(viewer.id)
    {
        let pairs = channels.iter().flat_map(|channel| users.iter().map(move |user| (channel, user)));
        let fields = |(channel, user)| Fields::Own(object(json!({"stream_id": channel, "user_id": user})));
        return pairs.map(fields).collect();
    }
    let fields = match &event.payload {
        Payload::DeleteMessages { messages, place } => {
            return deleted(realm, reader, messages, place).into_iter().map(Fields::Own).collect();
        }
        Payload::Shaped(fields) => return vec![Fields::Shared(fields)],
        Payload::WithTopic { shaped, .. } if reader.options.capabilities.empty_topic_name => {
            return vec![Fields::Shared(shaped)];
        }
        Payload::Message(sent) => return vec![sent_message(realm, reader, viewer, sent)],
        Payload::WithTopic { keys, shaped } => with_shown_topics(reader, keys, shaped),
        Payload::UpdateMessage(updated) => updated_message(realm, reader, viewer, updated),
        Payload::List(list) => crate::record::list::fields(realm, list),
        Payload::UserAdd(user) => {
            let look = UserView {
                viewer: Some(viewer),
                client_gravatar: reader.options.client_gravatar,
                include_profile: true,
            };
            object(json!({ "person": UserRecord::new(realm, user, look) }))
        }
        Payload::ChannelsCreated(channels) => {
            let records = channels.iter().map(|channel| ChannelRecord::new(realm, channel));
            object(json!({ "streams": records.collect::<Vec<_>>() }))
        }
        Payload::Subscribed(subscriptions) => {
            // As the register reply has them: A-166 in docs/assumptions.md.
            let shows_null = reader.options.capabilities.notification_settings_null;
            let record = |(channel, subscription): &(Arc<Channel>, Arc<Subscription>)| {
                SubscriptionRecord::new(realm, viewer, channel, subscription, IncludeSubscribers::All, shows_null)
            };
            object(json!({ "subscriptions": subscriptions.iter().map(record).collect::<Vec<_>>() }))
        }
        Payload::PeersLeft { channels, users } => {
            object(json!({"stream_ids": channels, "user_ids": users.without(&viewer.id)}))
        }
        Payload::Presence { user, presence, now } => {
            crate::record::presence::event(realm, reader.options, user, *presence, *now)
        }
        Payload::Scheduled(scheduled) => {
            object(json!({ "scheduled_message": crate::record::scheduled::ScheduledMessageRecord::new(scheduled) }))
        }
        Payload::Exports(exports) => {
            let records = exports.iter().map(|export| crate::record::export::ExportRecord::new(realm, export));
            object(json!({ "exports": records.collect::<Vec<_>>() }))
        }
        Payload::Attachment { attachment, upload_space_used } => {
            object(json!({ "attachment": attachment_record(attachment), "upload_space_used": upload_space_used }))
        }
    };
    vec![Fields::Own(fields)]
}

fn with_shown_topics(reader: Reader<'_>, keys: &[&str], shaped: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = shaped.clone();
    if reader.options.capabilities.empty_topic_name {
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

fn sent_message<'a>(realm: &Realm, reader: Reader<'_>, viewer: &User, sent: &'a SentMessage) -> Fields<'a> {
    let options = reader.options;
    let look = MessageView {
        viewer: Some(viewer),
        apply_markdown: options.apply_markdown,
        client_gravatar: options.client_gravatar,
        allow_empty_topic_name: options.capabilities.empty_topic_name,
    };
    let message = sent.shown.get_or_make(look.way(realm, &sent.sender), || {
        let record = MessageRecord::new(realm, &sent.message, &sent.sender, sent.channel.as_deref(), look);
        serde_json::value::to_raw_value(&record).unwrap_or_default()
    });
    let local = sent.local.as_ref().filter(|(queue, _)| reader.queue.is_some_and(|own| **own == **queue));
    let local_message_id = local.map(|(_, local_id)| local_id.as_str());
    Fields::Message { message, flags: event_flags(sent, viewer), local_message_id }
}

/// The flags that a message begins with; none for those who merely overhear it.
fn event_flags(sent: &SentMessage, viewer: &User) -> Vec<&'static str> {
    let message = &sent.message;
    let mut flags = Vec::new();
    if !message.recipients.contains(&viewer.id) {
        return flags;
    }
    let is_outside = sent.channel.as_ref().is_some_and(|channel| !channel.subscribers.contains(&viewer.id));
    if is_outside || sent.read_by.contains(&viewer.id) {
        flags.push("read");
    }
    flags.extend(message.sending_flags(viewer.id));
    flags
}

fn updated_message(realm: &Realm, reader: Reader<'_>, viewer: &User, updated: &UpdatedMessage) -> Map<String, Value> {
    let mut fields = object(json!({
        "user_id": updated.user,
        "edit_timestamp": updated.at.seconds(),
        "message_id": updated.message,
        "message_ids": updated.messages,
        "rendering_only": updated.rendering_only,
    }));
    // The flags as they are now: whatever changed since follows in events of its own, with the same result.
    let flags_of = |message: &Arc<Message>| match realm.has_row(viewer.id, message) {
        // Here they are as they are kept, without the name that stands for both kinds of mentions of everybody.
        true => {
            let mut flags = realm.flags(viewer.id, message);
            flags.retain(|flag| *flag != "wildcard_mentioned");
            flags
        }
        false => vec!["read"],
    };
    let flags = realm.messages.get(&updated.message).map(flags_of).unwrap_or_default();
    fields.insert("flags".into(), json!(flags));
    fields.extend(with_shown_topics(reader, &["orig_subject", "subject"], &updated.fields));
    fields
}

/// The first level whose events about direct messages that are gone name neither conversation nor sender.
const DIRECT_WITHOUT_SENDER_SINCE: i64 = 77;
/// The first level of which that is so for no message.
const WITHOUT_SENDER_SINCE: i64 = 13;

fn deleted(
    realm: &Realm,
    reader: Reader<'_>,
    messages: &[(MessageId, UserId)],
    place: &Place,
) -> Vec<Map<String, Value>> {
    let level = reader.options.level;
    let common = match place {
        Place::Channel { channel, topic } => object(json!({
            "message_type": "stream",
            "stream_id": channel,
            "topic": shown_topic(topic, reader.options.capabilities.empty_topic_name),
        })),
        Place::Direct { conversation } if level.is_before(DIRECT_WITHOUT_SENDER_SINCE) => object(
            json!({"message_type": "private", "recipient_id": conversation, "sender_id": messages.first().map(|(_, sender)| sender)}),
        ),
        Place::Direct { .. } => object(json!({ "message_type": "private" })),
    };
    if reader.options.capabilities.bulk_message_deletion {
        let mut fields = common;
        fields.insert("message_ids".into(), messages.iter().map(|(id, _)| json!(id)).collect());
        return vec![fields];
    }
    let one = |(id, sender): &(MessageId, UserId)| {
        let mut fields = common.clone();
        fields.insert("message_id".into(), json!(id));
        let names_all = level.is_before(WITHOUT_SENDER_SINCE);
        if names_all {
            fields.insert(
                "sender".into(),
                json!(
                    realm
                        .user(*sender)
                        .map(|user| realm.email_shown_to(realm.user(reader.user).map(AsRef::as_ref), user))
                ),
            );
        }
        if names_all || fields.contains_key("sender_id") {
            fields.insert("sender_id".into(), json!(sender));
        }
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
