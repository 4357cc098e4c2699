//! Changing and reactivating user groups (specification, PATCH /user_groups/{user_group_id}).
//!
//! A choice where the API is silent: A-59 in docs/assumptions.md.

use super::permissions::GroupPermissionUpdates;
use crate::api::changes::groups::emit_update;
use crate::api::parameter::types::group_setting::resolve_update;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::event::{DeliveryCondition, EventData};
use crate::realm::group::Group;
use crate::realm::groups::{changeable_group, check_group_description, check_group_name_is_free, checked_group_name};
use crate::realm::id::GroupId;
use crate::realm::permission::{GROUP_PERMISSIONS, GroupPermission, setting_named};
use crate::realm::tx::Tx;
use crate::record::events::{UserGroupAdd, UserGroupUpdate};
use crate::record::group::GroupRecord;
use serde_json::json;

operation! {
    /// Changes a user group, or reactivates it.
    pub EditGroup = PATCH "/user_groups/{user_group_id}", for NotGuest;
    params {
        /// ID of a group that the caller may manage; it may be deactivated.
        @path user_group_id: GroupId,
        /// Not blank, at most 100 code points, unique regardless of case.
        name: Option<String>,
        /// What the group is for; at most 1,024 code points.
        description: Option<String>,
        /// New values of the group's permissions.
        @group permissions: GroupPermissionUpdates,
        /// False reactivates a group; true has no effect.
        deactivated since 386: Option<bool>,
    }
    errors [
        NoGroupChanges, BadValue, InvalidGroup, InsufficientPermission, GroupNameEmpty, GroupNameTooLong,
        GroupNamePrefixForbidden, GroupNameTaken, ExpectationMismatch, GroupDeactivated, DisallowedGroup,
        InvalidUserId, InvalidGroupId,
    ];
    events [UserGroupUpdate, UserGroupAdd];
}

impl Write for EditGroup {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if has_no_changes(&params) {
            return Err(Error::NoGroupChanges);
        }
        let id = params.user_group_id;
        params.description.as_deref().map_or(Ok(()), |text| check_group_description(text, context.feature_level))?;
        let group = changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanManage)?;
        let name = checked_new_name(tx, context, &group, params.name.as_deref())?;

        if let Some(name) = name {
            tx.group_mut(id).name.clone_from(&name);
            emit_update(tx, id, "name", name.into());
        }
        if let Some(description) = params.description.filter(|new| *new != group.description) {
            tx.group_mut(id).description.clone_from(&description);
            emit_update(tx, id, "description", description.into());
        }
        if params.deactivated == Some(false) && group.is_deactivated {
            reactivate(tx, id);
        }
        // The permissions are checked after the other changes, because only an active group can hold them, and this may
        // be the group that the request reactivates. An error discards those changes too.
        for (name, update) in params.permissions.by_name() {
            let Some(update) = update else { continue };
            let permission = setting_named(GROUP_PERMISSIONS, name);
            let new_value = resolve_update(tx, context.feature_level, permission, &group.permissions[name], update)?;
            if let Some(value) = new_value {
                let json_value = json!(value);
                tx.group_mut(id).permissions.insert(name, value);
                emit_update(tx, id, name, json_value);
            }
        }
        Ok(Success {})
    }
}

fn has_no_changes(params: &EditGroup) -> bool {
    let params = params.clone();
    params.name.is_none()
        && params.description.is_none()
        && params.deactivated.is_none()
        && params.permissions.by_name().iter().all(|(_, update)| update.is_none())
}

/// The new name; None if it does not change. A name that differs from the current one only in case is accepted.
fn checked_new_name(
    tx: &Tx,
    context: &OperationContext<'_>,
    group: &Group,
    name: Option<&str>,
) -> Result<Option<String>, Error> {
    let Some(name) = name.filter(|name| *name != group.name) else { return Ok(None) };
    let name = checked_group_name(name, context.feature_level)?;
    check_group_name_is_free(tx, &name, Some(group.id), context.feature_level)?;
    // Without the white space around it, the name may be the current one.
    Ok(Some(name).filter(|name| *name != group.name))
}

/// Events: `user_group` update to clients that know deactivated groups, `user_group` add to the others.
fn reactivate(tx: &mut Tx, id: GroupId) {
    tx.group_mut(id).is_deactivated = false;
    let audience = tx.everyone();
    let update = UserGroupUpdate::new(id, "deactivated", false.into());
    let includes_deactivated_members = !tx.has(Feature::OnlyActiveMembers);
    let addition = UserGroupAdd { group: GroupRecord::new(tx, &tx.groups[&id], includes_deactivated_members) };
    tx.emit(audience.clone(), update.only_for(DeliveryCondition::DeactivatedGroups));
    tx.emit(audience, addition.only_for(DeliveryCondition::NoDeactivatedGroups));
}
