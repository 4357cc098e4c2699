//! Presence: reporting the caller's presence and reading that of other users (reference behaviour, presence).
//!
//! A choice where the API is silent: A-32 in docs/assumptions.md.

use super::parameter::WholeNumber;
use super::{OperationContext, Read, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::presence::{OFFLINE_AFTER, record_presence};
use crate::realm::setting::UserSetting;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::presence::{PresenceRange, PresenceRecord, Presences, legacy_status, presences_in_range};
use schemars::JsonSchema;
use serde::Serialize;

/// The default of `history_limit_days`, and the number of days that `GET /realm/presence` covers.
pub const DEFAULT_HISTORY_DAYS: i64 = 14;

operation! {
    /// Reports the caller's presence, and returns the presence of users.
    pub UpdatePresence = POST "/users/me/presence", for Human;
    params {
        /// `active` or `idle`.
        status: String,
        /// Whether the caller's presence is only reported; the reply then has no fields.
        ping_only: bool = false,
        /// Whether the user did something since the last report; without effect here.
        new_user_input: bool = false,
        /// Whether presence comes in the modern form, by user ID; deprecated, as `last_update_id` selects it too.
        slim_presence: bool = false,
        /// The `presence_last_update_id` of an earlier reply: returns only later changes, in the modern form.
        last_update_id since 263: Option<WholeNumber>,
        /// Days of history; 14 when absent, 0 for no users. Ignored if `last_update_id` is greater than 0.
        history_limit_days since 288: Option<WholeNumber>,
    }
    reply UpdatePresenceReply;
    errors [InvalidPresenceStatus];
    events [Presence];
}

/// Presence of the people that the caller may access; without fields if `ping_only` was set.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdatePresenceReply {
    /// By user ID in the modern form, by API address in the legacy one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presences: Option<Presences>,
    /// When the reply was made: UNIX seconds with their fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_timestamp: Option<f64>,
    /// The `last_update_id` for the next request; without users, that of this request or -1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_last_update_id: Option<i64>,
}

impl Write for UpdatePresence {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<UpdatePresenceReply, Error> {
        let is_active = match params.status.as_str() {
            "active" => true,
            "idle" => false,
            other => return Err(Error::InvalidPresenceStatus { status: other.into() }),
        };

        let caller = context.caller();
        if tx.user_state(caller.id).is_enabled(UserSetting::PresenceEnabled) {
            record_presence(tx, caller.id, is_active);
        }
        if params.ping_only {
            return Ok(UpdatePresenceReply { presences: None, server_timestamp: None, presence_last_update_id: None });
        }
        let range = match params.last_update_id {
            Some(WholeNumber(id)) if id > 0 => PresenceRange::Since(id),
            _ => PresenceRange::Days(params.history_limit_days.map_or(DEFAULT_HISTORY_DAYS, |WholeNumber(days)| days)),
        };
        let is_slim = params.slim_presence || params.last_update_id.is_some();
        let (presences, last_id) = presences_in_range(tx, caller, is_slim, range, tx.now);
        let requested_id = params.last_update_id.map_or(-1, |WholeNumber(id)| id);
        let reported_id = if presences.is_empty() { requested_id } else { last_id };
        Ok(UpdatePresenceReply {
            presences: Some(presences),
            server_timestamp: Some(tx.now.fractional_seconds()),
            presence_last_update_id: Some(reported_id),
        })
    }
}

operation! {
    /// Returns a human user's presence, in both forms.
    pub GetUserPresence = GET "/users/{user_id_or_email}/presence", for User;
    params {
        /// The user's ID or address: the real one if everyone may see it, otherwise the dummy address.
        @path user_id_or_email: String,
    }
    reply UserPresenceReply;
    errors [NoSuchUser, PresenceNotForBots, InsufficientPermission, NoPresenceData];
}

/// The presence of one user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserPresenceReply {
    /// The user's presence in the modern form, and in the legacy form by client.
    pub presence: UserPresenceRecord,
    /// When the reply was made: UNIX seconds with their fraction.
    pub server_timestamp: f64,
}

/// Presence in the modern form, together with the legacy one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserPresenceRecord {
    /// `active_timestamp` and `idle_timestamp`.
    #[serde(flatten)]
    pub modern: PresenceRecord,
    /// `active` or `idle`, however long ago.
    pub website: LegacyStatus,
    /// As `website`, but `offline` if its timestamp is more than 200 seconds ago.
    pub aggregated: LegacyStatus,
}

/// Presence in the legacy form.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LegacyStatus {
    /// `active`, `idle` or `offline`.
    pub status: &'static str,
    /// When the user was last active, or if the user is not `active`, last connected; UNIX seconds.
    pub timestamp: i64,
}

impl Read for GetUserPresence {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<UserPresenceReply, Error> {
        let id_or_email = params.user_id_or_email;
        let user = find_user(realm, context, &id_or_email)
            .filter(|user| user.is_active && !user.is_system_bot())
            .ok_or(Error::NoSuchUser)?;
        if user.is_bot() {
            return Err(Error::PresenceNotForBots);
        }
        realm.accessible_user(context.caller(), user.id)?;
        let presence = realm.user_state(user.id).presence.ok_or(Error::NoPresenceData { user: id_or_email.into() })?;

        let (status, timestamp) = legacy_status(user, presence);
        let is_offline = context.now.seconds() - timestamp > OFFLINE_AFTER.whole_seconds();
        Ok(UserPresenceReply {
            presence: UserPresenceRecord {
                modern: PresenceRecord::new(user, presence),
                website: LegacyStatus { status, timestamp },
                aggregated: LegacyStatus { status: if is_offline { "offline" } else { status }, timestamp },
            },
            server_timestamp: context.now.fractional_seconds(),
        })
    }
}

/// Finds a user by ID or API address. The real address finds a user only if it is also the API address.
fn find_user<'realm>(
    realm: &'realm Realm,
    context: &OperationContext<'_>,
    id_or_email: &str,
) -> Option<&'realm std::sync::Arc<User>> {
    let viewer = context.caller();
    match id_or_email.parse() {
        Ok(id) => realm.user(UserId(id)),
        Err(_) => realm
            .user_by_api_email(viewer, id_or_email)
            .filter(|user| realm.api_email(user).eq_ignore_ascii_case(id_or_email)),
    }
}

operation! {
    /// Returns the presence of the people that the caller may access and who were connected in the last 14 days.
    pub GetRealmPresence = GET "/realm/presence", for User;
    reply RealmPresenceReply;
}

/// Presence of the people that the caller may access.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmPresenceReply {
    /// In the legacy form, by API address.
    pub presences: Presences,
    /// When the reply was made: UNIX seconds with their fraction.
    pub server_timestamp: f64,
}

impl Read for GetRealmPresence {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<RealmPresenceReply, Error> {
        let range = PresenceRange::Days(DEFAULT_HISTORY_DAYS);
        let (presences, _) = presences_in_range(realm, context.caller(), false, range, context.now);
        Ok(RealmPresenceReply { presences, server_timestamp: context.now.fractional_seconds() })
    }
}
