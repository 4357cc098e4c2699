//! Users' settings: values that meant or were called something else, and the older events.

use crate::api::changes::settings::legacy;
use crate::api::parameter::json_parameter;
use crate::error::Error;
use crate::level::fields::{FORMER_SETTINGS_SINCE, SETTINGS_SINCE};
use crate::level::objects::{REGISTER, SETTING_UPDATE, SETTINGS, SETTINGS_REPLY};
use crate::level::parameters::is_gone_setting;
use crate::level::{Behaviour, Context, Downgrade, Request};
use serde_json::{Map, Value, json};

/// Operations that take settings.
const WITH_SETTINGS: &[&str] = &[
    "PATCH /settings",
    "PATCH /settings/display",
    "PATCH /settings/notifications",
    "PATCH /realm/user_settings_defaults",
];

/// A change of a setting's values: level, setting, a value of the newest level as it was before, a value that a client
/// sends as the newest level has it (None: it is refused), each of them compact JSON.
type Former = (i64, &'static str, fn(&Value) -> Option<Value>, fn(&str) -> Option<&'static str>);

/// Rows for a setting whose values changed: in the settings and in what changes them. What a level refuses is in none of
/// its events.
macro_rules! former_values {
    ($($level:literal $name:literal $test:literal $words:literal, $before:expr, $now:expr;)*) => {
        /// Changes of values, the newest first.
        static FORMER_VALUES: &[Former] = &[$(($level, $name, $before, $now)),*];

        static VALUE_ROWS: &[&[Behaviour]] = &[$(&[
            Behaviour {
                level: $level,
                on: "user settings",
                words: $words,
                test: $test,
                act: Downgrade::Objects(&SETTINGS, |settings, _| before(settings, $name, $before)),
            },
            Behaviour {
                level: $level,
                on: "PATCH /settings, PATCH /realm/user_settings_defaults",
                words: $words,
                test: $test,
                act: Downgrade::Request(WITH_SETTINGS, |request| now(request, $name, $now)),
            },
        ]),*];
    };
}

former_values! {
    454 "web_home_view" "the_recent_view_was_called_recent_topics_before_454"
        "The value `recent` of `web_home_view` was `recent_topics`.",
        |value| (value == "recent").then(|| json!("recent_topics")),
        |text| match text {
            "recent_topics" => Some("recent"),
            "recent" => None,
            _ => Some(""),
        };
    408 "twenty_four_hour_time" "values_of_settings_came_with_their_levels"
        "`twenty_four_hour_time` may be null, for the locale's default; before, that was false.",
        |value| value.is_null().then(|| json!(false)),
        |text| if text == "null" { None } else { Some("") };
    401 "web_channel_default_view" "values_of_settings_came_with_their_levels"
        "`web_channel_default_view` may be 4, which older levels show as 1.",
        |value| (*value == 4).then(|| json!(1)),
        |text| if text == "4" { None } else { Some("") };
    383 "web_channel_default_view" "values_of_settings_came_with_their_levels"
        "`web_channel_default_view` may be 3, which older levels show as 1.",
        |value| (*value == 3).then(|| json!(1)),
        |text| if text == "3" { None } else { Some("") };
    168 "realm_name_in_email_notifications_policy" "the_name_in_notifications_was_true_or_false_before_168"
        "`realm_name_in_email_notifications_policy` is 1 for the server's choice, 2 for always, 3 for never; before, `realm_name_in_notifications` was true for always.",
        |value| Some(json!(*value == 2)),
        // What a request says is not a word for another: see `name_in_notifications`.
        |_| Some("");
    21 "color_scheme" "the_color_scheme_was_night_mode_before_21"
        "`color_scheme` is 2 for dark; before, `night_mode` was true for that.",
        |value| Some(json!(*value == 2)),
        // As above: see `night_mode`.
        |_| Some("");
    227 "desktop_icon_count_display" "values_of_settings_came_with_their_levels"
        "`desktop_icon_count_display` may be 2, with followed topics; before, 2 and 3 meant the present 3 and 4, and older levels show the new 2 unchanged.",
        |value| match value.as_i64() {
            Some(3) => Some(json!(2)),
            Some(4) => Some(json!(3)),
            _ => None,
        },
        |text| match text {
            "2" => Some("3"),
            "3" => Some("4"),
            "4" => None,
            _ => Some(""),
        };
}

