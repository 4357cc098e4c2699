//! The parameters of `PATCH /realm`: settings of the table `REALM_SETTINGS`, permissions, and parameters with special
//! rules.

mod order;

pub use order::{ORG_TYPE, event_rank};

use super::authentication::AuthenticationMethodChanges;
use crate::api::parameter::types::channel::RETAIN_FOREVER;
use crate::api::parameter::types::group_setting::GroupSettingUpdate;
use crate::api::parameter::types::user_settings::order::sort_parameters;
use crate::api::parameter::types::user_settings::{exceeds_i64, optional_parameter, parse_setting_value};
use crate::api::parameter::{
    ORGANIZATION_SETTING_DOC, Parameter, ParameterInfo, Parameters, RawParameters, json_parameter,
};
use crate::error::Error;
use crate::realm::id::ChannelId;
use crate::realm::languages::language_name;
use crate::realm::organization::{ChannelPurpose, MAX_WELCOME_LENGTH, NO_CHANNEL};
use crate::realm::setting::{REALM_SETTINGS, Setting, find};
use crate::realm::text::check_length;
use crate::realm::url::is_url;
use order::PARAMETER_ORDER;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

// Lengths are in code points.
const MAX_NAME_LENGTH: usize = 40;
const MAX_DESCRIPTION_LENGTH: usize = 1_000;
const MAX_SUBDOMAIN_LENGTH: usize = 40;
/// Real servers do not limit this setting; chatdouble limits all stored texts (docs/limits.md).
const MAX_CODE_LANGUAGE_LENGTH: usize = 20_000;
const MAX_CALL_SERVER_URL_LENGTH: usize = 200;
/// The value of limits in seconds or days that are off.
const UNLIMITED: &str = "unlimited";

/// The parameters that a request has. Their values may equal the current ones.
#[derive(Clone, Debug, Default)]
pub struct OrganizationParams {
    /// Settings of the table. Values have the right type, but may be refused by [`check_offered_value`] or
    /// [`to_stored_value`].
    pub settings: Vec<(&'static str, Value)>,
    pub name: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// The channel for each purpose in the request; None removes it.
    pub channels: Vec<(ChannelPurpose, Option<ChannelId>)>,
    pub permissions: Vec<(&'static str, GroupSettingUpdate)>,
    pub authentication_methods: Option<AuthenticationMethodChanges>,
    /// Whether the request has a subdomain (`string_id`), which may be the current one.
    pub has_subdomain: bool,
}

/// The schema of parameters with a URL, which are sent as JSON text, unlike other texts of the organization.
fn url_schema(_generator: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "string", "maxLength": MAX_CALL_SERVER_URL_LENGTH})
}

fn limit_schema(_generator: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"anyOf": [{"type": "integer", "minimum": 1}, {"const": UNLIMITED}]})
}

macro_rules! parameter_list {
    (documented_texts: [$($text:ident $doc:literal),* $(,)?], urls: [$($url:ident $url_doc:literal),* $(,)?], channels: [$($channel:ident $channel_doc:literal),* $(,)?],
     booleans: [$($boolean:ident),* $(,)?], numbers: [$($number:ident),* $(,)?], limits: [$($limit:ident),* $(,)?],
     text_settings: [$($text_setting:ident),* $(,)?], permissions: [$($permission:ident),* $(,)?],
     authentication_methods: [$($methods:ident $methods_doc:literal),* $(,)?]) => {
        &[
            $(optional_parameter(stringify!($text), &[$doc], false, <String as Parameter>::schema),)*
            $(optional_parameter(stringify!($url), &[$url_doc], true, url_schema),)*
            $(optional_parameter(stringify!($channel), &[$channel_doc], true, <i64 as Parameter>::schema),)*
            $(optional_parameter(stringify!($boolean), ORGANIZATION_SETTING_DOC, true, <bool as Parameter>::schema),)*
            $(optional_parameter(stringify!($number), ORGANIZATION_SETTING_DOC, true, <i64 as Parameter>::schema),)*
            $(optional_parameter(stringify!($limit), ORGANIZATION_SETTING_DOC, true, limit_schema),)*
            $(optional_parameter(stringify!($text_setting), ORGANIZATION_SETTING_DOC, false, <String as Parameter>::schema),)*
            $(optional_parameter(stringify!($permission), ORGANIZATION_SETTING_DOC, true, <GroupSettingUpdate as Parameter>::schema),)*
            $(optional_parameter(stringify!($methods), &[$methods_doc], true, <AuthenticationMethodChanges as Parameter>::schema),)*
        ]
    };
}

