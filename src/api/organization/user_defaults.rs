//! The settings that new users begin with.

use crate::api::settings::parameters::UserDefaultsParams;
use crate::api::settings::{check_setting, user_default};
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::change::Tx;
use crate::realm::event::Event;
use serde_json::json;
use std::sync::Arc;

/// PATCH /realm/user_settings_defaults
pub struct EditUserDefaults;

impl Operation for EditUserDefaults {
    const ROUTE: Route = Route::patch("/realm/user_settings_defaults");
    const ACCESS: Access = Access::Administrator;
    const ABOUT: About = About {
        summary: "Changes the settings that new users begin with.",
        since: 96,
        is_specified: false,
        errors: &[
            "BadValue",
            "InvalidValueBecause",
            "InvalidValue",
            "InvalidNotificationSound",
            "InvalidBatchingPeriod",
        ],
        events: &["realm_user_settings_defaults update"],
    };
    type Params = UserDefaultsParams;
    type Reply = Success;
}

impl Write for EditUserDefaults {
    fn run(tx: &mut Tx, _call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        for (name, value) in &params.settings {
            check_setting(name, value)?;
        }

        for (name, value) in params.settings {
            if user_default(tx, name) == value {
                continue;
            }
            Arc::make_mut(&mut tx.realm_mut().organization).user_defaults.insert(name, value.clone());
            let fields = json!({"property": name, "value": value});
            let everyone = tx.everyone();
            tx.emit(everyone, Event::shaped("realm_user_settings_defaults", Some("update"), fields));
        }
        Ok(Success {})
    }
}
