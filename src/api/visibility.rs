//! Channels that come into sight and go out of it when somebody's role or groups change.
//!
//! Only those who listen are looked at: everybody else finds out when they register.

use super::subscribing::{emit_created, emit_vanished, needs};
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::{Audience, Event};
use crate::realm::id::{ChannelId, UserId};
use crate::record::channel::can_see_subscribers;
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeMap;

/// What users with an event queue can see of channels.
pub struct Sight(BTreeMap<UserId, OrdSet<ChannelId>>);

impl Sight {
    /// What these users see now.
    pub fn of(realm: &Realm, users: &OrdSet<UserId>) -> Self {
        let listeners: OrdSet<UserId> =
            realm.queues.values().map(|queue| queue.owner).filter(|owner| users.contains(owner)).collect();
        Self(listeners.into_iter().map(|user| (user, seen_by(realm, user))).collect())
    }

    /// Tells those users what they see more or less than before.
    ///
    /// Events: `stream` create and `subscription` peer_add of channels that came into sight, `stream` delete of those
    /// that went out of it.
    pub fn tell_changes(self, tx: &mut Tx) {
        for (user, before) in self.0 {
            let after = seen_by(tx, user);
            for channel in after.clone().relative_complement(before.clone()) {
                show(tx, user, channel);
            }
            for channel in before.relative_complement(after) {
                let needs = needs(tx.channels[&channel].is_archived);
                emit_vanished(tx, Audience::user(user), &OrdSet::unit(channel), needs);
            }
        }
    }
}

fn seen_by(realm: &Realm, user: UserId) -> OrdSet<ChannelId> {
    let Some(account) = realm.user(user) else { return OrdSet::new() };
    realm.channels.values().filter(|channel| realm.can_see(account, channel)).map(|channel| channel.id).collect()
}

fn show(tx: &mut Tx, user: UserId, channel: ChannelId) {
    emit_created(tx, BTreeMap::from([(channel, OrdSet::unit(user))]));
    let channel = tx.channels[&channel].clone();
    if channel.subscribers.is_empty() || !can_see_subscribers(tx, &tx.users[&user], &channel) {
        return;
    }
    let fields = json!({"stream_ids": [channel.id], "user_ids": channel.subscribers});
    let event = Event::shaped("subscription", Some("peer_add"), fields).needing(needs(channel.is_archived));
    tx.emit(Audience::user(user), event);
}
