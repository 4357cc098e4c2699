//! Domains from which addresses are accepted where these are restricted.
//!
//! Choices where the API is silent: A-137 in docs/assumptions.md.

use super::check_may_decide_on_sign_up;
use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Read, Route, Success, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::Event;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A domain of the organization.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "RealmDomain")]
pub struct DomainRecord {
    /// The domain, in lower case.
    pub domain: String,
    /// Addresses of its subdomains are accepted too.
    pub allow_subdomains: bool,
}

/// The organization's domains as clients see them.
pub fn records(realm: &Realm) -> Vec<DomainRecord> {
    let domains = realm.organization.domains.iter();
    domains.map(|(domain, allow)| DomainRecord { domain: domain.clone(), allow_subdomains: *allow }).collect()
}

/// GET /realm/domains
pub struct GetDomains;

parameters! {
    /// Takes none.
    pub struct GetDomainsParams {}
}

/// All domains.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DomainsReply {
    /// In the order in which they were added.
    pub domains: Vec<DomainRecord>,
}

impl Operation for GetDomains {
    const ROUTE: Route = Route::get("/realm/domains");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Lists the domains from which addresses are accepted where these are restricted.",
        since: 0,
        is_specified: false,
        errors: &[],
        events: &[],
    };
    type Params = GetDomainsParams;
    type Reply = DomainsReply;
}

impl Read for GetDomains {
    fn run(realm: &Realm, _call: &Call<'_>, _params: Self::Params) -> Result<DomainsReply, Error> {
        Ok(DomainsReply { domains: records(realm) })
    }
}

/// POST /realm/domains
pub struct AddDomain;

parameters! {
    /// Which domain.
    pub struct AddDomainParams {
        /// The domain, `example.com`; case does not matter.
        domain: String,
        /// Accept addresses of its subdomains too.
        allow_subdomains: bool,
    }
}

/// The new domain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NewDomainReply {
    /// Its ID and itself.
    pub new_domain: Vec<Value>,
}

impl Operation for AddDomain {
    const ROUTE: Route = Route::post("/realm/domains");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Adds a domain; for owners.",
        since: 0,
        is_specified: false,
        errors: &["OwnerRequired", "InvalidDomain", "DomainExists"],
        events: &["realm_domains add"],
    };
    type Params = AddDomainParams;
    type Reply = NewDomainReply;
}

impl Write for AddDomain {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<NewDomainReply, Error> {
        check_may_decide_on_sign_up(call)?;
        let domain = checked_domain(&params.domain)?;
        if position(tx, &domain).is_some() {
            return Err(Error::DomainExists { domain: domain.into() });
        }

        let domains = domains_mut(tx);
        domains.push((domain.clone(), params.allow_subdomains));
        let id = domains.len();
        emit(tx, "add", json!({"realm_domain": {"domain": domain, "allow_subdomains": params.allow_subdomains}}));
        Ok(NewDomainReply { new_domain: vec![id.into(), domain.into()] })
    }
}

/// PATCH /realm/domains/{domain}
pub struct EditDomain;

parameters! {
    /// Which domain, and what of it changes.
    pub struct EditDomainParams {
        /// The domain.
        @path domain: String,
        /// Accept addresses of its subdomains too.
        allow_subdomains: bool,
    }
}

impl Operation for EditDomain {
    const ROUTE: Route = Route::patch("/realm/domains/{domain}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Says whether addresses of a domain's subdomains are accepted; for owners.",
        since: 0,
        is_specified: false,
        errors: &["OwnerRequired", "NoSuchDomain"],
        events: &["realm_domains change"],
    };
    type Params = EditDomainParams;
    type Reply = Success;
}

impl Write for EditDomain {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        check_may_decide_on_sign_up(call)?;
        let index = known(tx, &params.domain)?;

        let (domain, allow_subdomains) = &mut domains_mut(tx)[index];
        *allow_subdomains = params.allow_subdomains;
        let record = json!({"domain": domain, "allow_subdomains": allow_subdomains});
        emit(tx, "change", json!({ "realm_domain": record }));
        Ok(Success {})
    }
}

/// DELETE /realm/domains/{domain}
pub struct RemoveDomain;

parameters! {
    /// Which domain.
    pub struct RemoveDomainParams {
        /// The domain.
        @path domain: String,
    }
}

impl Operation for RemoveDomain {
    const ROUTE: Route = Route::delete("/realm/domains/{domain}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Removes a domain; for owners. Without any, addresses are not restricted to domains any more.",
        since: 0,
        is_specified: false,
        errors: &["OwnerRequired", "NoSuchDomain"],
        events: &["realm_domains remove", "realm update"],
    };
    type Params = RemoveDomainParams;
    type Reply = Success;
}

impl Write for RemoveDomain {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        check_may_decide_on_sign_up(call)?;
        let index = known(tx, &params.domain)?;

        let (domain, _) = domains_mut(tx).remove(index);
        emit(tx, "remove", json!({ "domain": domain }));
        if tx.organization.domains.is_empty() && tx.organization.is_on("emails_restricted_to_domains") {
            super::change_setting(tx, "emails_restricted_to_domains", &false.into());
        }
        Ok(Success {})
    }
}

/// A domain as it is stored: two labels or more.
fn checked_domain(text: &str) -> Result<String, Error> {
    let domain = text.trim().to_lowercase();
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let problem = if domain.is_empty() {
        "Domain can't be empty."
    } else if !domain.contains('.') {
        "Domain must have at least one dot (.)"
    } else if domain.len() > 253 {
        "Domain is too long"
    } else if !domain.split('.').all(is_label) {
        "Domain has a label that is empty, too long or has characters that labels can't have"
    } else {
        return Ok(domain);
    };
    Err(Error::InvalidDomain { error: problem.into() })
}

fn position(realm: &Realm, domain: &str) -> Option<usize> {
    realm.organization.domains.iter().position(|(other, _)| other.eq_ignore_ascii_case(domain))
}

fn known(realm: &Realm, domain: &str) -> Result<usize, Error> {
    position(realm, domain).ok_or_else(|| Error::NoSuchDomain { domain: domain.into() })
}

fn domains_mut(tx: &mut Tx) -> &mut Vec<(String, bool)> {
    &mut Arc::make_mut(&mut tx.realm_mut().organization).domains
}

fn emit(tx: &mut Tx, op: &'static str, fields: Value) {
    let everyone = tx.everyone();
    tx.emit(everyone, Event::shaped("realm_domains", Some(op), fields));
}
