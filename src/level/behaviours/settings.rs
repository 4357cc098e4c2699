//! Behaviours of user settings: former names and values in requests, replies and events; texts that were JSON; and what
//! the register reply and the reply of `PATCH /settings` had besides.

use crate::api::changes::settings::legacy;
use crate::api::parameter::json_parameter;
use crate::error::Error;
use crate::level::fields::{FORMER_SETTINGS_SINCE, SETTINGS_SINCE};
use crate::level::objects::{REGISTER_REPLY, SETTING_UPDATE_EVENT, SETTINGS, SETTINGS_REPLY};
use crate::level::parameters::is_removed_setting;
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, Request};
use serde_json::{Map, Value, json};

const SETTING_ROUTES: &[&str] = &[
    "PATCH /settings",
    "PATCH /settings/display",
    "PATCH /settings/notifications",
    "PATCH /realm/user_settings_defaults",
];

/// A change of the values of a setting: the level, the setting, a function from a present value to the former one (None
/// if it is the same), and a function from a sent JSON text to the present one ("" if it is the same, None if it is
/// refused).
type ValueChange = (i64, &'static str, fn(&Value) -> Option<Value>, fn(&str) -> Option<&'static str>);

/// Rows for settings whose values changed: one for replies and one for requests.
macro_rules! former_values {
    ($($level:literal $name:literal $test:literal $description:literal, $to_former:expr, $to_present:expr;)*) => {
        /// The newest change first.
        static VALUE_CHANGES: &[ValueChange] = &[$(($level, $name, $to_former, $to_present)),*];

        static VALUE_ROWS: &[&[Behaviour]] = &[$(&[
            Behaviour {
                level: $level,
                subject: "user settings",
                description: $description,
                test: $test,
                downgrade: Downgrade::Objects(&SETTINGS, ChangedFields::Fields(&[$name]), |settings, _| set_former_value(settings, $name, $to_former)),
            },
            Behaviour {
                level: $level,
                subject: "PATCH /settings, PATCH /realm/user_settings_defaults",
                description: $description,
                test: $test,
                downgrade: Downgrade::RequestChange(SETTING_ROUTES, |request| {
                    set_present_value(request, $name, $to_present)
                }),
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
    168 "realm_name_in_email_notifications_policy" "the_name_in_notifications_was_true_or_false_before_168"
        "`realm_name_in_email_notifications_policy` is 1 for the server's choice, 2 for always, 3 for never; before, `realm_name_in_notifications` was true for always.",
        |value| Some(json!(*value == 2)),
        // `convert_name_in_notifications` converts requests.
        |_| Some("");
    21 "color_scheme" "the_color_scheme_was_night_mode_before_21"
        "`color_scheme` is 2 for dark; before, `night_mode` was true for that.",
        |value| Some(json!(*value == 2)),
        // `convert_night_mode` converts requests.
        |_| Some("");
}

static OTHER_ROWS: &[Behaviour] = &[
    Behaviour {
        level: 454,
        subject: "event user_settings update, realm_user_settings_defaults update",
        description: "The value `recent` of `web_home_view` was `recent_topics`.",
        test: "the_recent_view_was_called_recent_topics_before_454",
        downgrade: Downgrade::Objects(
            &SETTING_UPDATE_EVENT,
            ChangedFields::Fields(&["value", "setting"]),
            |event, _| set_former_value_in_event(event, 454, "web_home_view"),
        ),
    },
    Behaviour {
        level: 227,
        subject: "event user_settings update, realm_user_settings_defaults update",
        description: "`desktop_icon_count_display` may be 2, with followed topics; before, 2 and 3 meant the present 3 and 4.",
        test: "values_of_settings_came_with_their_levels",
        downgrade: Downgrade::Objects(
            &SETTING_UPDATE_EVENT,
            ChangedFields::Fields(&["value", "setting"]),
            |event, _| set_former_value_in_event(event, 227, "desktop_icon_count_display"),
        ),
    },
    Behaviour {
        level: 168,
        subject: "PATCH /settings, PATCH /realm/user_settings_defaults",
        description: "`realm_name_in_email_notifications_policy` was `realm_name_in_notifications`, true or false.",
        test: "the_name_in_notifications_was_true_or_false_before_168",
        downgrade: Downgrade::RequestChange(SETTING_ROUTES, convert_name_in_notifications),
    },
    Behaviour {
        level: 168,
        subject: "event user_settings update, realm_user_settings_defaults update",
        description: "The setting `realm_name_in_email_notifications_policy` was `realm_name_in_notifications`, true for always.",
        test: "the_name_in_notifications_was_true_or_false_before_168",
        downgrade: Downgrade::Objects(
            &SETTING_UPDATE_EVENT,
            ChangedFields::Fields(&["property", "value", "setting_name", "setting", "notification_name"]),
            |event, _| {
                set_former_value_in_event(event, 168, "realm_name_in_email_notifications_policy");
                set_former_name_in_event(event, 168);
            },
        ),
    },
    Behaviour {
        level: 21,
        subject: "PATCH /settings/display",
        description: "`color_scheme` was `night_mode`, true or false, where false means 1.",
        test: "the_color_scheme_was_night_mode_before_21",
        downgrade: Downgrade::RequestChange(&["PATCH /settings/display"], convert_night_mode),
    },
    Behaviour {
        level: 21,
        subject: "event update_display_settings",
        description: "The setting `color_scheme` was `night_mode`, true for dark.",
        test: "the_color_scheme_was_night_mode_before_21",
        downgrade: Downgrade::Objects(
            &SETTING_UPDATE_EVENT,
            ChangedFields::Fields(&["property", "value", "setting_name", "setting", "notification_name"]),
            |event, _| {
                set_former_value_in_event(event, 21, "color_scheme");
                set_former_name_in_event(event, 21);
            },
        ),
    },
    Behaviour {
        level: 439,
        subject: "register reply",
        description: "Settings are in `user_settings` only; before, clients without `user_settings_object` had the older ones at the reply's top level too.",
        test: "legacy_settings_events_were_sent_before_439",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Additions, add_legacy_settings),
    },
    Behaviour {
        level: 78,
        subject: "reply of PATCH /settings",
        description: "`full_name` and `account_email` are gone; before, they were present when the name or address changed.",
        test: "changed_names_were_returned_before_78",
        downgrade: Downgrade::Objects(
            &SETTINGS_REPLY,
            ChangedFields::Fields(&["full_name", "account_email"]),
            add_changed_account,
        ),
    },
    Behaviour {
        level: 219,
        subject: "event user_settings update, realm_user_settings_defaults update",
        description: "The setting `web_home_view` was `default_view`, `web_escape_navigates_to_home_view` was `escape_navigates_to_default_view`.",
        test: "home_views_were_default_views_before_219",
        downgrade: Downgrade::Objects(
            &SETTING_UPDATE_EVENT,
            ChangedFields::Fields(&["property", "setting_name", "notification_name"]),
            |event, _| set_former_name_in_event(event, 219),
        ),
    },
];

/// Text parameters that were JSON strings.
static JSON_TEXT_ROWS: &[Behaviour] = &[
    Behaviour {
        level: 64,
        subject: "PATCH /settings/display",
        description: "`web_home_view`, `emojiset` and `timezone` are plain text; before, JSON strings.",
        test: "texts_of_settings_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /settings/display"], |request| {
            ["web_home_view", "emojiset", "timezone"].into_iter().try_for_each(|name| request.unquote_json(name))
        }),
    },
    Behaviour {
        level: 63,
        subject: "PATCH /settings/display",
        description: "`default_language` is plain text; before, a JSON string.",
        test: "texts_of_settings_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /settings/display"], |request| {
            request.unquote_json("default_language")
        }),
    },
    Behaviour {
        level: 63,
        subject: "PATCH /settings/notifications",
        description: "`notification_sound` is plain text; before, a JSON string.",
        test: "texts_of_settings_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /settings/notifications"], |request| {
            request.unquote_json("notification_sound")
        }),
    },
];

