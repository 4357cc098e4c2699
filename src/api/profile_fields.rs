//! Custom profile fields: listing, creating, changing, ordering and removing them.
//!
//! A choice where the API is silent: A-66 in docs/assumptions.md.

pub mod field_data;

use super::{OperationContext, Read, Success, Write, operation};
use crate::api::changes::users::profile_values::USERS_KIND;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::{Event, EventKind, Payload, WholeList};
use crate::realm::id::{ProfileFieldId, UserId};
use crate::realm::profile_field::ProfileField;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::profile_field::{ProfileFieldRecord, profile_field_records};
use field_data::{CHOICE_KIND, FieldData, checked_field_json, find_known_site, parse_field_data};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Maximum length of the name of a field, which error messages call its label, in code points.
const MAX_NAME_LENGTH: usize = 40;
/// Maximum length of the hint of a field, in code points.
const MAX_HINT_LENGTH: usize = 80;
/// The numbers of the kinds of fields.
const KINDS: RangeInclusive<i64> = 1..=8;
/// Maximum number of fields in the summary of a profile.
pub const MAX_FIELDS_IN_SUMMARY: usize = 2;

operation! {
    /// Lists the custom profile fields.
    pub GetProfileFields = GET "/realm/profile_fields", for User;
    reply ProfileFieldsReply;
}

/// All custom profile fields of the organization.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProfileFieldsReply {
    /// Sorted by `order`.
    pub custom_fields: Vec<ProfileFieldRecord>,
}

impl Read for GetProfileFields {
    fn run(realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<ProfileFieldsReply, Error> {
        Ok(ProfileFieldsReply { custom_fields: profile_field_records(&realm.profile_fields) })
    }
}

operation! {
    /// Creates a custom profile field.
    pub CreateProfileField = POST "/realm/profile_fields", for Administrator;
    params {
        /// Label, unique, 1 to 40 code points; for a known site, that of the site instead.
        name: String = String::new() => "the empty text",
        /// Help for users, at most 80 code points; for a known site, that of the site instead.
        hint: String = String::new() => "the empty text",
        /// Choices by key, each with `text` and `order`; or the `subtype` and `url_pattern` of an external account.
        field_data: FieldData = FieldData::default() => "{}",
        /// 1 short text, 2 paragraph, 3 choice, 4 date, 5 link, 6 users, 7 external account, 8 pronouns.
        field_type: i64,
        /// Whether the summary of a profile shows it: two fields at most, none of type 6.
        display_in_profile_summary since 146: bool = false,
        /// Whether clients should ask users for a value; the server does not insist.
        required since 244: bool = false,
        /// Whether users may edit their own value; administrators always may.
        editable_by_user since 296: bool = true,
        /// Whether clients find users by their value.
        use_for_user_matching since 455: bool = false,
    }
    reply ProfileFieldIdReply;
    errors [
        ProfileSummaryFull, BadValue, FieldWithoutChoices, BlankValue, MissingKey, UnexpectedKeys, DuplicateChoices,
        UrlPatternWithoutName, UrlPatternMissing, UnknownExternalAccount, FieldLabelBlank, InvalidFieldType,
        FieldNotForSummary, FieldLabelTaken,
    ];
    events [CustomProfileFields];
}

/// The custom profile field that was created.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ProfileFieldIdReply {
    /// ID of the new field.
    pub id: ProfileFieldId,
}

impl Write for CreateProfileField {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<ProfileFieldIdReply, Error> {
        let id = ProfileFieldId(tx.counters.profile_field + 1);
        if params.display_in_profile_summary {
            check_room_in_summary(tx, id)?;
        }
        let kind = params.field_type;
        let mut data = checked_field_json(kind, &params.field_data)?;
        let (name, hint) = match find_known_site(kind, &params.field_data) {
            // A URL pattern in the request is ignored, because the server knows the site's pattern.
            Some(site) => {
                data = json!({"subtype": site.subtype}).to_string();
                (site.name.to_owned(), site.hint.to_owned())
            }
            None => (checked_name(&params.name)?, checked_hint(&params.hint)?),
        };
        if !KINDS.contains(&kind) {
            return Err(Error::InvalidFieldType);
        }
        let field = ProfileField {
            id,
            kind,
            name,
            hint,
            order: id.0,
            data,
            in_summary: params.display_in_profile_summary,
            is_required: params.required,
            is_editable: params.editable_by_user,
            is_for_matching: params.use_for_user_matching,
        };
        check_kind_for_summary(&field)?;
        check_name_is_free(tx, &field)?;

