//! Events about changed user settings, and about the consent to exports.

use super::legacy;
use crate::realm::event::Audience;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::user::Role;
use crate::record::events::{RealmExportConsent, UserSettingsUpdate};
use serde_json::Value;

/// Reports a changed setting. `language` is the name of the new language if the setting is `default_language`.
///
/// Events: `user_settings` update to the user. Below 439, also the event of the older type, if the setting has one, to
/// clients without the capability `user_settings_object`.
pub fn emit_setting_change(tx: &mut Tx, user: UserId, name: &str, value: Value, language: Option<&str>) {
    let language_name = language.map(str::to_owned);
    let event = UserSettingsUpdate { property: name.to_owned(), value: value.clone(), language_name };
    tx.emit(Audience::of_user(user), event);
    legacy::emit_legacy_event(tx, user, name, &value, language);
}

/// Reports whether a user consents to exports: the setting `allow_private_data_export`.
///
/// Event: `realm_export_consent` to administrators.
pub fn emit_export_consent(tx: &mut Tx, user: UserId, consented: bool) {
    let admins = Audience::of_users(tx.users_with_role_or_higher(Role::Administrator));
    tx.emit(admins, RealmExportConsent { user_id: user, consented });
}
