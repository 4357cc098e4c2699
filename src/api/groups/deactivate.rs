//! Deactivating user groups, which is refused while something active refers to them.
//!
//! A choice where the API is silent: A-60 in docs/assumptions.md.

use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::{DeliveryCondition, EventData};
use crate::realm::groups::changeable_group;
use crate::realm::id::GroupId;
use crate::realm::permission::{GroupPermission, GroupSettingValue, Permissions};
use crate::realm::tx::Tx;
use crate::record::events::{UserGroupRemove, UserGroupUpdate};
use serde_json::{Value, json};

operation! {
    /// Deactivates a user group that nothing active refers to; PATCH reactivates it.
    pub DeactivateGroup = POST "/user_groups/{user_group_id}/deactivate", for User, since 290;
    params {
        /// ID of a group that the caller may manage.
        @path user_group_id: GroupId,
    }
    errors [InvalidGroup, GroupDeactivated, InsufficientPermission, GroupInUse];
    events [UserGroupUpdate, UserGroupRemove];
}

impl Write for DeactivateGroup {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.user_group_id;
        if tx.groups.get(&id).is_some_and(|group| group.is_deactivated) {
            return Err(Error::GroupDeactivated);
        }
        changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanManage)?;
        let objections = find_objections(tx, id);
        if !objections.is_empty() {
            return Err(Error::GroupInUse { objections: objections.into() });
        }

        tx.group_mut(id).is_deactivated = true;
        let audience = tx.everyone();
        let update = UserGroupUpdate::new(id, "deactivated", true.into());
        let removal = UserGroupRemove { group_id: id };
        tx.emit(audience.clone(), update.only_for(DeliveryCondition::DeactivatedGroups));
        tx.emit(audience, removal.only_for(DeliveryCondition::NoDeactivatedGroups));
        Ok(Success {})
    }
}

/// References to a group that prevent its deactivation, as the objects of the error: active groups that contain it, and
/// permissions of channels that are not archived, of active groups (including the group itself) and of the
/// organization.
pub(super) fn find_objections(realm: &Realm, id: GroupId) -> Vec<Value> {
    let active_groups = || realm.groups.values().filter(|group| !group.is_deactivated);
    let mut objections = Vec::new();
    let supergroups: Vec<GroupId> =
        active_groups().filter(|group| group.subgroups.contains(&id)).map(|group| group.id).collect();
    if !supergroups.is_empty() {
        objections.push(json!({"type": "subgroup", "supergroup_ids": supergroups}));
    }
    for channel in realm.channels.values().filter(|channel| !channel.is_archived) {
        if let Some(names) = permissions_held_by(&channel.permissions, id) {
            objections.push(json!({"type": "channel", "channel_id": channel.id, "settings": names}));
        }
    }
    for group in active_groups() {
        if let Some(names) = permissions_held_by(&group.permissions, id) {
            objections.push(json!({"type": "user_group", "group_id": group.id, "settings": names}));
        }
    }
    if let Some(names) = permissions_held_by(&realm.organization.permissions, id) {
        objections.push(json!({"type": "realm", "settings": names}));
    }
    objections
}

/// The names of the permissions that a group holds, alone or with others; None if it holds none.
fn permissions_held_by(permissions: &Permissions, id: GroupId) -> Option<Vec<&'static str>> {
    let is_holder_of = |value: &GroupSettingValue| match value {
        GroupSettingValue::Group(group) => *group == id,
        GroupSettingValue::Anonymous(members) => members.direct_subgroups.contains(&id),
    };
    let names: Vec<_> = permissions.iter().filter(|(_, value)| is_holder_of(value)).map(|(name, _)| *name).collect();
    Some(names).filter(|names| !names.is_empty())
}
