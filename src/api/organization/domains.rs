//! Domains of the organization, to which email addresses can be restricted.
//!
//! A choice where the API is silent: A-137 in docs/assumptions.md.

use crate::api::{OperationContext, Read, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::record::domain::DomainRecord;
use crate::record::events::{RealmDomainsAdd, RealmDomainsChange, RealmDomainsRemove};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// Maximum length of a domain, in code points.
const MAX_DOMAIN_LENGTH: usize = 255;

/// The records of all domains, oldest first.
pub fn domain_records(realm: &Realm) -> Vec<DomainRecord> {
    let domains = realm.organization.domains.iter();
    let record = |(domain, allow_subdomains): &(String, bool)| DomainRecord {
        domain: domain.clone(),
        allow_subdomains: *allow_subdomains,
    };
    domains.map(record).collect()
}

operation! {
    /// Lists the domains to which email addresses can be restricted.
    pub GetDomains = GET "/realm/domains", for User;
    reply DomainsReply;
}

/// The organization's domains.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DomainsReply {
    /// In the order in which they were added.
    pub domains: Vec<DomainRecord>,
}

impl Read for GetDomains {
    fn run(realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<DomainsReply, Error> {
        Ok(DomainsReply { domains: domain_records(realm) })
    }
}

operation! {
    /// Adds a domain to which email addresses can be restricted.
    pub AddDomain = POST "/realm/domains", for Owner;
    params {
        /// For example `example.com`; made lower case. The organization must not have it yet.
        domain: String,
        /// Whether addresses of subdomains are accepted too.
        allow_subdomains: bool,
    }
    reply NewDomainReply;
    errors [InvalidDomain, DomainExists];
    events [RealmDomainsAdd];
}

/// The domain that was added.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewDomainReply {
    /// The place of the domain in the list, from 1, and then the domain in lower case.
    pub new_domain: Vec<Value>,
}

impl Write for AddDomain {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<NewDomainReply, Error> {
        let domain = normalize_domain(&params.domain)?;
        if find_domain_index(tx, &domain).is_some() {
            return Err(Error::DomainExists { domain: domain.into() });
        }

        let domains = domains_mut(tx);
        domains.push((domain.clone(), params.allow_subdomains));
        // The ID of a domain is its place in the list.
        let id = domains.len();
        let record = DomainRecord { domain: domain.clone(), allow_subdomains: params.allow_subdomains };
        tx.emit(tx.everyone(), RealmDomainsAdd { realm_domain: record });
        Ok(NewDomainReply { new_domain: vec![id.into(), domain.into()] })
    }
}

operation! {
    /// Changes whether addresses of a domain's subdomains are accepted.
    pub EditDomain = PATCH "/realm/domains/{domain}", for Owner;
    params {
        /// A domain of the organization; case does not matter.
        @path domain: String,
        /// Whether addresses of subdomains are accepted too.
        allow_subdomains: bool,
    }
    errors [NoSuchDomain];
    events [RealmDomainsChange];
}

impl Write for EditDomain {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = require_domain_index(tx, &params.domain)?;

        let (domain, allow_subdomains) = &mut domains_mut(tx)[index];
        *allow_subdomains = params.allow_subdomains;
        let record = DomainRecord { domain: domain.clone(), allow_subdomains: *allow_subdomains };
        tx.emit(tx.everyone(), RealmDomainsChange { realm_domain: record });
        Ok(Success {})
    }
}

operation! {
    /// Removes a domain. Without any domain, addresses are no longer restricted.
    pub RemoveDomain = DELETE "/realm/domains/{domain}", for Owner;
    params {
        /// A domain of the organization; case does not matter.
        @path domain: String,
    }
    errors [NoSuchDomain];
    events [RealmDomainsRemove, RealmUpdate];
}

impl Write for RemoveDomain {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let index = require_domain_index(tx, &params.domain)?;

        let (domain, _) = domains_mut(tx).remove(index);
        tx.emit(tx.everyone(), RealmDomainsRemove { domain });
        if tx.organization.domains.is_empty() && tx.organization.is_enabled(RealmSetting::EmailsRestrictedToDomains) {
            super::change_setting(tx, "emails_restricted_to_domains", &false.into());
        }
        Ok(Success {})
    }
}

/// Checks a domain and returns it trimmed and in lower case.
fn normalize_domain(text: &str) -> Result<String, Error> {
    let domain = text.trim().to_lowercase();
    match domain_problem(&domain) {
        Some(problem) => Err(Error::InvalidDomain { error: problem.into() }),
        None => Ok(domain),
    }
}

fn domain_problem(domain: &str) -> Option<&'static str> {
    if domain.is_empty() {
        return Some("Domain can't be empty.");
    }
    if !domain.contains('.') {
        return Some("Domain must have at least one dot (.)");
    }
    if domain.chars().count() > MAX_DOMAIN_LENGTH {
        return Some("Domain is too long");
    }
    if domain.starts_with('.') || domain.ends_with('.') {
        return Some("Domain cannot start or end with a dot (.)");
    }
    domain.split('.').find_map(label_problem)
}

fn label_problem(label: &str) -> Option<&'static str> {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if label.is_empty() {
        return Some("Consecutive '.' are not allowed.");
    }
    if label.starts_with('-') || label.ends_with('-') {
        return Some("Subdomains cannot start or end with a '-'.");
    }
    (!label.bytes().all(is_allowed)).then_some("Domain can only have letters, numbers, '.' and '-'s.")
}

fn find_domain_index(realm: &Realm, domain: &str) -> Option<usize> {
    realm.organization.domains.iter().position(|(other, _)| other.eq_ignore_ascii_case(domain))
}

fn require_domain_index(realm: &Realm, domain: &str) -> Result<usize, Error> {
    find_domain_index(realm, domain).ok_or_else(|| Error::NoSuchDomain { domain: domain.into() })
}

fn domains_mut(tx: &mut Tx) -> &mut Vec<(String, bool)> {
    &mut Arc::make_mut(&mut tx.realm_mut().organization).domains
}
