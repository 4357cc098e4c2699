//! Reading what PATCH /realm changes: settings of the table by the form of their values, and what has rules of its own.

use super::authentication::AuthenticationMethods;
use crate::api::parameter::types::group_setting::GroupSettingUpdate;
use crate::api::parameter::types::user_settings::{info, is_beyond_range, setting_value};
use crate::api::parameter::{
    MEANT_FOR_ORGANIZATION, Parameter, ParameterInfo, Parameters, RawParameters, json_parameter,
};
use crate::error::Error;
use crate::realm::address::is_url;
use crate::realm::id::ChannelId;
use crate::realm::organization::{ChannelPurpose, MAX_WELCOME_LENGTH, NO_CHANNEL};
use crate::realm::setting::{REALM_SETTINGS, find};
use crate::realm::setting_values::language_name;
use crate::realm::text::check_length;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// Longest name of an organization, in code points.
const MAX_NAME_LENGTH: usize = 40;
/// Longest description of an organization, in code points.
const MAX_DESCRIPTION_LENGTH: usize = 1_000;
/// Longest name of an organization's place, in code points.
const MAX_PLACE_LENGTH: usize = 40;
/// Longest name of the language of code, in code points. Real servers have no limit; this one keeps nothing without one.
const MAX_CODE_LANGUAGE_LENGTH: usize = 20_000;
/// Longest address of a server for calls, in code points.
const MAX_CALLS_ADDRESS_LENGTH: usize = 200;
/// The word for no limit in seconds or days.
const UNLIMITED: &str = "unlimited";

/// The days after which messages go that never do.
const KEPT_FOR_EVER: i64 = -1;

/// What a request changes; values that are so already are in it too.
#[derive(Clone, Debug, Default)]
pub struct OrganizationParams {
    /// Settings of the table, each with a value of its form.
    pub settings: Vec<(&'static str, Value)>,
    /// Display name.
    pub name: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// Channels with a purpose; None takes it away.
    pub channels: Vec<(ChannelPurpose, Option<ChannelId>)>,
    pub permissions: Vec<(&'static str, GroupSettingUpdate)>,
    /// Ways to log in.
    pub authentication_methods: Option<AuthenticationMethods>,
    /// Another place among the server's organizations is asked for.
    pub moves: bool,
}

/// Addresses are JSON text, unlike other texts of the organization.
fn address_schema(_generator: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"type": "string", "maxLength": MAX_CALLS_ADDRESS_LENGTH})
}

fn limit_schema(_generator: &mut SchemaGenerator) -> Schema {
    schemars::json_schema!({"anyOf": [{"type": "integer", "minimum": 1}, {"const": UNLIMITED}]})
}

macro_rules! list {
    (texts: [$($text:ident $doc:literal),* $(,)?], addresses: [$($address:ident $address_doc:literal),* $(,)?], channels: [$($channel:ident $channel_doc:literal),* $(,)?],
     switches: [$($switch:ident),* $(,)?], numbers: [$($number:ident),* $(,)?], limits: [$($limit:ident),* $(,)?],
     words: [$($word:ident),* $(,)?], permissions: [$($permission:ident),* $(,)?],
     logins: [$($login:ident $login_doc:literal),* $(,)?]) => {
        &[
            $(info(stringify!($text), &[$doc], false, <String as Parameter>::schema),)*
            $(info(stringify!($address), &[$address_doc], true, address_schema),)*
            $(info(stringify!($channel), &[$channel_doc], true, <i64 as Parameter>::schema),)*
            $(info(stringify!($switch), MEANT_FOR_ORGANIZATION, true, <bool as Parameter>::schema),)*
            $(info(stringify!($number), MEANT_FOR_ORGANIZATION, true, <i64 as Parameter>::schema),)*
            $(info(stringify!($limit), MEANT_FOR_ORGANIZATION, true, limit_schema),)*
            $(info(stringify!($word), MEANT_FOR_ORGANIZATION, false, <String as Parameter>::schema),)*
            $(info(stringify!($permission), MEANT_FOR_ORGANIZATION, true, <GroupSettingUpdate as Parameter>::schema),)*
            $(info(stringify!($login), &[$login_doc], true, <AuthenticationMethods as Parameter>::schema),)*
        ]
    };
}

