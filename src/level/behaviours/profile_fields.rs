//! Behaviours of custom profile fields.

use crate::api::profile_fields::check_room_in_summary;
use crate::error::Error;
use crate::level::objects::{PROFILE_FIELD, PROFILE_FIELDS_EVENT, REGISTER_REPLY};
use crate::level::{Behaviour, ChangedFields, Downgrade, Request};
use crate::realm::id::ProfileFieldId;
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 476,
        subject: "POST /realm/profile_fields, PATCH /realm/profile_fields/{field_id}",
        description: "`display_in_profile_summary` may be true for paragraphs.",
        test: "paragraphs_were_not_in_summaries_before_476",
        downgrade: Downgrade::RequestChange(
            &["POST /realm/profile_fields", "PATCH /realm/profile_fields/{field_id}"],
            |request| {
                let is_in_summary = request.values.get("display_in_profile_summary").is_some_and(|text| text == "true");
                // No field has the ID 0, so that a new one counts as another field.
                let field = request.path_id("field_id").map_or(ProfileFieldId(0), ProfileFieldId);
                // If the summary is full, the operation says so instead.
                if is_in_summary && is_paragraph(request) && check_room_in_summary(request.realm, field).is_ok() {
                    return Err(Error::FieldNotForSummary);
                }
                Ok(())
            },
        ),
    },
    Behaviour {
        level: 151,
        subject: "custom profile field",
        description: "`type` may be 8, pronouns; older levels show such fields as short text.",
        test: "pronouns_were_no_kind_of_field_before_151",
        downgrade: Downgrade::Objects(&PROFILE_FIELD, ChangedFields::Values, |field, _| {
            if field.get("type").is_some_and(|kind| *kind == PRONOUNS) {
                field.insert("type".into(), SHORT_TEXT.into());
            }
        }),
    },
    Behaviour {
        level: 151,
        subject: "register reply",
        description: "`custom_profile_field_types` has pronouns.",
        test: "pronouns_were_no_kind_of_field_before_151",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, _| {
            if let Some(kinds) = reply.get_mut("custom_profile_field_types").and_then(Value::as_object_mut) {
                kinds.retain(|_, kind| kind["id"] != PRONOUNS);
            }
        }),
    },
    Behaviour {
        level: 151,
        subject: "POST /realm/profile_fields",
        description: "`field_type` may be 8, pronouns.",
        test: "pronouns_were_no_kind_of_field_before_151",
        downgrade: Downgrade::RequestChange(&["POST /realm/profile_fields"], |request| {
            let is_pronouns = request.values.get("field_type").is_some_and(|kind| *kind == PRONOUNS.to_string());
            if is_pronouns { Err(Error::InvalidFieldType) } else { Ok(()) }
        }),
    },
    Behaviour {
        level: 45,
        subject: "event custom_profile_fields",
        description: "No longer has `op`; before, `add`.",
        test: "events_of_profile_fields_had_an_op_before_45",
        downgrade: Downgrade::Objects(&PROFILE_FIELDS_EVENT, ChangedFields::Fields(&["op"]), |event, _| {
            _ = event.insert("op".into(), "add".into())
        }),
    },
    Behaviour {
        level: 252,
        subject: "PATCH /realm/profile_fields/{field_id}",
        description: "Omitted values stay; before, they became blank, empty or false.",
        test: "omitted_values_of_profile_fields_were_cleared_before_252",
        downgrade: Downgrade::RequestChange(&["PATCH /realm/profile_fields/{field_id}"], |request| {
            for (name, since, value) in VALUES_OF_OMITTED_PARAMETERS {
                if request.level >= *since {
                    request.values.entry((*name).into()).or_insert_with(|| (*value).into());
                }
            }
            Ok(())
        }),
    },
];

/// The name of a parameter, the first level with the parameter, and the value that it gets when it is omitted.
const VALUES_OF_OMITTED_PARAMETERS: &[(&str, i64, &str)] = &[
    ("name", 0, ""),
    ("hint", 0, ""),
    ("field_data", 0, "{}"),
    ("display_in_profile_summary", 146, "false"),
    ("required", 244, "false"),
];

/// The types of profile fields.
const SHORT_TEXT: i64 = 1;
const PARAGRAPH: i64 = 2;
const PRONOUNS: i64 = 8;

/// Whether a request creates or changes a field for paragraphs.
fn is_paragraph(request: &Request<'_>) -> bool {
    match request.values.get("field_type") {
        Some(kind) => *kind == PARAGRAPH.to_string(),
        None => {
            let id = request.path_id("field_id").map(ProfileFieldId);
            id.and_then(|id| request.realm.profile_fields.get(&id)).is_some_and(|field| field.kind == PARAGRAPH)
        }
    }
}
