//! Refusals that had other words: the core speaks those of the newest level.

use crate::error::Error;
use crate::level::{AFTER_THE_RECORDED, Behaviour, Downgrade, Refusal};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: AFTER_THE_RECORDED,
        on: "all refusals",
        words: "They say \"channel\"; before, \"stream\".",
        test: "refusals_spoke_of_streams",
        act: Downgrade::Words(of_streams),
    },
    Behaviour {
        level: AFTER_THE_RECORDED,
        on: "num_before, num_after and narrow of operations on messages, waiting_period_threshold of PATCH /realm",
        words: "Malformed values are BAD_REQUEST with a message about the fault; before, REQUEST_VARIABLE_INVALID with the value.",
        test: "some_malformed_parameters_were_shown_as_they_were_sent",
        act: Downgrade::Words(of_converted),
    },
    Behaviour {
        level: AFTER_THE_RECORDED,
        on: "parameters that are malformed",
        words: "`x is not valid JSON`, `Invalid x: Value error, Not in the list of possible values`; before, `Argument \"x\" is not valid JSON.`, `Invalid x`.",
        test: "malformed_parameters_were_refused_in_other_words",
        act: Downgrade::Words(of_parameters),
    },
    Behaviour {
        level: AFTER_THE_RECORDED,
        on: "some refusals",
        words: "Other words.",
        test: "some_refusals_had_other_words",
        act: Downgrade::Words(|refusal| {
            if let Some((_, template)) = OTHER_WORDS.iter().find(|(name, _)| *name == refusal.error.row().name) {
                refusal.say(template);
            }
        }),
    },
    Behaviour {
        level: AFTER_THE_RECORDED,
        on: "some refusals of single operations",
        words: "Other words.",
        test: "some_operations_refused_in_other_words",
        act: Downgrade::Words(super::former_words::speak),
    },
];

/// Refusals whose template was another, by the name of their row in the table of errors.
static OTHER_WORDS: &[(&str, &str)] = &[
    ("BadImage", "Could not decode image; did you upload an image file?"),
    ("ChannelHasName", "Stream already has that name!"),
    ("ChannelNameEmpty", "Stream name can't be empty!"),
    ("ChannelNameInvalidCharacter", "Invalid character in stream name, at position {position}!"),
    ("EmptyTopicNotAllowed", "Topics are required in this organization"),
    ("InvalidEmojiCode", "Invalid emoji code."),
    ("NameEmpty", "Name too short!"),
    ("NoMembersToChange", "Nothing to do. Specify at least one of \"add\" or \"delete\"."),
    ("NotSubscribed", "Not subscribed to stream id {channel_id}"),
];

/// Operations that read their parameters as the newest do.
static AS_NOW: &[&str] = &[
    "POST /users/me/presence",
    "POST /users/me/status",
    "POST /drafts",
    "PATCH /drafts/{draft_id}",
    "GET /messages/{message_id}/history",
    "PATCH /messages/{message_id}",
    "DELETE /messages/{message_id}",
    "GET /messages/{message_id}",
    "POST /users/me/alert_words",
    "DELETE /users/me/alert_words",
];

fn of_streams(refusal: &mut Refusal<'_>) {
    if let Error::BadNarrow { desc } | Error::BadNarrowCombination { desc } = refusal.error {
        let text = desc.as_str().unwrap_or_default();
        let former = match text.strip_prefix("unknown channel") {
            Some(rest) => format!("unknown stream{rest}"),
            None if text == "No message can be both a channel message and direct message" => {
                "No message can be both a stream and a DM message".to_owned()
            }
            None => return,
        };
        *desc = former.into();
        return;
    }
    let template = refusal.error.row().message;
    if template.contains("hannel") {
        refusal.say(&of_streams_in_words(template));
    }
}

/// A template that speaks of streams. Its placeholders keep their names.
fn of_streams_in_words(template: &str) -> String {
    let part = |part: &str| match part.split_once('}') {
        Some((name, words)) => format!("{name}}}{}", words.replace("channel", "stream").replace("Channel", "Stream")),
        None => part.replace("channel", "stream").replace("Channel", "Stream"),
    };
    template.split('{').map(part).collect::<Vec<_>>().join("{")
}

/// Parameters that are brought to a value by a function of their own, whatever is wrong with their text.
const CONVERTED: [&str; 4] = ["num_before", "num_after", "narrow", "waiting_period_threshold"];

fn of_converted(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    let is_of_messages = ["GET /messages", "GET /messages/matches_narrow", "POST /messages/flags/narrow"];
    if !is_of_messages.contains(&way.as_str()) && way != "PATCH /realm" {
        return;
    }
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
    } else if name.ends_with("[\"operand\"]") && whole == "narrow" {
        *parameter = of_term("operand").into();
    } else if CONVERTED.contains(&whole.as_str()) {
        let value = refusal.values.get(&whole).cloned().unwrap_or_default();
        *refusal.error = Error::RefusedValue { var_name: whole.into(), bad_value: value.into() };
    } else {
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

fn of_parameters(refusal: &mut Refusal<'_>) {
    let way = format!("{} {}", refusal.route.method, refusal.route.path);
    if AS_NOW.contains(&way.as_str()) {
        return;
    }
    if let Error::BadValue { parameter, .. } = refusal.error
        && *parameter == "include_all".into()
    {
        *parameter = "include_all_active".into();
    }
    match refusal.error {
        Error::BadValue { problem, .. } if *problem == "is not valid JSON".into() => {
            refusal.say("Argument \"{parameter}\" is not valid JSON.");
        }
        Error::RefusedValue { var_name, .. } if *var_name == "message_retention_days".into() => {
            match refusal.values.get("message_retention_days").map(|text| serde_json::from_str::<Value>(text)) {
                Some(Err(_)) => {
                    *refusal.error = Error::bad_value("message_retention_days", "is not valid JSON");
                    refusal.say("Argument \"{parameter}\" is not valid JSON.");
                }
                Some(Ok(value)) if !(value.is_string() || value.is_i64()) => {
                    *refusal.error = Error::bad_value("message_retention_days", "is not a string or integer");
                }
                _ => {}
            }
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
