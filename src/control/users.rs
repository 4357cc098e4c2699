//! Finds the users that bodies and queries name, by email address or handle.

use super::{MAX_COMPARED_BYTES, refusal};
use crate::error::Error;
use crate::json_diagnostic::most_similar;
use crate::realm::Realm;
use crate::realm::user::User;
use std::sync::Arc;

/// Finds the user with this email address or handle, which is the part before the @. `location` is where the name was
/// found, for errors.
///
/// # Errors
///
/// `ControlRefused` if there is no such user, with the nearest name, or if several users have the handle and none of
/// them is at the organization's host.
pub fn find_user(realm: &Realm, name: &str, location: &str) -> Result<Arc<User>, Error> {
    let user =
        if name.contains('@') { realm.user_by_email(name).cloned() } else { find_by_handle(realm, name, location)? };
    user.ok_or_else(|| {
        let name = &name[..name.floor_char_boundary(MAX_COMPARED_BYTES)];
        let names: Vec<&str> = realm.users.values().map(|user| address_or_handle(user, name)).collect();
        let nearest = most_similar(name, &names).map(|nearest| format!("; the nearest is '{nearest}'"));
        refusal(format!("{location}: there is no user '{name}' in this world{}", nearest.unwrap_or_default()))
    })
}

/// As [`find_user`], but returns the email address; None without a name.
///
/// # Errors
///
/// As [`find_user`].
pub fn find_email(realm: &Realm, name: Option<&str>, location: &str) -> Result<Option<String>, Error> {
    name.map(|name| find_user(realm, name, location).map(|user| user.email.clone())).transpose()
}

fn find_by_handle(realm: &Realm, handle: &str, location: &str) -> Result<Option<Arc<User>>, Error> {
    if let Some(user) = realm.user_by_email(&format!("{handle}@{}", realm.organization.host)) {
        return Ok(Some(user.clone()));
    }
    let mut matches = realm.users.values().filter(|user| handle_of(user).eq_ignore_ascii_case(handle));
    match (matches.next(), matches.next()) {
        (Some(first), Some(second)) => {
            Err(refusal(format!("{location}: '{handle}' may be {} or {}; give the address", first.email, second.email)))
        }
        (first, _) => Ok(first.cloned()),
    }
}

fn handle_of(user: &User) -> &str {
    user.email.split('@').next().unwrap_or_default()
}

/// The user's email address if `name` is one, otherwise the handle.
fn address_or_handle<'user>(user: &'user User, name: &str) -> &'user str {
    if name.contains('@') { &user.email } else { handle_of(user) }
}
