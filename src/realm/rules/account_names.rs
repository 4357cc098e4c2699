//! Validation of display names and passwords of accounts.

use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::setting::MAX_PASSWORD_LENGTH;
use crate::realm::setting::RealmSetting;
use crate::realm::text::{has_category_c_character, invalid_character};
use unicode_normalization::UnicodeNormalization;

/// In code points.
pub const MAX_NAME_LENGTH: usize = 100;

/// Trims and validates a display name. `renamed_user` is None for a new account.
///
/// # Errors
///
/// In this order: `NameTooLong`, `NameEmpty`, `NameInvalidCharacters`, `NameInvalidFormat`, `NameTaken`.
pub fn checked_name(
    realm: &Realm,
    name: &str,
    renamed_user: Option<UserId>,
    feature_level: i64,
) -> Result<String, Error> {
    let name = name.trim();
    if name.chars().count() > MAX_NAME_LENGTH {
        return Err(Error::NameTooLong);
    }
    let is_too_short = !Feature::NamesOfOneCharacter.is_at(feature_level) && name.chars().count() < 2;
    if name.is_empty() || is_too_short {
        return Err(Error::NameEmpty);
    }
    let is_unprintable = match Feature::InvisibleCharactersInNames.is_at(feature_level) {
        true => invalid_character(name).is_some(),
        false => has_category_c_character(name),
    };
    if is_unprintable || name.contains(|character| "*`\\>\"@".contains(character)) {
        return Err(Error::NameInvalidCharacters);
    }
    let has_mention_suffix = name
        .rsplit_once('|')
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    if has_mention_suffix {
        return Err(Error::NameInvalidFormat);
    }
    let folded_name = folded(name);
    let is_taken =
        || realm.users.values().any(|user| Some(user.id) != renamed_user && folded(&user.full_name) == folded_name);
    if realm.organization.is_enabled(RealmSetting::RequireUniqueNames) && is_taken() {
        return Err(Error::NameTaken);
    }
    Ok(name.to_owned())
}

/// Normalizes the width and case of letters, so that names that look alike are equal.
fn folded(name: &str) -> String {
    name.nfkc().flat_map(char::to_lowercase).collect()
}

/// Whether guessing a password takes at least `guesses` attempts. An attacker tries `guessable_words` first.
#[cfg(feature = "password-strength")]
fn requires_guesses(password: &str, guessable_words: &[&str], guesses: u64) -> bool {
    zxcvbn::zxcvbn(password, guessable_words).guesses() >= guesses
}

#[cfg(not(feature = "password-strength"))]
fn requires_guesses(_: &str, _: &[&str], _: u64) -> bool {
    true
}

/// Checks the length and strength of a password (`password_min_length`, `password_min_guesses`). An attacker would try
/// `guessable_words` first.
///
/// # Errors
///
/// `PasswordTooWeak`.
pub fn check_password(realm: &Realm, password: &str, guessable_words: &[&str]) -> Result<(), Error> {
    let limit = |setting| realm.organization.limit(setting).unwrap_or_default();
    let length = i64::try_from(password.chars().count()).unwrap_or(i64::MAX);
    let has_valid_length = (limit(RealmSetting::PasswordMinLength).max(1)..=MAX_PASSWORD_LENGTH).contains(&length);
    let min_guesses = u64::try_from(limit(RealmSetting::PasswordMinGuesses)).unwrap_or_default();
    if has_valid_length && (min_guesses <= 1 || requires_guesses(password, guessable_words, min_guesses)) {
        Ok(())
    } else {
        Err(Error::PasswordTooWeak)
    }
}