impl Parameters for OrganizationParams {
    #[rustfmt::skip]
    const LIST: &'static [ParameterInfo] = list! {
        texts: [
            name "Display name; at most 40 code points.",
            description "Markdown; at most 1,000 code points.",
            string_id "The organization's subdomain; for owners, and without effect here.",
        ],
        addresses: [
            jitsi_server_url "Server for video calls, a JSON string; `default` for the server's.",
        ],
        channels: [
            moderation_request_channel_id "A private channel for reported messages; -1 for none.",
            new_stream_announcements_stream_id "Channel in which new channels are announced; -1 for none.",
            service_update_announcements_stream_id "Channel in which news of the service is announced; -1 for none.",
            signup_announcements_stream_id "Channel in which new users are announced; -1 for none.",
        ],
        switches: [
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
        words: [
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
        logins: [
            authentication_methods "Ways to log in, by name, each true or false, or an object with `enabled`; others do not change.",
        ]
    };

    fn read(raw: &RawParameters) -> Result<Self, Error> {
        let mut params = Self::default();
        for info in in_order() {
            let Some(text) = raw.text(info)? else { continue };
            let name = info.name;
            if let Some(which) = ChannelPurpose::ALL.into_iter().find(|one| one.name() == name) {
                let id = json_parameter::<i64>(text, name)?;
                params.channels.push((which, (id != NO_CHANNEL).then_some(ChannelId(id))));
                continue;
            }
            match name {
                "name" => params.name = Some(at_most(text, name, MAX_NAME_LENGTH)?),
                "string_id" => {
                    at_most(text, name, MAX_PLACE_LENGTH)?;
                    params.moves = true;
                }
                "authentication_methods" => params.authentication_methods = Some(json_parameter(text, name)?),
                "description" => params.description = Some(at_most(text, name, MAX_DESCRIPTION_LENGTH)?),
                _ if find(&REALM_SETTINGS, name).is_some() => params.settings.push((name, read_setting(text, name)?)),
                _ => params.permissions.push((name, json_parameter(text, name)?)),
            }
        }
        Ok(params)
    }
}

/// The parameters in the order in which they are read; those of later levels last.
fn in_order() -> Vec<&'static ParameterInfo> {
    let mut all: Vec<&ParameterInfo> = OrganizationParams::LIST.iter().collect();
    all.sort_by_key(|info| position(ORDER, info.name));
    all
}

/// The setting whose event comes last: what the organization is for.
pub const KIND: &str = "org_type";

/// The place of a setting, policy or text among the events of one request: limits that are lifted come first, and what
/// is worked out from what was given last.
pub fn rank(name: &str, lifts: bool) -> (usize, usize) {
    match name {
        KIND => (4, 0),
        _ if lifts => (0, position(WORKED_OUT, name)),
        _ if WORKED_OUT.contains(&name) => (2, position(WORKED_OUT, name)),
        _ if ORDER.contains(&name) => (1, position(ORDER, name)),
        _ => (3, 0),
    }
}

fn position(list: &[&str], name: &str) -> usize {
    list.iter().position(|one| *one == name).unwrap_or(list.len())
}

/// Settings that are worked out from what was given, in the order of their events.
const WORKED_OUT: &[&str] = &[
    "message_retention_days",
    "message_content_delete_limit_seconds",
    "message_content_edit_limit_seconds",
    "move_messages_within_stream_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "jitsi_server_url",
];

