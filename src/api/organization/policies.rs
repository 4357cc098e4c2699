//! Policies: settings of older levels with numbers that say who may do something. Permissions of groups replaced them.
//!
//! A choice where the API is silent: A-107 in docs/assumptions.md.

use crate::api::parameter::json_parameter;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::group::SystemGroup;
use crate::realm::permission::GroupSettingValue;
use std::collections::BTreeMap;

use SystemGroup::{Administrators, Everyone, FullMembers, Members, Moderators, Nobody, Owners};

/// A number of a policy, and for each of its permissions the group with that permission.
pub type Choice = (i64, &'static [SystemGroup]);

/// A setting of the organization that permissions replaced.
pub struct Policy {
    /// The name in parameters and events. The register reply puts `realm_` before it.
    pub name: &'static str,
    /// The first level with the policy.
    pub since: i64,
    /// The first level with the permissions instead.
    pub removed_in: i64,
    /// The permissions that replaced the policy.
    pub permissions: &'static [&'static str],
    /// Whether only owners may change the policy; otherwise administrators may too.
    pub is_for_owners: bool,
    pub choices: &'static [Choice],
}

/// Groups of users by their roles, the smallest first.
const GROUPS_BY_SIZE: [SystemGroup; 7] = [Nobody, Owners, Administrators, Moderators, FullMembers, Members, Everyone];

// The choices of the policies. Most policies have the common ones.
const COMMON: &[Choice] = &[(1, &[Members]), (2, &[Administrators]), (3, &[FullMembers]), (4, &[Moderators])];
const COMMON_OR_NOBODY: &[Choice] =
    &[(1, &[Members]), (2, &[Administrators]), (3, &[FullMembers]), (4, &[Moderators]), (6, &[Nobody])];
const COMMON_OR_EVERYONE: &[Choice] =
    &[(1, &[Members]), (2, &[Administrators]), (3, &[FullMembers]), (4, &[Moderators]), (5, &[Everyone])];
const COMMON_OR_EVERYONE_OR_NOBODY: &[Choice] = &[
    (1, &[Members]),
    (2, &[Administrators]),
    (3, &[FullMembers]),
    (4, &[Moderators]),
    (5, &[Everyone]),
    (6, &[Nobody]),
];
const WEB_PUBLIC_CHANNELS: &[Choice] = &[(2, &[Administrators]), (4, &[Moderators]), (6, &[Nobody]), (7, &[Owners])];
const BOT_CREATION: &[Choice] =
    &[(1, &[Members, Members]), (2, &[Administrators, Members]), (3, &[Administrators, Administrators])];
const WILDCARD_MENTIONS: &[Choice] = &[
    (1, &[Everyone]),
    (2, &[Members]),
    (3, &[FullMembers]),
    (5, &[Administrators]),
    (6, &[Nobody]),
    (7, &[Moderators]),
];
const DIRECT_MESSAGES: &[Choice] = &[(1, &[Everyone]), (2, &[Nobody])];

const fn new_policy(
    name: &'static str,
    since: i64,
    removed_in: i64,
    permissions: &'static [&'static str],
    choices: &'static [Choice],
) -> Policy {
    Policy { name, since, removed_in, permissions, is_for_owners: false, choices }
}

/// All policies, in the order in which their values are checked.
pub static POLICIES: &[Policy] = &[
    Policy {
        is_for_owners: true,
        ..new_policy("invite_to_realm_policy", 50, 321, &["can_invite_users_group"], COMMON_OR_NOBODY)
    },
    new_policy("add_custom_emoji_policy", 85, 307, &["can_add_custom_emoji_group"], COMMON),
    new_policy("delete_own_message_policy", 101, 291, &["can_delete_own_message_group"], COMMON_OR_EVERYONE),
    new_policy("edit_topic_policy", 75, 316, &["can_move_messages_between_topics_group"], COMMON_OR_EVERYONE_OR_NOBODY),
    new_policy(
        "bot_creation_policy",
        0,
        344,
        &["can_create_bots_group", "can_create_write_only_bots_group"],
        BOT_CREATION,
    ),
    new_policy("create_public_stream_policy", 102, 264, &["can_create_public_channel_group"], COMMON),
    new_policy("create_private_stream_policy", 102, 266, &["can_create_private_channel_group"], COMMON),
    new_policy(
        "create_web_public_stream_policy",
        103,
        280,
        &["can_create_web_public_channel_group"],
        WEB_PUBLIC_CHANNELS,
    ),
    new_policy("invite_to_stream_policy", 0, 341, &["can_add_subscribers_group"], COMMON),
    new_policy(
        "move_messages_between_streams_policy",
        56,
        310,
        &["can_move_messages_between_channels_group"],
        COMMON_OR_NOBODY,
    ),
    new_policy("user_group_edit_policy", 0, 299, &["can_create_groups"], COMMON),
    new_policy("private_message_policy", 1, 270, &["direct_message_permission_group"], DIRECT_MESSAGES),
    new_policy("wildcard_mention_policy", 34, 352, &["can_mention_many_users_group"], WILDCARD_MENTIONS),
];

