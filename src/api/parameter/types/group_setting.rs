//! Giving permissions to groups: which values a permission takes, and how one is replaced (specification,
//! "Group-setting value"). The same for channels, user groups and the organization.
//!
//! A choice where the API is silent: A-13 in docs/assumptions.md.

use crate::api::parameter::json_object;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::group::{Group, SystemGroup};
use crate::realm::id::GroupId;
use crate::realm::permission::{AnonymousGroup, GroupSettingValue, PermissionSetting, Permissions, RealmPermission};

/// Makes two structs of parameters, one for each permission in the order of names: the values for a new object, and the updates
/// of one that exists.
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
            /// All of them by name, whether they are given or not.
            pub fn by_name(self) -> Vec<(&'static str, Option<$crate::realm::permission::GroupSettingValue>)> {
                vec![$((stringify!($permission), self.$permission)),*]
            }
        }

        impl $updates {
            /// All of them by name, whether they are given or not.
            pub fn by_name(self) -> Vec<(&'static str, Option<$crate::api::parameter::types::group_setting::GroupSettingUpdate>)> {
                vec![$((stringify!($permission), self.$permission)),*]
            }
        }
    };
}
pub(crate) use permission_parameters;

json_object! {
    shaped
    /// A new value for a permission.
    pub struct GroupSettingUpdate {
        /// The value to be.
        new: GroupSettingValue,
        /// The value that the client takes to be the current one.
        old: Option<GroupSettingValue> = None,
    }
}

/// To make channels that are open to the web.
const PUBLISHING: &str = RealmPermission::CanCreateWebPublicChannel.name();

/// A permission as a level has it: groups of the system alone held some.
fn at_level(setting: &PermissionSetting, level: i64) -> PermissionSetting {
    match setting.name {
        "can_remove_subscribers_group" if !Feature::AnyGroupRemoves.is_at(level) => PermissionSetting {
            require_system_group: true,
            allow_nobody: false,
            refused: Some(SystemGroup::Owners),
            ..*setting
        },
        "create_multiuse_invite_group" if !Feature::AnyGroupMakesLinks.is_at(level) => {
            PermissionSetting { require_system_group: true, refused: Some(SystemGroup::Owners), ..*setting }
        }
        _ if !Feature::OwnersHoldAny.is_at(level) && setting.name != PUBLISHING && setting.refused.is_none() => {
            PermissionSetting { refused: Some(SystemGroup::Owners), ..*setting }
        }
        _ => *setting,
    }
}

/// A value in its normal form, when a level's permission can be given to it.
///
/// # Errors
///
/// For a group, in this order: `InvalidGroup`, `GroupDeactivated`, `SystemGroupRequired`, `DisallowedGroup`.
/// For users and groups: `SystemGroupRequired`, `InvalidUserId` of the first that is not an active user,
/// `InvalidGroupId`, `GroupDeactivated`.
pub fn resolve(
    realm: &Realm,
    level: i64,
    setting: &PermissionSetting,
    value: GroupSettingValue,
) -> Result<GroupSettingValue, Error> {
    let setting = &at_level(setting, level);
    // A single group of such a value becomes the value itself, and would be refused in other words.
    if Feature::LoneSubgroupNamed.is_at(level)
        && let GroupSettingValue::Anonymous(AnonymousGroup { direct_subgroups, .. }) = &value
        && let [only] = direct_subgroups.iter().collect::<Vec<_>>()[..]
        && !realm.groups.contains_key(only)
        && matches!(realm.normal_form(value.clone()), GroupSettingValue::Group(_))
    {
        return Err(Error::InvalidGroupId { group_id: only.0.into() });
    }
    let value = realm.normal_form(value);
    match &value {
        GroupSettingValue::Group(group) => check_group(realm, setting, *group)?,
        GroupSettingValue::Anonymous(anonymous) => check_anonymous(realm, setting, anonymous)?,
    }
    Ok(value)
}

/// The value that replaces the current one at a level; None when that is the new one already.
///
/// # Errors
///
/// `ExpectationMismatch` when the client took another value to be the current one, then those of [`resolve`].
pub fn resolve_update(
    realm: &Realm,
    level: i64,
    setting: &PermissionSetting,
    current: &GroupSettingValue,
    update: GroupSettingUpdate,
) -> Result<Option<GroupSettingValue>, Error> {
    let current = realm.shown(current);
    let is_expected = update.old.is_none_or(|old| realm.normal_form(old) == realm.normal_form(current.clone()));
    if !is_expected {
        return Err(Error::ExpectationMismatch { field_name: "old".into() });
    }
    if realm.normal_form(update.new.clone()) == current {
        return Ok(None);
    }
    resolve(realm, level, setting, update.new).map(Some)
}

/// The permissions of a new object at a level: the defaults, but for those that were given.
///
/// # Errors
///
/// Those of [`resolve`] for the first given value that is refused, in the table's order.
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
        return if setting.require_system_group { Err(system_group_required(setting)) } else { Ok(()) };
    };
    if is_allowed(setting, system) { Ok(()) } else { Err(disallowed(setting, group)) }
}

fn is_allowed(setting: &PermissionSetting, system: SystemGroup) -> bool {
    let is_open = match system {
        SystemGroup::Internet => setting.allow_internet,
        SystemGroup::Everyone => setting.allow_everyone,
        SystemGroup::Nobody => setting.allow_nobody,
        _ => true,
    };
    is_open && setting.refused != Some(system) && (setting.allowed.is_empty() || setting.allowed.contains(&system))
}

fn check_anonymous(realm: &Realm, setting: &PermissionSetting, value: &AnonymousGroup) -> Result<(), Error> {
    if setting.require_system_group {
        return Err(system_group_required(setting));
    }
    let is_known = |id| realm.users.get(id).is_some_and(|user| user.is_active && !user.is_system_bot());
    if let Some(id) = value.direct_members.iter().find(|id| !is_known(*id)) {
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

fn system_group_required(setting: &PermissionSetting) -> Error {
    Error::SystemGroupRequired { setting_name: setting.name.into() }
}

fn disallowed(setting: &PermissionSetting, group: &Group) -> Error {
    Error::DisallowedGroup { setting: setting.name.into(), group: group.name.as_str().into() }
}

#[cfg(test)]
mod tests;
