//! Invariants of the state of users, of custom emoji, and of IDs and counters.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::personal::{OWNED, VisibilityPolicy};
use crate::realm::topic::TopicKey;
use imbl::{OrdMap, OrdSet};
use std::collections::BTreeSet;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "alert-words",
        meaning: "The index of alert words has every user's words in lower case, and nothing else.",
        check: alert_words,
    },
    Invariant {
        name: "reached-by-push",
        meaning: "The index of users that push notifications reach has all users with an active device or a token.",
        check: reached_by_push,
    },
    Invariant {
        name: "topic-policies-say-something",
        meaning: "Policies for topics are of channels that exist, under the topic's name, and not the default.",
        check: topic_policies,
    },
    Invariant {
        name: "muted-users-are-others",
        meaning: "Muted users exist, and nobody mutes themselves.",
        check: muted_users,
    },
    Invariant {
        name: "muted-by",
        meaning: "The index of muted users has what each user muted, and nothing else.",
        check: muted_by,
    },
    Invariant {
        name: "navigation-views-are-unique",
        meaning: "No view is in a user's left sidebar twice.",
        check: navigation_views,
    },
    Invariant {
        name: "emoji-names-are-unique",
        meaning: "No two custom emoji that can be used have the same name.",
        check: emoji_names,
    },
    Invariant {
        name: "keys-are-ids",
        meaning: "An object that is stored under an ID has that ID.",
        check: keys_are_ids,
    },
    Invariant {
        name: "counters-are-ahead",
        meaning: "IDs start at 1, and none is above the last one assigned to its kind.",
        check: counters_are_ahead,
    },
    Invariant {
        name: "numbers-can-go-on",
        meaning: "Counters are from 0 to 2^53, the limit of JSON readers, and have room for more.",
        check: numbers_can_go_on,
    },
];

fn alert_words(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<String, OrdSet<UserId>> = OrdMap::new();
    for (user, state) in &realm.personal {
        for word in &state.alert_words {
            expected.entry(word.to_lowercase()).or_default().insert(*user);
        }
    }
    mismatch("the index of alert words has", &realm.alert_words, &expected)
}

fn reached_by_push(realm: &Realm) -> Vec<String> {
    let is_reached = |user: &&UserId| !realm.push_targets(**user).is_empty();
    let expected: OrdSet<UserId> = realm.personal.keys().filter(is_reached).copied().collect();
    mismatch("the index of users that push notifications reach has", &realm.reached_by_push, &expected)
}

fn topic_policies(realm: &Realm) -> Vec<String> {
    violations_of(realm.personal.iter(), |(user, state)| {
        let ((channel, _), topic) = state.topics.iter().find(|((channel, key), topic)| {
            !realm.channels.contains_key(channel)
                || *key != TopicKey::new(&topic.name)
                || topic.policy == VisibilityPolicy::None
        })?;
        Some(format!("user {user} says {:?} of topic {} in channel {channel}", topic.policy, topic.name))
    })
}

fn muted_users(realm: &Realm) -> Vec<String> {
    violations_of(realm.personal.iter(), |(user, state)| {
        let muted = state.muted_users.keys().find(|muted| *muted == user || !realm.users.contains_key(*muted))?;
        Some(format!("user {user} mutes user {muted}"))
    })
}

fn muted_by(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<UserId, OrdSet<UserId>> = OrdMap::new();
    for (user, state) in &realm.personal {
        for muted in state.muted_users.keys() {
            expected.entry(*muted).or_default().insert(*user);
        }
    }
    mismatch("the index of muted users has", &realm.muted_by, &expected)
}

fn navigation_views(realm: &Realm) -> Vec<String> {
    violations_of(realm.personal.iter(), |(user, state)| {
        let mut seen = BTreeSet::new();
        let duplicate = state.navigation_views.iter().find(|view| !seen.insert(&view.fragment))?;
        Some(format!("user {user} has the view {} twice", duplicate.fragment))
    })
}

fn emoji_names(realm: &Realm) -> Vec<String> {
    let mut names = BTreeSet::new();
    violations_of(realm.custom_emoji.values().filter(|emoji| !emoji.is_deactivated), |emoji| {
        (!names.insert(&emoji.name)).then(|| format!("two custom emoji are called {}", emoji.name))
    })
}

