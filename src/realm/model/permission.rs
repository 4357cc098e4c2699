//! Permissions: the tables of them, and the values that say who holds one (specification, "Group-setting value").

use super::id::{GroupId, UserId};
use super::system_group::SystemGroup;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The holders of a permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GroupSettingValue {
    /// The members of a named group.
    Group(GroupId),
    /// These users and the members of these groups.
    Anonymous(AnonymousGroup),
}

/// Users and groups that hold a permission as an anonymous group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnonymousGroup {
    /// Ids of users.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub direct_members: BTreeSet<UserId>,
    /// Ids of groups.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub direct_subgroups: BTreeSet<GroupId>,
}

/// Values of permissions by the setting's name.
pub type Permissions = BTreeMap<&'static str, GroupSettingValue>;

/// What holds for a permission setting: a row of the tables below.
#[derive(Clone, Copy, Debug)]
pub struct PermissionSetting {
    /// Name on the wire; organization settings carry `realm_` before it in the register reply.
    pub name: &'static str,
    /// Holder when nothing else is said.
    pub default: DefaultHolder,
    /// Whether `role:internet` may hold it.
    pub allow_internet: bool,
    /// Whether `role:everyone` may hold it; where not, guests never do.
    pub allow_everyone: bool,
    /// Whether `role:nobody` may hold it.
    pub allow_nobody: bool,
    /// Whether only system groups may hold it.
    pub require_system_group: bool,
    /// A further system group that may not hold it.
    pub refused: Option<SystemGroup>,
    /// Only these system groups may hold it; empty: no such limit.
    pub allowed: &'static [SystemGroup],
}

/// Who holds a permission by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultHolder {
    /// A system group.
    System(SystemGroup),
    /// Whoever made the object.
    Creator,
}

const fn row(name: &'static str, default: SystemGroup) -> PermissionSetting {
    PermissionSetting {
        name,
        default: DefaultHolder::System(default),
        allow_internet: false,
        allow_everyone: true,
        allow_nobody: true,
        require_system_group: false,
        refused: None,
        allowed: &[],
    }
}

const fn members_only(name: &'static str, default: SystemGroup) -> PermissionSetting {
    PermissionSetting { allow_everyone: false, ..row(name, default) }
}

const fn by_creator(name: &'static str) -> PermissionSetting {
    PermissionSetting { default: DefaultHolder::Creator, ..members_only(name, SystemGroup::Nobody) }
}

/// The schema of an object with a value of each of these settings.
pub fn schema_of(settings: &[PermissionSetting], generator: &mut SchemaGenerator) -> Schema {
    let value = generator.subschema_for::<GroupSettingValue>().to_value();
    let properties: Map<String, Value> = settings.iter().map(|one| (one.name.to_owned(), value.clone())).collect();
    let required: Vec<&str> = settings.iter().map(|one| one.name).collect();
    json_schema!({"type": "object", "properties": properties, "required": required})
}

use SystemGroup::{Administrators, Everyone, Members, Moderators, Nobody, Owners};

/// Permission settings of a user group, in the order in which they are checked.
pub const GROUP_PERMISSIONS: &[PermissionSetting] = &[
    by_creator("can_add_members_group"),
    members_only("can_join_group", Nobody),
    row("can_leave_group", Everyone),
    by_creator("can_manage_group"),
    row("can_mention_group", Everyone),
    members_only("can_remove_members_group", Nobody),
];

/// Permission settings of a channel.
pub const CHANNEL_PERMISSIONS: &[PermissionSetting] = &[
    members_only("can_add_subscribers_group", Nobody),
    by_creator("can_administer_channel_group"),
    row("can_create_topic_group", Everyone),
    row("can_delete_any_message_group", Nobody),
    row("can_delete_own_message_group", Nobody),
    row("can_move_messages_out_of_channel_group", Nobody),
    row("can_move_messages_within_channel_group", Nobody),
    row("can_remove_subscribers_group", Administrators),
    row("can_resolve_topics_group", Nobody),
    row("can_send_message_group", Everyone),
    members_only("can_subscribe_group", Nobody),
];

/// Permission settings of the organization.
pub const REALM_PERMISSIONS: &[PermissionSetting] = &[
    PermissionSetting {
        require_system_group: true,
        allow_nobody: false,
        allowed: &[Everyone, Members],
        ..row("can_access_all_users_group", Everyone)
    },
    members_only("can_add_custom_emoji_group", Members),
    members_only("can_add_subscribers_group", Members),
    members_only("can_create_bots_group", Members),
    members_only("can_create_groups", Members),
    members_only("can_create_private_channel_group", Members),
    members_only("can_create_public_channel_group", Members),
    PermissionSetting {
        require_system_group: true,
        allowed: &[Moderators, Administrators, Owners, Nobody],
        ..members_only("can_create_web_public_channel_group", Owners)
    },
    members_only("can_create_write_only_bots_group", Members),
    members_only("can_delete_any_message_group", Administrators),
    row("can_delete_own_message_group", Everyone),
    members_only("can_invite_users_group", Members),
    PermissionSetting { allow_nobody: false, ..members_only("can_manage_all_groups", Owners) },
    PermissionSetting { allow_nobody: false, ..members_only("can_manage_billing_group", Administrators) },
    row("can_mention_many_users_group", Administrators),
    members_only("can_move_messages_between_channels_group", Members),
    row("can_move_messages_between_topics_group", Everyone),
    row("can_resolve_topics_group", Everyone),
    members_only("can_set_delete_message_policy_group", Moderators),
    members_only("can_set_topics_policy_group", Members),
    row("can_summarize_topics_group", Everyone),
    members_only("create_multiuse_invite_group", Administrators),
    row("direct_message_initiator_group", Everyone),
    row("direct_message_permission_group", Everyone),
    members_only("workplace_users_group", Members),
];

/// The row of a table with this name.
///
/// # Panics
///
/// When no row has the name: names are written in the code, never taken from input.
pub fn setting(table: &'static [PermissionSetting], name: &str) -> &'static PermissionSetting {
    table.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no permission setting is called {name}"))
}
