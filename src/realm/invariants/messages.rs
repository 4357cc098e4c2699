//! Invariants of messages and conversations.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::id::{ChannelId, MessageId, RecipientId, UserId};
use crate::realm::message::{Message, MessagePlace};
use crate::realm::message_ids::MessageIds;
use crate::realm::read_set::ReadSet;
use imbl::ordset::DiffItem;
use imbl::{OrdMap, OrdSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "messages-are-of-users",
        meaning: "Senders and recipients of messages, and users who reacted or edited, exist.",
        check: check_messages_are_of_users,
    },
    Invariant {
        name: "direct-messages-reach-the-conversation",
        meaning: "A direct message's recipients are the members of its conversation, the sender among them, and mentioned generic bots.",
        check: check_direct_messages_reach_the_conversation,
    },
    Invariant {
        name: "conversations-have-their-messages",
        meaning: "A conversation has all messages that are in it, and no others.",
        check: check_conversations_have_their_messages,
    },
    Invariant {
        name: "conversations-by-members",
        meaning: "Conversations are indexed by their sorted members, and by each member.",
        check: check_conversations_by_members,
    },
    Invariant {
        name: "reactions-are-unique",
        meaning: "Nobody reacts to a message twice with the same emoji.",
        check: check_reactions_are_unique,
    },
    Invariant {
        name: "mentions-reach-recipients",
        meaning: "Users that a message mentions or alerts have received it.",
        check: check_mentions_reach_recipients,
    },
    Invariant {
        name: "late-user-messages",
        meaning: "User messages that were created after sending are indexed by message and by user.",
        check: check_late_holders,
    },
    Invariant {
        name: "unread-where-subscribed",
        meaning: "Unread channel messages are in channels that the user is subscribed to, after the start of the subscription.",
        check: check_unread_where_subscribed,
    },
    Invariant {
        name: "read-runs-are-apart",
        meaning: "The ranges of messages that a user has read neither touch nor overlap.",
        check: check_read_runs_are_apart,
    },
    Invariant {
        name: "marked-messages-have-user-messages",
        meaning: "Users who starred or collapsed a message that still exists, or hide its previews, have a user message for it.",
        check: check_marked_messages_have_user_messages,
    },
];

fn check_messages_are_of_users(realm: &Realm) -> Vec<String> {
    let violation =
        |message: MessageId, user: UserId| format!("message {message} refers to user {user}, who does not exist");
    let mut violations: Vec<String> =
        unknown_recipients(realm).into_iter().map(|(message, user)| violation(message, user)).collect();
    violations.extend(violations_of(realm.messages.iter(), |(id, message)| {
        let reacting_users = message.reactions.iter().map(|reaction| reaction.user);
        let editing_users = message.history.iter().filter_map(|edit| edit.user);
        let mut users = reacting_users.chain(editing_users).chain([message.sender]);
        match users.find(|user| !realm.users.contains_key(user)) {
            Some(user) => Some(violation(*id, user)),
            None => (message.id != *id).then(|| format!("message {id} says that it is {}", message.id)),
        }
    }));
    violations
}

/// Recipients who do not exist, each with some of their messages: at least the first in each channel, and the first
/// direct message.
pub fn unknown_recipients(realm: &Realm) -> Vec<(MessageId, UserId)> {
    // Only the differences between successive messages of a channel are checked, because most recipients are the same.
    let mut previous_sets: BTreeMap<Option<ChannelId>, &OrdSet<UserId>> = BTreeMap::new();
    let nobody = OrdSet::new();
    let mut unknown_users = Vec::new();
    for (id, message) in &realm.messages {
        let previous_recipients =
            previous_sets.entry(message.channel_and_topic().map(|(channel, _)| channel)).or_insert(&nobody);
        unknown_users.extend(previous_recipients.diff(&message.recipients).filter_map(|difference| match difference {
            DiffItem::Add(user) if !realm.users.contains_key(user) => Some((*id, *user)),
            _ => None,
        }));
        *previous_recipients = &message.recipients;
    }
    unknown_users
}

fn check_direct_messages_reach_the_conversation(realm: &Realm) -> Vec<String> {
    violations_of(realm.messages.values(), |message| {
        let members = &realm.conversations.get(&message.conversation()?)?.members;
        // Mentioned generic bots are recipients too.
        let is_unexpected = |user: &&UserId| !realm.users.get(*user).is_some_and(|user| user.is_generic_bot());
        let other_recipients = message.recipients.iter().filter(|user| !members.contains(*user));
        let is_complete = members.iter().all(|user| message.recipients.contains(user));
        let is_valid =
            is_complete && other_recipients.filter(is_unexpected).count() == 0 && members.contains(&message.sender);
        (!is_valid).then(|| format!("message {} went to {:?}, not to {members:?}", message.id, message.recipients))
    })
}

