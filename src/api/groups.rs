//! User groups: listing and reading them. Submodules create, change, deactivate and delete groups, change members, and
//! have the parameters of permissions.
//!
//! Guests are refused (A-25 in docs/assumptions.md).

pub mod create;
pub mod deactivate;
pub mod delete;
pub mod edit;
pub mod members;
pub(super) mod permissions;

use super::{OperationContext, Read, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::group::Group;
use crate::realm::id::{GroupId, UserId};
use crate::realm::permission_holders::is_member;
use crate::record::group::GroupRecord;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

operation! {
    /// Lists the user groups, including the system groups.
    pub GetGroups = GET "/user_groups", for NotGuest;
    params {
        /// Also list deactivated groups.
        include_deactivated_groups since 290: bool = false,
    }
    reply GroupsReply;
}

/// The organization's user groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupsReply {
    /// Sorted by ID, with the system groups.
    pub user_groups: Vec<GroupRecord>,
}

impl Read for GetGroups {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<GroupsReply, Error> {
        let includes_deactivated_members = !context.has(Feature::OnlyActiveMembers);
        let groups = realm.groups.values().filter(|group| params.include_deactivated_groups || !group.is_deactivated);
        Ok(GroupsReply {
            user_groups: groups.map(|group| GroupRecord::new(realm, group, includes_deactivated_members)).collect(),
        })
    }
}

operation! {
    /// Lists the members of a user group, including those of its subgroups.
    pub GetGroupMembers = GET "/user_groups/{user_group_id}/members", for NotGuest, since 127;
    params {
        /// ID of a group that is not deactivated.
        @path user_group_id: GroupId,
        /// Leave out members of subgroups.
        direct_member_only: bool = false,
    }
    reply GroupMembersReply;
    errors [InvalidGroup, GroupDeactivated];
}

/// The members of a user group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupMembersReply {
    /// IDs of active users, sorted. Below 303, deactivated users too; below 497, each once per group that has the user.
    pub members: Vec<UserId>,
}

impl Read for GetGroupMembers {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<GroupMembersReply, Error> {
        let group = find_active_group(realm, params.user_group_id)?;
        if context.has(Feature::DistinctGroupMembers) {
            let members = active_members(realm, group, params.direct_member_only);
            return Ok(GroupMembersReply { members: members.into_iter().collect() });
        }
        let subgroups = if params.direct_member_only { OrdSet::new() } else { realm.all_subgroups(group.id) };
        let groups = subgroups.iter().chain([&group.id]).map(|id| &realm.groups[id]);
        let is_listed = |id: &UserId| !context.has(Feature::OnlyActiveMembers) || realm.is_active(*id);
        let mut members: Vec<UserId> =
            groups.flat_map(|group| group.members.iter().copied()).filter(is_listed).collect();
        members.sort_unstable();
        Ok(GroupMembersReply { members })
    }
}

operation! {
    /// Returns whether a user is in a user group.
    pub IsGroupMember = GET "/user_groups/{user_group_id}/members/{user_id}", for NotGuest, since 127;
    params {
        /// ID of a group that is not deactivated.
        @path user_group_id: GroupId,
        /// ID of an active user.
        @path user_id: UserId,
        /// Membership in a subgroup does not count.
        direct_member_only: bool = false,
    }
    reply IsGroupMemberReply;
    errors [InvalidGroup, GroupDeactivated, NoSuchUser, TargetDeactivated];
}

/// Whether a user is a member.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct IsGroupMemberReply {
    /// Direct membership counts, and membership in a subgroup unless the request excludes it.
    pub is_user_group_member: bool,
}

impl Read for IsGroupMember {
    fn run(realm: &Realm, _context: &OperationContext<'_>, params: Self::Params) -> Result<IsGroupMemberReply, Error> {
        let group = find_active_group(realm, params.user_group_id)?;
        let user = realm.user(params.user_id).filter(|user| !user.is_system_bot()).ok_or(Error::NoSuchUser)?;
        if !user.is_active {
            return Err(Error::TargetDeactivated);
        }
        let is_user_group_member = if params.direct_member_only {
            group.members.contains(&user.id)
        } else {
            is_member(realm, group.id, user.id)
        };
        Ok(IsGroupMemberReply { is_user_group_member })
    }
}

operation! {
    /// Lists the subgroups of a user group, to any depth.
    pub GetSubgroups = GET "/user_groups/{user_group_id}/subgroups", for NotGuest, since 127;
    params {
        /// ID of a group that is not deactivated.
        @path user_group_id: GroupId,
        /// Leave out subgroups of subgroups.
        direct_subgroup_only: bool = false,
    }
    reply SubgroupsReply;
    errors [InvalidGroup, GroupDeactivated];
}

/// The subgroups of a user group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubgroupsReply {
    /// IDs, sorted; without the group itself.
    pub subgroups: Vec<GroupId>,
}

impl Read for GetSubgroups {
    fn run(realm: &Realm, _context: &OperationContext<'_>, params: Self::Params) -> Result<SubgroupsReply, Error> {
        let group = find_active_group(realm, params.user_group_id)?;
        let subgroups =
            if params.direct_subgroup_only { group.subgroups.clone() } else { realm.all_subgroups(group.id) };
        Ok(SubgroupsReply { subgroups: subgroups.into_iter().collect() })
    }
}

fn find_active_group(realm: &Realm, id: GroupId) -> Result<&Arc<Group>, Error> {
    let group = realm.groups.get(&id).ok_or(Error::InvalidGroup)?;
    if group.is_deactivated { Err(Error::GroupDeactivated) } else { Ok(group) }
}

fn active_members(realm: &Realm, group: &Group, direct_only: bool) -> OrdSet<UserId> {
    if direct_only {
        return group.members.iter().filter(|user| realm.is_active(**user)).copied().collect();
    }
    realm.active_members_within(group.id)
}
