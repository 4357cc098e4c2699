//! Addresses at which older clients change settings: since level 80 they are the same as `/settings`, before, each took
//! those of its kind alone. One setting had an address of its own.

use super::{ChangeSettings, ERRORS, EVENTS, SettingsParams, change_own_setting};
use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::change::Tx;

/// PATCH /settings/display
pub struct ChangeDisplaySettings;

impl Operation for ChangeDisplaySettings {
    const ROUTE: Route = Route::patch("/settings/display");
    const ACCESS: Access = Access::Human;
    const ABOUT: About = About {
        summary: "An older address of PATCH /settings.",
        since: 0,
        is_specified: false,
        errors: ERRORS,
        events: EVENTS,
    };
    type Params = SettingsParams;
    type Reply = Success;
}

impl Write for ChangeDisplaySettings {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        ChangeSettings::run(tx, call, params)
    }
}

/// PATCH /settings/notifications
pub struct ChangeNotificationSettings;

impl Operation for ChangeNotificationSettings {
    const ROUTE: Route = Route::patch("/settings/notifications");
    const ACCESS: Access = Access::Human;
    const ABOUT: About = About {
        summary: "An older address of PATCH /settings.",
        since: 0,
        is_specified: false,
        errors: ERRORS,
        events: EVENTS,
    };
    type Params = SettingsParams;
    type Reply = Success;
}

impl Write for ChangeNotificationSettings {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        ChangeSettings::run(tx, call, params)
    }
}

/// POST /users/me/enter-sends
pub struct ChangeEnterSends;

parameters! {
    /// The setting.
    pub struct EnterSendsParams {
        /// Whether Enter sends a message.
        enter_sends: bool,
    }
}

impl Operation for ChangeEnterSends {
    const ROUTE: Route = Route::post("/users/me/enter-sends");
    const ACCESS: Access = Access::Human;
    const ABOUT: About = About {
        summary: "Changes whether Enter sends; later levels have it in PATCH /settings.",
        since: 0,
        is_specified: false,
        errors: &["BadValue"],
        events: &["user_settings update"],
    };
    const UNTIL: Option<i64> = Some(81);
    type Params = EnterSendsParams;
    type Reply = Success;
}

impl Write for ChangeEnterSends {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        change_own_setting(tx, call.caller().id, "enter_sends", params.enter_sends.into());
        Ok(Success {})
    }
}
