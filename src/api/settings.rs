//! Changing the caller's settings and account, or other users' settings (reference behaviour, PATCH /settings).
//! Submodules have the legacy paths, the settings of other users, and the slash commands.
//!
//! A choice where the API is silent: A-70 in docs/assumptions.md.

pub mod command;
mod legacy_paths;
mod targets;

use super::{OperationContext, Success, Write, operation};
use crate::api::changes::settings::events::{emit_export_consent, emit_setting_change};
use crate::api::changes::users::account::{change_email_visibility, change_name};
use crate::api::parameter::types::user_settings::{SettingsParams, TimeZoneName};
use crate::error::{Error, ErrorKind};
use crate::realm::Realm;
use crate::realm::account_emails::check_email_restrictions;
use crate::realm::account_names::checked_name;
use crate::realm::email::is_email;
use crate::realm::event::EventKind;
use crate::realm::id::UserId;
use crate::realm::languages::language_name;
use crate::realm::passwords::check_password;
use crate::realm::presence::apply_presence_setting;
use crate::realm::setting::RealmSetting;
use crate::realm::setting::former_default;
use crate::realm::setting_values::check_setting;
use crate::realm::tx::Tx;
use crate::realm::user::{EmailVisibility, User};
use crate::record::events::{PersonUpdate, UserStatus};
pub use legacy_paths::{ChangeDisplaySettings, ChangeEnterSends, ChangeNotificationSettings};
use serde_json::Value;

const ERRORS: &[ErrorKind] = &[
    ErrorKind::BadValue,
    ErrorKind::InvalidValueBecause,
    ErrorKind::InvalidValue,
    ErrorKind::InvalidNotificationSound,
    ErrorKind::InvalidBatchingPeriod,
    ErrorKind::NoTargetUsers,
    ErrorKind::AdministratorRequired,
    ErrorKind::SettingIsPersonal,
    ErrorKind::InvalidGroupId,
    ErrorKind::InvalidUserId,
    ErrorKind::WrongPassword,
    ErrorKind::NewPasswordTooWeak,
    ErrorKind::EmailChangesDisabled,
    ErrorKind::AddressInvalid,
    ErrorKind::EmailContainsPlus,
    ErrorKind::AddressOutsideDomains,
    ErrorKind::AddressDisposable,
    ErrorKind::AddressTaken,
    ErrorKind::AddressDeactivated,
    ErrorKind::NameTooLong,
    ErrorKind::NameEmpty,
    ErrorKind::NameInvalidCharacters,
    ErrorKind::NameInvalidFormat,
    ErrorKind::NameTaken,
];
const EVENTS: &[EventKind] = &[
    EventKind::RealmUserUpdate,
    EventKind::UserSettingsUpdate,
    EventKind::UserStatus,
    EventKind::Presence,
    EventKind::RealmExportConsent,
];

operation! {
    /// Changes the caller's settings, name, password, time zone and visibility of the address, or other users'
    /// settings.
    pub ChangeSettings = PATCH "/settings", for Human;
    params from SettingsParams;
    errors in ERRORS;
    events in EVENTS;
    effects [EndsOtherSessions];
}

impl Write for ChangeSettings {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let user = context.shared_caller().clone();
        for (name, value) in &params.settings {
            check_setting(name, value)?;
        }
        if let Some(targets) = &params.target_users {
            return targets::change_target_settings(tx, &user, targets, &params);
        }
        check_new_password(tx, &user, &params)?;
        check_email(tx, &user, params.email.as_deref())?;
        let name = checked_new_name(tx, &user, params.full_name.as_deref())?;

        if let Some(password) = params.new_password {
            tx.user_mut(user.id).password = Some(password);
        }
        if let Some(name) = name {
            change_name(tx, user.id, name);
        }
        for (name, value) in params.settings {
            change_own_setting(tx, user.id, name, value);
        }
        if let Some(visibility) = params.email_address_visibility.and_then(EmailVisibility::from_number) {
            change_email_visibility_setting(tx, &user, visibility);
        }
        if let Some(timezone) = params.timezone {
            change_timezone(tx, &user, timezone);
        }
        Ok(Success {})
    }
}

fn check_new_password(realm: &Realm, user: &User, params: &SettingsParams) -> Result<(), Error> {
    let Some(password) = params.new_password.as_deref() else { return Ok(()) };
    // Users without a password can't set one this way either.
    if user.password.as_deref() != Some(params.old_password.as_deref().unwrap_or_default()) {
        return Err(Error::WrongPassword);
    }
    check_password(realm, password, &[&user.full_name, &user.email]).map_err(|_| Error::NewPasswordTooWeak)
}

