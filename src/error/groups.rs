//! Errors of user groups.

macro_rules! groups {
    ([$next:ident $($rest:ident)*] $($above:tt)*) => {
        $next! { [$($rest)*] $($above)*
            /// Unknown group.
            InvalidGroup: 400 BAD_REQUEST "Invalid user group";
            /// A deactivated group.
            GroupDeactivated: 400 BAD_REQUEST "User group is deactivated.";
            /// Unknown group in a list.
            InvalidGroupId { group_id }: 400 BAD_REQUEST "Invalid user group ID: {group_id}";
            /// Unknown or deactivated user in a list.
            InvalidUserId { user_id }: 400 BAD_REQUEST "Invalid user ID: {user_id}";
            /// Users of a profile field that do not exist here.
            InvalidUserIds { user_ids }: 400 BAD_REQUEST "Invalid user IDs: {user_ids}";
            /// A system group that this permission can't be given to.
            DisallowedGroup { setting, group }: 400 BAD_REQUEST "'{setting}' setting cannot be set to '{group}' group.";
            /// Another than a system group where only these may hold the permission.
            SystemGroupRequired { setting_name }: 400 SYSTEM_GROUP_REQUIRED "'{setting_name}' must be a system user group." + [setting_name];
            /// An empty name.
            GroupNameEmpty: 400 BAD_REQUEST "User group name can't be empty!";
            /// Over the limit.
            GroupNameTooLong { limit }: 400 BAD_REQUEST "User group name cannot exceed {limit} characters.";
            /// A name that mentions or searches would read otherwise.
            GroupNamePrefix { prefix }: 400 BAD_REQUEST "User group name cannot start with '{prefix}'.";
            /// The name is taken, perhaps by a deactivated group.
            GroupNameTaken { name }: 400 BAD_REQUEST "User group '{name}' already exists.";
            /// Nothing given.
            NoNewData: 400 BAD_REQUEST "No new data supplied";
            /// All four lists are empty.
            NoMembersToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\", \"delete\", \"add_subgroups\" or \"delete_subgroups\".";
            /// Both lists are empty.
            NoSubgroupsToChange: 400 BAD_REQUEST "Nothing to do. Specify at least one of \"add\" or \"delete\".";
            /// In the group already.
            AlreadyMember { user_id }: 400 BAD_REQUEST "User {user_id} is already a member of this group";
            /// Not in the group.
            NotMember { user_id }: 400 BAD_REQUEST "There is no member '{user_id}' in this user group";
            /// Directly below the group already.
            AlreadySubgroup { group_id }: 400 BAD_REQUEST "User group {group_id} is already a subgroup of this group.";
            /// Groups can't contain each other.
            SubgroupCycle { group_id }: 400 BAD_REQUEST "User group {group_id} is already a subgroup of one of the passed subgroups.";
            /// Not directly below the group.
            NotSubgroup { group_id }: 400 BAD_REQUEST "User group {group_id} is not a subgroup of this group.";
            /// Something still refers to the group.
            GroupInUse { objections }: 400 CANNOT_DEACTIVATE_GROUP_IN_USE "Cannot deactivate user group in use." + [objections];
            /// The expected value is not the current one.
            ExpectationMismatch { field_name }: 400 EXPECTATION_MISMATCH "'{field_name}' value does not match the expected value." + [field_name];
        }
    };
}
pub(super) use groups;
