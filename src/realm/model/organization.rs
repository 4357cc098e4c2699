//! The organization's own data: name, settings, permissions, pictures, profile fields and the like.

use super::id::{ChannelId, ProfileFieldId};
use super::permission::Permissions;
use super::playground::Playground;
use super::setting::{self, REALM_SETTINGS};
use crate::realm::model::setting::RealmSetting;
use crate::time::Timestamp;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Organization {
    /// Part of the URLs of uploads.
    pub id: i64,
    pub uuid: String,
    pub name: String,
    /// In Markdown.
    pub description: String,
    /// In HTML.
    pub rendered_description: String,
    /// The domain of dummy addresses, as in `user7@host`, and of new bots' addresses.
    pub host: String,
    /// `sender_realm_str` on the wire.
    pub subdomain: String,
    pub date_created: Timestamp,
    /// Whether an owner deactivated it, after which nobody can use it.
    #[serde(default)]
    pub is_deactivated: bool,
    /// Only settings that differ from their defaults, by name. The names lack the prefix `realm_`.
    #[serde(with = "super::state_serialization::settings")]
    pub settings: OrdMap<&'static str, Value>,
    #[serde(with = "super::state_serialization::permissions")]
    pub permissions: Permissions,
    /// The channel in which new channels are announced.
    pub new_channel_announcements: Option<ChannelId>,
    /// The channel in which new users are announced.
    pub signup_announcements: Option<ChannelId>,
    /// The channel in which updates of the service are announced.
    #[serde(default)]
    pub service_update_announcements: Option<ChannelId>,
    /// The channel that receives reports about messages.
    pub moderation_requests: Option<ChannelId>,
    /// Never all methods.
    #[serde(default, deserialize_with = "crate::realm::deserialize_unique::members")]
    pub disabled_authentication_methods: BTreeSet<AuthenticationMethod>,
    /// External authentication services, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub login_services: Vec<LoginService>,
    /// Whether URLs of external pictures are replaced by `/external_content/…`.
    #[serde(default = "proxies_pictures_by_default", skip_serializing_if = "is_true")]
    pub proxies_pictures: bool,
    /// Domains that email addresses of new users may have if they are restricted, each with whether subdomains are
    /// allowed.
    pub domains: Vec<(String, bool)>,
    /// Oldest first.
    #[serde(default)]
    pub playgrounds: Vec<Playground>,
    /// Oldest first.
    #[serde(default)]
    pub default_channel_groups: Vec<DefaultChannelGroup>,
    /// Includes removed pictures, whose version is still needed.
    #[serde(default, deserialize_with = "crate::realm::deserialize_unique::keys")]
    pub pictures: BTreeMap<OrganizationPicture, CustomPicture>,
    /// Settings of new users that differ from the defaults, by name.
    #[serde(with = "super::state_serialization::settings")]
    pub user_defaults: OrdMap<&'static str, Value>,
}

/// State documents leave `proxies_pictures` out if it is true.
fn proxies_pictures_by_default() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) fn is_true(value: &bool) -> bool {
    *value
}

impl Organization {
    pub fn setting(&self, setting: RealmSetting) -> &Value {
        let row = setting.row();
        self.settings.get(row.name).unwrap_or(&row.default)
    }

    /// # Panics
    ///
    /// When no setting has this name. Callers only use names from the code, not from input.
    pub fn setting_named(&self, name: &str) -> &Value {
        self.settings.get(name).unwrap_or_else(|| {
            &setting::find(&REALM_SETTINGS, name)
                .unwrap_or_else(|| panic!("no organization setting is called {name}"))
                .default
        })
    }

    /// The value of a Boolean setting; false if it is null.
    pub fn is_enabled(&self, setting: RealmSetting) -> bool {
        self.setting(setting).as_bool().unwrap_or_default()
    }

    pub fn picture(&self, kind: OrganizationPicture) -> CustomPicture {
        self.pictures.get(&kind).cloned().unwrap_or_default()
    }

    pub fn allows_login_by(&self, method: AuthenticationMethod) -> bool {
        !self.disabled_authentication_methods.contains(&method)
    }

    /// The value of an integer setting, in the setting's unit; None if it is null, which means no limit.
    pub fn limit(&self, setting: RealmSetting) -> Option<i64> {
        self.setting(setting).as_i64()
    }
}

