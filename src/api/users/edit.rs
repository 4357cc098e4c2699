//! Changing users' accounts, for administrators and owners of bots (reference behaviour, PATCH /users/{user_id} and
//! /users/{email}).
//!
//! A choice where the API is silent: A-65 in docs/assumptions.md.

use crate::api::changes::users::account::{change_email, change_name, change_role};
use crate::api::changes::users::profile_values::{change_profile_values, checked_profile_values};
use crate::api::parameter::types::profile_value::RequestedProfileValue;
use crate::api::parameter::{RoleNumber, json_object};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::{Error, ErrorKind};
use crate::realm::Realm;
use crate::realm::account_emails::checked_email;
use crate::realm::account_names::checked_name;
use crate::realm::account_permissions::{administrable_user, checked_role};
use crate::realm::email::is_email;
use crate::realm::event::EventKind;
use crate::realm::id::{ProfileFieldId, UserId};
use crate::realm::tx::Tx;
use crate::realm::user::User;

operation! {
    /// Changes a user's name, role, profile or address; for administrators, and owners of bots.
    pub EditUser = PATCH "/users/{user_id}", for User;
    params {
        /// ID of the user, who may be a bot or deactivated; not of a system bot.
        @path user_id: UserId,
        /// New name that users see, at most 100 code points; a blank one changes nothing.
        full_name: Option<String>,
        /// New role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
        role since 7: Option<RoleNumber>,
        /// New values of custom profile fields by `id`; a `value` that is null or empty removes the old one.
        profile_data: Option<Vec<UserProfileChange>>,
        /// New real address; only for administrators who may create users.
        new_email since 313: Option<String>,
    }
    errors in ERRORS;
    events in EVENTS;
}

json_object! { open
    /// A new value of one of a user's custom profile fields.
    pub struct UserProfileChange {
        /// ID of the custom profile field.
        id: ProfileFieldId,
        /// A text, or for fields of users a list of IDs; null or empty removes the value.
        value: Option<RequestedProfileValue>,
    }
}

const ERRORS: &[ErrorKind] = &[
    ErrorKind::BadValue,
    ErrorKind::InvalidValueBecause,
    ErrorKind::NoSuchUser,
    ErrorKind::InsufficientPermission,
    ErrorKind::MayNotChangeEmails,
    ErrorKind::OwnerRequired,
    ErrorKind::AdministratorRequired,
    ErrorKind::CannotDemoteOnlyOwner,
    ErrorKind::NameTooLong,
    ErrorKind::NameInvalidCharacters,
    ErrorKind::NameInvalidFormat,
    ErrorKind::NameTaken,
    ErrorKind::FieldNotFound,
    ErrorKind::NotAChoice,
    ErrorKind::InvalidUserIds,
    ErrorKind::FieldUserDeactivated,
    ErrorKind::FieldUserIsBot,
    ErrorKind::InvalidNewEmail,
    ErrorKind::NewEmailRefused,
];
const EVENTS: &[EventKind] = &[
    EventKind::RealmUserUpdate,
    EventKind::UserGroupRemoveMembers,
    EventKind::UserGroupAddMembers,
    EventKind::RealmUserAdd,
    EventKind::RealmUserRemove,
    EventKind::StreamCreate,
    EventKind::SubscriptionPeerAdd,
    EventKind::StreamDelete,
];

impl Write for EditUser {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let EditUser { user_id, full_name, new_email, profile_data, role } = params;
        edit_user(tx, context.caller(), user_id, UserChanges { full_name, new_email, profile_data, role })
    }
}

operation! {
    /// Changes a user by address, as PATCH /users/{user_id} does by ID.
    pub EditUserByEmail = PATCH "/users/{email}", for User, since 313;
    params {
        /// The real address, where the caller may see it, or the dummy `user<user_id>@<realm_host>`.
        @path email: String,
        /// New name that users see, at most 100 code points; a blank one changes nothing.
        full_name: Option<String>,
        /// New role: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
        role: Option<RoleNumber>,
        /// New values of custom profile fields by `id`; a `value` that is null or empty removes the old one.
        profile_data: Option<Vec<UserProfileChange>>,
        /// New real address; only for administrators who may create users.
        new_email since 313: Option<String>,
    }
    errors in ERRORS;
    events in EVENTS;
}

impl Write for EditUserByEmail {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let EditUserByEmail { email, full_name, new_email, profile_data, role } = params;
        let user_id = tx.user_by_email_visible_to_role(context.caller(), &email).ok_or(Error::NoSuchUser)?.id;
        edit_user(tx, context.caller(), user_id, UserChanges { full_name, new_email, profile_data, role })
    }
}

/// The parameters that both operations share; None for what does not change.
struct UserChanges {
    full_name: Option<String>,
    new_email: Option<String>,
    profile_data: Option<Vec<UserProfileChange>>,
    role: Option<RoleNumber>,
}

fn edit_user(tx: &mut Tx, caller: &User, id: UserId, changes: UserChanges) -> Result<Success, Error> {
    let user = administrable_user(tx, caller, id)?;
    if changes.new_email.is_some() && !(caller.is_admin() && caller.can_create_users) {
        return Err(Error::MayNotChangeEmails);
    }
    let role = checked_role(tx, caller, &user, changes.role.map(|role| role.0))?;
    let name = changes.full_name.filter(|name| !name.trim().is_empty() && *name != user.full_name);
    let name = name.map(|name| checked_name(tx, &name, Some(id), tx.feature_level())).transpose()?;
    let values: Vec<(ProfileFieldId, Option<String>)> = match changes.profile_data {
        Some(entries) => {
            let id_and_value = |entry: UserProfileChange| (entry.id, entry.value.filter(|value| !value.is_empty()));
            checked_profile_values(tx, caller, entries.into_iter().map(id_and_value).collect())?
        }
        None => Vec::new(),
    };
    let email = changes.new_email.map(|email| checked_new_email(tx, &user, email.trim())).transpose()?.flatten();

    if let Some(role) = role {
        change_role(tx, id, role);
    }
    if let Some(name) = name {
        change_name(tx, id, name);
    }
    change_profile_values(tx, id, values);
    if let Some(email) = email {
        change_email(tx, id, email);
    }
    Ok(Success {})
}

/// The new address; None if it is the current one. One that differs only in case is not checked further.
fn checked_new_email(realm: &Realm, user: &User, email: &str) -> Result<Option<String>, Error> {
    if email == user.email {
        return Ok(None);
    }
    if !is_email(email) {
        return Err(Error::InvalidNewEmail);
    }
    if email.to_lowercase() == user.email.to_lowercase() {
        return Ok(Some(email.to_owned()));
    }
    let refusal = |error: Error| Error::NewEmailRefused { detail: error.message().into() };
    checked_email(realm, email).map(Some).map_err(refusal)
}
