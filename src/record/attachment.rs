//! The API's record of an uploaded file (specification, Attachment).

use crate::realm::attachment::Attachment;
use schemars::JsonSchema;
use serde::Serialize;

/// An uploaded file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Attachment")]
pub struct AttachmentRecord {
    /// ID of the file, with which its owner deletes it.
    pub id: i64,
    /// File name with which it was uploaded.
    pub name: String,
    /// Path of its URL after `/user_uploads/`.
    pub path_id: String,
    /// Size of the file in bytes.
    pub size: i64,
    /// Time of the upload, in UNIX seconds.
    pub create_time: i64,
    /// IDs of the messages that link to it, sorted.
    pub message_ids: Vec<i64>,
}

impl AttachmentRecord {
    pub fn new(attachment: &Attachment) -> Self {
        Self {
            id: attachment.id.0,
            name: attachment.name.clone(),
            path_id: attachment.path_id.clone(),
            size: attachment.size,
            create_time: attachment.created_at.seconds(),
            message_ids: attachment.messages.iter().map(|id| id.0).collect(),
        }
    }
}

/// Converts an uploaded file to the JSON of its record.
pub fn attachment_to_json(attachment: &Attachment) -> serde_json::Value {
    serde_json::json!(AttachmentRecord::new(attachment))
}
