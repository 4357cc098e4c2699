//! Whole lists, as the register reply and events have them.

use crate::realm::id::{ProfileFieldId, UserId};
use crate::realm::linkifier::Linkifier;
use crate::realm::organization::ProfileField;
use crate::record::events::MutedUserRecord;
use crate::time::Timestamp;
use imbl::{OrdMap, Vector};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Whom a user muted.
pub fn muted_users(muted: &OrdMap<UserId, Timestamp>) -> Vec<MutedUserRecord> {
    muted.iter().map(|(user, at)| MutedUserRecord { id: *user, timestamp: at.seconds() }).collect()
}

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
    /// Leads from the groups back to the text.
    pub reverse_template: Option<String>,
    /// Further templates that lead back to the text.
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

/// Custom profile fields in their order.
pub fn profile_fields(fields: &OrdMap<ProfileFieldId, Arc<ProfileField>>) -> Value {
    let mut fields: Vec<_> = fields.values().collect();
    fields.sort_by_key(|field| (field.order, field.id));
    let record = |field: &ProfileField| {
        let mut record = json!({
            "id": field.id,
            "type": field.kind,
            "order": field.order,
            "name": field.name,
            "hint": field.hint,
            "field_data": field.data,
            "required": field.is_required,
            "editable_by_user": field.is_editable,
        });
        if field.in_summary {
            record["display_in_profile_summary"] = true.into();
        }
        if field.is_for_matching {
            record["use_for_user_matching"] = true.into();
        }
        record
    };
    fields.into_iter().map(|field| record(field)).collect()
}
