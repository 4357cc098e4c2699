//! Checks of the values of user settings beyond their type, the languages, and the default values of new users.

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::setting::{FORMER_USER_SETTINGS, NO_SOUND, NOTIFICATION_SOUNDS, USER_SETTINGS, find, former_default};
use serde_json::Value;

const MAX_BATCHING_PERIOD_SECONDS: i64 = 604_800;

/// The languages that `default_language` can have: the code of each, and its name in that language.
const LANGUAGES: [(&str, &str); 24] = [
    ("ar", "العربية"),
    ("bg", "Български"),
    ("ca", "català"),
    ("cs", "česky"),
    ("da", "dansk"),
    ("de", "Deutsch"),
    ("en", "English"),
    ("en-gb", "British English"),
    ("es", "español"),
    ("fa", "فارسی"),
    ("fi", "suomi"),
    ("fr", "français"),
    ("hi", "हिन्दी"),
    ("hu", "magyar"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ko", "한국어"),
    ("nl", "Nederlands"),
    ("pl", "polski"),
    ("pt-br", "Português brasileiro"),
    ("ru", "Русский"),
    ("sv", "svenska"),
    ("tr", "Türkçe"),
    ("zh-hans", "简体中文"),
];

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

/// The name of a language in that language. None for an unknown code.
pub fn language_name(code: &str) -> Option<&'static str> {
    LANGUAGES.iter().find(|(language_code, _)| *language_code == code).map(|(_, name)| *name)
}

/// The value of a setting for new users, at a feature level.
pub fn default_user_setting(realm: &Realm, level: i64, name: &str) -> Value {
    let override_value = realm.organization.user_defaults.get(name).cloned().or_else(|| former_default(name, level));
    // Of the settings that new users have defaults for, only `email_address_visibility` has no row. Its default is 1
    // (everyone).
    let row = find(&USER_SETTINGS, name).or_else(|| find(&FORMER_USER_SETTINGS, name));
    override_value.unwrap_or_else(|| row.map_or(Value::from(1), |row| row.default.clone()))
}
