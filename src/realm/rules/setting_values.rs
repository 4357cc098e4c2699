//! Checks of the values of user settings beyond their type, and the default values of new users.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::rules::languages::language_name;
use crate::realm::setting::{FORMER_USER_SETTINGS, NO_SOUND, NOTIFICATION_SOUNDS, USER_SETTINGS, find, former_default};
use serde_json::Value;

const MAX_BATCHING_PERIOD_SECONDS: i64 = 604_800;

/// Checks a value that already has the type of the setting.
///
/// # Errors
///
/// `InvalidValue`, `InvalidNotificationSound`, `InvalidBatchingPeriod`.
pub fn check_setting(name: &str, value: &Value) -> Result<(), Error> {
    let text = value.as_str().unwrap_or_default();
    match name {
        "default_language" if language_name(text).is_none() => Err(Error::InvalidValue { parameter: name.into() }),
        "notification_sound" if text != NO_SOUND && !NOTIFICATION_SOUNDS.contains(&text) => {
            Err(Error::InvalidNotificationSound { sound: text.into() })
        }
        "email_notifications_batching_period_seconds" => {
            let seconds = value.as_i64().unwrap_or_default();
            let is_valid = (1..=MAX_BATCHING_PERIOD_SECONDS).contains(&seconds);
            if is_valid { Ok(()) } else { Err(Error::InvalidBatchingPeriod { seconds: seconds.into() }) }
        }
        _ => Ok(()),
    }
}

/// The value of a setting for new users, at a feature level.
pub fn default_user_setting(realm: &Realm, level: i64, name: &str) -> Value {
    let special_default = realm.organization.user_defaults.get(name).cloned().or_else(|| former_default(name, level));
    // Of the settings that new users have defaults for, only `email_address_visibility` has no row. Its default is 1
    // (everyone).
    let row = find(&USER_SETTINGS, name).or_else(|| find(&FORMER_USER_SETTINGS, name));
    special_default.unwrap_or_else(|| row.map_or(Value::from(1), |row| row.default.clone()))
}
