//! Behaviours of the messages of refusals. The core has the messages of the newest level; each row changes the result
//! of the newer rows.

use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Refusal, SPECIFIED_LEVEL};
use crate::realm::permission::{CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, REALM_PERMISSIONS};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 417,
        subject: "PATCH /streams/{stream_id}, POST, DELETE and PATCH /users/me/subscriptions",
        description: "`Channel 'x' already exists`, `Channel 'x' does not exist`; before, `Channel name is already in use.`, `Channel(s) (x) do not exist`.",
        test: "some_operations_had_other_refusal_messages",
        downgrade: Downgrade::ErrorMessage(super::refusal_patterns::set_message_by_level),
    },
    Behaviour {
        level: 402,
        subject: "PATCH /messages/{message_id}",
        description: "A user who may not resolve topics gets `You don't have permission to resolve topics in this channel.`; before, `… to resolve topics.`.",
        test: "resolve_refusals_did_not_name_the_channel_before_402",
        downgrade: Downgrade::ErrorMessage(|refusal| {
            if matches!(refusal.error, Error::MayNotResolve) {
                refusal.set_message("You don't have permission to resolve topics.");
            }
        }),
    },
    Behaviour {
        level: 392,
        subject: "messages without a topic",
        description: "`Sending messages to the general chat is not allowed in this channel.`, and the like; before, `Topics are required in this organization`.",
        test: "some_refusals_had_other_messages",
        downgrade: Downgrade::ErrorMessage(|refusal| apply_templates(refusal, EMPTY_TOPIC_TEMPLATES)),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "some refusals",
        description: "The messages have other words.",
        test: "some_refusals_had_other_messages",
        downgrade: Downgrade::ErrorMessage(|refusal| {
            apply_templates(refusal, RECORDED_TEMPLATES);
            super::refusal_patterns::set_recorded_message(refusal);
        }),
    },
    Behaviour {
        level: 311,
        subject: "POST /user_groups/{user_group_id}/members without a change",
        description: "Names `add_subgroups` and `delete_subgroups` too.",
        test: "some_refusals_had_other_messages",
        downgrade: Downgrade::ErrorMessage(|refusal| apply_templates(refusal, GROUP_MEMBER_TEMPLATES)),
    },
    Behaviour {
        level: 270,
        subject: "pictures that can't be read",
        description: "`Invalid image format` for emoji and the organization's pictures; before, `Could not decode image; did you upload an image file?`.",
        test: "some_refusals_had_other_messages",
        downgrade: Downgrade::ErrorMessage(|refusal| apply_templates(refusal, IMAGE_TEMPLATES)),
    },
    Behaviour {
        level: 270,
        subject: "users in profile fields who do not exist",
        description: "`Invalid user IDs: 8, 9` names all of them; before, `Invalid user ID: 8`, the first.",
        test: "unknown_users_of_profile_fields_were_named_one_by_one_before_270",
        downgrade: Downgrade::ErrorMessage(|refusal| {
            if let Error::InvalidUserIds { user_ids } = &*refusal.error {
                refusal.message = user_ids.get(0).map(|first| format!("Invalid user ID: {first}"));
            }
        }),
    },
    Behaviour {
        level: 255,
        subject: "all refusals",
        description: "They say \"channel\"; before, \"stream\".",
        test: "refusals_said_stream",
        downgrade: Downgrade::ErrorMessage(use_stream_word),
    },
    Behaviour {
        level: 249,
        subject: "narrows that are refused",
        description: "`unknown channel`, `No message can be both a channel message and direct message`; before, they said \"stream\".",
        test: "refusals_said_stream",
        downgrade: Downgrade::ErrorMessage(use_stream_word_in_narrow),
    },
];

/// The former templates of messages, by the name of the error.
type Templates = &'static [(&'static str, &'static str)];

static EMPTY_TOPIC_TEMPLATES: Templates = &[("EmptyTopicNotAllowed", "Topics are required in this organization")];
/// As recorded at the levels 247 and 387.
static RECORDED_TEMPLATES: Templates = &[("InvalidEmojiCode", "Invalid emoji code."), ("NameEmpty", "Name too short!")];
static GROUP_MEMBER_TEMPLATES: Templates =
    &[("NoMembersToChange", "Nothing to do. Specify at least one of \"add\" or \"delete\".")];
static IMAGE_TEMPLATES: Templates = &[("BadImage", "Could not decode image; did you upload an image file?")];
static STREAM_TEMPLATES: Templates = &[
    ("ChannelNameUnchanged", "Stream already has that name!"),
    ("ChannelNameEmpty", "Stream name can't be empty!"),
    ("ChannelNameInvalidCharacter", "Invalid character in stream name, at position {position}!"),
    ("NotSubscribed", "Not subscribed to stream id {channel_id}"),
];

