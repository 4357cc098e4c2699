//! Converts user groups to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use super::settings::convert_permissions;
use crate::fixture::format::Group;
use crate::realm::permission::GROUP_PERMISSIONS;
use serde_json::Value;

/// Converts a group; None if the directory does not have it. Of a system group, only the ID, the name and the time of
/// creation are converted.
pub fn convert_group(record: &Value, directory: &Directory) -> Option<Group> {
    let id = record.integer("id")?;
    let name = directory.groups.get(id)?.to_owned();
    let mut group = Group {
        id: Some(id),
        name,
        description: String::new(),
        members: Vec::new(),
        subgroups: Vec::new(),
        creator: None,
        created: directory.convert_creation_time(record),
        deactivated: false,
        permissions: Default::default(),
    };
    if record.boolean("is_system_group") {
        return Some(group);
    }
    let subgroups = record.integers("direct_subgroup_ids");
    group.description = directory.convert_text(record.text("description"));
    group.members = directory.handles(record.integers("members"));
    group.subgroups = subgroups.into_iter().filter_map(|id| directory.groups.get(id)).map(str::to_owned).collect();
    group.creator = record.integer("creator_id").and_then(|id| directory.handle(id));
    group.deactivated = record.boolean("deactivated");
    group.permissions = convert_permissions(GROUP_PERMISSIONS, &|name| record.get(name).cloned(), directory);
    Some(group)
}
