//! Uploading and removing the organization's icon and logos.
//!
//! A choice where the API is silent: A-142 in docs/assumptions.md.

use crate::api::changes::pictures::check_picture_with_type;
use crate::api::parameter::{UploadedFile, parameters};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::organization::OrganizationPicture;
use crate::realm::tx::Tx;
use crate::record::events::RealmUpdateDict;
use crate::record::picture::{picture_source, picture_url};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

parameters! {
    /// No parameters. An upload has the picture, the only file of a multipart body, with any name.
    pub struct IconParams {}
}

parameters! {
    /// The parameters of uploads and removals. An upload also has the picture, the only file of a multipart body, with
    /// any name.
    pub struct LogoParams {
        /// Whether the request is about the logo for dark themes, rather than the usual one.
        night: bool,
    }
}

/// The icon after the change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IconReply {
    /// The URL of the icon; after a removal, that of the default one.
    pub icon_url: String,
}

operation! {
    /// Uploads the organization's icon: PNG, GIF, JPEG or WebP.
    pub UploadIcon = POST "/realm/icon", for Administrator;
    params from IconParams;
    reply IconReply;
    errors [OneIconExpected, PictureTooLarge, BadImage];
    events [RealmUpdateDict];
    takes files;
}

impl Write for UploadIcon {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, _params: Self::Params) -> Result<IconReply, Error> {
        let [file] = context.files else { return Err(Error::OneIconExpected) };
        check_picture_with_type(context, file)?;

        change_picture(tx, OrganizationPicture::Icon, Some(file));
        Ok(IconReply { icon_url: picture_url(&tx.organization, OrganizationPicture::Icon) })
    }
}

operation! {
    /// Removes the organization's icon; the default one replaces it.
    pub RemoveIcon = DELETE "/realm/icon", for Administrator;
    params from IconParams;
    reply IconReply;
    events [RealmUpdateDict];
}

impl Write for RemoveIcon {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, _params: Self::Params) -> Result<IconReply, Error> {
        change_picture(tx, OrganizationPicture::Icon, None);
        Ok(IconReply { icon_url: picture_url(&tx.organization, OrganizationPicture::Icon) })
    }
}

operation! {
    /// Uploads a logo of the organization: PNG, GIF, JPEG or WebP.
    pub UploadLogo = POST "/realm/logo", for Administrator;
    params from LogoParams;
    errors [OneLogoExpected, PictureTooLarge, BadImage];
    events [RealmUpdateDict];
    takes files;
}

impl Write for UploadLogo {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let [file] = context.files else { return Err(Error::OneLogoExpected) };
        check_picture_with_type(context, file)?;

        change_picture(tx, params.picture_kind(), Some(file));
        Ok(Success {})
    }
}

operation! {
    /// Removes a logo of the organization; the default one replaces it.
    pub RemoveLogo = DELETE "/realm/logo", for Administrator;
    params from LogoParams;
    events [RealmUpdateDict];
}

impl Write for RemoveLogo {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        change_picture(tx, params.picture_kind(), None);
        Ok(Success {})
    }
}

impl LogoParams {
    fn picture_kind(&self) -> OrganizationPicture {
        if self.night { OrganizationPicture::NightLogo } else { OrganizationPicture::Logo }
    }
}

/// Replaces or removes a picture.
///
/// Event: `realm` update_dict to everyone, even if a picture is removed that does not exist.
fn change_picture(tx: &mut Tx, picture_kind: OrganizationPicture, file: Option<&UploadedFile>) {
    let blob = file.map(|file| tx.store_blob(file.bytes.clone()));
    let organization = Arc::make_mut(&mut tx.realm_mut().organization);
    let picture = organization.pictures.entry(picture_kind).or_default();
    picture.blob = blob;
    picture.version += 1;
    let name = picture_kind.name();
    let data = Map::from_iter([
        (format!("{name}_source"), Value::from(picture_source(organization, picture_kind))),
        (format!("{name}_url"), picture_url(organization, picture_kind).into()),
    ]);
    let everyone = tx.everyone();
    tx.emit(everyone, RealmUpdateDict { property: name, data });
}
