//! Legacy paths for changing settings. From level 80 on, two of them are aliases of `/settings`; at older levels, each
//! accepts only the settings of its kind (`level/parameters.rs`). The third, which exists below 81, changes a single
//! setting.

use super::{ChangeSettings, ERRORS, EVENTS, SettingsParams, change_own_setting};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::tx::Tx;

operation! {
    /// Changes settings; below level 80, only those of the display.
    pub ChangeDisplaySettings = PATCH "/settings/display", for Human, deprecated 80 => "PATCH /settings";
    params from SettingsParams;
    errors in ERRORS;
    events in EVENTS;
}

impl Write for ChangeDisplaySettings {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        ChangeSettings::run(tx, context, params)
    }
}

operation! {
    /// Changes settings; below level 80, only those of notifications.
    pub ChangeNotificationSettings = PATCH "/settings/notifications", for Human, deprecated 80 => "PATCH /settings";
    params from SettingsParams;
    errors in ERRORS;
    events in EVENTS;
}

impl Write for ChangeNotificationSettings {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        ChangeSettings::run(tx, context, params)
    }
}

operation! {
    /// Changes whether Enter sends a message; newer levels have it in PATCH /settings.
    pub ChangeEnterSends = POST "/users/me/enter-sends", for Human, removed_in 81;
    params {
        /// True if Enter sends a message, false if it begins a new line.
        enter_sends: bool,
    }
    errors [BadValue];
    events [UserSettingsUpdate];
}

impl Write for ChangeEnterSends {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        change_own_setting(tx, context.caller().id, "enter_sends", params.enter_sends.into());
        Ok(Success {})
    }
}
