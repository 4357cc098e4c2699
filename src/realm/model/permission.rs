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
    /// Ids of users.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub direct_members: BTreeSet<UserId>,
    /// Ids of groups.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub direct_subgroups: BTreeSet<GroupId>,
}

/// Holders by name of the setting.
pub type Permissions = BTreeMap<&'static str, GroupSettingValue>;

/// A permission setting: a row of the tables below.
#[derive(Clone, Copy, Debug)]
pub struct PermissionSetting {
    /// Name on the wire. In the register reply, organization settings have the prefix `realm_`.
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
    /// Another system group that may not hold it.
    pub refused: Option<SystemGroup>,
    /// The only system groups that may hold it. Empty: not restricted.
    pub allowed: &'static [SystemGroup],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultHolder {
    /// A system group.
    System(SystemGroup),
    /// The user who created the group or channel.
    Creator,
}

const fn held_by(default: SystemGroup) -> PermissionSetting {
    PermissionSetting {
        name: "",
        default: DefaultHolder::System(default),
        allow_internet: false,
        allow_everyone: true,
        allow_nobody: true,
        require_system_group: false,
        refused: None,
        allowed: &[],
    }
}

const fn never_by_guests(default: SystemGroup) -> PermissionSetting {
    PermissionSetting { allow_everyone: false, ..held_by(default) }
}

const BY_CREATOR: PermissionSetting =
    PermissionSetting { default: DefaultHolder::Creator, ..never_by_guests(SystemGroup::Nobody) };

/// Declares a table of permission settings, and an enum whose variants are in the order of the table.
macro_rules! permissions {
    ($($(#[$doc:meta])+ $Permission:ident in $TABLE:ident { $($variant:ident = $name:literal: $row:expr,)+ })+) => {$(
        $(#[$doc])+
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

            /// Name on the wire.
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
        CanAddMembers = "can_add_members_group": BY_CREATOR,
        CanJoin = "can_join_group": never_by_guests(Nobody),
        CanLeave = "can_leave_group": held_by(Everyone),
        CanManage = "can_manage_group": BY_CREATOR,
        CanMention = "can_mention_group": held_by(Everyone),
        CanRemoveMembers = "can_remove_members_group": never_by_guests(Nobody),
    }

    /// Permission settings of a channel.
    ChannelPermission in CHANNEL_PERMISSIONS {
        CanAddSubscribers = "can_add_subscribers_group": never_by_guests(Nobody),
        CanAdministerChannel = "can_administer_channel_group": BY_CREATOR,
        CanCreateTopic = "can_create_topic_group": held_by(Everyone),
        CanDeleteAnyMessage = "can_delete_any_message_group": held_by(Nobody),
        CanDeleteOwnMessage = "can_delete_own_message_group": held_by(Nobody),
        CanMoveMessagesOutOfChannel = "can_move_messages_out_of_channel_group": held_by(Nobody),
        CanMoveMessagesWithinChannel = "can_move_messages_within_channel_group": held_by(Nobody),
        CanRemoveSubscribers = "can_remove_subscribers_group": held_by(Administrators),
        CanResolveTopics = "can_resolve_topics_group": held_by(Nobody),
        CanSendMessage = "can_send_message_group": held_by(Everyone),
        CanSubscribe = "can_subscribe_group": never_by_guests(Nobody),
    }

    /// Permission settings of the organization.
    RealmPermission in REALM_PERMISSIONS {
        CanAccessAllUsers = "can_access_all_users_group": PermissionSetting {
            require_system_group: true,
            allow_nobody: false,
            allowed: &[Everyone, Members],
            ..held_by(Everyone)
        },
        CanAddCustomEmoji = "can_add_custom_emoji_group": never_by_guests(Members),
        CanAddSubscribers = "can_add_subscribers_group": never_by_guests(Members),
        CanCreateBots = "can_create_bots_group": never_by_guests(Members),
        CanCreateGroups = "can_create_groups": never_by_guests(Members),
        CanCreatePrivateChannel = "can_create_private_channel_group": never_by_guests(Members),
        CanCreatePublicChannel = "can_create_public_channel_group": never_by_guests(Members),
        CanCreateWebPublicChannel = "can_create_web_public_channel_group": PermissionSetting {
            require_system_group: true,
            allowed: &[Moderators, Administrators, Owners, Nobody],
            ..never_by_guests(Owners)
        },
        CanCreateWriteOnlyBots = "can_create_write_only_bots_group": never_by_guests(Members),
        CanDeleteAnyMessage = "can_delete_any_message_group": never_by_guests(Administrators),
        CanDeleteOwnMessage = "can_delete_own_message_group": held_by(Everyone),
        CanInviteUsers = "can_invite_users_group": never_by_guests(Members),
        CanManageAllGroups = "can_manage_all_groups": PermissionSetting {
            allow_nobody: false,
            ..never_by_guests(Owners)
        },
        CanManageBilling = "can_manage_billing_group": PermissionSetting {
            allow_nobody: false,
            ..never_by_guests(Administrators)
        },
        CanMentionManyUsers = "can_mention_many_users_group": held_by(Administrators),
        CanMoveMessagesBetweenChannels = "can_move_messages_between_channels_group": never_by_guests(Members),
        CanMoveMessagesBetweenTopics = "can_move_messages_between_topics_group": held_by(Everyone),
        CanResolveTopics = "can_resolve_topics_group": held_by(Everyone),
        CanSetDeleteMessagePolicy = "can_set_delete_message_policy_group": never_by_guests(Moderators),
        CanSetTopicsPolicy = "can_set_topics_policy_group": never_by_guests(Members),
        CanSummarizeTopics = "can_summarize_topics_group": held_by(Everyone),
        CreateMultiuseInvite = "create_multiuse_invite_group": never_by_guests(Administrators),
        DirectMessageInitiator = "direct_message_initiator_group": held_by(Everyone),
        DirectMessagePermission = "direct_message_permission_group": held_by(Everyone),
        WorkplaceUsers = "workplace_users_group": never_by_guests(Members),
    }
}

/// # Panics
///
/// When no setting has this name. Callers only use names from the code, not from input.
pub fn setting(table: &'static [PermissionSetting], name: &str) -> &'static PermissionSetting {
    table.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no permission setting is called {name}"))
}
