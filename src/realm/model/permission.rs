//! Permission settings: their tables, and the group-setting values that define their holders (specification,
//! "Group-setting value").

use super::id::{GroupId, UserId};
use super::system_group::SystemGroup;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The holders of a permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "takes the id of a group, or an object with direct_members and direct_subgroups")]
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
    /// IDs of users who hold the permission themselves.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub direct_members: BTreeSet<UserId>,
    /// IDs of groups whose members hold the permission.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::set")]
    pub direct_subgroups: BTreeSet<GroupId>,
}

/// The holders of permissions, by the name of the permission on the wire.
pub type Permissions = BTreeMap<&'static str, GroupSettingValue>;

/// A permission setting: a row of the tables below.
#[derive(Clone, Copy, Debug)]
pub struct PermissionSetting {
    /// The name on the wire. In the register reply, organization settings have the prefix `realm_`.
    pub name: &'static str,
    pub default: DefaultHolder,
    /// Whether `role:internet` may hold it.
    pub allow_internet: bool,
    /// Whether `role:everyone` may hold it. If not, guests never hold it.
    pub allow_everyone: bool,
    /// Whether `role:nobody` may hold it.
    pub allow_nobody: bool,
    /// Whether only system groups may hold it.
    pub require_system_group: bool,
    /// Another system group that may not hold it: owners, at older levels. None in the tables.
    pub refused_group: Option<SystemGroup>,
    /// The only system groups that may hold it; empty for no restriction.
    pub allowed_groups: &'static [SystemGroup],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultHolder {
    System(SystemGroup),
    /// The user who created the group or channel.
    Creator,
}

const fn with_default_holder(default: SystemGroup) -> PermissionSetting {
    PermissionSetting {
        name: "",
        default: DefaultHolder::System(default),
        allow_internet: false,
        allow_everyone: true,
        allow_nobody: true,
        require_system_group: false,
        refused_group: None,
        allowed_groups: &[],
    }
}

const fn without_guests(default: SystemGroup) -> PermissionSetting {
    PermissionSetting { allow_everyone: false, ..with_default_holder(default) }
}

const HELD_BY_CREATOR: PermissionSetting =
    PermissionSetting { default: DefaultHolder::Creator, ..without_guests(SystemGroup::Nobody) };

/// Declares a table of permission settings, and an enum whose variants are in the order of the table.
macro_rules! permissions {
    ($($(#[$doc:meta])+ $Permission:ident in $TABLE:ident { $($variant:ident = $name:literal: $row:expr,)+ })+) => {$(
        $(#[$doc])+
        #[allow(clippy::enum_variant_names, reason = "most names of permissions in the API begin with `can_`")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Permission {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        $(#[$doc])+
        pub const $TABLE: &[PermissionSetting] = &[$(PermissionSetting { name: $name, ..$row },)+];

        impl $Permission {
            pub const fn setting(self) -> &'static PermissionSetting {
                &$TABLE[self as usize]
            }

            /// The name on the wire.
            pub const fn name(self) -> &'static str {
                self.setting().name
            }
        }
    )+};
}

/// The schema of an object with a group-setting value for each setting.
pub fn schema_of(settings: &[PermissionSetting], generator: &mut SchemaGenerator) -> Schema {
    let value = generator.subschema_for::<GroupSettingValue>().to_value();
    let properties: Map<String, Value> =
        settings.iter().map(|setting| (setting.name.to_owned(), value.clone())).collect();
    let required: Vec<&str> = settings.iter().map(|setting| setting.name).collect();
    json_schema!({"type": "object", "properties": properties, "required": required})
}

use SystemGroup::{Administrators, Everyone, Members, Moderators, Nobody, Owners};

