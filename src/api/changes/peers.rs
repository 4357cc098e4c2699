//! `subscription` peer_add and peer_remove events, which report changes of a channel's subscribers to other users.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Privacy};
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::Peers;
use imbl::OrdSet;
use std::collections::{BTreeMap, HashMap};

/// A change of subscribers that one event reports, and its audience.
pub(super) struct PeerChange {
    is_archived: bool,
    audience: Audience,
    users: OrdSet<UserId>,
    channels: Vec<ChannelId>,
}

/// The changes to report. `users_by_channel` has those who subscribe (`is_arrival`) or unsubscribe.
///
/// Private channels come first, with one change each. Public channels with the same users share a change, which is then
/// divided by kind ([`PublicChange::split_by_kind`]). Below 378, they share one only if it is about a single user, and
/// it is divided by audience ([`PublicChange::split_by_audience`]); all others have one change each.
pub(super) fn peer_changes(
    tx: &Tx,
    users_by_channel: BTreeMap<ChannelId, OrdSet<UserId>>,
    is_arrival: bool,
) -> Vec<PeerChange> {
    let mut changes = Vec::new();
    let mut public_changes: Vec<PublicChange> = Vec::new();
    let mut change_indexes: HashMap<(bool, OrdSet<UserId>), usize> = HashMap::new();
    for (id, users) in users_by_channel.into_iter().filter(|(_, users)| !users.is_empty()) {
        let channel = &tx.channels[&id];
        if channel.privacy.is_private() {
            changes.push(peer_change(tx, vec![id], users));
            continue;
        }
        let index = *change_indexes.entry((channel.is_archived, users.clone())).or_insert(public_changes.len());
        match public_changes.get_mut(index) {
            Some(change) => change.channels.push(id),
            None => public_changes.push(PublicChange { is_archived: channel.is_archived, users, channels: vec![id] }),
        }
    }
    if !tx.has(Feature::OnePeerEventPerChannelKind) {
        let (single_user_changes, multi_user_changes): (Vec<_>, Vec<_>) =
            public_changes.into_iter().partition(|change| change.users.len() == 1);
        let mut by_channel: Vec<(ChannelId, OrdSet<UserId>)> = multi_user_changes
            .into_iter()
            .flat_map(|change| change.channels.into_iter().map(move |id| (id, change.users.clone())))
            .collect();
        by_channel.sort_unstable_by_key(|(id, _)| *id);
        changes.extend(by_channel.into_iter().map(|(id, users)| peer_change(tx, vec![id], users)));
        changes.extend(single_user_changes.into_iter().flat_map(|change| change.split_by_audience(tx)));
    } else {
        changes.extend(public_changes.into_iter().flat_map(|change| change.split_by_kind(tx, is_arrival)));
    }
    changes
}

/// The change for channels that all have the same audience.
fn peer_change(realm: &Realm, channels: Vec<ChannelId>, users: OrdSet<UserId>) -> PeerChange {
    let channel = &realm.channels[&channels[0]];
    let audience = realm.channel_audience(channel).except_all(&users);
    PeerChange { is_archived: channel.is_archived, audience, users, channels }
}

/// Public channels, either all archived or none, that the same users subscribe to or unsubscribe from.
struct PublicChange {
    is_archived: bool,
    users: OrdSet<UserId>,
    channels: Vec<ChannelId>,
}

impl PublicChange {
    /// One change for all web-public channels, one for each other channel with guests, and one for all the rest.
    fn split_by_kind(self, realm: &Realm, is_arrival: bool) -> Vec<PeerChange> {
        let has_guests = |channel: &Channel| {
            let mut guests = realm.guests().iter().filter(|guest| channel.subscribers.contains(*guest));
            // Users who are leaving are still subscribers at this point.
            guests.any(|guest| is_arrival || !self.users.contains(guest))
        };
        let mut changes = Vec::new();
        let (mut web_public, mut others) = (Vec::new(), Vec::new());
        for id in self.channels {
            let channel = &realm.channels[&id];
            match channel.privacy {
                Privacy::WebPublic => web_public.push(id),
                _ if has_guests(channel) => changes.push(peer_change(realm, vec![id], self.users.clone())),
                _ => others.push(id),
            }
        }
        for channels in [web_public, others].into_iter().filter(|channels| !channels.is_empty()) {
            changes.push(peer_change(realm, channels, self.users.clone()));
        }
        changes
    }

    /// One change with all channels for everyone except guests, and for guests one with the channels that they can see
    /// (A-413 in docs/assumptions.md).
    fn split_by_audience(self, realm: &Realm) -> Vec<PeerChange> {
        let mut guests_by_channels: BTreeMap<Vec<ChannelId>, OrdSet<UserId>> = BTreeMap::new();
        // Only users with a queue receive events, and they are few compared to all guests.
        let guests_with_queue =
            realm.event_reading_users_among(realm.guests()).into_iter().filter(|guest| !self.users.contains(guest));
        for guest in guests_with_queue {
            let is_visible = |id: &ChannelId| realm.can_see(&realm.users[&guest], &realm.channels[id]);
            let visible_channels: Vec<ChannelId> = self.channels.iter().copied().filter(is_visible).collect();
            if !visible_channels.is_empty() {
                guests_by_channels.entry(visible_channels).or_default().insert(guest);
            }
        }
        let guests_who_see_all = guests_by_channels.remove(&self.channels).unwrap_or_default();
        let non_guests =
            Audience::of_users(realm.active_users.clone()).except_all(realm.guests()).except_all(&self.users);
        let change = |audience, channels| PeerChange {
            is_archived: self.is_archived,
            audience,
            users: self.users.clone(),
            channels,
        };
        let guest_changes =
            guests_by_channels.into_iter().map(|(channels, guests)| change(Audience::of_users(guests), channels));
        std::iter::once(change(non_guests.including(guests_who_see_all), self.channels.clone()))
            .chain(guest_changes)
            .collect()
    }
}

/// Event: `subscription` peer_remove to users who unsubscribe together, about each other. The audience of
/// [`emit_peer_changes`] does not include them.
pub(super) fn emit_removal_among_unsubscribed(tx: &mut Tx, change: &PeerChange) {
    if change.users.len() > 1 {
        let payload = Payload::PeersUnsubscribed { channels: change.channels.clone(), users: change.users.clone() };
        let event = Event::new(EventKind::SubscriptionPeerRemove, payload)
            .only_for(DeliveryCondition::of_channel(change.is_archived));
        tx.emit(Audience::of_users(change.users.clone()), event);
    }
}

/// Event, for each change: `subscription` peer_add or peer_remove, whichever `event` makes.
pub(super) fn emit_peer_changes<E: EventData>(tx: &mut Tx, event: fn(Peers) -> E, changes: Vec<PeerChange>) {
    emit_peer_changes_with_condition(tx, event, changes, DeliveryCondition::of_channel);
}

/// Like [`emit_peer_changes`], with a delivery condition that depends on whether the channels are archived.
pub(super) fn emit_peer_changes_with_condition<E: EventData>(
    tx: &mut Tx,
    event: fn(Peers) -> E,
    changes: Vec<PeerChange>,
    condition: impl Fn(bool) -> DeliveryCondition,
) {
    for change in changes {
        let peers = Peers::new(change.channels, change.users);
        tx.emit(change.audience, event(peers).only_for(condition(change.is_archived)));
    }
}
