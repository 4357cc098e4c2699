//! The organization itself: name, settings, permissions and lists that belong to nobody alone.

use super::id::{ChannelId, InviteId, InviteLinkId, ProfileFieldId, ReminderId, ScheduledMessageId, UserId};
use super::permission::Permissions;
use super::playground::Playground;
use super::setting::{self, REALM_SETTINGS};
use super::user::Role;
use crate::realm::model::setting::RealmSetting;
use crate::time::Timestamp;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Organization {
    /// Its number, which is in the addresses of uploads.
    pub id: i64,
    /// Identifies the organization for good.
    pub uuid: String,
    /// Display name.
    pub name: String,
    /// Markdown.
    pub description: String,
    /// The description as HTML.
    pub rendered_description: String,
    /// The domain of dummy addresses, `user7@host`.
    pub host: String,
    /// `sender_realm_str` on the wire.
    pub subdomain: String,
    /// When it was made.
    pub date_created: Timestamp,
    /// Its owners ended it: nobody can use it any more.
    #[serde(default)]
    pub is_deactivated: bool,
    /// Settings that differ from the defaults, by name without `realm_`.
    #[serde(with = "super::stored::settings")]
    pub settings: OrdMap<&'static str, Value>,
    /// Who may do what.
    #[serde(with = "super::stored::permissions")]
    pub permissions: Permissions,
    /// Where new channels are announced.
    pub new_channel_announcements: Option<ChannelId>,
    /// Where new users are announced.
    pub signup_announcements: Option<ChannelId>,
    /// Where news of the service is announced.
    #[serde(default)]
    pub service_update_announcements: Option<ChannelId>,
    /// Where reported messages go.
    pub moderation_requests: Option<ChannelId>,
    /// Ways to log in that are off; never all of them.
    #[serde(default, deserialize_with = "crate::realm::distinct::members")]
    pub disabled_authentication_methods: BTreeSet<AuthenticationMethod>,
    /// Other services to log in with, in the order in which they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub login_services: Vec<LoginService>,
    /// Whether pictures from elsewhere are shown through `/external_content/…`.
    #[serde(default = "has_proxy", skip_serializing_if = "Clone::clone")]
    pub proxies_pictures: bool,
    /// Domains whose addresses are accepted if these are restricted.
    pub domains: Vec<(String, bool)>,
    /// Sites that run code, oldest first.
    #[serde(default)]
    pub playgrounds: Vec<Playground>,
    /// Groups of channels among which new users choose, oldest first.
    #[serde(default)]
    pub default_channel_groups: Vec<DefaultChannelGroup>,
    /// Pictures of its own, those that were taken away again included.
    #[serde(default, deserialize_with = "crate::realm::distinct::keys")]
    pub pictures: BTreeMap<Picture, OwnPicture>,
    /// The settings that new users begin with, by name.
    #[serde(with = "super::stored::settings")]
    pub user_defaults: OrdMap<&'static str, Value>,
}

/// State documents without the field are those of organizations with a proxy.
fn has_proxy() -> bool {
    true
}

impl Organization {
    /// A setting's value.
    pub fn setting(&self, setting: RealmSetting) -> &Value {
        let row = setting.row();
        self.settings.get(row.name).unwrap_or(&row.default)
    }

    /// A setting's value, by its name.
    ///
    /// # Panics
    ///
    /// When no setting has the name: names are written in the code, never taken from input.
    pub fn setting_named(&self, name: &str) -> &Value {
        self.settings.get(name).unwrap_or_else(|| {
            &setting::find(&REALM_SETTINGS, name)
                .unwrap_or_else(|| panic!("no organization setting is called {name}"))
                .default
        })
    }

    /// A switch among the settings.
    pub fn is_on(&self, setting: RealmSetting) -> bool {
        self.setting(setting).as_bool().unwrap_or_default()
    }

    /// A picture as it is now.
    pub fn picture(&self, which: Picture) -> OwnPicture {
        self.pictures.get(&which).cloned().unwrap_or_default()
    }

    /// Whether people can log in this way.
    pub fn takes_logins_by(&self, method: AuthenticationMethod) -> bool {
        !self.disabled_authentication_methods.contains(&method)
    }

    /// A limit in seconds or days among the settings; None when there is none.
    pub fn limit(&self, setting: RealmSetting) -> Option<i64> {
        self.setting(setting).as_i64()
    }
}

/// Another service to log in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginService {
    /// Unique name for machines, such as `saml:company`.
    pub name: String,
    /// Display name.
    pub display_name: String,
}

/// A way to log in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum AuthenticationMethod {
    /// Address and password.
    Email,
    /// Any account's address, as on development servers.
    Dev,
}

impl AuthenticationMethod {
    /// All of them.
    pub const ALL: [AuthenticationMethod; 2] = [AuthenticationMethod::Email, AuthenticationMethod::Dev];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AuthenticationMethod::Email => "Email",
            AuthenticationMethod::Dev => "Dev",
        }
    }
}

/// A picture of the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Picture {
    /// Square.
    Icon,
    /// For light backgrounds.
    Logo,
    /// For dark ones.
    NightLogo,
}

impl Picture {
    /// All of them.
    pub const ALL: [Picture; 3] = [Picture::Icon, Picture::Logo, Picture::NightLogo];

