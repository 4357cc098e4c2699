//! The fields of objects in replies and events that were added or renamed at a level; removed ones are in `removed`.

pub(super) mod removed;

use super::objects::{
    API_KEY_REPLY, ATTACHMENT_MESSAGE, BATCHED_OPERATION_REPLY, CHANNEL, CHANNEL_DELETE_EVENT, CHANNEL_PERMISSIONS,
    CHANNEL_UPDATE_EVENT, CHANNEL_WITH_SUBSCRIBERS, EDIT_HISTORY_ENTRY, EDIT_REPLY, EMOJI, EVERY_REPLY, EXPORT,
    EXPORT_CONSENT, EXPORT_REPLY, FLAG_REPLY, FLAGS_UPDATE_EVENT, FOLDER, GROUP, GROUP_PERMISSIONS, GROUP_REPLY,
    INCOMING_WEBHOOK_OPTION, INVITE, LINKIFIER, LOGIN_METHODS, MESSAGE, MESSAGE_HISTORY_ENTRY, MESSAGE_REPLY,
    MESSAGE_UPDATE_EVENT, NEW_USER_REPLY, ORGANIZATION_DATA, OWN_USER, ObjectKind, PEER_EVENTS, PERMISSION, PRESENCE,
    PRESENCE_REPLY, PRESENCE_UPDATE_REPLY, PROFILE_FIELD, PROPERTIES_REPLY, REACTION, REACTION_EVENT,
    REALM_PERMISSIONS, REGISTER_REPLY, SCHEDULED_MESSAGE, SEND_REPLY, SERVER_SETTINGS, SETTINGS, SETTINGS_REPLY,
    STATUS, SUBGROUP_EVENTS, SUBSCRIBE_REPLY, TYPING_EVENT, UNREAD_DIRECT_MESSAGES, UNREAD_MESSAGES, UPLOAD_REPLY,
    URL_OPTION, USER, USER_UPDATE_VALUES,
};
use super::{Change, ChangeKind, SPECIFIED_LEVEL};
use crate::api::organization::parameters::OrganizationParams;
use crate::api::parameter::Parameters;
use crate::realm::channel_boolean_setting::CHANNEL_BOOLEAN_SETTINGS_SINCE;
use crate::wire::LISTS;

/// Pairs of a level and the field that it added. Assumed levels are listed in A-100.
type FieldLevels = &'static [(i64, &'static str)];

