//! The part of the register reply about messages: the newest, unread and starred ones, and recent conversations.

use super::StateRequest;
use super::requested_values::requested_values;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{MessageId, UserId};
use crate::realm::queue::QueueOptions;
use crate::record::message::display_topic_name;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of unread messages in the reply. Older ones are left out.
const MAX_UNREAD: usize = 50_000;
/// Maximum number of recent conversations in the reply. Older ones are left out.
const MAX_RECENT_CONVERSATIONS: usize = 1_000;

requested_values! {
    /// The newest, unread and starred messages of the viewer, and the recent direct conversations.
    pub struct MessageState(realm, request) {
        "message" max_message_id: i64 = newest_message_id(realm, request);
        "message" unread_msgs: UnreadMessages = unread_messages(realm, request.viewer_id(), request.options),
            if request.includes("update_message_flags");
        "starred_messages" starred_messages: Vec<MessageId> = starred_messages(realm, request.viewer_id());
        "recent_private_conversations" recent_private_conversations: Vec<RecentConversation> =
            recent_conversations(realm, request.viewer_id());
    }
}

/// A direct conversation of the viewer, with its newest message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RecentConversation {
    max_message_id: MessageId,
    /// The members of the conversation, without the viewer.
    user_ids: Vec<UserId>,
}

/// The unread messages by conversation (reference behaviour, 11.5).
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnreadMessages {
    pms: Vec<UnreadFromUser>,
    streams: Vec<UnreadInTopic>,
    huddles: Vec<UnreadInGroup>,
    mentions: Vec<MessageId>,
    /// Without those in muted topics, and without those in channels that are muted or not subscribed to, unless their
    /// topic is unmuted or followed.
    count: usize,
    /// Whether there are more unread messages, older than these.
    old_unreads_missing: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct UnreadFromUser {
    other_user_id: UserId,
    /// Same as `other_user_id`.
    sender_id: UserId,
    unread_message_ids: Vec<MessageId>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct UnreadInTopic {
    stream_id: i64,
    topic: String,
    unread_message_ids: Vec<MessageId>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct UnreadInGroup {
    /// The IDs of all members including the viewer, separated by commas.
    user_ids_string: String,
    unread_message_ids: Vec<MessageId>,
}

/// The ID of the newest message that the viewer received; -1 if there is none.
fn newest_message_id(realm: &Realm, request: &StateRequest<'_>) -> i64 {
    request.viewer_id().and_then(|viewer| realm.newest_received_message(viewer)).map_or(-1, |id| id.0)
}

/// Includes messages that the user can no longer access (A-134 in docs/assumptions.md).
fn starred_messages(realm: &Realm, viewer: Option<UserId>) -> Vec<MessageId> {
    let starred = viewer.iter().flat_map(|viewer| &realm.user_state(*viewer).starred);
    starred.filter(|id| realm.messages.contains_key(*id)).copied().collect()
}

fn recent_conversations(realm: &Realm, viewer: Option<UserId>) -> Vec<RecentConversation> {
    let Some(viewer) = viewer else { return Vec::new() };
    let conversations = realm.user_state(viewer).conversations.iter().map(|id| &realm.conversations[id]);
    let mut recent: Vec<RecentConversation> = conversations
        .filter_map(|conversation| {
            let others = conversation.members.iter().copied().filter(|member| *member != viewer).collect();
            Some(RecentConversation { max_message_id: conversation.messages.last()?, user_ids: others })
        })
        .collect();
    recent.sort_unstable_by_key(|conversation| std::cmp::Reverse(conversation.max_message_id));
    recent.truncate(MAX_RECENT_CONVERSATIONS);
    recent
}

fn unread_messages(realm: &Realm, viewer: Option<UserId>, options: &QueueOptions) -> UnreadMessages {
    let allows_empty = options.capabilities.empty_topic_name;
    let ignores_case = options.level.has(Feature::UnreadTopicsIgnoreCase);
    let has_empty_topics = options.level.has(Feature::EmptyTopics);
    let mut unread_ids = viewer.map(|viewer| realm.unread_messages(viewer)).unwrap_or_default();
    let are_old_missing = unread_ids.len() > MAX_UNREAD;
    if are_old_missing {
        unread_ids.drain(..unread_ids.len() - MAX_UNREAD);
    }
    let mut ids_by_user: BTreeMap<UserId, Vec<MessageId>> = BTreeMap::new();
    let mut ids_by_members: BTreeMap<String, Vec<MessageId>> = BTreeMap::new();
    let mut ids_by_topic: BTreeMap<(i64, String), (String, Vec<MessageId>)> = BTreeMap::new();
    let mut mentions = Vec::new();
    let mut count = 0;
    for id in unread_ids {
        let (message, Some(viewer)) = (&realm.messages[&id], viewer) else { continue };
        if realm.is_notable_mention(viewer, message) {
            mentions.push(id);
        }
        if let Some((channel, topic)) = message.channel_and_topic() {
            let display_name = display_topic_name(topic, allows_empty);
            let name = if has_empty_topics { &*display_name } else { topic };
            // The topics are sorted by this key: from the level of `EmptyTopics` on by the name that the client sees,
            // before by the stored one, which is "" for the empty topic.
            let key = if ignores_case { name.to_lowercase() } else { name.to_owned() };
            ids_by_topic.entry((channel.0, key)).or_insert_with(|| (display_name, Vec::new())).1.push(id);
            count += usize::from(!realm.user_state(viewer).is_topic_muted(channel, topic));
        } else if let Some(conversation) = message.conversation() {
            let members = &realm.conversations[&conversation].members;
            match members.as_ref() {
                [only] => ids_by_user.entry(*only).or_default().push(id),
                [first, second] => {
                    let other = if *first == viewer { second } else { first };
                    ids_by_user.entry(*other).or_default().push(id);
                }
                members => {
                    let members: Vec<String> = members.iter().map(ToString::to_string).collect();
                    ids_by_members.entry(members.join(",")).or_default().push(id);
                }
            }
            count += 1;
        }
    }
    let from_user =
        |(user, unread_message_ids)| UnreadFromUser { other_user_id: user, sender_id: user, unread_message_ids };
    let in_topic =
        |((stream_id, _), (topic, unread_message_ids))| UnreadInTopic { stream_id, topic, unread_message_ids };
    let in_group = |(user_ids_string, unread_message_ids)| UnreadInGroup { user_ids_string, unread_message_ids };
    UnreadMessages {
        pms: ids_by_user.into_iter().map(from_user).collect(),
        streams: ids_by_topic.into_iter().map(in_topic).collect(),
        huddles: ids_by_members.into_iter().map(in_group).collect(),
        mentions,
        count,
        old_unreads_missing: are_old_missing,
    }
}
