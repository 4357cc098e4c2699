//! PATCH /messages/{message_id}: changing a message's text, topic or channel.

mod check;
mod marking;
mod notice;
mod relocate;

use marking::Marking;
use relocate::Losses;

use crate::api::parameter::{NonNegative, words};
use crate::api::{Call, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::{Event, EventKind, Move, Payload, UpdatedMessage};
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Body, Edit, Message, Place};
use crate::realm::send::Voice;
use crate::realm::tx::Tx;
use crate::record::event::attachment_record;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

words! {
    /// How many messages of the topic are moved.
    pub enum PropagateMode {
        /// This one.
        One = "change_one",
        /// This one and those after it.
        Later = "change_later",
        /// All.
        All = "change_all",
    }
}

operation! {
    /// Changes a message's content, or moves it to another topic or channel.
    pub EditMessage = PATCH "/messages/{message_id}", for User;
    params {
        /// The message.
        @path message_id: MessageId,
        /// The new channel.
        stream_id: Option<NonNegative>,
        /// The new topic.
        topic | "subject": Option<String>,
        /// How many messages of the topic are moved.
        propagate_mode: PropagateMode = PropagateMode::One => "change_one",
        /// Post a notice of the move in the old topic.
        send_notification_to_old_thread: bool = false,
        /// Post a notice of the move in the new topic.
        send_notification_to_new_thread: bool = true,
        /// The new content, Markdown; empty content becomes `(deleted)`.
        content: Option<String>,
        /// SHA-256 of the content that the client knows, hexadecimal.
        prev_content_sha256: Option<String>,
    }
    reply EditMessageReply;
    errors [
        InvalidMessage, EditingDisabled, MayNotEdit, EditTimePassed, NothingToChange, DirectToChannel,
        DirectWithTopic, PropagateWithoutTopic, TopicInvalidCharacter, ResolveEmptyTopic, ContentWhileMoving,
        WidgetEdited, ExpectationMismatch, InvalidChannelId, MayNotResolve, MayNotMove, MoveTopicTimePassed,
        MoveChannelTimePassed, MoveTimeLimitExceeded, MayNotPost, MayNotCreateTopic, EmptyTopicNotAllowed,
        OnlyEmptyTopicAllowed, UnableToRender, ChannelWildcardNotAllowed, TopicWildcardNotAllowed, MayNotMentionGroup,
    ];
    events [
        AttachmentUpdate, UpdateMessage, MutedTopics, UserTopic, DeleteMessage, Message,
        StreamUpdate,
    ];
}

/// The result of the change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EditMessageReply {
    /// Uploads that no message links any more.
    pub detached_uploads: Vec<Value>,
}

/// What a request asks for, checked.
struct MessageEdit {
    message: Arc<Message>,
    content: Option<String>,
    /// Where the messages go, when they are moved.
    place: Option<Place>,
    /// Whether the request names the channel, which may be the one where the messages are.
    names_channel: bool,
    /// What becomes of the topic's mark, when the move is about nothing else of its name.
    marking: Option<Marking>,
    /// What the notification bot says of the topic's mark.
    notice: Option<Marking>,
    /// Whether the old name and the new one are the same but for marks.
    has_same_name: bool,
    /// Sorted.
    moved: Vec<MessageId>,
}

impl MessageEdit {
    /// Whether nothing but the topic's mark changes, of which there is a notice.
    fn is_marking_alone(&self) -> bool {
        self.notice.is_some() && self.has_same_name && !self.names_channel
    }
}

impl Write for EditMessage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<EditMessageReply, Error> {
        let caller = call.caller().clone();
        let wanted = check::wanted(tx, call, &params)?;
        let body = match &wanted.content {
            Some(content) => {
                let (sender, place) = (wanted.message.sender, &wanted.message.place);
                let mentions_within = tx.has(Feature::SubgroupsMentioned);
                Some(tx.body((sender, Voice::Own), place, content.clone(), Some(&call.site()), mentions_within)?)
            }
            None => None,
        };

