//! Tables of the settings of users and of the organization, with their defaults and allowed values.

use crate::feature::Feature;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A setting of users or of the organization: a row of one of the tables.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The name on the wire. In the register reply, organization settings have the prefix `realm_`, except
    /// `UNPREFIXED_SETTINGS`.
    pub name: &'static str,
    pub default: Value,
    pub kind: SettingKind,
}

/// The values that a setting accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingKind {
    Bool,
    BoolOrNull,
    Integer,
    IntegerOrNull,
    /// Integers from the minimum to the maximum, inclusive.
    Within(i64, i64),
    OneOfIntegers(&'static [i64]),
    Text,
    TextOrNull,
    OneOfTexts(&'static [&'static str]),
}

impl Setting {
    /// The key of an organization setting in the register reply.
    pub fn register_key(&self) -> String {
        if UNPREFIXED_SETTINGS.contains(&self.name) { self.name.to_owned() } else { format!("realm_{}", self.name) }
    }
}

impl SettingKind {
    pub fn accepts(&self, value: &Value) -> bool {
        match self {
            SettingKind::Bool => value.is_boolean(),
            SettingKind::BoolOrNull => value.is_boolean() || value.is_null(),
            SettingKind::Integer => value.is_i64(),
            SettingKind::IntegerOrNull => value.is_i64() || value.is_null(),
            SettingKind::Within(min, max) => value.as_i64().is_some_and(|number| (*min..=*max).contains(&number)),
            SettingKind::OneOfIntegers(allowed) => value.as_i64().is_some_and(|number| allowed.contains(&number)),
            SettingKind::Text => value.is_string(),
            SettingKind::TextOrNull => value.is_string() || value.is_null(),
            SettingKind::OneOfTexts(allowed) => value.as_str().is_some_and(|text| allowed.contains(&text)),
        }
    }
}

fn boolean(default: bool) -> Setting {
    with_kind(default.into(), SettingKind::Bool)
}

fn integer_choice(default: i64, allowed: &'static [i64]) -> Setting {
    with_kind(default.into(), SettingKind::OneOfIntegers(allowed))
}

fn text_choice(default: &str, allowed: &'static [&'static str]) -> Setting {
    with_kind(default.into(), SettingKind::OneOfTexts(allowed))
}

fn with_kind(default: Value, kind: SettingKind) -> Setting {
    Setting { name: "", default, kind }
}

/// Declares a table of settings, and an enum whose variants are in the order of the table.
macro_rules! settings {
    ($($(#[$doc:meta])+ $Enum:ident in $TABLE:ident { $($variant:ident = $name:literal: $row:expr,)+ })+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $Enum {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        $(#[$doc])+
        pub static $TABLE: LazyLock<Vec<Setting>> =
            LazyLock::new(|| vec![$(Setting { name: $name, ..$row },)+]);

        impl $Enum {
            pub fn row(self) -> &'static Setting {
                &$TABLE[self as usize]
            }
        }
    )+};
}

/// The upper limit of the setting `max_file_upload_size_mib`.
pub const MAX_FILE_UPLOAD_SIZE_MIB: i64 = 100;

/// The maximum length of a password, in code points.
pub const MAX_PASSWORD_LENGTH: i64 = 100;

/// The maximum of `waiting_period_threshold`, in days: real servers store it in 32 bits. Waiting periods that would end
/// after the last supported time end at that time.
pub const MAX_WAITING_DAYS: i64 = i32::MAX as i64;

/// The sounds that clients can play for notifications.
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

/// The value of `notification_sound` for no sound.
pub const NO_SOUND: &str = "none";

/// The allowed values of `notification_sound`.
static SOUND_CHOICES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| NOTIFICATION_SOUNDS.iter().copied().chain([NO_SOUND]).collect());

/// The key and label of each emoji set.
pub const EMOJI_SETS: &[(&str, &str)] =
    &[("modern", "Modern"), ("classic", "Classic"), ("outline", "Outline"), ("text", "Plain text")];

