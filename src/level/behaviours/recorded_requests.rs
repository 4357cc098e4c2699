//! Behaviours of requests that recordings of servers at levels 247 and 387 show and that no entry of the change log
//! explains (A-240 in docs/assumptions.md).

use crate::api::Access;
use crate::api::devices::AppId;
use crate::api::parameter::types::recipients::MessageType;
use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Refusal, Request, SPECIFIED_LEVEL};
use crate::realm::topic::MAX_TOPIC_LENGTH;
use serde_json::Value;

/// The key that `client_capabilities` had to have, if a client sent them.
const NULL_SETTINGS_CAPABILITY: &str = "notification_settings_null";

/// The first level at which tokens are hexadecimal: above the last one that is known to accept Base64 (A-453 in
/// docs/assumptions.md).
const HEXADECIMAL_TOKENS_SINCE: i64 = SPECIFIED_LEVEL;

/// The first level at which the row of `POST /users/me/platform_device_token` checks that the parameters are present.
/// Below 254, its row in `parameter_order.rs` does so too.
const TOKEN_PARAMETERS_CHECKED_SINCE: i64 = 248;

/// The maximum length of a token, in characters.
const MAX_TOKEN_LENGTH: usize = 4096;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /zcommand",
        description: "For human users; before, for bots too.",
        test: "bots_could_run_commands_before_497",
        downgrade: Downgrade::FormerAccess(&["POST /zcommand"], Access::User),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "DELETE /bots/{bot_id}",
        description: "For human users except guests; before, for everyone who may change the bot.",
        test: "others_could_request_bot_deletion_before_497",
        downgrade: Downgrade::FormerAccess(&["DELETE /bots/{bot_id}"], Access::User),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /reminders",
        description: "`message_id` and `scheduled_delivery_timestamp` are optional; before, they were required.",
        test: "reminders_required_a_message_and_a_time_before_497",
        downgrade: Downgrade::RequestChange(&["POST /reminders"], |request| {
            request.check_required::<i64>("message_id")?;
            request.check_required::<i64>("scheduled_delivery_timestamp")
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /register: client_capabilities",
        description: "`notification_settings_null` may be left out; before, it was required.",
        test: "the_capability_for_null_settings_was_required",
        downgrade: Downgrade::RequestChange(&["POST /register"], |request| {
            // The operation declares these parameters before `client_capabilities`, so their errors come first.
            check_early_booleans(request)?;
            let capabilities = request.values.get("client_capabilities").map(|text| serde_json::from_str(text));
            match capabilities {
                Some(Ok(Value::Object(keys))) if !keys.contains_key(NULL_SETTINGS_CAPABILITY) => {
                    let parameter = format!("client_capabilities[\"{NULL_SETTINGS_CAPABILITY}\"]");
                    Err(Error::bad_value(parameter, "field is missing: Field required"))
                }
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /messages, POST /scheduled_messages",
        description: "`to` of a direct message may be the ID of one user; before, IDs had to be in a list.",
        test: "recipients_came_in_lists_before_497",
        downgrade: Downgrade::RefusalAfterParsing(
            &["POST /messages", "POST /scheduled_messages"],
            refuse_single_recipient,
        ),
    },
    Behaviour {
        level: 262,
        subject: "GET /users/{email}",
        description: "Parameters are read in the order of their declaration; below 262, some booleans were read first.",
        test: "some_booleans_were_read_first",
        downgrade: Downgrade::RequestChange(&["GET /users/{email}"], check_early_booleans),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "GET /messages/matches_narrow",
        description: "`msg_ids` may not be negative; before, negative IDs were ignored.",
        test: "invalid_values_were_ignored_before_497",
        downgrade: Downgrade::RequestChange(&["GET /messages/matches_narrow"], |request| {
            let text = request.values.get("msg_ids").map(String::as_str).unwrap_or_default();
            if let Ok(Value::Array(mut ids)) = serde_json::from_str(text) {
                ids.retain(|id| id.as_i64().is_none_or(|id| id >= 0));
                request.values.insert("msg_ids".into(), Value::from(ids).to_string());
            }
            Ok(())
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /messages",
        description: "For a channel, `to` is its name or ID; before, `true` and `false` were read as IDs.",
        test: "invalid_values_were_ignored_before_497",
        downgrade: Downgrade::RequestChange(&["POST /messages"], |request| {
            let is_channel = matches!(request.values.get("type").map(String::as_str), Some("stream" | "channel"));
            match request.values.get_mut("to").filter(|_| is_channel) {
                Some(to) if to == "true" => "1".clone_into(to),
                Some(to) if to == "false" => "0".clone_into(to),
                _ => {}
            }
            Ok(())
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /streams/{stream_id}/delete_topic",
        description: "`topic_name` has at most 60 characters; before, a longer name was read as a topic without messages.",
        test: "invalid_values_were_ignored_before_497",
        downgrade: Downgrade::RequestChange(&["POST /streams/{stream_id}/delete_topic"], |request| {
            if let Some(topic) = request.values.get_mut("topic_name") {
                let is_too_long = topic.trim().chars().count() > MAX_TOPIC_LENGTH;
                if is_too_long {
                    // A name that no topic has.
                    *topic = char::REPLACEMENT_CHARACTER.to_string();
                }
            }
            Ok(())
        }),
    },
    Behaviour {
        level: HEXADECIMAL_TOKENS_SINCE,
        subject: "POST /users/me/platform_device_token",
        description: "Tokens are hexadecimal; before, Base64, with other characters ignored.",
        test: "tokens_were_base64_before_497",
        downgrade: Downgrade::RequestChange(&["POST /users/me/platform_device_token"], |request| {
            if request.level >= TOKEN_PARAMETERS_CHECKED_SINCE {
                request.check_required::<String>("token")?;
                request.check_required::<AppId>("appid")?;
            }
            replace_base64_token(request)
        }),
    },
    Behaviour {
        level: HEXADECIMAL_TOKENS_SINCE,
        subject: "DELETE /users/me/platform_device_token",
        description: "Tokens are hexadecimal; before, Base64, with other characters ignored.",
        test: "tokens_were_base64_before_497",
        downgrade: Downgrade::RequestChange(&["DELETE /users/me/platform_device_token"], replace_base64_token),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /messages",
        description: "A missing recipient is reported before other parameters are read; formerly, after them.",
        test: "missing_targets_were_bad_requests_before_497",
        downgrade: Downgrade::RequestChange(&["POST /messages"], |request| {
            if request.values.contains_key("to") {
                return Ok(());
            }
            request.check_required::<MessageType>("type")?;
            request.check_required::<String>("content")
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "POST /messages, PATCH /users/me/subscriptions/muted_topics",
        description: "A missing recipient or channel is REQUEST_VARIABLE_MISSING; before, BAD_REQUEST with another message. Below 255, a channel by both name and ID had another message too.",
        test: "missing_targets_were_bad_requests_before_497",
        downgrade: Downgrade::ErrorMessage(set_former_target_message),
    },
];

/// Boolean parameters that were checked before all others, in this order.
const EARLY_BOOLEANS: &[&str] =
    &["apply_markdown", "client_gravatar", "slim_presence", "all_public_streams", "include_subscribers"];

/// The first level at which `include_subscribers` may be `partial` and is no longer a boolean.
const PARTIAL_SUBSCRIBERS_SINCE: i64 = 412;

/// The first level at which `client_gravatar` may be null, which means the default.
const NULL_CLIENT_GRAVATAR_SINCE: i64 = 277;

/// Refuses values of [`EARLY_BOOLEANS`] that are not booleans, unless the world's level allows them.
pub(super) fn check_early_booleans(request: &mut Request<'_>) -> Result<(), Error> {
    let is_boolean_at_level =
        |name: &&&str| **name != "include_subscribers" || request.level < PARTIAL_SUBSCRIBERS_SINCE;
    let sent_booleans =
        EARLY_BOOLEANS.iter().filter(is_boolean_at_level).filter_map(|name| Some((*name, request.values.get(*name)?)));
    for (name, text) in sent_booleans {
        match serde_json::from_str(text) {
            Ok(Value::Bool(_)) => {}
            Ok(Value::Null) if name == "client_gravatar" && request.level >= NULL_CLIENT_GRAVATAR_SINCE => {}
            Ok(_) => return Err(Error::bad_value(name, "is not a boolean")),
            Err(_) => return Err(Error::bad_value(name, "is not valid JSON")),
        }
    }
    Ok(())
}

/// Checks a token by the former Base64 rules. Unless it is hexadecimal, replaces it with the hexadecimal codes of its
/// Base64 characters, which the operation accepts and which stay distinct.
fn replace_base64_token(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(token) = request.values.get_mut("token").filter(|token| !token.is_empty()) else { return Ok(()) };
    if token.chars().count() > MAX_TOKEN_LENGTH {
        return Err(Error::InvalidTokenLength);
    }
    if !token.is_ascii() {
        return Err(Error::InvalidPlatformToken);
    }
    let is_base64_digit = |character: &char| character.is_ascii_alphanumeric() || ['+', '/'].contains(character);
    let base64_digits: String = token.chars().filter(is_base64_digit).collect();
    let padding = token.chars().filter(|character| *character == '=').count();
    let is_complete = match base64_digits.len() % 4 {
        0 => true,
        1 => false,
        remainder => padding >= 4 - remainder,
    };
    if !is_complete {
        return Err(Error::InvalidPlatformToken);
    }
    if !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        *token = base64_digits.bytes().map(|byte| format!("{byte:02x}")).collect();
        // The operation refuses an empty token.
        if token.is_empty() {
            *token = "00".to_owned();
        }
    }
    Ok(())
}

const MUTE_TOPIC_ROUTE: (&str, &str) = ("PATCH", "/users/me/subscriptions/muted_topics");
/// The first level at which refusals say "channel" instead of "stream".
const CHANNEL_WORD_SINCE: i64 = 255;

fn set_former_target_message(refusal: &mut Refusal<'_>) {
    let is_missing =
        |name: &str| matches!(&*refusal.error, Error::MissingParameter { var_name } if *var_name == name.into());
    let has_both_targets = matches!(refusal.error, Error::UnsupportedCombination { .. });
    let uses_channel_word = refusal.level >= CHANNEL_WORD_SINCE;
    let message = match (refusal.route.method, refusal.route.path) {
        ("POST", "/messages") if is_missing("to") => match refusal.values.get("type").map(String::as_str) {
            Some("stream" | "channel") => "Missing channel",
            _ => "Message must have recipients",
        },
        MUTE_TOPIC_ROUTE if is_missing("stream_id") && uses_channel_word => "Missing 'stream_id' argument",
        MUTE_TOPIC_ROUTE if is_missing("stream_id") => "Please supply 'stream'.",
        MUTE_TOPIC_ROUTE if has_both_targets && !uses_channel_word => "Please choose one: 'stream' or 'stream_id'.",
        _ => return,
    };
    // The error is chosen only for its code, BAD_REQUEST; its message is replaced.
    *refusal.error = Error::NoRecipients;
    refusal.set_message(message);
}

fn refuse_single_recipient(request: &mut Request<'_>) -> Result<(), Error> {
    let is_direct = matches!(request.values.get("type").map(String::as_str), Some("direct" | "private"));
    let is_number = request.values.get("to").is_some_and(|to| to.trim().parse::<i64>().is_ok());
    if is_direct && is_number { Err(Error::InvalidRecipientsType) } else { Ok(()) }
}
