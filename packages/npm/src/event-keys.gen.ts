/** Keys of events, made from the API's OpenAPI documents by `packages/check --update types`. */

/** The keys of events of each type, of all levels together, with the types of their values in JSON. */
export const EVENT_KEYS = {
  alert_words: {
    alert_words: ["string[]"],
    type: ["string"],
  },
  attachment: {
    attachment: ["object"],
    op: ["string"],
    type: ["string"],
    upload_space_used: ["number"],
  },
  channel_folder: {
    channel_folder: ["object"],
    channel_folder_id: ["number"],
    data: ["object"],
    op: ["string"],
    order: ["number[]"],
    type: ["string"],
  },
  custom_profile_fields: {
    fields: ["object[]"],
    op: ["unknown"],
    type: ["string"],
  },
  default_stream_groups: {
    default_stream_groups: ["object[]"],
    type: ["string"],
  },
  default_streams: {
    default_streams: ["number[]", "unknown"],
    type: ["string"],
  },
  delete_message: {
    message_id: ["number"],
    message_ids: ["number[]"],
    message_type: ["string"],
    stream_id: ["number"],
    topic: ["string"],
    type: ["string"],
  },
  device: {
    device_id: ["number"],
    op: ["string"],
    pending_push_token_id: ["null", "string"],
    push_key_id: ["number"],
    push_token_id: ["null", "string"],
    push_token_last_updated_timestamp: ["number"],
    type: ["string"],
  },
  drafts: {
    draft: ["object"],
    draft_id: ["number"],
    drafts: ["object[]"],
    op: ["string"],
    type: ["string"],
  },
  heartbeat: {
    type: ["string"],
  },
  invites_changed: {
    type: ["string"],
  },
  message: {
    flags: ["string[]"],
    local_message_id: ["string"],
    message: ["object"],
    type: ["string"],
  },
  muted_topics: {
    muted_topics: ["unknown[][]"],
    type: ["string"],
  },
  muted_users: {
    muted_users: ["object[]"],
    type: ["string"],
  },
  navigation_view: {
    data: ["object"],
    fragment: ["string"],
    navigation_view: ["object"],
    op: ["string"],
    type: ["string"],
  },
  onboarding_steps: {
    onboarding_steps: ["object[]"],
    type: ["string"],
  },
  presence: {
    email: ["string"],
    presence: ["object"],
    presences: ["object"],
    server_timestamp: ["number"],
    type: ["string"],
    user_id: ["number"],
  },
  reaction: {
    emoji_code: ["string"],
    emoji_name: ["string"],
    message_id: ["number"],
    op: ["string"],
    reaction_type: ["string"],
    type: ["string"],
    user: ["unknown"],
    user_id: ["number"],
  },
  realm: {
    allow_edit_history: ["unknown"],
    data: ["object"],
    default_code_block_language: ["unknown"],
    gif_rating_policy: ["unknown"],
    giphy_rating: ["unknown"],
    message_content_delete_limit_seconds: ["unknown"],
    message_content_edit_limit_seconds: ["unknown"],
    message_edit_history_visibility_policy: ["unknown"],
    message_retention_days: ["unknown"],
    new_stream_announcements_stream_id: ["unknown"],
    notifications_stream_id: ["unknown"],
    op: ["string"],
    property: ["string", "unknown"],
    realm_id: ["number"],
    rendered_description: ["unknown"],
    signup_announcements_stream_id: ["unknown"],
    signup_notifications_stream_id: ["unknown"],
    type: ["string"],
    value: ["boolean", "null", "number", "string", "unknown"],
  },
  realm_bot: {
    bot: ["object"],
    op: ["string"],
    type: ["string"],
  },
  realm_domains: {
    domain: ["string"],
    op: ["string"],
    realm_domain: ["object"],
    type: ["string"],
  },
  realm_emoji: {
    data: ["object"],
    emoji: ["object"],
    emoji_id: ["string"],
    op: ["string"],
    realm_emoji: ["object"],
    type: ["string"],
  },
  realm_export: {
    exports: ["object[]"],
    type: ["string"],
  },
  realm_export_consent: {
    consented: ["boolean"],
    type: ["string"],
    user_id: ["number"],
  },
  realm_linkifiers: {
    realm_linkifiers: ["object[]"],
    type: ["string"],
  },
  realm_playgrounds: {
    realm_playgrounds: ["object[]"],
    type: ["string"],
  },
  realm_user: {
    op: ["string"],
    person: ["object"],
    type: ["string"],
  },
  realm_user_settings_defaults: {
    notification_name: ["unknown"],
    op: ["string"],
    property: ["string", "unknown"],
    setting: ["unknown"],
    setting_name: ["unknown"],
    type: ["string"],
    value: ["boolean", "null", "number", "string", "unknown"],
  },
  reminders: {
    op: ["string"],
    reminder_id: ["number"],
    reminders: ["object[]"],
    type: ["string"],
  },
  saved_snippets: {
    op: ["string"],
    saved_snippet: ["object"],
    saved_snippet_id: ["number"],
    type: ["string"],
  },
  scheduled_messages: {
    op: ["string"],
    scheduled_message: ["object"],
    scheduled_message_id: ["number"],
    scheduled_messages: ["object[]"],
    type: ["string"],
  },
  stream: {
    history_public_to_subscribers: ["boolean"],
    is_web_public: ["boolean"],
    name: ["string"],
    op: ["string"],
    property: ["string"],
    rendered_description: ["string"],
    stream_id: ["number"],
    stream_ids: ["number[]"],
    streams: ["object[]", "unknown"],
    type: ["string"],
    value: ["boolean", "null", "number", "object", "string"],
  },
  submessage: {
    content: ["string"],
    message_id: ["number"],
    msg_type: ["string"],
    sender_id: ["number"],
    submessage_id: ["number"],
    type: ["string"],
  },
  subscription: {
    email: ["unknown"],
    name: ["unknown"],
    op: ["string"],
    property: ["string"],
    stream_id: ["number"],
    stream_ids: ["number[]"],
    subscriptions: ["object[]"],
    type: ["string"],
    user_ids: ["number[]"],
    value: ["boolean", "number", "string"],
  },
  typing: {
    message_type: ["string", "unknown"],
    op: ["string"],
    recipients: ["object[]"],
    sender: ["object"],
    stream_id: ["number"],
    topic: ["string"],
    type: ["string"],
  },
  typing_edit_message: {
    message_id: ["number"],
    op: ["string"],
    recipient: ["object"],
    sender_id: ["number"],
    type: ["string"],
  },
  update_message: {
    content: ["string"],
    edit_timestamp: ["number"],
    flags: ["string[]"],
    is_me_message: ["boolean"],
    message_id: ["number"],
    message_ids: ["number[]"],
    new_stream_id: ["number"],
    orig_content: ["string"],
    orig_rendered_content: ["string"],
    orig_subject: ["string"],
    prev_rendered_content_version: ["unknown"],
    propagate_mode: ["string"],
    rendered_content: ["string"],
    rendering_only: ["boolean"],
    stream_id: ["number"],
    stream_name: ["string"],
    subject: ["string"],
    topic_links: ["object[]"],
    type: ["string"],
    user_id: ["null", "number"],
  },
  update_message_flags: {
    all: ["boolean"],
    flag: ["string"],
    message_details: ["object"],
    messages: ["number[]"],
    op: ["string"],
    operation: ["string"],
    type: ["string"],
  },
  user_group: {
    data: ["object"],
    direct_subgroup_ids: ["number[]"],
    group: ["object"],
    group_id: ["number"],
    op: ["string"],
    subgroup_ids: ["number[]"],
    type: ["string"],
    user_ids: ["number[]"],
  },
  user_settings: {
    language_name: ["string"],
    notification_name: ["unknown"],
    op: ["string"],
    property: ["string", "unknown"],
    setting: ["unknown"],
    setting_name: ["unknown"],
    type: ["string"],
    value: ["boolean", "null", "number", "string", "unknown"],
  },
  user_status: {
    away: ["boolean"],
    emoji_code: ["string"],
    emoji_name: ["string"],
    reaction_type: ["string"],
    status_text: ["string"],
    type: ["string"],
    user_id: ["number"],
  },
  user_topic: {
    last_updated: ["number"],
    stream_id: ["number"],
    topic_name: ["string"],
    type: ["string"],
    visibility_policy: ["number"],
  },
} as const;
/**
 * The words of the keys that have no other values, at any depth; an asterisk replaces what depends on the dialect, and as a key it
 * is any key. Elements of a list have those of the list.
 */
