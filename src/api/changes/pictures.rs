//! Checking uploaded pictures: avatars, emoji, and the icon and logos of the organization. Storing avatars.

use crate::api::OperationContext;
use crate::api::parameter::UploadedFile;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::picture;
use crate::realm::tx::Tx;
use crate::realm::user::AvatarSource;

/// Size of the largest picture, in MiB (`max_avatar_file_size_mib` and the settings for icon, logo and emoji).
pub const MAX_PICTURE_MIB: usize = 5;

const PICTURE_TYPES: [&str; 7] =
    ["image/avif", "image/gif", "image/heic", "image/jpeg", "image/png", "image/tiff", "image/webp"];

/// Checks that an avatar is not too large and has a known picture format.
///
/// # Errors
///
/// `PictureTooLarge`, `UnreadablePicture`.
pub fn check_avatar(file: &UploadedFile) -> Result<(), Error> {
    check_picture_size(file)?;
    if picture::dimensions(&file.bytes).is_none() { Err(Error::UnreadablePicture) } else { Ok(()) }
}

/// Checks an emoji, an icon or a logo as [`check_avatar`] does, with another error for an unknown format. From level
/// 270 on, it also checks that the `Content-Type`, if there is one, is that of a picture.
///
/// # Errors
///
/// `PictureTooLarge`, `BadImage`.
pub fn check_picture_with_type(context: &OperationContext<'_>, file: &UploadedFile) -> Result<(), Error> {
    check_picture_size(file)?;
    let is_picture = file.content_type.as_deref().is_none_or(|kind| PICTURE_TYPES.contains(&kind));
    if context.has(Feature::PictureContentTypeRequired) && !is_picture {
        return Err(Error::BadImage);
    }
    if picture::dimensions(&file.bytes).is_none() { Err(Error::BadImage) } else { Ok(()) }
}

fn check_picture_size(file: &UploadedFile) -> Result<(), Error> {
    let is_too_large = file.bytes.len() > MAX_PICTURE_MIB * 1024 * 1024;
    if is_too_large { Err(Error::PictureTooLarge { limit_mib: MAX_PICTURE_MIB.into() }) } else { Ok(()) }
}

/// Stores an avatar. It is not scaled, so the same file serves both sizes.
pub fn store_avatar(tx: &mut Tx, file: &UploadedFile) -> AvatarSource {
    let blob = tx.store_blob(file.bytes.clone());
    AvatarSource::Uploaded { medium_blob: blob.clone(), blob }
}
