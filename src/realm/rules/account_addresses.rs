//! Addresses that the organization takes for its users.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::address::is_email;
use crate::realm::setting::RealmSetting;

/// Domains whose mailboxes anybody may read and nobody keeps; the best known ones.
const DISPOSABLE_DOMAINS: &[&str] = &[
    "10minutemail.com",
    "dispostable.com",
    "emailondeck.com",
    "fakeinbox.com",
    "getnada.com",
    "grr.la",
    "guerrillamail.com",
    "maildrop.cc",
    "mailinator.com",
    "mailnesia.com",
    "mintemail.com",
    "mohmal.com",
    "sharklasers.com",
    "temp-mail.org",
    "tempmail.com",
    "throwawaymail.com",
    "trashmail.com",
    "yopmail.com",
];

/// An address as it may be stored.
///
/// # Errors
///
/// In this order: `BadNameOrUsername`, those of [`check_domain`], `EmailInUse`.
pub fn checked_email(realm: &Realm, email: &str) -> Result<String, Error> {
    let email = email.trim();
    if !is_email(email) {
        return Err(Error::BadNameOrUsername);
    }
    check_domain(realm, email)?;
    // A dummy address is its user's for the API, once there is one.
    if realm.user_by_email(email).is_some() || realm.is_dummy_email(email) {
        return Err(Error::EmailInUse);
    }
    Ok(email.to_owned())
}

/// Whether the organization takes users with addresses of this domain.
///
/// # Errors
///
/// In this order: `EmailContainsPlus`, `EmailNotAllowed` where addresses are restricted to domains; elsewhere
/// `EmailDisposable`.
pub fn check_domain(realm: &Realm, email: &str) -> Result<(), Error> {
    let organization = &realm.organization;
    let (name, domain) = email.rsplit_once('@').unwrap_or_default();
    let domain = domain.to_lowercase();
    let is_below = |parent: &str| domain.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.'));
    if !organization.is_on(RealmSetting::EmailsRestrictedToDomains) {
        let is_disposable = DISPOSABLE_DOMAINS.iter().any(|known| domain == *known || is_below(known));
        let is_refused = is_disposable && organization.is_on(RealmSetting::DisallowDisposableEmailAddresses);
        return if is_refused { Err(Error::EmailDisposable) } else { Ok(()) };
    }
    if name.contains('+') {
        return Err(Error::EmailContainsPlus);
    }
    let is_of =
        |(allowed, with_subdomains): &(String, bool)| domain == *allowed || (*with_subdomains && is_below(allowed));
    if organization.domains.iter().any(is_of) { Ok(()) } else { Err(Error::EmailNotAllowed { email: email.into() }) }
}
