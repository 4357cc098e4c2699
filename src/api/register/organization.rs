//! The part of the register reply for the event type `realm`: settings and permissions of the organization, and limits
//! and properties of the server.

use super::StateRequest;
use super::lists::{NumberedChoices, numbered_choices};
use crate::api::changes::pictures::MAX_PICTURE_MIB;
use crate::api::messages::report::ReportType;
use crate::api::organization::authentication::{self, MethodRecord};
use crate::api::organization::deactivate::MIN_DAYS_TO_DELETION;
use crate::api::organization::policies::POLICIES;
use crate::api::profile_fields::field_data::{KnownSite, known_sites};
use crate::api::subscriptions::subscribe::MAX_NOTIFIED_USERS;
use crate::realm::Realm;
use crate::realm::channel::MAX_CHANNEL_NAME_LENGTH;
use crate::realm::id::ChannelId;
use crate::realm::organization::{AuthenticationMethod, OrganizationPicture};
use crate::realm::permission::{
    CHANNEL_PERMISSIONS, DefaultHolder, GROUP_PERMISSIONS, PermissionSetting, REALM_PERMISSIONS,
};
use crate::realm::picture::THUMBNAIL_FORMATS;
use crate::realm::presence::{OFFLINE_AFTER, PING_INTERVAL};
use crate::realm::setting::{MAX_PASSWORD_LENGTH, REALM_SETTINGS, RealmSetting};
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use crate::record::picture::{picture_source, picture_url};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The settings of the organization, and what the server offers and limits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OrganizationState {
    /// Settings and permissions, whose keys and types are in tables.
    #[serde(flatten)]
    #[schemars(skip)]
    settings: Map<String, Value>,
    #[serde(flatten)]
    properties: OrganizationProperties,
    #[serde(flatten)]
    derived: DerivedSettings,
    #[serde(flatten)]
    limits: Limits,
    #[serde(flatten)]
    server: ServerState,
}

impl OrganizationState {
    pub(super) fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        Self {
            settings: settings(realm),
            properties: OrganizationProperties::new(realm, request),
            derived: DerivedSettings::new(realm, request.context.feature_level),
            limits: Limits::new(),
            server: ServerState::new(realm, request),
        }
    }
}

fn settings(realm: &Realm) -> Map<String, Value> {
    let organization = &realm.organization;
    let settings =
        REALM_SETTINGS.iter().map(|setting| (setting.register_key(), organization.setting_named(setting.name).clone()));
    let permissions = organization
        .permissions
        .iter()
        .map(|(name, value)| (format!("realm_{name}"), json!(realm.without_deactivated_users(value))));
    settings.chain(permissions).collect()
}

/// The names, pictures, URLs, ways to log in, channels for notices, and external services of the organization.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct OrganizationProperties {
    realm_name: String,
    realm_description: String,
    realm_url: String,
    realm_uri: String,
    realm_uuid: String,
    /// UNIX seconds.
    realm_date_created: i64,
    realm_icon_url: String,
    realm_icon_source: &'static str,
    realm_logo_url: String,
    realm_logo_source: &'static str,
    realm_night_logo_url: String,
    realm_night_logo_source: &'static str,
    realm_bot_domain: String,
    realm_authentication_methods: IndexMap<&'static str, MethodRecord>,
    realm_email_auth_enabled: bool,
    realm_password_auth_enabled: bool,
    /// -1 for none.
    realm_new_stream_announcements_stream_id: i64,
    /// -1 for none.
    realm_signup_announcements_stream_id: i64,
    /// -1 for none.
    realm_service_update_announcements_stream_id: i64,
    /// -1 for none.
    realm_moderation_request_channel_id: i64,
    realm_empty_topic_display_name: &'static str,
    realm_available_video_chat_providers: NumberedChoices,
    realm_default_external_accounts: IndexMap<&'static str, &'static KnownSite>,
}

/// Legacy settings that are derived from newer settings and permissions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct DerivedSettings {
    realm_allow_edit_history: bool,
    realm_mandatory_topics: bool,
    realm_create_public_stream_policy: i64,
    realm_create_private_stream_policy: i64,
    realm_create_web_public_stream_policy: i64,
    realm_wildcard_mention_policy: i64,
}

/// Limits of lengths, sizes and numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Limits {
    max_stream_name_length: usize,
    max_stream_description_length: usize,
    max_channel_folder_name_length: usize,
    max_channel_folder_description_length: usize,
    max_topic_length: usize,
    max_message_length: usize,
    max_reminder_note_length: usize,
    max_bulk_new_subscription_messages: usize,
    max_avatar_file_size_mib: usize,
    max_icon_file_size_mib: usize,
    max_logo_file_size_mib: usize,
    password_max_length: i64,
}

