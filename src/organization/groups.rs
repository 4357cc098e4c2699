//! Converts user groups and channel folders to those of a fixture.

use super::directory::{Directory, valid_name};
use super::json::Json;
use super::settings::{convert_permissions, created_at};
use crate::fixture::format::{Folder, Group};
use crate::realm::permission::GROUP_PERMISSIONS;
use serde_json::Value;

/// In characters.
const MAX_FOLDER_DESCRIPTION_LENGTH: usize = 1024;

/// Converts a group. A system group has only its ID and name.
pub fn group(record: &Value, directory: &Directory) -> Option<Group> {
    let id = record.integer("id")?;
    let name = directory.groups.get(id)?.to_owned();
    let mut group = Group {
        id: Some(id),
        name,
        description: String::new(),
        members: Vec::new(),
        subgroups: Vec::new(),
        creator: None,
        created: created_at(record, directory),
        deactivated: false,
        permissions: Default::default(),
    };
    if record.boolean("is_system_group") {
        return Some(group);
    }
    let subgroups = record.integers("direct_subgroup_ids");
    group.description = directory.text(record.text("description"));
    group.members = directory.handles(record.integers("members"));
    group.subgroups = subgroups.into_iter().filter_map(|id| directory.groups.get(id)).map(str::to_owned).collect();
    group.creator = record.integer("creator_id").and_then(|id| directory.handle(id));
    group.deactivated = record.boolean("deactivated");
    group.permissions = convert_permissions(GROUP_PERMISSIONS, &|name| record.get(name).cloned(), directory);
    Some(group)
}

pub fn folder(record: &Value, directory: &Directory) -> Option<Folder> {
    let id = record.integer("id")?;
    Some(Folder {
        id: Some(id),
        name: directory.folders.get(id)?.to_owned(),
        description: valid_name(&directory.convert_markdown(record.text("description")), MAX_FOLDER_DESCRIPTION_LENGTH),
        creator: record.integer("creator_id").and_then(|id| directory.handle(id)),
        created: created_at(record, directory),
        archived: record.boolean("is_archived"),
    })
}
