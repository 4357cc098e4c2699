//! Refusals that had other words: the core speaks those of the newest level. A row sees what newer rows said.

use crate::error::Error;
use crate::level::{Behaviour, Downgrade, Refusal, SPECIFIED};
use crate::realm::permission::{CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, REALM_PERMISSIONS};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 417,
        on: "PATCH /streams/{stream_id}, POST, DELETE and PATCH /users/me/subscriptions",
        words: "`Channel 'x' already exists`, `Channel 'x' does not exist`; before, `Channel name is already in use.`, `Channel(s) (x) do not exist`.",
        test: "some_operations_refused_in_other_words",
        act: Downgrade::Words(super::former_words::speak),
    },
    Behaviour {
        level: 392,
        on: "messages without a topic",
        words: "`Sending messages to the general chat is not allowed in this channel.`, and the like; before, `Topics are required in this organization`.",
        test: "some_refusals_had_other_words",
        act: Downgrade::Words(|refusal| of_row(refusal, OF_TOPICS)),
    },
    Behaviour {
        level: SPECIFIED,
        on: "some refusals",
        words: "Other words.",
        test: "some_refusals_had_other_words",
        act: Downgrade::Words(|refusal| {
            of_row(refusal, OF_BOTH_RECORDED);
            super::former_words::speak_as_recorded(refusal);
        }),
    },
    Behaviour {
        level: 311,
        on: "POST /user_groups/{user_group_id}/members without a change",
        words: "Names `add_subgroups` and `delete_subgroups` too.",
        test: "some_refusals_had_other_words",
        act: Downgrade::Words(|refusal| of_row(refusal, OF_MEMBERS)),
    },
    Behaviour {
        level: 270,
        on: "pictures that can't be read",
        words: "`Invalid image format` for emoji and the organization's pictures; before, `Could not decode image; did you upload an image file?`.",
        test: "some_refusals_had_other_words",
        act: Downgrade::Words(|refusal| of_row(refusal, OF_PICTURES)),
    },
    Behaviour {
        level: 270,
        on: "users in profile fields who do not exist",
        words: "`Invalid user IDs: 8, 9` names all of them; before, `Invalid user ID: 8`, the first.",
        test: "unknown_users_of_profile_fields_were_named_one_by_one_before_270",
        act: Downgrade::Words(|refusal| {
            if let Error::InvalidUserIds { user_ids } = &*refusal.error {
                refusal.message = user_ids.get(0).map(|first| format!("Invalid user ID: {first}"));
            }
        }),
    },
    Behaviour {
        level: 255,
        on: "all refusals",
        words: "They say \"channel\"; before, \"stream\".",
        test: "refusals_spoke_of_streams",
        act: Downgrade::Words(of_streams),
    },
    Behaviour {
        level: 249,
        on: "narrows that are refused",
        words: "`unknown channel`, `No message can be both a channel message and direct message`; before, they said \"stream\".",
        test: "refusals_spoke_of_streams",
        act: Downgrade::Words(of_narrows),
    },
];

/// Refusals whose template was another, by the name of their row in the table of errors.
type Templates = &'static [(&'static str, &'static str)];

static OF_TOPICS: Templates = &[("EmptyTopicNotAllowed", "Topics are required in this organization")];
static OF_BOTH_RECORDED: Templates = &[("InvalidEmojiCode", "Invalid emoji code."), ("NameEmpty", "Name too short!")];
static OF_MEMBERS: Templates =
    &[("NoMembersToChange", "Nothing to do. Specify at least one of \"add\" or \"delete\".")];
static OF_PICTURES: Templates = &[("BadImage", "Could not decode image; did you upload an image file?")];
/// With channels.
static OF_CHANNELS: Templates = &[
    ("ChannelHasName", "Stream already has that name!"),
    ("ChannelNameEmpty", "Stream name can't be empty!"),
    ("ChannelNameInvalidCharacter", "Invalid character in stream name, at position {position}!"),
    ("NotSubscribed", "Not subscribed to stream id {channel_id}"),
];

