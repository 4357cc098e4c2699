//! The API's record of a user group.

use crate::realm::Realm;
use crate::realm::group::Group;
use crate::realm::id::{GroupId, UserId};
use crate::realm::permission::{GROUP_PERMISSIONS, GroupSettingValue, schema_of};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::collections::BTreeMap;

/// A user group, with its direct members.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "UserGroup")]
pub struct GroupRecord {
    /// ID of the group.
    pub id: i64,
    /// Name of the group, unique in the organization.
    pub name: String,
    /// What the group is for.
    pub description: String,
    /// IDs of the direct members, sorted: active users, and below 303 deactivated users too.
    pub members: Vec<UserId>,
    /// IDs of the direct subgroups, sorted.
    pub direct_subgroup_ids: Vec<GroupId>,
    /// ID of the user who created it; null if none is recorded, as for system groups.
    pub creator_id: Option<i64>,
    /// When it was created, UNIX seconds; null for system groups.
    pub date_created: Option<i64>,
    /// Whether it is a system group, such as `role:members`.
    pub is_system_group: bool,
    /// Whether it is deactivated: it can't be mentioned or hold permissions.
    pub deactivated: bool,
    /// The permissions of the group, by name, such as `can_mention_group`.
    #[serde(flatten)]
    #[schemars(schema_with = "permissions_schema")]
    pub permissions: BTreeMap<&'static str, GroupSettingValue>,
}

fn permissions_schema(generator: &mut SchemaGenerator) -> Schema {
    schema_of(GROUP_PERMISSIONS, generator)
}

impl GroupRecord {
    /// The record of a group, the same for everybody. With `includes_deactivated_members` it lists these too, as levels
    /// below 303 do (A-113 in docs/assumptions.md).
    pub fn new(realm: &Realm, group: &Group, includes_deactivated_members: bool) -> Self {
        let members = group.members.iter().filter(|user| includes_deactivated_members || realm.is_active(**user));
        Self {
            id: group.id.0,
            name: group.name.clone(),
            description: group.description.clone(),
            members: members.copied().collect(),
            direct_subgroup_ids: group.subgroups.iter().copied().collect(),
            creator_id: group.creator.map(|creator| creator.0),
            date_created: group.date_created.map(|time| time.seconds()),
            is_system_group: group.system.is_some(),
            deactivated: group.is_deactivated,
            permissions: realm.permissions_without_deactivated_users(&group.permissions),
        }
    }
}
