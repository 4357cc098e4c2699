//! Addresses at which older clients change settings: since level 80 they are the same as `/settings`, before, each took
//! those of its kind alone.

use super::{ChangeSettings, ERRORS, EVENTS, SettingsParams};
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
