//! System groups, whose members the server derives from the users' roles and the waiting period.

use super::user::Role;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SystemGroup {
    /// Has no members.
    Nobody,
    Owners,
    /// Administrators and owners.
    Administrators,
    /// Moderators and above.
    Moderators,
    /// Members past the waiting period, and moderators and above.
    FullMembers,
    /// All except guests.
    Members,
    /// All users.
    Everyone,
    /// All users and spectators.
    Internet,
}

impl SystemGroup {
    /// In the order in which they are created.
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

    /// The name on the wire.
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

    /// The name in mentions of the group.
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

    /// The direct subgroup.
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

    /// The system group that all users with this role join. Full members are also direct members of `FullMembers`.
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
