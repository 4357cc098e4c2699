//! Settings and what all operations share.

use crate::api::settings::legacy;
use crate::level::fields::SETTINGS_SINCE;
use crate::level::objects::{REGISTER, SETTING_UPDATE, SETTINGS};
use crate::level::{Act, Behaviour, Context};
use serde_json::{Map, Value};

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 454,
        on: "user settings",
        words: "The value `recent` of `web_home_view` was `recent_topics`.",
        test: "the_recent_view_was_called_recent_topics_before_454",
        act: Act::Objects(&SETTINGS, |settings, _| {
            if settings.get("web_home_view").and_then(Value::as_str) == Some("recent") {
                settings.insert("web_home_view".into(), "recent_topics".into());
            }
        }),
    },
    Behaviour {
        level: 454,
        on: "event user_settings update",
        words: "The value `recent` of `web_home_view` was `recent_topics`.",
        test: "the_recent_view_was_called_recent_topics_before_454",
        act: Act::Objects(&SETTING_UPDATE, |event, _| {
            for (property, value) in [("property", "value"), ("setting_name", "setting")] {
                if is(event, property, "web_home_view") && is(event, value, "recent") {
                    event.insert(value.into(), "recent_topics".into());
                }
            }
        }),
    },
    Behaviour {
        level: 454,
        on: "PATCH /settings",
        words: "The value `recent` of `web_home_view` was `recent_topics`.",
        test: "the_recent_view_was_called_recent_topics_before_454",
        act: Act::Request(&["PATCH /settings"], |request| {
            match request.values.get_mut("web_home_view") {
                Some(view) if view == "recent_topics" => "recent".clone_into(view),
                Some(view) if view == "recent" => {
                    return Err(crate::error::Error::InvalidValue { parameter: "web_home_view".into() });
                }
                _ => {}
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 439,
        on: "POST /register and events",
        words: "`update_display_settings` and `update_global_notifications` are no longer sent; before, clients without `user_settings_object` got them beside `user_settings`, and the register reply had the settings at its top.",
        test: "legacy_settings_events_were_sent_before_439",
        // Whether a queue gets an event is decided where events are counted: Needs::LegacySettings.
        act: Act::Elsewhere,
    },
    Behaviour {
        level: 439,
        on: "register reply",
        words: "Settings stand in `user_settings` alone; before, clients without `user_settings_object` had the older ones at the reply's top too.",
        test: "legacy_settings_events_were_sent_before_439",
        act: Act::Objects(&REGISTER, legacy_settings),
    },
    Behaviour {
        level: 219,
        on: "event user_settings update",
        words: "The setting `web_home_view` was `default_view`, `web_escape_navigates_to_home_view` was `escape_navigates_to_default_view`.",
        test: "home_views_were_default_views_before_219",
        act: Act::Objects(&SETTING_UPDATE, |event, _| {
            for property in ["property", "setting_name"] {
                if let Some(old) = event.get(property).and_then(Value::as_str).and_then(former_name) {
                    event.insert(property.into(), old.into());
                }
            }
        }),
    },
];

fn is(event: &Map<String, Value>, key: &str, text: &str) -> bool {
    event.get(key).and_then(Value::as_str) == Some(text)
}

/// What a setting was called before 219, if otherwise.
fn former_name(name: &str) -> Option<&'static str> {
    match name {
        "web_home_view" => Some("default_view"),
        "web_escape_navigates_to_home_view" => Some("escape_navigates_to_default_view"),
        _ => None,
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
    let own = context.realm.own(caller.id);
    for (kind, names) in
        [(legacy::DISPLAY, legacy::DISPLAY_SETTINGS), (legacy::NOTIFICATIONS, legacy::NOTIFICATION_SETTINGS)]
    {
        for name in names.iter().filter(|_| wants(kind)) {
            let value = match *name {
                "timezone" => caller.timezone.as_str().into(),
                "web_home_view" if own.setting(name) == "recent" && context.level < 454 => "recent_topics".into(),
                name => own.setting(name).clone(),
            };
            let name = former_name(name).filter(|_| context.level < 219).unwrap_or(name);
            if !is_younger_setting(name, context.level) {
                reply.insert(name.into(), value);
            }
        }
    }
}

/// Whether a setting is younger than a level.
fn is_younger_setting(name: &str, level: i64) -> bool {
    SETTINGS_SINCE.iter().any(|(since, other)| *other == name && *since > level)
}