/// The parameters and policies whose order is known.
const ORDER: &[&str] = &[
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

fn at_most(text: &str, name: &str, limit: usize) -> Result<String, Error> {
    check_length(text, name, limit)?;
    Ok(text.to_owned())
}

/// A setting's value as it was given. Whether it is one that the setting takes is looked at after the caller's rights,
/// by [`check_choice`] and [`kept`], where its form does not say so.
fn read_setting(text: &str, name: &'static str) -> Result<Value, Error> {
    let Some(row) = find(&REALM_SETTINGS, name) else { return Ok(Value::Null) };
    match name {
        _ if is_limit(name) => number_or_word(text, name),
        "jitsi_server_url" => calls_address(text, name),
        "video_chat_provider" | "gif_rating_policy" if is_beyond_range(text, name) => Ok(text.trim().into()),
        "video_chat_provider" | "gif_rating_policy" => json_parameter::<i64>(text, name).map(Value::from),
        // Of these, each value is looked up as it is, whatever its type.
        "digest_weekday" | "org_type" => {
            let value: Value = json_parameter(text, name)?;
            if row.kind.accepts(&value) { Ok(value) } else { Err(Error::InvalidValue { parameter: name.into() }) }
        }
        "default_code_block_language" => {
            check_length(text, name, MAX_CODE_LANGUAGE_LENGTH)?;
            setting_value(row, text)
        }
        "welcome_message_custom_text" => at_most(text, name, MAX_WELCOME_LENGTH).map(Value::from),
        _ => setting_value(row, text),
    }
}

fn is_limit(name: &str) -> bool {
    name.ends_with("_limit_seconds") || name == "message_retention_days"
}

fn number_or_word(text: &str, name: &str) -> Result<Value, Error> {
    if text == UNLIMITED {
        return Ok(text.into());
    }
    let value: Value = json_parameter(text, name)?;
    let is_one = value.is_i64() || value.is_string();
    if is_one { Ok(value) } else { Err(Error::bad_value(format!("{name}[\"int\"]"), "is not an integer")) }
}

fn calls_address(text: &str, name: &str) -> Result<Value, Error> {
    let address: String = json_parameter(text, name)?;
    if address == "default" {
        return Ok(Value::Null);
    }
    let is_address = address.chars().count() <= MAX_CALLS_ADDRESS_LENGTH && is_url(&address);
    if is_address { Ok(address.into()) } else { Err(Error::bad_value(name, "is not an allowed_type")) }
}

/// Whether a setting with choices of its own can have a value.
///
/// # Errors
///
/// `InvalidLanguage`, `NotOffered`.
pub fn check_choice(name: &str, value: &Value) -> Result<(), Error> {
    let is_offered = || find(&REALM_SETTINGS, name).is_some_and(|row| row.kind.accepts(value));
    match name {
        "default_language" if value.as_str().and_then(language_name).is_none() => {
            Err(Error::InvalidLanguage { language: value.clone().into() })
        }
        "video_chat_provider" | "gif_rating_policy" if !is_offered() => {
            Err(Error::NotOffered { setting: name.into(), value: value.clone().into() })
        }
        _ => Ok(()),
    }
}

/// A setting's value as it is kept: limits are numbers above 0, or what means none.
///
/// # Errors
///
/// `RefusedValue`.
pub fn stored_value(name: &str, value: Value) -> Result<Value, Error> {
    match name {
        _ if !is_limit(name) => Ok(value),
        "message_retention_days" if value == UNLIMITED => Ok(KEPT_FOR_EVER.into()),
        _ if value == UNLIMITED => Ok(Value::Null),
        _ if value.as_i64().is_some_and(|number| number > 0) => Ok(value),
        _ => Err(Error::RefusedValue { var_name: name.into(), bad_value: value.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::permission::REALM_PERMISSIONS;

    #[test]
    fn every_permission_and_the_settings_that_are_given_stand_in_the_tables() {
        let read_setting: Vec<&str> = OrganizationParams::LIST.iter().map(|info| info.name).collect();
        for row in REALM_PERMISSIONS {
            assert!(read_setting.contains(&row.name), "{} can't be changed", row.name);
        }
        for info in OrganizationParams::LIST {
            let Some(row) = find(&REALM_SETTINGS, info.name) else { continue };
            assert_eq!(info.is_json, !row.default.is_string(), "{}", info.name);
        }
    }
}
