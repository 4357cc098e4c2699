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
        /// Reply with nothing.
        ping_only: bool = false,
        /// Whether the user did something since the last report; without effect here.
        new_user_input: bool = false,
        /// The modern form, keyed by user ID; deprecated.
        slim_presence: bool = false,
        /// The `presence_last_update_id` of an earlier reply: returns only later changes, in the modern form.
        last_update_id since 263: Option<WholeNumber>,
        /// Days of history without `last_update_id`; 14 when absent, 0 returns none.
        history_limit_days since 288: Option<WholeNumber>,
    }
    reply UpdatePresenceReply;
    errors [InvalidPresenceStatus];
    events [Presence];
}

/// Presence of users; empty if only a ping was requested.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdatePresenceReply {
    /// By user ID in the modern form, by API address in the legacy one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presences: Option<Presences>,
    /// UNIX seconds with their fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_timestamp: Option<f64>,
    /// The `last_update_id` for the next request; -1 if nothing is known.
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
        let last_id = if presences.is_empty() { requested_id } else { last_id };
        Ok(UpdatePresenceReply {
            presences: Some(presences),
            server_timestamp: Some(tx.now.fractional_seconds()),
            presence_last_update_id: Some(last_id),
        })
    }
}

operation! {
    /// Returns a user's presence.
    pub GetUserPresence = GET "/users/{user_id_or_email}/presence", for User;
    params {
        /// The user's ID or address: the real one if everyone may see it, otherwise the dummy address.
        @path user_id_or_email: String,
    }
    reply UserPresenceReply;
    errors [NoSuchUser, PresenceNotForBots, InsufficientPermission, NoPresenceData];
}

/// A user's presence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserPresenceReply {
    /// In both forms.
    pub presence: UserPresenceRecord,
    /// UNIX seconds with their fraction.
    pub server_timestamp: f64,
}

/// Presence in the modern form, together with the legacy one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserPresenceRecord {
    /// The modern form.
    #[serde(flatten)]
    pub modern: PresenceRecord,
    /// `active` or `idle`, regardless of the time.
    pub website: LegacyStatus,
    /// As `website`, but `offline` if the timestamp is over 200 seconds ago.
    pub aggregated: LegacyStatus,
}

/// Presence in the legacy form.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LegacyStatus {
    /// `active`, `idle` or `offline`.
    pub status: &'static str,
    /// UNIX seconds.
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

/// Presence of users.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RealmPresenceReply {
    /// By API address in the legacy form; users who connected in the last 14 days.
    pub presences: Presences,
    /// UNIX seconds with their fraction.
    pub server_timestamp: f64,
}

impl Read for GetRealmPresence {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<RealmPresenceReply, Error> {
        let range = PresenceRange::Days(DEFAULT_HISTORY_DAYS);
        let (presences, _) = presences_in_range(realm, context.caller(), false, range, context.now);
        Ok(RealmPresenceReply { presences, server_timestamp: context.now.fractional_seconds() })
    }
}
