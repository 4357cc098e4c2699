//! The API's record of a linkifier.

use crate::realm::linkifier::Linkifier;
use imbl::Vector;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A rule by which texts in messages become links (specification, Linkifier; A-45).
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Linkifier")]
pub struct LinkifierRecord {
    /// ID of the linkifier.
    pub id: i64,
    /// The same as `id`, under its former name.
    pub filter_id: i64,
    /// Regular expression in the syntax of Python, for texts that become links.
    pub pattern: String,
    /// URL of the links: an RFC 6570 template with the pattern's named groups as variables.
    pub url_template: String,
    /// A text that the pattern matches; null if none is given.
    pub example_input: Option<String>,
    /// Template that makes the text from the pattern's groups; null if none is given.
    pub reverse_template: Option<String>,
    /// Further templates of URLs from which the text is made.
    pub alternative_url_templates: Vec<String>,
}

impl LinkifierRecord {
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

/// The records in the order in which the linkifiers apply.
pub fn linkifier_records(linkifiers: &Vector<Arc<Linkifier>>) -> Vec<LinkifierRecord> {
    linkifiers.iter().map(|linkifier| LinkifierRecord::new(linkifier)).collect()
}
