//! What the user may do, which follows from the organization's permissions and the groups that the user is in.

use super::State;
use super::rows::{Object, numbers};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Keys that say whether the user may do something, and the permissions of which one suffices.
const RIGHTS: [(&str, &[&str]); 6] = [
    ("can_create_public_streams", &["can_create_public_channel_group"]),
    ("can_create_private_streams", &["can_create_private_channel_group"]),
    ("can_create_web_public_streams", &[PUBLISHING]),
    ("can_create_streams", &["can_create_private_channel_group", "can_create_public_channel_group", PUBLISHING]),
    ("can_subscribe_other_users", &["can_add_subscribers_group"]),
    ("can_invite_others_to_realm", &["can_invite_users_group"]),
];

/// Counts only where the organization is open to the web.
const PUBLISHING: &str = "can_create_web_public_channel_group";

/// A number that says who holds a permission, by the name of the group.
type Numbers = &'static [(&'static str, i64)];

const CREATING: Numbers =
    &[("role:members", 1), ("role:administrators", 2), ("role:fullmembers", 3), ("role:moderators", 4)];
const OPENING: Numbers = &[("role:moderators", 4), ("role:administrators", 2), ("role:nobody", 6), ("role:owners", 7)];
const MENTIONING: Numbers = &[
    ("role:everyone", 1),
    ("role:members", 2),
    ("role:fullmembers", 3),
    ("role:administrators", 5),
    ("role:nobody", 6),
    ("role:moderators", 7),
];

/// Deprecated numbers that follow from who holds a permission. Any other holder counts as the first group, the largest.
const POLICIES: [(&str, &str, Numbers); 4] = [
    ("realm_create_public_stream_policy", "realm_can_create_public_channel_group", CREATING),
    ("realm_create_private_stream_policy", "realm_can_create_private_channel_group", CREATING),
    ("realm_create_web_public_stream_policy", "realm_can_create_web_public_channel_group", OPENING),
    ("realm_wildcard_mention_policy", "realm_can_mention_many_users_group", MENTIONING),
];

impl State {
    /// Works out again what the user may do; to be called after all that changes permissions, groups or roles.
    pub(super) fn refresh_rights(&mut self) {
        for (key, permissions) in RIGHTS {
            let held: Option<Vec<bool>> = permissions.iter().map(|name| self.may(name)).collect();
            if let Some(held) = held {
                self.replace(key, &held.contains(&true).into());
            }
        }
        for (key, permission, numbers) in POLICIES {
            if let Some(policy) = self.policy(permission, numbers) {
                self.replace(key, &policy.into());
            }
        }
    }

    /// Whether some of what the user may do can't be worked out.
    pub(super) fn tells_no_permissions(&self) -> bool {
        RIGHTS.iter().any(|(key, permissions)| {
            self.value.contains_key(*key) && permissions.iter().any(|name| self.may(name).is_none())
        })
    }

    /// Takes what the user may do out of a state.
    pub(super) fn without_rights(state: &mut Object) {
        RIGHTS.iter().for_each(|(key, _)| _ = state.shift_remove(*key));
    }

    /// Whether the user holds one of the organization's permissions; None where the state does not tell.
    fn may(&self, name: &str) -> Option<bool> {
        if name == PUBLISHING && self.value.get("realm_enable_spectator_access") == Some(&Value::Bool(false)) {
            return Some(false);
        }
        let value = self.value.get(&format!("realm_{name}"))?;
        let setting = self.value.get("server_supported_permission_settings")?.get("realm")?.get(name)?;
        let is_guest = self.value.get("is_guest")?.as_bool()?;
        if is_guest && setting["allow_everyone_group"] == false {
            return Some(false);
        }
        let groups = self.value.get("realm_user_groups")?.as_array()?;
        let own = self.own_id?;
        let is_direct = numbers(&value["direct_members"]).contains(&own);
        let through = value.as_i64().into_iter().chain(numbers(&value["direct_subgroups"]));
        Some(is_direct || is_member(groups, through.collect(), own))
    }

    /// The deprecated number of a permission's holders.
    fn policy(&self, permission: &str, numbers: Numbers) -> Option<i64> {
        let group = self.value.get(permission)?.as_i64();
        let groups = self.value.get("realm_user_groups")?.as_array()?;
        let holder = groups.iter().find(|row| group.is_some() && row["id"].as_i64() == group);
        let name = holder.and_then(|row| row["name"].as_str());
        let known = numbers.iter().find(|(group, _)| Some(*group) == name);
        known.or(numbers.first()).map(|(_, number)| *number)
    }

    /// Deprecated switches that follow from newer settings.
    pub(super) fn refresh_legacy_settings(&mut self) {
        if let Some(policy) = self.value.get("realm_topics_policy").cloned() {
            self.replace("realm_mandatory_topics", &json!(policy == "disable_empty_topic"));
        }
        if let Some(policy) = self.value.get("realm_message_edit_history_visibility_policy").cloned() {
            self.replace("realm_allow_edit_history", &json!(policy != "none"));
        }
    }
}

/// Whether a user is in one of these groups or in their subgroups, each of which is visited once.
fn is_member(groups: &[Value], among: Vec<i64>, user: i64) -> bool {
    let by_id: HashMap<i64, &Value> = groups.iter().filter_map(|row| Some((row["id"].as_i64()?, row))).collect();
    let mut known: HashSet<i64> = among.iter().copied().collect();
    let mut next = among;
    while let Some(group) = next.pop().and_then(|id| by_id.get(&id)) {
        if numbers(&group["members"]).contains(&user) {
            return true;
        }
        next.extend(numbers(&group["direct_subgroup_ids"]).into_iter().filter(|subgroup| known.insert(*subgroup)));
    }
    false
}
