//! Converts entries of the event log to the events that a queue's client receives, according to the user's permissions
//! and the client's capabilities.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::realm::event::{Entry, EventKind, MessageMove, Part, Payload, SentMessage, UpdatedMessage, WholeList};
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Body, MessagePlace};
use crate::realm::queue::Reader;
use crate::realm::user::User;
use crate::record::attachment::AttachmentRecord;
use crate::record::channel::ChannelRecord;
use crate::record::events::{
    AlertWords, AttachmentChange, ContentUpdate, CustomProfileFields, DeleteMessage, DeletedDirectMessage,
    LegacyPeerChange, Message, MutedUsers, Peers, PlaceUpdate, Presence, RealmEmojiUpdate, RealmExport, RealmFilters,
    RealmLinkifiers, RealmUserAdd, ScheduledMessagesUpdate, StreamCreate, SubscriptionAdd, UpdateMessage,
};
use crate::record::export::ExportRecord;
use crate::record::linkifier::linkifier_records;
use crate::record::message::{MessageRecord, MessageView, TopicLinkRecord, display_topic_name};
use crate::record::own_lists::muted_user_records;
use crate::record::profile_field::profile_field_records;
use crate::record::scheduled::ScheduledMessageRecord;
use crate::record::subscription::{IncludeSubscribers, SubscriptionRecord};
use crate::record::user::{UserRecord, UserView};
use crate::record::{emoji, presence};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// An event as JSON: `type`, `op`, the fields of its kind and `id`.
#[derive(Debug, Serialize)]
pub struct EventRecord<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    op: Option<&'static str>,
    #[serde(flatten)]
    fields: Fields<'a>,
    /// The ID within the queue, which the long poll assigns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
}

/// The fields of an event besides `type`, `op` and `id`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Fields<'a> {
    /// Fields that are the same for all readers.
    Fixed(&'a Map<String, Value>),
    /// [`Fields::Fixed`] with a display name instead of empty topics.
    FixedWithDisplayTopics(Map<String, Value>),
    /// For an event whose type no client knows.
    Empty {},
    AlertWords(AlertWords),
    AttachmentChange(AttachmentChange),
    CustomProfileFields(CustomProfileFields),
    DeleteMessage(DeleteMessage),
    LegacyPeerChange(LegacyPeerChange),
    Message(Message<'a>),
    MutedUsers(MutedUsers),
    Peers(Peers),
    Presence(Presence),
    RealmEmojiUpdate(RealmEmojiUpdate),
    RealmExport(RealmExport),
    RealmFilters(RealmFilters),
    RealmLinkifiers(RealmLinkifiers),
    RealmUserAdd(Box<RealmUserAdd>),
    ScheduledMessagesUpdate(ScheduledMessagesUpdate),
    StreamCreate(StreamCreate),
    SubscriptionAdd(SubscriptionAdd),
    UpdateMessage(Box<UpdateMessage>),
}

/// Converts an entry to events for a reader, one for each part, without IDs. There are none if the reader's user does
/// not exist.
pub fn render_events<'a>(
    realm: &Realm,
    reader: Reader<'_>,
    entry: &'a Entry,
    parts: &[Part],
) -> impl Iterator<Item = EventRecord<'a>> {
    let viewer = realm.user(reader.user);
    parts.iter().filter_map(move |part| Some(render_part(realm, reader, viewer?, entry, *part)))
}

fn render_part<'a>(realm: &Realm, reader: Reader<'_>, viewer: &User, entry: &'a Entry, part: Part) -> EventRecord<'a> {
    let with_fields = |kind: EventKind, fields| EventRecord { kind: kind.type_name(), op: kind.op(), fields, id: None };
    let kind = entry.event.kind;
    match (part, &entry.event.payload) {
        (Part::Unknown, _) => with_fields(EventKind::LaterLevelEvent, Fields::Empty {}),
        (Part::Peer(stream_id, user_id), _) => {
            with_fields(kind, Fields::LegacyPeerChange(LegacyPeerChange { stream_id, user_id }))
        }
        (Part::Message(message_id, sender_id), Payload::DeleteMessages { messages, place }) => with_fields(
            kind,
            Fields::DeleteMessage(single_deletion_fields(
                realm,
                reader,
                viewer,
                (message_id, sender_id),
                messages,
                place,
            )),
        ),
        (_, payload) => with_fields(kind, payload_fields(realm, reader, viewer, payload)),
    }
}

