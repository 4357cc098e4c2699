//! Rows of the error table for user groups and for permissions that groups hold.

macro_rules! groups {
    ([$next:ident $($rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest)*] $($rows)*
            InvalidGroup: 400 BAD_REQUEST "Invalid user group";
            GroupDeactivated: 400 BAD_REQUEST "User group is deactivated.";
            /// A list contains the ID of an unknown group.
            InvalidGroupId { group_id }: 400 BAD_REQUEST "Invalid user group ID: {group_id}";
            /// A list contains the ID of an unknown user, or of a system bot or a deactivated user where these are not
            /// allowed.
            InvalidUserId { user_id }: 400 BAD_REQUEST "Invalid user ID: {user_id}";
            /// The permission can't be given to this system group.
            DisallowedGroup { setting, group }: 400 BAD_REQUEST "'{setting}' setting cannot be set to '{group}' group.";
            /// Only system groups can hold the permission.
            SystemGroupRequired { setting_name }: 400 SYSTEM_GROUP_REQUIRED "'{setting_name}' must be a system user group." + [setting_name];
            GroupNameEmpty: 400 BAD_REQUEST "User group name can't be empty!";
            GroupNameTooLong { limit }: 400 BAD_REQUEST "User group name cannot exceed {limit} characters.";
            /// Mentions and searches give the prefix another meaning.
            GroupNamePrefixForbidden { prefix }: 400 BAD_REQUEST "User group name cannot start with '{prefix}'.";
            /// The existing group may be deactivated.
            GroupNameTaken { name }: 400 BAD_REQUEST "User group '{name}' already exists.";
            NoGroupChanges: 400 BAD_REQUEST "No new data supplied";
            NoMembersToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\", \"delete\", \"add_subgroups\" or \"delete_subgroups\".";
            NoSubgroupsToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\" or \"delete\".";
            AlreadyMember { user_id }: 400 BAD_REQUEST "User {user_id} is already a member of this group";
            NotMember { user_id }: 400 BAD_REQUEST "There is no member '{user_id}' in this user group";
            AlreadySubgroup { group_id }: 400 BAD_REQUEST "User group {group_id} is already a subgroup of this group.";
            SubgroupCycle { group_id }: 400 BAD_REQUEST "User group {group_id} is already a subgroup of one of the passed subgroups.";
            NotSubgroup { group_id }: 400 BAD_REQUEST "User group {group_id} is not a subgroup of this group.";
            /// A group, a channel or the organization still refers to the group.
            GroupInUse { objections }: 400 CANNOT_DEACTIVATE_GROUP_IN_USE "Cannot deactivate user group in use." + [objections];
        }
    };
}
pub(super) use groups;
