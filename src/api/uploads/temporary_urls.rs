//! URLs with which files can be read without credentials for a minute.
//!
//! The token in a URL consists of the expiry time and the file's path, with a signature that only this organization can
//! make. The time is that of the world's clock.

use crate::error::Error;
use crate::realm::attachment::Attachment;
use crate::realm::{Realm, content_hash, to_hexadecimal};
use crate::time::{Span, Timestamp};
use std::sync::Arc;

const VALIDITY_PERIOD: Span = Span::from_seconds(60);

/// Returns a URL of the file that works for a minute from `now`, relative to the organization's URL.
pub fn create_url(realm: &Realm, attachment: &Attachment, now: Timestamp) -> String {
    let expires_at = now.plus(VALIDITY_PERIOD).micros();
    let signed_text = format!("{expires_at}:{}", attachment.path_id);
    let token = to_hexadecimal(format!("{}:{signed_text}", signature_of(realm, &signed_text)).as_bytes());
    let name = attachment.path_id.rsplit('/').next().unwrap_or_default();
    format!("/user_uploads/temporary/{token}/{name}")
}

/// The file for `{token}/{filename}`.
///
/// # Errors
///
/// `InvalidFileToken` if the token is malformed, has a wrong signature or has expired; `InvalidFilename` if the name is
/// not the end of the file's path; `FileNotFound` if the file was removed.
pub fn find_file(realm: &Realm, token_and_name: &str, now: Timestamp) -> Result<Arc<Attachment>, Error> {
    let (token, name) = token_and_name.split_once('/').ok_or(Error::InvalidFileToken)?;
    let text = decode_hexadecimal(token).ok_or(Error::InvalidFileToken)?;
    let (signature, signed_text) = text.split_once(':').ok_or(Error::InvalidFileToken)?;
    let (expires_at, path_id) = signed_text.split_once(':').ok_or(Error::InvalidFileToken)?;
    let expires_at = expires_at.parse().map(Timestamp::from_micros).map_err(|_| Error::InvalidFileToken)?;
    if signature != signature_of(realm, signed_text) || now >= expires_at {
        return Err(Error::InvalidFileToken);
    }
    if path_id.rsplit('/').next() != Some(name) {
        return Err(Error::InvalidFilename);
    }
    realm.attachments.get(path_id).cloned().ok_or(Error::FileNotFound)
}

/// 32 hexadecimal digits that depend on the organization, its seed and the text.
fn signature_of(realm: &Realm, text: &str) -> String {
    let mut signature = content_hash(format!("{}:{}:{text}", realm.organization.uuid, realm.rng.seed).as_bytes());
    signature.truncate(32);
    signature
}

fn decode_hexadecimal(text: &str) -> Option<String> {
    let digits = text.as_bytes();
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()))
        .collect();
    String::from_utf8(bytes?).ok()
}
