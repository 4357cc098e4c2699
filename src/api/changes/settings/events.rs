//! Events about changed user settings.

use super::legacy;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::record::events::UserSettingsUpdate;
use serde_json::Value;

/// `language` is the name of the new language if the setting is `default_language`.
///
/// Events: `user_settings` update to the user, and below 439 the event of the older type if the setting has one.
pub fn emit_setting_change(tx: &mut Tx, user: UserId, name: &str, value: Value, language: Option<&str>) {
    let language_name = language.map(str::to_owned);
    let event = UserSettingsUpdate { property: name.to_owned(), value: value.clone(), language_name };
    tx.emit(Audience::of_user(user), event);
    legacy::emit_legacy_event(tx, user, name, &value, language);
}
