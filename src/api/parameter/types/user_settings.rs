//! Parameters that are user settings, for changing a user's settings and the defaults for new users. The table of
//! settings (`USER_SETTINGS`) says which values each setting takes.

pub mod order;

use crate::api::parameter::{
    FromJson, Parameter, ParameterInfo, Parameters, RawParameters, USER_SETTING_DOC, json_object, json_parameter,
};
use crate::error::Error;
use crate::realm::id::{GroupId, UserId};
use crate::realm::setting::{FORMER_USER_SETTINGS, Setting, SettingKind, USER_SETTINGS, find};
use crate::realm::time_zone::canonical_name;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

json_object! { open
    /// The users whose settings an administrator changes.
    pub struct TargetUsers {
        /// People, including deactivated ones; bots have no settings.
        user_ids: Vec<UserId> = Vec::new(),
        /// Groups whose members, including those of subgroups, are targets.
        group_ids: Vec<GroupId> = Vec::new(),
        /// Whether settings that the users themselves changed stay as they are.
        skip_if_already_edited: bool = false,
    }
}

/// The parameters of `PATCH /settings`.
#[derive(Clone, Debug, Default)]
pub struct SettingsParams {
    /// None for the caller.
    pub target_users: Option<TargetUsers>,
    /// Names and values of the settings to change, in the order in which they are changed. Some values are checked
    /// later: see [`parse_setting_value`].
    pub settings: Vec<(&'static str, Value)>,
    pub full_name: Option<String>,
    /// The real email address.
    pub email: Option<String>,
    /// The current password, required for a new one.
    pub old_password: Option<String>,
    pub new_password: Option<String>,
    pub timezone: Option<TimeZoneName>,
    pub email_address_visibility: Option<i64>,
}

/// An optional parameter without a default and without aliases.
pub const fn optional_parameter(
    name: &'static str,
    doc: &'static [&'static str],
    is_json: bool,
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> ParameterInfo {
    ParameterInfo {
        name,
        aliases: &[],
        since: 0,
        former_names: &[],
        is_in_path: false,
        is_required: false,
        default: None,
        doc,
        is_json,
        schema,
    }
}

/// A list of parameters: settings grouped by the type of their values, and other parameters with their descriptions.
macro_rules! parameter_list {
    (objects: [$($object:ident: $object_type:ty = $object_doc:literal),* $(,)?],
     texts: [$($text:ident $doc:literal),* $(,)?], visibility: $visibility:ident $visibility_doc:literal,
     booleans: [$($own_boolean:ident),* $(,)?], words: [$($own_word:ident),* $(,)?],
     shared: {booleans: [$($boolean:ident),* $(,)?], numbers: [$($number:ident),* $(,)?], words: [$($word:ident),* $(,)?] $(,)?}) => {
        &[
            $(optional_parameter(stringify!($object), &[$object_doc], true, <$object_type as Parameter>::schema),)*
            $(optional_parameter(stringify!($text), &[$doc], false, <String as Parameter>::schema),)*
            optional_parameter(stringify!($visibility), &[$visibility_doc], true, <i64 as Parameter>::schema),
            $(optional_parameter(stringify!($own_boolean), USER_SETTING_DOC, true, <bool as Parameter>::schema),)*
            $(optional_parameter(stringify!($boolean), USER_SETTING_DOC, true, <bool as Parameter>::schema),)*
            $(optional_parameter(stringify!($number), USER_SETTING_DOC, true, <i64 as Parameter>::schema),)*
            $(optional_parameter(stringify!($own_word), USER_SETTING_DOC, false, <String as Parameter>::schema),)*
            $(optional_parameter(stringify!($word), USER_SETTING_DOC, false, <String as Parameter>::schema),)*
        ]
    };
}

/// A list of the parameters of `PATCH /settings` or `PATCH /realm/user_settings_defaults`: its own, and the settings
/// that both operations share.
macro_rules! with_shared_settings {
    ($($own:tt)*) => {
        parameter_list! {
            $($own)*
            shared: {
                booleans: [
                    twenty_four_hour_time, starred_message_counts, receives_typing_notifications, web_suggest_update_timezone,
                    fluid_layout_width, high_contrast_mode, translate_emoticons, display_emoji_reaction_users,
                    web_escape_navigates_to_home_view, left_side_userlist, hide_ai_features,
                    web_left_sidebar_show_channel_folders, web_left_sidebar_unreads_count_summary, enter_sends,
                    enable_drafts_synchronization, enable_stream_desktop_notifications, enable_stream_email_notifications,
                    enable_stream_push_notifications, enable_stream_audible_notifications, enable_desktop_notifications,
                    enable_sounds, enable_followed_topic_desktop_notifications, enable_followed_topic_email_notifications,
                    enable_followed_topic_push_notifications, enable_followed_topic_audible_notifications,
                    enable_offline_email_notifications, enable_offline_push_notifications, enable_online_push_notifications,
                    enable_digest_emails, message_content_in_email_notifications,
                    pm_content_in_desktop_notifications, wildcard_mentions_notify,
                    enable_followed_topic_wildcard_mentions_notify, automatically_follow_topics_where_mentioned,
                    presence_enabled, send_private_typing_notifications, send_stream_typing_notifications, send_read_receipts,
                    web_navigate_to_sent_message, web_inbox_show_channel_folders,
                ],
                numbers: [
                    web_mark_read_on_scroll_policy, web_channel_default_view, web_font_size_px, web_line_height_percent,
                    color_scheme, demote_inactive_streams, user_list_style, web_stream_unreads_count_display_policy,
                    email_notifications_batching_period_seconds, desktop_icon_count_display,
                    realm_name_in_email_notifications_policy, automatically_follow_topics_policy,
                    automatically_unmute_topics_in_muted_streams_policy,
                ],
                words: [
                    web_home_view, emojiset, web_animate_image_previews, notification_sound,
                    resolved_topic_notice_auto_read_policy,
                ]
            }
        }
    };
}

impl Parameters for SettingsParams {
    #[rustfmt::skip]
    const LIST: &'static [ParameterInfo] = with_shared_settings! {
        objects: [
            target_users: TargetUsers = "Users whose settings change, for administrators; the caller by default.",
        ],
        texts: [
            full_name "Display name; ignored if the organization disallows changes of names.",
            email "Real address; requires a confirmation, for which this server never asks.",
            old_password "The current password, required to set `new_password`.",
            new_password "Password to set, which must be strong enough.",
            timezone "IANA name of the time zone.",
        ],
        visibility: email_address_visibility
            "Who may see the real address: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.",
        booleans: [enable_marketing_emails, enable_login_emails, allow_private_data_export],
        words: [default_language],
    };

