//! Whether a name is free for a new organization.
//!
//! Choices where the API is silent: A-151 in docs/assumptions.md.

use crate::api::{Call, Read, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use schemars::JsonSchema;
use serde::Serialize;

/// Shortest name of an organization, in bytes.
const SHORTEST: usize = 3;
/// Longest name of an organization, in bytes: that of a label in a host name.
const LONGEST: usize = 63;

operation! {
    /// Returns in `msg` whether a subdomain is free for a new organization: `available`, or the reason why not.
    pub CheckSubdomain = GET "/realm/subdomain/{subdomain}", for Anyone;
    params {
        /// The name.
        @path subdomain: String,
    }
    reply SubdomainReply;
    message |reply| reply.verdict;
}

/// The result, which is in `msg`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubdomainReply {
    #[serde(skip)]
    verdict: &'static str,
}

impl Read for CheckSubdomain {
    fn run(realm: &Realm, call: &Call<'_>, params: Self::Params) -> Result<SubdomainReply, Error> {
        let verdict = match verdict(realm, &params.subdomain) {
            IN_USE if !call.has(Feature::NamesAreInUse) => FORMER_IN_USE,
            verdict => verdict,
        };
        Ok(SubdomainReply { verdict })
    }
}

const IN_USE: &str = "Subdomain is already in use. Please choose a different one.";
const FORMER_IN_USE: &str = "Subdomain already in use. Please choose a different one.";

/// `available`, or why a name can't be had.
fn verdict(realm: &Realm, name: &str) -> &'static str {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !name.bytes().all(is_plain) {
        "Subdomain can only have lowercase letters, numbers, and '-'s."
    } else if name.starts_with('-') || name.ends_with('-') {
        "Subdomain cannot start or end with a '-'."
    } else if name.len() < SHORTEST {
        "Subdomain needs to have length 3 or greater."
    } else if name.len() > LONGEST {
        "A subdomain has 63 characters at most."
    } else if name == realm.organization.subdomain {
        IN_USE
    } else {
        "available"
    }
}