/// The text in place of a new email address.
const UNCONFIRMED_EMAIL_TEXT: &str = "The new address has to be confirmed.";

/// Adds a changed name to the reply, and a text if the email address is to change.
fn add_changed_account(reply: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    // `caller` is the account before the change.
    let Some(caller) = context.caller else { return };
    let new_name = context.realm.user(caller.id).map(|user| &user.full_name);
    if let Some(name) = new_name.filter(|name| **name != caller.full_name) {
        reply.insert("full_name".into(), name.as_str().into());
    }
    if context.values.get("email").is_some_and(|email| email.trim() != caller.email) {
        reply.insert("account_email".into(), UNCONFIRMED_EMAIL_TEXT.into());
    }
}

pub(super) fn rows() -> impl Iterator<Item = &'static Behaviour> {
    VALUE_ROWS.iter().flat_map(|rows| rows.iter()).chain(OTHER_ROWS).chain(JSON_TEXT_ROWS)
}

/// Replaces a value with the former one, if they differ. The setting may already have its former name.
fn set_former_value(object: &mut Map<String, Value>, key: &str, to_former: fn(&Value) -> Option<Value>) {
    // At level 0, every renamed setting has its former name.
    let key = if object.contains_key(key) { key } else { former_name(key, 0).unwrap_or(key) };
    if let Some(former_value) = object.get(key).and_then(to_former) {
        object.insert(key.to_owned(), former_value);
    }
}

fn set_former_value_in_event(event: &mut Map<String, Value>, level: i64, name: &str) {
    let change = VALUE_CHANGES.iter().find(|(since, setting, ..)| *since == level && *setting == name);
    for (name_key, value_key) in [("property", "value"), ("setting_name", "setting"), ("notification_name", "setting")]
    {
        if event.get(name_key).and_then(Value::as_str) == Some(name)
            && let Some((_, _, to_former, _)) = change
        {
            set_former_value(event, value_key, *to_former);
        }
    }
}

