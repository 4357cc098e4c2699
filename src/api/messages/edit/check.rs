//! Checks a request to edit a message, in the order in which real servers do.

use super::{EditMessage, MessageEdit, PropagateMode, ResolutionChange};
use crate::api::OperationContext;
use crate::api::parameter::NonNegative;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::channel::Channel;
use crate::realm::editing::{check_may_edit, is_time_limit_over};
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::message::{Message, MessagePlace};
use crate::realm::permission::{ChannelPermission, RealmPermission};
use crate::realm::setting::RealmSetting;
use crate::realm::text::normalize_content;
use crate::realm::topic::{
    EMPTY_TOPIC_DISPLAY_NAME, RESOLVED_PREFIX, TopicKey, normalize_topic, normalize_topic_to_send_to,
};
use crate::realm::user::{Role, User};
use crate::realm::{Realm, content_hash};
use std::borrow::Cow;
use std::sync::Arc;

/// Checks the request, and determines what it changes.
///
/// # Errors
///
/// Those that `EditMessage` declares, except those of rendering the content.
pub(super) fn check_request(
    realm: &Realm,
    context: &OperationContext<'_>,
    params: &EditMessage,
) -> Result<MessageEdit, Error> {
    let caller = context.caller();
    let message = context.changeable_message(realm, params.message_id)?.clone();
    let params = &drop_current_channel(context, &message, params);
    if params.content.is_some() {
        check_may_edit(realm, caller, &message)?;
    }
    // The current name of the topic counts as absent.
    let differs =
        |topic: &&str| message.channel_and_topic().is_none_or(|(_, current_topic)| **current_topic != *topic.trim());
    let new_topic = params.topic.as_deref().filter(differs);
    check_combination(&message, params, new_topic)?;
    let normalized_topic = new_topic.map(|topic| normalize_new_topic(context, topic)).transpose()?;
    if params.content.is_some() && params.stream_id.is_some() {
        return Err(Error::ContentChangeWhileMoving);
    }
    if params.content.is_some() && !message.submessages.is_empty() {
        return Err(Error::WidgetNotEditable);
    }
    check_previous_content(&message, params)?;
    let content = new_content(context, params)?;
    let place = new_place(&message, params, normalized_topic);
    if content.is_none() && place.is_none() {
        return Err(Error::NothingToChange);
    }
    let topic_names =
        new_topic.map(str::trim).zip(message.channel_and_topic().map(|(_, current_topic)| current_topic.as_ref()));
    let resolution_change =
        topic_names.and_then(|(new_topic, current_topic)| ResolutionChange::between(current_topic, new_topic));
    let names_channel = params.stream_id.is_some();
    let reported_change = match topic_names {
        _ if content.is_some() => None,
        Some((new_topic, current_topic)) if !context.has(Feature::RenamingIsNotResolving) => {
            ResolutionChange::in_legacy_notice(current_topic, new_topic)
        }
        _ => resolution_change.filter(|_| !names_channel),
    };
    let has_same_name =
        topic_names.is_none_or(|(new_topic, current_topic)| ResolutionChange::have_same_name(current_topic, new_topic));
    let moved_ids = match &place {
        Some(place) => {
            let moved_ids = messages_to_move(realm, caller, &message, place, params.propagate_mode);
            let request = MoveRequest {
                resolution_change: resolution_change.filter(|_| context.has(Feature::ResolvePermission)),
                names_channel,
                mode: params.propagate_mode,
            };
            check_may_move(realm, context, &message, place, request, &moved_ids)?;
            moved_ids
        }
        None => Vec::new(),
    };
    Ok(MessageEdit {
        message,
        content,
        place,
        names_channel,
        resolution_change,
        reported_change,
        has_same_name,
        moved_ids,
    })
}

/// The normal form of a new name of the topic. Below the level of [`Feature::EmptyTopics`], the former name of the
/// empty topic means that topic.
///
/// # Errors
///
/// `TopicInvalidCharacter`, `ResolveEmptyTopic`.
fn normalize_new_topic(context: &OperationContext<'_>, topic: &str) -> Result<String, Error> {
    let has_empty_topics = context.has(Feature::EmptyTopics);
    let normalized_topic = if has_empty_topics { normalize_topic(topic)? } else { normalize_topic_to_send_to(topic)? };
    if is_resolved_empty_topic(&normalized_topic) {
        return Err(Error::ResolveEmptyTopic);
    }
    Ok(normalized_topic.into_owned())
}

