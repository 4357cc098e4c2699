//! The part of the register reply that has the settings of the user and the defaults of new users.

use super::StateRequest;
use crate::realm::Realm;
use crate::realm::setting::{EMOJI_SETS, NOTIFICATION_SOUNDS, Setting, USER_SETTINGS};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A set of pictures for emoji.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EmojiSet {
    key: &'static str,
    /// The text that clients show.
    text: &'static str,
}

/// The lists of possible values that accompany the user settings.
pub fn setting_choices() -> Map<String, Value> {
    let emoji_sets: Vec<EmojiSet> = EMOJI_SETS.iter().map(|&(key, text)| EmojiSet { key, text }).collect();
    Map::from_iter([
        ("emojiset_choices".to_owned(), json!(emoji_sets)),
        ("available_notification_sounds".to_owned(), json!(NOTIFICATION_SOUNDS)),
    ])
}

/// `email_address_visibility` of new users; 1, everyone, by default.
fn default_email_visibility(realm: &Realm) -> Value {
    realm.organization.user_defaults.get("email_address_visibility").cloned().unwrap_or(json!(1))
}

/// The settings of the viewer; for spectators, the defaults of new users.
pub(super) fn user_settings(realm: &Realm, request: &StateRequest<'_>) -> Map<String, Value> {
    let mut settings = Map::new();
    for setting in USER_SETTINGS.iter() {
        let value = match request.viewer {
            Some(viewer) => realm.user_state(viewer.id).setting_named(setting.name),
            None => realm.organization.user_defaults.get(setting.name).unwrap_or(&setting.default),
        };
        settings.insert(setting.name.into(), value.clone());
    }
    let (timezone, visibility) = match request.viewer {
        Some(viewer) => (viewer.timezone.as_str(), json!(viewer.email_visibility.number())),
        None => ("", default_email_visibility(realm)),
    };
    settings.insert("timezone".into(), timezone.into());
    settings.insert("email_address_visibility".into(), visibility);
    settings.extend(setting_choices());
    settings
}

/// The default settings of new users.
pub(super) fn user_defaults(realm: &Realm) -> Map<String, Value> {
    let default =
        |setting: &Setting| realm.organization.user_defaults.get(setting.name).unwrap_or(&setting.default).clone();
    let mut defaults: Map<String, Value> =
        USER_SETTINGS.iter().map(|setting| (setting.name.to_owned(), default(setting))).collect();
    defaults.insert("email_address_visibility".into(), default_email_visibility(realm));
    defaults.extend(setting_choices());
    defaults
}
