//! Uploaded files, without their bytes.

use super::id::{AttachmentId, MessageId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A finished upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    pub id: AttachmentId,
    /// Its URL path without `/user_uploads/`: organization ID, directory, token and file name.
    pub path_id: String,
    /// The file name in the upload.
    pub name: String,
    /// The size of the file, in bytes.
    pub size: i64,
    /// MIME type: from the upload, or guessed.
    pub content_type: String,
    /// Width and height in pixels; None unless it is a picture of a known format.
    pub dimensions: Option<(u32, u32)>,
    /// Whether it is a picture with several frames.
    #[serde(default)]
    pub is_animated: bool,
    /// When its thumbnails will be made; None if it has them or is no picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnails_at: Option<Timestamp>,
    pub owner: UserId,
    pub created_at: Timestamp,
    /// The key of its bytes in `Realm::blobs`, which is their hash.
    pub blob: String,
    /// Messages that link to the file.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub messages: BTreeSet<MessageId>,
}
