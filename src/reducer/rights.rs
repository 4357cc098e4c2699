//! The keys that say what the user may do, and the deprecated policies of permissions, computed from the organization's
//! permissions and the user's groups.

use super::State;
use super::json::{Object, to_integers};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Keys that say whether the user may do something, and the permissions of which any is sufficient.
const RIGHTS: [(&str, &[&str]); 6] = [
    ("can_create_public_streams", &["can_create_public_channel_group"]),
    ("can_create_private_streams", &["can_create_private_channel_group"]),
    ("can_create_web_public_streams", &[CREATE_WEB_PUBLIC_CHANNEL]),
    (
        "can_create_streams",
        &["can_create_private_channel_group", "can_create_public_channel_group", CREATE_WEB_PUBLIC_CHANNEL],
    ),
    ("can_subscribe_other_users", &["can_add_subscribers_group"]),
    ("can_invite_others_to_realm", &["can_invite_users_group"]),
];

/// This permission has an effect only if the organization has web-public access.
const CREATE_WEB_PUBLIC_CHANNEL: &str = "can_create_web_public_channel_group";

/// The values of a deprecated policy, by the name of the group that has the permission.
type PolicyNumbers = &'static [(&'static str, i64)];

const CREATE_CHANNEL_POLICY: PolicyNumbers =
    &[("role:members", 1), ("role:administrators", 2), ("role:fullmembers", 3), ("role:moderators", 4)];
const CREATE_WEB_PUBLIC_CHANNEL_POLICY: PolicyNumbers =
    &[("role:moderators", 4), ("role:administrators", 2), ("role:nobody", 6), ("role:owners", 7)];
const WILDCARD_MENTION_POLICY: PolicyNumbers = &[
    ("role:everyone", 1),
    ("role:members", 2),
    ("role:fullmembers", 3),
    ("role:administrators", 5),
    ("role:nobody", 6),
    ("role:moderators", 7),
];

/// Deprecated policies, each computed from a permission. The first value applies if the group is not in the table.
const POLICIES: [(&str, &str, PolicyNumbers); 4] = [
    ("realm_create_public_stream_policy", "realm_can_create_public_channel_group", CREATE_CHANNEL_POLICY),
    ("realm_create_private_stream_policy", "realm_can_create_private_channel_group", CREATE_CHANNEL_POLICY),
    (
        "realm_create_web_public_stream_policy",
        "realm_can_create_web_public_channel_group",
        CREATE_WEB_PUBLIC_CHANNEL_POLICY,
    ),
    ("realm_wildcard_mention_policy", "realm_can_mention_many_users_group", WILDCARD_MENTION_POLICY),
];

impl State {
    /// Recomputes the rights and the deprecated policies. All changes of permissions, groups or roles must call this.
    pub(super) fn refresh_rights_and_policies(&mut self) {
        for (key, permissions) in RIGHTS {
            let has_permissions: Option<Vec<bool>> = permissions.iter().map(|name| self.has_permission(name)).collect();
            if let Some(has_permissions) = has_permissions {
                self.replace(key, &has_permissions.contains(&true).into());
            }
        }
        for (key, permission, policy_numbers) in POLICIES {
            if let Some(deprecated_policy) = self.deprecated_policy(permission, policy_numbers) {
                self.replace(key, &deprecated_policy.into());
            }
        }
    }

    /// Whether the state has rights that cannot be computed.
    pub(super) fn has_unknown_rights(&self) -> bool {
        RIGHTS.iter().any(|(key, permissions)| {
            self.value.contains_key(*key) && permissions.iter().any(|name| self.has_permission(name).is_none())
        })
    }

    /// Whether the user has a permission. None if the state does not have the necessary keys.
    fn has_permission(&self, name: &str) -> Option<bool> {
        if name == CREATE_WEB_PUBLIC_CHANNEL
            && self.value.get("realm_enable_spectator_access") == Some(&Value::Bool(false))
        {
            return Some(false);
        }
        let value = self.value.get(&format!("realm_{name}"))?;
        let setting = self.value.get("server_supported_permission_settings")?.get("realm")?.get(name)?;
        let is_guest = self.value.get("is_guest")?.as_bool()?;
        if is_guest && setting["allow_everyone_group"] == false {
            return Some(false);
        }
        let groups = self.value.get("realm_user_groups")?.as_array()?;
        let own_id = self.own_id?;
        let is_direct = to_integers(&value["direct_members"]).contains(&own_id);
        let holder_groups = value.as_i64().into_iter().chain(to_integers(&value["direct_subgroups"]));
        Some(is_direct || is_member(groups, holder_groups.collect(), own_id))
    }

    /// The value of a deprecated policy. None if the state does not have the necessary keys.
    fn deprecated_policy(&self, permission: &str, policy_numbers: PolicyNumbers) -> Option<i64> {
        let group_id = self.value.get(permission)?.as_i64();
        let groups = self.value.get("realm_user_groups")?.as_array()?;
        let holder = groups.iter().find(|row| group_id.is_some() && row["id"].as_i64() == group_id);
        let name = holder.and_then(|row| row["name"].as_str());
        let entry = policy_numbers.iter().find(|(group_name, _)| Some(*group_name) == name);
        entry.or(policy_numbers.first()).map(|(_, number)| *number)
    }
}

/// Removes the keys of rights from the value of a state.
pub(super) fn remove_rights(value: &mut Object) {
    RIGHTS.iter().for_each(|(key, _)| _ = value.shift_remove(*key));
}

/// Whether a user is a member of one of the groups or of their subgroups.
fn is_member(groups: &[Value], group_ids: Vec<i64>, user: i64) -> bool {
    let groups_by_id: HashMap<i64, &Value> = groups.iter().filter_map(|row| Some((row["id"].as_i64()?, row))).collect();
    let mut visited: HashSet<i64> = group_ids.iter().copied().collect();
    let mut pending = group_ids;
    while let Some(id) = pending.pop() {
        let Some(group) = groups_by_id.get(&id) else { continue };
        if to_integers(&group["members"]).contains(&user) {
            return true;
        }
        pending.extend(
            to_integers(&group["direct_subgroup_ids"]).into_iter().filter(|subgroup| visited.insert(*subgroup)),
        );
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_member;
    use serde_json::json;

    #[test]
    fn groups_that_are_not_listed_hide_no_others() {
        let groups = [
            json!({"id": 1, "members": [], "direct_subgroup_ids": [2, 9]}),
            json!({"id": 2, "members": [7], "direct_subgroup_ids": []}),
        ];
        assert!(is_member(&groups, vec![1], 7));
        assert!(is_member(&groups, vec![2, 9], 7) && !is_member(&groups, vec![9], 7));
    }
}