        let mut detached_uploads = Vec::new();
        let channel = wanted.message.channel().map(|(channel, _)| (channel, tx.channels[&channel].name.clone()));
        let mut content = None;
        let mut moved = None;
        let mut messages = vec![wanted.message.id];
        if let Some(body) = body {
            detached_uploads = change_content(tx, caller.id, &wanted.message, body);
            content = Some((wanted.message.body.clone(), tx.messages[&wanted.message.id].body.clone()));
        }
        let edited = tx.messages[&wanted.message.id].clone();
        let mut followers = tx.who_follows_move(&edited, &wanted.moved);
        let mut losses = Losses::default();
        if let Some(place) = &wanted.place {
            messages.clone_from(&wanted.moved);
            moved = describe_move(tx, &wanted, place, params.propagate_mode);
            losses = Losses::of(tx, &wanted, place);
            relocate::relocate(tx, caller.id, &wanted, place);
            losses.emit(tx, &wanted.moved, &wanted.message.place);
            if wanted.names_channel {
                relocate::settle_rows(tx, &wanted.moved, place, &losses.rows);
                followers = followers.including(tx.who_holds(wanted.message.id));
                followers = followers.including(relocate::new_readers(tx, &wanted.message, place));
            }
            relocate::settle_policies(tx, &caller, &wanted.message, &wanted.moved, place);
        }
        let updated = UpdatedMessage {
            user: Some(caller.id),
            at: tx.now,
            message: wanted.message.id,
            messages,
            channel,
            content,
            moved,
            is_rendering: false,
        };
        // Who has neither a row any more nor a subscription to the old channel hears nothing, and who can't see the messages
        // any more must not learn where they are.
        let subscribers = wanted.message.channel().map(|(channel, _)| tx.channels[&channel].subscribers.clone());
        let strangers = losses.rows.clone().relative_complement(subscribers.unwrap_or_default());
        let update = Event::new(EventKind::UpdateMessage, Payload::UpdateMessage(Box::new(updated)));
        tx.emit(followers.except_all(&strangers).except_all(&losses.sight), update);
        if let Some(place) = &wanted.place {
            notice::send(tx, &caller, &wanted, place, &params);
        }
        Ok(EditMessageReply { detached_uploads })
    }
}

/// Changes the text; gives the uploads that no message links any more, whose owners are notified. Who is mentioned
/// only now gets a row, and is notified on their devices.
fn change_content(tx: &mut Tx, by: UserId, before: &Message, mut body: Body) -> Vec<Value> {
    let mut recipients = before.recipients.clone();
    if before.channel().is_some() && tx.has(Feature::MentionsReachReaders) {
        tx.add_mentioned_recipients(&before.place, &body, &mut recipients);
    }
    let late = tx.late_rows.get(&before.id).cloned().unwrap_or_default();
    body.keep_mentions_of(&recipients.clone().union(late.clone()));
    body.keep_wildcards_of(&before.body, late);
    let now = tx.now;
    let body = Arc::new(body);
    let previous = before.body.clone();
    let message = tx.message_mut(before.id);
    message.recipients = recipients;
    message.body = body.clone();
    message.last_edit = Some(now);
    let edit = Edit { at: now, user: Some(by), previous_body: Some(previous.clone()), topic: None, channel: None };
    message.history.push_back(Arc::new(edit));
    let detached = detach_uploads(tx, before.id, &previous.uploads, &body.uploads);
    let after = tx.messages[&before.id].clone();
    tx.mark_as_read_outside(&after);
    tx.push_edited(before, &after);
    tx.note_links(&after);
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
        tx.emit_attachment_update(attachment.owner, attachment);
    }
    detached
}

fn describe_move(realm: &Realm, wanted: &MessageEdit, place: &Place, mode: PropagateMode) -> Option<Move> {
    let (Some((_, topic)), Place::Channel { channel, topic: new_topic }) = (wanted.message.channel(), place) else {
        return None;
    };
    let other_topic = || (new_topic.clone(), realm.topic_links(new_topic));
    Some(Move {
        mode: mode.text(),
        from: topic.clone(),
        topic: (new_topic != topic).then(other_topic),
        channel: wanted.names_channel.then_some(*channel),
    })
}
