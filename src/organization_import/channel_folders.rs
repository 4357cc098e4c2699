//! Converts channel folders to those of a fixture.

use super::directory::{Directory, to_valid_text};
use super::json::JsonFields;
use crate::api::channel_folders::MAX_DESCRIPTION_LENGTH;
use crate::fixture::format::Folder;
use serde_json::Value;

/// The channel folders of the register reply, in the order in which clients show them.
pub fn sorted_folders(register_reply: &Value) -> Vec<&Value> {
    let mut folders: Vec<&Value> = register_reply.list("channel_folders").iter().collect();
    folders.sort_by_key(|folder| folder.integer("order").unwrap_or_default());
    folders
}

/// Converts a channel folder; None if the directory does not have it.
pub fn convert_folder(record: &Value, directory: &Directory) -> Option<Folder> {
    let id = record.integer("id")?;
    Some(Folder {
        id: Some(id),
        name: directory.folders.get(id)?.to_owned(),
        description: to_valid_text(&directory.convert_markdown(record.text("description")), MAX_DESCRIPTION_LENGTH),
        creator: record.integer("creator_id").and_then(|id| directory.handle(id)),
        created: directory.convert_creation_time(record),
        archived: record.boolean("is_archived"),
    })
}
