//! The URLs of users' pictures (specification, "User").

use crate::realm::user::{AvatarSource, User};
use crate::realm::{Realm, to_hexadecimal};
use md5::{Digest, Md5};

/// The URL of the picture of users that the viewer may not access; it is the same for all of them.
pub const UNKNOWN_AVATAR_URL: &str = "/static/images/unknown-user-avatar.png?v=1";

/// The size of a user's picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AvatarSize {
    Small,
    /// Larger than the small one; system bots have no such picture.
    Medium,
}

/// The URL of a user's small picture. None if it is the provider's and the client computes it.
pub fn avatar_url_unless_computed(realm: &Realm, user: &User, client_computes: bool) -> Option<String> {
    if client_computes && user.avatar.source == AvatarSource::Provider {
        return None;
    }
    Some(avatar_url(realm, user, AvatarSize::Small))
}

/// The URL of a user's picture, relative to that of the organization unless it is the provider's. It ends in
/// `v={avatar_version}` (specification, User; A-3 in docs/assumptions.md).
pub fn avatar_url(realm: &Realm, user: &User, size: AvatarSize) -> String {
    let version = user.avatar.version;
    match user.avatar.source {
        AvatarSource::Uploaded { .. } => {
            let suffix = if size == AvatarSize::Medium { "-medium" } else { "" };
            format!("/user_avatars/{}/{}{suffix}.png?v={version}", realm.organization.id, avatar_file_stem(user))
        }
        AvatarSource::Provider if user.is_system_bot() => {
            let (local_part, _) = user.email.split_once('@').unwrap_or((&user.email, ""));
            // System bots have pictures of their own (A-333 in docs/assumptions.md).
            format!("/static/images/avatars/{local_part}.png?v={version}")
        }
        AvatarSource::Provider => provider_url(&user.email, version, size),
    }
}

/// The URL of a picture at the provider, which contains a hash of the email address.
pub fn provider_url(email: &str, version: i64, size: AvatarSize) -> String {
    let hash = to_hexadecimal(&Md5::digest(email.to_lowercase().as_bytes()));
    let query = if size == AvatarSize::Medium { "?s=500&v=" } else { "?v=" };
    format!("https://secure.gravatar.com/avatar/{hash}{query}{version}")
}

/// The file name of an uploaded picture, without extension: 40 hexadecimal digits that change with each version.
pub fn avatar_file_stem(user: &User) -> String {
    let mut hash =
        crate::realm::content_hash(format!("avatar of {} version {}", user.id, user.avatar.version).as_bytes());
    hash.truncate(40);
    hash
}
