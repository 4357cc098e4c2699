//! Values of permissions: which groups and users can hold a permission of a channel, a user group or the organization,
//! and how an update replaces a value (specification, "Group-setting value").
//!
//! A choice where the API is silent: A-13 in docs/assumptions.md.

use crate::api::parameter::json_object;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::group::{Group, SystemGroup};
use crate::realm::id::GroupId;
use crate::realm::permission::{AnonymousGroup, GroupSettingValue, PermissionSetting, Permissions, RealmPermission};

/// Declares two structs of parameters with a field for each listed permission, in the order of the list: values for a
/// new object, and updates of an existing one.
macro_rules! permission_parameters {
    (
        $(#[$new_doc:meta])* pub struct $new:ident;
        $(#[$updates_doc:meta])* pub struct $updates:ident;
        $($(#[doc = $doc:literal])* $permission:ident),* $(,)?
    ) => {
        $crate::api::parameter::parameters! {
            $(#[$new_doc])*
            #[derive(Default)]
            pub struct $new {
                $($(#[doc = $doc])* $permission: Option<$crate::realm::permission::GroupSettingValue>),*
            }
        }
        $crate::api::parameter::parameters! {
            $(#[$updates_doc])*
            pub struct $updates {
                $($(#[doc = $doc])* $permission: Option<$crate::api::parameter::types::group_setting::GroupSettingUpdate>),*
            }
        }

        impl $new {
            /// All permissions; None for those that the request does not have.
            pub fn by_name(self) -> Vec<(&'static str, Option<$crate::realm::permission::GroupSettingValue>)> {
                vec![$((stringify!($permission), self.$permission)),*]
            }
        }

        impl $updates {
            /// All permissions; None for those that the request does not have.
            pub fn by_name(self) -> Vec<(&'static str, Option<$crate::api::parameter::types::group_setting::GroupSettingUpdate>)> {
                vec![$((stringify!($permission), self.$permission)),*]
            }
        }
    };
}
pub(crate) use permission_parameters;

json_object! {
    closed_with_format_error
    /// A new value for a permission.
    pub struct GroupSettingUpdate {
        new: GroupSettingValue,
        /// The current value as the client knows it. The update is refused if it is outdated.
        old: Option<GroupSettingValue> = None,
    }
}

const CREATE_WEB_PUBLIC_CHANNEL: &str = RealmPermission::CanCreateWebPublicChannel.name();

/// Returns the restrictions of a permission at a level. At older levels, only system groups can hold some permissions,
/// and the group of owners cannot hold most permissions.
fn restrictions_at_level(setting: &PermissionSetting, level: i64) -> PermissionSetting {
    match setting.name {
        "can_remove_subscribers_group" if !Feature::AnyGroupMayRemoveSubscribers.is_at(level) => PermissionSetting {
            require_system_group: true,
            allow_nobody: false,
            refused_group: Some(SystemGroup::Owners),
            ..*setting
        },
        "create_multiuse_invite_group" if !Feature::AnyGroupMayCreateInviteLinks.is_at(level) => {
            PermissionSetting { require_system_group: true, refused_group: Some(SystemGroup::Owners), ..*setting }
        }
        _ if !Feature::OwnersHoldAnyPermission.is_at(level)
            && setting.name != CREATE_WEB_PUBLIC_CHANNEL
            && setting.refused_group.is_none() =>
        {
            PermissionSetting { refused_group: Some(SystemGroup::Owners), ..*setting }
        }
        _ => *setting,
    }
}

/// Checks that a permission can have a value at a level, and returns the value's normal form.
///
/// # Errors
///
/// For a group, in this order: `InvalidGroup`, `GroupDeactivated`, `SystemGroupRequired`, `DisallowedGroup`. For users
/// and groups: `SystemGroupRequired`, `InvalidUserId` of the first that is not an active user, `InvalidGroupId`,
/// `GroupDeactivated`. From 497 on, an object with only an unknown group gets `InvalidGroupId` before these checks.
pub fn resolve(
    realm: &Realm,
    level: i64,
    setting: &PermissionSetting,
    value: GroupSettingValue,
) -> Result<GroupSettingValue, Error> {
    let setting = &restrictions_at_level(setting, level);
    // The normal form of a value with a single subgroup is that group, whose refusal would have another message.
    if Feature::ErrorNamesUnknownSubgroup.is_at(level)
        && let GroupSettingValue::Anonymous(AnonymousGroup { direct_subgroups, .. }) = &value
        && let [subgroup] = direct_subgroups.iter().collect::<Vec<_>>()[..]
        && !realm.groups.contains_key(subgroup)
        && matches!(realm.normalize_holder(value.clone()), GroupSettingValue::Group(_))
    {
        return Err(Error::InvalidGroupId { group_id: subgroup.0.into() });
    }
    let value = realm.normalize_holder(value);
    match &value {
        GroupSettingValue::Group(group) => check_group(realm, setting, *group)?,
        GroupSettingValue::Anonymous(anonymous) => check_anonymous(realm, setting, anonymous)?,
    }
    Ok(value)
}

/// Returns the value that replaces the current one at a level; None if the new value equals the current one.
///
/// # Errors
///
/// `ExpectationMismatch` if `old` is not the current value, then those of [`resolve`].
pub fn resolve_update(
    realm: &Realm,
    level: i64,
    setting: &PermissionSetting,
    current: &GroupSettingValue,
    update: GroupSettingUpdate,
) -> Result<Option<GroupSettingValue>, Error> {
    let current = realm.without_deactivated_users(current);
    let is_expected =
        update.old.is_none_or(|old| realm.normalize_holder(old) == realm.normalize_holder(current.clone()));
    if !is_expected {
        return Err(Error::ExpectationMismatch { field_name: "old".into() });
    }
    if realm.normalize_holder(update.new.clone()) == current {
        return Ok(None);
    }
    resolve(realm, level, setting, update.new).map(Some)
}

/// Returns the permissions of a new object at a level: the requested values, and the defaults for the other
/// permissions.
///
/// # Errors
///
/// Those of [`resolve`] for the first refused value in the order of the table.
pub fn resolve_all(
    realm: &Realm,
    level: i64,
    table: &'static [PermissionSetting],
    defaults: Permissions,
    requested: impl IntoIterator<Item = (&'static str, Option<GroupSettingValue>)>,
) -> Result<Permissions, Error> {
    let mut requested: Vec<_> = requested.into_iter().collect();
    let mut permissions = defaults;
    for setting in table {
        let value = requested.iter_mut().find(|(name, _)| *name == setting.name).and_then(|(_, value)| value.take());
        if let Some(value) = value {
            permissions.insert(setting.name, resolve(realm, level, setting, value)?);
        }
    }
    Ok(permissions)
}

fn check_group(realm: &Realm, setting: &PermissionSetting, id: GroupId) -> Result<(), Error> {
    let group = realm.groups.get(&id).ok_or(Error::InvalidGroup)?;
    if group.is_deactivated {
        return Err(Error::GroupDeactivated);
    }
    let Some(system) = group.system else {
        return if setting.require_system_group { Err(system_group_required_error(setting)) } else { Ok(()) };
    };
    if is_allowed(setting, system) { Ok(()) } else { Err(disallowed_group_error(setting, group)) }
}

fn is_allowed(setting: &PermissionSetting, system: SystemGroup) -> bool {
    let is_group_allowed = match system {
        SystemGroup::Internet => setting.allow_internet,
        SystemGroup::Everyone => setting.allow_everyone,
        SystemGroup::Nobody => setting.allow_nobody,
        _ => true,
    };
    is_group_allowed
        && setting.refused_group != Some(system)
        && (setting.allowed_groups.is_empty() || setting.allowed_groups.contains(&system))
}

fn check_anonymous(realm: &Realm, setting: &PermissionSetting, value: &AnonymousGroup) -> Result<(), Error> {
    if setting.require_system_group {
        return Err(system_group_required_error(setting));
    }
    let is_active_user = |id| realm.users.get(id).is_some_and(|user| user.is_active && !user.is_system_bot());
    if let Some(id) = value.direct_members.iter().find(|id| !is_active_user(*id)) {
        return Err(Error::InvalidUserId { user_id: id.0.into() });
    }
    for id in &value.direct_subgroups {
        let group = realm.groups.get(id).ok_or_else(|| Error::InvalidGroupId { group_id: id.0.into() })?;
        if group.is_deactivated {
            return Err(Error::GroupDeactivated);
        }
    }
    Ok(())
}

fn system_group_required_error(setting: &PermissionSetting) -> Error {
    Error::SystemGroupRequired { setting_name: setting.name.into() }
}

fn disallowed_group_error(setting: &PermissionSetting, group: &Group) -> Error {
    Error::DisallowedGroup { setting: setting.name.into(), group: group.name.as_str().into() }
}

#[cfg(test)]
mod tests;