/// What the server offers, and the times that it expects clients to keep.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ServerState {
    /// UNIX seconds of the start of the server; here, of the creation of the world.
    server_generation: i64,
    development_environment: bool,
    server_inline_image_preview: bool,
    server_inline_url_embed_preview: bool,
    server_thumbnail_formats: [ThumbnailFormat; THUMBNAIL_FORMATS.len()],
    server_avatar_changes_disabled: bool,
    server_name_changes_disabled: bool,
    server_needs_upgrade: bool,
    server_web_public_streams_enabled: bool,
    server_emoji_data_url: String,
    event_queue_longpoll_timeout_seconds: i64,
    server_jitsi_server_url: Option<String>,
    jitsi_server_url: &'static str,
    server_can_summarize_topics: bool,
    server_presence_ping_interval_seconds: i64,
    server_presence_offline_threshold_seconds: i64,
    server_typing_started_expiry_period_milliseconds: i64,
    server_typing_stopped_wait_period_milliseconds: i64,
    server_typing_started_wait_period_milliseconds: i64,
    server_supported_permission_settings: SupportedPermissions,
    server_report_message_types: [ReportReason; ReportType::ALL.len()],
    server_min_deactivated_realm_deletion_days: i64,
    /// Null for no limit.
    server_max_deactivated_realm_deletion_days: Option<i64>,
    settings_send_digest_emails: bool,
    gif_rating_policy_options: NumberedChoices,
    service_plan_is_not_limited: bool,
    upgrade_text_for_wide_organization_logo: &'static str,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ThumbnailFormat {
    name: &'static str,
    /// Pixels.
    max_width: u32,
    /// Pixels.
    max_height: u32,
    format: &'static str,
    animated: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ReportReason {
    key: &'static str,
    name: &'static str,
}

/// Descriptions of the permissions by the kind of object that has them, then by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SupportedPermissions {
    realm: IndexMap<&'static str, PermissionDescription>,
    stream: IndexMap<&'static str, PermissionDescription>,
    group: IndexMap<&'static str, PermissionDescription>,
}

/// Who may hold a permission.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PermissionSetting")]
struct PermissionDescription {
    require_system_group: bool,
    allow_internet_group: bool,
    allow_nobody_group: bool,
    allow_everyone_group: bool,
    default_group_name: &'static str,
    default_for_system_groups: Option<&'static str>,
    allowed_system_groups: Vec<&'static str>,
}

impl OrganizationProperties {
    fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        let organization = &realm.organization;
        let base_url = request.context.origin.base_url();
        let id_or_none = |id: Option<ChannelId>| id.map_or(-1, |id| id.0);
        let takes_passwords = organization.allows_login_by(AuthenticationMethod::Email);
        Self {
            realm_name: organization.name.clone(),
            realm_description: organization.description.clone(),
            realm_url: base_url.clone(),
            realm_uri: base_url,
            realm_uuid: organization.uuid.clone(),
            realm_date_created: organization.date_created.seconds(),
            realm_icon_url: picture_url(organization, OrganizationPicture::Icon),
            realm_icon_source: picture_source(organization, OrganizationPicture::Icon),
            realm_logo_url: picture_url(organization, OrganizationPicture::Logo),
            realm_logo_source: picture_source(organization, OrganizationPicture::Logo),
            realm_night_logo_url: picture_url(organization, OrganizationPicture::NightLogo),
            realm_night_logo_source: picture_source(organization, OrganizationPicture::NightLogo),
            realm_bot_domain: organization.host.clone(),
            realm_authentication_methods: authentication::authentication_method_records(organization),
            realm_email_auth_enabled: takes_passwords,
            realm_password_auth_enabled: takes_passwords,
            realm_new_stream_announcements_stream_id: id_or_none(organization.new_channel_announcements),
            realm_signup_announcements_stream_id: id_or_none(organization.signup_announcements),
            realm_service_update_announcements_stream_id: id_or_none(organization.service_update_announcements),
            realm_moderation_request_channel_id: id_or_none(organization.moderation_requests),
            realm_empty_topic_display_name: EMPTY_TOPIC_DISPLAY_NAME,
            realm_available_video_chat_providers: numbered_choices(&VIDEO_CHAT_PROVIDERS),
            realm_default_external_accounts: known_sites(),
        }
    }
}

/// Key, number and name of the providers of video calls.
const VIDEO_CHAT_PROVIDERS: [(&str, i64, &str); 2] = [("disabled", 0, "None"), ("jitsi_meet", 1, "Jitsi Meet")];

/// Key, number and name of the ratings of GIFs that an organization can allow.
const GIF_RATINGS: [(&str, i64, &str); 6] = [
    ("disabled", 0, "GIFs disabled"),
    ("y", 1, "Allow GIFs rated Y (Very young audience)"),
    ("g", 2, "Allow GIFs rated G (General audience)"),
    ("pg", 3, "Allow GIFs rated PG (Parental guidance)"),
    ("pg-13", 4, "Allow GIFs rated PG-13 (Parental guidance - under 13)"),
    ("r", 5, "Allow GIFs rated R (Restricted)"),
];

