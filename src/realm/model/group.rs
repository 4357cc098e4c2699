//! User groups, system groups included.

use super::graph::reachable_nodes;
use super::id::{GroupId, UserId};
use super::permission::Permissions;
use crate::realm::Realm;
use crate::time::Timestamp;
use imbl::OrdSet;
use serde::{Deserialize, Serialize};

pub use super::system_group::SystemGroup;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub id: GroupId,
    /// Unique in the organization; from the level of `Feature::StrictGroupNames` on, ignoring case.
    pub name: String,
    pub description: String,
    /// Direct members. Includes deactivated users, who have no rights of the group.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub members: OrdSet<UserId>,
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub subgroups: OrdSet<GroupId>,
    /// None for a system group, and for a group of a fixture that names no creator.
    pub creator: Option<UserId>,
    /// None for a system group.
    pub date_created: Option<Timestamp>,
    /// None unless it is a system group.
    pub system: Option<SystemGroup>,
    /// Deactivated groups keep their members, but can't be mentioned or hold permissions.
    pub is_deactivated: bool,
    #[serde(with = "super::state_serialization::permissions")]
    pub permissions: Permissions,
}

impl Realm {
    /// The ID of a system group. Every realm has all system groups, and none can be removed.
    pub fn system_group(&self, kind: SystemGroup) -> GroupId {
        self.system_groups[&kind]
    }

    /// The direct members of a system group, including deactivated users.
    pub fn system_group_members(&self, kind: SystemGroup) -> &OrdSet<UserId> {
        &self.groups[&self.system_group(kind)].members
    }

    /// Looks a group up by name, ignoring case. If there are several, it is the one with the smallest ID.
    pub fn group_by_name(&self, name: &str) -> Option<&Group> {
        let lowercase_name = name.to_lowercase();
        self.groups.values().find(|group| group.name.to_lowercase() == lowercase_name).map(AsRef::as_ref)
    }

    /// The active members of a group and of its subgroups to any depth.
    pub fn active_members_within(&self, group: GroupId) -> OrdSet<UserId> {
        self.active_members_of_any([group])
    }

    /// The subgroups of a group to any depth, without the group itself.
    pub fn all_subgroups(&self, group: GroupId) -> OrdSet<GroupId> {
        self.groups_within([group]).map(|group| group.id).filter(|id| *id != group).collect()
    }

    /// The groups and their subgroups to any depth, without duplicates. Groups that don't exist are left out.
    pub fn groups_within(&self, groups: impl IntoIterator<Item = GroupId>) -> impl Iterator<Item = &Group> {
        let ids = reachable_nodes(groups, |id: GroupId, visit: &mut dyn FnMut(GroupId)| {
            for subgroup in self.groups.get(&id).into_iter().flat_map(|group| &group.subgroups) {
                visit(*subgroup);
            }
        });
        ids.filter_map(|id| self.groups.get(&id).map(AsRef::as_ref))
    }
}
