//! The operation that checks whether a subdomain is available for a new organization.
//!
//! A choice where the API is silent: A-151 in docs/assumptions.md.

use crate::api::{OperationContext, Read, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use schemars::JsonSchema;
use serde::Serialize;

/// Minimum length of a subdomain, in bytes.
const MIN_LENGTH: usize = 3;
/// Maximum length of a subdomain, in bytes, as for any label of a host name.
const MAX_LENGTH: usize = 63;

operation! {
    /// Returns in `msg` whether a subdomain is free for a new organization: `available`, or the reason why not.
    pub CheckSubdomain = GET "/realm/subdomain/{subdomain}", for Anyone;
    params {
        /// Subdomain to check: 3 to 63 lowercase letters, digits and inner hyphens.
        @path subdomain: String,
    }
    reply SubdomainReply;
    message |reply| reply.availability;
}

/// The result, which is in `msg`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubdomainReply {
    #[serde(skip)]
    availability: &'static str,
}

impl Read for CheckSubdomain {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<SubdomainReply, Error> {
        let availability = match describe_availability(realm, &params.subdomain) {
            IN_USE if !context.has(Feature::TakenNameMessageHasVerb) => LEGACY_IN_USE,
            availability => availability,
        };
        Ok(SubdomainReply { availability })
    }
}

const IN_USE: &str = "Subdomain is already in use. Please choose a different one.";
/// [`IN_USE`] at older levels.
const LEGACY_IN_USE: &str = "Subdomain already in use. Please choose a different one.";

/// Returns `available`, or the reason why the subdomain is not available.
fn describe_availability(realm: &Realm, name: &str) -> &'static str {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !name.bytes().all(is_allowed) {
        "Subdomain can only have lowercase letters, numbers, and '-'s."
    } else if name.starts_with('-') || name.ends_with('-') {
        "Subdomain cannot start or end with a '-'."
    } else if name.len() < MIN_LENGTH {
        "Subdomain needs to have length 3 or greater."
    } else if name.len() > MAX_LENGTH {
        "A subdomain has 63 characters at most."
    } else if name == realm.organization.subdomain {
        IN_USE
    } else {
        "available"
    }
}
