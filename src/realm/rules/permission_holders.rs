//! Who holds a permission.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::model::group::{Group, SystemGroup};
use crate::realm::model::id::{GroupId, UserId};
use crate::realm::model::permission::{
    AnonymousGroup, DefaultHolder, GroupPermission, GroupSettingValue, PermissionSetting, Permissions, RealmPermission,
};
use std::collections::BTreeSet;

/// Whether a user is covered by a value, subgroups to any depth included.
///
/// Guests never hold a permission that `role:everyone` may not hold, even when listed.
pub fn covers(realm: &Realm, value: &GroupSettingValue, user: UserId, setting: &PermissionSetting) -> bool {
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

/// Whether a user is in a group, directly or through a subgroup at any depth.
pub fn is_member(realm: &Realm, group: GroupId, user: UserId) -> bool {
    realm.is_member_of_any([group], user)
}

/// The permissions that list a user without a group between, as clients see them.
pub fn listing(realm: &Realm, permissions: &Permissions, user: UserId) -> Vec<(&'static str, GroupSettingValue)> {
    let lists = |value: &GroupSettingValue| match value {
        GroupSettingValue::Anonymous(anonymous) => anonymous.direct_members.contains(&user),
        GroupSettingValue::Group(_) => false,
    };
    let listing = permissions.iter().filter(|(_, value)| lists(value));
    listing.map(|(name, value)| (*name, realm.shown(value))).collect()
}

impl Realm {
    /// Whether a user holds one of the organization's permissions.
    pub fn may(&self, user: UserId, permission: RealmPermission) -> bool {
        let setting = permission.setting();
        let value = self.organization.permissions.get(setting.name);
        value.is_some_and(|value| covers(self, value, user, setting))
    }

    /// Whether a user holds one of a group's permissions.
    pub fn may_in_group(&self, user: UserId, group: &Group, permission: GroupPermission) -> bool {
        let setting = permission.setting();
        covers(self, &group.permissions[setting.name], user, setting)
    }

    /// The value in its normal form: an object of one group is that group, an empty one is nobody.
    pub fn normal_form(&self, value: GroupSettingValue) -> GroupSettingValue {
        match &value {
            GroupSettingValue::Anonymous(anonymous) if anonymous.direct_members.is_empty() => {
                let mut subgroups = anonymous.direct_subgroups.iter();
                match (subgroups.next(), subgroups.next()) {
                    (None, _) => GroupSettingValue::Group(self.system_group(SystemGroup::Nobody)),
                    (Some(only), None) => GroupSettingValue::Group(*only),
                    _ => value,
                }
            }
            _ => value,
        }
    }

    /// The value as clients see it: without deactivated users, who hold the permission again once they are back.
    pub fn shown(&self, value: &GroupSettingValue) -> GroupSettingValue {
        let mut shown = value.clone();
        if let GroupSettingValue::Anonymous(anonymous) = &mut shown {
            anonymous.direct_members.retain(|user| self.is_active(*user));
        }
        shown
    }

    /// All of an object's permissions as clients see them.
    pub fn shown_permissions(&self, permissions: &Permissions) -> Permissions {
        permissions.iter().map(|(name, value)| (*name, self.shown(value))).collect()
    }

    /// The default value of a permission for an object made by `creator`.
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

    /// The defaults of a whole table for an object made by `creator`.
    pub fn default_permissions(&self, table: &'static [PermissionSetting], creator: Option<UserId>) -> Permissions {
        table.iter().map(|setting| (setting.name, self.default_holder(setting, creator))).collect()
    }
}

/// These groups.
///
/// # Errors
///
/// `InvalidGroupId` of the first that does not exist.
pub fn existing_groups(realm: &Realm, ids: &[GroupId]) -> Result<BTreeSet<GroupId>, Error> {
    match ids.iter().find(|id| !realm.groups.contains_key(*id)) {
        Some(id) => Err(Error::InvalidGroupId { group_id: id.0.into() }),
        None => Ok(ids.iter().copied().collect()),
    }
}