    fn read(raw: &RawParameters) -> Result<Self, Error> {
        let mut params = Self::default();
        for info in order::sort_parameters(Self::LIST, order::USER_SETTINGS_ORDER) {
            let Some(text) = raw.text(info)? else { continue };
            let name = info.name;
            match name {
                "target_users" => params.target_users = Some(json_parameter(text, name)?),
                "full_name" => params.full_name = Some(text.to_owned()),
                "email" => params.email = Some(text.to_owned()),
                "old_password" => params.old_password = Some(text.to_owned()),
                "new_password" => params.new_password = Some(text.to_owned()),
                "timezone" => params.timezone = Some(TimeZoneName::new(text)?),
                EMAIL_VISIBILITY => params.email_address_visibility = Some(parse_email_visibility(text)?),
                _ => params.settings.push((name, parse_setting(text, name)?)),
            }
        }
        params.settings.extend(legacy_settings(raw)?);
        params.settings.sort_by_key(|(name, _)| order::position(order::USER_SETTINGS_ORDER, name));
        Ok(params)
    }
}

/// The parameters of `PATCH /realm/user_settings_defaults`.
#[derive(Clone, Debug, Default)]
pub struct UserDefaultsParams {
    /// Names and values of the settings to change, in the order in which they are changed. Some values are checked
    /// later: see [`parse_setting_value`].
    pub settings: Vec<(&'static str, Value)>,
}

impl Parameters for UserDefaultsParams {
    const LIST: &'static [ParameterInfo] = with_shared_settings! {
        objects: [],
        texts: [],
        visibility: email_address_visibility
            "Who may see the real address: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.",
        booleans: [],
        words: [],
    };

    fn read(raw: &RawParameters) -> Result<Self, Error> {
        let mut params = Self::default();
        for info in order::sort_parameters(Self::LIST, order::USER_DEFAULTS_ORDER) {
            let Some(text) = raw.text(info)? else { continue };
            let value = if info.name == EMAIL_VISIBILITY {
                parse_email_visibility(text)?.into()
            } else {
                parse_setting(text, info.name)?
            };
            params.settings.push((info.name, value));
        }
        params.settings.extend(legacy_settings(raw)?);
        params.settings.sort_by_key(|(name, _)| order::position(order::USER_DEFAULTS_ORDER, name));
        Ok(params)
    }
}

