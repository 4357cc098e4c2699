//! Validation of the names, descriptions, members and subgroups of user groups, and permissions to change groups.

use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::model::group::Group;
use crate::realm::model::id::{GroupId, UserId};
use crate::realm::model::permission::{GroupPermission, RealmPermission};
use crate::realm::model::text::check_length;
use crate::realm::model::user::{Role, User};
use crate::realm::rules::permission_holders::{existing_groups, is_member};
use std::collections::BTreeSet;
use std::sync::Arc;

/// In code points.
pub const MAX_GROUP_NAME_LENGTH: usize = 100;
/// In code points.
pub const MAX_GROUP_DESCRIPTION_LENGTH: usize = 1024;
/// Names can't begin with these, because mentions and searches would interpret them.
const RESERVED_PREFIXES: [&str; 5] = ["@", "role:", "user:", "stream:", "channel:"];

/// Validates a name, and trims it from the level of [`Feature::StrictGroupNames`] on. Does not check whether the name
/// is in use.
///
/// # Errors
///
/// In this order: `GroupNameEmpty`, `GroupNameTooLong`, `GroupNamePrefixForbidden`.
pub fn checked_group_name(name: &str, level: i64) -> Result<String, Error> {
    let name = if Feature::StrictGroupNames.is_at(level) { name.trim() } else { name };
    if name.trim().is_empty() {
        return Err(Error::GroupNameEmpty);
    }
    if name.chars().count() > MAX_GROUP_NAME_LENGTH {
        return Err(Error::GroupNameTooLong { limit: MAX_GROUP_NAME_LENGTH.into() });
    }
    if let Some(prefix) = RESERVED_PREFIXES.iter().find(|prefix| name.starts_with(**prefix)) {
        return Err(Error::GroupNamePrefixForbidden { prefix: (*prefix).into() });
    }
    Ok(name.to_owned())
}

/// Checks that no other group, including deactivated groups, has the name, ignoring case. Below the level of
/// [`Feature::StrictGroupNames`], names may differ only in case. `renamed_group` is None for a new group.
///
/// # Errors
///
/// `GroupNameTaken`.
pub fn check_group_name_is_free(
    realm: &Realm,
    name: &str,
    renamed_group: Option<GroupId>,
    level: i64,
) -> Result<(), Error> {
    let is_free = match realm.group_by_name(name) {
        _ if !Feature::StrictGroupNames.is_at(level) => {
            !realm.groups.values().any(|group| group.name == name && Some(group.id) != renamed_group)
        }
        Some(group) => Some(group.id) == renamed_group,
        None => true,
    };
    if is_free { Ok(()) } else { Err(Error::GroupNameTaken { name: name.into() }) }
}

/// Checks the length of a description, which is not limited below the level of [`Feature::StrictGroupNames`].
///
/// # Errors
///
/// `BadValue` if it is longer than [`MAX_GROUP_DESCRIPTION_LENGTH`].
pub fn check_group_description(description: &str, level: i64) -> Result<(), Error> {
    if !Feature::StrictGroupNames.is_at(level) {
        return Ok(());
    }
    check_length(description, "description", MAX_GROUP_DESCRIPTION_LENGTH)
}

/// A group that the caller may change because they hold `permission` or may manage the group. Includes deactivated
/// groups.
///
/// # Errors
///
/// `InvalidGroup`, `InsufficientPermission`. System groups always cause the latter.
pub fn changeable_group(
    realm: &Realm,
    (caller, level): (&User, i64),
    id: GroupId,
    permission: GroupPermission,
) -> Result<Arc<Group>, Error> {
    let group = realm.groups.get(&id).ok_or(Error::InvalidGroup)?;
    let holds = |required| realm.may_in_group(caller.id, group, required);
    let is_at_least_moderator = caller.role <= Role::Moderator;
    let manages_all = || {
        if !Feature::ManageAllGroupsPermission.is_at(level) {
            return (is_at_least_moderator || group.members.contains(&caller.id))
                && realm.may(caller.id, RealmPermission::CanCreateGroups);
        }
        let has_required_membership = || {
            Feature::GroupManagersNeedNoMembership.is_at(level)
                || is_at_least_moderator
                || is_member(realm, id, caller.id)
        };
        has_required_membership() && realm.may(caller.id, RealmPermission::CanManageAllGroups)
    };
    let manages_group =
        || Feature::ManageGroupPermission.is_at(level) && (holds(GroupPermission::CanManage) || holds(permission));
    let may_change = group.system.is_none() && (manages_all() || manages_group());
    if may_change { Ok(group.clone()) } else { Err(Error::InsufficientPermission) }
}

/// Checks that all users are accounts of the organization, no system bots, and, from the level of
/// [`Feature::OnlyActiveMembers`] on, active. Returns them without duplicates.
///
/// # Errors
///
/// `InvalidUserId` for the first invalid user.
pub fn checked_members(realm: &Realm, ids: &[UserId], level: i64) -> Result<BTreeSet<UserId>, Error> {
    let can_be_member = |user: &Arc<User>| user.is_active || !Feature::OnlyActiveMembers.is_at(level);
    let is_valid = |id: &UserId| realm.user(*id).is_some_and(|user| can_be_member(user) && !user.is_system_bot());
    match ids.iter().find(|id| !is_valid(id)) {
        Some(id) => Err(Error::InvalidUserId { user_id: id.0.into() }),
        None => Ok(ids.iter().copied().collect()),
    }
}

/// Checks that all groups exist and are not deactivated, and returns them without duplicates.
///
/// # Errors
///
/// `InvalidGroupId` for the first group that does not exist, else `GroupDeactivated`.
pub fn checked_subgroups(realm: &Realm, ids: &[GroupId]) -> Result<BTreeSet<GroupId>, Error> {
    let groups = existing_groups(realm, ids)?;
    if groups.iter().any(|id| realm.groups[id].is_deactivated) { Err(Error::GroupDeactivated) } else { Ok(groups) }
}
