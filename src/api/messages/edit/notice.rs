//! Notices of the notification bot about moved messages and resolved topics.

use super::relocate::{has_other_messages, is_whole_topic_moved};
use super::{EditMessage, MessageEdit, PropagateMode, ResolutionChange};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::deletion::delete_messages;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::MessagePlace;
use crate::realm::personal::VisibilityPolicy;
use crate::realm::send::Target;
use crate::realm::setting::UserSetting;
use crate::realm::topic::{FORMER_EMPTY_TOPIC_NAME, TopicKey};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Span;
use chat_markdown::{encode_channel_name, encode_hash_component, encode_link_label};
use imbl::OrdSet;
use std::sync::Arc;

/// Maximum age of a notice that a topic was resolved or unresolved, for the opposite change to delete it.
const MAX_UNDO_AGE: Span = Span::from_seconds(60);

/// Posts the notice that the topic was resolved or unresolved, and the notices of a move that the request asks for.
pub(super) fn post_notices(
    tx: &mut Tx,
    editor: &User,
    message_edit: &MessageEdit,
    place: &MessagePlace,
    params: &EditMessage,
) {
    let (Some((channel, topic)), MessagePlace::Channel { channel: new_channel, topic: new_topic }) =
        (message_edit.message.channel_and_topic(), place)
    else {
        return;
    };
    let mention = editor.silent_mention();
    // What remains of both topics has to be determined before notices are added to them. If the name changes only in
    // case, both names find the same topic, so `propagate_mode` decides.
    let is_same_topic = channel == *new_channel && TopicKey::new(topic) == TopicKey::new(new_topic);
    let is_whole_topic = if is_same_topic {
        matches!(params.propagate_mode, PropagateMode::All)
    } else {
        is_whole_topic_moved(tx, editor, (channel, topic), &message_edit.moved_ids)
    };
    let is_new_topic = !has_other_messages(tx, (*new_channel, new_topic), &message_edit.moved_ids);
    if let Some(resolution_change) = message_edit.reported_change {
        post_or_delete_resolution_notice(
            tx,
            editor,
            (*new_channel, new_topic),
            &format!("{mention}{}", resolution_sentence(resolution_change)),
            &message_edit.moved_ids,
        );
    }
    let describe_moved = |names_topic: bool, single_message: &str| match (names_topic, message_edit.moved_ids.len()) {
        (true, _) => "This topic was moved".to_owned(),
        (false, 1) => format!("{single_message} was moved"),
        (false, count) => format!("{count} messages were moved"),
    };
    // If the request only resolves or unresolves the topic, the notice about that replaces this one. The link is
    // relative (A-458 in docs/assumptions.md).
    if params.send_notification_to_new_thread && !message_edit.only_changes_resolution() {
        let mut message_url = tx.message_link(&tx.messages[&message_edit.message.id], tx.output_format());
        if !tx.has(Feature::EmptyTopics) {
            // The empty topic has a name at this level, also in URLs.
            message_url = message_url.replace("/topic//near/", "/topic/.28no.20topic.29/near/");
        }
        let subject = describe_moved(is_whole_topic && is_new_topic, &format!("[A message]({message_url})"));
        let text = format!("{subject} here from {} by {mention}.", topic_link(tx, channel, topic));
        post_notice(tx, editor, *new_channel, new_topic, text, OrdSet::new());
    }
    if params.send_notification_to_old_thread {
        let from = if is_whole_topic { "" } else { " from this topic" };
        let subject = describe_moved(is_whole_topic, "A message");
        let text = format!("{subject}{from} to {} by {mention}.", topic_link(tx, *new_channel, new_topic));
        post_notice(tx, editor, channel, topic, text, OrdSet::new());
    }
}

