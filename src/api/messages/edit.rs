//! PATCH /messages/{message_id}: changing a message's text, topic or channel.

mod check;
mod marking;
mod notice;
mod relocate;

pub use check::check_may_edit;
use marking::Marking;

use super::first::FirstMessages;
use crate::api::parameter::{Count, parameters, words};
use crate::api::{About, Access, Call, Operation, Route, Write};
use crate::error::Error;
use crate::realm::change::Tx;
use crate::realm::event::{Event, Payload, UpdatedMessage};
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Body, Edit, Message, Place};
use crate::realm::send::Voice;
use crate::realm::starred::StarredInSight;
use crate::record::event::attachment_record;
use crate::record::message::topic_links;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

words! {
    /// How many messages of the topic are moved.
    pub enum PropagateMode {
        /// This one.
        ChangeOne = "change_one",
        /// This one and those after it.
        ChangeLater = "change_later",
        /// All.
        ChangeAll = "change_all",
    }
}

/// PATCH /messages/{message_id}
pub struct EditMessage;

parameters! {
    /// What is to be changed.
    pub struct EditMessageParams {
        /// The message.
        @path message_id: MessageId,
        /// The new text, Markdown; an empty one becomes `(deleted)`.
        content: Option<String>,
        /// The new topic.
        topic | "subject": Option<String>,
        /// The new channel.
        stream_id: Option<Count>,
        /// How many messages of the topic are moved.
        propagate_mode: PropagateMode = PropagateMode::ChangeOne => "change_one",
        /// Tell the old topic of the move.
        send_notification_to_old_thread: bool = false,
        /// Tell the new topic of the move.
        send_notification_to_new_thread: bool = true,
        /// SHA-256 of the text that the client knows, hexadecimal.
        prev_content_sha256: Option<String>,
    }
}

/// What the change left behind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EditMessageReply {
    /// Uploads that no message links any more.
    pub detached_uploads: Vec<Value>,
}

impl Operation for EditMessage {
    const ROUTE: Route = Route::patch("/messages/{message_id}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Changes a message's text, or moves it to another topic or channel.",
        since: 0,
        is_specified: false,
        errors: &[
            "InvalidMessage",
            "EditingDisabled",
            "MayNotEdit",
            "EditTimePassed",
            "NothingToChange",
            "DirectToChannel",
            "DirectWithTopic",
            "PropagateWithoutTopic",
            "TopicInvalidCharacter",
            "ResolveEmptyTopic",
            "ContentWhileMoving",
            "WidgetEdited",
            "ExpectationMismatch",
            "InvalidChannelId",
            "MayNotResolve",
            "MayNotMove",
            "MoveTopicTimePassed",
            "MoveChannelTimePassed",
            "MoveTimeLimitExceeded",
            "MayNotPost",
            "MayNotCreateTopic",
            "EmptyTopicNotAllowed",
            "OnlyEmptyTopicAllowed",
            "UnableToRender",
            "ChannelWildcardNotAllowed",
            "TopicWildcardNotAllowed",
            "MayNotMentionGroup",
        ],
        events: &[
            "attachment update",
            "update_message",
            "muted_topics",
            "user_topic",
            "delete_message",
            "update_message_flags add",
            "message",
            "stream update",
        ],
    };
    type Params = EditMessageParams;
    type Reply = EditMessageReply;
}

/// What a request asks for, checked.
struct Wanted {
    message: Arc<Message>,
    content: Option<String>,
    /// Where the messages go, when they are moved.
    place: Option<Place>,
    /// What becomes of the topic's mark, when the move is about nothing else of its name.
    marking: Option<Marking>,
    /// Sorted.
    moved: Vec<MessageId>,
}

impl Write for EditMessage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<EditMessageReply, Error> {
        let caller = call.caller().clone();
        let wanted = check::wanted(tx, call, &params)?;
        let body = match &wanted.content {
            Some(content) => {
                let (sender, place) = (wanted.message.sender, &wanted.message.place);
                Some(tx.body((sender, Voice::Own), place, content.clone(), Some(&call.site()))?)
            }
            None => None,
        };