        tx.realm_mut().counters.profile_field += 1;
        tx.realm_mut().profile_fields.insert(id, Arc::new(field));
        emit_profile_fields(tx);
        Ok(ProfileFieldIdReply { id })
    }
}

operation! {
    /// Reorders the custom profile fields.
    pub OrderProfileFields = PATCH "/realm/profile_fields", for Administrator;
    params {
        /// IDs of all fields in their new order; none may be left out, and unknown IDs are ignored.
        order: Vec<ProfileFieldId>,
    }
    errors [InvalidFieldOrder];
    events [CustomProfileFields];
}

impl Write for OrderProfileFields {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let listed_ids: BTreeSet<&ProfileFieldId> = params.order.iter().collect();
        if tx.profile_fields.keys().any(|id| !listed_ids.contains(id)) {
            return Err(Error::InvalidFieldOrder);
        }

        for (position, id) in (0..).zip(params.order) {
            if let Some(field) = tx.realm_mut().profile_fields.get_mut(&id) {
                Arc::make_mut(field).order = position;
            }
        }
        emit_profile_fields(tx);
        Ok(Success {})
    }
}

operation! {
    /// Changes a custom profile field.
    pub EditProfileField = PATCH "/realm/profile_fields/{field_id}", for Administrator;
    params {
        /// ID of the field to change.
        @path field_id: ProfileFieldId,
        /// Label, unique, 1 to 40 code points; that of a known site can't change.
        name: Option<String>,
        /// Help for users, at most 80 code points; that of a known site can't change.
        hint: Option<String>,
        /// As for POST /realm/profile_fields. Users' values that are no longer among the choices are removed.
        field_data: Option<FieldData>,
        /// Whether the summary of a profile shows it: two fields at most, none of type 6.
        display_in_profile_summary since 146: Option<bool>,
        /// Whether clients should ask users for a value; the server does not insist.
        required since 244: Option<bool>,
        /// Whether users may edit their own value; administrators always may.
        editable_by_user since 296: Option<bool>,
        /// Whether clients find users by their value.
        use_for_user_matching since 455: Option<bool>,
    }
    errors [
        FieldNotFound, ProfileSummaryFull, KnownSiteFieldNotEditable, BadValue, FieldWithoutChoices, BlankValue,
        MissingKey, UnexpectedKeys, DuplicateChoices, UrlPatternWithoutName, UrlPatternMissing, UnknownExternalAccount,
        FieldLabelBlank, FieldNotForSummary, FieldLabelTaken,
    ];
    events [CustomProfileFields];
}

impl Write for EditProfileField {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let mut field = find_field(tx, params.field_id)?;
        if params.display_in_profile_summary == Some(true) {
            check_room_in_summary(tx, field.id)?;
        }
        if find_known_site(field.kind, &parse_field_data(&field)).is_some() {
            check_site_unchanged(&field, &params)?;
        }
        if let Some(data) = &params.field_data {
            field.data = checked_field_json(field.kind, data)?;
        }
        if let Some(name) = &params.name {
            field.name = checked_name(name)?;
        }
        if let Some(hint) = &params.hint {
            field.hint = checked_hint(hint)?;
        }
        field.in_summary = params.display_in_profile_summary.unwrap_or(field.in_summary);
        field.is_required = params.required.unwrap_or(field.is_required);
        field.is_editable = params.editable_by_user.unwrap_or(field.is_editable);
        field.is_for_matching = params.use_for_user_matching.unwrap_or(field.is_for_matching);
        check_kind_for_summary(&field)?;
        check_name_is_free(tx, &field)?;

        let id = field.id;
        tx.realm_mut().profile_fields.insert(id, Arc::new(field));
        emit_profile_fields(tx);
        remove_outdated_values(tx, id);
        Ok(Success {})
    }
}

