//! The API's records of presence, by user ID in the modern format and by API address in the legacy format.

use crate::realm::Realm;
use crate::realm::personal::Presence;
use crate::realm::queue::QueueOptions;
use crate::realm::setting::RealmSetting;
use crate::realm::user::User;
use crate::record::events;
use crate::time::{Span, Timestamp};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// In the legacy format, a user is `active` if the last activity was at most this long before the last connection.
const ACTIVE_PERIOD: Span = Span::from_seconds(70);

/// Presence in the modern format, in UNIX seconds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PresenceRecord {
    /// When the user last used a client; the time of joining if unknown.
    pub active_timestamp: i64,
    /// When the user last had a client open; the time of joining if unknown.
    pub idle_timestamp: i64,
}

impl PresenceRecord {
    /// Converts a presence. The time of joining replaces unknown times.
    pub fn new(user: &User, presence: Presence) -> Self {
        let or_date_joined = |time: Option<Timestamp>| time.unwrap_or(user.date_joined).seconds();
        Self {
            active_timestamp: or_date_joined(presence.active_at),
            idle_timestamp: or_date_joined(presence.connected_at),
        }
    }
}

/// The status in the legacy format, `active` or `idle`, and its time in UNIX seconds.
pub fn legacy_status(user: &User, presence: Presence) -> (&'static str, i64) {
    let connected_at = presence.connected_at.unwrap_or(user.date_joined);
    match presence.active_at {
        Some(active_at) if connected_at.since(active_at) <= ACTIVE_PERIOD => ("active", active_at.seconds()),
        _ => ("idle", connected_at.seconds()),
    }
}

/// The presence of a user in a list of presences.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ListedPresence {
    Modern(PresenceRecord),
    Legacy(LegacyUserPresence),
}

/// The presence of a user by client in the legacy format.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LegacyPresence")]
pub struct LegacyUserPresence {
    /// The presence of all clients together.
    aggregated: AggregatedPresence,
    /// The presence of clients of the kind `website`; there is no other kind.
    website: LegacyClientPresence,
}

/// The presence of all clients of a user together in the legacy format.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AggregatedPresence {
    /// Always `website`, the only kind of client.
    client: &'static str,
    /// `active` if the user used a client within 70 seconds before the last connection, otherwise `idle`.
    #[schemars(extend("enum" = ["active", "idle"]))]
    status: &'static str,
    /// When the user was last active (`active`) or connected (`idle`), UNIX seconds.
    timestamp: i64,
}

impl LegacyUserPresence {
    fn new(user: &User, presence: Presence) -> Self {
        let website = LegacyClientPresence::new(user, presence);
        let LegacyClientPresence { client, status, timestamp, .. } = website;
        Self { aggregated: AggregatedPresence { client, status, timestamp }, website }
    }
}

/// Presences by user ID in the modern format, by API address in the legacy format, in the order of the user IDs.
pub type Presences = IndexMap<String, ListedPresence>;

/// The users whose presence a reply contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresenceRange {
    /// Users who were connected within this number of days before now; none for 0.
    Days(i64),
    /// Users whose presence changed after this `presence_last_update_id`.
    Since(i64),
}

/// The presence of the human users that the viewer may access and who were connected in the last `history_days` days:
/// in the modern format if `slim`, otherwise in the legacy format. The number is `presence_last_update_id`, -1 without
/// users. There are no users if the organization disables presence.
pub fn presences(realm: &Realm, viewer: &User, slim: bool, history_days: i64) -> (Presences, i64) {
    presences_in_range(realm, viewer, slim, PresenceRange::Days(history_days), realm.now)
}

/// Like [`presences`], for any range. `now` may be later than the time of `realm`, which may be an older snapshot.
pub fn presences_in_range(
    realm: &Realm,
    viewer: &User,
    slim: bool,
    range: PresenceRange,
    now: Timestamp,
) -> (Presences, i64) {
    let mut presences = Presences::new();
    let mut last_update_id = -1;
    if realm.organization.is_enabled(RealmSetting::PresenceDisabled) || range == PresenceRange::Days(0) {
        return (presences, last_update_id);
    }
    let is_in_range = |presence: &Presence| match range {
        PresenceRange::Since(update_id) => presence.update_id > update_id,
        PresenceRange::Days(days) => presence
            .connected_at
            .is_some_and(|connected_at| connected_at >= now.plus(Span::from_days(days.saturating_neg()))),
    };
    for id in &realm.active_users {
        let Some(presence) = realm.user_state(*id).presence.filter(is_in_range) else { continue };
        let user = &realm.users[id];
        if user.is_bot() || !realm.can_access_user(viewer, *id) {
            continue;
        }
        last_update_id = last_update_id.max(presence.update_id);
        if slim {
            presences.insert(id.to_string(), ListedPresence::Modern(PresenceRecord::new(user, presence)));
        } else {
            presences.insert(realm.api_email(user), ListedPresence::Legacy(LegacyUserPresence::new(user, presence)));
        }
    }
    (presences, last_update_id)
}

/// The fields of a `presence` event, in the format for a queue with these options. `now` is the time of the event.
pub fn event_fields(
    realm: &Realm,
    options: &QueueOptions,
    user: &User,
    presence: Presence,
    now: Timestamp,
) -> events::Presence {
    if options.capabilities.simplified_presence_events {
        let presences = BTreeMap::from([(user.id, PresenceRecord::new(user, presence))]);
        return events::Presence { presences: Some(presences), ..Default::default() };
    }
    let website = LegacyClientPresence::new(user, presence);
    events::Presence {
        presences: None,
        user_id: Some(user.id),
        server_timestamp: Some(now.fractional_seconds()),
        presence: Some(BTreeMap::from([("website", website)])),
        email: (!options.slim_presence).then(|| realm.api_email(user)),
    }
}

/// Presence of a client in the legacy format.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LegacyClientPresence {
    /// Always `website`, the only kind of client.
    #[schemars(extend("enum" = ["website"]))]
    pub client: &'static str,
    /// `active` if the user used a client within 70 seconds before the last connection, otherwise `idle`.
    #[schemars(extend("enum" = ["idle", "active"]))]
    pub status: &'static str,
    /// When the user was last active (`active`) or connected (`idle`), UNIX seconds.
    pub timestamp: i64,
    /// Always false.
    pub pushable: bool,
}

impl LegacyClientPresence {
    fn new(user: &User, presence: Presence) -> Self {
        let (status, timestamp) = legacy_status(user, presence);
        Self { client: "website", status, timestamp, pushable: false }
    }
}