fn apply_templates(refusal: &mut Refusal<'_>, templates: Templates) {
    if let Some((_, template)) = templates.iter().find(|(name, _)| *name == refusal.error.row().name) {
        refusal.set_message(template);
    }
}

/// Changes the refusals of parameters that are parsed in the former way, and those of narrows below
/// [`PRESENT_NARROWS_SINCE`].
pub(in crate::level) fn set_former_parsing_messages(refusal: &mut Refusal<'_>) {
    set_former_conversion_errors(refusal);
    if refusal.uses_former_parsing {
        set_former_value_errors(refusal);
        super::refusal_patterns::set_former_parsing_message(refusal);
    }
}

/// Says "stream" in place of "channel" in the refusal of a narrow.
fn use_stream_word_in_narrow(refusal: &mut Refusal<'_>) {
    let (Error::BadNarrow { desc } | Error::BadNarrowCombination { desc }) = &mut *refusal.error else { return };
    let text = desc.as_str().unwrap_or_default();
    let former_text = match text.strip_prefix("unknown channel") {
        Some(suffix) => format!("unknown stream{suffix}"),
        None if text == "No message can be both a channel message and direct message" => {
            "No message can be both a stream and a DM message".to_owned()
        }
        None => return,
    };
    *desc = former_text.into();
}

/// Says "stream" in place of "channel", except in names.
fn use_stream_word(refusal: &mut Refusal<'_>) {
    let template = refusal.error.row().message;
    if STREAM_TEMPLATES.iter().any(|(name, _)| *name == refusal.error.row().name) {
        apply_templates(refusal, STREAM_TEMPLATES);
    } else if let Some(message) = &refusal.message {
        refusal.message = Some(replace_channel_outside_names(message));
    } else if template.contains("hannel") {
        refusal.set_message(&replace_channel_outside_placeholders(template));
    }
}

/// Replaces "channel" with "stream" in a message, except in names, which are in quotes or parentheses.
fn replace_channel_outside_names(message: &str) -> String {
    let mut is_name = false;
    let parts = message.split_inclusive(['\'', '"', '(', ')']).map(|part| {
        let replaced_part = match is_name {
            true => part.to_owned(),
            false => part.replace("channel", "stream").replace("Channel", "Stream"),
        };
        is_name = match part.chars().last() {
            // The plural ending in `Channel(s)` is not a name.
            Some('(') => part != "Channel(",
            Some(')') => false,
            Some(_) => is_name != part.ends_with(['\'', '"']),
            None => is_name,
        };
        replaced_part
    });
    parts.collect()
}

/// Replaces "channel" with "stream" in a template, except in the names of placeholders.
fn replace_channel_outside_placeholders(template: &str) -> String {
    let replace = |part: &str| match part.split_once('}') {
        Some((name, text)) => format!("{name}}}{}", text.replace("channel", "stream").replace("Channel", "Stream")),
        None => part.replace("channel", "stream").replace("Channel", "Stream"),
    };
    template.split('{').map(replace).collect::<Vec<_>>().join("{")
}

/// The first level that parses narrows in the present way.
const PRESENT_NARROWS_SINCE: i64 = 265;

/// Parameters with a special conversion, whose errors all had the same message.
const CONVERTED_PARAMETERS: [&str; 4] = ["num_before", "num_after", "narrow", "waiting_period_threshold"];

const TERM_KEYS: [&str; 3] = ["operator", "operand", "negated"];

/// Changes the errors of narrows, and of other parameters with a conversion of their own, to the former ones.
fn set_former_conversion_errors(refusal: &mut Refusal<'_>) {
    let route = format!("{} {}", refusal.route.method, refusal.route.path);
    let narrow_routes = ["GET /messages", "GET /messages/matches_narrow", "POST /messages/flags/narrow"];
    if !narrow_routes.contains(&route.as_str()) && route != "PATCH /realm" {
        return;
    }
    // The conversion of narrows changed at one level for all operations, whenever that of other parameters did.
    let has_former_narrow = route != "PATCH /realm" && refusal.level < PRESENT_NARROWS_SINCE;
    if !refusal.uses_former_parsing && !has_former_narrow {
        return;
    }
    let uses_former_parsing = refusal.uses_former_parsing;
    let (Error::BadValue { parameter, problem } | Error::InvalidValueBecause { parameter, reason: problem }) =
        &mut *refusal.error
    else {
        if let Error::BlankValue { item } = refusal.error {
            *item = former_term_key(item.as_str().unwrap_or_default()).into();
        }
        return;
    };
    let value_path = parameter.as_str().unwrap_or_default();
    let parameter_name = value_path.split('[').next().unwrap_or_default().to_owned();
    let missing_key = problem.as_str().and_then(|problem| problem.strip_suffix(" is missing"));
    if let Some(key) = missing_key.filter(|_| parameter_name == "narrow") {
        *refusal.error = Error::MissingKey { key_name: key.into(), var_name: "elem".into() };
    } else if let Some(key) =
        TERM_KEYS.iter().find(|key| parameter_name == "narrow" && value_path.ends_with(&format!("[\"{key}\"]")))
    {
        *parameter = former_term_key(key).into();
    } else if CONVERTED_PARAMETERS.contains(&parameter_name.as_str())
        && (uses_former_parsing || parameter_name == "narrow")
    {
        let value = refusal.values.get(&parameter_name).cloned().unwrap_or_default();
        *refusal.error = Error::RequestVariableInvalid { var_name: parameter_name.into(), bad_value: value.into() };
    } else if value_path == "operand" {
        *parameter = former_term_key(value_path).into();
    }
}

