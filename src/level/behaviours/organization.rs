//! Behaviours of the organization: settings, exports, domains and custom emoji.

use crate::api::Access;
use crate::api::organization::parameters::OrganizationParams;
use crate::api::parameter::Parameters;
use crate::error::Error;
use crate::level::behaviours::former_booleans::FORMER_BOOLEANS;
use crate::level::objects::{
    EMOJI, EXPORT, EXPORT_LIST, ORGANIZATION_CHANGES, ORGANIZATION_DATA, ORGANIZATION_DICT_UPDATE_EVENT,
    ORGANIZATION_SETTING_UPDATE_EVENT, REGISTER_REPLY,
};
use crate::level::{Behaviour, ChangedFields, Downgrade, Request};
use crate::realm::export::{ExportKind, ExportState};
use crate::realm::id::ExportId;
use serde_json::{Value, json};

const BYTES_PER_MEBIBYTE: i64 = 1024 * 1024;

/// A row for a setting that had another name, in events and in the reply of PATCH /realm.
macro_rules! former_setting_name {
    ($level:literal, $old:literal, $new:literal, $description:literal) => {
        Behaviour {
            level: $level,
            subject: "event realm update, reply of PATCH /realm",
            description: $description,
            test: "settings_of_the_organization_had_other_names",
            downgrade: Downgrade::Objects(
                &ORGANIZATION_CHANGES,
                ChangedFields::Fields(&["property", "value", $old, $new]),
                |change, _| {
                    if change.get("property").is_some_and(|name| name == $new) {
                        change.insert("property".into(), $old.into());
                    } else if let Some(value) = change.shift_remove($new) {
                        change.insert($old.into(), value);
                    }
                },
            ),
        }
    };
}

/// A row for a setting that had other values, in events and in the reply of PATCH /realm.
macro_rules! former_setting_value {
    ($level:literal, $name:literal, $description:literal, $replace:expr) => {
        Behaviour {
            level: $level,
            subject: "event realm update and update_dict, reply of PATCH /realm",
            description: $description,
            test: "limits_of_the_organization_were_0_without_limit",
            downgrade: Downgrade::Objects(
                &ORGANIZATION_CHANGES,
                ChangedFields::Fields(&["value", $name]),
                |change, _| {
                    let key = if change.get("property").is_some_and(|name| name == $name) { "value" } else { $name };
                    if let Some(value) = change.get_mut(key) {
                        let replace: fn(&mut Value) = $replace;
                        replace(value);
                    }
                },
            ),
        }
    };
}