fn check_conversations_have_their_messages(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<RecipientId, MessageIds> =
        realm.conversations.keys().map(|id| (*id, MessageIds::default())).collect();
    for message in realm.messages.values() {
        if let MessagePlace::Direct { conversation } = message.place {
            expected.entry(conversation).or_default().insert(message.id);
        }
    }
    let actual: OrdMap<_, _> =
        realm.conversations.iter().map(|(id, conversation)| (*id, conversation.messages.clone())).collect();
    mismatch("conversations have", &actual, &expected)
}

fn check_conversations_by_members(realm: &Realm) -> Vec<String> {
    let mut violations = violations_of(realm.conversations.values(), |conversation| {
        let is_sorted = conversation.members.is_sorted_by(|member, next| member < next);
        let is_indexed = realm.conversations_by_members.get(&conversation.members) == Some(&conversation.id);
        (!is_sorted || !is_indexed).then(|| format!("conversation {} is not found by its members", conversation.id))
    });
    if realm.conversations_by_members.len() != realm.conversations.len() {
        violations.push("the index of conversations has some that do not exist".to_owned());
    }
    let mut conversations_by_user: BTreeMap<UserId, OrdSet<RecipientId>> = BTreeMap::new();
    for conversation in realm.conversations.values() {
        for user in conversation.members.iter() {
            conversations_by_user.entry(*user).or_default().insert(conversation.id);
        }
    }
    violations.extend(violations_of(realm.user_states.iter(), |(user, state)| {
        let expected = conversations_by_user.remove(user).unwrap_or_default();
        (state.conversations != expected)
            .then(|| format!("user {user} is in conversations {:?}, should be in {expected:?}", state.conversations))
    }));
    violations
}

fn check_reactions_are_unique(realm: &Realm) -> Vec<String> {
    violations_of(realm.messages.values(), |message| {
        let mut seen_reactions = BTreeSet::new();
        let mut is_duplicate = |user: UserId, emoji: &crate::realm::emoji::Emoji| {
            !seen_reactions.insert((user, emoji.reaction_type, emoji.emoji_code.clone()))
        };
        let duplicate = message.reactions.iter().find(|reaction| is_duplicate(reaction.user, &reaction.emoji))?;
        Some(format!("user {} reacted twice to message {}", duplicate.user, message.id))
    })
}

fn check_mentions_reach_recipients(realm: &Realm) -> Vec<String> {
    violations_of(realm.messages.values(), |message| {
        let user = message.body.mentioned_or_alerted().find(|user| !realm.has_user_message(**user, message))?;
        Some(format!("message {} mentions user {user}, who has no user message for it", message.id))
    })
}

fn check_late_holders(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<MessageId, OrdSet<UserId>> = OrdMap::new();
    for (user, state) in &realm.user_states {
        for message in &state.historical {
            expected.entry(*message).or_default().insert(*user);
        }
    }
    let actual: OrdMap<_, _> = realm
        .late_holders
        .iter()
        .filter(|(_, users)| !users.is_empty())
        .map(|(id, users)| (*id, users.clone()))
        .collect();
    let mut violations = mismatch("late user messages are", &actual, &expected);
    violations.extend(violations_of(&expected, |(id, _)| {
        (!realm.messages.contains_key(id)).then(|| format!("late user messages of message {id}, which does not exist"))
    }));
    violations
}

fn check_unread_where_subscribed(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let is_misplaced = |message: &&std::sync::Arc<Message>| {
            let Some((channel, _)) = message.channel_and_topic() else { return false };
            let subscription = state.subscription(channel);
            realm.is_unread(*user, message) && subscription.is_none_or(|subscription| subscription.since >= message.id)
        };
        let mut unread_messages =
            gaps(&state.read).flat_map(|gap| realm.messages.range(gap)).map(|(_, message)| message);
        let message = unread_messages.find(is_misplaced)?;
        Some(format!(
            "message {} is unread for user {user}, who is not subscribed to its channel or subscribed only later",
            message.id
        ))
    })
}

/// The ranges before, between and after the runs of a set.
fn gaps(read: &ReadSet) -> impl Iterator<Item = RangeInclusive<MessageId>> {
    let end = (MessageId(i64::MAX), MessageId(i64::MAX));
    let gaps = read.runs().chain([end]).scan(0, |next_id, (first, last)| {
        let gap = MessageId(*next_id)..=MessageId(first.0.saturating_sub(1));
        *next_id = last.0.saturating_add(1);
        Some(gap)
    });
    gaps.filter(|gap| !gap.is_empty())
}

fn check_read_runs_are_apart(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let runs: Vec<_> = state.read.runs().collect();
        let is_valid = runs.iter().all(|(first, last)| first <= last)
            && runs.windows(2).all(|pair| pair[0].1.0.saturating_add(1) < pair[1].0.0);
        (!is_valid).then(|| format!("user {user} has read {runs:?}"))
    })
}

fn check_marked_messages_have_user_messages(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let marked_ids = state.starred.iter().chain(&state.collapsed).chain(&state.hidden_previews);
        let mut existing_messages = marked_ids.filter_map(|id| realm.messages.get(id));
        let message = existing_messages.find(|message| !realm.has_user_message(*user, message))?;
        Some(format!("user {user} marked message {} without a user message for it", message.id))
    })
}