    /// Its name, with which its keys and its file begin.
    pub fn name(self) -> &'static str {
        match self {
            Picture::Icon => "icon",
            Picture::Logo => "logo",
            Picture::NightLogo => "night_logo",
        }
    }
}

/// What the organization has of a [`Picture`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnPicture {
    /// Its bytes; None while the general one is shown.
    pub blob: Option<String>,
    /// Counts the changes.
    pub version: i64,
}

impl Default for OwnPicture {
    fn default() -> Self {
        Self { blob: None, version: 1 }
    }
}

/// A group of channels among which new users choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultChannelGroup {
    pub id: i64,
    /// Display name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Public channels that are not archived.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub channels: BTreeSet<ChannelId>,
}

/// A custom profile field (specification leaves its shape open).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileField {
    pub id: ProfileFieldId,
    /// 1 short text, 2 paragraph, 3 choice, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
    pub kind: i64,
    /// Label.
    pub name: String,
    /// Help.
    pub hint: String,
    /// Its position.
    pub order: i64,
    /// Choices or the account's site, as JSON text; "" if the type has none.
    pub data: String,
    /// Shown in the summary.
    pub in_summary: bool,
    /// Users must fill it in.
    pub is_required: bool,
    /// Whether users may edit it themselves, or only administrators.
    pub is_editable: bool,
    /// Users can be found by it.
    #[serde(default)]
    pub is_for_matching: bool,
}

/// A link with which anyone may join.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InviteLink {
    pub id: InviteLinkId,
    /// The last part of its address: 24 of a-z and 2-7.
    pub key: String,
    /// What it gives.
    pub terms: InviteTerms,
    /// No longer valid.
    pub is_revoked: bool,
}

/// An invitation sent by email.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invite {
    pub id: InviteId,
    /// The recipients.
    pub email: String,
    /// As a link's.
    pub key: String,
    /// What it gives.
    pub terms: InviteTerms,
    /// Notify the inviting user when it is used.
    pub notify_referrer_on_join: bool,
}

/// What an invitation gives and until when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InviteTerms {
    /// Who invites.
    pub invited_by: UserId,
    pub invited_at: Timestamp,
    /// Until when; None: for ever.
    pub expires_at: Option<Timestamp>,
    /// Role of the new user.
    pub role: Role,
    /// Channels to be subscribed to.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub channels: BTreeSet<ChannelId>,
    /// Groups to be put into.
    #[serde(deserialize_with = "crate::realm::distinct::members")]
    pub groups: BTreeSet<super::id::GroupId>,
    /// Subscribe to the default channels too.
    pub include_default_channels: bool,
    /// Replaces the organization's welcome text; "" sends none.
    pub welcome_message: Option<String>,
}

/// A message to be sent later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScheduledMessage {
    /// Its number; shares its sequence with reminders.
    pub id: ScheduledMessageId,
    pub sender: UserId,
    /// Where to.
    pub to: ScheduledTarget,
    /// Markdown.
    pub content: String,
    /// As HTML.
    pub rendered: String,
    pub deliver_at: Timestamp,
    /// The sender has read it once it is sent.
    pub read_by_sender: bool,
    /// Whether it could not be sent.
    pub has_failed: bool,
}

/// The recipients of a scheduled message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ScheduledTarget {
    /// A topic.
    Channel {
        /// The channel.
        channel: ChannelId,
        /// The topic as spelt.
        topic: String,
    },
    /// People.
    Direct {
        /// Without the sender, unless it is alone.
        users: Vec<UserId>,
    },
}

/// A reminder of a message (specification, "Message reminder").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reminder {
    /// Its number; shares its sequence with scheduled messages.
    pub id: ReminderId,
    pub user: UserId,
    /// Of which message; None: of the note alone.
    pub message: Option<super::id::MessageId>,
    /// Shown in the message sent by the notification bot.
    pub note: String,
    /// The text that will be sent, Markdown.
    pub content: String,
    /// As HTML.
    pub rendered: String,
    pub deliver_at: Timestamp,
    /// Whether it could not be sent.
    pub has_failed: bool,
}

/// The ID of no channel, as settings have it.
pub const NO_CHANNEL: i64 = -1;

/// Channels that serve the organization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelPurpose {
    /// Where reported messages go.
    ModerationRequests,
    /// Where new channels are announced.
    NewChannels,
    /// Where new users are announced.
    SignUps,
    /// Where news of the service is announced.
    ServiceUpdates,
}

impl ChannelPurpose {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ModerationRequests, Self::NewChannels, Self::ServiceUpdates, Self::SignUps];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::ModerationRequests => "moderation_request_channel_id",
            Self::NewChannels => "new_stream_announcements_stream_id",
            Self::SignUps => "signup_announcements_stream_id",
            Self::ServiceUpdates => "service_update_announcements_stream_id",
        }
    }

    /// Its place in the organization.
    pub fn of(self, organization: &mut Organization) -> &mut Option<ChannelId> {
        match self {
            Self::ModerationRequests => &mut organization.moderation_requests,
            Self::NewChannels => &mut organization.new_channel_announcements,
            Self::SignUps => &mut organization.signup_announcements,
            Self::ServiceUpdates => &mut organization.service_update_announcements,
        }
    }
}

/// Longest welcome text, in code points (specification, Limits).
pub const MAX_WELCOME_LENGTH: usize = 8_000;
