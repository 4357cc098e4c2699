//! The API's record of a channel folder.

use crate::realm::channel::Folder;
use schemars::JsonSchema;
use serde::Serialize;

/// A folder of channels in the left sidebar.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChannelFolder")]
pub struct FolderRecord {
    /// ID of the folder, which is `folder_id` of its channels.
    pub id: i64,
    /// Name of the folder, not empty; unique among folders that are not archived.
    pub name: String,
    /// Description in Markdown.
    pub description: String,
    /// The description in HTML.
    pub rendered_description: String,
    /// When it was created, UNIX seconds; never null here.
    pub date_created: Option<i64>,
    /// ID of the user who created it; null if none is recorded.
    pub creator_id: Option<i64>,
    /// Position among the folders, ascending.
    pub order: i64,
    /// Whether it is archived; only an empty folder can be.
    pub is_archived: bool,
}

impl FolderRecord {
    /// Converts a folder; the record is the same for everybody.
    pub fn new(folder: &Folder) -> Self {
        Self {
            id: folder.id.0,
            name: folder.name.clone(),
            description: folder.description.clone(),
            rendered_description: folder.rendered_description.clone(),
            date_created: Some(folder.date_created.seconds()),
            creator_id: folder.creator.map(|creator| creator.0),
            order: folder.order,
            is_archived: folder.is_archived,
        }
    }
}
