//! Whether a message may be changed as asked, in the order in which the real server looks.

use super::{EditMessage, Marking, MessageEdit, PropagateMode};
use crate::api::Call;
use crate::api::parameter::NonNegative;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::channel::Channel;
use crate::realm::editing::{check_may_edit, is_over};
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::message::{Message, Place};
use crate::realm::permission::{ChannelPermission, RealmPermission};
use crate::realm::setting::RealmSetting;
use crate::realm::text::normal_content;
use crate::realm::topic::{EMPTY_TOPIC_DISPLAY_NAME, RESOLVED_PREFIX, TopicKey, normal_topic, topic_to_send_to};
use crate::realm::user::{Role, User};
use crate::realm::{Realm, content_hash};
use std::borrow::Cow;
use std::sync::Arc;

pub(super) fn wanted(realm: &Realm, call: &Call<'_>, params: &EditMessage) -> Result<MessageEdit, Error> {
    let caller = call.caller();
    let message = call.message_to_change(realm, params.message_id)?.clone();
    let params = &without_own_channel(call, &message, params);
    if params.content.is_some() {
        check_may_edit(realm, caller, &message)?;
    }
    // The name that the topic has already changes nothing.
    let is_other = |topic: &&str| message.channel().is_none_or(|(_, current)| **current != *topic.trim());
    let asked = params.topic.as_deref().filter(is_other);
    check_shape(&message, params, asked)?;
    // Where the empty topic has no other name.
    let is_named = !Feature::EmptyTopics.is_at(call.feature_level);
    let normal = |topic| if is_named { topic_to_send_to(topic) } else { normal_topic(topic) };
    let topic = asked.map(normal).transpose()?.map(Cow::into_owned);
    if topic.as_deref().is_some_and(marks_empty_topic) {
        return Err(Error::ResolveEmptyTopic);
    }
    if params.content.is_some() && params.stream_id.is_some() {
        return Err(Error::ContentWhileMoving);
    }
    if params.content.is_some() && !message.submessages.is_empty() {
        return Err(Error::WidgetEdited);
    }
    check_previous(&message, params)?;
    let content = params.content.clone().map(|content| edited_content(&call.origin.strip(content))).transpose()?;
    let place = new_place(&message, params, topic);
    if content.is_none() && place.is_none() {
        return Err(Error::NothingToChange);
    }
    let names = asked.map(str::trim).zip(message.channel().map(|(_, topic)| topic.as_ref()));
    let marking = names.and_then(|(asked, topic)| Marking::between(topic, asked));
    let names_channel = params.stream_id.is_some();
    let notice = match names {
        _ if content.is_some() => None,
        Some((asked, topic)) if !call.has(Feature::RenamedTopicsMoved) => Marking::in_notice(topic, asked),
        _ => marking.filter(|_| !names_channel),
    };
    let has_same_name = names.is_none_or(|(asked, topic)| Marking::is_all_between(topic, asked));
    let moved = match &place {
        Some(place) => {
            let moved = affected(realm, caller, &message, place, params.propagate_mode);
            let marking = marking.filter(|_| call.has(Feature::ResolvingAllowedApart));
            let how = (marking, names_channel, params.propagate_mode);
            check_may_move(realm, call, &message, place, how, &moved)?;
            moved
        }
        None => Vec::new(),
    };
    Ok(MessageEdit { message, content, place, names_channel, marking, notice, has_same_name, moved })
}

/// The request without the channel in which the message is: it moves nothing.
fn without_own_channel<'params>(
    call: &Call<'_>,
    message: &Message,
    params: &'params EditMessage,
) -> Cow<'params, EditMessage> {
    let is_own = |NonNegative(id): NonNegative| message.channel().is_some_and(|(channel, _)| channel == ChannelId(id));
    if call.has(Feature::SameChannelNoMove) && params.stream_id.is_some_and(is_own) {
        return Cow::Owned(EditMessage { stream_id: None, ..params.clone() });
    }
    Cow::Borrowed(params)
}

/// Whether it is the mark with the empty topic behind it, or with the name by which that one is shown.
fn marks_empty_topic(topic: &str) -> bool {
    topic == RESOLVED_PREFIX.trim() || topic.strip_prefix(RESOLVED_PREFIX) == Some(EMPTY_TOPIC_DISPLAY_NAME)
}

fn check_shape(message: &Message, params: &EditMessage, topic: Option<&str>) -> Result<(), Error> {
    if params.content.is_none() && topic.is_none() && params.stream_id.is_none() {
        return Err(Error::NothingToChange);
    }
    if message.channel().is_none() {
        if params.stream_id.is_some() {
            return Err(Error::DirectToChannel);
        }
        if topic.is_some() {
            return Err(Error::DirectWithTopic);
        }
    }
    let moves = topic.is_some() || params.stream_id.is_some();
    if !moves && params.propagate_mode != PropagateMode::One {
        return Err(Error::PropagateWithoutTopic);
    }
    Ok(())
}

fn edited_content(content: &str) -> Result<String, Error> {
    match normal_content(content) {
        Err(Error::MessageEmpty) => Ok("(deleted)".to_owned()),
        other => other.map(Cow::into_owned),
    }
}

