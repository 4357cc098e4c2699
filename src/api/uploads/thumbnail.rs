//! The operation that says whether the thumbnails of a file are ready.

use crate::api::{OperationContext, Read, operation};
use crate::error::Error;
use crate::realm::Realm;
use schemars::JsonSchema;
use serde::Serialize;

operation! {
    /// Returns whether an uploaded file has thumbnails.
    pub GetThumbnailStatus = GET "/thumbnail/status/{realm_id_str}/{*filename}", for User, since 479;
    params {
        /// ID of the organization, as in the file's URL.
        @path realm_id_str: i64,
        /// The rest of the file's URL, including slashes.
        @path filename: String,
    }
    reply ThumbnailStatusReply;
    errors [FileNotFound, FileForbidden];
}

/// The state of a file's thumbnails.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ThumbnailStatusReply {
    /// Whether the file is a picture whose thumbnails are ready: immediately, unless the world delays them.
    pub has_thumbnail: bool,
}

impl Read for GetThumbnailStatus {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<ThumbnailStatusReply, Error> {
        let path_id = format!("{}/{}", params.realm_id_str, params.filename);
        let attachment = realm.attachments.get(&path_id).ok_or(Error::FileNotFound)?;
        if !realm.can_read_file(Some(context.caller()), attachment) {
            return Err(Error::FileForbidden);
        }

        Ok(ThumbnailStatusReply {
            has_thumbnail: attachment.content_type.starts_with("image/") && attachment.thumbnails_at.is_none(),
        })
    }
}
