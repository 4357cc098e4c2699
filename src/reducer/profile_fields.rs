//! Users' values of custom profile fields.

use super::State;
use super::json::{Object, into_object};
use serde_json::Value;
use std::collections::HashMap;

/// The types of profile fields whose values are Markdown: short and long texts.
const MARKDOWN_FIELD_TYPES: [i64; 2] = [1, 2];
/// The type of profile fields whose values are choices.
const CHOICE_FIELD_TYPE: i64 = 3;

impl State {
    /// Removes the users' values of removed profile fields and of removed choices.
    pub(super) fn remove_values_of_removed_fields(&mut self) {
        let fields = self.value.get("custom_profile_fields").and_then(Value::as_array).cloned().unwrap_or_default();
        let choices = |field: &Value| {
            let text = field["field_data"].as_str().filter(|_| field["type"] == CHOICE_FIELD_TYPE);
            text.and_then(|text| serde_json::from_str::<Object>(text).ok())
        };
        // None for a field without choices, or whose choices can't be parsed.
        let choices_by_field: HashMap<String, Option<Object>> =
            fields.iter().map(|field| (field["id"].to_string(), choices(field))).collect();
        let is_valid = |id: &String, value: &Value| match choices_by_field.get(id) {
            Some(Some(choices)) => value["value"].as_str().is_some_and(|choice| choices.contains_key(choice)),
            Some(None) => true,
            None => false,
        };
        for list in ["realm_users", "realm_non_active_users"] {
            for user in self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(values) = user.get_mut("profile_data").and_then(Value::as_object_mut) {
                    values.retain(|id, value| is_valid(id, value));
                }
            }
        }
    }

    /// Adds an empty `rendered_value` to a change whose new value is an empty text: the event does not have it, but
    /// users' records do.
    pub(super) fn restore_empty_html(&self, change: &mut Value) {
        let fields = self.value.get("custom_profile_fields").and_then(Value::as_array);
        let kind = fields.into_iter().flatten().find(|field| field["id"] == change["id"]).map(|field| &field["type"]);
        let is_text = kind.and_then(Value::as_i64).is_some_and(|kind| MARKDOWN_FIELD_TYPES.contains(&kind));
        if is_text && change["value"] == "" {
            change["rendered_value"] = "".into();
        }
    }
}

/// Sets a user's value of a profile field; null removes it.
pub(super) fn set_profile_field(user: &mut Object, field: &Value) {
    let Some(id) = field["id"].as_i64().map(|id| id.to_string()) else { return };
    let Some(values) = user.get_mut("profile_data").and_then(Value::as_object_mut) else { return };
    if field["value"].is_null() {
        values.shift_remove(&id);
    } else {
        let mut value = into_object(field.clone());
        value.remove("id");
        values.insert(id, value.into());
    }
}