settings! {
    /// Settings of users (`user_settings` in the register reply), except the time zone and `email_address_visibility`:
    /// these are fields of `User`, because they affect what other users see.
    UserSetting in USER_SETTINGS {
        TwentyFourHourTime = "twenty_four_hour_time": with_kind(json!(false), SettingKind::BoolOrNull),
        WebMarkReadOnScrollPolicy = "web_mark_read_on_scroll_policy": integer_choice(1, &[1, 2, 3]),
        WebChannelDefaultView = "web_channel_default_view": integer_choice(1, &[1, 2, 3, 4]),
        StarredMessageCounts = "starred_message_counts": boolean(true),
        ReceivesTypingNotifications = "receives_typing_notifications": boolean(true),
        WebSuggestUpdateTimezone = "web_suggest_update_timezone": boolean(true),
        FluidLayoutWidth = "fluid_layout_width": boolean(false),
        HighContrastMode = "high_contrast_mode": boolean(false),
        WebFontSizePx = "web_font_size_px": with_kind(json!(16), SettingKind::Integer),
        WebLineHeightPercent = "web_line_height_percent": with_kind(json!(140), SettingKind::Integer),
        ColorScheme = "color_scheme": integer_choice(1, &[1, 2, 3]),
        TranslateEmoticons = "translate_emoticons": boolean(false),
        DisplayEmojiReactionUsers = "display_emoji_reaction_users": boolean(true),
        DefaultLanguage = "default_language": with_kind(json!("en"), SettingKind::Text),
        WebHomeView = "web_home_view": text_choice("inbox", &["recent", "inbox", "all_messages"]),
        WebEscapeNavigatesToHomeView = "web_escape_navigates_to_home_view": boolean(true),
        LeftSideUserlist = "left_side_userlist": boolean(false),
        Emojiset = "emojiset": text_choice("modern", &["modern", "classic", "outline", "text"]),
        DemoteInactiveStreams = "demote_inactive_streams": integer_choice(1, &[1, 2, 3]),
        UserListStyle = "user_list_style": integer_choice(3, &[1, 2, 3]),
        WebAnimateImagePreviews = "web_animate_image_previews": text_choice("on_hover", &["always", "on_hover", "never"]),
        WebStreamUnreadsCountDisplayPolicy = "web_stream_unreads_count_display_policy": integer_choice(2, &[1, 2, 3]),
        HideAiFeatures = "hide_ai_features": boolean(false),
        WebLeftSidebarShowChannelFolders = "web_left_sidebar_show_channel_folders": boolean(true),
        WebLeftSidebarUnreadsCountSummary = "web_left_sidebar_unreads_count_summary": boolean(true),
        EnterSends = "enter_sends": boolean(false),
        EnableDraftsSynchronization = "enable_drafts_synchronization": boolean(true),
        EnableStreamDesktopNotifications = "enable_stream_desktop_notifications": boolean(false),
        EnableStreamEmailNotifications = "enable_stream_email_notifications": boolean(false),
        EnableStreamPushNotifications = "enable_stream_push_notifications": boolean(false),
        EnableStreamAudibleNotifications = "enable_stream_audible_notifications": boolean(false),
        NotificationSound = "notification_sound": text_choice("service", SOUND_CHOICES.as_slice()),
        EnableDesktopNotifications = "enable_desktop_notifications": boolean(true),
        EnableSounds = "enable_sounds": boolean(true),
        EnableFollowedTopicDesktopNotifications = "enable_followed_topic_desktop_notifications": boolean(true),
        EnableFollowedTopicEmailNotifications = "enable_followed_topic_email_notifications": boolean(true),
        EnableFollowedTopicPushNotifications = "enable_followed_topic_push_notifications": boolean(true),
        EnableFollowedTopicAudibleNotifications = "enable_followed_topic_audible_notifications": boolean(true),
        EmailNotificationsBatchingPeriodSeconds = "email_notifications_batching_period_seconds": with_kind(json!(120), SettingKind::Integer),
        EnableOfflineEmailNotifications = "enable_offline_email_notifications": boolean(true),
        EnableOfflinePushNotifications = "enable_offline_push_notifications": boolean(true),
        EnableOnlinePushNotifications = "enable_online_push_notifications": boolean(true),
        EnableDigestEmails = "enable_digest_emails": boolean(true),
        EnableMarketingEmails = "enable_marketing_emails": boolean(true),
        EnableLoginEmails = "enable_login_emails": boolean(true),
        MessageContentInEmailNotifications = "message_content_in_email_notifications": boolean(true),
        PmContentInDesktopNotifications = "pm_content_in_desktop_notifications": boolean(true),
        WildcardMentionsNotify = "wildcard_mentions_notify": boolean(true),
        EnableFollowedTopicWildcardMentionsNotify = "enable_followed_topic_wildcard_mentions_notify": boolean(true),
        DesktopIconCountDisplay = "desktop_icon_count_display": integer_choice(1, &[1, 2, 3, 4]),
        RealmNameInEmailNotificationsPolicy = "realm_name_in_email_notifications_policy": integer_choice(1, &[1, 2, 3]),
        AutomaticallyFollowTopicsPolicy = "automatically_follow_topics_policy": integer_choice(3, &[1, 2, 3, 4]),
        AutomaticallyUnmuteTopicsInMutedStreamsPolicy = "automatically_unmute_topics_in_muted_streams_policy": integer_choice(2, &[1, 2, 3, 4]),
        AutomaticallyFollowTopicsWhereMentioned = "automatically_follow_topics_where_mentioned": boolean(true),
        ResolvedTopicNoticeAutoReadPolicy = "resolved_topic_notice_auto_read_policy": text_choice("except_followed", &["always", "except_followed", "never"]),
        PresenceEnabled = "presence_enabled": boolean(true),
        SendPrivateTypingNotifications = "send_private_typing_notifications": boolean(true),
        SendStreamTypingNotifications = "send_stream_typing_notifications": boolean(true),
        SendReadReceipts = "send_read_receipts": boolean(true),
        AllowPrivateDataExport = "allow_private_data_export": boolean(false),
        WebNavigateToSentMessage = "web_navigate_to_sent_message": boolean(true),
        WebInboxShowChannelFolders = "web_inbox_show_channel_folders": boolean(true),
    }

    /// Settings of the organization with simple values. Their names lack the prefix `realm_`.
    RealmSetting in REALM_SETTINGS {
        AllowMessageEditing = "allow_message_editing": boolean(true),
        AvatarChangesDisabled = "avatar_changes_disabled": boolean(false),
        DefaultCodeBlockLanguage = "default_code_block_language": with_kind(json!(""), SettingKind::Text),
        DefaultAvatarSource = "default_avatar_source": text_choice("G", &["G", "J"]),
        DefaultLanguage = "default_language": with_kind(json!("en"), SettingKind::Text),
        DigestEmailsEnabled = "digest_emails_enabled": boolean(false),
        DigestWeekday = "digest_weekday": integer_choice(1, &[0, 1, 2, 3, 4, 5, 6]),
        DisallowDisposableEmailAddresses = "disallow_disposable_email_addresses": boolean(true),
        EmailChangesDisabled = "email_changes_disabled": boolean(false),
        EmailsRestrictedToDomains = "emails_restricted_to_domains": boolean(false),
        EnableGuestUserDmWarning = "enable_guest_user_dm_warning": boolean(true),
        EnableGuestUserIndicator = "enable_guest_user_indicator": boolean(true),
        EnableReadReceipts = "enable_read_receipts": boolean(true),
        EnableSpectatorAccess = "enable_spectator_access": boolean(false),
        GifRatingPolicy = "gif_rating_policy": integer_choice(2, &[0, 1, 2, 3, 4, 5]),
        InlineImagePreview = "inline_image_preview": boolean(true),
        InlineUrlEmbedPreview = "inline_url_embed_preview": boolean(false),
        InviteRequired = "invite_required": boolean(true),
        JitsiServerUrl = "jitsi_server_url": with_kind(Value::Null, SettingKind::TextOrNull),
        MaxFileUploadSizeMib = "max_file_upload_size_mib": with_kind(json!(MAX_FILE_UPLOAD_SIZE_MIB), SettingKind::Within(1, MAX_FILE_UPLOAD_SIZE_MIB)),
        MediaPreviewSize = "media_preview_size": integer_choice(100, &[100, 150, 200]),
        MessageContentAllowedInEmailNotifications = "message_content_allowed_in_email_notifications": boolean(true),
        MessageContentDeleteLimitSeconds = "message_content_delete_limit_seconds": with_kind(json!(600), SettingKind::IntegerOrNull),
        MessageContentEditLimitSeconds = "message_content_edit_limit_seconds": with_kind(json!(600), SettingKind::IntegerOrNull),
        MessageEditHistoryVisibilityPolicy = "message_edit_history_visibility_policy": text_choice("all", &["all", "moves", "none"]),
        MessageRetentionDays = "message_retention_days": with_kind(json!(-1), SettingKind::Integer),
        MoveMessagesBetweenStreamsLimitSeconds = "move_messages_between_streams_limit_seconds": with_kind(json!(604_800), SettingKind::IntegerOrNull),
        MoveMessagesWithinStreamLimitSeconds = "move_messages_within_stream_limit_seconds": with_kind(json!(604_800), SettingKind::IntegerOrNull),
        NameChangesDisabled = "name_changes_disabled": boolean(false),
        OrgType = "org_type": integer_choice(10, &[0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000]),
        OwnerFullContentAccess = "owner_full_content_access": boolean(false),
        PasswordMinLength = "password_min_length": with_kind(json!(6), SettingKind::Within(0, MAX_PASSWORD_LENGTH)),
        PasswordMinGuesses = "password_min_guesses": with_kind(json!(10_000), SettingKind::Within(0, i64::MAX)),
        PlanType = "plan_type": integer_choice(1, &[1, 2, 3, 4, 10]),
        PresenceDisabled = "presence_disabled": boolean(false),
        PushNotificationsEnabled = "push_notifications_enabled": boolean(true),
        PushNotificationsEnabledEndTimestamp = "push_notifications_enabled_end_timestamp": with_kind(Value::Null, SettingKind::IntegerOrNull),
        RequireE2eePushNotifications = "require_e2ee_push_notifications": boolean(false),
        RequireUniqueNames = "require_unique_names": boolean(false),
        SendChannelEventsMessages = "send_channel_events_messages": boolean(true),
        SendWelcomeEmails = "send_welcome_emails": boolean(true),
        TopicsPolicy = "topics_policy": text_choice("allow_empty_topic", &["allow_empty_topic", "disable_empty_topic"]),
        UploadQuotaMib = "upload_quota_mib": with_kind(Value::Null, SettingKind::IntegerOrNull),
        VideoChatProvider = "video_chat_provider": integer_choice(1, &[0, 1, 3, 4, 5, 6, 7]),
        WaitingPeriodThreshold = "waiting_period_threshold": with_kind(json!(3), SettingKind::Within(0, MAX_WAITING_DAYS)),
        WantAdvertiseInCommunitiesDirectory = "want_advertise_in_communities_directory": boolean(false),
        WelcomeMessageCustomText = "welcome_message_custom_text": with_kind(json!(""), SettingKind::Text),
    }
}

