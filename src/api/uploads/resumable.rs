//! Resumable uploads: beginning one, reading how much of it has arrived, adding to it, and giving it up. A finished
//! upload is a file like any other.
//!
//! In the protocol tus 1.0.0, the parameters and replies are headers, and a chunk of the file is the body of a request.

use super::{NewFile, add_file_at, check_size, name, new_path_id};
use crate::api::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::resumable_upload::ResumableUpload;
use crate::realm::tx::Tx;
use bytes::Bytes;
use imbl::Vector;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The progress of an upload.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UploadReply {
    /// The end of the upload's URL, including slashes; when it is finished, the file's URL ends in it too.
    pub path_id: String,
    /// Name of the file that clients display.
    pub filename: String,
    /// Number of bytes that have arrived.
    pub offset: u64,
    /// Size of the whole file in bytes.
    pub length: u64,
}

impl UploadReply {
    fn from_upload(upload: &ResumableUpload) -> Self {
        let ResumableUpload { path_id, name, offset, length, .. } = upload;
        Self { path_id: path_id.clone(), filename: name.clone(), offset: *offset, length: *length }
    }
}

operation! {
    /// Begins a resumable upload by the protocol tus 1.0.0, perhaps with its first bytes.
    pub BeginUpload = POST "/tus", for User, since 295;
    params {
        /// Size of the file in bytes.
        length: i64,
        /// Name of the file, whose directories are removed; `uploaded-file` when absent.
        filename: Option<String>,
        /// Content type of the file; guessed from the name when absent or empty.
        filetype: Option<String>,
    }
    reply UploadReply;
    errors [
        MethodNotAllowed, UnsupportedTusVersion, UnauthenticatedUpload, DeferredLengthNotSupported, InvalidTusHeader,
        UploadTooLarge, UploadQuotaExceeded, UploadTooLong,
    ];
    events [AttachmentAdd];
    takes files;
    protocol Resumable;
}

impl Write for BeginUpload {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<UploadReply, Error> {
        let owner = context.caller().id;
        check_size(tx, params.length)?;

        let filename = params.filename.unwrap_or_default();
        let name = name::base_name(&filename).unwrap_or_else(|| name::FALLBACK_URL_NAME.to_owned());
        // Not percent-decoded, unlike the name in a form: in tus, names are in Base64.
        let name = name::shorten(&name).into_owned();
        // The URL of the upload is only ASCII, because it is sent in a header.
        let ascii_name: String = name.chars().filter(char::is_ascii).collect();
        let path_id = new_path_id(tx, &ascii_name);
        let upload = ResumableUpload {
            owner,
            path_id,
            name,
            content_type: params.filetype,
            // Not negative: the protocol refuses other lengths and offsets.
            length: params.length.unsigned_abs(),
            offset: 0,
            chunks: Vector::new(),
        };
        // An upload of no bytes is finished here, because `append_chunk` ignores empty chunks.
        let upload = store_upload(tx, upload)?;
        Ok(UploadReply::from_upload(&*append_chunk(tx, owner, &upload.path_id, 0, request_chunk(context))?))
    }
}

operation! {
    /// Says how much of a resumable upload has arrived.
    pub GetUploadOffset = HEAD "/tus/{*upload_id}", for User, since 295;
    params {
        /// The end of the upload's URL, including slashes.
        @path upload_id: String,
    }
    reply UploadReply;
    errors [MethodNotAllowed, UnsupportedTusVersion, UnauthenticatedUpload, NoSuchUpload];
    takes files;
    protocol Resumable;
}

impl Read for GetUploadOffset {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<UploadReply, Error> {
        Ok(UploadReply::from_upload(own_upload(realm, context.caller().id, &params.upload_id)?))
    }
}

