//! Validation of passwords.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::setting::{MAX_PASSWORD_LENGTH, RealmSetting};

/// Whether guessing a password takes at least `guesses` attempts. An attacker tries `guessable_words` first.
#[cfg(feature = "password-strength")]
fn requires_guesses(password: &str, guessable_words: &[&str], guesses: u64) -> bool {
    zxcvbn::zxcvbn(password, guessable_words).guesses() >= guesses
}

#[cfg(not(feature = "password-strength"))]
fn requires_guesses(_: &str, _: &[&str], _: u64) -> bool {
    true
}

/// Checks the length and, in builds with the feature `password-strength`, the strength of a password
/// (`password_min_length`, `password_min_guesses`). An attacker would try `guessable_words` first.
///
/// # Errors
///
/// `PasswordTooWeak`, also for a password that is too short or too long.
pub fn check_password(realm: &Realm, password: &str, guessable_words: &[&str]) -> Result<(), Error> {
    let limit = |setting| realm.organization.integer(setting).unwrap_or_default();
    let length = i64::try_from(password.chars().count()).unwrap_or(i64::MAX);
    let has_valid_length = (limit(RealmSetting::PasswordMinLength).max(1)..=MAX_PASSWORD_LENGTH).contains(&length);
    let min_guesses = u64::try_from(limit(RealmSetting::PasswordMinGuesses)).unwrap_or_default();
    if has_valid_length && (min_guesses <= 1 || requires_guesses(password, guessable_words, min_guesses)) {
        Ok(())
    } else {
        Err(Error::PasswordTooWeak)
    }
}
