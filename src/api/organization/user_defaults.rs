//! The operation that changes the default settings of new users.

use crate::api::parameter::types::user_settings::UserDefaultsParams;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::setting_values::{check_setting, default_user_setting};
use crate::realm::tx::Tx;
use crate::record::events::RealmUserSettingsDefaultsUpdate;
use std::sync::Arc;

operation! {
    /// Changes the initial settings of new users.
    pub EditUserDefaults = PATCH "/realm/user_settings_defaults", for Administrator, since 96;
    params from UserDefaultsParams;
    errors [BadValue, InvalidValueBecause, InvalidValue, InvalidNotificationSound, InvalidBatchingPeriod];
    events [RealmUserSettingsDefaultsUpdate];
}

impl Write for EditUserDefaults {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        for (name, value) in &params.settings {
            check_setting(name, value)?;
        }

        for (name, value) in params.settings {
            if default_user_setting(tx, context.feature_level, name) == value {
                continue;
            }
            Arc::make_mut(&mut tx.realm_mut().organization).user_defaults.insert(name, value.clone());
            tx.emit(tx.everyone(), RealmUserSettingsDefaultsUpdate { property: name, value });
        }
        Ok(Success {})
    }
}
