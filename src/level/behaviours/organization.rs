//! The organization's settings.

use crate::api::Access;
use crate::api::organization::parameters::OrganizationParams;
use crate::api::parameter::Parameters;
use crate::error::Error;
use crate::level::behaviours::switches::WERE_SWITCHES;
use crate::level::objects::{
    EMOJI, EXPORT, EXPORTS, NOTICE, ORGANIZATION_DATA, ORGANIZATION_NEWS, ORGANIZATION_PLAIN, ORGANIZATION_UPDATE,
    REGISTER,
};
use crate::level::{Behaviour, Downgrade, Request};
use crate::realm::export::{ExportKind, ExportState};
use crate::realm::id::ExportId;
use serde_json::{Value, json};

const BYTES_A_MEBIBYTE: i64 = 1024 * 1024;

/// A row about a setting of the organization that had another name, in events and in the reply that changes it.
macro_rules! former_name {
    ($level:literal, $old:literal, $new:literal, $words:literal) => {
        Behaviour {
            level: $level,
            on: "event realm update, reply of PATCH /realm",
            words: $words,
            test: "settings_of_the_organization_had_other_names",
            act: Downgrade::Objects(&ORGANIZATION_NEWS, |news, _| {
                if news.get("property").is_some_and(|name| name == $new) {
                    news.insert("property".into(), $old.into());
                } else if let Some(value) = news.shift_remove($new) {
                    news.insert($old.into(), value);
                }
            }),
        }
    };
}

/// A row about a setting of the organization whose value was another, in events and in the reply that changes it.
macro_rules! former_value {
    ($level:literal, $name:literal, $words:literal, $before:expr) => {
        Behaviour {
            level: $level,
            on: "event realm update and update_dict, reply of PATCH /realm",
            words: $words,
            test: "limits_of_the_organization_were_0_without_limit",
            act: Downgrade::Objects(&ORGANIZATION_NEWS, |news, _| {
                let key = if news.get("property").is_some_and(|name| name == $name) { "value" } else { $name };
                if let Some(value) = news.get_mut(key) {
                    let before: fn(&mut Value) = $before;
                    before(value);
                }
            }),
        }
    };
}

