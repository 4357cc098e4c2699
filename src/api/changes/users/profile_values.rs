//! Values of custom profile fields: checking and changing them.

use crate::api::parameter::types::profile_value::RequestedProfileValue;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::{ProfileFieldId, UserId};
use crate::realm::profile_field::ProfileField;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::realm::url::is_url;
use crate::realm::user::User;
use crate::record::events::{PersonUpdate, ProfileChange};
use crate::record::user::profile_data;
use serde_json::{Value, json};

/// Longest value of fields with short text, pronouns or external accounts, in code points.
pub const MAX_SHORT_VALUE_LENGTH: usize = 50;
/// Longest value of fields with long text, in code points.
pub const MAX_LONG_VALUE_LENGTH: usize = 500;

/// The `type` of fields whose values are lists of users.
pub const USERS_KIND: i64 = 6;

// The `type` of the other fields.
const SHORT_TEXT_KIND: i64 = 1;
const LONG_TEXT_KIND: i64 = 2;
const CHOICE_KIND: i64 = 3;
const DATE_KIND: i64 = 4;
const URL_KIND: i64 = 5;
const EXTERNAL_ACCOUNT_KIND: i64 = 7;
const PRONOUNS_KIND: i64 = 8;

/// Checks new values and converts them to their stored form. None removes a value. Only administrators can change
/// locked fields.
///
/// # Errors
///
/// That of the first refused entry: `FieldNotFound`, `FieldLocked`, or, depending on the type of the field, `BadValue`,
/// `NotAChoice`, `InvalidUserIds`, `FieldUserDeactivated`, `FieldUserIsBot`.
pub fn checked_profile_values(
    realm: &Realm,
    caller: &User,
    entries: Vec<(ProfileFieldId, Option<RequestedProfileValue>)>,
) -> Result<Vec<(ProfileFieldId, Option<String>)>, Error> {
    let check = |(id, value): (ProfileFieldId, Option<RequestedProfileValue>)| {
        let field = realm.profile_fields.get(&id).ok_or_else(|| Error::FieldNotFound { field_id: id.0.into() })?;
        if !field.is_editable && !caller.is_admin() {
            return Err(Error::FieldLocked);
        }
        Ok((id, value.map(|value| checked_value(realm, caller, field, &value)).transpose()?))
    };
    entries.into_iter().map(check).collect()
}

fn checked_value(
    realm: &Realm,
    caller: &User,
    field: &ProfileField,
    value: &RequestedProfileValue,
) -> Result<String, Error> {
    let bad_value = |problem: &str| Error::bad_value(field.name.clone(), problem);
    let text = match value {
        RequestedProfileValue::Users(users) if field.kind == USERS_KIND => return checked_users(realm, caller, users),
        RequestedProfileValue::Text(_) if field.kind == USERS_KIND => {
            // Real servers don't name the field here.
            return Err(Error::bad_value("User IDs", "is not a list"));
        }
        RequestedProfileValue::Users(_) => return Err(bad_value("is not a string")),
        RequestedProfileValue::Text(text) => text,
    };
    let limit = if field.kind == LONG_TEXT_KIND { MAX_LONG_VALUE_LENGTH } else { MAX_SHORT_VALUE_LENGTH };
    match field.kind {
        SHORT_TEXT_KIND | LONG_TEXT_KIND | EXTERNAL_ACCOUNT_KIND | PRONOUNS_KIND => {
            check_length(text, &field.name, limit)?
        }
        CHOICE_KIND if !has_choice(field, text) => {
            return Err(Error::NotAChoice { value: text.as_str().into(), field: field.name.as_str().into() });
        }
        DATE_KIND if !is_date(text) => return Err(bad_value("is not a date")),
        URL_KIND if !is_url(text) => return Err(bad_value("is not a URL")),
        _ => {}
    }
    Ok(text.clone())
}

/// Whether a text is a date such as `2026-01-09`, with leading zeros (A-169 in docs/assumptions.md).
fn is_date(text: &str) -> bool {
    const FORMAT: &str = "%Y-%m-%d";
    jiff::civil::Date::strptime(FORMAT, text).is_ok_and(|date| date.strftime(FORMAT).to_string() == text)
}

fn has_choice(field: &ProfileField, key: &str) -> bool {
    serde_json::from_str::<Value>(&field.data).is_ok_and(|choices| choices.get(key).is_some())
}

fn checked_users(realm: &Realm, caller: &User, users: &[UserId]) -> Result<String, Error> {
    let find_accessible_user = |id: UserId| realm.user(id).filter(|user| realm.can_access_user(caller, user.id));
    let unknown_ids: Vec<i64> = users.iter().filter(|id| find_accessible_user(**id).is_none()).map(|id| id.0).collect();
    if !unknown_ids.is_empty() {
        return Err(Error::InvalidUserIds { user_ids: json!(unknown_ids).into() });
    }
    for user in users.iter().filter_map(|id| find_accessible_user(*id)) {
        let id = user.id;
        if !user.is_active {
            return Err(Error::FieldUserDeactivated { user_id: id.0.into() });
        }
        if user.is_bot() {
            return Err(Error::FieldUserIsBot { user_id: id.0.into() });
        }
    }
    Ok(json!(users).to_string())
}

/// Changes a user's values.
///
/// Events: for each value that differs, `realm_user` update to everyone who can access the user.
pub fn change_profile_values(tx: &mut Tx, user: UserId, values: Vec<(ProfileFieldId, Option<String>)>) {
    for (field, value) in values {
        if tx.users[&user].profile.get(&field).map(|entry| &entry.value) == value.as_ref() {
            continue;
        }
        let entry = value.map(|value| tx.render_profile_entry(user, field, value, tx.output_format(), tx.budget()));
        let profile = &mut tx.user_mut(user).profile;
        match entry {
            Some(entry) => profile.insert(field, entry),
            None => profile.remove(&field),
        };
        let record = profile_data(&tx.users[&user]).remove(&field.to_string());
        let (value, rendered_value) = record.map_or((None, None), |record| (Some(record.value), record.rendered_value));
        // For an emptied text, user records have an empty `rendered_value`, but the event has none.
        let rendered_value = rendered_value.filter(|html| !html.is_empty());
        let custom_profile_field = ProfileChange { id: field, value, rendered_value };
        let audience = tx.audience_with_access_to(user);
        tx.emit(audience, PersonUpdate::ProfileField { user_id: user, custom_profile_field });
    }
}
