//! The tables of settings: users' own and the organization's.

use serde_json::{Value, json};
use std::sync::LazyLock;

/// A setting: a row of one of the tables.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Name on the wire; the organization's carry `realm_` before it in the register reply.
    pub name: &'static str,
    /// Value when nothing else is said.
    pub default: Value,
    /// Which values it takes.
    pub kind: Kind,
}

/// Which values a setting takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// true or false.
    Bool,
    /// true, false or null.
    BoolOrNull,
    /// Whole numbers.
    Integer,
    /// Whole numbers or null.
    IntegerOrNull,
    /// Whole numbers from one to another.
    Within(i64, i64),
    /// One of these numbers.
    OneOfIntegers(&'static [i64]),
    /// Any text.
    Text,
    /// Any text or null.
    TextOrNull,
    /// One of these texts.
    OneOf(&'static [&'static str]),
}

impl Setting {
    /// The key of the register reply under which one of the organization's is.
    pub fn state_key(&self) -> String {
        if UNPREFIXED_SETTINGS.contains(&self.name) { self.name.to_owned() } else { format!("realm_{}", self.name) }
    }
}

impl Kind {
    /// Whether the setting takes this value.
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            Kind::Bool => value.is_boolean(),
            Kind::BoolOrNull => value.is_boolean() || value.is_null(),
            Kind::Integer => value.is_i64(),
            Kind::IntegerOrNull => value.is_i64() || value.is_null(),
            Kind::Within(least, most) => value.as_i64().is_some_and(|number| (*least..=*most).contains(&number)),
            Kind::OneOfIntegers(allowed) => value.as_i64().is_some_and(|number| allowed.contains(&number)),
            Kind::Text => value.is_string(),
            Kind::TextOrNull => value.is_string() || value.is_null(),
            Kind::OneOf(allowed) => value.as_str().is_some_and(|text| allowed.contains(&text)),
        }
    }
}

fn switch(name: &'static str, default: bool) -> Setting {
    Setting { name, default: default.into(), kind: Kind::Bool }
}

fn choice(name: &'static str, default: i64, allowed: &'static [i64]) -> Setting {
    Setting { name, default: default.into(), kind: Kind::OneOfIntegers(allowed) }
}

fn word(name: &'static str, default: &str, allowed: &'static [&'static str]) -> Setting {
    Setting { name, default: default.into(), kind: Kind::OneOf(allowed) }
}

fn other(name: &'static str, default: Value, kind: Kind) -> Setting {
    Setting { name, default, kind }
}

/// Largest file that any organization can allow to be uploaded, MiB.
pub const MAX_FILE_UPLOAD_SIZE_MIB: i64 = 100;

/// Longest password, in code points.
pub const MAX_PASSWORD_LENGTH: i64 = 100;

/// Days for which new members can be made to wait at most: a real server's column has 32 bits. Waits that end after the
/// calendar does end with it.
pub const MAX_WAITING_DAYS: i64 = i32::MAX as i64;

/// Sounds that a user can choose.
pub const NOTIFICATION_SOUNDS: &[&str] = &[
    "ascend",
    "beep_boop",
    "bink",
    "bright",
    "brlip",
    "chime",
    "deep tom",
    "ding",
    "double tap",
    "down",
    "dry bongos",
    "dutdut",
    "fast ascend",
    "flute",
    "friendly",
    "kick roll",
    "loud tintong",
    "metallic snare",
    "pan",
    "practicechat",
    "shaker",
    "simple",
    "stairs",
    "subtle",
    "swish",
    "tintong",
    "up",
    "wood block",
    "zaping",
    "zing",
    "service",
];

/// What `notification_sound` is for those who want to hear nothing.
pub const NO_SOUND: &str = "none";

/// What `notification_sound` may be.
static SOUND_CHOICES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| NOTIFICATION_SOUNDS.iter().copied().chain([NO_SOUND]).collect());

/// Sets of emoji pictures: key and label.
pub const EMOJI_SETS: &[(&str, &str)] =
    &[("modern", "Modern"), ("classic", "Classic"), ("outline", "Outline"), ("text", "Plain text")];