/// The new content as it is stored, with relative links to uploads.
fn new_content(context: &OperationContext<'_>, params: &EditMessage) -> Result<Option<String>, Error> {
    let content = params.content.clone().map(|content| context.origin.make_upload_links_relative(content));
    content.as_deref().map(normalize_edited_content).transpose()
}

/// Removes `stream_id` if it is the message's channel, because that is not a move.
fn drop_current_channel<'params>(
    context: &OperationContext<'_>,
    message: &Message,
    params: &'params EditMessage,
) -> Cow<'params, EditMessage> {
    let is_current =
        |NonNegative(id): NonNegative| message.channel_and_topic().is_some_and(|(channel, _)| channel == ChannelId(id));
    if context.has(Feature::SameChannelIsNotMove) && params.stream_id.is_some_and(is_current) {
        return Cow::Owned(EditMessage { stream_id: None, ..params.clone() });
    }
    Cow::Borrowed(params)
}

/// Whether a topic is the check mark followed by nothing or by the display name of the empty topic.
fn is_resolved_empty_topic(topic: &str) -> bool {
    topic == RESOLVED_PREFIX.trim() || topic.strip_prefix(RESOLVED_PREFIX) == Some(EMPTY_TOPIC_DISPLAY_NAME)
}

/// Checks which parameters the request combines. `new_topic` is None if it is the current one.
fn check_combination(message: &Message, params: &EditMessage, new_topic: Option<&str>) -> Result<(), Error> {
    if params.content.is_none() && new_topic.is_none() && params.stream_id.is_none() {
        return Err(Error::NothingToChange);
    }
    if message.channel_and_topic().is_none() {
        if params.stream_id.is_some() {
            return Err(Error::DirectMessageToChannel);
        }
        if new_topic.is_some() {
            return Err(Error::DirectWithTopic);
        }
    }
    let is_move = new_topic.is_some() || params.stream_id.is_some();
    if !is_move && params.propagate_mode != PropagateMode::One {
        return Err(Error::PropagateWithoutTopic);
    }
    Ok(())
}

fn normalize_edited_content(content: &str) -> Result<String, Error> {
    match normalize_content(content) {
        Err(Error::MessageEmpty) => Ok("(deleted)".to_owned()),
        other => other.map(Cow::into_owned),
    }
}

fn check_previous_content(message: &Message, params: &EditMessage) -> Result<(), Error> {
    let current_hash = content_hash(message.body.content.as_bytes());
    match &params.prev_content_sha256 {
        Some(expected_hash) if *expected_hash != current_hash => {
            Err(Error::ExpectationMismatch { field_name: "prev_content_sha256".into() })
        }
        _ => Ok(()),
    }
}

/// Returns the place to which the request moves the message, without any checks. None if it does not move the message.
fn new_place(message: &Message, params: &EditMessage, new_topic: Option<String>) -> Option<MessagePlace> {
    let (channel, old_topic) = message.channel_and_topic()?;
    let new_channel = params.stream_id.map_or(channel, |NonNegative(id)| ChannelId(id));
    let new_topic: Arc<str> = new_topic.map_or_else(|| old_topic.clone(), Into::into);
    let is_move = params.stream_id.is_some() || new_topic != *old_topic;
    is_move.then_some(MessagePlace::Channel { channel: new_channel, topic: new_topic })
}

fn messages_to_move(
    realm: &Realm,
    caller: &User,
    message: &Message,
    place: &MessagePlace,
    mode: PropagateMode,
) -> Vec<MessageId> {
    let Some((channel, topic)) = message.channel_and_topic() else { return Vec::new() };
    let messages = realm.topics.get(&(channel, TopicKey::new(topic))).map(|topic| &topic.messages);
    // Messages that the caller can't access are moved within a channel, but not to another channel, where the caller
    // could read them.
    let is_movable =
        |id: &MessageId| place.channel() == Some(channel) || realm.can_see_message(caller, &realm.messages[id]);
    match (mode, messages) {
        (PropagateMode::One, _) | (_, None) => vec![message.id],
        (PropagateMode::Later, Some(messages)) => messages.starting_at(message.id).filter(is_movable).collect(),
        (PropagateMode::All, Some(messages)) => messages.iter().filter(is_movable).collect(),
    }
}

