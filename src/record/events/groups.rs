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
    /// The group.
    pub group: GroupRecord,
}

/// A group was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupUpdate {
    /// The group's ID.
    pub group_id: GroupId,
    /// What changed.
    #[schemars(schema_with = "group_data_schema")]
    pub data: Map<String, Value>,
}

impl UserGroupUpdate {
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
    /// The group's ID.
    pub group_id: GroupId,
}

/// Groups became subgroups of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupAddSubgroups(pub Subgroups);

/// Groups are no longer subgroups of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserGroupRemoveSubgroups(pub Subgroups);

/// Direct subgroups of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Subgroups {
    /// The group.
    pub group_id: GroupId,
    /// Its subgroups.
    pub direct_subgroup_ids: Vec<GroupId>,
}
