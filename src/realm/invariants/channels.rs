//! Invariants of channels, topics and subscriptions.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::id::{ChannelId, RecipientId, UserId};
use crate::realm::message_ids::MessageIds;
use crate::realm::topic::TopicKey;
use imbl::{OrdMap, OrdSet};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "channels-by-name",
        meaning: "The index of names has every channel under its name in lower case, and nothing else: names are unique.",
        check: check_channels_by_name,
    },
    Invariant {
        name: "subscribers-are-subscribed",
        meaning: "A channel's subscribers are the active accounts with an active subscription to it.",
        check: check_subscribers_are_subscribed,
    },
    Invariant {
        name: "subscriptions-have-channels",
        meaning: "Subscriptions, including past ones, are to channels that exist, and start at a message that was sent.",
        check: check_subscriptions_have_channels,
    },
    Invariant {
        name: "channels-have-their-messages",
        meaning: "A channel has all messages that are in it, and no others.",
        check: check_channels_have_their_messages,
    },
    Invariant {
        name: "topics-have-their-messages",
        meaning: "A topic has all messages that are in it, and no others; a topic without messages does not exist.",
        check: check_topics_have_their_messages,
    },
    Invariant { name: "folders-exist", meaning: "The folder of a channel exists.", check: check_folders_exist },
    Invariant {
        name: "folder-names-are-unique",
        meaning: "No two folders that are not archived have the same name, regardless of case.",
        check: check_folder_names_are_unique,
    },
    Invariant {
        name: "default-channels-are-open",
        meaning: "Default channels are neither private nor archived.",
        check: check_default_channels_are_open,
    },
    Invariant {
        name: "notices-have-channels",
        meaning: "The channels to which the organization's notices go exist.",
        check: check_notices_have_channels,
    },
    Invariant {
        name: "recipient-ids-are-unique",
        meaning: "No two channels or conversations have the same recipient ID.",
        check: check_recipient_ids_are_unique,
    },
];

fn check_channels_by_name(realm: &Realm) -> Vec<String> {
    let expected: OrdMap<String, ChannelId> =
        realm.channels.values().map(|channel| (channel.name.to_lowercase(), channel.id)).collect();
    let mut violations = mismatch("the index of channels has", &realm.channels_by_name, &expected);
    if expected.len() != realm.channels.len() {
        violations.push("two channels have the same name".to_owned());
    }
    violations
}

fn check_subscribers_are_subscribed(realm: &Realm) -> Vec<String> {
    let mut expected: BTreeMap<ChannelId, OrdSet<UserId>> = BTreeMap::new();
    for (user, state) in realm.user_states.iter().filter(|(user, _)| realm.is_active(**user)) {
        for channel in state.subscriptions.keys().filter(|channel| state.subscription(**channel).is_some()) {
            expected.entry(*channel).or_default().insert(*user);
        }
    }
    violations_of(realm.channels.values(), |channel| {
        let expected = expected.remove(&channel.id).unwrap_or_default();
        (channel.subscribers != expected)
            .then(|| format!("channel {} has {:?}, should have {expected:?}", channel.id, channel.subscribers))
    })
}

fn check_subscriptions_have_channels(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let is_valid = |(channel, subscription): (&ChannelId, &std::sync::Arc<crate::realm::channel::Subscription>)| {
            realm.channels.contains_key(channel) && subscription.since.0 <= realm.counters.message
        };
        let (channel, _) = state.subscriptions.iter().find(|entry| !is_valid(*entry))?;
        Some(format!("user {user} has an invalid subscription to channel {channel}"))
    })
}

fn check_channels_have_their_messages(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<ChannelId, MessageIds> = OrdMap::new();
    for message in realm.messages.values() {
        if let Some((channel, _)) = message.channel_and_topic() {
            expected.entry(channel).or_default().insert(message.id);
        }
    }
    let mut violations = violations_of(realm.channels.keys(), |channel| {
        let expected = expected.remove(channel).unwrap_or_default();
        let actual = realm.channel_messages.get(channel).map(AsRef::as_ref);
        (actual != Some(&expected)).then(|| format!("channel {channel} has {actual:?}, should have {expected:?}"))
    });
    violations.extend(violations_of(expected.keys(), |channel| {
        Some(format!("messages are in channel {channel}, which does not exist"))
    }));
    violations
}

fn check_topics_have_their_messages(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<(ChannelId, TopicKey), MessageIds> = OrdMap::new();
    for message in realm.messages.values() {
        if let Some((channel, topic)) = message.channel_and_topic() {
            expected.entry((channel, TopicKey::new(topic))).or_default().insert(message.id);
        }
    }
    let actual: OrdMap<_, _> = realm.topics.iter().map(|(key, topic)| (key.clone(), topic.messages.clone())).collect();
    mismatch("the index of topics has", &actual, &expected)
}

fn check_folders_exist(realm: &Realm) -> Vec<String> {
    violations_of(realm.channels.values(), |channel| {
        let folder = channel.folder.filter(|folder| !realm.folders.contains_key(folder))?;
        Some(format!("channel {} is in folder {folder}, which does not exist", channel.id))
    })
}

fn check_folder_names_are_unique(realm: &Realm) -> Vec<String> {
    let mut names = BTreeSet::new();
    violations_of(realm.folders.values().filter(|folder| !folder.is_archived), |folder| {
        (!names.insert(folder.name.to_lowercase())).then(|| format!("two folders are called {}", folder.name))
    })
}

fn check_default_channels_are_open(realm: &Realm) -> Vec<String> {
    violations_of(realm.channels.values().filter(|channel| channel.is_default), |channel| {
        (channel.is_archived || channel.privacy.is_private())
            .then(|| format!("new users get channel {}, which is private or archived", channel.id))
    })
}

fn check_notices_have_channels(realm: &Realm) -> Vec<String> {
    let organization = &realm.organization;
    let channels = [
        organization.new_channel_announcements,
        organization.signup_announcements,
        organization.service_update_announcements,
        organization.moderation_requests,
    ];
    violations_of(channels.into_iter().flatten(), |channel| {
        (!realm.channels.contains_key(&channel))
            .then(|| format!("notices go to channel {channel}, which does not exist"))
    })
}

fn check_recipient_ids_are_unique(realm: &Realm) -> Vec<String> {
    let mut known_ids: BTreeSet<RecipientId> = BTreeSet::new();
    let channels = realm.channels.values().map(|channel| channel.recipient);
    let all_ids = channels.chain(realm.conversations.keys().copied());
    violations_of(all_ids, |recipient| {
        (!known_ids.insert(recipient))
            .then(|| format!("two channels or conversations have the recipient ID {recipient}"))
    })
}
