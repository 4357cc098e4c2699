//! The operation that edits a message: its content, topic or channel. Submodules check the request, move messages and
//! post notices.

mod check;
mod notice;
mod relocate;
mod resolution;

use relocate::MoveLosses;
use resolution::ResolutionChange;

use crate::api::parameter::{NonNegative, string_enum};
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::{Event, EventKind, MessageMove, Payload, UpdatedMessage};
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Body, Edit, Message, MessagePlace};
use crate::realm::send::ContentAuthor;
use crate::realm::tx::Tx;
use crate::record::attachment::attachment_to_json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

string_enum! {
    /// Which messages of the topic are moved.
    pub enum PropagateMode {
        /// Only the message of the request.
        One = "change_one",
        /// That message and all later ones.
        Later = "change_later",
        /// All messages of the topic.
        All = "change_all",
    }
}

operation! {
    /// Changes a message's content, or moves it to another topic or channel.
    pub EditMessage = PATCH "/messages/{message_id}", for User;
    params {
        /// ID of a message that the caller can access; not in an archived channel.
        @path message_id: MessageId,
        /// ID of the channel to move to; the caller must be allowed to post there.
        stream_id since 1: Option<NonNegative>,
        /// Topic to move to; cut at 60 code points.
        topic | "subject": Option<String>,
        /// Which messages of the topic are moved.
        propagate_mode: PropagateMode = PropagateMode::One => "change_one",
        /// Post a notice of the move in the old topic.
        send_notification_to_old_thread since 9: bool = false,
        /// Post a notice of the move in the new topic.
        send_notification_to_new_thread since 9: bool = true,
        /// New content as Markdown, only for the sender; an empty one becomes `(deleted)`.
        content: Option<String>,
        /// SHA-256 of the content that the client knows, hexadecimal; the edit is refused if it is outdated.
        prev_content_sha256 since 379: Option<String>,
    }
    reply EditMessageReply;
    errors [
        InvalidMessage, EditingDisabled, MayNotEdit, EditTimePassed, NothingToChange, DirectMessageToChannel,
        DirectWithTopic, PropagateWithoutTopic, TopicInvalidCharacter, ResolveEmptyTopic, ContentChangeWhileMoving,
        WidgetNotEditable, ExpectationMismatch, InvalidChannelId, MayNotResolve, MayNotMove, MoveTopicTimePassed,
        MoveChannelTimePassed, MoveTimeLimitExceeded, MayNotPost, MayNotCreateTopic, EmptyTopicNotAllowed,
        OnlyEmptyTopicAllowed, UnableToRender, ChannelWildcardNotAllowed, TopicWildcardNotAllowed, MayNotMentionGroup,
    ];
    events [
        AttachmentUpdate, UpdateMessage, MutedTopics, UserTopic, DeleteMessage, Message,
        StreamUpdate,
    ];
}

/// What an edit leads to besides the change itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EditMessageReply {
    /// Uploads that no message links to any more.
    pub detached_uploads: Vec<Value>,
}

/// A checked request.
struct MessageEdit {
    message: Arc<Message>,
    content: Option<String>,
    /// The new place of the moved messages; None if the request moves none.
    place: Option<MessagePlace>,
    /// Whether the request has a channel. At older levels, that may be the current one.
    names_channel: bool,
    /// The change of the topic's check mark. None if the request changes no mark, or also changes the name otherwise.
    resolution_change: Option<ResolutionChange>,
    /// The change of the topic's check mark that the notification bot reports; None if it reports none.
    reported_change: Option<ResolutionChange>,
    /// Whether the old and the new name of the topic are equal without check marks; also true without a new name.
    has_same_name: bool,
    /// The messages to move, sorted.
    moved_ids: Vec<MessageId>,
}

impl MessageEdit {
    /// Whether the request only resolves or unresolves the topic, and a notice reports that.
    fn only_changes_resolution(&self) -> bool {
        self.reported_change.is_some() && self.has_same_name && !self.names_channel
    }
}

impl Write for EditMessage {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<EditMessageReply, Error> {
        let caller = context.caller().clone();
        let message_edit = check::check_request(tx, context, &params)?;
        let body = match &message_edit.content {
            Some(content) => {
                let (sender, place) = (message_edit.message.sender, &message_edit.message.place);
                let includes_subgroups = tx.has(Feature::MentionsIncludeSubgroups);
                Some(tx.render_body(
                    (sender, ContentAuthor::Sender),
                    place,
                    content.clone(),
                    Some(&context.render_context()),
                    includes_subgroups,
                )?)
            }
            None => None,
        };

