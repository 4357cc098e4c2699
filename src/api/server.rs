//! Public data of the server, and logging in: operations that return API keys.

pub mod compatibility;
pub mod token;

use super::{Call, Origin, Read, SERVICE_VERSION, Write, operation};
use crate::api::changes::users::person::record_first_login;
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::address::is_email;
use crate::realm::id::UserId;
use crate::realm::organization::{AuthenticationMethod, LoginService, Organization, Picture};
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::picture::picture_url;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

operation! {
    /// Returns the public data of the server and its organization.
    pub GetServerSettings = GET "/server_settings", for Anyone;
    reply ServerSettings;
    is short;
}

/// Public data (specification, "Server settings").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServerSettings {
    /// Enabled login methods; deprecated.
    pub authentication_methods: BTreeMap<&'static str, bool>,
    /// Other services to log in with.
    pub external_authentication_methods: Vec<ExternalMethod>,
    /// The level that the server emulates.
    pub service_feature_level: i64,
    /// Release number.
    pub service_version: &'static str,
    /// Same as the version: this is not a fork.
    pub service_merge_base: &'static str,
    /// Whether push notifications can be sent.
    pub push_notifications_enabled: bool,
    /// Whether the client is too old, by its User-Agent.
    pub is_incompatible: bool,
    /// Password login.
    pub email_auth_enabled: bool,
    /// Whether user names are addresses.
    pub require_email_format_usernames: bool,
    /// Deprecated alias of `realm_url`.
    pub realm_uri: String,
    /// The organization's canonical URL.
    pub realm_url: String,
    /// Absent at the root of a server of many organizations, like the next three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_name: Option<String>,
    /// URL of the square logo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_icon: Option<String>,
    /// HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_description: Option<String>,
    /// Whether visitors without an account can read anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_web_public_access_enabled: Option<bool>,
}

/// Another service to log in with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExternalMethod {
    /// Unique machine name.
    pub name: String,
    /// Display name.
    pub display_name: String,
    /// URL relative to the server's, or null.
    pub display_icon: Option<String>,
    /// Where to log in; URL relative to the server's.
    pub login_url: String,
    /// Where to sign up; URL relative to the server's.
    pub signup_url: String,
}

/// The login page, which is the same for all services (A-377 in docs/assumptions.md).
const LOGIN_PAGE: &str = "/accounts/login/";

impl ExternalMethod {
    fn of(service: &LoginService) -> Self {
        Self {
            name: service.name.clone(),
            display_name: service.display_name.clone(),
            display_icon: None,
            login_url: LOGIN_PAGE.to_owned(),
            signup_url: LOGIN_PAGE.to_owned(),
        }
    }
}

/// The names of authentication methods, with neutral names for social providers, and whether they are enabled by
/// default.
pub const METHODS: [(&str, bool); 13] = [
    ("password", true),
    ("dev", true),
    ("email", true),
    ("ldap", false),
    ("remoteuser", false),
    ("saml", false),
    ("openid connect", false),
    ("code_host_a", false),
    ("code_host_b", false),
    ("cloud_identity", false),
    ("device_vendor", false),
    ("search_vendor", false),
    ("chat_vendor", false),
];

/// The settings at the root of a server where no organization has the root URL.
pub fn root_settings(origin: Origin<'_>, feature_level: i64, user_agent: &str) -> ServerSettings {
    ServerSettings {
        authentication_methods: METHODS.into_iter().collect(),
        external_authentication_methods: Vec::new(),
        service_feature_level: feature_level,
        service_version: SERVICE_VERSION,
        service_merge_base: SERVICE_VERSION,
        push_notifications_enabled: true,
        is_incompatible: compatibility::is_incompatible(user_agent),
        email_auth_enabled: true,
        require_email_format_usernames: true,
        realm_uri: origin.base_url(),
        realm_url: origin.base_url(),
        realm_name: None,
        realm_icon: None,
        realm_description: None,
        realm_web_public_access_enabled: None,
    }
}

/// For each authentication method whether the organization has it enabled.
fn methods(organization: &Organization) -> BTreeMap<&'static str, bool> {
    let is_enabled = |name| match name {
        "password" | "email" => organization.allows_login_by(AuthenticationMethod::Email),
        "dev" => organization.allows_login_by(AuthenticationMethod::Dev),
        // The name of a service may have a suffix: `saml:company` belongs to the method `saml`.
        method => organization.login_services.iter().any(|service| service.name.split(':').next() == Some(method)),
    };
    METHODS.into_iter().map(|(name, _)| (name, is_enabled(name))).collect()
}

impl Read for GetServerSettings {
    fn run(realm: &Realm, call: &Call<'_>, _params: Self::Params) -> Result<ServerSettings, Error> {
        let organization = &realm.organization;
        Ok(ServerSettings {
            authentication_methods: methods(organization),
            external_authentication_methods: organization.login_services.iter().map(ExternalMethod::of).collect(),
            email_auth_enabled: organization.allows_login_by(AuthenticationMethod::Email),
            push_notifications_enabled: organization.is_on(RealmSetting::PushNotificationsEnabled),
            realm_name: Some(organization.name.clone()),
            realm_icon: Some(picture_url(organization, Picture::Icon)),
            realm_description: Some(description(organization)),
            realm_web_public_access_enabled: Some(realm.web_public_access_enabled()),
            ..root_settings(call.origin, call.feature_level, call.user_agent)
        })
    }
}

