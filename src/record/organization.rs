//! The API's records of an organization's domains and code playgrounds.

use crate::realm::playground::Playground;
use schemars::JsonSchema;
use serde::Serialize;

/// A domain of the organization.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmDomain")]
pub struct DomainRecord {
    /// The domain, in lowercase.
    pub domain: String,
    /// Addresses of its subdomains are accepted too.
    pub allow_subdomains: bool,
}

/// A playground as clients see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmPlayground")]
pub struct PlaygroundRecord {
    /// Its ID.
    pub id: i64,
    /// Display name.
    pub name: String,
    /// The highlighter's name of the language.
    pub pygments_language: String,
    /// RFC 6570 template with the variable `code`.
    pub url_template: String,
}

impl PlaygroundRecord {
    pub fn new(playground: &Playground) -> Self {
        Self {
            id: playground.id,
            name: playground.name.clone(),
            pygments_language: playground.language.clone(),
            url_template: playground.url_template.clone(),
        }
    }
}