/// New fields by object.
static FIELDS: &[(&ObjectKind, FieldLevels)] = &[
    (&EVERY_REPLY, &[(167, "ignored_parameters_unsupported")]),
    (&ORGANIZATION_DATA, &[(392, "topics_policy")]),
    (&PROPERTIES_REPLY, &[(111, "ignored_parameters_unsupported")]),
    (&SETTINGS_REPLY, &[(78, "ignored_parameters_unsupported")]),
    (
        &USER,
        &[
            (490, "is_deleted"),
            (433, "is_imported_stub"),
            (83, "is_system_bot"),
            (59, "role"),
            (8, "is_owner"),
            (6, "avatar_version"),
            (1, "bot_owner_id"),
        ],
    ),
    (&USER_UPDATE_VALUES, &[(6, "avatar_version")]),
    (&OWN_USER, &[(10, "avatar_version"), (10, "is_guest"), (10, "is_active"), (10, "timezone"), (10, "date_joined")]),
    (&INCOMING_WEBHOOK_OPTION, &[(403, "url_options"), (207, "display_name"), (207, "all_event_types")]),
    (&STATUS, &[(86, "emoji_name"), (86, "emoji_code"), (86, "reaction_type")]),
    (&PRESENCE_REPLY, &[(497, "server_timestamp")]),
    (&PRESENCE, &[(487, "active_timestamp"), (487, "idle_timestamp")]),
    (&PRESENCE_UPDATE_REPLY, &[(263, "presence_last_update_id")]),
    (
        &CHANNEL,
        &[
            (394, "subscriber_count"),
            (323, "is_recently_active"),
            (315, "is_archived"),
            (254, "creator_id"),
            (199, "stream_weekly_traffic"),
            (142, "can_remove_subscribers_group_id"),
            (30, "date_created"),
            (17, "message_retention_days"),
            (1, "stream_post_policy"),
        ],
    ),
    (&CHANNEL_WITH_SUBSCRIBERS, &[(412, "partial_subscribers")]),
    (&CHANNEL_DELETE_EVENT, &[(343, "stream_ids")]),
    (&CHANNEL_UPDATE_EVENT, &[(71, "is_web_public")]),
    (&PEER_EVENTS, &[(35, "stream_ids"), (35, "user_ids")]),
    (&SUBSCRIBE_REPLY, &[(397, "new_subscription_messages_sent")]),
    (&FOLDER, &[(414, "order")]),
    (
        &GROUP,
        &[
            (292, "creator_id"),
            (292, "date_created"),
            (290, "deactivated"),
            (191, "can_mention_group_id"),
            (127, "subgroups"),
            (93, "is_system_group"),
        ],
    ),
    (&EXPORT, &[(506, "export_from_prior_server"), (304, "export_type")]),
    (&EXPORT_CONSENT, &[(430, "email_address_visibility")]),
    (&EXPORT_REPLY, &[(182, "id")]),
    (&GROUP_REPLY, &[(317, "group_id")]),
    (&MESSAGE, &[(365, "last_moved_timestamp")]),
    (&EDIT_HISTORY_ENTRY, &[(118, "topic"), (118, "stream"), (1, "prev_stream")]),
    (&MESSAGE_HISTORY_ENTRY, &[(118, "stream"), (1, "prev_stream")]),
    (&REACTION, &[(2, "user_id")]),
    (&REACTION_EVENT, &[(2, "user_id")]),
    (&SEND_REPLY, &[(508, "message_url"), (508, "message_link"), (218, "automatic_new_visibility_policy")]),
    (&EDIT_REPLY, &[(285, "detached_uploads")]),
    (&MESSAGE_REPLY, &[(120, "message")]),
    (&BATCHED_OPERATION_REPLY, &[(211, "complete")]),
    (&FLAG_REPLY, &[(355, "ignored_because_not_subscribed_channels")]),
    (&MESSAGE_UPDATE_EVENT, &[(114, "rendering_only")]),
    (&FLAGS_UPDATE_EVENT, &[(121, "message_details"), (32, "op")]),
    (&TYPING_EVENT, &[(58, "message_type")]),
    (&SCHEDULED_MESSAGE, &[(181, "failed")]),
    (&UNREAD_MESSAGES, &[(44, "old_unreads_missing")]),
    (&UNREAD_DIRECT_MESSAGES, &[(119, "other_user_id")]),
    (&UPLOAD_REPLY, &[(286, "filename"), (272, "url")]),
    (
        &LINKIFIER,
        // `filter_id` is a name of the specification.
        &[
            (472, "alternative_url_templates"),
            (471, "example_input"),
            (471, "reverse_template"),
            (SPECIFIED_LEVEL, "filter_id"),
        ],
    ),
    (&EMOJI, &[(97, "still_url"), (7, "author_id")]),
    (
        &PROFILE_FIELD,
        &[
            (455, "use_for_user_matching"),
            (296, "editable_by_user"),
            (244, "required"),
            (146, "display_in_profile_summary"),
        ],
    ),
    (&INVITE, &[(267, "notify_referrer_on_join"), (22, "invited_by_user_id")]),
    (&API_KEY_REPLY, &[(171, "user_id")]),
    (&NEW_USER_REPLY, &[(30, "user_id")]),
    (&PERMISSION, &[(225, "allowed_system_groups")]),
    (
        &SERVER_SETTINGS,
        &[
            (257, "realm_url"),
            (116, "realm_web_public_access_enabled"),
            (88, "service_merge_base"),
            (1, "service_feature_level"),
        ],
    ),
    (&LOGIN_METHODS, &[(1, "code_host_b")]),
    (&REGISTER_REPLY, REGISTER_KEYS),
];

/// Settings of channels, most of them permissions. Each is a field, a parameter of the operations that create and
/// change channels, and an event.
pub(super) static CHANNEL_SETTINGS_SINCE: FieldLevels = &[
    (441, "can_create_topic_group"),
    (407, "can_delete_any_message_group"),
    (407, "can_delete_own_message_group"),
    (402, "can_resolve_topics_group"),
    (396, "can_move_messages_out_of_channel_group"),
    (396, "can_move_messages_within_channel_group"),
    (392, "topics_policy"),
    (389, "folder_id"),
    (357, "can_subscribe_group"),
    (342, "can_add_subscribers_group"),
    (333, "can_send_message_group"),
    (325, "can_administer_channel_group"),
];