permissions! {
    /// Permission settings of a user group, in the order in which they are checked.
    GroupPermission in GROUP_PERMISSIONS {
        CanAddMembers = "can_add_members_group": HELD_BY_CREATOR,
        CanJoin = "can_join_group": without_guests(Nobody),
        CanLeave = "can_leave_group": with_default_holder(Everyone),
        CanManage = "can_manage_group": HELD_BY_CREATOR,
        CanMention = "can_mention_group": with_default_holder(Everyone),
        CanRemoveMembers = "can_remove_members_group": without_guests(Nobody),
    }

    /// Permission settings of a channel.
    ChannelPermission in CHANNEL_PERMISSIONS {
        CanAddSubscribers = "can_add_subscribers_group": without_guests(Nobody),
        CanAdministerChannel = "can_administer_channel_group": HELD_BY_CREATOR,
        CanCreateTopic = "can_create_topic_group": with_default_holder(Everyone),
        CanDeleteAnyMessage = "can_delete_any_message_group": with_default_holder(Nobody),
        CanDeleteOwnMessage = "can_delete_own_message_group": with_default_holder(Nobody),
        CanMoveMessagesOutOfChannel = "can_move_messages_out_of_channel_group": with_default_holder(Nobody),
        CanMoveMessagesWithinChannel = "can_move_messages_within_channel_group": with_default_holder(Nobody),
        CanRemoveSubscribers = "can_remove_subscribers_group": with_default_holder(Administrators),
        CanResolveTopics = "can_resolve_topics_group": with_default_holder(Nobody),
        CanSendMessage = "can_send_message_group": with_default_holder(Everyone),
        CanSubscribe = "can_subscribe_group": without_guests(Nobody),
    }

    /// Permission settings of the organization.
    RealmPermission in REALM_PERMISSIONS {
        CanAccessAllUsers = "can_access_all_users_group": PermissionSetting {
            require_system_group: true,
            allow_nobody: false,
            allowed_groups: &[Everyone, Members],
            ..with_default_holder(Everyone)
        },
        CanAddCustomEmoji = "can_add_custom_emoji_group": without_guests(Members),
        CanAddSubscribers = "can_add_subscribers_group": without_guests(Members),
        CanCreateBots = "can_create_bots_group": without_guests(Members),
        CanCreateGroups = "can_create_groups": without_guests(Members),
        CanCreatePrivateChannel = "can_create_private_channel_group": without_guests(Members),
        CanCreatePublicChannel = "can_create_public_channel_group": without_guests(Members),
        CanCreateWebPublicChannel = "can_create_web_public_channel_group": PermissionSetting {
            require_system_group: true,
            allowed_groups: &[Moderators, Administrators, Owners, Nobody],
            ..without_guests(Owners)
        },
        CanCreateWriteOnlyBots = "can_create_write_only_bots_group": without_guests(Members),
        CanDeleteAnyMessage = "can_delete_any_message_group": without_guests(Administrators),
        CanDeleteOwnMessage = "can_delete_own_message_group": with_default_holder(Everyone),
        CanInviteUsers = "can_invite_users_group": without_guests(Members),
        CanManageAllGroups = "can_manage_all_groups": PermissionSetting {
            allow_nobody: false,
            ..without_guests(Owners)
        },
        CanManageBilling = "can_manage_billing_group": PermissionSetting {
            allow_nobody: false,
            ..without_guests(Administrators)
        },
        CanMentionManyUsers = "can_mention_many_users_group": with_default_holder(Administrators),
        CanMoveMessagesBetweenChannels = "can_move_messages_between_channels_group": without_guests(Members),
        CanMoveMessagesBetweenTopics = "can_move_messages_between_topics_group": with_default_holder(Everyone),
        CanResolveTopics = "can_resolve_topics_group": with_default_holder(Everyone),
        CanSetDeleteMessagePolicy = "can_set_delete_message_policy_group": without_guests(Moderators),
        CanSetTopicsPolicy = "can_set_topics_policy_group": without_guests(Members),
        CanSummarizeTopics = "can_summarize_topics_group": with_default_holder(Everyone),
        CreateMultiuseInvite = "create_multiuse_invite_group": without_guests(Administrators),
        DirectMessageInitiator = "direct_message_initiator_group": with_default_holder(Everyone),
        DirectMessagePermission = "direct_message_permission_group": with_default_holder(Everyone),
        WorkplaceUsers = "workplace_users_group": without_guests(Members),
    }
}

/// Finds a row by its name.
///
/// # Panics
///
/// When no setting has this name. Callers only use names from the code, not from input.
pub fn setting_named(table: &'static [PermissionSetting], name: &str) -> &'static PermissionSetting {
    table
        .iter()
        .find(|setting| setting.name == name)
        .unwrap_or_else(|| panic!("no permission setting is called {name}"))
}
