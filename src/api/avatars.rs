//! Uploading and removing the caller's avatar (reference behaviour, POST /users/me/avatar).
//!
//! A choice where the API is silent: A-68 in docs/assumptions.md.

use super::parameter::parameters;
use super::{OperationContext, Write, operation};
use crate::api::changes::pictures::{check_avatar, store_avatar};
use crate::api::changes::users::account::change_avatar;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::realm::user::{AvatarSource, User};
use crate::record::avatar::{AvatarSize, avatar_url};
use schemars::JsonSchema;
use serde::Serialize;

parameters! {
    /// No parameters. The picture to upload is the only file of a multipart body, under any name.
    pub struct AvatarParams {}
}

/// The caller's picture after the change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AvatarReply {
    /// Relative to the organization's URL for an uploaded picture, absolute for the provider's.
    pub avatar_url: String,
}

operation! {
    /// Uploads the caller's picture: PNG, GIF, JPEG or WebP.
    pub UploadAvatar = POST "/users/me/avatar", for User;
    params from AvatarParams;
    reply AvatarReply;
    errors [OneAvatarExpected, AvatarChangesDisabled, PictureTooLarge, UnreadablePicture];
    events [RealmUserUpdate];
    takes files;
}

impl Write for UploadAvatar {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<AvatarReply, Error> {
        let caller = context.caller();
        let [file] = context.files else { return Err(Error::OneAvatarExpected) };
        check_may_change_avatar(tx, caller)?;
        check_avatar(file)?;

        let source = store_avatar(tx, file);
        change_avatar(tx, caller.id, source);
        Ok(AvatarReply { avatar_url: avatar_url(tx, &tx.users[&caller.id], AvatarSize::Small) })
    }
}

operation! {
    /// Removes the caller's picture; the provider's picture for a hash of the email address replaces it.
    pub RemoveAvatar = DELETE "/users/me/avatar", for User;
    params from AvatarParams;
    reply AvatarReply;
    errors [AvatarChangesDisabled];
    events [RealmUserUpdate];
}

impl Write for RemoveAvatar {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<AvatarReply, Error> {
        let caller = context.caller();
        check_may_change_avatar(tx, caller)?;

        change_avatar(tx, caller.id, AvatarSource::Provider);
        Ok(AvatarReply { avatar_url: avatar_url(tx, &tx.users[&caller.id], AvatarSize::Small) })
    }
}

fn check_may_change_avatar(realm: &Realm, caller: &User) -> Result<(), Error> {
    let is_disabled = realm.organization.is_enabled(RealmSetting::AvatarChangesDisabled) && !caller.is_admin();
    if is_disabled { Err(Error::AvatarChangesDisabled) } else { Ok(()) }
}
