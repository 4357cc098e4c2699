//! Uploaded pictures of people, bots, the organization and emoji.

use crate::api::Call;
use crate::api::parameter::UploadedFile;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::picture;
use crate::realm::tx::Tx;
use crate::realm::user::AvatarSource;

/// Largest picture of a person, the organization or an emoji, MiB (`max_avatar_file_size_mib` and its like).
pub const MAX_PICTURE_MIB: usize = 5;

/// What a file may be called to be a picture.
const PICTURE_TYPES: [&str; 7] =
    ["image/avif", "image/gif", "image/heic", "image/jpeg", "image/png", "image/tiff", "image/webp"];

/// Whether a file is a user's picture that is not too large.
///
/// # Errors
///
/// `PictureTooLarge`, `UnreadablePicture`.
pub fn check_picture(file: &UploadedFile) -> Result<(), Error> {
    check_picture_size(file)?;
    if picture::dimensions(&file.bytes).is_none() { Err(Error::UnreadablePicture) } else { Ok(()) }
}

/// Whether a file is a picture that is not too large, and is called one by who sends it.
///
/// # Errors
///
/// `PictureTooLarge`, `BadImage`.
pub fn check_named_picture(call: &Call<'_>, file: &UploadedFile) -> Result<(), Error> {
    check_picture_size(file)?;
    let is_picture = file.content_type.as_deref().is_none_or(|kind| PICTURE_TYPES.contains(&kind));
    if call.has(Feature::PicturesNamedSo) && !is_picture {
        return Err(Error::BadImage);
    }
    if picture::dimensions(&file.bytes).is_none() { Err(Error::BadImage) } else { Ok(()) }
}

/// Whether a file is not too large for a picture.
///
/// # Errors
///
/// `PictureTooLarge`.
fn check_picture_size(file: &UploadedFile) -> Result<(), Error> {
    let is_too_large = file.bytes.len() > MAX_PICTURE_MIB * 1024 * 1024;
    if is_too_large { Err(Error::PictureTooLarge { limit_mib: MAX_PICTURE_MIB.into() }) } else { Ok(()) }
}

/// Keeps a picture; it is not scaled, so that it serves in both sizes.
pub fn keep_picture(tx: &mut Tx, file: &UploadedFile) -> AvatarSource {
    let blob = tx.keep_blob(file.bytes.clone());
    AvatarSource::Uploaded { medium_blob: blob.clone(), blob }
}