/// The fields of an event that is not split into parts.
fn payload_fields<'a>(realm: &Realm, reader: Reader<'_>, viewer: &User, payload: &'a Payload) -> Fields<'a> {
    match payload {
        Payload::Fields { fields, topic_fields } => {
            match topic_fields.is_empty() || reader.options.capabilities.empty_topic_name {
                true => Fields::Fixed(fields),
                false => Fields::FixedWithDisplayTopics(with_display_topics(topic_fields, fields)),
            }
        }
        Payload::Message(sent_message) => Fields::Message(sent_message_fields(realm, reader, viewer, sent_message)),
        Payload::UpdateMessage(updated) => {
            Fields::UpdateMessage(Box::new(updated_message_fields(realm, reader, viewer, updated)))
        }
        Payload::DeleteMessages { messages, place } => {
            let message_ids = messages.iter().map(|(id, _)| *id).collect();
            Fields::DeleteMessage(DeleteMessage {
                message_ids: Some(message_ids),
                ..deletion_fields(reader, messages, place)
            })
        }
        Payload::List(list) => list_fields(realm, list),
        Payload::UserAdd(user) => {
            let may_omit_avatar = reader.options.level.has(Feature::NewUsersWithoutAvatarUrl);
            let view = UserView {
                viewer: Some(viewer),
                client_gravatar: reader.options.client_gravatar && may_omit_avatar,
                include_profile: true,
            };
            Fields::RealmUserAdd(Box::new(RealmUserAdd { person: UserRecord::new(realm, user, view) }))
        }
        Payload::ChannelsCreated(channels) => {
            let streams = channels.iter().map(|channel| ChannelRecord::new(realm, channel)).collect();
            Fields::StreamCreate(StreamCreate { streams })
        }
        Payload::Subscribed(subscriptions) => {
            // As in the register reply, clients without the capability get the user's settings instead of null (A-166
            // in docs/assumptions.md).
            let keeps_null = reader.options.capabilities.notification_settings_null;
            let to_record = |(channel, subscription): &(Arc<Channel>, Arc<Subscription>)| {
                SubscriptionRecord::new(realm, viewer, channel, subscription, IncludeSubscribers::All, keeps_null)
            };
            Fields::SubscriptionAdd(SubscriptionAdd { subscriptions: subscriptions.iter().map(to_record).collect() })
        }
        Payload::PeersUnsubscribed { channels, users } => {
            Fields::Peers(Peers::new(channels.iter().copied(), users.without(&viewer.id)))
        }
        Payload::Presence { user, presence, now } => {
            Fields::Presence(presence::event_fields(realm, reader.options, user, *presence, *now))
        }
        Payload::ScheduledMessage(scheduled) => Fields::ScheduledMessagesUpdate(ScheduledMessagesUpdate {
            scheduled_message: ScheduledMessageRecord::new(scheduled),
        }),
        Payload::Exports(exports) => {
            let exports = exports.iter().map(|export| ExportRecord::new(realm, export)).collect();
            Fields::RealmExport(RealmExport { exports })
        }
        Payload::Attachment { attachment, upload_space_used } => Fields::AttachmentChange(AttachmentChange {
            attachment: AttachmentRecord::new(attachment),
            upload_space_used: *upload_space_used,
        }),
    }
}

