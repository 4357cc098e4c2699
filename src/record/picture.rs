//! The URLs of the organization's icon and logos (A-142 in docs/assumptions.md).

use crate::realm::organization::{Organization, OrganizationPicture};

const DEFAULT_ICON: &str = "/static/images/default-icon.png";
const DEFAULT_LOGO: &str = "/static/images/default-logo.png";

/// The URL of a picture, relative to that of the organization.
pub fn picture_url(organization: &Organization, kind: OrganizationPicture) -> String {
    let picture = organization.picture(kind);
    match (&picture.blob, kind) {
        (Some(_), _) => {
            format!("/user_avatars/{}/realm/{}.png?version={}", organization.id, kind.name(), picture.version)
        }
        (None, OrganizationPicture::Icon) => format!("{DEFAULT_ICON}?version={}", picture.version),
        (None, OrganizationPicture::Logo | OrganizationPicture::NightLogo) => format!("{DEFAULT_LOGO}?version=0"),
    }
}

/// The source of a picture as the API has it: `U` if it is uploaded; otherwise `G` for the icon and `D` for logos.
pub fn picture_source(organization: &Organization, kind: OrganizationPicture) -> &'static str {
    match (organization.picture(kind).blob, kind) {
        (Some(_), _) => "U",
        (None, OrganizationPicture::Icon) => "G",
        (None, OrganizationPicture::Logo | OrganizationPicture::NightLogo) => "D",
    }
}
