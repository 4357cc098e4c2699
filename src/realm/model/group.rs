//! User groups, the system's own included.

use super::id::{GroupId, UserId};
use super::permission::Permissions;
use super::walk::reachable;
use crate::realm::Realm;
use crate::time::Timestamp;
use imbl::OrdSet;
use serde::{Deserialize, Serialize};

pub use super::system_group::SystemGroup;

/// A user group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    pub id: GroupId,
    /// Unique in the organization, whatever the case.
    pub name: String,
    /// Free text.
    pub description: String,
    /// Direct members. Deactivated users stay in it but don't count.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub members: OrdSet<UserId>,
    /// Direct subgroups.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub subgroups: OrdSet<GroupId>,
    /// Who made it; nobody for system groups.
    pub creator: Option<UserId>,
    /// When it was made; unknown for system groups.
    pub date_created: Option<Timestamp>,
    /// Which system group it is.
    pub system: Option<SystemGroup>,
    /// Deactivated groups keep their members but can't be mentioned or hold permissions.
    pub is_deactivated: bool,
    /// Who may do what with it.
    #[serde(with = "super::stored::permissions")]
    pub permissions: Permissions,
}

impl Realm {
    /// The id of a system group.
    ///
    /// # Panics
    ///
    /// When the realm lacks it: every realm is made with all of them, and none can be removed.
    pub fn system_group(&self, which: SystemGroup) -> GroupId {
        *self.system_groups.get(&which).expect("every realm has every system group")
    }

    /// The direct members of a system group, deactivated ones included.
    pub fn system_group_members(&self, which: SystemGroup) -> &OrdSet<UserId> {
        &self.groups[&self.system_group(which)].members
    }

    /// The group with this name, whatever the case.
    pub fn group_by_name(&self, name: &str) -> Option<&Group> {
        let folded = name.to_lowercase();
        self.groups.values().find(|group| group.name.to_lowercase() == folded).map(AsRef::as_ref)
    }

    /// The active members of a group, subgroups to any depth included.
    pub fn all_members(&self, group: GroupId) -> OrdSet<UserId> {
        self.members_of_any([group])
    }

    /// The subgroups of a group to any depth, without itself.
    pub fn all_subgroups(&self, group: GroupId) -> OrdSet<GroupId> {
        self.groups_within([group]).map(|group| group.id).filter(|id| *id != group).collect()
    }

    /// These groups and their subgroups to any depth, each once. Groups that don't exist are left out.
    pub fn groups_within(&self, groups: impl IntoIterator<Item = GroupId>) -> impl Iterator<Item = &Group> {
        let all = reachable(groups, |id: GroupId, found: &mut dyn FnMut(GroupId)| {
            for subgroup in self.groups.get(&id).into_iter().flat_map(|group| &group.subgroups) {
                found(*subgroup);
            }
        });
        all.filter_map(|id| self.groups.get(&id).map(AsRef::as_ref))
    }
}
