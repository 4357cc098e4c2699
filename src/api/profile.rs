//! What people say of themselves in custom profile fields (reference behaviour, PATCH /users/me/profile_data).

use super::parameter::{json_object, parameters};
use super::users::{person_update, who_can_access};
use super::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::id::{ProfileFieldId, UserId};
use crate::realm::organization::ProfileField;
use crate::record::user::profile_data;
use serde_json::{Value, json};

/// Longest value of the kinds that take a short text, in code points.
pub const MAX_SHORT_VALUE_LENGTH: usize = 50;
/// Longest value of the kind that takes a paragraph, in code points.
pub const MAX_LONG_VALUE_LENGTH: usize = 500;

json_object! {
    open
    /// A field's new value.
    pub struct ProfileEntry {
        /// The field.
        id: ProfileFieldId,
        /// A text, or for fields of users a list of IDs; null or empty takes the value away.
        value: Value,
    }
}

/// PATCH /users/me/profile_data
pub struct ChangeProfile;

parameters! {
    /// What changes.
    pub struct ChangeProfileParams {
        /// The fields' new values.
        data: Vec<ProfileEntry>,
    }
}

impl Operation for ChangeProfile {
    const ROUTE: Route = Route::patch("/users/me/profile_data");
    const ACCESS: Access = Access::Human;
    const ABOUT: About = About {
        summary: "Changes the caller's custom profile fields.",
        since: 0,
        is_specified: false,
        errors: &[
            "BadValue",
            "FieldNotFound",
            "FieldLocked",
            "NotAChoice",
            "InvalidUserId",
            "FieldUserDeactivated",
            "FieldUserIsBot",
        ],
        events: &["realm_user update"],
    };
    type Params = ChangeProfileParams;
    type Reply = Success;
}

impl Write for ChangeProfile {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller();
        let values = checked_values(tx, params.data, caller.is_admin())?;

        change_values(tx, caller.id, values);
        Ok(Success {})
    }
}

/// DELETE /users/me/profile_data
pub struct RemoveProfile;

parameters! {
    /// What goes.
    pub struct RemoveProfileParams {
        /// The fields.
        data: Vec<ProfileFieldId>,
    }
}

impl Operation for RemoveProfile {
    const ROUTE: Route = Route::delete("/users/me/profile_data");
    const ACCESS: Access = Access::Human;
    const ABOUT: About = About {
        summary: "Takes away values of the caller's custom profile fields.",
        since: 0,
        is_specified: false,
        errors: &["FieldNotFound", "FieldLocked"],
        events: &["realm_user update"],
    };
    type Params = RemoveProfileParams;
    type Reply = Success;
}

impl Write for RemoveProfile {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller();
        let entries = params.data.into_iter().map(|id| ProfileEntry { id, value: Value::Null }).collect();
        let values = checked_values(tx, entries, caller.is_admin())?;

        change_values(tx, caller.id, values);
        Ok(Success {})
    }
}

/// New values as they are stored; None takes one away. `by_administrator`: locked fields too.
///
/// # Errors
///
/// Of the first entry that is refused: `FieldNotFound`, `FieldLocked`, then what its kind refuses: `BadValue`,
/// `NotAChoice`, `InvalidUserId`, `FieldUserDeactivated`, `FieldUserIsBot`.
pub fn checked_values(
    realm: &Realm,
    entries: Vec<ProfileEntry>,
    by_administrator: bool,
) -> Result<Vec<(ProfileFieldId, Option<String>)>, Error> {
    let check = |entry: ProfileEntry| {
        let field =
            realm.profile_fields.get(&entry.id).ok_or_else(|| Error::FieldNotFound { field_id: entry.id.0.into() })?;
        if !field.is_editable && !by_administrator {
            return Err(Error::FieldLocked);
        }
        let is_empty = entry.value.is_null() || entry.value == "" || entry.value == json!([]);
        let value = if is_empty { None } else { Some(checked_value(realm, field, &entry.value)?) };
        Ok((entry.id, value))
    };
    entries.into_iter().map(check).collect()
}

fn checked_value(realm: &Realm, field: &ProfileField, value: &Value) -> Result<String, Error> {
    let bad = |problem: &str| Error::bad_value(field.name.clone(), problem);
    if field.kind == 6 {
        return checked_users(realm, field, value);
    }
    let text = value.as_str().ok_or_else(|| bad("is not a string"))?;
    let limit = if field.kind == 2 { MAX_LONG_VALUE_LENGTH } else { MAX_SHORT_VALUE_LENGTH };
    match field.kind {
        1 | 2 | 7 | 8 if text.chars().count() > limit => {
            return Err(bad(&format!("is too long (limit: {limit} characters)")));
        }
        3 if !has_choice(field, text) => {
            return Err(Error::NotAChoice { value: text.into(), field: field.name.as_str().into() });
        }
        4 if !is_date(text) => return Err(bad("is not a date")),
        5 if !is_url(text) => return Err(bad("is not a URL")),
        _ => {}
    }
    Ok(text.to_owned())
}

/// Whether a text is a day, written with all its digits (A-169 in docs/assumptions.md).
fn is_date(text: &str) -> bool {
    const FORM: &str = "%Y-%m-%d";
    jiff::civil::Date::strptime(FORM, text).is_ok_and(|date| date.strftime(FORM).to_string() == text)
}

fn has_choice(field: &ProfileField, key: &str) -> bool {
    serde_json::from_str::<Value>(&field.data).is_ok_and(|choices| choices.get(key).is_some())
}

/// Whether a text is a web address: a scheme for it, and a host.
pub fn is_url(text: &str) -> bool {
    text.parse::<http::Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    })
}

fn checked_users(realm: &Realm, field: &ProfileField, value: &Value) -> Result<String, Error> {
    let bad = |problem: &str| Error::bad_value(field.name.clone(), problem);
    let ids = value.as_array().ok_or_else(|| bad("is not a list"))?;
    for id in ids {
        let id = id.as_i64().ok_or_else(|| bad("is not an integer"))?;
        let user = realm.user(UserId(id)).ok_or_else(|| Error::InvalidUserId { user_id: id.into() })?;
        if !user.is_active {
            return Err(Error::FieldUserDeactivated { user_id: id.into() });
        }
        if user.is_bot() {
            return Err(Error::FieldUserIsBot { user_id: id.into() });
        }
    }
    Ok(value.to_string())
}

/// Changes a user's values; what is so already is not told.
///
/// Event: `realm_user` update for each, to everybody who may know of the user.
pub fn change_values(tx: &mut Tx, user: UserId, values: Vec<(ProfileFieldId, Option<String>)>) {
    for (field, value) in values {
        if tx.users[&user].profile.get(&field).map(|entry| &entry.value) == value.as_ref() {
            continue;
        }
        let entry = value.map(|value| tx.profile_entry(field, value));
        let profile = &mut tx.user_mut(user).profile;
        match entry {
            Some(entry) => profile.insert(field, entry),
            None => profile.remove(&field),
        };
        let shown = profile_data(&tx.users[&user]).remove(&field.to_string());
        let mut change = json!({"id": field, "value": shown.as_ref().map(|shown| &shown.value)});
        if let Some(rendered) = shown.and_then(|shown| shown.rendered_value) {
            change["rendered_value"] = rendered.into();
        }
        let audience = who_can_access(tx, user);
        tx.emit(audience, person_update(json!({"user_id": user, "custom_profile_field": change})));
    }
}