/// The fields of an event that contains a whole list.
fn list_fields<'a>(realm: &Realm, list: &WholeList) -> Fields<'a> {
    match list {
        WholeList::AlertWords(words) => Fields::AlertWords(AlertWords { alert_words: words.iter().cloned().collect() }),
        WholeList::MutedUsers(muted_users) => {
            Fields::MutedUsers(MutedUsers { muted_users: muted_user_records(muted_users) })
        }
        WholeList::Linkifiers(linkifiers) => {
            Fields::RealmLinkifiers(RealmLinkifiers { realm_linkifiers: linkifier_records(linkifiers) })
        }
        WholeList::LinkifierPairs(linkifiers) => {
            let rows = linkifiers
                .iter()
                .map(|linkifier| (linkifier.pattern.clone(), linkifier.url_template.clone(), linkifier.id.0));
            Fields::RealmFilters(RealmFilters { realm_filters: rows.collect() })
        }
        WholeList::ProfileFields(fields) => {
            Fields::CustomProfileFields(CustomProfileFields { fields: profile_field_records(fields) })
        }
        WholeList::CustomEmoji(custom_emoji) => {
            Fields::RealmEmojiUpdate(RealmEmojiUpdate { realm_emoji: emoji::records_by_id(realm, custom_emoji) })
        }
    }
}

/// A copy of the fields in which empty topics, at these keys, have a display name.
fn with_display_topics(keys: &[&str], fields: &Map<String, Value>) -> Map<String, Value> {
    let mut shown_fields = fields.clone();
    for key in keys {
        if let Some(value) = shown_fields.get_mut(*key) {
            replace_empty_topics(value);
        }
    }
    shown_fields
}

/// Replaces empty topics: the value itself, elements of arrays, and `topic` in objects such as those of
/// `message_details`.
fn replace_empty_topics(value: &mut Value) {
    match value {
        Value::String(topic) if topic.is_empty() => *topic = display_topic_name("", false),
        // Rows of the legacy list of muted topics have a channel's name, which is never empty, a topic and a time.
        Value::Array(rows) => rows.iter_mut().for_each(replace_empty_topics),
        Value::Object(object) => {
            for (inner_key, inner) in object.iter_mut() {
                if inner.is_object() || inner_key == "topic" {
                    replace_empty_topics(inner);
                }
            }
        }
        _ => {}
    }
}

fn sent_message_fields<'a>(
    realm: &Realm,
    reader: Reader<'_>,
    viewer: &User,
    sent_message: &'a SentMessage,
) -> Message<'a> {
    let options = reader.options;
    let view = MessageView {
        viewer: Some(viewer),
        apply_markdown: options.apply_markdown,
        client_gravatar: options.client_gravatar,
        computes_system_bot_avatars: !options.level.has(Feature::SystemBotAvatarsFromServer),
        allow_empty_topic_name: options.capabilities.empty_topic_name,
    };
    let message = sent_message.rendered_json.get_or_init(view.view_index(realm, &sent_message.sender), || {
        let record = MessageRecord::new(
            realm,
            &sent_message.message,
            &sent_message.sender,
            sent_message.channel.as_deref(),
            view,
        );
        serde_json::value::to_raw_value(&record).unwrap_or_default()
    });
    let queue_and_local_id = sent_message
        .queue_and_local_id
        .as_ref()
        .filter(|(queue, _)| reader.queue.is_some_and(|queue_id| **queue_id == **queue));
    let local_message_id = queue_and_local_id.map(|(_, local_id)| local_id.as_str());
    Message { message, flags: initial_flags(sent_message, viewer), local_message_id }
}

/// The initial flags of a message; empty for readers who are not recipients.
fn initial_flags(sent_message: &SentMessage, viewer: &User) -> Vec<&'static str> {
    let message = &sent_message.message;
    let mut flags = Vec::new();
    if !message.recipients.contains(&viewer.id) {
        return flags;
    }
    let is_unsubscribed =
        sent_message.channel.as_ref().is_some_and(|channel| !channel.subscribers.contains(&viewer.id));
    if is_unsubscribed || sent_message.read_by.contains(&viewer.id) {
        flags.push("read");
    }
    flags.extend(message.message_flags(viewer.id));
    flags
}