static OTHERS: &[Behaviour] = &[
    Behaviour {
        level: 454,
        on: "event user_settings update, realm_user_settings_defaults update",
        words: "The value `recent` of `web_home_view` was `recent_topics`.",
        test: "the_recent_view_was_called_recent_topics_before_454",
        act: Downgrade::Objects(&SETTING_UPDATE, |event, _| put_former_value(event, 454, "web_home_view")),
    },
    Behaviour {
        level: 227,
        on: "event user_settings update, realm_user_settings_defaults update",
        words: "`desktop_icon_count_display` may be 2, with followed topics; before, 2 and 3 meant the present 3 and 4.",
        test: "values_of_settings_came_with_their_levels",
        act: Downgrade::Objects(&SETTING_UPDATE, |event, _| put_former_value(event, 227, "desktop_icon_count_display")),
    },
    Behaviour {
        level: 168,
        on: "PATCH /settings, PATCH /realm/user_settings_defaults",
        words: "`realm_name_in_email_notifications_policy` was `realm_name_in_notifications`, true or false.",
        test: "the_name_in_notifications_was_true_or_false_before_168",
        act: Downgrade::Request(WITH_SETTINGS, name_in_notifications),
    },
    Behaviour {
        level: 168,
        on: "event user_settings update, realm_user_settings_defaults update",
        words: "The setting `realm_name_in_email_notifications_policy` was `realm_name_in_notifications`, true for always.",
        test: "the_name_in_notifications_was_true_or_false_before_168",
        act: Downgrade::Objects(&SETTING_UPDATE, |event, _| {
            put_former_value(event, 168, "realm_name_in_email_notifications_policy");
            name_before(event, 168);
        }),
    },
    Behaviour {
        level: 21,
        on: "PATCH /settings/display",
        words: "`color_scheme` was `night_mode`, true or false, where false means 1.",
        test: "the_color_scheme_was_night_mode_before_21",
        act: Downgrade::Request(&["PATCH /settings/display"], night_mode),
    },
    Behaviour {
        level: 21,
        on: "event update_display_settings",
        words: "The setting `color_scheme` was `night_mode`, true for dark.",
        test: "the_color_scheme_was_night_mode_before_21",
        act: Downgrade::Objects(&SETTING_UPDATE, |event, _| {
            put_former_value(event, 21, "color_scheme");
            name_before(event, 21);
        }),
    },
    Behaviour {
        level: 439,
        on: "POST /register and events",
        words: "`update_display_settings` and `update_global_notifications` are no longer sent; before, clients without `user_settings_object` got them as well as `user_settings`, and the register reply had the settings at its top level.",
        test: "legacy_settings_events_were_sent_before_439",
        // Whether a queue gets an event is decided where events are counted: Needs::LegacySettings.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 439,
        on: "register reply",
        words: "Settings are in `user_settings` only; before, clients without `user_settings_object` had the older ones at the reply's top level too.",
        test: "legacy_settings_events_were_sent_before_439",
        act: Downgrade::Objects(&REGISTER, legacy_settings),
    },
    Behaviour {
        level: 78,
        on: "reply of PATCH /settings",
        words: "`full_name` and `account_email` are gone; before, they were present when the name or address changed.",
        test: "changed_names_were_returned_before_78",
        act: Downgrade::Objects(&SETTINGS_REPLY, changed_account),
    },
    Behaviour {
        level: 219,
        on: "event user_settings update, realm_user_settings_defaults update",
        words: "The setting `web_home_view` was `default_view`, `web_escape_navigates_to_home_view` was `escape_navigates_to_default_view`.",
        test: "home_views_were_default_views_before_219",
        act: Downgrade::Objects(&SETTING_UPDATE, |event, _| name_before(event, 219)),
    },
];

