//! The organization's own pictures: its icon, and its logo for light and for dark backgrounds.
//!
//! Choices where the API is silent: A-142 in docs/assumptions.md.

use crate::api::changes::pictures::check_named_picture;
use crate::api::parameter::{UploadedFile, parameters};
use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::organization::Picture;
use crate::realm::tx::Tx;
use crate::record::events::RealmUpdateDict;
use crate::record::picture::{address, source};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

parameters! {
    /// None besides the file, a part of a multipart body under any name.
    pub struct IconParams {}
}

parameters! {
    /// Which logo. Its picture is the one file of a multipart body, under any name.
    pub struct LogoParams {
        /// Whether it is the logo for dark themes.
        night: bool,
    }
}

/// The new icon.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct IconReply {
    /// Its address.
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
    fn run(tx: &mut Tx, call: &Call<'_>, _params: Self::Params) -> Result<IconReply, Error> {
        let [file] = call.files else { return Err(Error::OneIconExpected) };
        check_named_picture(call, file)?;

        change(tx, Picture::Icon, Some(file));
        Ok(IconReply { icon_url: address(&tx.organization, Picture::Icon) })
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
    fn run(tx: &mut Tx, _call: &Call<'_>, _params: Self::Params) -> Result<IconReply, Error> {
        change(tx, Picture::Icon, None);
        Ok(IconReply { icon_url: address(&tx.organization, Picture::Icon) })
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
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let [file] = call.files else { return Err(Error::OneLogoExpected) };
        check_named_picture(call, file)?;

        change(tx, params.which(), Some(file));
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
    fn run(tx: &mut Tx, _call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        change(tx, params.which(), None);
        Ok(Success {})
    }
}

impl LogoParams {
    fn which(&self) -> Picture {
        if self.night { Picture::NightLogo } else { Picture::Logo }
    }
}

/// Replaces a picture or takes it away, and tells everybody, whether there was one or not.
fn change(tx: &mut Tx, which: Picture, file: Option<&UploadedFile>) {
    let blob = file.map(|file| tx.keep_blob(file.bytes.clone()));
    let organization = Arc::make_mut(&mut tx.realm_mut().organization);
    let picture = organization.pictures.entry(which).or_default();
    picture.blob = blob;
    picture.version += 1;
    let name = which.name();
    let data = Map::from_iter([
        (format!("{name}_source"), Value::from(source(organization, which))),
        (format!("{name}_url"), address(organization, which).into()),
    ]);
    let everyone = tx.everyone();
    tx.emit(everyone, RealmUpdateDict { property: name, data });
}
