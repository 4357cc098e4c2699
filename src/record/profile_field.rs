//! The API's record of a custom profile field.

use crate::realm::id::ProfileFieldId;
use crate::realm::profile_field::ProfileField;
use imbl::OrdMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A field that the organization adds to the profiles of users.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProfileField")]
pub struct ProfileFieldRecord {
    /// ID of the field, by which users' values are listed.
    pub id: i64,
    /// Type of values: 1 short text, 2 paragraph, 3 choice, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = [1, 2, 3, 4, 5, 6, 7, 8]))]
    pub kind: i64,
    /// Position among the fields, ascending.
    pub order: i64,
    /// Label of the field in profiles.
    pub name: String,
    /// Help for users who fill it in; "" for none.
    pub hint: String,
    /// Choices or the account's site, as JSON text; "" if the type has none.
    pub field_data: String,
    /// Whether users are asked to fill it in.
    pub required: bool,
    /// Whether users may edit their own value; administrators always may.
    pub editable_by_user: bool,
    /// True if it is shown in the summary; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub display_in_profile_summary: Option<bool>,
    /// True if users can be found by it; otherwise absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub use_for_user_matching: Option<bool>,
}

impl ProfileFieldRecord {
    pub fn new(field: &ProfileField) -> Self {
        Self {
            id: field.id.0,
            kind: field.kind,
            order: field.order,
            name: field.name.clone(),
            hint: field.hint.clone(),
            field_data: field.data.clone(),
            required: field.is_required,
            editable_by_user: field.is_editable,
            display_in_profile_summary: field.in_summary.then_some(true),
            use_for_user_matching: field.is_for_matching.then_some(true),
        }
    }
}

/// The records in the order of the fields.
pub fn profile_field_records(fields: &OrdMap<ProfileFieldId, Arc<ProfileField>>) -> Vec<ProfileFieldRecord> {
    let mut fields: Vec<_> = fields.values().collect();
    fields.sort_by_key(|field| (field.order, field.id));
    fields.into_iter().map(|field| ProfileFieldRecord::new(field)).collect()
}
