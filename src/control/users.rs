//! The user that a body or filter means, by address or handle.

use super::refused;
use crate::error::Error;
use crate::json_diagnostic::most_alike;
use crate::realm::Realm;
use crate::realm::user::User;
use std::sync::Arc;

/// Longer names are cut before they are compared with others.
const MAX_COMPARED_BYTES: usize = 200;

/// The user with this address, or with this handle, which is the part before the @.
///
/// # Errors
///
/// `ControlRefused` with the nearest when there is none, or when several have the handle and none is at the
/// organization's own host.
pub fn named(realm: &Realm, name: &str, at: &str) -> Result<Arc<User>, Error> {
    let found = if name.contains('@') { realm.user_by_email(name).cloned() } else { with_handle(realm, name, at)? };
    found.ok_or_else(|| {
        // Names that anybody may have chosen are compared up to a length.
        let name = &name[..name.floor_char_boundary(MAX_COMPARED_BYTES)];
        let names: Vec<&str> = realm.users.values().map(|user| called(user, name)).collect();
        let nearest = most_alike(name, &names).map(|nearest| format!("; the nearest is '{nearest}'"));
        refused(format!("{at}: there is no user '{name}' in this world{}", nearest.unwrap_or_default()))
    })
}

/// As [`named`]; the address as it is in the journal.
///
/// # Errors
///
/// As [`named`].
pub fn address(realm: &Realm, name: Option<&str>, at: &str) -> Result<Option<String>, Error> {
    name.map(|name| named(realm, name, at).map(|user| user.email.clone())).transpose()
}

fn with_handle(realm: &Realm, handle: &str, at: &str) -> Result<Option<Arc<User>>, Error> {
    if let Some(own) = realm.user_by_email(&format!("{handle}@{}", realm.organization.host)) {
        return Ok(Some(own.clone()));
    }
    let mut others = realm.users.values().filter(|user| handle_of(user).eq_ignore_ascii_case(handle));
    match (others.next(), others.next()) {
        (Some(one), Some(other)) => {
            Err(refused(format!("{at}: '{handle}' may be {} or {}; give the address", one.email, other.email)))
        }
        (one, _) => Ok(one.cloned()),
    }
}

fn handle_of(user: &User) -> &str {
    user.email.split('@').next().unwrap_or_default()
}

/// What a user is called where names of this kind are: an address or a handle.
fn called<'user>(user: &'user User, name: &str) -> &'user str {
    if name.contains('@') { &user.email } else { handle_of(user) }
}
