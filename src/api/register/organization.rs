//! The part of the register reply for the event type `realm`: settings and permissions of the organization, and limits
//! and properties of the server.

use super::StateRequest;
use crate::api::changes::pictures::MAX_PICTURE_MIB;
use crate::api::messages::report::ReportType;
use crate::api::organization::authentication;
use crate::api::organization::deactivate::MIN_DAYS_TO_DELETION;
use crate::api::organization::policies::POLICIES;
use crate::api::profile_fields::data::known_sites;
use crate::api::subscriptions::subscribe::MAX_NOTIFIED_USERS;
use crate::realm::Realm;
use crate::realm::channel::MAX_CHANNEL_NAME_LENGTH;
use crate::realm::organization::{AuthenticationMethod, Picture};
use crate::realm::permission::{
    CHANNEL_PERMISSIONS, DefaultHolder, GROUP_PERMISSIONS, PermissionSetting, REALM_PERMISSIONS,
};
use crate::realm::picture::THUMBNAILS;
use crate::realm::presence::{OFFLINE_AFTER, PING_INTERVAL};
use crate::realm::setting::{MAX_PASSWORD_LENGTH, REALM_SETTINGS, RealmSetting};
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use crate::record::picture::{picture_source, picture_url};
use serde_json::{Map, Value, json};

pub(super) fn add(realm: &Realm, request: &StateRequest<'_>, state: &mut Map<String, Value>) {
    if !request.includes("realm") {
        return;
    }
    let organization = &realm.organization;
    for setting in REALM_SETTINGS.iter() {
        state.insert(setting.state_key(), organization.setting_named(setting.name).clone());
    }
    for (name, value) in &organization.permissions {
        state.insert(format!("realm_{name}"), json!(realm.shown(value)));
    }
    for part in [identity(realm, request), derived(realm, request.call.feature_level), limits(), server(realm, request)]
    {
        if let Value::Object(part) = part {
            state.extend(part);
        }
    }
}

fn identity(realm: &Realm, request: &StateRequest<'_>) -> Value {
    let organization = &realm.organization;
    let base_url = request.call.origin.base_url();
    let channel = |id: Option<crate::realm::id::ChannelId>| id.map_or(-1, |id| id.0);
    let takes_passwords = organization.allows_login_by(AuthenticationMethod::Email);
    json!({
        "realm_name": organization.name,
        "realm_description": organization.description,
        "realm_url": base_url,
        "realm_uri": base_url,
        "realm_uuid": organization.uuid,
        "realm_date_created": organization.date_created.seconds(),
        "realm_icon_url": picture_url(organization, Picture::Icon),
        "realm_icon_source": picture_source(organization, Picture::Icon),
        "realm_logo_url": picture_url(organization, Picture::Logo),
        "realm_logo_source": picture_source(organization, Picture::Logo),
        "realm_night_logo_url": picture_url(organization, Picture::NightLogo),
        "realm_night_logo_source": picture_source(organization, Picture::NightLogo),
        "realm_bot_domain": organization.host,
        "realm_authentication_methods": authentication::records(organization),
        "realm_email_auth_enabled": takes_passwords,
        "realm_password_auth_enabled": takes_passwords,
        "realm_new_stream_announcements_stream_id": channel(organization.new_channel_announcements),
        "realm_signup_announcements_stream_id": channel(organization.signup_announcements),
        "realm_service_update_announcements_stream_id": channel(organization.service_update_announcements),
        "realm_moderation_request_channel_id": channel(organization.moderation_requests),
        "realm_empty_topic_display_name": EMPTY_TOPIC_DISPLAY_NAME,
        "realm_available_video_chat_providers": {"disabled": {"name": "None", "id": 0}, "jitsi_meet": {"name": "Jitsi Meet", "id": 1}},
        "realm_default_external_accounts": known_sites(),
    })
}

/// Legacy settings that are derived from newer ones.
fn derived(realm: &Realm, level: i64) -> Value {
    let organization = &realm.organization;
    let history = organization.setting(RealmSetting::MessageEditHistoryVisibilityPolicy);
    let policy = |name| POLICIES.iter().find(|policy| policy.name == name).map(|policy| policy.number_at(realm, level));
    json!({
        "realm_allow_edit_history": history != "none",
        "realm_mandatory_topics": organization.setting(RealmSetting::TopicsPolicy) == "disable_empty_topic",
        "realm_create_public_stream_policy": policy("create_public_stream_policy"),
        "realm_create_private_stream_policy": policy("create_private_stream_policy"),
        "realm_create_web_public_stream_policy": policy("create_web_public_stream_policy"),
        "realm_wildcard_mention_policy": policy("wildcard_mention_policy"),
    })
}

