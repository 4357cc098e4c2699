//! When somebody was seen, and who is informed of it (reference behaviour, presence).

use crate::realm::log::event::{Event, EventKind, Payload};
use crate::realm::model::id::UserId;
use crate::realm::model::personal::Presence;
use crate::realm::model::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};

/// How often clients are to report presence (`server_presence_ping_interval_seconds`).
pub const PING_INTERVAL: Span = Span::seconds(60);
/// Who was not seen for this long counts as offline (`server_presence_offline_threshold_seconds`).
pub const OFFLINE_AFTER: Span = Span::seconds(200);
/// A report this soon after the last one changes nothing: several clients may report at once.
const LEAST_STEP: Span = Span::seconds(55);
/// Whose last activity is older than this has come back: others are informed. The offline threshold less a ping and a bit.
const AWAY_AFTER: Span = Span::seconds(130);
/// From now to when somebody who has just switched presence off was last seen: what makes them offline
/// ([`OFFLINE_AFTER`]), and two minutes for clocks that differ.
const LAST_SEEN_WHEN_DISABLED: Span = Span::seconds(-(OFFLINE_AFTER.whole_seconds() + 120));
/// Active users above which nobody is notified who comes back.
const MAX_USERS_FOR_EVENTS: usize = 100;

/// Notes that somebody was seen, and tells those who may know of them when they have come back.
pub fn note_presence(tx: &mut Tx, user: UserId, is_active: bool) {
    let now = tx.now;
    let before = tx.user_state(user).presence;
    let mut presence = before.unwrap_or(Presence { active_at: None, connected_at: None, update_id: 0 });
    let is_older = |at: Option<Timestamp>, than: Span| at.is_none_or(|at| now.since(at) > than);
    let has_come_back = before.is_none() || (is_active && is_older(presence.active_at, AWAY_AFTER));
    let is_connection_news = is_older(presence.connected_at, LEAST_STEP);
    let is_activity_news = is_active && is_older(presence.active_at, LEAST_STEP);
    if !is_connection_news && !is_activity_news {
        return;
    }
    if is_activity_news {
        presence.active_at = Some(now);
    }
    // Whoever is active is connected too.
    presence.connected_at = Some(now);
    tx.realm_mut().counters.presence += 1;
    presence.update_id = tx.counters.presence;
    tx.user_state_mut(user).presence = Some(presence);
    if has_come_back {
        emit_presence(tx, user, presence);
    }
}

/// Makes what is known of somebody agree with their setting `presence_enabled` at once: they are here, or were last seen
/// just long enough ago to count as offline (A-167 in docs/assumptions.md).
pub fn follow_presence_setting(tx: &mut Tx, user: UserId, is_enabled: bool) {
    if tx.users[&user].is_bot() {
        return;
    }
    let now = tx.now;
    let connected_at = if is_enabled { now } else { now.plus(LAST_SEEN_WHEN_DISABLED) };
    tx.realm_mut().counters.presence += 1;
    let update_id = tx.counters.presence;
    let presence = Presence { active_at: is_enabled.then_some(now), connected_at: Some(connected_at), update_id };
    tx.user_state_mut(user).presence = Some(presence);
    emit_presence(tx, user, presence);
}

/// Tells those who may know of somebody, in organizations that are not too large for it.
fn emit_presence(tx: &mut Tx, user: UserId, presence: Presence) {
    let is_sent =
        tx.active_users.len() <= MAX_USERS_FOR_EVENTS && !tx.organization.is_on(RealmSetting::PresenceDisabled);
    if is_sent {
        let now = tx.now;
        let audience = tx.who_can_access(user);
        let payload = Payload::Presence { user: tx.users[&user].clone(), presence, now };
        tx.emit(audience, Event::new(EventKind::Presence, payload));
    }
}