operation! {
    /// Removes a custom profile field and all its values.
    pub RemoveProfileField = DELETE "/realm/profile_fields/{field_id}", for Administrator;
    params {
        /// ID of the field to remove.
        @path field_id: ProfileFieldId,
    }
    errors [FieldNotFound];
    events [CustomProfileFields];
}

impl Write for RemoveProfileField {
    fn run(tx: &mut Tx, _context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = find_field(tx, params.field_id)?.id;

        remove_values(tx, id, |_| true);
        tx.realm_mut().profile_fields.remove(&id);
        emit_profile_fields(tx);
        Ok(Success {})
    }
}

fn find_field(realm: &Realm, id: ProfileFieldId) -> Result<ProfileField, Error> {
    let field = realm.profile_fields.get(&id).ok_or_else(|| Error::FieldNotFound { field_id: id.0.into() })?;
    Ok(field.as_ref().clone())
}

fn checked_name(name: &str) -> Result<String, Error> {
    let name = name.trim();
    if name.is_empty() {
        return Err(Error::FieldLabelBlank);
    }
    check_length(name, "name", MAX_NAME_LENGTH)?;
    Ok(name.to_owned())
}

fn checked_hint(hint: &str) -> Result<String, Error> {
    check_length(hint, "hint", MAX_HINT_LENGTH)?;
    Ok(hint.to_owned())
}

fn check_kind_for_summary(field: &ProfileField) -> Result<(), Error> {
    if field.in_summary && field.kind == USERS_KIND { Err(Error::FieldNotForSummary) } else { Ok(()) }
}

/// Checks that the summary of a profile has room for a field. The field itself does not count, in case it is there.
///
/// # Errors
///
/// `ProfileSummaryFull`.
pub fn check_room_in_summary(realm: &Realm, id: ProfileFieldId) -> Result<(), Error> {
    let other_count = realm.profile_fields.values().filter(|other| other.in_summary && other.id != id).count();
    if other_count >= MAX_FIELDS_IN_SUMMARY {
        return Err(Error::ProfileSummaryFull { limit: MAX_FIELDS_IN_SUMMARY.into() });
    }
    Ok(())
}

/// Checks that the name, hint and data of a field for a known site do not change. Requests may repeat them.
fn check_site_unchanged(field: &ProfileField, params: &EditProfileField) -> Result<(), Error> {
    let is_unchanged = params.name.as_deref().is_none_or(|name| name.trim() == field.name)
        && params.hint.as_ref().is_none_or(|hint| *hint == field.hint)
        && params.field_data.as_ref().is_none_or(|data| *data == parse_field_data(field));
    if is_unchanged { Ok(()) } else { Err(Error::KnownSiteFieldNotEditable) }
}

fn check_name_is_free(realm: &Realm, field: &ProfileField) -> Result<(), Error> {
    let is_taken = realm.profile_fields.values().any(|other| other.name == field.name && other.id != field.id);
    if is_taken { Err(Error::FieldLabelTaken) } else { Ok(()) }
}

/// Removes users' values that are no longer among the choices of a field. Does nothing for fields of other types.
fn remove_outdated_values(tx: &mut Tx, id: ProfileFieldId) {
    let field = tx.profile_fields[&id].clone();
    if field.kind != CHOICE_KIND {
        return;
    }
    let choices = parse_field_data(&field);
    remove_values(tx, id, |value| !choices.0.contains_key(value));
}

/// Removes some values of a field from all users. No event reports this: clients conclude it from the event about the
/// fields.
fn remove_values(tx: &mut Tx, id: ProfileFieldId, is_removed: impl Fn(&str) -> bool) {
    let is_affected = |user: &&Arc<User>| user.profile.get(&id).is_some_and(|entry| is_removed(&entry.value));
    let affected_users: Vec<UserId> = tx.users.values().filter(is_affected).map(|user| user.id).collect();
    for user in affected_users {
        tx.user_mut(user).profile.remove(&id);
    }
}

fn emit_profile_fields(tx: &mut Tx) {
    let fields = WholeList::ProfileFields(tx.profile_fields.clone());
    tx.emit(tx.everyone(), Event::new(EventKind::CustomProfileFields, Payload::List(fields)));
}