/// A link to a topic in Markdown. If the name of the topic or the channel would break the usual syntax, the link has a
/// URL, from the level of [`Feature::TopicsLinkedByUrl`] on.
fn topic_link(tx: &Tx, channel: ChannelId, topic: &str) -> String {
    let topic = if topic.is_empty() && !tx.has(Feature::EmptyTopics) { FORMER_EMPTY_TOPIC_NAME } else { topic };
    let name = &tx.channels[&channel].name;
    let breaks_syntax = |name: &str| name.contains(['`', '>', '*', '&', '[', ']']) || name.contains("$$");
    if !tx.has(Feature::TopicsLinkedByUrl) || !(breaks_syntax(name) || breaks_syntax(topic)) {
        return format!("#**{name}>{topic}**");
    }
    let channel_url = format!("#narrow/channel/{channel}-{}", encode_channel_name(name));
    if topic.is_empty() {
        return format!("[#{}]({channel_url})", encode_link_label(name));
    }
    let [name_label, topic_label] = [name, topic].map(encode_link_label);
    format!("[#{name_label} > {topic_label}]({channel_url}/topic/{})", encode_hash_component(topic))
}

/// The text of a notice that a topic was resolved or unresolved, after the mention of the user.
fn resolution_sentence(resolution_change: ResolutionChange) -> String {
    format!(" has marked this topic as {}.", resolution_change.word())
}

/// Posts the notice that a topic was resolved or unresolved. If the last message is a recent notice of this kind,
/// deletes that instead, from the level of [`Feature::ResolveNoticesDeleted`] on.
fn post_or_delete_resolution_notice(
    tx: &mut Tx,
    editor: &User,
    (channel, topic): (ChannelId, &Arc<str>),
    text: &str,
    moved_ids: &[MessageId],
) {
    let may_delete_notice = tx.has(Feature::ResolveNoticesDeleted);
    if let Some(notice) = recent_resolution_notice(tx, channel, topic).filter(|_| may_delete_notice) {
        delete_messages(tx, editor.id, &[notice]);
        return;
    }
    let readers = if !tx.has(Feature::ResolveNoticesReadBySetting) {
        tx.channels[&channel].subscribers.clone().relative_complement(participants(tx, moved_ids))
    } else {
        automatic_readers(tx, channel, topic)
    };
    post_notice(tx, editor, channel, topic, text.to_owned(), readers);
}

/// The users who sent the messages or reacted to them.
fn participants(realm: &Realm, messages: &[MessageId]) -> OrdSet<UserId> {
    let messages = messages.iter().filter_map(|id| realm.messages.get(id));
    messages
        .flat_map(|message| message.reactions.iter().map(|reaction| reaction.user).chain([message.sender]))
        .collect()
}

/// The last message of a topic, if it is a notice that the topic was resolved or unresolved, at most [`MAX_UNDO_AGE`]
/// old.
fn recent_resolution_notice(realm: &Realm, channel: ChannelId, topic: &str) -> Option<MessageId> {
    let last_id = realm.topics.get(&(channel, TopicKey::new(topic)))?.messages.last()?;
    let message = &realm.messages[&last_id];
    let content = &message.body.content;
    let has_sentence = [ResolutionChange::Resolved, ResolutionChange::Unresolved]
        .into_iter()
        .any(|resolution_change| content.ends_with(&resolution_sentence(resolution_change)));
    let is_notice = Some(message.sender) == realm.notification_bot() && content.starts_with("@_**") && has_sentence;
    (is_notice && message.sent_at.plus(MAX_UNDO_AGE) >= realm.now).then_some(last_id)
}

fn post_notice(
    tx: &mut Tx,
    editor: &User,
    channel: ChannelId,
    topic: &Arc<str>,
    content: String,
    read_by: OrdSet<UserId>,
) {
    tx.post_notice(editor.id, Target::Channel { channel, topic: topic.to_string() }, content, read_by);
}

/// Subscribers whose setting marks the notice that a topic was resolved or unresolved as read.
fn automatic_readers(realm: &Realm, channel: ChannelId, topic: &str) -> OrdSet<UserId> {
    let is_marked_read = |user: &&UserId| {
        let state = realm.user_state(**user);
        match state.setting(UserSetting::ResolvedTopicNoticeAutoReadPolicy).as_str() {
            Some("always") => true,
            Some("except_followed") => state.topic_policy(channel, topic) != VisibilityPolicy::Followed,
            _ => false,
        }
    };
    realm.channels[&channel].subscribers.iter().filter(is_marked_read).copied().collect()
}
