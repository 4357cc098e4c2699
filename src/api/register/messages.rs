//! The part of the register reply about messages: the newest, unread and starred ones, and recent conversations.

use super::StateRequest;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{MessageId, UserId};
use crate::realm::queue::QueueOptions;
use crate::record::message::shown_topic;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Most unread messages in the reply. Older ones are left out.
const MAX_UNREAD: usize = 50_000;
/// Most recent conversations in the reply.
const MAX_RECENT_CONVERSATIONS: usize = 1_000;

pub(super) fn add(realm: &Realm, request: &StateRequest<'_>, state: &mut Map<String, Value>) {
    let viewer = request.viewer.map(|viewer| viewer.id);
    if request.includes("message") {
        let newest = viewer.and_then(|viewer| realm.newest_message_of(viewer));
        state.insert("max_message_id".into(), newest.map_or(-1, |id| id.0).into());
        if request.includes("update_message_flags") {
            state.insert("unread_msgs".into(), unread(realm, viewer, request.options));
        }
    }
    if request.includes("starred_messages") {
        // Includes messages that the user can no longer access (A-134 in docs/assumptions.md).
        let starred = viewer.iter().flat_map(|viewer| &realm.user_state(*viewer).starred);
        let starred: Vec<&MessageId> = starred.filter(|id| realm.messages.contains_key(*id)).collect();
        state.insert("starred_messages".into(), json!(starred));
    }
    if request.includes("recent_private_conversations") {
        state.insert("recent_private_conversations".into(), recent_conversations(realm, viewer));
    }
}

fn recent_conversations(realm: &Realm, viewer: Option<UserId>) -> Value {
    let Some(viewer) = viewer else { return json!([]) };
    let conversations = realm.user_state(viewer).conversations.iter().map(|id| &realm.conversations[id]);
    let mut newest: Vec<(MessageId, Vec<UserId>)> = conversations
        .filter_map(|conversation| {
            let others = conversation.members.iter().copied().filter(|member| *member != viewer).collect();
            Some((conversation.messages.last()?, others))
        })
        .collect();
    newest.sort_unstable_by_key(|(newest, _)| std::cmp::Reverse(*newest));
    newest.truncate(MAX_RECENT_CONVERSATIONS);
    newest.iter().map(|(newest, others)| json!({"max_message_id": newest, "user_ids": others})).collect()
}

/// The unread messages by conversation (reference behaviour, 11.5).
fn unread(realm: &Realm, viewer: Option<UserId>, options: &QueueOptions) -> Value {
    let allows_empty = options.capabilities.empty_topic_name;
    let ignores_case = options.level.has(Feature::UnreadTopicsIgnoreCase);
    let has_empty_topic = options.level.has(Feature::EmptyTopics);
    let mut unread_ids = viewer.map(|viewer| realm.unread(viewer)).unwrap_or_default();
    let are_old_missing = unread_ids.len() > MAX_UNREAD;
    if are_old_missing {
        unread_ids.drain(..unread_ids.len() - MAX_UNREAD);
    }
    let mut people: BTreeMap<UserId, Vec<MessageId>> = BTreeMap::new();
    let mut groups: BTreeMap<String, Vec<MessageId>> = BTreeMap::new();
    let mut topics: BTreeMap<(i64, String), (String, Vec<MessageId>)> = BTreeMap::new();
    let mut mentions = Vec::new();
    let mut count = 0;
    for id in unread_ids {
        let (message, Some(viewer)) = (&realm.messages[&id], viewer) else { continue };
        if realm.is_notable_mention(viewer, message) {
            mentions.push(id);
        }
        if let Some((channel, topic)) = message.channel() {
            let display_name = shown_topic(topic, allows_empty);
            let name = if has_empty_topic { &*display_name } else { topic };
            let key = if ignores_case { name.to_lowercase() } else { name.to_owned() };
            topics.entry((channel.0, key)).or_insert_with(|| (display_name, Vec::new())).1.push(id);
            count += usize::from(!realm.user_state(viewer).is_topic_muted(channel, topic));
        } else if let Some(conversation) = message.conversation() {
            let members = &realm.conversations[&conversation].members;
            match members.as_ref() {
                [only] => people.entry(*only).or_default().push(id),
                [first, second] => {
                    let other = if *first == viewer { second } else { first };
                    people.entry(*other).or_default().push(id);
                }
                members => {
                    let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                    groups.entry(members.join(",")).or_default().push(id);
                }
            }
            count += 1;
        }
    }
    let pms: Vec<Value> = people
        .iter()
        .map(|(user, ids)| json!({"other_user_id": user, "sender_id": user, "unread_message_ids": ids}))
        .collect();
    let streams: Vec<Value> = topics
        .iter()
        .map(|((channel, _), (topic, ids))| json!({"stream_id": channel, "topic": topic, "unread_message_ids": ids}))
        .collect();
    let huddles: Vec<Value> =
        groups.iter().map(|(members, ids)| json!({"user_ids_string": members, "unread_message_ids": ids})).collect();
    json!({
        "pms": pms,
        "streams": streams,
        "huddles": huddles,
        "mentions": mentions,
        "count": count,
        "old_unreads_missing": are_old_missing,
    })
}
