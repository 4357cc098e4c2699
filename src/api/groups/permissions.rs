//! Parameters of the permissions of user groups.

use crate::api::parameter::types::group_setting::permission_parameters;

permission_parameters! {
    /// Permissions of a new group.
    pub struct GroupPermissions;
    /// New values of a group's permissions.
    pub struct GroupPermissionUpdates;

    /// Who may add members; the creator by default. Not `role:internet` or `role:everyone`.
    can_add_members_group,
    /// Who may join; nobody by default. Not `role:internet` or `role:everyone`.
    can_join_group,
    /// Who may leave; everyone by default. Not `role:internet`.
    can_leave_group,
    /// Who may manage the group and its members; the creator by default. Not `role:internet` or `role:everyone`.
    can_manage_group,
    /// Who may mention it; everyone by default. Not `role:internet`.
    can_mention_group,
    /// Who may remove members; nobody by default. Not `role:internet` or `role:everyone`.
    can_remove_members_group,
}