/// What a request says about a move, apart from the new place.
struct MoveRequest {
    /// The change of the check mark that needs a permission of its own; None if the request makes no such change.
    resolution_change: Option<ResolutionChange>,
    names_channel: bool,
    mode: PropagateMode,
}

fn check_may_move(
    realm: &Realm,
    context: &OperationContext<'_>,
    message: &Message,
    place: &MessagePlace,
    request: MoveRequest,
    moved_ids: &[MessageId],
) -> Result<(), Error> {
    let (Some((channel, topic)), MessagePlace::Channel { channel: new_channel_id, topic: new_topic }) =
        (message.channel_and_topic(), place)
    else {
        return Ok(());
    };
    let caller = context.caller();
    let old_channel = &realm.channels[&channel];
    let new_channel = realm.readable_active_channel(caller, *new_channel_id);
    let has_permission = |name| realm.may(caller.id, name);
    let has_permission_in = |channel: &Channel, name| realm.may_in_channel(caller.id, channel, name);
    let has_permission_in_either = |name: ChannelPermission| {
        has_permission_in(old_channel, name)
            || new_channel.as_ref().is_ok_and(|channel| has_permission_in(channel, name))
    };
    if request.resolution_change.is_some() {
        if !(has_permission(RealmPermission::CanResolveTopics)
            || has_permission_in_either(ChannelPermission::CanResolveTopics))
        {
            return Err(Error::MayNotResolve);
        }
        if !request.names_channel {
            return Ok(());
        }
    } else if new_topic != topic {
        let may_rename = has_permission(RealmPermission::CanMoveMessagesBetweenTopics)
            || has_permission_in_either(ChannelPermission::CanMoveMessagesWithinChannel);
        if !may_rename {
            let counts_as_move = context.has(Feature::RenamingRefusedAsMoving);
            return Err(if counts_as_move { Error::MayNotMove } else { Error::MayNotEdit });
        }
        let limit = realm.organization.integer(RealmSetting::MoveMessagesWithinStreamLimitSeconds);
        check_move_time(realm, context, message, (request.mode, moved_ids), limit, Error::MoveTopicTimePassed)?;
    }
    if request.names_channel {
        let may_move_out = has_permission_in(old_channel, ChannelPermission::CanMoveMessagesOutOfChannel);
        if !(has_permission(RealmPermission::CanMoveMessagesBetweenChannels) || may_move_out) {
            return Err(Error::MayNotMove);
        }
        realm.check_may_post(caller, new_channel?, new_topic)?;
        let limit = realm.organization.integer(RealmSetting::MoveMessagesBetweenStreamsLimitSeconds);
        return check_move_time(
            realm,
            context,
            message,
            (request.mode, moved_ids),
            limit,
            Error::MoveChannelTimePassed,
        );
    }
    realm.check_may_create_topic(caller, old_channel, new_topic)?;
    realm.check_topic_policy(old_channel, new_topic)
}

/// Checks that the messages are not too old to be moved. Moderators, administrators and owners have no limit. `limit`
/// is in seconds; None means none. `error` is for a message of the request that is too old.
fn check_move_time(
    realm: &Realm,
    context: &OperationContext<'_>,
    message: &Message,
    (mode, moved_ids): (PropagateMode, &[MessageId]),
    limit: Option<i64>,
    error: Error,
) -> Result<(), Error> {
    if context.caller().role <= Role::Moderator {
        return Ok(());
    }
    let movable_ids: Vec<MessageId> =
        moved_ids.iter().copied().filter(|id| !is_time_limit_over(realm, &realm.messages[id], limit)).collect();
    let counts_whole_topic =
        mode == PropagateMode::All && !movable_ids.is_empty() && context.has(Feature::MoveLimitCountsWholeTopic);
    if is_time_limit_over(realm, message, limit) && !counts_whole_topic {
        return Err(error);
    }
    if movable_ids.len() == moved_ids.len() {
        return Ok(());
    }
    Err(Error::MoveTimeLimitExceeded {
        first_message_id_allowed_to_move: movable_ids.first().map_or(0, |id| id.0).into(),
        total_messages_in_topic: moved_ids.len().into(),
        total_messages_allowed_to_move: movable_ids.len().into(),
    })
}
