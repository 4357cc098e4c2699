//! Reading the settings that a request gives: what each takes is in the table of settings.

mod order;

use crate::api::parameter::{
    FromJson, MEANT_AS_USER_SETTING, Parameter, ParameterInfo, Parameters, RawParameters, json_object, json_parameter,
};
use crate::error::Error;
use crate::realm::id::{GroupId, UserId};
use crate::realm::setting::{FORMER_USER_SETTINGS, Kind, Setting, USER_SETTINGS, find};
use crate::realm::time_zone::canonical;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

json_object! { open
    /// Whose settings an administrator changes.
    pub struct TargetUsers {
        /// People, deactivated ones too; bots have no settings.
        user_ids: Vec<UserId> = Vec::new(),
        /// Groups whose members are meant, those of subgroups too.
        group_ids: Vec<GroupId> = Vec::new(),
        /// Whether a setting that somebody changed themselves stays as it is.
        skip_if_already_edited: bool = false,
    }
}

/// What a request changes.
#[derive(Clone, Debug, Default)]
pub struct SettingsParams {
    /// Whose; the caller's without it.
    pub target_users: Option<TargetUsers>,
    /// Settings of the table that are given, in its order, each with a value that it takes.
    pub settings: Vec<(&'static str, Value)>,
    /// Display name.
    pub full_name: Option<String>,
    /// Real address.
    pub email: Option<String>,
    /// The current password, required for a new one.
    pub old_password: Option<String>,
    pub new_password: Option<String>,
    /// IANA name of the time zone.
    pub timezone: Option<TimeZoneName>,
    /// Who may see the real address.
    pub email_address_visibility: Option<i64>,
}

/// A parameter that may be absent.
pub const fn info(
    name: &'static str,
    doc: &'static [&'static str],
    is_json: bool,
    schema: fn(&mut SchemaGenerator) -> Schema,
) -> ParameterInfo {
    ParameterInfo { name, aliases: &[], is_in_path: false, is_required: false, default: None, doc, is_json, schema }
}

/// A list of parameters: settings of the table by the form of their values, texts with their meaning.
macro_rules! list {
    (objects: [$($object:ident: $object_type:ty = $object_doc:literal),* $(,)?],
     texts: [$($text:ident $doc:literal),* $(,)?], visibility: $visibility:ident $visibility_doc:literal,
     switches: [$($own_switch:ident),* $(,)?], words: [$($own_word:ident),* $(,)?],
     shared: {switches: [$($switch:ident),* $(,)?], numbers: [$($number:ident),* $(,)?], words: [$($word:ident),* $(,)?] $(,)?}) => {
        &[
            $(info(stringify!($object), &[$object_doc], true, <$object_type as Parameter>::schema),)*
            $(info(stringify!($text), &[$doc], false, <String as Parameter>::schema),)*
            info(stringify!($visibility), &[$visibility_doc], true, <i64 as Parameter>::schema),
            $(info(stringify!($own_switch), MEANT_AS_USER_SETTING, true, <bool as Parameter>::schema),)*
            $(info(stringify!($switch), MEANT_AS_USER_SETTING, true, <bool as Parameter>::schema),)*
            $(info(stringify!($number), MEANT_AS_USER_SETTING, true, <i64 as Parameter>::schema),)*
            $(info(stringify!($own_word), MEANT_AS_USER_SETTING, false, <String as Parameter>::schema),)*
            $(info(stringify!($word), MEANT_AS_USER_SETTING, false, <String as Parameter>::schema),)*
        ]
    };
}

