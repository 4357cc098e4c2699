//! Holders of permissions: membership checks, and normalization and default values of group-setting values.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::group::{Group, SystemGroup};
use crate::realm::model::id::{GroupId, UserId};
use crate::realm::model::permission::{
    AnonymousGroup, DefaultHolder, GroupPermission, GroupSettingValue, PermissionSetting, Permissions, RealmPermission,
};
use std::collections::BTreeSet;

/// Whether a user holds a permission with this value, directly or through subgroups at any depth.
///
/// Guests never hold a permission that `role:everyone` may not hold, even as members of a holder.
pub fn includes_user(realm: &Realm, value: &GroupSettingValue, user: UserId, setting: &PermissionSetting) -> bool {
    let is_guest = realm.users.get(&user).is_some_and(|user| user.is_guest());
    if is_guest && !setting.allow_everyone {
        return false;
    }
    match value {
        GroupSettingValue::Group(group) => is_member(realm, *group, user),
        GroupSettingValue::Anonymous(anonymous) => {
            anonymous.direct_members.contains(&user)
                || realm.is_member_of_any(anonymous.direct_subgroups.iter().copied(), user)
        }
    }
}

/// Whether a user is in a group, directly or through subgroups at any depth.
pub fn is_member(realm: &Realm, group: GroupId, user: UserId) -> bool {
    realm.is_member_of_any([group], user)
}

/// The permissions whose value lists the user directly, as clients see it.
pub fn permissions_listing_user(
    realm: &Realm,
    permissions: &Permissions,
    user: UserId,
) -> Vec<(&'static str, GroupSettingValue)> {
    let includes_user_directly = |value: &GroupSettingValue| match value {
        GroupSettingValue::Anonymous(anonymous) => anonymous.direct_members.contains(&user),
        GroupSettingValue::Group(_) => false,
    };
    let matching_permissions = permissions.iter().filter(|(_, value)| includes_user_directly(value));
    matching_permissions.map(|(name, value)| (*name, realm.without_deactivated_users(value))).collect()
}

impl Realm {
    pub fn may(&self, user: UserId, permission: RealmPermission) -> bool {
        let setting = permission.setting();
        let value = self.organization.permissions.get(setting.name);
        value.is_some_and(|value| includes_user(self, value, user, setting))
    }

    pub fn may_in_group(&self, user: UserId, group: &Group, permission: GroupPermission) -> bool {
        let setting = permission.setting();
        includes_user(self, &group.permissions[setting.name], user, setting)
    }

    /// Replaces an anonymous group that has only one subgroup by that group, and an empty one by `role:nobody`.
    pub fn normalize_holder(&self, value: GroupSettingValue) -> GroupSettingValue {
        match &value {
            GroupSettingValue::Anonymous(anonymous) if anonymous.direct_members.is_empty() => {
                let mut subgroups = anonymous.direct_subgroups.iter();
                match (subgroups.next(), subgroups.next()) {
                    (None, _) => GroupSettingValue::Group(self.system_group(SystemGroup::Nobody)),
                    (Some(only_subgroup), None) => GroupSettingValue::Group(*only_subgroup),
                    _ => value,
                }
            }
            _ => value,
        }
    }

    /// The value that clients see: without deactivated users, who hold the permission again after reactivation.
    pub fn without_deactivated_users(&self, value: &GroupSettingValue) -> GroupSettingValue {
        let mut active = value.clone();
        if let GroupSettingValue::Anonymous(anonymous) = &mut active {
            anonymous.direct_members.retain(|user| self.is_active(*user));
        }
        active
    }

    /// Applies [`Realm::without_deactivated_users`] to all permissions.
    pub fn permissions_without_deactivated_users(&self, permissions: &Permissions) -> Permissions {
        permissions.iter().map(|(name, value)| (*name, self.without_deactivated_users(value))).collect()
    }

    /// The default value of a permission, for an object that `creator` created. If the creator is the default holder
    /// and `creator` is None, it is `role:nobody`.
    pub fn default_holder(&self, setting: &PermissionSetting, creator: Option<UserId>) -> GroupSettingValue {
        match (setting.default, creator) {
            (DefaultHolder::System(group), _) => GroupSettingValue::Group(self.system_group(group)),
            (DefaultHolder::Creator, Some(creator)) => GroupSettingValue::Anonymous(AnonymousGroup {
                direct_members: BTreeSet::from([creator]),
                direct_subgroups: BTreeSet::new(),
            }),
            (DefaultHolder::Creator, None) => GroupSettingValue::Group(self.system_group(SystemGroup::Nobody)),
        }
    }

    /// Applies [`Realm::default_holder`] to all permissions of a table.
    pub fn default_permissions(&self, table: &'static [PermissionSetting], creator: Option<UserId>) -> Permissions {
        table.iter().map(|setting| (setting.name, self.default_holder(setting, creator))).collect()
    }
}

/// Checks that all groups exist, and returns them without duplicates.
///
/// # Errors
///
/// `InvalidGroupId` for the first group that does not exist.
pub fn existing_groups(realm: &Realm, ids: &[GroupId]) -> Result<BTreeSet<GroupId>, Error> {
    match ids.iter().find(|id| !realm.groups.contains_key(*id)) {
        Some(id) => Err(Error::InvalidGroupId { group_id: id.0.into() }),
        None => Ok(ids.iter().copied().collect()),
    }
}