fn limits() -> Value {
    json!({
        "max_stream_name_length": MAX_CHANNEL_NAME_LENGTH,
        "max_stream_description_length": crate::realm::channel::MAX_CHANNEL_DESCRIPTION_LENGTH,
        "max_channel_folder_name_length": crate::api::channel_folders::MAX_NAME_LENGTH,
        "max_channel_folder_description_length": crate::api::channel_folders::MAX_DESCRIPTION_LENGTH,
        "max_topic_length": crate::realm::topic::MAX_TOPIC_LENGTH,
        "max_message_length": crate::realm::text::MAX_MESSAGE_LENGTH,
        "max_reminder_note_length": crate::api::reminders::MAX_NOTE_LENGTH,
        "max_bulk_new_subscription_messages": MAX_NOTIFIED_USERS,
        "max_avatar_file_size_mib": MAX_PICTURE_MIB,
        "max_icon_file_size_mib": MAX_PICTURE_MIB,
        "max_logo_file_size_mib": MAX_PICTURE_MIB,
        "password_max_length": MAX_PASSWORD_LENGTH,
    })
}

fn server(realm: &Realm, request: &StateRequest<'_>) -> Value {
    let base_url = request.call.origin.base_url();
    json!({
        "server_generation": request.call.server_start.seconds(),
        "development_environment": true,
        "server_inline_image_preview": true,
        "server_inline_url_embed_preview": realm.preview_delays.links.is_some(),
        "server_thumbnail_formats": THUMBNAILS.map(|thumbnail| json!({
            "name": thumbnail.name,
            "max_width": thumbnail.max_width,
            "max_height": thumbnail.max_height,
            "format": "webp",
            "animated": thumbnail.is_animated,
        })),
        "server_avatar_changes_disabled": false,
        "server_name_changes_disabled": false,
        "server_needs_upgrade": false,
        "server_web_public_streams_enabled": true,
        "server_emoji_data_url": format!("{base_url}/static/generated/emoji/emoji_api.json"),
        "event_queue_longpoll_timeout_seconds": 90,
        "server_jitsi_server_url": null,
        "jitsi_server_url": "https://meet.jit.si",
        "server_can_summarize_topics": false,
        "server_presence_ping_interval_seconds": PING_INTERVAL.whole_seconds(),
        "server_presence_offline_threshold_seconds": OFFLINE_AFTER.whole_seconds(),
        "server_typing_started_expiry_period_milliseconds": 45_000,
        "server_typing_stopped_wait_period_milliseconds": 12_000,
        "server_typing_started_wait_period_milliseconds": 30_000,
        "server_supported_permission_settings": {
            "realm": permission_settings(REALM_PERMISSIONS, "", None),
            "stream": permission_settings(CHANNEL_PERMISSIONS, "channel_creator", None),
            "group": permission_settings(GROUP_PERMISSIONS, "group_creator", Some("role:nobody")),
        },
        "server_report_message_types":
            ReportType::ALL.map(|kind| json!({"key": kind.text(), "name": kind.name()})),
        "server_min_deactivated_realm_deletion_days": MIN_DAYS_TO_DELETION,
        "server_max_deactivated_realm_deletion_days": null,
        "settings_send_digest_emails": false,
        "gif_rating_policy_options": {
            "disabled": {"id": 0, "name": "GIFs disabled"},
            "y": {"id": 1, "name": "Allow GIFs rated Y (Very young audience)"},
            "g": {"id": 2, "name": "Allow GIFs rated G (General audience)"},
            "pg": {"id": 3, "name": "Allow GIFs rated PG (Parental guidance)"},
            "pg-13": {"id": 4, "name": "Allow GIFs rated PG-13 (Parental guidance - under 13)"},
            "r": {"id": 5, "name": "Allow GIFs rated R (Restricted)"},
        },
        "service_plan_is_not_limited": true,
        "upgrade_text_for_wide_organization_logo": "Available on all plans of this server.",
    })
}

/// Descriptions of the permissions of one kind of object. `creator` is the word for the creator as the default holder.
fn permission_settings(
    table: &[PermissionSetting],
    creator: &str,
    default_for_system_groups: Option<&str>,
) -> Map<String, Value> {
    let describe = |row: &PermissionSetting| {
        let default = match row.default {
            DefaultHolder::System(group) => group.name(),
            DefaultHolder::Creator => creator,
        };
        let allowed: Vec<&str> = row.allowed.iter().map(|group| group.name()).collect();
        json!({
            "require_system_group": row.require_system_group,
            "allow_internet_group": row.allow_internet,
            "allow_nobody_group": row.allow_nobody,
            "allow_everyone_group": row.allow_everyone,
            "default_group_name": default,
            "default_for_system_groups": default_for_system_groups,
            "allowed_system_groups": allowed,
        })
    };
    table.iter().map(|row| (row.name.to_owned(), describe(row))).collect()
}