/// Only checks the new address: it would apply after a confirmation by mail, and no mail is sent here.
fn check_email(realm: &Realm, user: &User, email: Option<&str>) -> Result<(), Error> {
    let Some(email) = email.map(str::trim).filter(|email| *email != user.email) else { return Ok(()) };
    if realm.organization.is_enabled(RealmSetting::EmailChangesDisabled) && !user.is_admin() {
        return Err(Error::EmailChangesDisabled);
    }
    if !is_email(email) {
        return Err(Error::AddressInvalid);
    }
    if email.to_lowercase() == user.email.to_lowercase() {
        return Ok(());
    }
    check_email_restrictions(realm, email).map_err(|error| match error {
        Error::EmailNotAllowed { .. } => Error::AddressOutsideDomains,
        Error::EmailDisposable => Error::AddressDisposable,
        other => other,
    })?;
    match realm.user_by_email(email).or_else(|| realm.user_by_dummy_email(email)) {
        Some(owner) if owner.is_active => Err(Error::AddressTaken),
        Some(_) => Err(Error::AddressDeactivated),
        // It would be the dummy address of a future user.
        None if realm.is_dummy_email(email) => Err(Error::AddressTaken),
        None => Ok(()),
    }
}

/// The new name. None if the request has none or repeats the current one; also, without an error, if only
/// administrators may change names and the user is none.
fn checked_new_name(tx: &Tx, user: &User, name: Option<&str>) -> Result<Option<String>, Error> {
    let are_changes_disabled = tx.organization.is_enabled(RealmSetting::NameChangesDisabled) && !user.is_admin();
    let Some(name) = name.filter(|name| *name != user.full_name && !are_changes_disabled) else { return Ok(None) };
    checked_name(tx, name, Some(user.id), tx.feature_level()).map(Some)
}

/// The setting whose event is emitted even if its value does not change, as on real servers.
const EMITTED_EVEN_IF_UNCHANGED: &str = "resolved_topic_notice_auto_read_policy";

/// Changes a setting for the user who requests it, and records that the user has edited it. A setting that has the
/// value already is left as it is, except for [`EMITTED_EVEN_IF_UNCHANGED`].
fn change_own_setting(tx: &mut Tx, user: UserId, name: &'static str, value: Value) {
    if current_value(tx, user, name) != value || name == EMITTED_EVEN_IF_UNCHANGED {
        tx.user_state_mut(user).edited_settings.insert(name.to_owned());
        change_setting(tx, user, name, value);
    }
}

/// The value of a setting, with the default of the world's level.
fn current_value(tx: &Tx, user: UserId, name: &str) -> Value {
    let state = tx.user_state(user);
    let legacy_default = || former_default(name, tx.feature_level()).filter(|_| !state.settings.contains_key(name));
    legacy_default().unwrap_or_else(|| state.setting_named(name).clone())
}

/// Changes a setting. If it has the value already, emits no event, except for [`EMITTED_EVEN_IF_UNCHANGED`].
fn change_setting(tx: &mut Tx, user: UserId, name: &'static str, value: Value) {
    if current_value(tx, user, name) == value && name != EMITTED_EVEN_IF_UNCHANGED {
        return;
    }
    let language = if name == "default_language" { value.as_str().and_then(language_name) } else { None };
    tx.user_state_mut(user).settings.insert(name, value.clone());
    emit_setting_change(tx, user, name, value.clone(), language);
    match name {
        // Other users also learn of it by the status (A-298 in docs/assumptions.md).
        "presence_enabled" => {
            let is_away = value == Value::Bool(false);
            apply_presence_setting(tx, user, !is_away);
            let audience = tx.audience_with_access_to(user);
            tx.emit(audience, UserStatus { user_id: user, away: Some(is_away), ..UserStatus::default() });
        }
        "allow_private_data_export" => {
            emit_export_consent(tx, user, value == Value::Bool(true));
        }
        // No event, because clients keep their drafts locally.
        "enable_drafts_synchronization" if value == Value::Bool(false) => tx.user_state_mut(user).drafts.clear(),
        _ => {}
    }
}

fn change_email_visibility_setting(tx: &mut Tx, user: &User, visibility: EmailVisibility) {
    if user.email_visibility != visibility {
        emit_setting_change(tx, user.id, "email_address_visibility", visibility.number().into(), None);
        change_email_visibility(tx, user.id, visibility);
    }
}

/// Events: `user_settings` update to the user, and `realm_user` update to everyone who can access the user; also if the
/// requested name is a deprecated name of the current time zone.
fn change_timezone(tx: &mut Tx, user: &User, timezone: TimeZoneName) {
    if user.timezone == timezone.requested_name {
        return;
    }
    let timezone = timezone.canonical_name;
    tx.user_mut(user.id).timezone.clone_from(&timezone);
    emit_setting_change(tx, user.id, "timezone", timezone.as_str().into(), None);
    let update = PersonUpdate::Timezone { user_id: user.id, email: tx.api_email(&tx.users[&user.id]), timezone };
    let audience = tx.audience_with_access_to(user.id);
    tx.emit(audience, update);
}
