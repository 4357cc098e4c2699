//! The fields of events about user groups.

use crate::realm::event::event_data;
use crate::realm::id::GroupId;
use crate::realm::permission::{GROUP_PERMISSIONS, GroupSettingValue};
use crate::record::group::GroupRecord;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

event_data! {
    UserGroupAdd;
    UserGroupUpdate;
    UserGroupRemove;
    UserGroupAddSubgroups;
    UserGroupRemoveSubgroups;
}

/// A group was created, or reactivated for clients that don't know deactivated groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupAdd {
    /// The new group.
    pub group: GroupRecord,
}

/// The name, the description or a permission of a group was changed, or it was deactivated or reactivated.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupUpdate {
    /// ID of the changed group.
    pub group_id: GroupId,
    /// New values of what changed, by name.
    #[schemars(schema_with = "group_data_schema")]
    pub data: Map<String, Value>,
}

impl UserGroupUpdate {
    /// A change of a single property.
    pub fn new(group_id: GroupId, property: &str, value: Value) -> Self {
        Self { group_id, data: Map::from_iter([(property.to_owned(), value)]) }
    }
}

fn group_data_schema(generator: &mut SchemaGenerator) -> Schema {
    let text = |name: &str| (name.to_owned(), json!({"type": "string"}));
    let mut properties = Map::from_iter([text("name"), text("description")]);
    for permission in GROUP_PERMISSIONS {
        properties.insert(permission.name.to_owned(), generator.subschema_for::<GroupSettingValue>().to_value());
    }
    properties.insert("deactivated".into(), json!({"type": "boolean"}));
    json_schema!({"type": "object", "properties": properties})
}

/// A group was removed, or deactivated for clients that don't know deactivated groups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupRemove {
    /// ID of the group.
    pub group_id: GroupId,
}

/// Groups became subgroups of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupAddSubgroups(pub Subgroups);

/// Groups are no longer subgroups of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupRemoveSubgroups(pub Subgroups);

/// A group, and groups that became or no longer are its direct subgroups.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Subgroups {
    /// ID of the group that contains the others.
    pub group_id: GroupId,
    /// IDs of the groups that were added or removed as its direct subgroups.
    pub direct_subgroup_ids: Vec<GroupId>,
}