/// A kind of object: its name, the key and the ID of each object, and the counter of its IDs.
type IdKind = (&'static str, Vec<(i64, i64)>, i64);

fn id_kinds(realm: &Realm) -> Vec<IdKind> {
    let counters = &realm.counters;
    let pairs = |pairs: &mut dyn Iterator<Item = (i64, i64)>| pairs.collect::<Vec<_>>();
    let states = || realm.personal.values();
    let owned = OWNED.iter().map(|kind| {
        (kind.name, states().flat_map(|state| (kind.numbers)(state)).collect(), (kind.last)(&counters.items))
    });
    let others = vec![
        ("user", pairs(&mut realm.users.iter().map(|(key, user)| (key.0, user.id.0))), counters.user),
        ("group", pairs(&mut realm.groups.iter().map(|(key, group)| (key.0, group.id.0))), counters.group),
        ("channel", pairs(&mut realm.channels.iter().map(|(key, channel)| (key.0, channel.id.0))), counters.channel),
        ("folder", pairs(&mut realm.folders.iter().map(|(key, folder)| (key.0, folder.id.0))), counters.folder),
        ("message", pairs(&mut realm.messages.iter().map(|(key, message)| (key.0, message.id.0))), counters.message),
        ("audience", pairs(&mut realm.conversations.iter().map(|(key, one)| (key.0, one.id.0))), counters.recipient),
        (
            "audience",
            pairs(&mut realm.channels.values().map(|channel| (channel.recipient.0, channel.recipient.0))),
            counters.recipient,
        ),
        ("emoji", pairs(&mut realm.custom_emoji.iter().map(|(key, emoji)| (key.0, emoji.id.0))), counters.emoji),
        ("linkifier", pairs(&mut realm.linkifiers.iter().map(|one| (one.id.0, one.id.0))), counters.linkifier),
        ("field", pairs(&mut realm.profile_fields.iter().map(|(key, one)| (key.0, one.id.0))), counters.profile_field),
        ("reminder", pairs(&mut realm.reminders.iter().map(|(key, one)| (key.0, one.id.0))), counters.scheduled),
        (
            "scheduled message",
            pairs(&mut realm.scheduled_messages.iter().map(|(key, one)| (key.0, one.id.0))),
            counters.scheduled,
        ),
        ("link", pairs(&mut realm.invite_links.iter().map(|(key, one)| (key.0, one.id.0))), counters.invite_link),
        ("invitation", pairs(&mut realm.invites.iter().map(|(key, one)| (key.0, one.id.0))), counters.invite),
        ("upload", pairs(&mut realm.attachments.values().map(|one| (one.id.0, one.id.0))), counters.attachment),
        (
            "device",
            pairs(&mut states().flat_map(|state| state.devices.keys().map(|key| (key.0, key.0)))),
            counters.device,
        ),
        (
            "change of presence",
            pairs(&mut states().filter_map(|state| state.presence).map(|one| (one.update_id, one.update_id))),
            counters.presence,
        ),
    ];
    others.into_iter().chain(owned).collect()
}

fn keys_are_ids(realm: &Realm) -> Vec<String> {
    violations_of(id_kinds(realm), |(kind, pairs, _)| {
        let (key, id) = pairs.into_iter().find(|(key, id)| key != id)?;
        Some(format!("{kind} {id} is kept under {key}"))
    })
}

fn counters_are_ahead(realm: &Realm) -> Vec<String> {
    violations_of(id_kinds(realm), |(kind, pairs, counter)| {
        let (_, id) = pairs.into_iter().find(|(_, id)| !(1..=counter).contains(id))?;
        Some(format!("{kind} {id} exists, but only 1 to {counter} were given"))
    })
}

const MAX_COUNT: i64 = 1 << 53;

fn numbers_can_go_on(realm: &Realm) -> Vec<String> {
    let is_out_of_range = |number: i64| !(0..=MAX_COUNT).contains(&number);
    let mut violations = violations_of(realm.users.values(), |user| {
        let version = user.avatar.version;
        is_out_of_range(version).then(|| format!("the picture of user {} is version {version}", user.id))
    });
    violations.extend(violations_of(&realm.organization.pictures, |(which, picture)| {
        is_out_of_range(picture.version).then(|| format!("the {} is version {}", which.name(), picture.version))
    }));
    violations.extend(violations_of(realm.profile_fields.values(), |field| {
        is_out_of_range(field.order).then(|| format!("field {} is in place {}", field.id, field.order))
    }));
    let counters = serde_json::to_value(realm.counters).unwrap_or_default();
    violations.extend(violations_of(counters.as_object().into_iter().flatten(), |(name, number)| {
        number.as_i64().is_none_or(is_out_of_range).then(|| format!("the counter {name} has come to {number}"))
    }));
    let position = realm.rng.position;
    let is_position_out_of_range = i64::try_from(position).ok().is_none_or(is_out_of_range);
    violations.extend(is_position_out_of_range.then(|| format!("chance has come to {position}")));
    violations
}