/// A list of the parameters that one operation has to itself and of the settings that it shares with others.
macro_rules! with_shared_settings {
    ($($own:tt)*) => {
        list! {
            $($own)*
            shared: {
                switches: [
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
            old_password "The current password, required for a new one.",
            new_password "The new password.",
            timezone "IANA name of the time zone.",
        ],
        visibility: email_address_visibility
            "Who may see the real address: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.",
        switches: [enable_marketing_emails, enable_login_emails, allow_private_data_export],
        words: [default_language],
    };

    fn read(raw: &RawParameters) -> Result<Self, Error> {
        let mut params = Self::default();
        for info in order::sorted(Self::LIST, order::OWN) {
            let Some(text) = raw.text(info)? else { continue };
            let name = info.name;
            match name {
                "target_users" => params.target_users = Some(json_parameter(text, name)?),
                "full_name" => params.full_name = Some(text.to_owned()),
                "email" => params.email = Some(text.to_owned()),
                "old_password" => params.old_password = Some(text.to_owned()),
                "new_password" => params.new_password = Some(text.to_owned()),
                "timezone" => params.timezone = Some(TimeZoneName::new(text)?),
                VISIBILITY => params.email_address_visibility = Some(visibility(text)?),
                _ => params.settings.push((name, setting(text, name)?)),
            }
        }
        params.settings.extend(former(raw)?);
        params.settings.sort_by_key(|(name, _)| order::position(order::OWN, name));
        Ok(params)
    }
}

/// What a request changes of the settings that new users begin with.
#[derive(Clone, Debug, Default)]
pub struct UserDefaultsParams {
    /// Settings that are given, each with a value that it takes.
    pub settings: Vec<(&'static str, Value)>,
}

impl Parameters for UserDefaultsParams {
    const LIST: &'static [ParameterInfo] = with_shared_settings! {
        objects: [],
        texts: [],
        visibility: email_address_visibility
            "Who may see the real address: 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.",
        switches: [],
        words: [],
    };

    fn read(raw: &RawParameters) -> Result<Self, Error> {
        let mut params = Self::default();
        for info in order::sorted(Self::LIST, order::DEFAULTS) {
            let Some(text) = raw.text(info)? else { continue };
            let value = if info.name == VISIBILITY { visibility(text)?.into() } else { setting(text, info.name)? };
            params.settings.push((info.name, value));
        }
        params.settings.extend(former(raw)?);
        params.settings.sort_by_key(|(name, _)| order::position(order::DEFAULTS, name));
        Ok(params)
    }
}

/// The settings that are given and that only older levels have.
fn former(raw: &RawParameters) -> Result<Vec<(&'static str, Value)>, Error> {
    let requested = FORMER_USER_SETTINGS.iter().filter_map(|row| Some((row, raw.former.get(row.name)?)));
    requested.map(|(row, text)| Ok((row.name, setting_value(row, text)?))).collect()
}

/// Texts that the API looks up in a list, which is said when they are not there; others have names for their values.
const IN_A_LIST: [&str; 2] = ["emojiset", "default_avatar_source"];

/// The one setting that is in the account.
const VISIBILITY: &str = "email_address_visibility";

fn visibility(text: &str) -> Result<i64, Error> {
    one_of(text, VISIBILITY, &[1, 2, 3, 4, 5])
}

fn setting(text: &str, name: &'static str) -> Result<Value, Error> {
    if name == "email_notifications_batching_period_seconds" && is_beyond_range(text, name) {
        return Err(Error::InvalidBatchingPeriod { seconds: text.trim().into() });
    }
    find(&USER_SETTINGS, name).map_or(Ok(Value::Null), |row| setting_value(row, text))
}

/// Whether a whole number has no place in 64 bits. A refusal that repeats it does so with all of its digits.
pub fn is_beyond_range(text: &str, name: &str) -> bool {
    text.trim().parse::<i64>().is_err() && json_parameter::<i64>(text, name).is_ok()
}

/// A value that a setting of a table takes. Words with an error of their own are checked later.
///
/// # Errors
///
/// `BadValue`, `InvalidValueBecause`, `InvalidValue`.
pub fn setting_value(row: &Setting, text: &str) -> Result<Value, Error> {
    let name = row.name;
    match &row.kind {
        Kind::Bool => json_parameter::<bool>(text, name).map(Value::from),
        Kind::BoolOrNull => json_parameter::<Option<bool>>(text, name).map(Value::from),
        Kind::Integer => json_parameter::<i64>(text, name).map(Value::from),
        Kind::IntegerOrNull => json_parameter::<Option<i64>>(text, name).map(Value::from),
        Kind::Within(least, _) => {
            let value: Value = json_parameter(text, name)?;
            let number = i64::from_json(&value, name)?;
            let problem = if number < *least { "is too small" } else { "is too large" };
            if row.kind.accepts(&value) { Ok(number.into()) } else { Err(Error::bad_value(name, problem)) }
        }
        Kind::OneOfIntegers(allowed) => one_of(text, name, allowed).map(Value::from),
        Kind::OneOf(allowed) if name == "notification_sound" || allowed.contains(&text) => Ok(text.into()),
        Kind::OneOf(_) if IN_A_LIST.contains(&name) => Err(Error::not_possible(name)),
        Kind::OneOf(_) => Err(Error::InvalidValue { parameter: name.into() }),
        Kind::Text | Kind::TextOrNull => Ok(text.into()),
    }
}

fn one_of(text: &str, name: &str, allowed: &[i64]) -> Result<i64, Error> {
    let value: Value = json_parameter(text, name)?;
    let number = i64::from_json(&value, name)?;
    if allowed.contains(&number) { Ok(number) } else { Err(Error::not_possible(name)) }
}

/// A time zone by a name that the database has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeZoneName {
    /// As the request has it, which may be a former name.
    pub requested: String,
    /// The name of today, as the database spells it.
    pub current: String,
}

impl TimeZoneName {
    fn new(requested: &str) -> Result<Self, Error> {
        // The library finds names in any case.
        let is_known = jiff::tz::TimeZone::get(requested).is_ok_and(|zone| zone.iana_name() == Some(requested));
        if !is_known {
            let reason = "Not a recognized time zone".into();
            return Err(Error::InvalidValueBecause { parameter: "timezone".into(), reason });
        }
        Ok(Self { requested: requested.to_owned(), current: canonical(requested).to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_table_can_be_given() {
        for setting in USER_SETTINGS.iter() {
            let info = SettingsParams::LIST.iter().find(|info| info.name == setting.name);
            let info = info.unwrap_or_else(|| panic!("{} is missing", setting.name));
            assert_eq!(info.is_json, !setting.default.is_string(), "{}", setting.name);
        }
    }
}