/// Organization settings without the prefix `realm_` in the register reply.
const UNPREFIXED_SETTINGS: &[&str] = &["max_file_upload_size_mib", "password_min_length", "password_min_guesses"];

/// User settings that a feature level removed (`level/parameters.rs`). Worlds below that level have them.
pub static FORMER_USER_SETTINGS: LazyLock<Vec<Setting>> =
    LazyLock::new(|| vec![Setting { name: "dense_mode", ..boolean(true) }]);

/// Changed defaults of user settings: the first level with the present default, the name, and the former
/// default.
const FORMER_DEFAULTS: &[(i64, &str, i64)] = &[
    (336, "user_list_style", 2),
    (Feature::LargerTextByDefault.since(), "web_font_size_px", 14),
    (Feature::LargerTextByDefault.since(), "web_line_height_percent", 122),
];

/// The default of a setting at a feature level; None if it is the present one.
pub fn former_default(name: &str, level: i64) -> Option<Value> {
    let former_default =
        FORMER_DEFAULTS.iter().find(|(since, setting_name, _)| level < *since && *setting_name == name);
    former_default.map(|(.., default)| (*default).into())
}

/// The names of settings whose default changed.
pub fn settings_with_former_default() -> impl Iterator<Item = &'static str> {
    FORMER_DEFAULTS.iter().map(|(_, name, _)| *name)
}

pub fn find<'table>(table: &'table [Setting], name: &str) -> Option<&'table Setting> {
    table.iter().find(|setting| setting.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_accepts_its_default() {
        for setting in USER_SETTINGS.iter().chain(REALM_SETTINGS.iter()) {
            assert!(setting.kind.accepts(&setting.default), "{}", setting.name);
        }
    }
}
