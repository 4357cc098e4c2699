//! The API's record of a domain of email addresses.

use schemars::JsonSchema;
use serde::Serialize;

/// A domain to which email addresses can be restricted.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmDomain")]
pub struct DomainRecord {
    /// Name of the domain, in lowercase.
    pub domain: String,
    /// Whether addresses of its subdomains are accepted too.
    pub allow_subdomains: bool,
}