/// Replaces the value of a parameter with the present one, or refuses it.
fn set_present_value(
    request: &mut Request<'_>,
    name: &str,
    to_present: fn(&str) -> Option<&'static str>,
) -> Result<(), Error> {
    let Some(value) = request.values.get_mut(name) else { return Ok(()) };
    match to_present(value.trim()) {
        // Only `twenty_four_hour_time`, a boolean, refuses null.
        None if value.trim() == "null" => Err(Error::bad_value(name.to_owned(), "is not a boolean")),
        None => Err(Error::InvalidValue { parameter: name.to_owned().into() }),
        Some("") => Ok(()),
        Some(present_value) => {
            present_value.clone_into(value);
            Ok(())
        }
    }
}

/// Converts the boolean `realm_name_in_notifications` to the number of a policy.
fn convert_name_in_notifications(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(value) = request.values.get_mut("realm_name_in_email_notifications_policy") else { return Ok(()) };
    let is_always: bool = json_parameter(value, "realm_name_in_notifications")?;
    *value = if is_always { "2" } else { "1" }.into();
    Ok(())
}

/// Converts the boolean `night_mode` to the number of a color scheme.
fn convert_night_mode(request: &mut Request<'_>) -> Result<(), Error> {
    let Some(value) = request.values.get_mut("color_scheme") else { return Ok(()) };
    let is_dark: bool = json_parameter(value, "night_mode")?;
    *value = if is_dark { "2" } else { "1" }.into();
    Ok(())
}

/// Renamed settings: level, old name, new name.
static RENAMED_SETTINGS: &[(i64, &str, &str)] = &[
    (219, "default_view", "web_home_view"),
    (219, "escape_navigates_to_default_view", "web_escape_navigates_to_home_view"),
    (168, "realm_name_in_notifications", "realm_name_in_email_notifications_policy"),
    (21, "night_mode", "color_scheme"),
];

/// The name of a setting at a level; None if it is the present one.
fn former_name(name: &str, level: i64) -> Option<&'static str> {
    RENAMED_SETTINGS.iter().find(|(since, _, new)| *new == name && level < *since).map(|(_, old, _)| *old)
}

/// Replaces the name of the setting in an event with the one below a level.
fn set_former_name_in_event(event: &mut Map<String, Value>, level: i64) {
    for name_key in ["property", "setting_name", "notification_name"] {
        let name = event.get(name_key).and_then(Value::as_str);
        if let Some(old) = name.and_then(|name| former_name(name, level - 1)) {
            event.insert(name_key.into(), old.into());
        }
    }
}

/// Adds settings at the top level of the register reply, for clients that do not know `user_settings`.
fn add_legacy_settings(reply: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    let Some(caller) = context.caller else { return };
    let read_json = |name: &str| context.values.get(name).and_then(|text| serde_json::from_str::<Value>(text).ok());
    if read_json("client_capabilities").is_some_and(|capabilities| capabilities["user_settings_object"] == true) {
        return;
    }
    let types = read_json("fetch_event_types").or_else(|| read_json("event_types"));
    let is_requested = |event_type: &str| match &types {
        Some(Value::Array(types)) => types.iter().any(|requested_type| requested_type == event_type),
        _ => true,
    };
    let state = context.realm.user_state(caller.id);
    for (event_type, names) in [
        (legacy::DISPLAY_EVENT_TYPE, legacy::DISPLAY_SETTINGS),
        (legacy::NOTIFICATIONS_EVENT_TYPE, legacy::NOTIFICATION_SETTINGS),
    ] {
        for name in names.iter().filter(|_| is_requested(event_type)) {
            let value = match *name {
                "timezone" => caller.timezone.as_str().into(),
                name => value_at_level(name, state.setting_named(name).clone(), context.level),
            };
            let name_at_level = former_name(name, context.level).unwrap_or(name);
            if !is_newer_setting(name_at_level, context.level) && !is_removed_setting(name_at_level, context.level) {
                reply.insert(name_at_level.into(), value);
            }
        }
    }
    for (name, value) in crate::api::register::setting_choices() {
        let event_type =
            if name == "emojiset_choices" { legacy::DISPLAY_EVENT_TYPE } else { legacy::NOTIFICATIONS_EVENT_TYPE };
        if is_requested(event_type) {
            reply.insert(name, value);
        }
    }
}

fn value_at_level(name: &str, value: Value, level: i64) -> Value {
    let changes = VALUE_CHANGES.iter().filter(|(since, setting, ..)| *setting == name && *since > level);
    changes.fold(value, |value, (_, _, to_former, _)| to_former(&value).unwrap_or(value))
}

/// Whether a setting was added after a level.
fn is_newer_setting(name: &str, level: i64) -> bool {
    SETTINGS_SINCE.iter().chain(FORMER_SETTINGS_SINCE).any(|(since, other)| *other == name && *since > level)
}
