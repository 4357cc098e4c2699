//! The groups that the server keeps by role.

use super::user::Role;
use serde::{Deserialize, Serialize};

/// The groups that the server keeps by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SystemGroup {
    /// Empty.
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