        let mut fields = Map::new();
        let mut detached_uploads = Vec::new();
        if let Some((channel, _)) = wanted.message.channel() {
            fields.insert("stream_id".into(), json!(channel));
            fields.insert("stream_name".into(), tx.channels[&channel].name.as_str().into());
        }
        let mut messages = vec![wanted.message.id];
        if let Some(body) = body {
            detached_uploads = change_content(tx, caller.id, &wanted.message, body, &mut fields);
        }
        // Those who know the messages where they were, and those whom the new text mentions.
        let followers = tx.who_follows_any(&[&[wanted.message.id], wanted.moved.as_slice()].concat());
        let mut newcomers = OrdSet::new();
        let mut losses = BTreeMap::new();
        let (mut starred, mut firsts) = (None, None);
        if let Some(place) = &wanted.place {
            messages.clone_from(&wanted.moved);
            describe_move(tx, &wanted, place, params.propagate_mode, &mut fields);
            newcomers = relocate::newcomers(tx, &wanted.message, place);
            losses = relocate::losses(tx, &followers, &wanted.moved, place);
            starred = Some(StarredInSight::of_listeners(tx));
            firsts = Some(FirstMessages::of(tx, [&wanted.message.place, place].into_iter().filter_map(Place::channel)));
            relocate::relocate(tx, caller.id, &wanted, place);
            relocate::settle_policies(tx, &caller, &wanted.message, &wanted.moved, place);
        }
        let updated = UpdatedMessage {
            user: Some(caller.id),
            at: tx.now,
            message: wanted.message.id,
            messages,
            fields,
            rendering_only: false,
        };
        // Who can't see the messages any more must not learn where they are.
        let lost_all = losses.get(&wanted.moved).cloned().unwrap_or_default();
        let update = Event::new("update_message", None, Payload::UpdateMessage(Box::new(updated)));
        tx.emit(followers.including(newcomers).except_all(&lost_all), update);
        if let (Some(place), Some(starred)) = (&wanted.place, starred) {
            relocate::settle(tx, &wanted.message, &wanted.moved, place, (losses, starred));
            notice::send(tx, &caller, &wanted, place, &params);
        }
        if let Some(firsts) = firsts {
            firsts.tell_changes(tx);
        }
        Ok(EditMessageReply { detached_uploads })
    }
}

/// Changes the text; gives the uploads that no message links any more, whose owners are told. Who is mentioned
/// only now gets a row, and is told on their devices.
fn change_content(
    tx: &mut Tx,
    by: UserId,
    before: &Message,
    mut body: Body,
    fields: &mut Map<String, Value>,
) -> Vec<Value> {
    let mut recipients = before.recipients.clone();
    tx.settle_recipients(&before.place, &mut body, &mut recipients);
    let now = tx.now;
    let body = Arc::new(body);
    let previous = before.body.clone();
    fields.insert("orig_content".into(), previous.content.as_str().into());
    fields.insert("orig_rendered_content".into(), previous.rendered().into());
    fields.insert("content".into(), body.content.as_str().into());
    fields.insert("rendered_content".into(), body.rendered().into());
    fields.insert("is_me_message".into(), body.is_me_message.into());
    let message = tx.message_mut(before.id);
    message.recipients = recipients;
    message.body = body.clone();
    message.last_edit = Some(now);
    let edit = Edit { at: now, user: Some(by), previous_body: Some(previous.clone()), topic: None, channel: None };
    message.history.push_back(Arc::new(edit));
    let detached = detach_uploads(tx, before.id, &previous.uploads, &body.uploads);
    let after = tx.messages[&before.id].clone();
    tx.read_outside(&after);
    tx.push_edited(before, &after);
    tx.claim_uploads(&after);
    detached
}

fn detach_uploads(tx: &mut Tx, message: MessageId, before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<Value> {
    let mut detached = Vec::new();
    for path_id in before.difference(after) {
        let Some(attachment) = tx.realm_mut().attachments.get_mut(path_id) else { continue };
        if !Arc::make_mut(attachment).messages.remove(&message) {
            continue;
        }
        let attachment = attachment.clone();
        if attachment.messages.is_empty() {
            detached.push(attachment_record(&attachment));
        }
        tx.emit_attachment_update(attachment);
    }
    detached
}

fn describe_move(tx: &Tx, wanted: &Wanted, place: &Place, mode: PropagateMode, fields: &mut Map<String, Value>) {
    let (Some((channel, topic)), Place::Channel { channel: new_channel, topic: new_topic }) =
        (wanted.message.channel(), place)
    else {
        return;
    };
    fields.insert("propagate_mode".into(), mode.text().into());
    fields.insert("orig_subject".into(), topic.as_ref().into());
    if new_topic != topic {
        fields.insert("subject".into(), new_topic.as_ref().into());
        fields.insert("topic_links".into(), json!(topic_links(tx, new_topic)));
    }
    if *new_channel != channel {
        fields.insert("new_stream_id".into(), json!(new_channel));
    }
}