/// Returns the settings of the request that only older levels have.
fn legacy_settings(raw: &RawParameters) -> Result<Vec<(&'static str, Value)>, Error> {
    let texts = FORMER_USER_SETTINGS.iter().filter_map(|setting| Some((setting, raw.legacy_values.get(setting.name)?)));
    texts.map(|(setting, text)| Ok((setting.name, parse_setting_value(setting, text)?))).collect()
}

/// Settings with text values whose refusal is "Not in the list of possible values".
const SETTINGS_WITH_LIST_ERROR: [&str; 2] = ["emojiset", "default_avatar_source"];

/// A parameter of both operations that is stored with the account, not with the settings.
const EMAIL_VISIBILITY: &str = "email_address_visibility";

fn parse_email_visibility(text: &str) -> Result<i64, Error> {
    parse_one_of(text, EMAIL_VISIBILITY, &[1, 2, 3, 4, 5])
}

fn parse_setting(text: &str, name: &'static str) -> Result<Value, Error> {
    if name == "email_notifications_batching_period_seconds" && exceeds_i64(text, name) {
        return Err(Error::InvalidBatchingPeriod { seconds: text.trim().into() });
    }
    // Never null: the parameters that are read here are in the table.
    find(&USER_SETTINGS, name).map_or(Ok(Value::Null), |setting| parse_setting_value(setting, text))
}

/// Whether a text is a whole number outside the range of `i64`. Errors that repeat the number need its text then.
pub fn exceeds_i64(text: &str, name: &str) -> bool {
    text.trim().parse::<i64>().is_err() && json_parameter::<i64>(text, name).is_ok()
}

/// Parses the value of a setting. Values whose refusal is a special error are accepted here and checked later.
///
/// # Errors
///
/// `BadValue`, `InvalidValueBecause`, `InvalidValue`.
pub fn parse_setting_value(setting: &Setting, text: &str) -> Result<Value, Error> {
    let name = setting.name;
    match &setting.kind {
        SettingKind::Bool => json_parameter::<bool>(text, name).map(Value::from),
        SettingKind::BoolOrNull => json_parameter::<Option<bool>>(text, name).map(Value::from),
        SettingKind::Integer => json_parameter::<i64>(text, name).map(Value::from),
        SettingKind::IntegerOrNull => json_parameter::<Option<i64>>(text, name).map(Value::from),
        SettingKind::Within(min, _) => {
            let value: Value = json_parameter(text, name)?;
            let number = i64::from_json(&value, name)?;
            let problem = if number < *min { "is too small" } else { "is too large" };
            if setting.kind.accepts(&value) { Ok(number.into()) } else { Err(Error::bad_value(name, problem)) }
        }
        SettingKind::OneOfIntegers(allowed) => parse_one_of(text, name, allowed).map(Value::from),
        SettingKind::OneOfTexts(allowed) if name == "notification_sound" || allowed.contains(&text) => Ok(text.into()),
        SettingKind::OneOfTexts(_) if SETTINGS_WITH_LIST_ERROR.contains(&name) => Err(Error::disallowed_value(name)),
        SettingKind::OneOfTexts(_) => Err(Error::InvalidValue { parameter: name.into() }),
        SettingKind::Text | SettingKind::TextOrNull => Ok(text.into()),
    }
}

fn parse_one_of(text: &str, name: &str, allowed: &[i64]) -> Result<i64, Error> {
    let value: Value = json_parameter(text, name)?;
    let number = i64::from_json(&value, name)?;
    if allowed.contains(&number) { Ok(number) } else { Err(Error::disallowed_value(name)) }
}

/// A name of a time zone in the IANA database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZoneName {
    /// The name in the request, which may be a deprecated one.
    pub requested_name: String,
    /// The canonical name.
    pub canonical_name: String,
}

impl TimeZoneName {
    fn new(requested: &str) -> Result<Self, Error> {
        // The library ignores case, the API does not.
        let is_known = jiff::tz::TimeZone::get(requested).is_ok_and(|zone| zone.iana_name() == Some(requested));
        if !is_known {
            let reason = "Not a recognized time zone".into();
            return Err(Error::InvalidValueBecause { parameter: "timezone".into(), reason });
        }
        Ok(Self { requested_name: requested.to_owned(), canonical_name: canonical_name(requested).to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_setting_is_a_parameter() {
        for setting in USER_SETTINGS.iter() {
            let info = SettingsParams::LIST.iter().find(|info| info.name == setting.name);
            let info = info.unwrap_or_else(|| panic!("{} is missing", setting.name));
            assert_eq!(info.is_json, !setting.default.is_string(), "{}", setting.name);
        }
    }
}
