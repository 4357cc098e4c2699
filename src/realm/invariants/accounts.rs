//! Invariants of accounts, those of bots included, and of ways to log in.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::organization::AuthenticationMethod;
use crate::realm::user::Role;
use imbl::{OrdMap, OrdSet};
use serde_json::Value;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "users-by-email",
        meaning: "The index of addresses has every account under its address in lower case, and nothing else: addresses are unique.",
        check: check_users_by_email,
    },
    Invariant {
        name: "users-by-key",
        meaning: "The index of API keys has every account under its key, and nothing else: keys are unique.",
        check: check_users_by_key,
    },
    Invariant {
        name: "active-users",
        meaning: "The set of active accounts has all active accounts except system bots.",
        check: check_active_users,
    },
    Invariant {
        name: "an-active-owner",
        meaning: "An organization with human users has an active owner.",
        check: check_an_active_owner,
    },
    Invariant {
        name: "a-way-to-log-in",
        meaning: "At least one login method is enabled.",
        check: check_a_way_to_log_in,
    },
    Invariant {
        name: "everybody-has-own-state",
        meaning: "Every account has its own state, and every such state belongs to an account.",
        check: check_everybody_has_own_state,
    },
    Invariant {
        name: "bots-have-owners-that-exist",
        meaning: "The owner of a bot is a human user.",
        check: check_bots_have_owners_that_exist,
    },
    Invariant {
        name: "bots-default-to-channels-that-exist",
        meaning: "A bot's default channels exist.",
        check: check_bots_default_to_channels_that_exist,
    },
    Invariant {
        name: "services-are-objects",
        meaning: "A bot's services and their configurations are objects.",
        check: check_services_are_objects,
    },
    Invariant {
        name: "profiles-fill-fields",
        meaning: "Values of custom profile fields belong to fields that exist.",
        check: check_profiles_fill_fields,
    },
];

fn check_users_by_email(realm: &Realm) -> Vec<String> {
    let expected: OrdMap<String, UserId> =
        realm.users.values().map(|user| (user.email.to_lowercase(), user.id)).collect();
    let mut violations = mismatch("the index of addresses has", &realm.users_by_email, &expected);
    if expected.len() != realm.users.len() {
        violations.push("two accounts have the same address".to_owned());
    }
    violations
}

fn check_users_by_key(realm: &Realm) -> Vec<String> {
    let expected: OrdMap<String, UserId> = realm.users.values().map(|user| (user.api_key.clone(), user.id)).collect();
    let mut violations = mismatch("the index of keys has", &realm.users_by_key, &expected);
    if expected.len() != realm.users.len() {
        violations.push("two accounts have the same key".to_owned());
    }
    violations
}

fn check_active_users(realm: &Realm) -> Vec<String> {
    let active_accounts = realm.users.values().filter(|user| user.is_active && !user.is_system_bot());
    let expected: OrdSet<UserId> = active_accounts.map(|user| user.id).collect();
    mismatch("the set of active accounts has", &realm.active_users, &expected)
}

fn check_an_active_owner(realm: &Realm) -> Vec<String> {
    let mut people = realm.users.values().filter(|user| !user.is_bot()).peekable();
    if people.peek().is_none() || people.any(|user| user.is_active && user.role == Role::Owner) {
        return Vec::new();
    }
    vec!["no active user is an owner".to_owned()]
}

fn check_a_way_to_log_in(realm: &Realm) -> Vec<String> {
    if AuthenticationMethod::ALL.into_iter().any(|method| realm.organization.allows_login_by(method)) {
        return Vec::new();
    }
    vec!["every way to log in is off".to_owned()]
}

fn check_everybody_has_own_state(realm: &Realm) -> Vec<String> {
    let (accounts, states): (OrdSet<UserId>, OrdSet<UserId>) =
        (realm.users.keys().copied().collect(), realm.user_states.keys().copied().collect());
    mismatch("own states have", &states, &accounts)
}

fn check_bots_have_owners_that_exist(realm: &Realm) -> Vec<String> {
    violations_of(realm.users.values(), |bot| {
        let owner = bot.bot_owner()?;
        let is_person = realm.users.get(&owner).is_some_and(|owner| !owner.is_bot());
        (!is_person).then(|| format!("bot {} is owned by {owner}, who is not a human user", bot.id))
    })
}

fn check_bots_default_to_channels_that_exist(realm: &Realm) -> Vec<String> {
    violations_of(realm.users.values(), |bot| {
        let missing_channel = bot.bot_defaults().channels().find(|channel| !realm.channels.contains_key(channel))?;
        Some(format!("bot {} has channel {missing_channel} by default, which does not exist", bot.id))
    })
}

fn check_services_are_objects(realm: &Realm) -> Vec<String> {
    let is_valid = |service: &Value| {
        let is_valid_config = |config: &Value| config.is_null() || config.is_object();
        service.is_object() && service.get("config_data").is_none_or(is_valid_config)
    };
    violations_of(realm.users.values(), |user| {
        let service = user.bot.as_ref()?.services.iter().find(|service| !is_valid(service))?;
        Some(format!("bot {} has the service {service}", user.id))
    })
}

fn check_profiles_fill_fields(realm: &Realm) -> Vec<String> {
    violations_of(realm.users.values(), |user| {
        let field = user.profile.keys().find(|field| !realm.profile_fields.contains_key(*field))?;
        Some(format!("user {} has a value in field {field}, which does not exist", user.id))
    })
}