        let mut detached_uploads = Vec::new();
        let old_channel_and_name =
            message_edit.message.channel_and_topic().map(|(channel, _)| (channel, tx.channels[&channel].name.clone()));
        let mut content = None;
        let mut message_move = None;
        let mut message_ids = vec![message_edit.message.id];
        if let Some(body) = body {
            detached_uploads = change_content(tx, caller.id, &message_edit.message, body);
            content = Some((message_edit.message.body.clone(), tx.messages[&message_edit.message.id].body.clone()));
        }
        let edited_message = tx.messages[&message_edit.message.id].clone();
        let mut audience = tx.edit_audience(&edited_message, &message_edit.moved_ids);
        let mut losses = MoveLosses::default();
        if let Some(place) = &message_edit.place {
            message_ids.clone_from(&message_edit.moved_ids);
            message_move = new_message_move(tx, &message_edit, place, params.propagate_mode);
            losses = MoveLosses::before_move(tx, &message_edit, place);
            relocate::move_messages(tx, caller.id, &message_edit, place);
            losses.emit(tx, &message_edit.moved_ids, &message_edit.message.place);
            if message_edit.names_channel {
                relocate::update_user_messages(tx, &message_edit.moved_ids, place, &losses.users_losing_user_messages);
                audience = audience.including(tx.message_holders(message_edit.message.id));
                audience = audience.including(relocate::new_readers(tx, &message_edit.message, place));
            }
            relocate::move_policies(tx, &caller, &message_edit.message, &message_edit.moved_ids, place);
        }
        let updated_message = UpdatedMessage {
            user: Some(caller.id),
            at: tx.now,
            message: message_edit.message.id,
            messages: message_ids,
            old_channel: old_channel_and_name,
            content,
            message_move,
            is_rendering_only: false,
        };
        // Users who lost their user messages and are not subscribed to the old channel get no event, and users who lost
        // access must not learn the new place.
        let subscribers =
            message_edit.message.channel_and_topic().map(|(channel, _)| tx.channels[&channel].subscribers.clone());
        let users_without_user_messages =
            losses.users_losing_user_messages.clone().relative_complement(subscribers.unwrap_or_default());
        let update = Event::new(EventKind::UpdateMessage, Payload::UpdateMessage(Box::new(updated_message)));
        tx.emit(audience.except_all(&users_without_user_messages).except_all(&losses.users_losing_access), update);
        if let Some(place) = &message_edit.place {
            notice::post_notices(tx, &caller, &message_edit, place, &params);
        }
        Ok(EditMessageReply { detached_uploads })
    }
}

/// Changes the content. Returns the uploads that no message links to any more. The owners of all uploads that this
/// message no longer links to get an event. Newly mentioned users get a push if the message is unread for them.
/// In channels, from the level of [`Feature::MentionsReachReaders`] on, they also get a user message.
fn change_content(tx: &mut Tx, editor: UserId, original: &Message, mut body: Body) -> Vec<Value> {
    let mut recipients = original.recipients.clone();
    if original.channel_and_topic().is_some() && tx.has(Feature::MentionsReachReaders) {
        tx.add_mentioned_recipients(&original.place, &body, &mut recipients);
    }
    let late_holders = tx.late_holders.get(&original.id).cloned().unwrap_or_default();
    body.retain_mentions_of(&recipients.clone().union(late_holders.clone()));
    body.copy_wildcards_from(&original.body, late_holders);
    let now = tx.now;
    let body = Arc::new(body);
    let previous_body = original.body.clone();
    let message = tx.message_mut(original.id);
    message.recipients = recipients;
    message.body = body.clone();
    message.last_edited_at = Some(now);
    let edit =
        Edit { at: now, user: Some(editor), previous_body: Some(previous_body.clone()), topic: None, channel: None };
    message.history.push_back(Arc::new(edit));
    let detached_uploads = detach_uploads(tx, original.id, &previous_body.uploads, &body.uploads);
    let edited_message = tx.messages[&original.id].clone();
    tx.mark_as_read_for_outsiders(&edited_message);
    tx.push_edited_message(original, &edited_message);
    tx.record_links(&edited_message);
    detached_uploads
}

/// Removes a message from the uploads that it no longer links to. Returns those that no other message links to.
///
/// Event: `attachment` update to the owner of each upload that the message no longer links to.
fn detach_uploads(tx: &mut Tx, message: MessageId, before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<Value> {
    let mut detached_uploads = Vec::new();
    for path_id in before.difference(after) {
        let Some(attachment) = tx.realm_mut().attachments.get_mut(path_id) else { continue };
        if !Arc::make_mut(attachment).messages.remove(&message) {
            continue;
        }
        let attachment = attachment.clone();
        if attachment.messages.is_empty() {
            detached_uploads.push(attachment_to_json(&attachment));
        }
        tx.emit_attachment_update(attachment.owner, attachment);
    }
    detached_uploads
}

/// The move as the event reports it; None for direct messages, which cannot move.
fn new_message_move(
    realm: &Realm,
    message_edit: &MessageEdit,
    place: &MessagePlace,
    mode: PropagateMode,
) -> Option<MessageMove> {
    let (Some((_, topic)), MessagePlace::Channel { channel, topic: new_topic }) =
        (message_edit.message.channel_and_topic(), place)
    else {
        return None;
    };
    let topic_with_links = || (new_topic.clone(), realm.topic_links(new_topic));
    Some(MessageMove {
        propagate_mode: mode.text(),
        old_topic: topic.clone(),
        new_topic: (new_topic != topic).then(topic_with_links),
        new_channel: message_edit.names_channel.then_some(*channel),
    })
}