/// The former notation for a key of a narrow's term.
fn former_term_key(name: &str) -> String {
    match name {
        "operator" | "operand" | "negated" => format!("elem[\"{name}\"]"),
        other => other.to_owned(),
    }
}

/// Whether a parameter is a permission, whose value is a group.
fn is_permission(parameter: &str) -> bool {
    let name = parameter.split('[').next().unwrap_or_default();
    [CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, REALM_PERMISSIONS]
        .into_iter()
        .flatten()
        .any(|permission| permission.name == name)
}

/// Changes the errors of other values to the former ones.
fn set_former_value_errors(refusal: &mut Refusal<'_>) {
    if let Error::BadValue { parameter, .. } = refusal.error
        && *parameter == "include_all".into()
    {
        *parameter = "include_all_active".into();
    }
    if let Error::BadValue { parameter, problem } = &mut *refusal.error
        && *parameter == "message_retention_days[\"json[str]\"]".into()
    {
        // The value is a number or a text. The former message does not name the alternative that was tried.
        *parameter = "message_retention_days".into();
        if *problem == "is not a string".into() {
            *problem = "is not a string or integer".into();
        }
    }
    match refusal.error {
        Error::BadValue { problem, .. } if *problem == "is not valid JSON".into() => {
            refusal.set_message("Argument \"{parameter}\" is not valid JSON.");
        }
        Error::BadValue { parameter, problem } if *problem == "field is missing: Field required".into() => {
            let object_and_key = parameter.as_str().and_then(|text| text.strip_suffix("\"]")?.rsplit_once("[\""));
            if let Some((object, key)) = object_and_key {
                *refusal.error = Error::MissingKey { key_name: key.into(), var_name: object.into() };
            }
        }
        Error::BadValue { problem, .. } if *problem == "does not have the expected format".into() => {
            *problem = "is not an integer".into();
        }
        Error::BadValue { parameter, .. } if is_permission(parameter.as_str().unwrap_or_default()) => {
            // The former message does not name the alternative that was tried.
            let parameter_name = parameter.as_str().and_then(|text| text.strip_suffix("[\"int\"]")).map(str::to_owned);
            if let Some(parameter_name) = parameter_name {
                *parameter = parameter_name.into();
            }
        }
        Error::MissingStreamId if refusal.values.get("stream_id").is_some_and(|text| text.trim() == "null") => {
            *refusal.error = Error::bad_value("stream_id", "is not an integer");
            refusal.message = None;
        }
        // Values that are not numbers were refused before the lookup.
        Error::InvalidValue { parameter } if ["digest_weekday", "org_type"].map(Value::from).contains(parameter) => {
            let name = parameter.as_str().unwrap_or_default().to_owned();
            let value = refusal.values.get(&name).and_then(|text| serde_json::from_str::<Value>(text).ok());
            if !value.is_some_and(|value| value.is_i64() || value.is_boolean()) {
                *refusal.error = Error::bad_value(name, "is not an integer");
            }
        }
        Error::BadValue { parameter, problem } => {
            // The parameter takes a string or an integer; the former message names both.
            let parameter_name = parameter.as_str().and_then(|text| text.strip_suffix("[\"int\"]")).map(str::to_owned);
            if let Some(parameter_name) = parameter_name {
                *parameter = parameter_name.into();
                *problem = "is not a string or integer".into();
            }
        }
        Error::InvalidValueBecause { reason, .. } => {
            let template = match reason.as_str().unwrap_or_default() {
                "Not in the list of possible values" => "Invalid {parameter}",
                "Not a recognized time zone" => "{parameter} is not a recognized time zone",
                text if text.ends_with(" is not a valid hex color code") || text == "color is not a string" => {
                    "{reason}"
                }
                _ => return,
            };
            refusal.set_message(template);
        }
        _ => {}
    }
}
