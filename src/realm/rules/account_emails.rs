//! Validation of email addresses for accounts.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::email::is_email;
use crate::realm::setting::RealmSetting;

/// Common domains of disposable mailboxes.
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

/// Trims and validates the address of a new account or a change of address.
///
/// # Errors
///
/// In this order: `BadNameOrUsername`, those of [`check_email_restrictions`], `EmailInUse`.
pub fn checked_email(realm: &Realm, email: &str) -> Result<String, Error> {
    let email = email.trim();
    if !is_email(email) {
        return Err(Error::BadNameOrUsername);
    }
    check_email_restrictions(realm, email)?;
    // A dummy address is reserved for the user whose ID it contains, even if no user has this ID yet.
    if realm.user_by_email(email).is_some() || realm.is_dummy_email(email) {
        return Err(Error::EmailInUse);
    }
    Ok(email.to_owned())
}

/// Checks that the organization accepts an address: its domain and, if domains are restricted, the part before it.
///
/// # Errors
///
/// `EmailContainsPlus`, `EmailNotAllowed`, in this order, if addresses are restricted to domains; else
/// `EmailDisposable`.
pub fn check_email_restrictions(realm: &Realm, email: &str) -> Result<(), Error> {
    let organization = &realm.organization;
    let (local_part, domain) = email.rsplit_once('@').unwrap_or_default();
    let domain = domain.to_lowercase();
    let is_subdomain_of = |parent: &str| domain.strip_suffix(parent).is_some_and(|prefix| prefix.ends_with('.'));
    if !organization.is_enabled(RealmSetting::EmailsRestrictedToDomains) {
        let is_disposable = DISPOSABLE_DOMAINS
            .iter()
            .any(|disposable_domain| domain == *disposable_domain || is_subdomain_of(disposable_domain));
        let is_refused = is_disposable && organization.is_enabled(RealmSetting::DisallowDisposableEmailAddresses);
        return if is_refused { Err(Error::EmailDisposable) } else { Ok(()) };
    }
    // With a plus, one mailbox has any number of addresses.
    if local_part.contains('+') {
        return Err(Error::EmailContainsPlus);
    }
    let is_allowed = |(allowed_domain, with_subdomains): &(String, bool)| {
        domain == *allowed_domain || (*with_subdomains && is_subdomain_of(allowed_domain))
    };
    if organization.domains.iter().any(is_allowed) {
        Ok(())
    } else {
        Err(Error::EmailNotAllowed { email: email.into() })
    }
}