/// A row for a key of the register reply that had other values.
macro_rules! former_register_value {
    ($level:literal, $key:literal, $description:literal, $replace:expr) => {
        Behaviour {
            level: $level,
            subject: "register reply",
            description: $description,
            test: "values_of_the_organization_came_with_their_levels",
            downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Fields(&[$key]), |reply, _| {
                if let Some(value) = reply.get_mut($key) {
                    let replace: fn(&mut Value) = $replace;
                    replace(value);
                }
            }),
        }
    };
}

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 464,
        subject: "event realm update_dict",
        description: "Carries `description` and `rendered_description`; before, `realm` update did, with `rendered_description` next to the value.",
        test: "descriptions_of_the_organization_were_sent_alone_before_464",
        downgrade: Downgrade::Objects(&ORGANIZATION_DICT_UPDATE_EVENT, ChangedFields::Values, |event, _| {
            let Some(data) = event.get_mut("data").and_then(Value::as_object_mut) else { return };
            let Some(description) = data.get_mut("description").map(Value::take) else { return };
            let rendered_description = data.get_mut("rendered_description").map(Value::take).unwrap_or_default();
            event.shift_remove("data");
            event.insert("op".into(), "update".into());
            event.insert("property".into(), "description".into());
            event.insert("value".into(), description);
            event.insert("rendered_description".into(), rendered_description);
        }),
    },
    Behaviour {
        level: 462,
        subject: "event realm update",
        description: "Has `rendered_description` when it carries `description`.",
        test: "descriptions_of_the_organization_were_sent_alone_before_464",
        downgrade: Downgrade::Objects(
            &ORGANIZATION_SETTING_UPDATE_EVENT,
            ChangedFields::Fields(&["rendered_description"]),
            |event, _| _ = event.shift_remove("rendered_description"),
        ),
    },
    former_setting_name!(
        453,
        "giphy_rating",
        "gif_rating_policy",
        "The setting `gif_rating_policy` was `giphy_rating`."
    ),
    Behaviour {
        level: 449,
        subject: "POST /export/realm",
        description: "`export_type` takes `public` and `full_with_consent`; before, only numbers.",
        test: "export_types_were_numbers_before_449",
        downgrade: Downgrade::RequestChange(&["POST /export/realm"], |request| {
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
        subject: "GET /export/realm, event realm_export",
        description: "Standard exports are listed; before, there were only public exports.",
        test: "exports_were_public_before_304",
        downgrade: Downgrade::Objects(&EXPORT_LIST, ChangedFields::Values, |object, context| {
            let is_public = |export: &Value| {
                let export = export["id"].as_i64().and_then(|id| context.realm.exports.get(&ExportId(id)));
                export.is_none_or(|export| export.kind == ExportKind::Public)
            };
            if let Some(exports) = object.get_mut("exports").and_then(Value::as_array_mut) {
                exports.retain(is_public);
            }
        }),
    },
    Behaviour {
        level: 299,
        subject: "export",
        description: "Times are whole seconds; before, seconds with their fraction.",
        test: "times_of_exports_had_fractions_before_299",
        downgrade: Downgrade::Objects(
            &EXPORT,
            ChangedFields::Fields(&["export_time", "deleted_timestamp", "failed_timestamp"]),
            |export, context| {
                let stored_export = export["id"].as_i64().and_then(|id| context.realm.exports.get(&ExportId(id)));
                let Some(stored_export) = stored_export else { return };
                export.insert("export_time".into(), stored_export.requested_at.fractional_seconds().into());
                match stored_export.state {
                    ExportState::Deleted(at) => {
                        export.insert("deleted_timestamp".into(), at.fractional_seconds().into())
                    }
                    ExportState::Failed(at) => export.insert("failed_timestamp".into(), at.fractional_seconds().into()),
                    ExportState::Pending | ExportState::Ready => None,
                };
            },
        ),
    },
    former_register_value!(
        251,
        "realm_upload_quota_mib",
        "`realm_upload_quota_mib` is in MiB; before, in bytes.",
        |quota| {
            if let Some(mebibytes) = quota.as_i64() {
                *quota = mebibytes.saturating_mul(BYTES_PER_MEBIBYTE).into();
            }
        }
    ),
    former_register_value!(
        243,
        "realm_authentication_methods",
        "Values of `realm_authentication_methods` are objects; before, a boolean: whether the method is enabled.",
        replace_methods_with_booleans
    ),
    Behaviour {
        level: 243,
        subject: "event realm update_dict",
        description: "Values of `authentication_methods` are objects; before, a boolean: whether the method is enabled.",
        test: "authentication_methods_were_booleans_before_243",
        downgrade: Downgrade::Objects(
            &ORGANIZATION_DATA,
            ChangedFields::Fields(&["authentication_methods"]),
            |data, _| {
                if let Some(methods) = data.get_mut("authentication_methods") {
                    replace_methods_with_booleans(methods);
                }
            },
        ),
    },
    former_setting_name!(
        241,
        "notifications_stream_id",
        "new_stream_announcements_stream_id",
        "The setting `new_stream_announcements_stream_id` was `notifications_stream_id`."
    ),
    former_setting_name!(
        241,
        "signup_notifications_stream_id",
        "signup_announcements_stream_id",
        "The setting `signup_announcements_stream_id` was `signup_notifications_stream_id`."
    ),
    former_setting_value!(
        195,
        "default_code_block_language",
        "`default_code_block_language` is empty if there is none; before, null.",
        replace_empty_with_null
    ),
    former_register_value!(
        195,
        "realm_default_code_block_language",
        "`realm_default_code_block_language` is empty if there is none; before, null.",
        replace_empty_with_null
    ),
    Behaviour {
        level: 143,
        subject: "POST /realm/domains, PATCH and DELETE /realm/domains/{domain}",
        description: "Only for owners; before, for administrators.",
        test: "administrators_changed_sign_up_settings_before_143",
        downgrade: Downgrade::FormerAccess(
            &["POST /realm/domains", "PATCH /realm/domains/{domain}", "DELETE /realm/domains/{domain}"],
            Access::Administrator,
        ),
    },
    former_setting_value!(
        138,
        "message_content_edit_limit_seconds",
        "`message_content_edit_limit_seconds` is null if there is no limit; before, 0.",
        replace_null_with_zero
    ),
    Behaviour {
        level: 138,
        subject: "PATCH /realm",
        description: "`message_content_edit_limit_seconds` takes `unlimited` for no limit; before, 0.",
        test: "limits_of_the_organization_were_0_without_limit",
        downgrade: Downgrade::RequestChange(&["PATCH /realm"], |request| {
            convert_zero_to_unlimited(request, "message_content_edit_limit_seconds")
        }),
    },
    former_register_value!(
        138,
        "realm_message_content_edit_limit_seconds",
        "`realm_message_content_edit_limit_seconds` is null if there is no limit; before, 0.",
        replace_null_with_zero
    ),
    Behaviour {
        level: 113,
        subject: "custom emoji",
        description: "`still_url` is always present; before, only for animated emoji.",
        test: "unanimated_emoji_had_no_still_url_before_113",
        downgrade: Downgrade::Objects(&EMOJI, ChangedFields::Fields(&["still_url"]), |emoji, _| {
            if emoji.get("still_url") == Some(&Value::Null) {
                emoji.shift_remove("still_url");
            }
        }),
    },
    Behaviour {
        level: 190,
        subject: "DELETE /realm/emoji/{emoji_name}",
        description: "404 for an unknown emoji; before, 400.",
        test: "an_unknown_emoji_was_400_before_190",
        downgrade: Downgrade::Code { errors: &["NoSuchCustomEmoji"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    former_setting_value!(
        100,
        "message_content_delete_limit_seconds",
        "`message_content_delete_limit_seconds` is null if there is no limit; before, 0.",
        replace_null_with_zero
    ),
    Behaviour {
        level: 100,
        subject: "PATCH /realm",
        description: "`message_content_delete_limit_seconds` takes `unlimited` for no limit; before, 0.",
        test: "limits_of_the_organization_were_0_without_limit",
        downgrade: Downgrade::RequestChange(&["PATCH /realm"], |request| {
            convert_zero_to_unlimited(request, "message_content_delete_limit_seconds")
        }),
    },
    Behaviour {
        level: 63,
        subject: "POST /realm/domains",
        description: "`domain` is plain text; before, JSON.",
        test: "texts_of_the_organization_were_json",
        downgrade: Downgrade::RequestChange(&["POST /realm/domains"], |request| request.unquote_json("domain")),
    },
    Behaviour {
        level: 52,
        subject: "PATCH /realm",
        description: "Texts are plain text; before, JSON.",
        test: "texts_of_the_organization_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /realm"], |request| {
            // The former booleans were booleans in JSON at these levels.
            let was_text = |name: &str| !FORMER_BOOLEANS.contains(&name);
            let mut text_parameters =
                OrganizationParams::LIST.iter().filter(|info| !info.is_json && was_text(info.name));
            text_parameters.try_for_each(|info| request.unquote_json(info.name))
        }),
    },
    former_register_value!(
        100,
        "realm_message_content_delete_limit_seconds",
        "`realm_message_content_delete_limit_seconds` is null if there is no limit; before, 0.",
        replace_null_with_zero
    ),
    former_setting_value!(
        22,
        "message_retention_days",
        "`message_retention_days` is -1 if messages are kept forever; before, null.",
        replace_minus_one_with_null
    ),
    former_register_value!(
        22,
        "realm_message_retention_days",
        "`realm_message_retention_days` is -1 if messages are kept forever; before, null.",
        replace_minus_one_with_null
    ),
];

/// Replaces 0, the former value for no limit, with `unlimited`. Refuses `unlimited` itself.
fn convert_zero_to_unlimited(request: &mut Request<'_>, name: &str) -> Result<(), Error> {
    match request.values.get_mut(name) {
        Some(text) if text.trim_matches('"') == "unlimited" => Err(Error::bad_value(name, "is not an integer")),
        Some(text) if text.trim() == "0" => {
            "unlimited".clone_into(text);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Replaces the object of each authentication method with the boolean whether it is enabled.
fn replace_methods_with_booleans(methods: &mut Value) {
    for method in methods.as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
        *method = method["enabled"].take();
    }
}

fn replace_empty_with_null(language: &mut Value) {
    if language == "" {
        *language = Value::Null;
    }
}

fn replace_minus_one_with_null(days: &mut Value) {
    if *days == -1 {
        *days = Value::Null;
    }
}

fn replace_null_with_zero(limit: &mut Value) {
    if limit.is_null() {
        *limit = json!(0);
    }
}
