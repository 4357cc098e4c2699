//! What the notification bot says of a move or of a topic's being resolved.

use super::relocate::{has_others, is_moved_whole};
use super::{EditMessage, Marking, MessageEdit, PropagateMode};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::deletion::delete_messages;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::message::Place;
use crate::realm::personal::VisibilityPolicy;
use crate::realm::send::Target;
use crate::realm::setting::UserSetting;
use crate::realm::topic::{FORMER_EMPTY_TOPIC_NAME, TopicKey};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Span;
use chat_markdown::{encode_hash_component, encode_link_label};
use imbl::OrdSet;
use std::sync::Arc;

/// For how long marking a topic again takes the notice of its mark back.
const UNDO_SECONDS: i64 = 60;

/// Sends the notices that the request asked for.
pub(super) fn send(tx: &mut Tx, by: &User, wanted: &MessageEdit, place: &Place, params: &EditMessage) {
    let (Some((channel, topic)), Place::Channel { channel: new_channel, topic: new_topic }) =
        (wanted.message.channel(), place)
    else {
        return;
    };
    let who = by.silent_mention();
    // The rest of both topics, before notices come to it.
    let goes_into_itself = channel == *new_channel && TopicKey::new(topic) == TopicKey::new(new_topic);
    // What is moved by case alone is found by the former name too: only who asks for all moves the topic.
    let is_whole = if goes_into_itself {
        matches!(params.propagate_mode, PropagateMode::All)
    } else {
        is_moved_whole(tx, by, (channel, topic), &wanted.moved)
    };
    let arrives_alone = !has_others(tx, (*new_channel, new_topic), &wanted.moved);
    if let Some(marking) = wanted.notice {
        mark(tx, by, (*new_channel, new_topic), &format!("{who}{}", sentence(marking)), &wanted.moved);
    }
    let what = |is_whole: bool, one: &str| match (is_whole, wanted.moved.len()) {
        (true, _) => "This topic was moved".to_owned(),
        (false, 1) => format!("{one} was moved"),
        (false, count) => format!("{count} messages were moved"),
    };
    let link = |tx: &Tx, channel: ChannelId, topic: &str| {
        let topic = if topic.is_empty() && !tx.has(Feature::EmptyTopics) { FORMER_EMPTY_TOPIC_NAME } else { topic };
        topic_link(tx, channel, topic)
    };
    // Where a topic is marked or unmarked and nothing else happens to it, the notice of that is in its place.
    // The link has no address before it (A-458 in docs/assumptions.md).
    if params.send_notification_to_new_thread && !wanted.is_marking_alone() {
        let mut address = tx.message_link(&tx.messages[&wanted.message.id], tx.form());
        if !tx.has(Feature::EmptyTopics) {
            address = address.replace("/topic//near/", "/topic/.28no.20topic.29/near/");
        }
        let one = format!("[A message]({address})");
        let what = what(is_whole && arrives_alone, &one);
        let text = format!("{what} here from {} by {who}.", link(tx, channel, topic));
        post(tx, by, *new_channel, new_topic, text, OrdSet::new());
    }
    if params.send_notification_to_old_thread {
        let from = if is_whole { "" } else { " from this topic" };
        let what = what(is_whole, "A message");
        let text = format!("{what}{from} to {} by {who}.", link(tx, *new_channel, new_topic));
        post(tx, by, channel, topic, text, OrdSet::new());
    }
}

/// A link to a topic in Markdown. Where its name or the channel's would break the form of such links, a link to the address.
fn topic_link(tx: &Tx, channel: ChannelId, topic: &str) -> String {
    let name = &tx.channels[&channel].name;
    let breaks = |name: &str| name.contains(['`', '>', '*', '&', '[', ']']) || name.contains("$$");
    if !tx.has(Feature::BreakingNamesLinked) || !(breaks(name) || breaks(topic)) {
        return format!("#**{name}>{topic}**");
    }
    let place = format!("#narrow/channel/{channel}-{}", encode_hash_component(&name.replace(' ', "-")));
    if topic.is_empty() {
        return format!("[#{}]({place})", encode_link_label(name));
    }
    let [shown_name, shown_topic] = [name, topic].map(encode_link_label);
    format!("[#{shown_name} > {shown_topic}]({place}/topic/{})", encode_hash_component(topic))
}

/// What is said of a topic behind the name of whoever marked it.
fn sentence(marking: Marking) -> String {
    format!(" has marked this topic as {}.", marking.word())
}

/// Posts a notice of a topic's mark, or takes back what was posted, if somebody undoes it at once.
fn mark(tx: &mut Tx, by: &User, (channel, topic): (ChannelId, &Arc<str>), text: &str, moved: &[MessageId]) {
    let is_undone = tx.has(Feature::ResolveNoticesTakenBack);
    if let Some(notice) = undone(tx, channel, topic).filter(|_| is_undone) {
        delete_messages(tx, by.id, &[notice]);
        return;
    }
    let readers = if !tx.has(Feature::ResolveNoticesReadBySetting) {
        tx.channels[&channel].subscribers.clone().relative_complement(participants(tx, moved))
    } else {
        unbothered(tx, channel, topic)
    };
    post(tx, by, channel, topic, text.to_owned(), readers);
}

/// Those who sent the messages or reacted to them.
fn participants(realm: &Realm, messages: &[MessageId]) -> OrdSet<UserId> {
    let messages = messages.iter().filter_map(|id| realm.messages.get(id));
    messages
        .flat_map(|message| message.reactions.iter().map(|reaction| reaction.user).chain([message.sender]))
        .collect()
}

/// The notice of the topic's mark at its end, while it is so young that marking it again is to undo that.
fn undone(realm: &Realm, channel: ChannelId, topic: &str) -> Option<MessageId> {
    let last = realm.topics.get(&(channel, TopicKey::new(topic)))?.messages.last()?;
    let message = &realm.messages[&last];
    let content = &message.body.content;
    let tells_mark =
        [Marking::Resolved, Marking::Unresolved].into_iter().any(|other| content.ends_with(&sentence(other)));
    let is_notice = Some(message.sender) == realm.notification_bot() && content.starts_with("@_**") && tells_mark;
    (is_notice && message.sent_at.plus(Span::seconds(UNDO_SECONDS)) >= realm.now).then_some(last)
}

fn post(tx: &mut Tx, by: &User, channel: ChannelId, topic: &Arc<str>, content: String, read_by: OrdSet<UserId>) {
    tx.notify(by.id, Target::Channel { channel, topic: topic.to_string() }, content, read_by);
}

/// Subscribers who have the notice of a topic's being resolved marked as read.
fn unbothered(realm: &Realm, channel: ChannelId, topic: &str) -> OrdSet<UserId> {
    let has_it_read = |user: &&UserId| {
        let own = realm.user_state(**user);
        match own.setting(UserSetting::ResolvedTopicNoticeAutoReadPolicy).as_str() {
            Some("always") => true,
            Some("except_followed") => own.topic_policy(channel, topic) != VisibilityPolicy::Followed,
            _ => false,
        }
    };
    realm.channels[&channel].subscribers.iter().filter(has_it_read).copied().collect()
}
