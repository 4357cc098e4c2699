//! Channels that come into sight and go out of it, and what users are told then.
//!
//! Only those who listen are looked at: everybody else finds out when they register.

use super::Realm;
use super::change::Tx;
use super::channel::Channel;
use super::event::{Audience, DeliveryCondition, Event, Payload};
use super::id::{ChannelId, UserId};
use super::visible_starred::VisibleStarred;
use imbl::OrdSet;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What users with an event queue can see of channels.
pub struct VisibleChannels {
    channels: BTreeMap<UserId, OrdSet<ChannelId>>,
    starred: VisibleStarred,
}

impl VisibleChannels {
    /// What these users see now, before their role or groups change.
    pub fn of(realm: &Realm, users: &OrdSet<UserId>) -> Self {
        let channels = realm.listeners_among(users).into_iter().map(|user| (user, seen_by(realm, user))).collect();
        Self { channels, starred: VisibleStarred::of(realm, users) }
    }

    /// Tells those users what they see more or less than before.
    ///
    /// Events: `stream` create and `subscription` peer_add of channels that came into sight, `stream` delete of those
    /// that went out of it; `update_message_flags` of starred messages that did so.
    pub fn tell_changes(self, tx: &mut Tx) {
        for (user, before) in self.channels {
            let after = seen_by(tx, user);
            for channel in after.clone().relative_complement(before.clone()) {
                show(tx, user, channel);
            }
            for channel in before.relative_complement(after) {
                let needs = DeliveryCondition::of_channel(tx.channels[&channel].is_archived);
                tx.emit_vanished(Audience::user(user), &OrdSet::unit(channel), needs);
            }
        }
        self.starred.tell_changes(tx);
    }
}

fn seen_by(realm: &Realm, user: UserId) -> OrdSet<ChannelId> {
    let Some(account) = realm.user(user) else { return OrdSet::new() };
    realm.channels.values().filter(|channel| realm.can_see(account, channel)).map(|channel| channel.id).collect()
}

fn show(tx: &mut Tx, user: UserId, channel: ChannelId) {
    tx.emit_created(BTreeMap::from([(channel, OrdSet::unit(user))]));
    let channel = tx.channels[&channel].clone();
    if channel.subscribers.is_empty() {
        return;
    }
    let fields = json!({"stream_ids": [channel.id], "user_ids": channel.subscribers});
    let needs = DeliveryCondition::of_channel(channel.is_archived);
    tx.emit(Audience::user(user), Event::shaped("subscription", Some("peer_add"), fields).only_for(needs));
}

impl Tx {
    /// Shows channels to users who could not see them: one event where the same users discover several.
    pub fn emit_created(&mut self, discovered: BTreeMap<ChannelId, OrdSet<UserId>>) {
        let mut by_users: BTreeMap<(bool, OrdSet<UserId>), Vec<Arc<Channel>>> = BTreeMap::new();
        for (id, users) in discovered {
            if !users.is_empty() {
                let channel = &self.channels[&id];
                by_users.entry((channel.is_archived, users)).or_default().push(channel.clone());
            }
        }
        for ((is_archived, users), channels) in by_users {
            let event = Event::new("stream", Some("create"), Payload::ChannelsCreated(channels));
            self.emit(Audience::of(users), event.only_for(DeliveryCondition::of_channel(is_archived)));
        }
    }

    /// Tells users that they can't see channels any more (A-339 in docs/assumptions.md).
    pub fn emit_vanished(&mut self, audience: Audience, channels: &OrdSet<ChannelId>, needs: DeliveryCondition) {
        let streams: Vec<_> = channels.iter().map(|id| json!({ "stream_id": id })).collect();
        let fields = json!({"streams": streams, "stream_ids": channels});
        self.emit(audience, Event::shaped("stream", Some("delete"), fields).only_for(needs));
    }
}