/// Texts that were JSON, by the operation that took them.
static JSON_TEXTS: &[Behaviour] = &[
    Behaviour {
        level: 64,
        on: "PATCH /settings/display",
        words: "`web_home_view`, `emojiset` and `timezone` are plain text; before, JSON strings.",
        test: "texts_of_settings_were_json",
        act: Downgrade::Request(&["PATCH /settings/display"], |request| {
            ["web_home_view", "emojiset", "timezone"].into_iter().try_for_each(|name| request.text_from_json(name))
        }),
    },
    Behaviour {
        level: 63,
        on: "PATCH /settings/display",
        words: "`default_language` is plain text; before, a JSON string.",
        test: "texts_of_settings_were_json",
        act: Downgrade::Request(&["PATCH /settings/display"], |request| request.text_from_json("default_language")),
    },
    Behaviour {
        level: 63,
        on: "PATCH /settings/notifications",
        words: "`notification_sound` is plain text; before, a JSON string.",
        test: "texts_of_settings_were_json",
        act: Downgrade::Request(&["PATCH /settings/notifications"], |request| {
            request.text_from_json("notification_sound")
        }),
    },
];

/// What was said of a new address.
const ADDRESS_TO_CONFIRM: &str = "The new address has to be confirmed.";

/// Puts the name and the address that a request changed into its reply.
fn changed_account(reply: &mut Map<String, Value>, context: &Context<'_>) {
    let Some(before) = context.caller else { return };
    let now = context.realm.user(before.id).map(|user| &user.full_name);
    if let Some(name) = now.filter(|name| **name != before.full_name) {
        reply.insert("full_name".into(), name.as_str().into());
    }
    if context.values.get("email").is_some_and(|email| email.trim() != before.email) {
        reply.insert("account_email".into(), ADDRESS_TO_CONFIRM.into());
    }
}

/// All rows of this file.
pub(super) fn rows() -> impl Iterator<Item = &'static Behaviour> {
    VALUE_ROWS.iter().flat_map(|rows| rows.iter()).chain(OTHERS).chain(JSON_TEXTS)
}

/// Puts the value of before under `key`, where it holds one that was another; a name that the level took away is back
/// by then.
fn before(object: &mut Map<String, Value>, key: &str, former: fn(&Value) -> Option<Value>) {
    let key = if object.contains_key(key) { key } else { former_name(key, 0).unwrap_or(key) };
    if let Some(old) = object.get(key).and_then(former) {
        object.insert(key.to_owned(), old);
    }
}

/// Puts the value of before into an event about a setting.
fn put_former_value(event: &mut Map<String, Value>, level: i64, name: &str) {
    let change = FORMER_VALUES.iter().find(|(since, of, ..)| *since == level && *of == name);
    for (property, value) in [("property", "value"), ("setting_name", "setting"), ("notification_name", "setting")] {
        if event.get(property).and_then(Value::as_str) == Some(name)
            && let Some((_, _, former, _)) = change
        {
            before(event, value, *former);
        }
    }
}

/// Puts the value of now in the place of a parameter's, "" meaning that it stays.
fn now(request: &mut Request<'_>, name: &str, newer: fn(&str) -> Option<&'static str>) -> Result<(), Error> {
    let Some(value) = request.values.get_mut(name) else { return Ok(()) };
    match newer(value.trim()) {
        None if value.trim() == "null" => Err(Error::bad_value(name.to_owned(), "is not a boolean")),
        None => Err(Error::InvalidValue { parameter: name.to_owned().into() }),
        Some("") => Ok(()),
        Some(now) => {
            now.clone_into(value);
            Ok(())
        }
    }
}