impl Parameters for OrganizationParams {
    #[rustfmt::skip]
    const LIST: &'static [ParameterInfo] = parameter_list! {
        documented_texts: [
            name "Display name; at most 40 code points.",
            description "Markdown; at most 1,000 code points.",
            string_id "The organization's subdomain; only for owners, and this server refuses to change it.",
        ],
        urls: [
            jitsi_server_url "Server for video calls, a JSON string; `default` for that of the chat server.",
        ],
        channels: [
            moderation_request_channel_id "A private channel for reported messages; -1 for none.",
            new_stream_announcements_stream_id "Channel in which new channels are announced; -1 for none.",
            service_update_announcements_stream_id "Channel in which news of the service is announced; -1 for none.",
            signup_announcements_stream_id "Channel in which new users are announced; -1 for none.",
        ],
        booleans: [
            allow_message_editing, avatar_changes_disabled, digest_emails_enabled, disallow_disposable_email_addresses,
            email_changes_disabled, emails_restricted_to_domains, enable_guest_user_dm_warning,
            enable_guest_user_indicator, enable_read_receipts, enable_spectator_access, inline_image_preview,
            inline_url_embed_preview, invite_required, message_content_allowed_in_email_notifications,
            name_changes_disabled, presence_disabled, require_e2ee_push_notifications, require_unique_names,
            send_channel_events_messages, send_welcome_emails, want_advertise_in_communities_directory,
        ],
        numbers: [
            digest_weekday, gif_rating_policy, media_preview_size, org_type, video_chat_provider,
            waiting_period_threshold,
        ],
        limits: [
            message_content_delete_limit_seconds, message_content_edit_limit_seconds, message_retention_days,
            move_messages_between_streams_limit_seconds, move_messages_within_stream_limit_seconds,
        ],
        text_settings: [
            default_avatar_source, default_code_block_language, default_language,
            message_edit_history_visibility_policy, topics_policy, welcome_message_custom_text,
        ],
        permissions: [
            can_access_all_users_group, can_add_custom_emoji_group, can_add_subscribers_group, can_create_bots_group,
            can_create_groups, can_create_private_channel_group, can_create_public_channel_group,
            can_create_web_public_channel_group, can_create_write_only_bots_group, can_delete_any_message_group,
            can_delete_own_message_group, can_invite_users_group, can_manage_all_groups, can_manage_billing_group,
            can_mention_many_users_group, can_move_messages_between_channels_group,
            can_move_messages_between_topics_group, can_resolve_topics_group, can_set_delete_message_policy_group,
            can_set_topics_policy_group, can_summarize_topics_group, create_multiuse_invite_group,
            direct_message_initiator_group, direct_message_permission_group, workplace_users_group,
        ],
        authentication_methods: [
            authentication_methods "Ways to log in, by name, each true or false, or an object with `enabled`; others do not change.",
        ]
    };

    fn read(raw: &RawParameters) -> Result<Self, Error> {
        let mut params = Self::default();
        for info in sort_parameters(Self::LIST, PARAMETER_ORDER) {
            let Some(text) = raw.text(info)? else { continue };
            let name = info.name;
            if let Some(purpose) = ChannelPurpose::ALL.into_iter().find(|purpose| purpose.name() == name) {
                let id = json_parameter::<i64>(text, name)?;
                params.channels.push((purpose, (id != NO_CHANNEL).then_some(ChannelId(id))));
                continue;
            }
            match name {
                "name" => params.name = Some(checked_text(text, name, MAX_NAME_LENGTH)?),
                "string_id" => {
                    checked_text(text, name, MAX_SUBDOMAIN_LENGTH)?;
                    params.has_subdomain = true;
                }
                "authentication_methods" => params.authentication_methods = Some(json_parameter(text, name)?),
                "description" => params.description = Some(checked_text(text, name, MAX_DESCRIPTION_LENGTH)?),
                _ => match find(&REALM_SETTINGS, name) {
                    Some(setting) => params.settings.push((name, read_setting(text, setting)?)),
                    None => params.permissions.push((name, json_parameter(text, name)?)),
                },
            }
        }
        Ok(params)
    }
}

fn checked_text(text: &str, name: &str, limit: usize) -> Result<String, Error> {
    check_length(text, name, limit)?;
    Ok(text.to_owned())
}

