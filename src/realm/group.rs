//! User groups, the system's own included.

use super::Realm;
use super::id::{GroupId, UserId};
use super::permission::Permissions;
use super::user::Role;
use super::walk::reachable;
use crate::time::Timestamp;
use imbl::OrdSet;
use serde::{Deserialize, Serialize};

/// A user group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its number.
    pub id: GroupId,
    /// Unique in the organization, whatever the case.
    pub name: String,
    /// Free text.
    pub description: String,
    /// Direct members. Deactivated users stay in it but don't count.
    pub members: OrdSet<UserId>,
    /// Direct subgroups.
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

/// The groups that the server keeps by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SystemGroup {
    /// Empty.
    Nobody,
    /// Owners.
    Owners,
    /// Administrators and owners.
    Administrators,
    /// Moderators and above.
    Moderators,
    /// Members past the waiting period, and moderators and above.
    FullMembers,
    /// All but guests.
    Members,
    /// All users.
    Everyone,
    /// All users and anonymous visitors.
    Internet,
}

impl SystemGroup {
    /// In the order in which they are made.
    pub const ALL: [SystemGroup; 8] = [
        SystemGroup::Internet,
        SystemGroup::Everyone,
        SystemGroup::Members,
        SystemGroup::FullMembers,
        SystemGroup::Moderators,
        SystemGroup::Administrators,
        SystemGroup::Owners,
        SystemGroup::Nobody,
    ];

    /// Name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            SystemGroup::Nobody => "role:nobody",
            SystemGroup::Owners => "role:owners",
            SystemGroup::Administrators => "role:administrators",
            SystemGroup::Moderators => "role:moderators",
            SystemGroup::FullMembers => "role:fullmembers",
            SystemGroup::Members => "role:members",
            SystemGroup::Everyone => "role:everyone",
            SystemGroup::Internet => "role:internet",
        }
    }

    /// Name in texts.
    pub fn display_name(self) -> &'static str {
        match self {
            SystemGroup::Nobody => "Nobody",
            SystemGroup::Owners => "Owners",
            SystemGroup::Administrators => "Administrators",
            SystemGroup::Moderators => "Moderators",
            SystemGroup::FullMembers => "Full members",
            SystemGroup::Members => "Members",
            SystemGroup::Everyone => "Everyone",
            SystemGroup::Internet => "Everyone on the internet",
        }
    }

    /// Who is in it, in a sentence.
    pub fn description(self) -> &'static str {
        match self {
            SystemGroup::Nobody => "Nobody",
            SystemGroup::Owners => "Owners of this organization",
            SystemGroup::Administrators => "Administrators of this organization, including owners",
            SystemGroup::Moderators => "Moderators of this organization, including administrators",
            SystemGroup::FullMembers => "Members of this organization, not including new accounts and guests",
            SystemGroup::Members => "Members of this organization, not including guests",
            SystemGroup::Everyone => "Everyone in this organization, including guests",
            SystemGroup::Internet => "Everyone on the Internet",
        }
    }

    /// The group that it contains.
    pub fn subgroup(self) -> Option<SystemGroup> {
        match self {
            SystemGroup::Nobody | SystemGroup::Owners => None,
            SystemGroup::Administrators => Some(SystemGroup::Owners),
            SystemGroup::Moderators => Some(SystemGroup::Administrators),
            SystemGroup::FullMembers => Some(SystemGroup::Moderators),
            SystemGroup::Members => Some(SystemGroup::FullMembers),
            SystemGroup::Everyone => Some(SystemGroup::Members),
            SystemGroup::Internet => Some(SystemGroup::Everyone),
        }
    }

    /// The group that users of a role are direct members of.
    pub fn of_role(role: Role) -> SystemGroup {
        match role {
            Role::Owner => SystemGroup::Owners,
            Role::Administrator => SystemGroup::Administrators,
            Role::Moderator => SystemGroup::Moderators,
            Role::Member => SystemGroup::Members,
            Role::Guest => SystemGroup::Everyone,
        }
    }
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

    /// The direct members of a group who are deactivated, which levels below 303 list. System groups list none.
    pub fn inactive_members(&self, group: &Group) -> impl Iterator<Item = UserId> {
        group.members.iter().filter(|user| !self.is_active(**user)).copied()
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
