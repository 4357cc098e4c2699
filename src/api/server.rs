//! The public data of the server, which clients read before they log in. Submodules log users in and recognize clients
//! that are too old.

pub mod compatibility;
pub mod login;
pub mod token;

pub use login::{DevFetchApiKey, DevListUsers, FetchApiKey, log_in_with_password, log_in_without_password};

use super::{OperationContext, Origin, Read, SERVICE_VERSION, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::organization::{AuthenticationMethod, LoginService, Organization, OrganizationPicture};
use crate::realm::setting::RealmSetting;
use crate::record::picture::picture_url;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

operation! {
    /// Returns the public data of the server and its organization.
    pub GetServerSettings = GET "/server_settings", for Anyone;
    reply ServerSettings;
    is fast;
}

/// Public data (specification, "Server settings").
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ServerSettings {
    /// Whether each login method is enabled; deprecated.
    pub authentication_methods: BTreeMap<&'static str, bool>,
    /// Other services to log in with; none at the root of a server of many organizations.
    pub external_authentication_methods: Vec<ExternalMethod>,
    /// The feature level that the server emulates.
    pub service_feature_level: i64,
    /// The release of a real server at this level, such as `12.0`.
    pub service_version: &'static str,
    /// Same as `service_version`: this is not a fork.
    pub service_merge_base: &'static str,
    /// The organization's setting of that name: whether push notifications are sent.
    pub push_notifications_enabled: bool,
    /// Whether the client is too old, by its User-Agent; its requests are served all the same.
    pub is_incompatible: bool,
    /// Whether users can log in with their address and a password.
    pub email_auth_enabled: bool,
    /// Whether the names with which users log in are email addresses; always true.
    pub require_email_format_usernames: bool,
    /// Deprecated alias of `realm_url`.
    pub realm_uri: String,
    /// The organization's canonical URL.
    pub realm_url: String,
    /// Name of the organization; absent at the root of a server of many organizations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_name: Option<String>,
    /// URL of the organization's square picture; absent like `realm_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_icon: Option<String>,
    /// The organization's description as HTML, a default text if it has none; absent like `realm_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_description: Option<String>,
    /// Whether spectators, who have no account, can read web-public channels; absent like `realm_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub realm_web_public_access_enabled: Option<bool>,
}

/// Another service to log in with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExternalMethod {
    /// Unique name of the service for programs, such as `saml:company`.
    pub name: String,
    /// Name of the service that users see.
    pub display_name: String,
    /// URL of the service's picture, relative to the server's; always null here.
    pub display_icon: Option<String>,
    /// Where to log in; URL relative to the server's.
    pub login_url: String,
    /// Where to sign up; URL relative to the server's.
    pub signup_url: String,
}

/// The path of the login page, which is the same for all services (A-377 in docs/assumptions.md).
const LOGIN_PAGE: &str = "/accounts/login/";

impl ExternalMethod {
    fn from_service(service: &LoginService) -> Self {
        Self {
            name: service.name.clone(),
            display_name: service.display_name.clone(),
            display_icon: None,
            login_url: LOGIN_PAGE.to_owned(),
            signup_url: LOGIN_PAGE.to_owned(),
        }
    }
}

/// The names of authentication methods, with neutral names for social providers, and whether they count as enabled at
/// the root of a server of many organizations.
pub const AUTHENTICATION_METHODS: [(&str, bool); 13] = [
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
        authentication_methods: AUTHENTICATION_METHODS.into_iter().collect(),
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

/// Whether the organization has each authentication method enabled.
fn authentication_methods(organization: &Organization) -> BTreeMap<&'static str, bool> {
    let is_enabled = |name| match name {
        "password" | "email" => organization.allows_login_by(AuthenticationMethod::Email),
        "dev" => organization.allows_login_by(AuthenticationMethod::Dev),
        // The name of a service may have a suffix: `saml:company` belongs to the method `saml`.
        method => organization.login_services.iter().any(|service| service.name.split(':').next() == Some(method)),
    };
    AUTHENTICATION_METHODS.into_iter().map(|(name, _)| (name, is_enabled(name))).collect()
}

impl Read for GetServerSettings {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<ServerSettings, Error> {
        let organization = &realm.organization;
        Ok(ServerSettings {
            authentication_methods: authentication_methods(organization),
            external_authentication_methods: organization
                .login_services
                .iter()
                .map(ExternalMethod::from_service)
                .collect(),
            email_auth_enabled: organization.allows_login_by(AuthenticationMethod::Email),
            push_notifications_enabled: organization.is_enabled(RealmSetting::PushNotificationsEnabled),
            realm_name: Some(organization.name.clone()),
            realm_icon: Some(picture_url(organization, OrganizationPicture::Icon)),
            realm_description: Some(description(organization)),
            realm_web_public_access_enabled: Some(realm.has_web_public_access()),
            ..root_settings(context.origin, context.feature_level, context.user_agent)
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
