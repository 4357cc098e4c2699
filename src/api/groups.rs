//! User groups: looking at them. Making, changing and filling them are in the files below.
//!
//! A choice where the API is silent: A-25 in docs/assumptions.md.

pub mod create;
pub mod deactivate;
pub mod edit;
pub mod members;
pub mod remove;
pub(super) mod rules;

use super::parameter::parameters;
use super::{About, Access, Call, Operation, Read, Route};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::group::Group;
use crate::realm::id::{GroupId, UserId};
use crate::realm::permission::is_member;
use crate::record::group::GroupRecord;
use imbl::OrdSet;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// GET /user_groups
pub struct GetGroups;

parameters! {
    /// Which groups.
    pub struct GetGroupsParams {
        /// Deactivated ones too.
        include_deactivated_groups: bool = false,
    }
}

/// User groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupsReply {
    /// Sorted by ID, the system's own first.
    pub user_groups: Vec<GroupRecord>,
}

impl Operation for GetGroups {
    const ROUTE: Route = Route::get("/user_groups");
    const ACCESS: Access = Access::NotGuest;
    const ABOUT: About = About {
        summary: "Lists the user groups, those that the server keeps by role included.",
        since: 0,
        is_specified: false,
        errors: &[],
        events: &[],
    };
    type Params = GetGroupsParams;
    type Reply = GroupsReply;
}

impl Read for GetGroups {
    fn run(realm: &Realm, _call: &Call<'_>, params: Self::Params) -> Result<GroupsReply, Error> {
        let groups = realm.groups.values().filter(|group| params.include_deactivated_groups || !group.is_deactivated);
        Ok(GroupsReply { user_groups: groups.map(|group| GroupRecord::new(realm, group)).collect() })
    }
}

/// The first level that lists active members alone.
const ACTIVE_ALONE_SINCE: i64 = 303;

/// GET /user_groups/{user_group_id}/members
pub struct GetGroupMembers;

parameters! {
    /// Whose members.
    pub struct GetGroupMembersParams {
        /// The group.
        @path user_group_id: GroupId,
        /// Without those of subgroups.
        direct_member_only: bool = false,
    }
}

/// Members.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupMembersReply {
    /// Active users, sorted.
    pub members: Vec<UserId>,
}

impl Operation for GetGroupMembers {
    const ROUTE: Route = Route::get("/user_groups/{user_group_id}/members");
    const ACCESS: Access = Access::HumanNotGuest;
    const ABOUT: About = About {
        summary: "Lists the members of a user group, those of its subgroups included.",
        since: 127,
        is_specified: false,
        errors: &["InvalidGroup", "GroupDeactivated"],
        events: &[],
    };
    type Params = GetGroupMembersParams;
    type Reply = GroupMembersReply;
}

impl Read for GetGroupMembers {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<GroupMembersReply, Error> {
        let group = active_group(realm, params.user_group_id)?;
        let mut members = members(realm, group, params.direct_member_only);
        if call.feature_level < ACTIVE_ALONE_SINCE {
            let subgroups = if params.direct_member_only { OrdSet::new() } else { realm.all_subgroups(group.id) };
            let groups = subgroups.iter().chain([&group.id]).map(|id| &realm.groups[id]);
            members.extend(groups.flat_map(|group| realm.inactive_members(group)));
        }
        Ok(GroupMembersReply { members: members.into_iter().collect() })
    }
}

/// GET /user_groups/{user_group_id}/members/{user_id}
pub struct IsGroupMember;

parameters! {
    /// Who and where.
    pub struct IsGroupMemberParams {
        /// The group.
        @path user_group_id: GroupId,
        /// The user.
        @path user_id: UserId,
        /// Membership in a subgroup does not count.
        direct_member_only: bool = false,
    }
}

/// Whether somebody is a member.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct IsGroupMemberReply {
    /// Whether they are.
    pub is_user_group_member: bool,
}

impl Operation for IsGroupMember {
    const ROUTE: Route = Route::get("/user_groups/{user_group_id}/members/{user_id}");
    const ACCESS: Access = Access::HumanNotGuest;
    const ABOUT: About = About {
        summary: "Tells whether a user is in a user group.",
        since: 127,
        is_specified: false,
        errors: &["InvalidGroup", "GroupDeactivated", "NoSuchUser", "TargetDeactivated"],
        events: &[],
    };
    type Params = IsGroupMemberParams;
    type Reply = IsGroupMemberReply;
}

impl Read for IsGroupMember {
    fn run(realm: &Realm, _call: &Call<'_>, params: Self::Params) -> Result<IsGroupMemberReply, Error> {
        let group = active_group(realm, params.user_group_id)?;
        let user = realm.user(params.user_id).filter(|user| !user.is_system_bot()).ok_or(Error::NoSuchUser)?;
        if !user.is_active {
            return Err(Error::TargetDeactivated);
        }
        let is_inside = if params.direct_member_only {
            group.members.contains(&user.id)
        } else {
            is_member(realm, group.id, user.id)
        };
        Ok(IsGroupMemberReply { is_user_group_member: is_inside })
    }
}

/// GET /user_groups/{user_group_id}/subgroups
pub struct GetSubgroups;

parameters! {
    /// Whose subgroups.
    pub struct GetSubgroupsParams {
        /// The group.
        @path user_group_id: GroupId,
        /// Without those of subgroups.
        direct_subgroup_only: bool = false,
    }
}

/// Subgroups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubgroupsReply {
    /// Sorted; without the group itself.
    pub subgroups: Vec<GroupId>,
}

impl Operation for GetSubgroups {
    const ROUTE: Route = Route::get("/user_groups/{user_group_id}/subgroups");
    const ACCESS: Access = Access::HumanNotGuest;
    const ABOUT: About = About {
        summary: "Lists the subgroups of a user group, to any depth.",
        since: 127,
        is_specified: false,
        errors: &["InvalidGroup", "GroupDeactivated"],
        events: &[],
    };
    type Params = GetSubgroupsParams;
    type Reply = SubgroupsReply;
}

impl Read for GetSubgroups {
    fn run(realm: &Realm, _call: &Call<'_>, params: Self::Params) -> Result<SubgroupsReply, Error> {
        let group = active_group(realm, params.user_group_id)?;
        let subgroups =
            if params.direct_subgroup_only { group.subgroups.clone() } else { realm.all_subgroups(group.id) };
        Ok(SubgroupsReply { subgroups: subgroups.into_iter().collect() })
    }
}

fn active_group(realm: &Realm, id: GroupId) -> Result<&Arc<Group>, Error> {
    let group = realm.groups.get(&id).ok_or(Error::InvalidGroup)?;
    if group.is_deactivated { Err(Error::GroupDeactivated) } else { Ok(group) }
}

fn members(realm: &Realm, group: &Group, only_direct: bool) -> OrdSet<UserId> {
    if only_direct {
        return group.members.iter().filter(|user| realm.is_active(**user)).copied().collect();
    }
    realm.all_members(group.id)
}