/// An external service whose accounts can be used to log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginService {
    /// Unique name for machines, such as `saml:company`.
    pub name: String,
    /// The name that clients show where users log in.
    pub display_name: String,
}

/// How users prove who they are when they log in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum AuthenticationMethod {
    /// Address and password.
    Email,
    /// The address of any account, without a password, as on development servers.
    Dev,
}

impl AuthenticationMethod {
    pub const ALL: [AuthenticationMethod; 2] = [AuthenticationMethod::Email, AuthenticationMethod::Dev];

    pub fn name(self) -> &'static str {
        match self {
            AuthenticationMethod::Email => "Email",
            AuthenticationMethod::Dev => "Dev",
        }
    }
}

/// A kind of picture that the organization can replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrganizationPicture {
    /// A square picture.
    Icon,
    /// For light backgrounds.
    Logo,
    /// For dark backgrounds.
    NightLogo,
}

impl OrganizationPicture {
    pub const ALL: [OrganizationPicture; 3] =
        [OrganizationPicture::Icon, OrganizationPicture::Logo, OrganizationPicture::NightLogo];

    /// Its name in events, in the names of their fields (`icon_url`), and in the URL of the file (`icon.png`).
    pub fn name(self) -> &'static str {
        match self {
            OrganizationPicture::Icon => "icon",
            OrganizationPicture::Logo => "logo",
            OrganizationPicture::NightLogo => "night_logo",
        }
    }
}

/// The organization's version of a [`OrganizationPicture`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomPicture {
    /// The content hash; None if the default picture is shown.
    pub blob: Option<String>,
    /// Starts at 1 and grows with each change.
    pub version: i64,
}

impl Default for CustomPicture {
    fn default() -> Self {
        Self { blob: None, version: 1 }
    }
}

/// A group of channels that new users can choose to subscribe to together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultChannelGroup {
    pub id: i64,
    pub name: String,
    pub description: String,
    /// Public channels that are not archived.
    #[serde(deserialize_with = "crate::realm::deserialize_unique::members")]
    pub channels: BTreeSet<ChannelId>,
}

/// A custom profile field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileField {
    pub id: ProfileFieldId,
    /// 1 short text, 2 paragraph, 3 choice, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
    pub kind: i64,
    pub name: String,
    pub hint: String,
    /// The position among the fields.
    pub order: i64,
    /// The choices, or the site of an external account, as JSON text; "" if the kind has no data.
    pub data: String,
    /// Whether it is shown in the summary of a profile.
    pub in_summary: bool,
    pub is_required: bool,
    /// Whether users may edit their own value. Administrators always may.
    pub is_editable: bool,
    /// Whether users can be searched by it.
    #[serde(default)]
    pub is_for_matching: bool,
}

/// The value of a channel setting that names no channel.
pub const NO_CHANNEL: i64 = -1;

/// Purposes for which the organization can choose a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelPurpose {
    /// Reports about messages are sent to it.
    ModerationRequests,
    /// New channels are announced in it.
    NewChannels,
    /// New users are announced in it.
    SignUps,
    /// Updates of the service are announced in it.
    ServiceUpdates,
}

impl ChannelPurpose {
    pub const ALL: [Self; 4] = [Self::ModerationRequests, Self::NewChannels, Self::ServiceUpdates, Self::SignUps];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ModerationRequests => "moderation_request_channel_id",
            Self::NewChannels => "new_stream_announcements_stream_id",
            Self::SignUps => "signup_announcements_stream_id",
            Self::ServiceUpdates => "service_update_announcements_stream_id",
        }
    }

    /// The organization's field for this purpose.
    pub fn channel_mut(self, organization: &mut Organization) -> &mut Option<ChannelId> {
        match self {
            Self::ModerationRequests => &mut organization.moderation_requests,
            Self::NewChannels => &mut organization.new_channel_announcements,
            Self::SignUps => &mut organization.signup_announcements,
            Self::ServiceUpdates => &mut organization.service_update_announcements,
        }
    }
}

/// The maximum length of the welcome message, in code points (specification, Limits).
pub const MAX_WELCOME_LENGTH: usize = 8_000;
