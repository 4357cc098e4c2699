//! Changing and removing the caller's values of custom profile fields (reference behaviour, PATCH
//! /users/me/profile_data).

use super::parameter::json_object;
use super::{OperationContext, Success, Write, operation};
use crate::api::changes::users::profile_values::{change_profile_values, checked_profile_values};
use crate::api::parameter::types::profile_value::RequestedProfileValue;
use crate::error::Error;
use crate::realm::id::ProfileFieldId;
use crate::realm::tx::Tx;

json_object! {
    open
    /// A new value of one of the caller's custom profile fields.
    pub struct OwnProfileValue {
        id: ProfileFieldId,
        /// A text, or for fields of users a list of IDs. An empty value is checked and stored like any other.
        value: RequestedProfileValue,
    }
}

operation! {
    /// Changes values of the caller's custom profile fields.
    pub ChangeProfileValues = PATCH "/users/me/profile_data", for Human;
    params {
        /// Fields by `id`, each with its new `value`: a text, or for fields of users a list of IDs.
        data: Vec<OwnProfileValue>,
    }
    errors [BadValue, FieldNotFound, FieldLocked, NotAChoice, InvalidUserIds, FieldUserDeactivated, FieldUserIsBot];
    events [RealmUserUpdate];
}

impl Write for ChangeProfileValues {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let entries = params.data.into_iter().map(|entry| (entry.id, Some(entry.value))).collect();
        let values = checked_profile_values(tx, caller, entries)?;

        change_profile_values(tx, caller.id, values);
        Ok(Success {})
    }
}

operation! {
    /// Removes values of the caller's custom profile fields.
    pub RemoveProfileValues = DELETE "/users/me/profile_data", for Human;
    params {
        /// IDs of the fields; those without a value are left as they are.
        data: Vec<ProfileFieldId>,
    }
    errors [FieldNotFound, FieldLocked];
    events [RealmUserUpdate];
}

impl Write for RemoveProfileValues {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let entries = params.data.into_iter().map(|id| (id, None)).collect();
        let values = checked_profile_values(tx, caller, entries)?;

        change_profile_values(tx, caller.id, values);
        Ok(Success {})
    }
}