/// Parses the value of a setting. Some values are checked only after the caller's rights, by [`check_offered_value`]
/// and [`to_stored_value`].
fn read_setting(text: &str, setting: &Setting) -> Result<Value, Error> {
    let name = setting.name;
    match name {
        _ if is_limit(name) => parse_number_or_word(text, name),
        "jitsi_server_url" => parse_call_server_url(text, name),
        "video_chat_provider" | "gif_rating_policy" if exceeds_i64(text, name) => Ok(text.trim().into()),
        "video_chat_provider" | "gif_rating_policy" => json_parameter::<i64>(text, name).map(Value::from),
        // Values of the wrong type get the same error as other invalid values.
        "digest_weekday" | "org_type" => {
            let value: Value = json_parameter(text, name)?;
            if setting.kind.accepts(&value) { Ok(value) } else { Err(Error::InvalidValue { parameter: name.into() }) }
        }
        "default_code_block_language" => {
            check_length(text, name, MAX_CODE_LANGUAGE_LENGTH)?;
            parse_setting_value(setting, text)
        }
        "welcome_message_custom_text" => checked_text(text, name, MAX_WELCOME_LENGTH).map(Value::from),
        _ => parse_setting_value(setting, text),
    }
}

fn is_limit(name: &str) -> bool {
    name.ends_with("_limit_seconds") || name == "message_retention_days"
}

fn parse_number_or_word(text: &str, name: &str) -> Result<Value, Error> {
    if text == UNLIMITED {
        return Ok(text.into());
    }
    let value: Value = json_parameter(text, name)?;
    let is_number_or_word = value.is_i64() || value.is_string();
    // Real servers name this member of the union of types.
    if is_number_or_word { Ok(value) } else { Err(Error::bad_value(format!("{name}[\"int\"]"), "is not an integer")) }
}

fn parse_call_server_url(text: &str, name: &str) -> Result<Value, Error> {
    let url: String = json_parameter(text, name)?;
    if url == "default" {
        return Ok(Value::Null);
    }
    let is_valid = url.chars().count() <= MAX_CALL_SERVER_URL_LENGTH && is_url(&url);
    // The words of real servers for a value that fits no member of a union of types.
    if is_valid { Ok(url.into()) } else { Err(Error::bad_value(name, "is not an allowed_type")) }
}

/// Checks the value of a setting, if its refusal has a special error.
///
/// # Errors
///
/// `InvalidLanguage` for `default_language`; `SettingValueNotOffered` for `video_chat_provider` and
/// `gif_rating_policy`.
pub fn check_offered_value(name: &str, value: &Value) -> Result<(), Error> {
    let is_offered = || find(&REALM_SETTINGS, name).is_some_and(|setting| setting.kind.accepts(value));
    match name {
        "default_language" if value.as_str().and_then(language_name).is_none() => {
            Err(Error::InvalidLanguage { language: value.clone().into() })
        }
        "video_chat_provider" | "gif_rating_policy" if !is_offered() => {
            Err(Error::SettingValueNotOffered { setting: name.into(), value: value.clone().into() })
        }
        _ => Ok(()),
    }
}

/// Converts the value of a setting to its stored form. A limit is a positive number; `unlimited` becomes -1 for
/// `message_retention_days` and null for other limits.
///
/// # Errors
///
/// `RequestVariableInvalid` for any other value of a limit.
pub fn to_stored_value(name: &str, value: Value) -> Result<Value, Error> {
    match name {
        _ if !is_limit(name) => Ok(value),
        "message_retention_days" if value == UNLIMITED => Ok(RETAIN_FOREVER.into()),
        _ if value == UNLIMITED => Ok(Value::Null),
        _ if value.as_i64().is_some_and(|number| number > 0) => Ok(value),
        _ => Err(Error::RequestVariableInvalid { var_name: name.into(), bad_value: value.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::permission::REALM_PERMISSIONS;

    #[test]
    fn every_permission_is_a_parameter_and_settings_have_the_type_of_their_default() {
        let names: Vec<&str> = OrganizationParams::LIST.iter().map(|info| info.name).collect();
        for setting in REALM_PERMISSIONS {
            assert!(names.contains(&setting.name), "{} can't be changed", setting.name);
        }
        for info in OrganizationParams::LIST {
            let Some(setting) = find(&REALM_SETTINGS, info.name) else { continue };
            assert_eq!(info.is_json, !setting.default.is_string(), "{}", info.name);
        }
    }
}