impl DerivedSettings {
    fn new(realm: &Realm, level: i64) -> Self {
        let organization = &realm.organization;
        let history = organization.setting(RealmSetting::MessageEditHistoryVisibilityPolicy);
        let policy_number = |name| {
            let policy = POLICIES.iter().find(|policy| policy.name == name);
            policy.expect("each policy is in the table").number_at(realm, level)
        };
        Self {
            realm_allow_edit_history: history != "none",
            realm_mandatory_topics: organization.setting(RealmSetting::TopicsPolicy) == "disable_empty_topic",
            realm_create_public_stream_policy: policy_number("create_public_stream_policy"),
            realm_create_private_stream_policy: policy_number("create_private_stream_policy"),
            realm_create_web_public_stream_policy: policy_number("create_web_public_stream_policy"),
            realm_wildcard_mention_policy: policy_number("wildcard_mention_policy"),
        }
    }
}

impl Limits {
    const fn new() -> Self {
        Self {
            max_stream_name_length: MAX_CHANNEL_NAME_LENGTH,
            max_stream_description_length: crate::realm::channel::MAX_CHANNEL_DESCRIPTION_LENGTH,
            max_channel_folder_name_length: crate::api::channel_folders::MAX_NAME_LENGTH,
            max_channel_folder_description_length: crate::api::channel_folders::MAX_DESCRIPTION_LENGTH,
            max_topic_length: crate::realm::topic::MAX_TOPIC_LENGTH,
            max_message_length: crate::realm::text::MAX_MESSAGE_LENGTH,
            max_reminder_note_length: crate::api::reminders::MAX_NOTE_LENGTH,
            max_bulk_new_subscription_messages: MAX_NOTIFIED_USERS,
            max_avatar_file_size_mib: MAX_PICTURE_MIB,
            max_icon_file_size_mib: MAX_PICTURE_MIB,
            max_logo_file_size_mib: MAX_PICTURE_MIB,
            password_max_length: MAX_PASSWORD_LENGTH,
        }
    }
}

impl ServerState {
    fn new(realm: &Realm, request: &StateRequest<'_>) -> Self {
        let base_url = request.context.origin.base_url();
        Self {
            server_generation: request.context.server_start.seconds(),
            development_environment: true,
            server_inline_image_preview: true,
            server_inline_url_embed_preview: realm.preview_delays.links.is_some(),
            server_thumbnail_formats: THUMBNAIL_FORMATS.map(|thumbnail| ThumbnailFormat {
                name: thumbnail.name,
                max_width: thumbnail.max_width,
                max_height: thumbnail.max_height,
                format: "webp",
                animated: thumbnail.is_animated,
            }),
            server_avatar_changes_disabled: false,
            server_name_changes_disabled: false,
            server_needs_upgrade: false,
            server_web_public_streams_enabled: true,
            server_emoji_data_url: format!("{base_url}/static/generated/emoji/emoji_api.json"),
            // More than the 60 s after which a heartbeat comes.
            event_queue_longpoll_timeout_seconds: 90,
            server_jitsi_server_url: None,
            jitsi_server_url: "https://meet.jit.si",
            server_can_summarize_topics: false,
            server_presence_ping_interval_seconds: PING_INTERVAL.whole_seconds(),
            server_presence_offline_threshold_seconds: OFFLINE_AFTER.whole_seconds(),
            server_typing_started_expiry_period_milliseconds: 45_000,
            server_typing_stopped_wait_period_milliseconds: 12_000,
            server_typing_started_wait_period_milliseconds: 30_000,
            server_supported_permission_settings: SupportedPermissions {
                realm: permission_descriptions(REALM_PERMISSIONS, "", None),
                stream: permission_descriptions(CHANNEL_PERMISSIONS, "channel_creator", None),
                group: permission_descriptions(GROUP_PERMISSIONS, "group_creator", Some("role:nobody")),
            },
            server_report_message_types: ReportType::ALL
                .map(|reason| ReportReason { key: reason.text(), name: reason.label() }),
            server_min_deactivated_realm_deletion_days: MIN_DAYS_TO_DELETION,
            server_max_deactivated_realm_deletion_days: None,
            settings_send_digest_emails: false,
            gif_rating_policy_options: numbered_choices(&GIF_RATINGS),
            service_plan_is_not_limited: true,
            upgrade_text_for_wide_organization_logo: "Available on all plans of this server.",
        }
    }
}

/// Descriptions of the permissions of one kind of object, by name. `creator` is the word for the creator as the default
/// holder.
fn permission_descriptions(
    table: &'static [PermissionSetting],
    creator: &'static str,
    default_for_system_groups: Option<&'static str>,
) -> IndexMap<&'static str, PermissionDescription> {
    let describe = |row: &PermissionSetting| {
        let default = match row.default {
            DefaultHolder::System(group) => group.name(),
            DefaultHolder::Creator => creator,
        };
        PermissionDescription {
            require_system_group: row.require_system_group,
            allow_internet_group: row.allow_internet,
            allow_nobody_group: row.allow_nobody,
            allow_everyone_group: row.allow_everyone,
            default_group_name: default,
            default_for_system_groups,
            allowed_system_groups: row.allowed_groups.iter().map(|group| group.name()).collect(),
        }
    };
    table.iter().map(|row| (row.name, describe(row))).collect()
}
