//! Changing settings of other users, for administrators (A-153 in docs/assumptions.md).

use super::change_setting;
use crate::api::Success;
use crate::api::parameter::types::user_settings::{SettingsParams, TargetUsers};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::permission_holders::existing_groups;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use std::collections::BTreeSet;

/// Settings that administrators can't change for others: what others learn about a user, and which emails the user gets
/// apart from notifications of messages.
const PERSONAL_SETTINGS: &[&str] = &[
    "allow_private_data_export",
    "enable_digest_emails",
    "enable_login_emails",
    "enable_marketing_emails",
    "presence_enabled",
    "send_private_typing_notifications",
    "send_read_receipts",
    "send_stream_typing_notifications",
];

/// Changes the settings of the target users. Settings that have the value already are not changed, as in
/// [`change_setting`], nor, with `skip_if_already_edited`, those that the target user has edited.
///
/// # Errors
///
/// In this order: `NoTargetUsers`, `AdministratorRequired`, `SettingIsPersonal`, `InvalidGroupId`, `InvalidUserId`.
pub(super) fn change_target_settings(
    tx: &mut Tx,
    caller: &User,
    targets: &TargetUsers,
    params: &SettingsParams,
) -> Result<Success, Error> {
    if targets.user_ids.is_empty() && targets.group_ids.is_empty() {
        return Err(Error::NoTargetUsers);
    }
    if !caller.is_admin() {
        return Err(Error::AdministratorRequired);
    }
    let changes_account = params.email.is_some()
        || params.new_password.is_some()
        || params.timezone.is_some()
        || params.email_address_visibility.is_some();
    if changes_account || params.settings.iter().any(|(name, _)| PERSONAL_SETTINGS.contains(name)) {
        return Err(Error::SettingIsPersonal);
    }
    let users = target_users(tx, targets)?;

    for user in users {
        for (name, value) in &params.settings {
            let is_skipped = targets.skip_if_already_edited && tx.user_state(user).edited_settings.contains(*name);
            if !is_skipped {
                change_setting(tx, user, name, value.clone());
            }
        }
    }
    Ok(Success {})
}

/// The listed users, including deactivated ones, and the members of the listed groups; without bots.
fn target_users(realm: &Realm, targets: &TargetUsers) -> Result<BTreeSet<UserId>, Error> {
    let groups = existing_groups(realm, &targets.group_ids)?;
    if let Some(unknown_id) =
        targets.user_ids.iter().find(|id| realm.user(**id).is_none_or(|user| user.is_system_bot()))
    {
        return Err(Error::InvalidUserId { user_id: unknown_id.0.into() });
    }
    let mut users: BTreeSet<UserId> = targets.user_ids.iter().copied().collect();
    users.extend(realm.active_members_of_any(groups));
    users.retain(|id| !realm.users[id].is_bot());
    Ok(users)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::setting::USER_SETTINGS;

    #[test]
    fn every_personal_setting_is_a_setting() {
        for name in PERSONAL_SETTINGS {
            assert!(USER_SETTINGS.iter().any(|setting| setting.name == *name), "no setting is called {name}");
        }
    }
}
