//! Logging in by email address, with a password or, as on development servers, without: operations that return API
//! keys, and the list of accounts for development logins.

use crate::api::changes::users::first_login::record_first_login;
use crate::api::{OperationContext, Read, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::email::is_email;
use crate::realm::id::UserId;
use crate::realm::organization::AuthenticationMethod;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The paths of the operations with which tests get credentials.
pub const TEST_SETUP_ROUTES: [&str; 2] = ["/dev_fetch_api_key", "/dev_list_users"];

operation! {
    /// Returns the API key of any account, as development servers do, and opens a session.
    pub DevFetchApiKey = POST "/dev_fetch_api_key", for Anyone;
    params {
        /// Real address of any active account, also of a bot.
        username: String,
    }
    reply ApiKeyReply;
    errors [
        KeysForbidden, DevAuthDisabled, InvalidEmailSyntax, RealmDeactivated, AuthenticationFailed, UserDeactivated,
    ];
    events [RealmUserUpdate, UserGroupRemoveMembers, StreamDelete];
    session |reply| UserId(reply.user_id);
    gives keys;
    is fast;
}

/// Credentials for Basic authentication.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ApiKeyReply {
    /// 32 letters and digits.
    pub api_key: String,
    /// The account's real address, which is the user name for Basic authentication.
    pub email: String,
    /// ID of the account.
    pub user_id: i64,
}

impl Write for DevFetchApiKey {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<ApiKeyReply, Error> {
        log_in_without_password(tx, context.feature_level, &params.username)
    }
}

operation! {
    /// Lists the users whose API keys POST /dev_fetch_api_key returns.
    pub DevListUsers = GET "/dev_list_users", for Anyone;
    reply DevUsersReply;
    errors [KeysForbidden, DevAuthDisabled];
    gives keys;
}

/// A user who can log in without a password.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DevUser {
    /// The real address, for `username` of POST /dev_fetch_api_key.
    pub email: String,
    /// The organization's URL; the same for all users.
    pub realm_url: String,
}

/// The active human users, each list sorted by address.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DevUsersReply {
    /// Owners and administrators.
    pub direct_admins: Vec<DevUser>,
    /// Moderators, members and guests.
    pub direct_users: Vec<DevUser>,
}

impl Read for DevListUsers {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<DevUsersReply, Error> {
        check_dev_logins(realm)?;
        let mut people: Vec<&User> = realm.active_users.iter().map(|id| realm.users[id].as_ref()).collect();
        people.retain(|user| !user.is_bot());
        people.sort_by(|a, b| a.email.cmp(&b.email));
        let realm_url = context.origin.base_url();
        let dev_user = |user: &User| DevUser { email: user.email.clone(), realm_url: realm_url.clone() };
        let (admins, others): (Vec<&User>, Vec<&User>) = people.into_iter().partition(|user| user.is_admin());
        Ok(DevUsersReply {
            direct_admins: admins.into_iter().map(dev_user).collect(),
            direct_users: others.into_iter().map(dev_user).collect(),
        })
    }
}

operation! {
    /// Returns an account's API key for its password.
    pub FetchApiKey = POST "/fetch_api_key", for Anyone;
    params {
        /// Real address of an active account; requests in a session may omit their own.
        username: String,
        /// The account's password; accounts that have none are refused.
        password: String,
    }
    reply ApiKeyReply;
    errors [InvalidEmailSyntax, PasswordAuthDisabled, AuthenticationFailed, UserDeactivated, RealmDeactivated];
    events [RealmUserUpdate, UserGroupRemoveMembers, StreamDelete];
    caller in "username";
}

impl Write for FetchApiKey {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<ApiKeyReply, Error> {
        log_in_with_password(tx, context.feature_level, &params.username, &params.password)
    }
}

/// Logs a user in by email address alone, like development servers.
///
/// # Errors
///
/// In this order: `DevAuthDisabled`, `InvalidEmailSyntax`, `RealmDeactivated`, `AuthenticationFailed`,
/// `UserDeactivated`.
pub fn log_in_without_password(tx: &mut Tx, feature_level: i64, email: &str) -> Result<ApiKeyReply, Error> {
    check_dev_logins(tx)?;
    check_email_syntax(email)?;
    if tx.organization.is_deactivated {
        return Err(Error::RealmDeactivated);
    }
    let user = find_account_or_system_bot(tx, email)?;
    if !user.is_active {
        return Err(Error::UserDeactivated);
    }

    Ok(log_in(tx, feature_level, &user))
}

/// Logs a user in by email address and password.
///
/// # Errors
///
/// In this order: `InvalidEmailSyntax`, `PasswordAuthDisabled`, `AuthenticationFailed`, `UserDeactivated`,
/// `RealmDeactivated`.
pub fn log_in_with_password(
    tx: &mut Tx,
    feature_level: i64,
    email: &str,
    password: &str,
) -> Result<ApiKeyReply, Error> {
    check_email_syntax(email)?;
    if !tx.organization.allows_login_by(AuthenticationMethod::Email) {
        return Err(Error::PasswordAuthDisabled);
    }
    let user = find_account(tx, email)?;
    if user.password.as_deref() != Some(password) {
        return Err(Error::AuthenticationFailed);
    }
    if !user.is_active {
        return Err(Error::UserDeactivated);
    }
    if tx.organization.is_deactivated {
        return Err(Error::RealmDeactivated);
    }

    Ok(log_in(tx, feature_level, &user))
}

fn check_dev_logins(realm: &Realm) -> Result<(), Error> {
    let is_enabled = realm.organization.allows_login_by(AuthenticationMethod::Dev);
    if is_enabled { Ok(()) } else { Err(Error::DevAuthDisabled) }
}

fn check_email_syntax(email: &str) -> Result<(), Error> {
    if is_email(email) { Ok(()) } else { Err(Error::InvalidEmailSyntax) }
}

/// The account with an email address, except system bots, which only development logins accept.
///
/// # Errors
///
/// `AuthenticationFailed` if there is no such account.
pub(super) fn find_account(realm: &Realm, email: &str) -> Result<Arc<User>, Error> {
    find_account_or_system_bot(realm, email)
        .ok()
        .filter(|user| !user.is_system_bot())
        .ok_or(Error::AuthenticationFailed)
}

/// The account with an email address, including system bots: development logins return any key.
fn find_account_or_system_bot(realm: &Realm, email: &str) -> Result<Arc<User>, Error> {
    let user = realm.user_by_email(email).filter(|user| !user.is_deleted);
    user.cloned().ok_or(Error::AuthenticationFailed)
}

/// Returns the key and applies a first login: an imported stub becomes a full account, and from 475 on `date_joined` of
/// imported users and of users created over the API changes to now (specification, User, `date_joined`).
pub(super) fn log_in(tx: &mut Tx, feature_level: i64, user: &User) -> ApiKeyReply {
    if user.joins_at_first_login || user.is_imported_stub {
        record_first_login(tx, user.id, Feature::FirstLoginSetsDateJoined.is_at(feature_level));
    }
    ApiKeyReply { api_key: user.api_key.clone(), email: user.email.clone(), user_id: user.id.0 }
}
