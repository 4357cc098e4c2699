//! Converts profile fields to those of a fixture.

use super::directory::Directory;
use super::json::JsonFields;
use crate::api::profile_fields::MAX_FIELDS_IN_SUMMARY;
use crate::fixture::format::{FieldKind, ProfileField};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The kind of a profile field by its number in the API.
fn field_kind(number: i64) -> Option<FieldKind> {
    use FieldKind::{Choice, Date, ExternalAccount, Link, Paragraph, Pronouns, ShortText, Users};
    [ShortText, Paragraph, Choice, Date, Link, Users, ExternalAccount, Pronouns]
        .into_iter()
        .find(|kind| kind.number() == number)
}

/// The choices of a field, by key, or for an external account its `subtype` and its `url_pattern`, if any. None if the
/// field has no data.
fn field_data(record: &Value) -> Option<Map<String, Value>> {
    serde_json::from_str(record.text("field_data")).ok().filter(|data: &Map<String, Value>| !data.is_empty())
}

/// Converts a profile field; None if the directory does not have it, if this double does not have its kind, or if the
/// data that its kind needs are missing. `summary_field_count` is the number of fields in profile summaries so far.
pub fn convert_profile_field(
    record: &Value,
    summary_field_count: &mut usize,
    directory: &Directory,
) -> Option<ProfileField> {
    let id = record.integer("id")?;
    let kind = field_kind(record.integer("type")?)?;
    let needs_data = matches!(kind, FieldKind::Choice | FieldKind::ExternalAccount);
    let data = field_data(record).filter(|_| needs_data);
    if needs_data && data.is_none() {
        return None;
    }
    let in_summary = record.boolean("display_in_profile_summary") && *summary_field_count < MAX_FIELDS_IN_SUMMARY;
    *summary_field_count += usize::from(in_summary);
    Some(ProfileField {
        id: Some(id),
        name: directory.profile_fields.get(id)?.to_owned(),
        kind,
        hint: directory.convert_text(record.text("hint")),
        data: data.map(|data| anonymize_field_data(kind, data, directory)),
        in_summary,
        required: record.boolean("required"),
        locked: record["editable_by_user"] == false,
        for_matching: record.boolean("use_for_user_matching"),
    })
}

fn anonymize_field_data(kind: FieldKind, data: Map<String, Value>, directory: &Directory) -> Map<String, Value> {
    if directory.anonymizer.is_none() {
        return data;
    }
    let anonymous_entries = data.into_iter().map(|(key, value)| match (kind, value) {
        (FieldKind::Choice, Value::Object(mut choice)) => {
            let text = directory.convert_text(choice.get("text").and_then(Value::as_str).unwrap_or_default());
            choice.insert("text".to_owned(), text.into());
            (directory.convert_text(&key), Value::Object(choice))
        }
        (FieldKind::ExternalAccount, Value::String(url)) if key == "url_pattern" => {
            (key, directory.convert_url(&url).into())
        }
        (_, value) => (key, value),
    });
    anonymous_entries.collect()
}

/// The kind of a profile field, with the keys of its field data.
pub struct FieldChoices {
    pub kind: FieldKind,
    /// For a field with choices, the values of the choices.
    pub choices: Vec<String>,
}

/// The kinds and the choices of the profile fields, by ID.
pub fn fields_by_id(records: &[Value]) -> BTreeMap<i64, FieldChoices> {
    let field = |record: &Value| {
        let choices = field_data(record).map(|data| data.keys().cloned().collect()).unwrap_or_default();
        Some((record.integer("id")?, FieldChoices { kind: field_kind(record.integer("type")?)?, choices }))
    };
    records.iter().filter_map(field).collect()
}
