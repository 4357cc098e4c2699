//! Whole lists, as the register reply and events have them.

use super::emoji;
use crate::realm::Realm;
use crate::realm::event::List;
use crate::realm::id::{ProfileFieldId, UserId};
use crate::realm::linkifier::Linkifier;
use crate::realm::organization::ProfileField;
use crate::time::Timestamp;
use imbl::{OrdMap, Vector};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The fields of an event that tells a list.
pub fn fields(realm: &Realm, list: &List) -> Map<String, Value> {
    let (key, value) = match list {
        List::AlertWords(words) => ("alert_words", json!(words.iter().collect::<Vec<_>>())),
        List::MutedUsers(muted) => ("muted_users", muted_users(muted)),
        List::Linkifiers(all) => ("realm_linkifiers", json!(linkifiers(all))),
        List::LinkifierPairs(all) => {
            let rows = all.iter().map(|one| json!([one.pattern, one.url_template, one.id]));
            ("realm_filters", rows.collect())
        }
        List::ProfileFields(all) => ("fields", profile_fields(all)),
        List::CustomEmoji(all) => ("realm_emoji", json!(emoji::all(realm, all))),
    };
    Map::from_iter([(key.to_owned(), value)])
}

/// Whom a user muted.
pub fn muted_users(muted: &OrdMap<UserId, Timestamp>) -> Value {
    muted.iter().map(|(user, at)| json!({"id": user, "timestamp": at.seconds()})).collect()
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