fn of_row(refusal: &mut Refusal<'_>, templates: Templates) {
    if let Some((_, template)) = templates.iter().find(|(name, _)| *name == refusal.error.row().name) {
        refusal.say(template);
    }
}

/// Refusals by operations that read their parameters by the former rules.
pub(in crate::level) fn of_former_reading(refusal: &mut Refusal<'_>) {
    of_converted(refusal);
    if refusal.is_read_as_before {
        of_parameters(refusal);
        super::former_words::speak_as_read(refusal);
    }
}

fn of_narrows(refusal: &mut Refusal<'_>) {
    let (Error::BadNarrow { desc } | Error::BadNarrowCombination { desc }) = &mut *refusal.error else { return };
    let text = desc.as_str().unwrap_or_default();
    let former = match text.strip_prefix("unknown channel") {
        Some(rest) => format!("unknown stream{rest}"),
        None if text == "No message can be both a channel message and direct message" => {
            "No message can be both a stream and a DM message".to_owned()
        }
        None => return,
    };
    *desc = former.into();
}

fn of_streams(refusal: &mut Refusal<'_>) {
    let template = refusal.error.row().message;
    if OF_CHANNELS.iter().any(|(name, _)| *name == refusal.error.row().name) {
        of_row(refusal, OF_CHANNELS);
    } else if let Some(said) = &refusal.message {
        refusal.message = Some(of_streams_outside_names(said));
    } else if template.contains("hannel") {
        refusal.say(&of_streams_in_words(template));
    }
}

/// A message that speaks of streams; names in quotes and parentheses stay.
fn of_streams_outside_names(said: &str) -> String {
    let mut is_name = false;
    let parts = said.split_inclusive(['\'', '"', '(', ')']).map(|part| {
        let words = match is_name {
            true => part.to_owned(),
            false => part.replace("channel", "stream").replace("Channel", "Stream"),
        };
        is_name = match part.chars().last() {
            Some('(') => part != "Channel(",
            Some(')') => false,
            Some(_) => is_name != part.ends_with(['\'', '"']),
            None => is_name,
        };
        words
    });
    parts.collect()
}

/// A template that speaks of streams. Its placeholders keep their names.
fn of_streams_in_words(template: &str) -> String {
    let part = |part: &str| match part.split_once('}') {
        Some((name, words)) => format!("{name}}}{}", words.replace("channel", "stream").replace("Channel", "Stream")),
        None => part.replace("channel", "stream").replace("Channel", "Stream"),
    };
    template.split('{').map(part).collect::<Vec<_>>().join("{")
}

/// The level from which on narrows are read as now.
const NARROWS_READ_AS_NOW: i64 = 265;

/// Parameters that are brought to a value by a function of their own, whatever is wrong with their text.
const CONVERTED: [&str; 4] = ["num_before", "num_after", "narrow", "waiting_period_threshold"];

/// The keys of a narrow's term.
const TERM: [&str; 3] = ["operator", "operand", "negated"];

fn of_converted(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    let is_of_messages = ["GET /messages", "GET /messages/matches_narrow", "POST /messages/flags/narrow"];
    if !is_of_messages.contains(&way.as_str()) && way != "PATCH /realm" {
        return;
    }
    // All operations began to read narrows otherwise together.
    let has_former_narrow = way != "PATCH /realm" && refusal.level < NARROWS_READ_AS_NOW;
    if !refusal.is_read_as_before && !has_former_narrow {
        return;
    }
    let is_read_as_before = refusal.is_read_as_before;
    let (Error::BadValue { parameter, problem: said } | Error::InvalidValueBecause { parameter, reason: said }) =
        &mut *refusal.error
    else {
        if let Error::BlankValue { item } = refusal.error {
            *item = of_term(item.as_str().unwrap_or_default()).into();
        }
        return;
    };
    let name = parameter.as_str().unwrap_or_default();
    let whole = name.split('[').next().unwrap_or_default().to_owned();
    if let Some(key) = said.as_str().and_then(|said| said.strip_suffix(" is missing")).filter(|_| whole == "narrow") {
        *refusal.error = Error::MissingKey { key_name: key.into(), var_name: "elem".into() };
    } else if let Some(part) = TERM.iter().find(|part| whole == "narrow" && name.ends_with(&format!("[\"{part}\"]"))) {
        *parameter = of_term(part).into();
    } else if CONVERTED.contains(&whole.as_str()) && (is_read_as_before || whole == "narrow") {
        let value = refusal.values.get(&whole).cloned().unwrap_or_default();
        *refusal.error = Error::RefusedValue { var_name: whole.into(), bad_value: value.into() };
    } else if name == "operand" {
        *parameter = of_term(name).into();
    }
}