export const EVENT_WORDS = {
  attachment: {
    op: ["add", "remove", "update"],
  },
  channel_folder: {
    op: ["add", "reorder", "update"],
  },
  custom_profile_fields: {
    fields: {
      type: [1, 2, 3, 4, 5, 6, 7, 8],
    },
  },
  delete_message: {
    message_type: ["private", "stream"],
  },
  device: {
    op: ["add", "remove", "update"],
  },
  drafts: {
    draft: {
      type: ["", "private", "stream"],
    },
    drafts: {
      type: ["", "private", "stream"],
    },
    op: ["add", "remove", "update"],
  },
  message: {
    message: {
      content_type: ["text/html", "text/x-markdown"],
      reactions: {
        reaction_type: ["*_extra_emoji", "realm_emoji", "unicode_emoji"],
      },
      type: ["private", "stream"],
    },
  },
  navigation_view: {
    op: ["add", "remove", "update"],
  },
  onboarding_steps: {
    onboarding_steps: {
      type: ["one_time_action", "one_time_notice"],
    },
  },
  presence: {
    presence: {
      "*": {
        client: ["website"],
        status: ["active", "idle"],
      },
    },
  },
  reaction: {
    op: ["add", "remove"],
    reaction_type: ["*_extra_emoji", "realm_emoji", "unicode_emoji"],
  },
  realm: {
    data: {
      icon_source: ["G", "U"],
      logo_source: ["D", "U"],
      night_logo_source: ["D", "U"],
      topics_policy: ["allow_empty_topic", "disable_empty_topic"],
    },
    op: ["deactivated", "update", "update_dict"],
    property: ["*_update_announcements_stream_id", "add_custom_emoji_policy", "add_emoji_by_admins_only", "allow_community_topic_editing", "allow_edit_history", "allow_message_deleting", "allow_message_editing", "authentication_methods", "avatar_changes_disabled", "bot_creation_policy", "bot_domain", "can_access_all_users_group", "can_add_custom_emoji_group", "can_add_subscribers_group", "can_create_bots_group", "can_create_groups", "can_create_private_channel_group", "can_create_public_channel_group", "can_create_web_public_channel_group", "can_create_write_only_bots_group", "can_delete_any_message_group", "can_delete_own_message_group", "can_invite_users_group", "can_manage_all_groups", "can_manage_billing_group", "can_mention_many_users_group", "can_move_messages_between_channels_group", "can_move_messages_between_topics_group", "can_resolve_topics_group", "can_set_delete_message_policy_group", "can_set_topics_policy_group", "can_summarize_topics_group", "community_topic_editing_limit_seconds", "create_multiuse_invite_group", "create_private_stream_policy", "create_public_stream_policy", "create_stream_policy", "create_web_public_stream_policy", "date_created", "default", "default_avatar_source", "default_code_block_language", "default_language", "default_streams", "default_twenty_four_hour_time", "delete_own_message_policy", "description", "digest_emails_enabled", "digest_weekday", "direct_message_initiator_group", "direct_message_permission_group", "disallow_disposable_email_addresses", "edit_topic_policy", "email_address_visibility", "email_auth_enabled", "email_changes_disabled", "emails_restricted_to_domains", "empty_topic_display_name", "enable_guest_user_dm_warning", "enable_guest_user_indicator", "enable_read_receipts", "enable_spectator_access", "gif_rating_policy", "giphy_rating", "icon", "icon_source", "icon_url", "inline_image_preview", "inline_url_embed_preview", "invite_by_admins_only", "invite_required", "invite_to_realm_policy", "invite_to_stream_policy", "is_zephyr_mirror_realm", "jitsi_server_url", "logo", "logo_source", "logo_url", "mandatory_topics", "max_file_upload_size_mib", "media_preview_size", "message_content_allowed_in_email_notifications", "message_content_delete_limit_seconds", "message_content_edit_limit_seconds", "message_edit_history_visibility_policy", "message_retention_days", "moderation_request_channel_id", "move_messages_between_streams_limit_seconds", "move_messages_between_streams_policy", "move_messages_within_stream_limit_seconds", "name", "name_changes_disabled", "new_stream_announcements_stream_id", "night_logo", "night_logo_source", "night_logo_url", "notifications_stream_id", "org_type", "owner_full_content_access", "password_auth_enabled", "password_min_guesses", "password_min_length", "plan_type", "presence_disabled", "private_message_policy", "push_notifications_enabled", "push_notifications_enabled_end_timestamp", "require_e2ee_push_notifications", "require_unique_names", "send_channel_events_messages", "send_welcome_emails", "signup_announcements_stream_id", "signup_notifications_stream_id", "topics_policy", "upload_quota", "upload_quota_mib", "uri", "url", "user_group_edit_policy", "uuid", "video_chat_provider", "waiting_period_threshold", "want_advertise_in_communities_directory", "welcome_message_custom_text", "wildcard_mention_policy", "workplace_users_group"],
  },
  realm_bot: {
    bot: {
      services: {
        interface: [1, 2],
      },
    },
    op: ["add", "delete", "update"],
  },
  realm_domains: {
    op: ["add", "change", "remove"],
  },
  realm_emoji: {
    op: ["add", "update", "update_one"],
  },
  realm_export: {
    exports: {
      export_type: [1, 2],
    },
  },
  realm_user: {
    op: ["add", "remove", "update"],
    person: {
      avatar_source: ["G", "U"],
      bot_type: [1, 2, 3, 4],
      role: [100, 200, 300, 400, 600],
    },
  },
  realm_user_settings_defaults: {
    op: ["update"],
    property: ["allow_private_data_export", "automatically_follow_topics_policy", "automatically_follow_topics_where_mentioned", "automatically_unmute_topics_in_muted_streams_policy", "color_scheme", "default_language", "default_view", "demote_inactive_streams", "dense_mode", "desktop_icon_count_display", "display_emoji_reaction_users", "email_address_visibility", "email_notifications_batching_period_seconds", "emojiset", "enable_desktop_notifications", "enable_digest_emails", "enable_drafts_synchronization", "enable_followed_topic_audible_notifications", "enable_followed_topic_desktop_notifications", "enable_followed_topic_email_notifications", "enable_followed_topic_push_notifications", "enable_followed_topic_wildcard_mentions_notify", "enable_login_emails", "enable_marketing_emails", "enable_offline_email_notifications", "enable_offline_push_notifications", "enable_online_push_notifications", "enable_sounds", "enable_stream_audible_notifications", "enable_stream_desktop_notifications", "enable_stream_email_notifications", "enable_stream_push_notifications", "enter_sends", "escape_navigates_to_default_view", "fluid_layout_width", "hide_ai_features", "high_contrast_mode", "left_side_userlist", "message_content_in_email_notifications", "notification_sound", "pm_content_in_desktop_notifications", "presence_enabled", "realm_name_in_email_notifications_policy", "realm_name_in_notifications", "receives_typing_notifications", "resolved_topic_notice_auto_read_policy", "send_private_typing_notifications", "send_read_receipts", "send_stream_typing_notifications", "starred_message_counts", "timezone", "translate_emoticons", "twenty_four_hour_time", "user_list_style", "web_animate_image_previews", "web_channel_default_view", "web_escape_navigates_to_home_view", "web_font_size_px", "web_home_view", "web_inbox_show_channel_folders", "web_left_sidebar_show_channel_folders", "web_left_sidebar_unreads_count_summary", "web_line_height_percent", "web_mark_read_on_scroll_policy", "web_navigate_to_sent_message", "web_stream_unreads_count_display_policy", "web_suggest_update_timezone", "wildcard_mentions_notify"],
  },
  reminders: {
    op: ["add", "remove"],
    reminders: {
      type: ["private"],
    },
  },
  saved_snippets: {
    op: ["add", "remove", "update"],
  },
  scheduled_messages: {
    op: ["add", "remove", "update"],
    scheduled_message: {
      type: ["private", "stream"],
    },
    scheduled_messages: {
      type: ["private", "stream"],
    },
  },
  stream: {
    op: ["create", "delete", "update"],
    property: ["can_add_subscribers_group", "can_administer_channel_group", "can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group", "can_move_messages_out_of_channel_group", "can_move_messages_within_channel_group", "can_remove_subscribers_group", "can_remove_subscribers_group_id", "can_resolve_topics_group", "can_send_message_group", "can_subscribe_group", "creator_id", "date_created", "default_push_notifications", "description", "first_message_id", "folder_id", "history_public_to_subscribers", "invite_only", "is_announcement_only", "is_archived", "is_recently_active", "is_web_public", "message_retention_days", "name", "rendered_description", "stream_id", "stream_post_policy", "stream_weekly_traffic", "subscriber_count", "topics_policy"],
    streams: {
      stream_post_policy: [1, 2, 3, 4],
      topics_policy: ["allow_empty_topic", "disable_empty_topic", "empty_topic_only", "inherit"],
    },
  },
  subscription: {
    op: ["add", "peer_add", "peer_remove", "remove", "update"],
    property: ["audible_notifications", "can_add_subscribers_group", "can_administer_channel_group", "can_create_topic_group", "can_delete_any_message_group", "can_delete_own_message_group", "can_move_messages_out_of_channel_group", "can_move_messages_within_channel_group", "can_remove_subscribers_group", "can_remove_subscribers_group_id", "can_resolve_topics_group", "can_send_message_group", "can_subscribe_group", "color", "creator_id", "date_created", "default_push_notifications", "description", "desktop_notifications", "email_address", "email_notifications", "first_message_id", "folder_id", "history_public_to_subscribers", "in_home_view", "invite_only", "is_announcement_only", "is_archived", "is_muted", "is_old_stream", "is_recently_active", "is_web_public", "message_retention_days", "name", "partial_subscribers", "pin_to_top", "push_notifications", "rendered_description", "role", "stream_id", "stream_post_policy", "stream_weekly_traffic", "subscriber_count", "subscribers", "topics_policy", "wildcard_mentions_notify"],
    subscriptions: {
      stream_post_policy: [1, 2, 3, 4],
      topics_policy: ["allow_empty_topic", "disable_empty_topic", "empty_topic_only", "inherit"],
    },
  },
  typing: {
    message_type: ["direct", "private", "stream"],
    op: ["start", "stop"],
  },
  typing_edit_message: {
    op: ["start", "stop"],
    recipient: {
      type: ["channel", "direct"],
    },
  },
  update_message: {
    propagate_mode: ["change_all", "change_later", "change_one"],
  },
  update_message_flags: {
    flag: ["collapsed", "hide_link_previews", "read", "starred"],
    message_details: {
      "*": {
        type: ["private", "stream"],
      },
    },
    op: ["add", "remove"],
    operation: ["add", "remove"],
  },
  user_group: {
    op: ["add", "add_members", "add_subgroups", "remove", "remove_members", "remove_subgroups", "update"],
  },
  user_settings: {
    op: ["update"],
    property: ["allow_private_data_export", "automatically_follow_topics_policy", "automatically_follow_topics_where_mentioned", "automatically_unmute_topics_in_muted_streams_policy", "color_scheme", "default_language", "default_view", "demote_inactive_streams", "dense_mode", "desktop_icon_count_display", "display_emoji_reaction_users", "email_address_visibility", "email_notifications_batching_period_seconds", "emojiset", "enable_desktop_notifications", "enable_digest_emails", "enable_drafts_synchronization", "enable_followed_topic_audible_notifications", "enable_followed_topic_desktop_notifications", "enable_followed_topic_email_notifications", "enable_followed_topic_push_notifications", "enable_followed_topic_wildcard_mentions_notify", "enable_login_emails", "enable_marketing_emails", "enable_offline_email_notifications", "enable_offline_push_notifications", "enable_online_push_notifications", "enable_sounds", "enable_stream_audible_notifications", "enable_stream_desktop_notifications", "enable_stream_email_notifications", "enable_stream_push_notifications", "enter_sends", "escape_navigates_to_default_view", "fluid_layout_width", "hide_ai_features", "high_contrast_mode", "left_side_userlist", "message_content_in_email_notifications", "notification_sound", "pm_content_in_desktop_notifications", "presence_enabled", "realm_name_in_email_notifications_policy", "realm_name_in_notifications", "receives_typing_notifications", "resolved_topic_notice_auto_read_policy", "send_private_typing_notifications", "send_read_receipts", "send_stream_typing_notifications", "starred_message_counts", "timezone", "translate_emoticons", "twenty_four_hour_time", "user_list_style", "web_animate_image_previews", "web_channel_default_view", "web_escape_navigates_to_home_view", "web_font_size_px", "web_home_view", "web_inbox_show_channel_folders", "web_left_sidebar_show_channel_folders", "web_left_sidebar_unreads_count_summary", "web_line_height_percent", "web_mark_read_on_scroll_policy", "web_navigate_to_sent_message", "web_stream_unreads_count_display_policy", "web_suggest_update_timezone", "wildcard_mentions_notify"],
  },
  user_status: {
    reaction_type: ["*_extra_emoji", "realm_emoji", "unicode_emoji"],
  },
  user_topic: {
    visibility_policy: [0, 1, 2, 3],
  },
} as const;
/** The keys of the message in an event of the type `message`, with the types of their values in JSON. */
export const EVENT_MESSAGE_KEYS = {
  avatar_url: ["null", "string"],
  client: ["string"],
  content: ["string"],
  content_type: ["string"],
  display_recipient: ["object[]", "string", "unknown"],
  edit_history: ["null", "object[]"],
  id: ["number"],
  is_me_message: ["boolean"],
  last_edit_timestamp: ["null", "number"],
  last_moved_timestamp: ["null", "number"],
  reactions: ["object[]"],
  recipient_id: ["number"],
  sender_email: ["string"],
  sender_full_name: ["string"],
  sender_id: ["number"],
  sender_realm_str: ["string"],
  sender_short_name: ["unknown"],
  stream_id: ["null", "number"],
  subject: ["string"],
  subject_links: ["unknown"],
  submessages: ["object[]"],
  timestamp: ["number"],
  topic_links: ["object[]", "unknown"],
  type: ["string"],
} as const;
/** Keys of events that the newest level lacks. */
export const OLDER_EVENT_KEYS = {
  custom_profile_fields: ["op"],
  reaction: ["user"],
  realm: ["allow_edit_history", "default_code_block_language", "gif_rating_policy", "giphy_rating", "message_content_delete_limit_seconds", "message_content_edit_limit_seconds", "message_edit_history_visibility_policy", "message_retention_days", "new_stream_announcements_stream_id", "notifications_stream_id", "rendered_description", "signup_announcements_stream_id", "signup_notifications_stream_id"],
  realm_user_settings_defaults: ["notification_name", "setting", "setting_name"],
  subscription: ["email", "name"],
  update_message: ["prev_rendered_content_version"],
  user_group: ["subgroup_ids"],
  user_settings: ["notification_name", "setting", "setting_name"],
} as const;
/** The keys of a message that the newest level lacks. */
export const OLDER_EVENT_MESSAGE_KEYS = ["sender_short_name", "subject_links"] as const;