impl Policy {
    /// Returns the current number of the policy. If no choice matches the permissions, the number follows from the
    /// holder of the first permission. It is the common number for the holder, unless that number means another group
    /// in this policy; then it is the number for the nearest group. If no choice has that group, it is the common
    /// number after all.
    pub fn number(&self, realm: &Realm) -> i64 {
        let current_holders: Vec<Option<SystemGroup>> =
            self.permissions.iter().map(|name| permission_holder(realm, name)).collect();
        let is_match =
            |(_, holders): &&Choice| holders.iter().map(|group| Some(*group)).eq(current_holders.iter().copied());
        if let Some((number, _)) = self.choices.iter().find(is_match) {
            return *number;
        }
        let first_holder = current_holders[0];
        let common_number = common_number(first_holder);
        let nearest_choice = self.choices.iter().find(|(_, holders)| holders[0] == nearest_holder(first_holder));
        match nearest_choice {
            Some((number, _)) if self.choices.iter().any(|(other, _)| *other == common_number) => *number,
            _ => common_number,
        }
    }

    /// The number at a level. At levels that have the permissions instead, a holder that matches no choice counts as
    /// the largest group of all choices.
    pub fn number_at(&self, realm: &Realm, level: i64) -> i64 {
        if level < self.removed_in {
            return self.number(realm);
        }
        let current_holder = self.permissions.first().and_then(|name| permission_holder(realm, name));
        let matching_choice = self.choices.iter().find(|(_, holders)| current_holder == Some(holders[0]));
        let size = |(_, holders): &&Choice| GROUPS_BY_SIZE.iter().position(|group| *group == holders[0]);
        let largest_choice = || self.choices.iter().max_by_key(size);
        matching_choice.or_else(largest_choice).map_or(0, |(number, _)| *number)
    }

    /// Parses a number and finds its choice.
    fn parse_choice(&self, text: &str) -> Result<&'static Choice, Error> {
        // Levels with policies accept booleans as numbers.
        let number = match text.trim() {
            "true" => 1,
            "false" => 0,
            text => json_parameter(text, self.name)?,
        };
        let choice = self.choices.iter().find(|(value, _)| *value == number);
        choice.ok_or_else(|| Error::InvalidValue { parameter: self.name.into() })
    }
}

/// The policies in a request at an older level, with their new values.
///
/// # Errors
///
/// `BadValue`, `InvalidValue`.
pub fn parse_policies(
    legacy_values: &BTreeMap<&'static str, String>,
) -> Result<Vec<(&'static Policy, &'static Choice)>, Error> {
    let requested_texts = POLICIES.iter().filter_map(|policy| Some((policy, legacy_values.get(policy.name)?)));
    requested_texts.map(|(policy, text)| Ok((policy, policy.parse_choice(text)?))).collect()
}

/// The system group with a permission; None if another group or several users and groups have it.
fn permission_holder(realm: &Realm, permission: &str) -> Option<SystemGroup> {
    match realm.organization.permissions.get(permission)? {
        GroupSettingValue::Group(group) => realm.groups.get(group)?.system,
        GroupSettingValue::Anonymous(_) => None,
    }
}

/// Returns the number that most policies have for a group: 1 members, 2 administrators, 3 full members, 4 moderators,
/// 5 everyone or the internet, 6 nobody, 7 owners. Without a system group, it is 1.
fn common_number(holder: Option<SystemGroup>) -> i64 {
    match holder {
        Some(Administrators) => 2,
        Some(FullMembers) => 3,
        Some(Moderators) => 4,
        Some(Everyone | SystemGroup::Internet) => 5,
        Some(Nobody) => 6,
        Some(Owners) => 7,
        Some(Members) | None => 1,
    }
}

/// A similar group for one that a policy may not have; members for groups that are not system groups.
fn nearest_holder(holder: Option<SystemGroup>) -> SystemGroup {
    match holder {
        Some(Owners) => Administrators,
        Some(SystemGroup::Internet) => Everyone,
        Some(group) => group,
        None => Members,
    }
}

/// The number that most policies have for the holder of a permission.
pub fn common_number_of(realm: &Realm, permission: &str) -> i64 {
    common_number(permission_holder(realm, permission))
}