/// Permissions of groups. Each is a field, a parameter of the operations that create and change groups, and an event.
pub(super) static GROUP_PERMISSIONS_SINCE: FieldLevels = &[
    (324, "can_remove_members_group"),
    (308, "can_leave_group"),
    (305, "can_add_members_group"),
    (301, "can_join_group"),
    (283, "can_manage_group"),
];

/// New keys of the register reply, except the lists of [`LISTS`].
static REGISTER_KEYS: FieldLevels = &[
    (493, "has_webex_token"),
    (481, "idle_queue_timeout_secs"),
    (477, "realm_workplace_users_group"),
    (469, "realm_media_preview_size"),
    (468, "devices"),
    (466, "realm_uuid"),
    (456, "realm_default_avatar_source"),
    (442, "tenor_api_key"),
    (438, "realm_owner_full_content_access"),
    (435, "server_report_message_types"),
    (434, "realm_send_channel_events_messages"),
    (416, "realm_welcome_message_custom_text"),
    (415, "max_reminder_note_length"),
    (410, "max_channel_folder_name_length"),
    (410, "max_channel_folder_description_length"),
    (409, "realm_require_e2ee_push_notifications"),
    (407, "realm_can_set_delete_message_policy_group"),
    (397, "max_bulk_new_subscription_messages"),
    (392, "realm_topics_policy"),
    (392, "realm_can_set_topics_policy_group"),
    (369, "navigation_tour_video_url"),
    (367, "realm_can_resolve_topics_group"),
    (363, "realm_can_manage_billing_group"),
    (363, "realm_billing"),
    (358, "realm_message_edit_history_visibility_policy"),
    (352, "realm_can_mention_many_users_group"),
    (350, "realm_can_summarize_topics_group"),
    (350, "server_can_summarize_topics"),
    (348, "realm_enable_guest_user_dm_warning"),
    (344, "realm_can_create_bots_group"),
    (344, "realm_can_create_write_only_bots_group"),
    (341, "realm_can_add_subscribers_group"),
    (338, "password_max_length"),
    (334, "realm_empty_topic_display_name"),
    (332, "server_min_deactivated_realm_deletion_days"),
    (332, "server_max_deactivated_realm_deletion_days"),
    (331, "realm_moderation_request_channel_id"),
    (321, "realm_can_invite_users_group"),
    (316, "realm_can_move_messages_between_topics_group"),
    (310, "realm_can_move_messages_between_channels_group"),
    (307, "realm_can_add_custom_emoji_group"),
    (299, "realm_can_create_groups"),
    (299, "realm_can_manage_all_groups"),
    (291, "realm_can_delete_own_message_group"),
    (281, "realm_can_delete_any_message_group"),
    (280, "realm_can_create_web_public_channel_group"),
    (273, "server_thumbnail_formats"),
    (270, "realm_direct_message_initiator_group"),
    (270, "realm_direct_message_permission_group"),
    (266, "realm_can_create_private_channel_group"),
    (264, "realm_can_create_public_channel_group"),
    (263, "presence_last_update_id"),
    (257, "realm_url"),
    (246, "realm_require_unique_names"),
    (242, "realm_service_update_announcements_stream_id"),
    (231, "realm_push_notifications_enabled_end_timestamp"),
    (225, "realm_can_access_all_users_group"),
    (221, "server_supported_permission_settings"),
    (216, "realm_enable_guest_user_indicator"),
    (212, "realm_jitsi_server_url"),
    (212, "server_jitsi_server_url"),
    (209, "realm_create_multiuse_invite_group"),
    (204, "server_typing_started_wait_period_milliseconds"),
    (204, "server_typing_stopped_wait_period_milliseconds"),
    (204, "server_typing_started_expiry_period_milliseconds"),
    (203, "realm_date_created"),
    (164, "server_presence_ping_interval_seconds"),
    (164, "server_presence_offline_threshold_seconds"),
    (162, "realm_move_messages_within_stream_limit_seconds"),
    (162, "realm_move_messages_between_streams_limit_seconds"),
    (140, "server_emoji_data_url"),
    (137, "realm_enable_read_receipts"),
    (134, "user_topics"),
    (129, "realm_want_advertise_in_communities_directory"),
    (128, "realm_org_type"),
    (110, "server_web_public_streams_enabled"),
    (109, "realm_enable_spectator_access"),
    (103, "realm_create_web_public_stream_policy"),
    (103, "can_create_web_public_streams"),
    (102, "can_create_public_streams"),
    (102, "can_create_private_streams"),
    (102, "realm_create_public_stream_policy"),
    (102, "realm_create_private_stream_policy"),
    (95, "realm_user_settings_defaults"),
    (89, "user_settings"),
    (88, "service_merge_base"),
    (74, "server_needs_upgrade"),
    (74, "event_queue_longpoll_timeout_seconds"),
    (70, "server_timestamp"),
    (60, "is_moderator"),
    (55, "realm_giphy_rating"),
    (55, "giphy_rating_options"),
    (53, "max_topic_length"),
    (53, "max_message_length"),
    (53, "max_stream_name_length"),
    (53, "max_stream_description_length"),
    (51, "can_invite_others_to_realm"),
    (47, "giphy_api_key"),
    (34, "realm_wildcard_mention_policy"),
    (11, "is_owner"),
    (1, "service_feature_level"),
];

