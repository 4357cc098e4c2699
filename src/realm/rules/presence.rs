//! Presence of users: recording of reports, and the events for other users (reference behaviour, presence).

use crate::realm::log::event::{Event, EventKind, Payload};
use crate::realm::model::id::UserId;
use crate::realm::model::personal::Presence;
use crate::realm::model::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};

/// Interval at which clients report presence (`server_presence_ping_interval_seconds`).
pub const PING_INTERVAL: Span = Span::from_seconds(60);
/// Users without a report for this long count as offline (`server_presence_offline_threshold_seconds`).
pub const OFFLINE_AFTER: Span = Span::from_seconds(200);
/// A report is ignored if the times that it would update are not older than this, because several clients may report at
/// once.
const MIN_UPDATE_INTERVAL: Span = Span::from_seconds(55);
/// Activity after a longer pause is sent to other users as an event. The value is [`OFFLINE_AFTER`] minus
/// [`PING_INTERVAL`], minus 10 seconds of tolerance.
const AWAY_AFTER: Span = Span::from_seconds(130);
/// The last connection of users who disable presence, relative to now: [`OFFLINE_AFTER`], plus two minutes because
/// clocks differ.
const DISABLED_CONNECTION_OFFSET: Span = Span::from_seconds(-(OFFLINE_AFTER.whole_seconds() + 120));
/// In organizations with more active users, presence is not sent as events.
const MAX_USERS_FOR_EVENTS: usize = 100;

/// Records a report, and emits an event if the user was away or never reported before.
pub fn record_presence(tx: &mut Tx, user: UserId, is_active: bool) {
    let now = tx.now;
    let before = tx.user_state(user).presence;
    let mut presence = before.unwrap_or(Presence { active_at: None, connected_at: None, update_id: 0 });
    let is_older = |time: Option<Timestamp>, min_age: Span| time.is_none_or(|time| now.since(time) > min_age);
    let is_newly_present = before.is_none() || (is_active && is_older(presence.active_at, AWAY_AFTER));
    let updates_connection = is_older(presence.connected_at, MIN_UPDATE_INTERVAL);
    let updates_activity = is_active && is_older(presence.active_at, MIN_UPDATE_INTERVAL);
    if !updates_connection && !updates_activity {
        return;
    }
    if updates_activity {
        presence.active_at = Some(now);
    }
    // Active users are connected too.
    presence.connected_at = Some(now);
    tx.realm_mut().counters.presence += 1;
    presence.update_id = tx.counters.presence;
    tx.user_state_mut(user).presence = Some(presence);
    if is_newly_present {
        emit_presence(tx, user, presence);
    }
}

/// Applies a change of the setting `presence_enabled` immediately: the user becomes active or offline (A-167 in
/// docs/assumptions.md). Does nothing for bots.
pub fn apply_presence_setting(tx: &mut Tx, user: UserId, is_enabled: bool) {
    if tx.users[&user].is_bot() {
        return;
    }
    let now = tx.now;
    let connected_at = if is_enabled { now } else { now.plus(DISABLED_CONNECTION_OFFSET) };
    tx.realm_mut().counters.presence += 1;
    let update_id = tx.counters.presence;
    let presence = Presence { active_at: is_enabled.then_some(now), connected_at: Some(connected_at), update_id };
    tx.user_state_mut(user).presence = Some(presence);
    emit_presence(tx, user, presence);
}

/// Emits presence to the users who can access the user, unless the organization is too large or disables presence.
fn emit_presence(tx: &mut Tx, user: UserId, presence: Presence) {
    let is_sent =
        tx.active_users.len() <= MAX_USERS_FOR_EVENTS && !tx.organization.is_enabled(RealmSetting::PresenceDisabled);
    if is_sent {
        let now = tx.now;
        let audience = tx.audience_with_access_to(user);
        let payload = Payload::Presence { user: tx.users[&user].clone(), presence, now };
        tx.emit(audience, Event::new(EventKind::Presence, payload));
    }
}
