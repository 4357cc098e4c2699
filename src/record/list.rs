//! Whole lists, as the register reply and events have them.

use crate::realm::id::ProfileFieldId;
use crate::realm::linkifier::Linkifier;
use crate::realm::organization::ProfileField;
use imbl::{OrdMap, Vector};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A linkifier as clients see it (specification, Linkifier; A-45).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Linkifier")]
pub struct LinkifierRecord {
    /// Its ID.
    pub id: i64,
    /// The same.
    pub filter_id: i64,
    /// Python regular expression.
    pub pattern: String,
    /// RFC 6570 template over the pattern's groups.
    pub url_template: String,
    /// A text that the pattern matches.
    pub example_input: Option<String>,
    /// Template that makes the text from the pattern's groups.
    pub reverse_template: Option<String>,
    /// Further templates of URLs from which the text is made.
    pub alternative_url_templates: Vec<String>,
}

impl LinkifierRecord {
    /// A linkifier.
    pub fn new(linkifier: &Linkifier) -> Self {
        Self {
            id: linkifier.id.0,
            filter_id: linkifier.id.0,
            pattern: linkifier.pattern.clone(),
            url_template: linkifier.url_template.clone(),
            example_input: linkifier.example_input.clone(),
            reverse_template: linkifier.reverse_template.clone(),
            alternative_url_templates: linkifier.alternative_url_templates.clone(),
        }
    }
}

/// Linkifiers in the order in which they apply.
pub fn linkifiers(all: &Vector<Arc<Linkifier>>) -> Vec<LinkifierRecord> {
    all.iter().map(|linkifier| LinkifierRecord::new(linkifier)).collect()
}

/// A custom profile field as clients see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProfileField")]
pub struct ProfileFieldRecord {
    /// Its ID.
    pub id: i64,
    /// 1 short text, 2 paragraph, 3 choice, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = [1, 2, 3, 4, 5, 6, 7, 8]))]
    pub kind: i64,
    /// Its position.
    pub order: i64,
    /// Label.
    pub name: String,
    /// Help.
    pub hint: String,
    /// Choices or the account's site, as JSON text; "" if the type has none.
    pub field_data: String,
    /// Users must fill it in.
    pub required: bool,
    /// Whether users may edit it themselves, or only administrators.
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
    /// A field.
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

/// Custom profile fields in their order.
pub fn profile_fields(fields: &OrdMap<ProfileFieldId, Arc<ProfileField>>) -> Vec<ProfileFieldRecord> {
    let mut fields: Vec<_> = fields.values().collect();
    fields.sort_by_key(|field| (field.order, field.id));
    fields.into_iter().map(|field| ProfileFieldRecord::new(field)).collect()
}
