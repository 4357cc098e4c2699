//! The order in which `PATCH /realm` reads its parameters, makes the changes and sends their events.

use crate::api::parameter::types::user_settings::order::position;

/// The setting whose event comes last.
pub const ORG_TYPE: &str = "org_type";

/// The position of a setting, policy or text among the events of one request: first removed limits and URLs, then those
/// in [`PARAMETER_ORDER`], new values of derived settings, all others, and last [`ORG_TYPE`].
pub fn event_rank(name: &str, is_removed: bool) -> (usize, usize) {
    match name {
        ORG_TYPE => (4, 0),
        _ if is_removed => (0, position(DERIVED_SETTINGS, name)),
        _ if DERIVED_SETTINGS.contains(&name) => (2, position(DERIVED_SETTINGS, name)),
        _ if PARAMETER_ORDER.contains(&name) => (1, position(PARAMETER_ORDER, name)),
        _ => (3, 0),
    }
}

/// Settings whose stored value may differ from the value in the request, in the order of their events.
const DERIVED_SETTINGS: &[&str] = &[
    "message_retention_days",
    "message_content_delete_limit_seconds",
    "message_content_edit_limit_seconds",
    "move_messages_within_stream_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "jitsi_server_url",
];

/// The parameters and policies whose order is known (A-345 in docs/assumptions.md).
pub(super) const PARAMETER_ORDER: &[&str] = &[
    "name",
    "description",
    "emails_restricted_to_domains",
    "disallow_disposable_email_addresses",
    "invite_required",
    "invite_to_realm_policy",
    "create_multiuse_invite_group",
    "require_unique_names",
    "name_changes_disabled",
    "email_changes_disabled",
    "avatar_changes_disabled",
    "inline_image_preview",
    "inline_url_embed_preview",
    "add_custom_emoji_policy",
    "delete_own_message_policy",
    "message_content_delete_limit_seconds",
    "allow_message_editing",
    "edit_topic_policy",
    "topics_policy",
    "message_content_edit_limit_seconds",
    "message_edit_history_visibility_policy",
    "default_language",
    "waiting_period_threshold",
    "authentication_methods",
    "new_stream_announcements_stream_id",
    "signup_announcements_stream_id",
    "service_update_announcements_stream_id",
    "message_retention_days",
    "send_welcome_emails",
    "digest_emails_enabled",
    "message_content_allowed_in_email_notifications",
    "bot_creation_policy",
    "create_public_stream_policy",
    "create_private_stream_policy",
    "create_web_public_stream_policy",
    "invite_to_stream_policy",
    "move_messages_between_streams_policy",
    "user_group_edit_policy",
    "private_message_policy",
    "wildcard_mention_policy",
    "video_chat_provider",
    "jitsi_server_url",
    "gif_rating_policy",
    "default_code_block_language",
    "digest_weekday",
    "string_id",
    "org_type",
    "enable_spectator_access",
    "want_advertise_in_communities_directory",
    "enable_read_receipts",
    "move_messages_within_stream_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "enable_guest_user_indicator",
    "can_access_all_users_group",
];
