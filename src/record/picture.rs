//! The organization's own pictures as clients see them (A-142 in docs/assumptions.md).

use crate::realm::organization::{Organization, Picture};

/// What replaces pictures that the organization does not have.
const DEFAULT_ICON: &str = "/static/images/default-icon.png";
const DEFAULT_LOGO: &str = "/static/images/default-logo.png";

/// A picture's address, relative to the organization's.
pub fn address(organization: &Organization, which: Picture) -> String {
    let picture = organization.picture(which);
    match (&picture.blob, which) {
        (Some(_), _) => {
            format!("/user_avatars/{}/realm/{}.png?version={}", organization.id, which.name(), picture.version)
        }
        (None, Picture::Icon) => format!("{DEFAULT_ICON}?version={}", picture.version),
        (None, Picture::Logo | Picture::NightLogo) => format!("{DEFAULT_LOGO}?version=0"),
    }
}

/// Where a picture comes from: `U` uploaded; else `G` for the icon, `D` for logos.
pub fn source(organization: &Organization, which: Picture) -> &'static str {
    match (organization.picture(which).blob, which) {
        (Some(_), _) => "U",
        (None, Picture::Icon) => "G",
        (None, Picture::Logo | Picture::NightLogo) => "D",
    }
}