/// A part of a narrow's term.
fn of_term(name: &str) -> String {
    match name {
        "operator" | "operand" | "negated" => format!("elem[\"{name}\"]"),
        other => other.to_owned(),
    }
}

/// Whether a value is of a permission, which a group may hold.
fn is_of_permission(parameter: &str) -> bool {
    let name = parameter.split('[').next().unwrap_or_default();
    [CHANNEL_PERMISSIONS, GROUP_PERMISSIONS, REALM_PERMISSIONS].into_iter().flatten().any(|row| row.name == name)
}

fn of_parameters(refusal: &mut Refusal<'_>) {
    if let Error::BadValue { parameter, .. } = refusal.error
        && *parameter == "include_all".into()
    {
        *parameter = "include_all_active".into();
    }
    if let Error::BadValue { parameter, problem } = &mut *refusal.error
        && *parameter == "message_retention_days[\"json[str]\"]".into()
    {
        *parameter = "message_retention_days".into();
        if *problem == "is not a string".into() {
            *problem = "is not a string or integer".into();
        }
    }
    match refusal.error {
        Error::BadValue { problem, .. } if *problem == "is not valid JSON".into() => {
            refusal.say("Argument \"{parameter}\" is not valid JSON.");
        }
        Error::BadValue { parameter, problem } if *problem == "field is missing: Field required".into() => {
            let place = parameter.as_str().and_then(|text| text.strip_suffix("\"]")?.rsplit_once("[\""));
            if let Some((whole, key)) = place {
                *refusal.error = Error::MissingKey { key_name: key.into(), var_name: whole.into() };
            }
        }
        Error::BadValue { problem, .. } if *problem == "does not have the expected format".into() => {
            *problem = "is not an integer".into();
        }
        Error::BadValue { parameter, .. } if is_of_permission(parameter.as_str().unwrap_or_default()) => {
            // The place in the union is not named.
            let whole = parameter.as_str().and_then(|text| text.strip_suffix("[\"int\"]")).map(str::to_owned);
            if let Some(whole) = whole {
                *parameter = whole.into();
            }
        }
        Error::MissingStreamId if refusal.values.get("stream_id").is_some_and(|text| text.trim() == "null") => {
            *refusal.error = Error::bad_value("stream_id", "is not an integer");
            refusal.message = None;
        }
        // What is no number was refused before it was looked up.
        Error::InvalidValue { parameter } if ["digest_weekday", "org_type"].map(Value::from).contains(parameter) => {
            let name = parameter.as_str().unwrap_or_default().to_owned();
            let sent = refusal.values.get(&name).and_then(|text| serde_json::from_str::<Value>(text).ok());
            if !sent.is_some_and(|value| value.is_i64() || value.is_boolean()) {
                *refusal.error = Error::bad_value(name, "is not an integer");
            }
        }
        Error::BadValue { parameter, problem } => {
            // A text or a whole number: the place in the union is not named.
            let whole = parameter.as_str().and_then(|text| text.strip_suffix("[\"int\"]")).map(str::to_owned);
            if let Some(whole) = whole {
                *parameter = whole.into();
                *problem = "is not a string or integer".into();
            }
        }
        Error::InvalidValueBecause { reason, .. } => {
            let former = match reason.as_str().unwrap_or_default() {
                "Not in the list of possible values" => "Invalid {parameter}",
                "Not a recognized time zone" => "{parameter} is not a recognized time zone",
                text if text.ends_with(" is not a valid hex color code") || text == "color is not a string" => {
                    "{reason}"
                }
                _ => return,
            };
            refusal.say(former);
        }
        _ => {}
    }
}
