//! Groups and folders.

use super::directory::{Directory, fitting};
use super::json::Json;
use super::settings::{made, permissions};
use crate::fixture::format::{Folder, Group};
use crate::realm::permission::GROUP_PERMISSIONS;
use serde_json::Value;

/// A group; of a system group only its number and name.
pub fn group(record: &Value, directory: &Directory) -> Option<Group> {
    let id = record.int("id")?;
    let name = directory.groups.get(id)?.to_owned();
    let mut group = Group {
        id: Some(id),
        name,
        description: String::new(),
        members: Vec::new(),
        subgroups: Vec::new(),
        creator: None,
        created: made(record, directory),
        deactivated: false,
        permissions: Default::default(),
    };
    if record.flag("is_system_group") {
        return Some(group);
    }
    let subgroups = record.ints("direct_subgroup_ids");
    group.description = directory.text(record.text("description"));
    group.members = directory.handles(record.ints("members"));
    group.subgroups = subgroups.into_iter().filter_map(|id| directory.groups.get(id)).map(str::to_owned).collect();
    group.creator = record.int("creator_id").and_then(|id| directory.handle(id));
    group.deactivated = record.flag("deactivated");
    group.permissions = permissions(GROUP_PERMISSIONS, &|name| record.get(name).cloned(), directory);
    Some(group)
}

/// A folder.
pub fn folder(record: &Value, directory: &Directory) -> Option<Folder> {
    let id = record.int("id")?;
    Some(Folder {
        id: Some(id),
        name: directory.folders.get(id)?.to_owned(),
        description: fitting(&directory.markdown(record.text("description")), 1024),
        creator: record.int("creator_id").and_then(|id| directory.handle(id)),
        created: made(record, directory),
        archived: record.flag("is_archived"),
    })
}
