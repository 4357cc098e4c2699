//! Validation of the display names of accounts.

use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::setting::RealmSetting;
use crate::realm::text::{has_category_c_character, invalid_character_position};
use unicode_normalization::UnicodeNormalization;

/// In code points.
pub const MAX_NAME_LENGTH: usize = 100;

/// Trims and validates a display name. `renamed_user` is None for a new account.
///
/// # Errors
///
/// In this order: `NameTooLong`; `NameEmpty`, also for a single character below the level of
/// [`Feature::NamesOfOneCharacter`]; `NameInvalidCharacters`; `NameInvalidFormat`; `NameTaken`.
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
        true => invalid_character_position(name).is_some(),
        false => has_category_c_character(name),
    };
    if is_unprintable || name.contains(|character| "*`\\>\"@".contains(character)) {
        return Err(Error::NameInvalidCharacters);
    }
    // In mentions, `|` and an ID follow the name.
    let has_mention_suffix = name
        .rsplit_once('|')
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    if has_mention_suffix {
        return Err(Error::NameInvalidFormat);
    }
    let folded_name = fold_name(name);
    let is_taken =
        || realm.users.values().any(|user| Some(user.id) != renamed_user && fold_name(&user.full_name) == folded_name);
    if realm.organization.is_enabled(RealmSetting::RequireUniqueNames) && is_taken() {
        return Err(Error::NameTaken);
    }
    Ok(name.to_owned())
}

/// Normalizes case and compatibility characters, such as full-width letters, so that names that differ only in these
/// are equal.
fn fold_name(name: &str) -> String {
    name.nfkc().flat_map(char::to_lowercase).collect()
}
