//! Uploaded files: uploading, listing and removing them, and temporary URLs to read them. Submodules name files,
//! receive them in chunks, and say whether thumbnails are ready.
//!
//! A choice where the API is silent: A-34 in docs/assumptions.md.

pub mod name;
pub mod resumable;
pub mod temporary_urls;
pub mod thumbnail;

use super::parameter::UploadedFile;
use super::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::attachment::Attachment;
use crate::realm::event::{Audience, Event, EventKind, Payload};
use crate::realm::id::{AttachmentId, UserId};
use crate::realm::picture;
use crate::realm::setting::MAX_FILE_UPLOAD_SIZE_MIB;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::record::attachment::AttachmentRecord;
use crate::record::events::{AttachmentRemove, RemovedAttachment};
use crate::time::Span;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

const MIB: i64 = 1024 * 1024;
/// The content type of a file if the request has none and it cannot be guessed from the name.
const UNKNOWN_TYPE: &str = "application/octet-stream";

operation! {
    /// Uploads a file, the only part of a multipart body that has a file name.
    pub UploadFile = POST "/user_uploads", for User;
    reply UploadFileReply;
    errors [NoFile, SeveralFiles, UploadTooLarge, UploadQuotaExceeded];
    events [AttachmentAdd];
    takes files;
}

/// Where the uploaded file can be read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UploadFileReply {
    /// URL of the file, relative to the organization's.
    pub url: String,
    /// Deprecated alias of `url`.
    pub uri: String,
    /// Name of the file that clients display; its URL may end in another.
    pub filename: String,
}

impl Write for UploadFile {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<UploadFileReply, Error> {
        let (file, file_name) = only_file(context.files)?;
        let size = i64::try_from(file.bytes.len()).unwrap_or(i64::MAX);
        check_size(tx, size)?;

        let file = NewFile {
            name: name::display_name(&file_name),
            content_type: file.content_type.clone(),
            bytes: file.bytes.clone(),
        };
        let attachment = add_file(tx, context.caller().id, file);
        let url = format!("/user_uploads/{}", attachment.path_id);
        Ok(UploadFileReply { uri: url.clone(), url, filename: attachment.name.clone() })
    }
}

/// The only file of the request that has a name, and its name.
fn only_file(files: &[UploadedFile]) -> Result<(&UploadedFile, String), Error> {
    let mut files_with_names = files.iter().filter_map(|file| Some((file, name::base_name(&file.name)?)));
    match (files_with_names.next(), files_with_names.next()) {
        (None, _) => Err(Error::NoFile),
        (Some(file), None) => Ok(file),
        (Some(_), Some(_)) => Err(Error::SeveralFiles),
    }
}

/// Checks the size of a file, in bytes, against the limit for files and the quota of the organization.
///
/// # Errors
///
/// In this order: `UploadTooLarge`, `UploadQuotaExceeded`.
pub fn check_size(realm: &Realm, size: i64) -> Result<(), Error> {
    let limit = realm.organization.limit(RealmSetting::MaxFileUploadSizeMib).unwrap_or(MAX_FILE_UPLOAD_SIZE_MIB);
    if size > limit.saturating_mul(MIB) {
        return Err(Error::UploadTooLarge { limit_mib: limit.into() });
    }
    let quota = realm.organization.limit(RealmSetting::UploadQuotaMib).map(|mib| mib.saturating_mul(MIB));
    if quota.is_some_and(|quota| realm.upload_space_used.saturating_add(size) > quota) {
        return Err(Error::UploadQuotaExceeded);
    }
    Ok(())
}

/// A file that is not stored yet.
pub struct NewFile {
    /// The name that clients display.
    pub name: String,
    /// From the request. None or "": guessed from the name.
    pub content_type: Option<String>,
    pub bytes: bytes::Bytes,
}

/// Stores a file under a new URL.
///
/// Event: `attachment` add to the owner.
pub fn add_file(tx: &mut Tx, owner: UserId, file: NewFile) -> Arc<Attachment> {
    let path_id = new_path_id(tx, &file.name);
    add_file_at(tx, owner, path_id, file)
}

/// Returns a new `path_id`: `ORGANIZATION/DIRECTORY/TOKEN/NAME`, the end of the file's URL.
fn new_path_id(tx: &mut Tx, name: &str) -> String {
    let random = &mut tx.realm_mut().rng;
    let (directory, token) = (random.upload_directory(), random.upload_token());
    format!("{}/{directory}/{token}/{}", tx.organization.id, name::url_name(name))
}

