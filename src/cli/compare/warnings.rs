//! Warnings before anything is compared: about names on the wire that differ, about names of the same account, and
//! about accounts that have other roles than their names say, or another full name on each server.

use super::accounts::account_name;
use crate::scenario::server_comparison::ComparedServer;
use serde_json::Value;
use std::collections::BTreeMap;

/// The first feature level at which `GET /users/me` has `role` (the row of `role` in `level/fields.rs`, from the change
/// log). Before it, there are flags only.
const FIRST_LEVEL_WITH_ROLES: i64 = 59;

/// A warning if the servers have names of different dialects, so that every reply with such a name differs.
pub fn dialect_warning(servers: [&ComparedServer; 2]) -> Option<String> {
    let level_keys = servers.map(|server| {
        let keys = server.settings.as_object().into_iter().flat_map(|settings| settings.keys());
        keys.map(String::as_str).find(|key| key.ends_with("_feature_level"))
    });
    let [Some(first), Some(second)] = level_keys else { return None };
    (first != second).then(|| {
        format!(
            "warning: {} has `{first}` where {} has `{second}`: replies differ in all such names; start a double with \
             --dialect zulip, or give its world the dialect of the other",
            servers[0].url, servers[1].url
        )
    })
}

/// Warnings about the accounts of two servers: two names for one account, full names and roles that differ between the
/// servers, and roles other than the name says.
pub fn account_warnings([first, second]: [&ComparedServer; 2]) -> Vec<String> {
    let mut warnings = Vec::new();
    for server in [first, second] {
        let mut names_by_id: BTreeMap<i64, Vec<&str>> = BTreeMap::new();
        for (handle, user) in &server.scope.directory.users {
            names_by_id.entry(user.user_id).or_default().push(account_name(handle));
        }
        for names in names_by_id.values().filter(|names| names.len() > 1) {
            warnings.push(format!("warning: {} are the same account on {}", names.join(" and "), server.url));
        }
    }
    warnings.extend(full_name_warning(first, second));
    for (handle, own_user) in &first.own_users {
        let role = role_of(own_user, first.feature_level);
        let second_role = second.own_users.get(handle).map_or(role, |user| role_of(user, second.feature_level));
        let name = account_name(handle);
        if role != second_role {
            warnings.push(format!(
                "warning: the account {name} is {role} on {}, but {second_role} on {}: replies differ for that",
                first.url, second.url
            ));
        } else if let Some(expected) = expected_role(name).filter(|expected| *expected != role) {
            warnings.push(format!(
                "warning: the account {name} is {role}, not {expected}: where its requests are refused on both \
                 servers, that they agree says little"
            ));
        }
    }
    warnings
}

/// A warning about accounts that have another full name on each server. None if there are none.
fn full_name_warning(first: &ComparedServer, second: &ComparedServer) -> Option<String> {
    let renamed_accounts = first.scope.directory.users.iter().filter_map(|(handle, user)| {
        let second_user = second.scope.directory.user(handle).filter(|second_user| user.is_renamed(second_user))?;
        Some(format!("{} ({:?}, {:?})", account_name(handle), user.full_name, second_user.full_name))
    });
    let renamed_accounts: Vec<String> = renamed_accounts.collect();
    (!renamed_accounts.is_empty()).then(|| {
        format!(
            "warning: full names differ between {} and {}: {}: replies differ for that, and so may replies to requests \
             that mention these accounts",
            first.url,
            second.url,
            renamed_accounts.join(", ")
        )
    })
}

/// The role that the name of an account says, with its article.
fn expected_role(name: &str) -> Option<&'static str> {
    Some(match name {
        "owner" => "an owner",
        "admin" => "an administrator",
        "moderator" => "a moderator",
        "member" | "other_member" => "a member",
        "guest" => "a guest",
        _ => return None,
    })
}

/// The role of a user as `GET /users/me` describes it at a feature level, with its article.
fn role_of(own_user: &Value, feature_level: i64) -> &'static str {
    let has_flag = |name: &str| own_user[name] == true;
    match own_user["role"].as_i64() {
        Some(100) => "an owner",
        Some(200) => "an administrator",
        Some(300) => "a moderator",
        Some(600) => "a guest",
        None if has_flag("is_owner") => "an owner",
        None if has_flag("is_admin") => "an administrator",
        None if has_flag("is_guest") => "a guest",
        None if feature_level >= FIRST_LEVEL_WITH_ROLES => "without a role",
        _ => "a member",
    }
}
