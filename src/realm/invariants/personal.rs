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
        check: topic_policies_say_something,
    },
    Invariant {
        name: "muted-users-are-others",
        meaning: "Muted users exist, and nobody mutes themselves.",
        check: muted_users_are_others,
    },
    Invariant {
        name: "muted-by",
        meaning: "The index of muted users has what each user muted, and nothing else.",
        check: muted_by,
    },
    Invariant {
        name: "navigation-views-are-unique",
        meaning: "No view is in a user's left sidebar twice.",
        check: navigation_views_are_unique,
    },
    Invariant {
        name: "emoji-names-are-unique",
        meaning: "No two custom emoji that can be used have the same name.",
        check: emoji_names_are_unique,
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

fn topic_policies_say_something(realm: &Realm) -> Vec<String> {
    violations_of(realm.personal.iter(), |(user, state)| {
        let ((channel, _), topic) = state.topics.iter().find(|((channel, key), topic)| {
            !realm.channels.contains_key(channel)
                || *key != TopicKey::new(&topic.name)
                || topic.policy == VisibilityPolicy::None
        })?;
        Some(format!("user {user} says {:?} of topic {} in channel {channel}", topic.policy, topic.name))
    })
}

fn muted_users_are_others(realm: &Realm) -> Vec<String> {
    violations_of(realm.personal.iter(), |(user, state)| {
        let muted_user = state
            .muted_users
            .keys()
            .find(|muted_user| *muted_user == user || !realm.users.contains_key(*muted_user))?;
        Some(format!("user {user} mutes user {muted_user}"))
    })
}

fn muted_by(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<UserId, OrdSet<UserId>> = OrdMap::new();
    for (user, state) in &realm.personal {
        for muted_user in state.muted_users.keys() {
            expected.entry(*muted_user).or_default().insert(*user);
        }
    }
    mismatch("the index of muted users has", &realm.muted_by, &expected)
}

fn navigation_views_are_unique(realm: &Realm) -> Vec<String> {
    violations_of(realm.personal.iter(), |(user, state)| {
        let mut fragments = BTreeSet::new();
        let duplicate = state.navigation_views.iter().find(|view| !fragments.insert(&view.fragment))?;
        Some(format!("user {user} has the view {} twice", duplicate.fragment))
    })
}

fn emoji_names_are_unique(realm: &Realm) -> Vec<String> {
    let mut names = BTreeSet::new();
    violations_of(realm.custom_emoji.values().filter(|emoji| !emoji.is_deactivated), |emoji| {
        (!names.insert(&emoji.name)).then(|| format!("two custom emoji are called {}", emoji.name))
    })
}

/// A kind of object: its name, the key and the ID of each object, and the counter of its IDs.
type IdKind = (&'static str, Vec<(i64, i64)>, i64);

fn id_kinds(realm: &Realm) -> Vec<IdKind> {
    let counters = &realm.counters;
    let collect = |pairs: &mut dyn Iterator<Item = (i64, i64)>| pairs.collect::<Vec<_>>();
    let states = || realm.personal.values();
    let owned_kinds = OWNED.iter().map(|kind| {
        (kind.name, states().flat_map(|state| (kind.keys_and_ids)(state)).collect(), (kind.last)(&counters.items))
    });
    let other_kinds = vec![
        ("user", collect(&mut realm.users.iter().map(|(key, user)| (key.0, user.id.0))), counters.user),
        ("group", collect(&mut realm.groups.iter().map(|(key, group)| (key.0, group.id.0))), counters.group),
        ("channel", collect(&mut realm.channels.iter().map(|(key, channel)| (key.0, channel.id.0))), counters.channel),
        ("folder", collect(&mut realm.folders.iter().map(|(key, folder)| (key.0, folder.id.0))), counters.folder),
        ("message", collect(&mut realm.messages.iter().map(|(key, message)| (key.0, message.id.0))), counters.message),
        (
            "audience",
            collect(&mut realm.conversations.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.recipient,
        ),
        (
            "audience",
            collect(&mut realm.channels.values().map(|channel| (channel.recipient.0, channel.recipient.0))),
            counters.recipient,
        ),
        ("emoji", collect(&mut realm.custom_emoji.iter().map(|(key, emoji)| (key.0, emoji.id.0))), counters.emoji),
        (
            "linkifier",
            collect(&mut realm.linkifiers.iter().map(|object| (object.id.0, object.id.0))),
            counters.linkifier,
        ),
        (
            "field",
            collect(&mut realm.profile_fields.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.profile_field,
        ),
        (
            "reminder",
            collect(&mut realm.reminders.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.scheduled,
        ),
        (
            "scheduled message",
            collect(&mut realm.scheduled_messages.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.scheduled,
        ),
        (
            "link",
            collect(&mut realm.invite_links.iter().map(|(key, object)| (key.0, object.id.0))),
            counters.invite_link,
        ),
        ("invitation", collect(&mut realm.invites.iter().map(|(key, object)| (key.0, object.id.0))), counters.invite),
        (
            "upload",
            collect(&mut realm.attachments.values().map(|object| (object.id.0, object.id.0))),
            counters.attachment,
        ),
        (
            "device",
            collect(&mut states().flat_map(|state| state.devices.keys().map(|key| (key.0, key.0)))),
            counters.device,
        ),
        (
            "change of presence",
            collect(
                &mut states().filter_map(|state| state.presence).map(|object| (object.update_id, object.update_id)),
            ),
            counters.presence,
        ),
    ];
    other_kinds.into_iter().chain(owned_kinds).collect()
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

/// The largest integer that JSON readers with floating-point numbers read exactly.
const MAX_COUNT: i64 = 1 << 53;

fn numbers_can_go_on(realm: &Realm) -> Vec<String> {
    let is_out_of_range = |number: i64| !(0..=MAX_COUNT).contains(&number);
    let mut violations = violations_of(realm.users.values(), |user| {
        let version = user.avatar.version;
        is_out_of_range(version).then(|| format!("the picture of user {} is version {version}", user.id))
    });
    violations.extend(violations_of(&realm.organization.pictures, |(kind, picture)| {
        is_out_of_range(picture.version).then(|| format!("the {} is version {}", kind.name(), picture.version))
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