fn updated_message_fields(realm: &Realm, reader: Reader<'_>, viewer: &User, updated: &UpdatedMessage) -> UpdateMessage {
    // These are the flags at the time of reading. If they changed after the edit, events that follow report the same
    // changes again, which has no effect on the client.
    let current_flags = |message: &Arc<crate::realm::message::Message>| match realm.has_user_message(viewer.id, message)
    {
        // Events omit `wildcard_mentioned`, the older name for both kinds of wildcard mentions.
        true => {
            let mut flags = realm.flags(viewer.id, message);
            flags.retain(|flag| *flag != "wildcard_mentioned");
            flags
        }
        // A message that the user does not have counts as read.
        false => vec!["read"],
    };
    let (stream_id, stream_name) = updated.old_channel.clone().unzip();
    UpdateMessage {
        user_id: updated.user,
        edit_timestamp: updated.at.seconds(),
        message_id: updated.message,
        message_ids: updated.messages.clone(),
        rendering_only: updated.is_rendering_only,
        flags: realm.messages.get(&updated.message).map(current_flags).unwrap_or_default(),
        stream_id,
        stream_name,
        content: updated
            .content
            .as_ref()
            .map(|(before, after)| content_update(updated.is_rendering_only, before, after)),
        place: updated.message_move.as_ref().map(|message_move| place_update(reader, message_move)),
    }
}

fn content_update(is_rendering_only: bool, before: &Body, after: &Body) -> ContentUpdate {
    let is_edit = !is_rendering_only;
    ContentUpdate {
        orig_content: is_edit.then(|| before.content.clone()),
        orig_rendered_content: is_edit.then(|| before.rendered_html().into_owned()),
        content: after.content.clone(),
        rendered_content: after.rendered_html().into_owned(),
        is_me_message: is_edit.then_some(after.is_me_message),
    }
}

fn place_update(reader: Reader<'_>, message_move: &MessageMove) -> PlaceUpdate {
    let display_topic = |topic: &str| display_topic_name(topic, reader.options.capabilities.empty_topic_name);
    let links = message_move.new_topic.as_ref().map(|(_, links)| {
        links.iter().map(|link| TopicLinkRecord { text: link.text.clone(), url: link.url.clone() }).collect()
    });
    PlaceUpdate {
        propagate_mode: message_move.propagate_mode,
        orig_subject: display_topic(&message_move.old_topic),
        subject: message_move.new_topic.as_ref().map(|(topic, _)| display_topic(topic)),
        topic_links: links,
        new_stream_id: message_move.new_channel,
    }
}

/// The fields of a deletion but for `message_id` or `message_ids`, `sender` and `sender_id`.
fn deletion_fields(reader: Reader<'_>, messages: &[(MessageId, UserId)], place: &MessagePlace) -> DeleteMessage {
    let (message_type, stream_id, topic, conversation) = match place {
        MessagePlace::Channel { channel, topic } => {
            let topic = display_topic_name(topic, reader.options.capabilities.empty_topic_name);
            ("stream", Some(*channel), Some(topic), None)
        }
        MessagePlace::Direct { conversation } if !reader.options.level.has(Feature::DirectDeletionsWithoutSender) => {
            let sender_id = messages.first().map(|(_, sender)| *sender);
            ("private", None, None, Some(DeletedDirectMessage { recipient_id: *conversation, sender_id }))
        }
        MessagePlace::Direct { .. } => ("private", None, None, None),
    };
    DeleteMessage {
        message_type,
        stream_id,
        topic,
        conversation,
        message_ids: None,
        message_id: None,
        sender: None,
        sender_id: None,
    }
}

fn single_deletion_fields(
    realm: &Realm,
    reader: Reader<'_>,
    viewer: &User,
    (message_id, sender_id): (MessageId, UserId),
    messages: &[(MessageId, UserId)],
    place: &MessagePlace,
) -> DeleteMessage {
    let mut fields = DeleteMessage { message_id: Some(message_id), ..deletion_fields(reader, messages, place) };
    let has_sender = !reader.options.level.has(Feature::DeletionsWithoutSender);
    if has_sender {
        fields.sender = Some(realm.user(sender_id).map(|user| realm.email_shown_to(Some(viewer), user)));
    }
    match &mut fields.conversation {
        Some(conversation) => conversation.sender_id = Some(sender_id),
        None => fields.sender_id = has_sender.then_some(sender_id),
    }
    fields
}
