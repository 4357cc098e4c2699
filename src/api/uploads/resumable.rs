//! Resumable uploads: beginning one, adding to it, giving it up. A finished one is a file like any other.

use super::{NewFile, add_file_at, check_size, name, new_address};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::id::UserId;
use crate::realm::resumable::ResumableUpload;
use bytes::Bytes;
use imbl::Vector;
use std::sync::Arc;

/// What the client says of a file before it sends it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Announced {
    /// Its name.
    pub name: String,
    /// Its type; None or "" is guessed from the name.
    pub content_type: Option<String>,
    /// Its bytes.
    pub length: u64,
}

/// Begins an upload; one without any bytes is finished at once.
///
/// # Errors
///
/// In this order: `UploadTooLarge`, `UploadQuota`.
pub fn begin(tx: &mut Tx, owner: UserId, file: Announced) -> Result<Arc<ResumableUpload>, Error> {
    check_size(tx, i64::try_from(file.length).unwrap_or(i64::MAX))?;

    let name = name::base_name(&file.name).unwrap_or_else(|| name::FALLBACK.to_owned());
    // Addresses of these uploads are ASCII alone, since they stand in a header.
    let ascii: String = name.chars().filter(char::is_ascii).collect();
    let path_id = new_address(tx, &ascii);
    let upload = ResumableUpload {
        owner,
        path_id,
        name,
        content_type: file.content_type,
        length: file.length,
        offset: 0,
        pieces: Vector::new(),
    };
    put(tx, upload)
}

/// An upload that somebody began.
///
/// # Errors
///
/// `NoSuchUpload`, for another's too.
pub fn own<'realm>(realm: &'realm Realm, owner: UserId, path_id: &str) -> Result<&'realm Arc<ResumableUpload>, Error> {
    realm.resumable_uploads.get(path_id).filter(|upload| upload.owner == owner).ok_or(Error::NoSuchUpload)
}

/// Adds to an upload; with its last byte the file is there.
///
/// # Errors
///
/// In this order: `NoSuchUpload`, `UploadOffset`, `UploadTooLong`, `UploadQuota` when the room went meanwhile.
pub fn append(
    tx: &mut Tx,
    owner: UserId,
    path_id: &str,
    offset: u64,
    piece: Bytes,
) -> Result<Arc<ResumableUpload>, Error> {
    let upload = own(tx, owner, path_id)?;
    if upload.offset != offset {
        return Err(Error::UploadOffset);
    }
    if upload.offset.saturating_add(piece.len() as u64) > upload.length {
        return Err(Error::UploadTooLong);
    }
    if piece.is_empty() {
        return Ok(upload.clone());
    }

    let mut upload = upload.as_ref().clone();
    upload.offset += piece.len() as u64;
    upload.pieces.push_back(piece);
    put(tx, upload)
}

/// Stores an upload, and makes the file when it is complete.
fn put(tx: &mut Tx, mut upload: ResumableUpload) -> Result<Arc<ResumableUpload>, Error> {
    if upload.is_finished() {
        check_size(tx, i64::try_from(upload.length).unwrap_or(i64::MAX))?;
        let file =
            NewFile { name: upload.name.clone(), content_type: upload.content_type.clone(), bytes: upload.whole() };
        upload.pieces = Vector::new();
        add_file_at(tx, upload.owner, upload.path_id.clone(), file);
    }
    let upload = Arc::new(upload);
    tx.realm_mut().resumable_uploads.insert(upload.path_id.clone(), upload.clone());
    Ok(upload)
}

/// Gives an unfinished upload up.
///
/// # Errors
///
/// `NoSuchUpload`, `UploadFinished`.
pub fn terminate(tx: &mut Tx, owner: UserId, path_id: &str) -> Result<(), Error> {
    if own(tx, owner, path_id)?.is_finished() {
        return Err(Error::UploadFinished);
    }

    tx.realm_mut().resumable_uploads.remove(path_id);
    Ok(())
}