/// The organization's description as HTML, or the default description of the real server.
fn description(organization: &Organization) -> String {
    match organization.rendered_description.as_str() {
        "" => "<p>The coolest place in the universe.</p>".to_owned(),
        rendered => rendered.to_owned(),
    }
}

operation! {
    /// Returns the API key of any account, as development servers do, and opens a session.
    pub DevFetchApiKey = POST "/dev_fetch_api_key", for Anyone;
    params {
        /// The account's address; bots have one too.
        username: String,
    }
    reply ApiKeyReply;
    errors [
        KeysForbidden, DevAuthDisabled, InvalidEmailSyntax, RealmDeactivated, AuthenticationFailed, UserDeactivated,
    ];
    events [RealmUserUpdate, UserGroupRemoveMembers, StreamDelete];
    session |reply| UserId(reply.user_id);
    gives keys;
    is short;
}

/// Credentials for Basic authentication.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ApiKeyReply {
    /// 32 letters and digits.
    pub api_key: String,
    /// The account's real address, which is the user name.
    pub email: String,
    /// The account.
    pub user_id: i64,
}

impl Write for DevFetchApiKey {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<ApiKeyReply, Error> {
        log_in_without_password(tx, call.feature_level, &params.username)
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
    /// The real address.
    pub email: String,
    /// The organization's URL.
    pub realm_url: String,
}

/// The active human users, each list sorted by address.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DevUsersReply {
    /// Owners and administrators.
    pub direct_admins: Vec<DevUser>,
    /// All others.
    pub direct_users: Vec<DevUser>,
}

impl Read for DevListUsers {
    fn run(realm: &Realm, call: &Call<'_>, _params: Self::Params) -> Result<DevUsersReply, Error> {
        check_dev_logins(realm)?;
        let mut people: Vec<&User> = realm.active_users.iter().map(|id| realm.users[id].as_ref()).collect();
        people.retain(|user| !user.is_bot());
        people.sort_by(|a, b| a.email.cmp(&b.email));
        let realm_url = call.origin.base_url();
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
        /// The account's address.
        username: String,
        /// Its password.
        password: String,
    }
    reply ApiKeyReply;
    errors [InvalidEmailSyntax, PasswordAuthDisabled, AuthenticationFailed, UserDeactivated, RealmDeactivated];
    events [RealmUserUpdate, UserGroupRemoveMembers, StreamDelete];
    caller in "username";
}

impl Write for FetchApiKey {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<ApiKeyReply, Error> {
        log_in_with_password(tx, call.feature_level, &params.username, &params.password)
    }
}

/// Logs a user in by email address alone, like development servers.
///
/// # Errors
///
/// In this order: `DevAuthDisabled`, `InvalidEmailSyntax`, `RealmDeactivated`, `AuthenticationFailed`,
/// `UserDeactivated`.
pub fn log_in_without_password(tx: &mut Tx, feature_level: i64, username: &str) -> Result<ApiKeyReply, Error> {
    check_dev_logins(tx)?;
    check_syntax(username)?;
    if tx.organization.is_deactivated {
        return Err(Error::RealmDeactivated);
    }
    let user = dev_account(tx, username)?;
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
    username: &str,
    password: &str,
) -> Result<ApiKeyReply, Error> {
    check_syntax(username)?;
    if !tx.organization.allows_login_by(AuthenticationMethod::Email) {
        return Err(Error::PasswordAuthDisabled);
    }
    let user = account(tx, username)?;
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

fn check_syntax(username: &str) -> Result<(), Error> {
    if is_email(username) { Ok(()) } else { Err(Error::InvalidEmailSyntax) }
}

/// The account with an email address, except system bots, which cannot log in.
fn account(realm: &Realm, username: &str) -> Result<std::sync::Arc<User>, Error> {
    dev_account(realm, username).ok().filter(|user| !user.is_system_bot()).ok_or(Error::AuthenticationFailed)
}

/// The account with an email address, including system bots: development logins return any key.
fn dev_account(realm: &Realm, username: &str) -> Result<std::sync::Arc<User>, Error> {
    let user = realm.user_by_email(username).filter(|user| !user.is_deleted);
    user.cloned().ok_or(Error::AuthenticationFailed)
}

/// Returns the key and applies a first login: an imported stub becomes a full account, and `date_joined` of imported
/// users and of users created over the API changes to now (specification, User, `date_joined`).
fn log_in(tx: &mut Tx, feature_level: i64, user: &User) -> ApiKeyReply {
    if user.joins_at_first_login || user.is_imported_stub {
        record_first_login(tx, user.id, Feature::FirstLoginSetsDateJoined.is_at(feature_level));
    }
    ApiKeyReply { api_key: user.api_key.clone(), email: user.email.clone(), user_id: user.id.0 }
}