operation! {
    /// Adds a chunk to a resumable upload.
    pub AddToUpload = PATCH "/tus/{*upload_id}", for User, since 295;
    params {
        /// The end of the upload's URL, including slashes.
        @path upload_id: String,
        /// Where the chunk begins in the file: the number of bytes that have arrived.
        offset: i64,
    }
    reply UploadReply;
    errors [
        MethodNotAllowed, UnsupportedTusVersion, UnauthenticatedUpload, InvalidTusContentType, InvalidTusHeader,
        NoSuchUpload, UploadOffsetMismatch, UploadTooLong, UploadTooLarge, UploadQuotaExceeded,
    ];
    events [AttachmentAdd];
    takes files;
    protocol Resumable;
}

impl Write for AddToUpload {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<UploadReply, Error> {
        // Not negative, as the length of a new upload.
        let offset = params.offset.unsigned_abs();
        Ok(UploadReply::from_upload(&*append_chunk(
            tx,
            context.caller().id,
            &params.upload_id,
            offset,
            request_chunk(context),
        )?))
    }
}

operation! {
    /// Gives up a resumable upload that is not finished, and removes what has arrived.
    pub TerminateUpload = DELETE "/tus/{*upload_id}", for User, since 295;
    params {
        /// The end of the upload's URL, including slashes.
        @path upload_id: String,
    }
    errors [MethodNotAllowed, UnsupportedTusVersion, UnauthenticatedUpload, NoSuchUpload, UploadFinished];
    takes files;
    protocol Resumable;
}

impl Write for TerminateUpload {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if own_upload(tx, context.caller().id, &params.upload_id)?.is_finished() {
            return Err(Error::UploadFinished);
        }

        tx.realm_mut().resumable_uploads.remove(&params.upload_id);
        Ok(Success {})
    }
}

/// The bytes in the request's body; empty if there is none.
fn request_chunk(context: &OperationContext<'_>) -> Bytes {
    context.files.first().map(|file| file.bytes.clone()).unwrap_or_default()
}

/// An upload of a user; `NoSuchUpload` also for uploads of other users.
fn own_upload<'realm>(
    realm: &'realm Realm,
    owner: UserId,
    path_id: &str,
) -> Result<&'realm Arc<ResumableUpload>, Error> {
    realm.resumable_uploads.get(path_id).filter(|upload| upload.owner == owner).ok_or(Error::NoSuchUpload)
}

/// Adds a chunk to an upload. The last chunk turns it into a file.
///
/// # Errors
///
/// In this order: `NoSuchUpload`, `UploadOffsetMismatch`, `UploadTooLong`, and those of [`check_size`] when the upload
/// is finished.
fn append_chunk(
    tx: &mut Tx,
    owner: UserId,
    path_id: &str,
    offset: u64,
    chunk: Bytes,
) -> Result<Arc<ResumableUpload>, Error> {
    let upload = own_upload(tx, owner, path_id)?;
    if upload.offset != offset {
        return Err(Error::UploadOffsetMismatch);
    }
    if upload.offset.saturating_add(chunk.len() as u64) > upload.length {
        return Err(Error::UploadTooLong);
    }
    if chunk.is_empty() {
        return Ok(upload.clone());
    }

    let mut upload = upload.as_ref().clone();
    upload.offset += chunk.len() as u64;
    upload.chunks.push_back(chunk);
    store_upload(tx, upload)
}

/// Stores an upload, and adds the file if it is finished.
///
/// # Errors
///
/// Those of [`check_size`], if the upload is finished.
fn store_upload(tx: &mut Tx, mut upload: ResumableUpload) -> Result<Arc<ResumableUpload>, Error> {
    if upload.is_finished() {
        check_size(tx, i64::try_from(upload.length).unwrap_or(i64::MAX))?;
        let file = NewFile {
            name: upload.name.clone(),
            content_type: upload.content_type.clone(),
            bytes: upload.concatenate(),
        };
        upload.chunks = Vector::new();
        add_file_at(tx, upload.owner, upload.path_id.clone(), file);
    }
    let upload = Arc::new(upload);
    tx.realm_mut().resumable_uploads.insert(upload.path_id.clone(), upload.clone());
    Ok(upload)
}