/// Users' settings (`user_settings` in the register reply), except the time zone and
/// `email_address_visibility`, which others see and which therefore are in the account.
pub static USER_SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    vec![
        other("twenty_four_hour_time", json!(false), Kind::BoolOrNull),
        choice("web_mark_read_on_scroll_policy", 1, &[1, 2, 3]),
        choice("web_channel_default_view", 1, &[1, 2, 3, 4]),
        switch("starred_message_counts", true),
        switch("receives_typing_notifications", true),
        switch("web_suggest_update_timezone", true),
        switch("fluid_layout_width", false),
        switch("high_contrast_mode", false),
        other("web_font_size_px", json!(16), Kind::Integer),
        other("web_line_height_percent", json!(140), Kind::Integer),
        choice("color_scheme", 1, &[1, 2, 3]),
        switch("translate_emoticons", false),
        switch("display_emoji_reaction_users", true),
        other("default_language", json!("en"), Kind::Text),
        word("web_home_view", "inbox", &["recent", "inbox", "all_messages"]),
        switch("web_escape_navigates_to_home_view", true),
        switch("left_side_userlist", false),
        word("emojiset", "modern", &["modern", "classic", "outline", "text"]),
        choice("demote_inactive_streams", 1, &[1, 2, 3]),
        choice("user_list_style", 3, &[1, 2, 3]),
        word("web_animate_image_previews", "on_hover", &["always", "on_hover", "never"]),
        choice("web_stream_unreads_count_display_policy", 2, &[1, 2, 3]),
        switch("hide_ai_features", false),
        switch("web_left_sidebar_show_channel_folders", true),
        switch("web_left_sidebar_unreads_count_summary", true),
        switch("enter_sends", false),
        switch("enable_drafts_synchronization", true),
        switch("enable_stream_desktop_notifications", false),
        switch("enable_stream_email_notifications", false),
        switch("enable_stream_push_notifications", false),
        switch("enable_stream_audible_notifications", false),
        word("notification_sound", "service", SOUND_CHOICES.as_slice()),
        switch("enable_desktop_notifications", true),
        switch("enable_sounds", true),
        switch("enable_followed_topic_desktop_notifications", true),
        switch("enable_followed_topic_email_notifications", true),
        switch("enable_followed_topic_push_notifications", true),
        switch("enable_followed_topic_audible_notifications", true),
        other("email_notifications_batching_period_seconds", json!(120), Kind::Integer),
        switch("enable_offline_email_notifications", true),
        switch("enable_offline_push_notifications", true),
        switch("enable_online_push_notifications", true),
        switch("enable_digest_emails", true),
        switch("enable_marketing_emails", true),
        switch("enable_login_emails", true),
        switch("message_content_in_email_notifications", true),
        switch("pm_content_in_desktop_notifications", true),
        switch("wildcard_mentions_notify", true),
        switch("enable_followed_topic_wildcard_mentions_notify", true),
        choice("desktop_icon_count_display", 1, &[1, 2, 3, 4]),
        choice("realm_name_in_email_notifications_policy", 1, &[1, 2, 3]),
        choice("automatically_follow_topics_policy", 3, &[1, 2, 3, 4]),
        choice("automatically_unmute_topics_in_muted_streams_policy", 2, &[1, 2, 3, 4]),
        switch("automatically_follow_topics_where_mentioned", true),
        word("resolved_topic_notice_auto_read_policy", "except_followed", &["always", "except_followed", "never"]),
        switch("presence_enabled", true),
        switch("send_private_typing_notifications", true),
        switch("send_stream_typing_notifications", true),
        switch("send_read_receipts", true),
        switch("allow_private_data_export", false),
        switch("web_navigate_to_sent_message", true),
        switch("web_inbox_show_channel_folders", true),
    ]
});

/// Settings of the organization whose names have no `realm_` before them in the register reply.
const UNPREFIXED_SETTINGS: &[&str] = &["max_file_upload_size_mib", "password_min_length", "password_min_guesses"];