/// Reads true or false where the newest level has numbers.
fn name_in_notifications(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(value) = request.values.get_mut("realm_name_in_email_notifications_policy") else { return Ok(()) };
    let is_always: bool = json_parameter(value, "realm_name_in_notifications")?;
    *value = if is_always { "2" } else { "1" }.into();
    Ok(())
}

/// Reads whether it is dark where the newest level has the number of a scheme.
fn night_mode(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(value) = request.values.get_mut("color_scheme") else { return Ok(()) };
    let is_dark: bool = json_parameter(value, "night_mode")?;
    *value = if is_dark { "2" } else { "1" }.into();
    Ok(())
}

/// Settings that had another name: level, old, new.
static FORMER_NAMES: &[(i64, &str, &str)] = &[
    (219, "default_view", "web_home_view"),
    (219, "escape_navigates_to_default_view", "web_escape_navigates_to_home_view"),
    (168, "realm_name_in_notifications", "realm_name_in_email_notifications_policy"),
    (21, "night_mode", "color_scheme"),
];

/// What a setting is called at a level, if otherwise.
fn former_name(name: &str, level: i64) -> Option<&'static str> {
    FORMER_NAMES.iter().find(|(since, _, new)| *new == name && level < *since).map(|(_, old, _)| *old)
}

/// Puts the name of before a level into an event about a setting.
fn name_before(event: &mut Map<String, Value>, level: i64) {
    for property in ["property", "setting_name", "notification_name"] {
        let name = event.get(property).and_then(Value::as_str);
        if let Some(old) = name.and_then(|name| former_name(name, level - 1)) {
            event.insert(property.into(), old.into());
        }
    }
}

/// Puts the settings that are older than `user_settings` at the reply's top, for clients that don't know it.
fn legacy_settings(reply: &mut Map<String, Value>, context: &Context<'_>) {
    let Some(caller) = context.caller else { return };
    let read = |name: &str| context.values.get(name).and_then(|text| serde_json::from_str::<Value>(text).ok());
    if read("client_capabilities").is_some_and(|capabilities| capabilities["user_settings_object"] == true) {
        return;
    }
    let types = read("fetch_event_types").or_else(|| read("event_types"));
    let wants = |kind: &str| match &types {
        Some(Value::Array(types)) => types.iter().any(|one| one == kind),
        _ => true,
    };
    let own = context.realm.user_state(caller.id);
    for (kind, names) in
        [(legacy::DISPLAY, legacy::DISPLAY_SETTINGS), (legacy::NOTIFICATIONS, legacy::NOTIFICATION_SETTINGS)]
    {
        for name in names.iter().filter(|_| wants(kind)) {
            let value = match *name {
                "timezone" => caller.timezone.as_str().into(),
                name => at_level(name, own.setting_named(name).clone(), context.level),
            };
            let name = former_name(name, context.level).unwrap_or(name);
            if !is_younger_setting(name, context.level) && !is_gone_setting(name, context.level) {
                reply.insert(name.into(), value);
            }
        }
    }
    for (name, value) in crate::api::register::choices() {
        let kind = if name == "emojiset_choices" { legacy::DISPLAY } else { legacy::NOTIFICATIONS };
        if wants(kind) {
            reply.insert(name, value);
        }
    }
}

/// A setting's value as a level has it.
fn at_level(name: &str, value: Value, level: i64) -> Value {
    let changes = FORMER_VALUES.iter().filter(|(since, of, ..)| *of == name && *since > level);
    changes.fold(value, |value, (_, _, before, _)| before(&value).unwrap_or(value))
}

/// Whether a setting is younger than a level.
fn is_younger_setting(name: &str, level: i64) -> bool {
    SETTINGS_SINCE.iter().chain(FORMER_SETTINGS_SINCE).any(|(since, other)| *other == name && *since > level)
}
