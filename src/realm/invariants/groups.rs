//! Invariants of user groups and permissions.

use super::{Invariant, violations_of};
use crate::realm::Realm;
use crate::realm::graph::nodes_on_cycles;
use crate::realm::group::SystemGroup;
use crate::realm::id::{GroupId, UserId};
use crate::realm::permission::{
    CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, GroupSettingValue, PermissionSetting, Permissions, REALM_PERMISSIONS,
};
use imbl::OrdSet;
use std::collections::BTreeSet;

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "group-names-are-unique",
        meaning: "No two groups have the same name.",
        check: check_group_names_are_unique,
    },
    Invariant {
        name: "groups-are-acyclic",
        meaning: "No group is its own subgroup, at any depth.",
        check: check_groups_are_acyclic,
    },
    Invariant {
        name: "groups-have-what-exists",
        meaning: "Members and subgroups of groups exist.",
        check: check_groups_have_what_exists,
    },
    Invariant {
        name: "system-groups-are-complete",
        meaning: "The system groups exist and are active, each with the next as its subgroup, and are indexed by their kind.",
        check: check_system_groups_are_complete,
    },
    Invariant {
        name: "system-groups-follow-roles",
        meaning: "Membership in system groups follows from role and waiting period.",
        check: check_system_groups_follow_roles,
    },
    Invariant {
        name: "permissions-are-complete",
        meaning: "Every group, channel and the organization has each of its permissions, held by users and groups that exist.",
        check: check_permissions_are_complete,
    },
];

fn check_group_names_are_unique(realm: &Realm) -> Vec<String> {
    let mut names = BTreeSet::new();
    violations_of(realm.groups.values(), |group| {
        (!names.insert(group.name.as_str())).then(|| format!("two groups are called {}", group.name))
    })
}

fn check_groups_are_acyclic(realm: &Realm) -> Vec<String> {
    let cyclic_groups = nodes_on_cycles(realm.groups.keys().copied(), |id, visit: &mut dyn FnMut(GroupId)| {
        for subgroup in realm.groups.get(&id).into_iter().flat_map(|group| &group.subgroups) {
            visit(*subgroup);
        }
    });
    violations_of(cyclic_groups, |group| Some(format!("group {group} contains itself")))
}

fn check_groups_have_what_exists(realm: &Realm) -> Vec<String> {
    violations_of(realm.groups.iter(), |(id, group)| {
        let missing_user = group.members.iter().find(|user| !realm.users.contains_key(*user));
        let missing_subgroup = group.subgroups.iter().find(|subgroup| !realm.groups.contains_key(*subgroup));
        match (missing_user, missing_subgroup) {
            (Some(user), _) => Some(format!("group {id} has the member {user}, who does not exist")),
            (None, Some(subgroup)) => Some(format!("group {id} has the subgroup {subgroup}, which does not exist")),
            (None, None) => None,
        }
    })
}

fn check_system_groups_are_complete(realm: &Realm) -> Vec<String> {
    let mut violations = violations_of(realm.groups.values(), |group| {
        let kind = group.system.filter(|kind| realm.system_groups.get(kind) != Some(&group.id))?;
        Some(format!("group {} is a second system group {}", group.id, kind.name()))
    });
    violations.extend(violations_of(SystemGroup::ALL, |kind| {
        let group = realm.system_groups.get(&kind).and_then(|id| realm.groups.get(id));
        let is_valid = group.is_some_and(|group| {
            let subgroup = kind.subgroup().and_then(|subgroup| realm.system_groups.get(&subgroup).copied());
            group.system == Some(kind)
                && !group.is_deactivated
                && group.name == kind.name()
                && group.subgroups.iter().copied().eq(subgroup)
        });
        (!is_valid).then(|| format!("the system group {} is missing or has changed", kind.name()))
    }));
    violations
}

fn check_system_groups_follow_roles(realm: &Realm) -> Vec<String> {
    let accounts = || realm.users.values().filter(|user| !user.is_system_bot());
    violations_of(SystemGroup::ALL, |kind| {
        let expected: OrdSet<UserId> = match kind {
            SystemGroup::FullMembers => {
                accounts().filter(|user| realm.is_full_member(user)).map(|user| user.id).collect()
            }
            _ => accounts().filter(|user| SystemGroup::of_role(user.role) == kind).map(|user| user.id).collect(),
        };
        let members = &realm.groups.get(realm.system_groups.get(&kind)?)?.members;
        (*members != expected).then(|| format!("{} has {members:?}, should have {expected:?}", kind.name()))
    })
}

fn check_permissions_are_complete(realm: &Realm) -> Vec<String> {
    let groups =
        realm.groups.values().map(|group| (format!("group {}", group.id), &group.permissions, GROUP_PERMISSIONS));
    let channels = realm
        .channels
        .values()
        .map(|channel| (format!("channel {}", channel.id), &channel.permissions, CHANNEL_PERMISSIONS));
    let organization = ("the organization".to_owned(), &realm.organization.permissions, REALM_PERMISSIONS);
    violations_of(groups.chain(channels).chain([organization]), |(owner, permissions, table)| {
        let permission = invalid_permission(realm, permissions, table)?;
        Some(format!("{owner} does not say who holds {permission}, or names somebody who does not exist"))
    })
}

/// The name of a permission that is missing, or whose holders don't exist.
fn invalid_permission(realm: &Realm, permissions: &Permissions, table: &[PermissionSetting]) -> Option<&'static str> {
    let exists = |value: &GroupSettingValue| match value {
        GroupSettingValue::Group(group) => realm.groups.contains_key(group),
        GroupSettingValue::Anonymous(anonymous) => {
            anonymous.direct_subgroups.iter().all(|group| realm.groups.contains_key(group))
                && anonymous.direct_members.iter().all(|user| realm.users.contains_key(user))
        }
    };
    table.iter().map(|row| row.name).find(|name| !permissions.get(name).is_some_and(exists))
}