fn check_previous(message: &Message, params: &EditMessage) -> Result<(), Error> {
    let expected = content_hash(message.body.content.as_bytes());
    match &params.prev_content_sha256 {
        Some(requested) if *requested != expected => {
            Err(Error::ExpectationMismatch { field_name: "prev_content_sha256".into() })
        }
        _ => Ok(()),
    }
}

/// Where the message goes; None when it stays where it is. Whether the caller may move it there is another question.
fn new_place(message: &Message, params: &EditMessage, topic: Option<String>) -> Option<Place> {
    let (channel, old_topic) = message.channel()?;
    let new_channel = params.stream_id.map_or(channel, |NonNegative(id)| ChannelId(id));
    let topic: Arc<str> = topic.map_or_else(|| old_topic.clone(), Into::into);
    let stays = params.stream_id.is_none() && topic == *old_topic;
    (!stays).then_some(Place::Channel { channel: new_channel, topic })
}

fn affected(realm: &Realm, caller: &User, message: &Message, place: &Place, mode: PropagateMode) -> Vec<MessageId> {
    let Some((channel, topic)) = message.channel() else { return Vec::new() };
    let messages = realm.topics.get(&(channel, TopicKey::new(topic))).map(|topic| &topic.messages);
    // Within a channel topics stay together; into another one nobody moves what they can't see, so as not to read it there.
    let is_movable =
        |id: &MessageId| place.channel() == Some(channel) || realm.can_see_message(caller, &realm.messages[id]);
    match (mode, messages) {
        (PropagateMode::One, _) | (_, None) => vec![message.id],
        (PropagateMode::Later, Some(messages)) => messages.from(message.id).filter(is_movable).collect(),
        (PropagateMode::All, Some(messages)) => messages.iter().filter(is_movable).collect(),
    }
}

fn check_may_move(
    realm: &Realm,
    call: &Call<'_>,
    message: &Message,
    place: &Place,
    (marking, names_channel, mode): (Option<Marking>, bool, PropagateMode),
    moved: &[MessageId],
) -> Result<(), Error> {
    let (Some((channel, topic)), Place::Channel { channel: new_channel, topic: new_topic }) =
        (message.channel(), place)
    else {
        return Ok(());
    };
    let caller = call.caller();
    let here = &realm.channels[&channel];
    let there = realm.open_channel(caller, *new_channel);
    let may = |name| realm.may(caller.id, name);
    let may_in = |channel: &Channel, name| realm.may_in(caller.id, channel, name);
    let there_too = |allows: &dyn Fn(&Channel) -> bool| there.as_ref().is_ok_and(|there| allows(there));
    if marking.is_some() {
        let of_channel = |channel: &Channel| may_in(channel, ChannelPermission::CanResolveTopics);
        if !(may(RealmPermission::CanResolveTopics) || of_channel(here) || there_too(&of_channel)) {
            return Err(Error::MayNotResolve);
        }
        if !names_channel {
            return Ok(());
        }
    } else if new_topic != topic {
        let of_channel = |channel: &Channel| may_in(channel, ChannelPermission::CanMoveMessagesWithinChannel);
        if !(may(RealmPermission::CanMoveMessagesBetweenTopics) || of_channel(here) || there_too(&of_channel)) {
            let is_moving = Feature::RenamingIsMoving.is_at(call.feature_level);
            return Err(if is_moving { Error::MayNotMove } else { Error::MayNotEdit });
        }
        let limit = realm.organization.limit(RealmSetting::MoveMessagesWithinStreamLimitSeconds);
        check_move_time(realm, call, message, (mode, moved), limit, Error::MoveTopicTimePassed)?;
    }
    if names_channel {
        let of_channel = may_in(here, ChannelPermission::CanMoveMessagesOutOfChannel);
        if !(may(RealmPermission::CanMoveMessagesBetweenChannels) || of_channel) {
            return Err(Error::MayNotMove);
        }
        realm.check_may_post(caller, there?, new_topic)?;
        let limit = realm.organization.limit(RealmSetting::MoveMessagesBetweenStreamsLimitSeconds);
        return check_move_time(realm, call, message, (mode, moved), limit, Error::MoveChannelTimePassed);
    }
    realm.check_may_begin_topic(caller, here, new_topic)?;
    realm.check_topic_policy(here, new_topic)
}

/// Moderators and above may move old messages; others as far back as the limit.
fn check_move_time(
    realm: &Realm,
    call: &Call<'_>,
    message: &Message,
    (mode, moved): (PropagateMode, &[MessageId]),
    limit: Option<i64>,
    too_late: Error,
) -> Result<(), Error> {
    if call.caller().role <= Role::Moderator {
        return Ok(());
    }
    let movable: Vec<MessageId> =
        moved.iter().copied().filter(|id| !is_over(realm, &realm.messages[id], limit)).collect();
    let counts_topic = mode == PropagateMode::All && !movable.is_empty() && call.has(Feature::OldMessagesCountTopic);
    if is_over(realm, message, limit) && !counts_topic {
        return Err(too_late);
    }
    if movable.len() == moved.len() {
        return Ok(());
    }
    Err(Error::MoveTimeLimitExceeded {
        first_message_id_allowed_to_move: movable.first().map_or(0, |id| id.0).into(),
        total_messages_in_topic: moved.len().into(),
        total_messages_allowed_to_move: movable.len().into(),
    })
}