/// Settings of the organization that were added at a level. Each is a key of the register reply with the prefix
/// `realm_`, a parameter of PATCH /realm, and an event.
pub(super) fn organization_settings_since() -> impl Iterator<Item = (i64, &'static str)> {
    let is_setting = |name: &str| OrganizationParams::LIST.iter().any(|info| info.name == name);
    let strip_prefix = |(level, key): &(i64, &'static str)| Some((*level, key.strip_prefix("realm_")?));
    REGISTER_KEYS.iter().filter_map(strip_prefix).filter(move |(_, name)| is_setting(name))
}

/// Settings of users. Each is a key of `user_settings` and of the defaults, a parameter of PATCH /settings, and an
/// event.
pub(super) static SETTINGS_SINCE: FieldLevels = &[
    (431, "web_inbox_show_channel_folders"),
    (411, "web_left_sidebar_show_channel_folders"),
    (398, "web_left_sidebar_unreads_count_summary"),
    (385, "resolved_topic_notice_auto_read_policy"),
    (350, "hide_ai_features"),
    (329, "web_suggest_update_timezone"),
    (293, "allow_private_data_export"),
    (275, "web_animate_image_previews"),
    (269, "web_channel_default_view"),
    (268, "web_navigate_to_sent_message"),
    (253, "receives_typing_notifications"),
    (245, "web_font_size_px"),
    (245, "web_line_height_percent"),
    (235, "automatically_follow_topics_where_mentioned"),
    (214, "automatically_follow_topics_policy"),
    (214, "automatically_unmute_topics_in_muted_streams_policy"),
    (210, "web_stream_unreads_count_display_policy"),
    (189, "enable_followed_topic_desktop_notifications"),
    (189, "enable_followed_topic_email_notifications"),
    (189, "enable_followed_topic_push_notifications"),
    (189, "enable_followed_topic_audible_notifications"),
    (189, "enable_followed_topic_wildcard_mentions_notify"),
    (175, "web_mark_read_on_scroll_policy"),
    (163, "email_address_visibility"),
    (141, "user_list_style"),
    (125, "display_emoji_reaction_users"),
    (105, "send_private_typing_notifications"),
    (105, "send_stream_typing_notifications"),
    (105, "send_read_receipts"),
    (87, "enable_drafts_synchronization"),
    (82, "email_notifications_batching_period_seconds"),
];

/// Fields of `user_settings` and of the defaults that were renamed later, by their former names.
pub(super) static FORMER_SETTINGS_SINCE: FieldLevels =
    &[(107, "escape_navigates_to_default_view"), (42, "default_view")];

/// Renamed fields: level, object, old name, new name.
static RENAMED: &[(i64, &ObjectKind, &str, &str)] = &[
    (485, &URL_OPTION, "validator", "input_type"),
    (453, &REGISTER_REPLY, "realm_giphy_rating", "realm_gif_rating_policy"),
    (453, &REGISTER_REPLY, "gif_rating_options", "gif_rating_policy_options"),
    (442, &REGISTER_REPLY, "giphy_rating_options", "gif_rating_options"),
    (318, &INCOMING_WEBHOOK_OPTION, "config", "config_options"),
    (241, &REGISTER_REPLY, "realm_notifications_stream_id", "realm_new_stream_announcements_stream_id"),
    (241, &REGISTER_REPLY, "realm_signup_notifications_stream_id", "realm_signup_announcements_stream_id"),
    (233, &REGISTER_REPLY, "hotspots", "onboarding_steps"),
    (219, &SETTINGS, "default_view", "web_home_view"),
    (219, &SETTINGS, "escape_navigates_to_default_view", "web_escape_navigates_to_home_view"),
    (198, &GROUP, "can_mention_group_id", "can_mention_group"),
    (197, &CHANNEL, "can_remove_subscribers_group_id", "can_remove_subscribers_group"),
    (168, &SETTINGS, "realm_name_in_notifications", "realm_name_in_email_notifications_policy"),
    (131, &GROUP, "subgroups", "direct_subgroup_ids"),
    (131, &SUBGROUP_EVENTS, "subgroup_ids", "direct_subgroup_ids"),
    (118, &EDIT_HISTORY_ENTRY, "prev_subject", "prev_topic"),
    (72, &REGISTER_REPLY, "max_icon_file_size", "max_icon_file_size_mib"),
    (72, &REGISTER_REPLY, "max_logo_file_size", "max_logo_file_size_mib"),
    (72, &REGISTER_REPLY, "realm_upload_quota", "realm_upload_quota_mib"),
    (22, &ATTACHMENT_MESSAGE, "name", "date_sent"),
    (1, &MESSAGE, "subject_links", "topic_links"),
];

/// For a field that is a permission: the object in which the server describes the permission, and its name there. The
/// description changes with the field. Permissions are recognized by their names, because the tables of permissions do
/// not have former names.
fn permission_description(object: &ObjectKind, name: &'static str) -> Option<(&'static ObjectKind, &'static str)> {
    let is_permission =
        |name: &str| name.starts_with("can_") || name.ends_with("_invite_group") || name.starts_with("direct_message_");
    let (description, name) = match object {
        object if *object == CHANNEL => (&CHANNEL_PERMISSIONS, name),
        object if *object == GROUP => (&GROUP_PERMISSIONS, name),
        object if *object == REGISTER_REPLY => (&REALM_PERMISSIONS, name.strip_prefix("realm_")?),
        _ => return None,
    };
    (is_permission(name) || name == "workplace_users_group").then_some((description, name))
}

pub(super) fn changes() -> Vec<Change> {
    let mut changes = Vec::new();
    let setting_fields: [(&ObjectKind, FieldLevels); 5] = [
        (&CHANNEL, CHANNEL_SETTINGS_SINCE),
        (&CHANNEL, CHANNEL_BOOLEAN_SETTINGS_SINCE),
        (&GROUP, GROUP_PERMISSIONS_SINCE),
        (&SETTINGS, SETTINGS_SINCE),
        (&SETTINGS, FORMER_SETTINGS_SINCE),
    ];
    let added_lists = LISTS.iter().filter(|list| list.since > 0);
    let register_key = |name| ChangeKind::Field { object: &REGISTER_REPLY, name };
    changes.extend(added_lists.map(|list| Change { level: list.since, kind: register_key(list.key) }));
    for (object, rows) in FIELDS.iter().chain(&setting_fields) {
        let field =
            |(level, name): &(i64, &'static str)| Change { level: *level, kind: ChangeKind::Field { object, name } };
        changes.extend(rows.iter().map(field));
        changes.extend(rows.iter().filter_map(|(level, name)| {
            permission_description(object, name)
                .map(|(object, name)| Change { level: *level, kind: ChangeKind::Field { object, name } })
        }));
    }
    for (level, object, old, new) in RENAMED {
        changes.push(Change { level: *level, kind: ChangeKind::RenamedField { object, old, new } });
        if let (Some((object, old)), Some((_, new))) =
            (permission_description(object, old), permission_description(object, new))
        {
            changes.push(Change { level: *level, kind: ChangeKind::RenamedField { object, old, new } });
        }
    }
    changes.extend(removed::ROWS.iter().map(|(level, object, name, since, value)| Change {
        level: *level,
        kind: ChangeKind::RemovedField {
            object,
            name,
            since: *since,
            value: *value,
            is_present: if **object == REGISTER_REPLY { removed::is_requested } else { |_, _, _| true },
        },
    }));
    changes
}