/// The organization's settings that are plain values, without `realm_`.
pub static REALM_SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    vec![
        switch("allow_message_editing", true),
        switch("avatar_changes_disabled", false),
        other("default_code_block_language", json!(""), Kind::Text),
        word("default_avatar_source", "G", &["G", "J"]),
        other("default_language", json!("en"), Kind::Text),
        switch("digest_emails_enabled", false),
        choice("digest_weekday", 1, &[0, 1, 2, 3, 4, 5, 6]),
        switch("disallow_disposable_email_addresses", true),
        switch("email_changes_disabled", false),
        switch("emails_restricted_to_domains", false),
        switch("enable_guest_user_dm_warning", true),
        switch("enable_guest_user_indicator", true),
        switch("enable_read_receipts", true),
        switch("enable_spectator_access", false),
        choice("gif_rating_policy", 2, &[0, 1, 2, 3, 4, 5]),
        switch("inline_image_preview", true),
        switch("inline_url_embed_preview", false),
        switch("invite_required", true),
        other("jitsi_server_url", Value::Null, Kind::TextOrNull),
        other("max_file_upload_size_mib", json!(MAX_FILE_UPLOAD_SIZE_MIB), Kind::Within(1, MAX_FILE_UPLOAD_SIZE_MIB)),
        choice("media_preview_size", 100, &[100, 150, 200]),
        switch("message_content_allowed_in_email_notifications", true),
        other("message_content_delete_limit_seconds", json!(600), Kind::IntegerOrNull),
        other("message_content_edit_limit_seconds", json!(600), Kind::IntegerOrNull),
        word("message_edit_history_visibility_policy", "all", &["all", "moves", "none"]),
        other("message_retention_days", json!(-1), Kind::Integer),
        other("move_messages_between_streams_limit_seconds", json!(604_800), Kind::IntegerOrNull),
        other("move_messages_within_stream_limit_seconds", json!(604_800), Kind::IntegerOrNull),
        switch("name_changes_disabled", false),
        choice("org_type", 10, &[0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000]),
        switch("owner_full_content_access", false),
        other("password_min_length", json!(6), Kind::Within(0, MAX_PASSWORD_LENGTH)),
        other("password_min_guesses", json!(10_000), Kind::Within(0, i64::MAX)),
        choice("plan_type", 1, &[1, 2, 3, 4, 10]),
        switch("presence_disabled", false),
        switch("push_notifications_enabled", true),
        other("push_notifications_enabled_end_timestamp", Value::Null, Kind::IntegerOrNull),
        switch("require_e2ee_push_notifications", false),
        switch("require_unique_names", false),
        switch("send_channel_events_messages", true),
        switch("send_welcome_emails", true),
        word("topics_policy", "allow_empty_topic", &["allow_empty_topic", "disable_empty_topic"]),
        other("upload_quota_mib", Value::Null, Kind::IntegerOrNull),
        choice("video_chat_provider", 1, &[0, 1, 3, 4, 5, 6, 7]),
        other("waiting_period_threshold", json!(3), Kind::Within(0, MAX_WAITING_DAYS)),
        switch("want_advertise_in_communities_directory", false),
        other("welcome_message_custom_text", json!(""), Kind::Text),
    ]
});

/// Settings of users that went at a level (`level/parameters.rs`). Worlds below it keep them among the others.
pub static FORMER_USER_SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| vec![switch("dense_mode", true)]);

/// Defaults of users' settings that were others: the first level that has the present one, the name, what was before.
const FORMER_DEFAULTS: &[(i64, &str, i64)] =
    &[(336, "user_list_style", 2), (274, "web_font_size_px", 14), (274, "web_line_height_percent", 122)];

/// The default that a setting had at a level, where it was another than now.
pub fn former_default(name: &str, level: i64) -> Option<Value> {
    let row = FORMER_DEFAULTS.iter().find(|(since, other, _)| level < *since && *other == name);
    row.map(|(.., before)| (*before).into())
}

/// The names of settings that had another default once.
pub fn with_former_default() -> impl Iterator<Item = &'static str> {
    FORMER_DEFAULTS.iter().map(|(_, name, _)| *name)
}

/// The row of a table with this name.
pub fn find<'table>(table: &'table [Setting], name: &str) -> Option<&'table Setting> {
    table.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_a_value_that_the_setting_takes() {
        for setting in USER_SETTINGS.iter().chain(REALM_SETTINGS.iter()) {
            assert!(setting.kind.accepts(&setting.default), "{}", setting.name);
        }
    }
}
