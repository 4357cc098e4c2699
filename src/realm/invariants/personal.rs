//! Invariants of the state that each user has: alert words, users reached by push, topic policies, muted users,
//! views.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::personal::VisibilityPolicy;
use crate::realm::topic::TopicKey;
use imbl::{OrdMap, OrdSet};
use std::collections::BTreeSet;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "alert-words",
        meaning: "The index of alert words has every user's words in lower case, and nothing else.",
        check: check_alert_words,
    },
    Invariant {
        name: "reached-by-push",
        meaning: "The index of users that push notifications reach has all users with an active device or a token.",
        check: check_users_with_push,
    },
    Invariant {
        name: "topic-policies-are-valid",
        meaning: "A policy is for a topic of a channel that exists, is stored under the topic's name, and is not the default.",
        check: check_topic_policies_are_valid,
    },
    Invariant {
        name: "muted-users-are-others",
        meaning: "Muted users exist, and nobody mutes themselves.",
        check: check_muted_users_are_others,
    },
    Invariant {
        name: "muted-by",
        meaning: "The index of muted users has what each user muted, and nothing else.",
        check: check_users_by_muted_user,
    },
    Invariant {
        name: "navigation-views-are-unique",
        meaning: "No view is in a user's left sidebar twice.",
        check: check_navigation_views_are_unique,
    },
];

fn check_alert_words(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<String, OrdSet<UserId>> = OrdMap::new();
    for (user, state) in &realm.user_states {
        for word in &state.alert_words {
            expected.entry(word.to_lowercase()).or_default().insert(*user);
        }
    }
    mismatch("the index of alert words has", &realm.users_by_alert_word, &expected)
}

fn check_users_with_push(realm: &Realm) -> Vec<String> {
    let is_reached = |user: &&UserId| !realm.push_targets(**user).is_empty();
    let expected: OrdSet<UserId> = realm.user_states.keys().filter(is_reached).copied().collect();
    mismatch("the index of users that push notifications reach has", &realm.users_with_push, &expected)
}

fn check_topic_policies_are_valid(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let ((channel, _), topic) = state.topics.iter().find(|((channel, key), topic)| {
            !realm.channels.contains_key(channel)
                || *key != TopicKey::new(&topic.name)
                || topic.policy == VisibilityPolicy::None
        })?;
        Some(format!("user {user} has the policy {:?} for topic {} in channel {channel}", topic.policy, topic.name))
    })
}

fn check_muted_users_are_others(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let muted_user = state
            .muted_users
            .keys()
            .find(|muted_user| *muted_user == user || !realm.users.contains_key(*muted_user))?;
        Some(format!("user {user} mutes user {muted_user}"))
    })
}

fn check_users_by_muted_user(realm: &Realm) -> Vec<String> {
    let mut expected: OrdMap<UserId, OrdSet<UserId>> = OrdMap::new();
    for (user, state) in &realm.user_states {
        for muted_user in state.muted_users.keys() {
            expected.entry(*muted_user).or_default().insert(*user);
        }
    }
    mismatch("the index of muted users has", &realm.users_by_muted_user, &expected)
}

fn check_navigation_views_are_unique(realm: &Realm) -> Vec<String> {
    violations_of(realm.user_states.iter(), |(user, state)| {
        let mut fragments = BTreeSet::new();
        let duplicate = state.navigation_views.iter().find(|view| !fragments.insert(&view.fragment))?;
        Some(format!("user {user} has the view {} twice", duplicate.fragment))
    })
}
