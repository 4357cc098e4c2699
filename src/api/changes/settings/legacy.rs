//! The event types `update_display_settings` and `update_global_notifications`, which report settings below 439 to
//! clients without the capability `user_settings_object`, in addition to `user_settings`.

use crate::feature::Feature;
use crate::realm::event::{Audience, DeliveryCondition, Event};
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::record::events::{UpdateDisplaySettings, UpdateGlobalNotifications};
use serde_json::Value;

pub const DISPLAY_EVENT_TYPE: &str = "update_display_settings";
pub const NOTIFICATIONS_EVENT_TYPE: &str = "update_global_notifications";

/// Settings that events of the type [`DISPLAY_EVENT_TYPE`] report.
pub const DISPLAY_SETTINGS: &[&str] = &[
    "color_scheme",
    "default_language",
    "demote_inactive_streams",
    "dense_mode",
    "emojiset",
    "enable_drafts_synchronization",
    "enter_sends",
    "fluid_layout_width",
    "high_contrast_mode",
    "left_side_userlist",
    "starred_message_counts",
    "timezone",
    "translate_emoticons",
    "twenty_four_hour_time",
    "web_home_view",
];

/// Settings that events of the type [`NOTIFICATIONS_EVENT_TYPE`] report.
pub const NOTIFICATION_SETTINGS: &[&str] = &[
    "desktop_icon_count_display",
    "email_notifications_batching_period_seconds",
    "enable_desktop_notifications",
    "enable_digest_emails",
    "enable_login_emails",
    "enable_marketing_emails",
    "enable_offline_email_notifications",
    "enable_offline_push_notifications",
    "enable_online_push_notifications",
    "enable_sounds",
    "enable_stream_audible_notifications",
    "enable_stream_desktop_notifications",
    "enable_stream_email_notifications",
    "enable_stream_push_notifications",
    "message_content_in_email_notifications",
    "notification_sound",
    "pm_content_in_desktop_notifications",
    "presence_enabled",
    "realm_name_in_email_notifications_policy",
    "wildcard_mentions_notify",
];

/// Emits the event of the older type for a setting that has one. All readers of a world have the same level, so the
/// first one shows whether the level has these types.
pub(super) fn emit_legacy_event(tx: &mut Tx, user: UserId, name: &str, value: &Value, language: Option<&str>) {
    if tx.event_readers().next().is_none_or(|queue| queue.options.level.has(Feature::OnlyNewSettingsEvents)) {
        return;
    }
    let email = tx.api_email(&tx.users[&user]);
    let (name, setting) = (name.to_owned(), value.clone());
    let event = if DISPLAY_SETTINGS.contains(&&*name) {
        let language_name = language.map(str::to_owned);
        Event::from(UpdateDisplaySettings { user: email, setting_name: name, setting, language_name })
    } else if NOTIFICATION_SETTINGS.contains(&&*name) {
        UpdateGlobalNotifications { user: email, notification_name: name, setting }.into()
    } else {
        return;
    };
    tx.emit(Audience::of_user(user), event.only_for(DeliveryCondition::LegacySettings));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::setting::{FORMER_USER_SETTINGS, USER_SETTINGS};

    #[test]
    fn every_legacy_setting_is_a_setting() {
        // The time zone is a field of the account.
        for name in DISPLAY_SETTINGS.iter().chain(NOTIFICATION_SETTINGS).filter(|name| **name != "timezone") {
            let mut settings = USER_SETTINGS.iter().chain(FORMER_USER_SETTINGS.iter());
            assert!(settings.any(|setting| setting.name == *name), "no setting is called {name}");
        }
    }
}