fn add_file_at(tx: &mut Tx, owner: UserId, path_id: String, file: NewFile) -> Arc<Attachment> {
    let content_type = file
        .content_type
        .filter(|kind| !kind.is_empty())
        .unwrap_or_else(|| mime_guess::from_path(&file.name).first_raw().unwrap_or(UNKNOWN_TYPE).to_owned());
    let is_picture = content_type.starts_with("image/");
    let dimensions = if is_picture { picture::dimensions(&file.bytes) } else { None };
    tx.realm_mut().counters.attachment += 1;
    let attachment = Arc::new(Attachment {
        id: AttachmentId(tx.counters.attachment),
        path_id,
        name: file.name,
        size: i64::try_from(file.bytes.len()).unwrap_or(i64::MAX),
        content_type,
        dimensions,
        is_animated: is_picture && picture::is_animated(&file.bytes),
        thumbnails_at: Some(tx.preview_delays.thumbnails)
            .filter(|delay| is_picture && *delay > Span::default())
            .map(|delay| tx.now.plus(delay)),
        owner,
        created_at: tx.now,
        blob: tx.store_blob(file.bytes),
        messages: BTreeSet::new(),
    });
    tx.add_attachment(attachment.clone());
    let payload = Payload::Attachment { attachment: attachment.clone(), upload_space_used: tx.upload_space_used };
    tx.emit(Audience::of_user(owner), Event::new(EventKind::AttachmentAdd, payload));
    attachment
}

operation! {
    /// Returns a URL at which a file can be read without credentials for a minute.
    pub GetTemporaryUrl = GET "/user_uploads/{realm_id_str}/{*filename}", for User, since 1;
    params {
        /// ID of the organization, as in the file's URL.
        @path realm_id_str: i64,
        /// The rest of the file's URL, including slashes.
        @path filename: String,
    }
    reply TemporaryUrlReply;
    errors [FileNotFound, FileForbidden];
}

/// A URL that needs no credentials.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemporaryUrlReply {
    /// URL that works for 60 seconds, relative to the organization's.
    pub url: String,
}

impl Read for GetTemporaryUrl {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<TemporaryUrlReply, Error> {
        let path_id = format!("{}/{}", params.realm_id_str, params.filename);
        let attachment = realm.attachments.get(&path_id).ok_or(Error::FileNotFound)?;
        if !realm.can_read_file(Some(context.caller()), attachment) {
            return Err(Error::FileForbidden);
        }

        Ok(TemporaryUrlReply { url: temporary_urls::create_url(realm, attachment, context.now) })
    }
}

operation! {
    /// Lists the files that the caller uploaded.
    pub GetAttachments = GET "/attachments", for User;
    reply AttachmentsReply;
}

/// The files that the caller uploaded, used in messages or not.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttachmentsReply {
    /// In the order of upload.
    pub attachments: Vec<AttachmentRecord>,
    /// Total size of the organization's files, in bytes.
    pub upload_space_used: i64,
}

impl Read for GetAttachments {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<AttachmentsReply, Error> {
        let owner = context.caller().id;
        let own_attachments = realm.attachments.values().filter(|attachment| attachment.owner == owner);
        let mut attachments: Vec<AttachmentRecord> =
            own_attachments.map(|attachment| AttachmentRecord::new(attachment)).collect();
        attachments.sort_by_key(|attachment| attachment.id);
        Ok(AttachmentsReply { attachments, upload_space_used: realm.upload_space_used })
    }
}

operation! {
    /// Removes a file that the caller uploaded; messages keep their links to it.
    pub RemoveAttachment = DELETE "/attachments/{attachment_id}", for User;
    params {
        /// ID of one of the caller's files.
        @path attachment_id: AttachmentId,
    }
    errors [InvalidAttachment];
    events [AttachmentRemove];
}

impl Write for RemoveAttachment {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let owner = context.caller().id;
        let mut attachments = tx.attachments.values().filter(|attachment| attachment.owner == owner);
        let attachment =
            attachments.find(|attachment| attachment.id == params.attachment_id).ok_or(Error::InvalidAttachment)?;
        let path_id = attachment.path_id.clone();

        tx.remove_attachment(&path_id);
        let attachment = RemovedAttachment { id: params.attachment_id };
        let event = AttachmentRemove { attachment, upload_space_used: tx.upload_space_used };
        tx.emit(Audience::of_user(owner), event);
        Ok(Success {})
    }
}
