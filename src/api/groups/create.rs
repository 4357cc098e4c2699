//! Creating user groups (specification, POST /user_groups/create).
//!
//! A choice where the API is silent: A-57 in docs/assumptions.md.

use super::permissions::GroupPermissions;
use crate::api::changes::groups::emit_group_event;
use crate::api::parameter::types::group_setting::resolve_all;
use crate::api::{OperationContext, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::group::Group;
use crate::realm::groups::{
    check_group_description, check_group_name_is_free, checked_group_name, checked_members, checked_subgroups,
};
use crate::realm::id::{GroupId, UserId};
use crate::realm::permission::GROUP_PERMISSIONS;
use crate::realm::tx::Tx;
use crate::record::events::{Subgroups, UserGroupAdd, UserGroupAddSubgroups};
use crate::record::group::GroupRecord;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

operation! {
    /// Creates a user group, with members and subgroups.
    pub CreateGroup = POST "/user_groups/create", for GroupCreator;
    params {
        /// Not blank, at most 100 code points, unique regardless of case.
        name: String,
        /// IDs of the initial members: active users. The creator is a member only if listed.
        members: Vec<UserId>,
        /// What the group is for; at most 1,024 code points.
        description: String,
        /// IDs of initial subgroups; no permission over them is required.
        subgroups since 311: Vec<GroupId> = Vec::new() => "[]",
        /// The group's permissions; defaults for those that the request does not have.
        @group permissions: GroupPermissions,
    }
    reply GroupIdReply;
    errors [
        InsufficientPermission, BadValue, InvalidUserId, GroupNameEmpty, GroupNameTooLong, GroupNamePrefixForbidden,
        InvalidGroup, GroupDeactivated, DisallowedGroup, InvalidGroupId, GroupNameTaken,
    ];
    events [UserGroupAdd, UserGroupAddSubgroups];
}

/// Which group was created.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct GroupIdReply {
    /// ID of the group, higher than those of earlier groups.
    pub group_id: GroupId,
}

impl Write for CreateGroup {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<GroupIdReply, Error> {
        let creator = context.caller().id;
        check_group_description(&params.description, context.feature_level)?;
        let members = checked_members(tx, &params.members, context.feature_level)?;
        let name = checked_group_name(&params.name, context.feature_level)?;
        let default_permissions = tx.default_permissions(GROUP_PERMISSIONS, Some(creator));
        let requested_permissions = params.permissions.by_name();
        let permissions =
            resolve_all(tx, context.feature_level, GROUP_PERMISSIONS, default_permissions, requested_permissions)?;
        check_group_name_is_free(tx, &name, None, context.feature_level)?;
        let subgroups: OrdSet<GroupId> = checked_subgroups(tx, &params.subgroups)?.into_iter().collect();

        tx.realm_mut().counters.group += 1;
        let id = GroupId(tx.counters.group);
        let now = tx.now;
        let group = Group {
            id,
            name,
            description: params.description,
            members: members.into_iter().collect(),
            subgroups: OrdSet::new(),
            creator: Some(creator),
            date_created: Some(now),
            system: None,
            is_deactivated: false,
            permissions,
        };
        let record = GroupRecord::new(tx, &group, !tx.has(Feature::OnlyActiveMembers));
        tx.realm_mut().groups.insert(id, Arc::new(group));
        emit_group_event(tx, id, UserGroupAdd { group: record });
        if !subgroups.is_empty() {
            let direct_subgroup_ids = subgroups.iter().copied().collect();
            emit_group_event(tx, id, UserGroupAddSubgroups(Subgroups { group_id: id, direct_subgroup_ids }));
            tx.group_mut(id).subgroups = subgroups;
        }
        Ok(GroupIdReply { group_id: id })
    }
}