/// A row about one key of the register reply whose value was another.
macro_rules! former_key {
    ($level:literal, $key:literal, $words:literal, $before:expr) => {
        Behaviour {
            level: $level,
            on: "register reply",
            words: $words,
            test: "values_of_the_organization_came_with_their_levels",
            act: Downgrade::Objects(&REGISTER, |reply, _| {
                if let Some(value) = reply.get_mut($key) {
                    let before: fn(&mut Value) = $before;
                    before(value);
                }
            }),
        }
    };
}

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 506,
        on: "DELETE /export/realm/{export_id}",
        words: "Refuses exports of a prior server as if they were deleted; before, they could be deleted.",
        test: "exports_of_prior_servers_were_like_others_before_506",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 464,
        on: "event realm update_dict",
        words: "Carries `description` and `rendered_description`; before, `realm` update did, with `rendered_description` next to the value.",
        test: "descriptions_of_the_organization_were_sent_alone_before_464",
        act: Downgrade::Objects(&ORGANIZATION_UPDATE, |event, _| {
            let Some(data) = event.get_mut("data").and_then(Value::as_object_mut) else { return };
            let Some(description) = data.get_mut("description").map(Value::take) else { return };
            let rendered = data.get_mut("rendered_description").map(Value::take).unwrap_or_default();
            event.shift_remove("data");
            event.insert("op".into(), "update".into());
            event.insert("property".into(), "description".into());
            event.insert("value".into(), description);
            event.insert("rendered_description".into(), rendered);
        }),
    },
    Behaviour {
        level: 462,
        on: "event realm update",
        words: "Has `rendered_description` when it carries `description`.",
        test: "descriptions_of_the_organization_were_sent_alone_before_464",
        act: Downgrade::Objects(&ORGANIZATION_PLAIN, |event, _| _ = event.shift_remove("rendered_description")),
    },
    Behaviour {
        level: 233,
        on: "one-time notice",
        words: "Notices have a `type`.",
        test: "notices_had_no_type_before_233",
        act: Downgrade::Objects(&NOTICE, |notice, _| _ = notice.shift_remove("type")),
    },
    former_name!(453, "giphy_rating", "gif_rating_policy", "The setting `gif_rating_policy` was `giphy_rating`."),
    Behaviour {
        level: 449,
        on: "POST /export/realm",
        words: "`export_type` takes `public` and `full_with_consent`; before, only numbers.",
        test: "exports_were_asked_for_by_number_before_449",
        act: Downgrade::Request(&["POST /export/realm"], |request| {
            let Some(text) = request.values.get("export_type") else { return Ok(()) };
            match serde_json::from_str::<Value>(text) {
                Ok(Value::String(_)) => Err(Error::bad_value("export_type", "is not an integer")),
                Ok(_) => Ok(()),
                Err(_) => Err(Error::bad_value("export_type", "is not valid JSON")),
            }
        }),
    },
    Behaviour {
        level: 304,
        on: "GET /export/realm, event realm_export",
        words: "Standard exports are listed; before, there were only public exports.",
        test: "exports_were_public_before_304",
        act: Downgrade::Objects(&EXPORTS, |holder, context| {
            let is_public = |export: &Value| {
                let export = export["id"].as_i64().and_then(|id| context.realm.exports.get(&ExportId(id)));
                export.is_none_or(|export| export.kind == ExportKind::Public)
            };
            if let Some(exports) = holder.get_mut("exports").and_then(Value::as_array_mut) {
                exports.retain(is_public);
            }
        }),
    },
    Behaviour {
        level: 299,
        on: "export",
        words: "Times are whole seconds; before, seconds with their fraction.",
        test: "times_of_exports_had_fractions_before_299",
        act: Downgrade::Objects(&EXPORT, |export, context| {
            let known = export["id"].as_i64().and_then(|id| context.realm.exports.get(&ExportId(id)));
            let Some(known) = known else { return };
            export.insert("export_time".into(), known.requested_at.fractional_seconds().into());
            match known.state {
                ExportState::Deleted(at) => export.insert("deleted_timestamp".into(), at.fractional_seconds().into()),
                ExportState::Failed(at) => export.insert("failed_timestamp".into(), at.fractional_seconds().into()),
                ExportState::Pending | ExportState::Ready => None,
            };
        }),
    },
    former_key!(251, "realm_upload_quota_mib", "`realm_upload_quota_mib` is in MiB; before, in bytes.", |quota| {
        if let Some(mebibytes) = quota.as_i64() {
            *quota = mebibytes.saturating_mul(BYTES_A_MEBIBYTE).into();
        }
    }),
    former_key!(
        243,
        "realm_authentication_methods",
        "Values of `realm_authentication_methods` are objects; before, a boolean: whether the method is enabled.",
        plain_switches
    ),
    Behaviour {
        level: 243,
        on: "event realm update_dict",
        words: "Values of `authentication_methods` are objects; before, a boolean: whether the method is enabled.",
        test: "ways_to_log_in_were_sent_as_switches_before_243",
        act: Downgrade::Objects(&ORGANIZATION_DATA, |data, _| {
            if let Some(methods) = data.get_mut("authentication_methods") {
                plain_switches(methods);
            }
        }),
    },
    former_name!(
        241,
        "notifications_stream_id",
        "new_stream_announcements_stream_id",
        "The setting `new_stream_announcements_stream_id` was `notifications_stream_id`."
    ),
    former_name!(
        241,
        "signup_notifications_stream_id",
        "signup_announcements_stream_id",
        "The setting `signup_announcements_stream_id` was `signup_notifications_stream_id`."
    ),
    former_value!(
        195,
        "default_code_block_language",
        "`default_code_block_language` is empty if there is none; before, null.",
        null_for_empty
    ),
    former_key!(
        195,
        "realm_default_code_block_language",
        "`realm_default_code_block_language` is empty if there is none; before, null.",
        null_for_empty
    ),
    Behaviour {
        level: 143,
        on: "POST /realm/domains, PATCH and DELETE /realm/domains/{domain}",
        words: "Only for owners; before, for administrators.",
        test: "administrators_decided_on_sign_up_before_143",
        act: Downgrade::Instead(
            &["POST /realm/domains", "PATCH /realm/domains/{domain}", "DELETE /realm/domains/{domain}"],
            Access::Administrator,
        ),
    },
    Behaviour {
        level: 143,
        on: "PATCH /realm: settings of sign-up, `waiting_period_threshold`",
        words: "Only for owners; before, for administrators.",
        test: "administrators_decided_on_sign_up_before_143",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    former_value!(
        138,
        "message_content_edit_limit_seconds",
        "`message_content_edit_limit_seconds` is null if there is no limit; before, 0.",
        zero_for_null
    ),
    Behaviour {
        level: 138,
        on: "PATCH /realm",
        words: "`message_content_edit_limit_seconds` takes `unlimited` for no limit; before, 0.",
        test: "limits_of_the_organization_were_0_without_limit",
        act: Downgrade::Request(&["PATCH /realm"], |request| unlimited(request, "message_content_edit_limit_seconds")),
    },
    former_key!(
        138,
        "realm_message_content_edit_limit_seconds",
        "`realm_message_content_edit_limit_seconds` is null if there is no limit; before, 0.",
        zero_for_null
    ),
    Behaviour {
        level: 113,
        on: "custom emoji",
        words: "`still_url` is always present; before, only for animated emoji.",
        test: "emoji_that_stand_still_had_no_still_url_before_113",
        act: Downgrade::Objects(&EMOJI, |emoji, _| {
            if emoji.get("still_url") == Some(&Value::Null) {
                emoji.shift_remove("still_url");
            }
        }),
    },
    former_value!(
        100,
        "message_content_delete_limit_seconds",
        "`message_content_delete_limit_seconds` is null if there is no limit; before, 0.",
        zero_for_null
    ),
    Behaviour {
        level: 100,
        on: "PATCH /realm",
        words: "`message_content_delete_limit_seconds` takes `unlimited` for no limit; before, 0.",
        test: "limits_of_the_organization_were_0_without_limit",
        act: Downgrade::Request(&["PATCH /realm"], |request| {
            unlimited(request, "message_content_delete_limit_seconds")
        }),
    },
    Behaviour {
        level: 63,
        on: "POST /realm/domains",
        words: "`domain` is plain text; before, JSON.",
        test: "texts_of_the_organization_were_json",
        act: Downgrade::Request(&["POST /realm/domains"], |request| request.text_from_json("domain")),
    },
    Behaviour {
        level: 63,
        on: "PATCH /default_stream_groups/{group_id}",
        words: "`new_group_name` and `new_description` are plain text; before, JSON.",
        test: "texts_of_the_organization_were_json",
        act: Downgrade::Request(&["PATCH /default_stream_groups/{group_id}"], |request| {
            request.text_from_json("new_group_name")?;
            request.text_from_json("new_description")
        }),
    },
    Behaviour {
        level: 52,
        on: "PATCH /realm",
        words: "Texts are plain text; before, JSON.",
        test: "texts_of_the_organization_were_json",
        act: Downgrade::Request(&["PATCH /realm"], |request| {
            let is_text = |name: &str| !WERE_SWITCHES.contains(&name);
            let mut texts = OrganizationParams::LIST.iter().filter(|info| !info.is_json && is_text(info.name));
            texts.try_for_each(|info| request.text_from_json(info.name))
        }),
    },
    former_key!(
        100,
        "realm_message_content_delete_limit_seconds",
        "`realm_message_content_delete_limit_seconds` is null if there is no limit; before, 0.",
        zero_for_null
    ),
    former_value!(
        22,
        "message_retention_days",
        "`message_retention_days` is -1 if messages are kept forever; before, null.",
        null_for_ever
    ),
    former_key!(
        22,
        "realm_message_retention_days",
        "`realm_message_retention_days` is -1 if messages are kept forever; before, null.",
        null_for_ever
    ),
];

/// Brings the 0 of before to the word of now.
fn unlimited(request: &mut Request<'_>, name: &str) -> Result<(), Error> {
    match request.values.get_mut(name) {
        Some(text) if text.trim_matches('"') == "unlimited" => Err(Error::bad_value(name, "is not an integer")),
        Some(text) if text.trim() == "0" => {
            "unlimited".clone_into(text);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Says of each way to log in whether it is on, and nothing else.
fn plain_switches(methods: &mut Value) {
    for method in methods.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        *method = method["enabled"].take();
    }
}

fn null_for_empty(language: &mut Value) {
    if language == "" {
        *language = Value::Null;
    }
}

fn null_for_ever(days: &mut Value) {
    if *days == -1 {
        *days = Value::Null;
    }
}

fn zero_for_null(limit: &mut Value) {
    if limit.is_null() {
        *limit = json!(0);
    }
}
