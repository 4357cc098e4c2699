/** Keys of events, made from the API's OpenAPI documents by `packages/check --update types`. */

/** The keys of events of each type, of all levels together. */
export const EVENT_KEYS = {
  alert_words: ["alert_words", "type"],
  attachment: ["attachment", "op", "type", "upload_space_used"],
  channel_folder: ["channel_folder", "channel_folder_id", "data", "op", "order", "type"],
  custom_profile_fields: ["fields", "op", "type"],
  default_stream_groups: ["default_stream_groups", "type"],
  default_streams: ["default_streams", "type"],
  delete_message: ["message_id", "message_ids", "message_type", "stream_id", "topic", "type"],
  device: ["device_id", "op", "pending_push_token_id", "push_key_id", "push_token_id", "push_token_last_updated_timestamp", "type"],
  drafts: ["draft", "draft_id", "drafts", "op", "type"],
  heartbeat: ["type"],
  invites_changed: ["type"],
  message: ["flags", "local_message_id", "message", "type"],
  muted_topics: ["muted_topics", "type"],
  muted_users: ["muted_users", "type"],
  navigation_view: ["data", "fragment", "navigation_view", "op", "type"],
  onboarding_steps: ["onboarding_steps", "type"],
  presence: ["email", "presence", "presences", "server_timestamp", "type", "user_id"],
  reaction: ["emoji_code", "emoji_name", "message_id", "op", "reaction_type", "type", "user", "user_id"],
  realm: ["allow_edit_history", "data", "default_code_block_language", "gif_rating_policy", "giphy_rating", "message_content_delete_limit_seconds", "message_content_edit_limit_seconds", "message_edit_history_visibility_policy", "message_retention_days", "new_stream_announcements_stream_id", "notifications_stream_id", "op", "property", "realm_id", "rendered_description", "signup_announcements_stream_id", "signup_notifications_stream_id", "type", "value"],
  realm_bot: ["bot", "op", "type"],
  realm_domains: ["domain", "op", "realm_domain", "type"],
  realm_emoji: ["data", "emoji", "emoji_id", "op", "realm_emoji", "type"],
  realm_export: ["exports", "type"],
  realm_export_consent: ["consented", "type", "user_id"],
  realm_linkifiers: ["realm_linkifiers", "type"],
  realm_playgrounds: ["realm_playgrounds", "type"],
  realm_user: ["op", "person", "type"],
  realm_user_settings_defaults: ["notification_name", "op", "property", "setting", "setting_name", "type", "value"],
  reminders: ["op", "reminder_id", "reminders", "type"],
  saved_snippets: ["op", "saved_snippet", "saved_snippet_id", "type"],
  scheduled_messages: ["op", "scheduled_message", "scheduled_message_id", "scheduled_messages", "type"],
  stream: ["history_public_to_subscribers", "is_web_public", "name", "op", "property", "rendered_description", "stream_id", "stream_ids", "streams", "type", "value"],
  submessage: ["content", "message_id", "msg_type", "sender_id", "submessage_id", "type"],
  subscription: ["email", "name", "op", "property", "stream_id", "stream_ids", "subscriptions", "type", "user_ids", "value"],
  typing: ["message_type", "op", "recipients", "sender", "stream_id", "topic", "type"],
  typing_edit_message: ["message_id", "op", "recipient", "sender_id", "type"],
  update_message: ["content", "edit_timestamp", "flags", "is_me_message", "message_id", "message_ids", "new_stream_id", "orig_content", "orig_rendered_content", "orig_subject", "prev_rendered_content_version", "propagate_mode", "rendered_content", "rendering_only", "stream_id", "stream_name", "subject", "topic_links", "type", "user_id"],
  update_message_flags: ["all", "flag", "message_details", "messages", "op", "operation", "type"],
  user_group: ["data", "direct_subgroup_ids", "group", "group_id", "op", "subgroup_ids", "type", "user_ids"],
  user_settings: ["language_name", "notification_name", "op", "property", "setting", "setting_name", "type", "value"],
  user_status: ["away", "emoji_code", "emoji_name", "reaction_type", "status_text", "type", "user_id"],
  user_topic: ["last_updated", "stream_id", "topic_name", "type", "visibility_policy"],
} as const;
/** The keys of the message in an event of the type `message`. */
export const EVENT_MESSAGE_KEYS = ["avatar_url", "client", "content", "content_type", "display_recipient", "edit_history", "id", "is_me_message", "last_edit_timestamp", "last_moved_timestamp", "reactions", "recipient_id", "sender_email", "sender_full_name", "sender_id", "sender_realm_str", "sender_short_name", "stream_id", "subject", "subject_links", "submessages", "timestamp", "topic_links", "type"] as const;
/** Those of them that the newest level lacks. */
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
