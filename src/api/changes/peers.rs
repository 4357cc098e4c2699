//! Changes of subscribers, as others hear of them.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Privacy};
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::Peers;
use imbl::OrdSet;
use std::collections::{BTreeMap, HashMap};

/// A change of subscribers that one event tells of, and who may see it.
pub(super) struct PeerChange {
    is_archived: bool,
    audience: Audience,
    users: OrdSet<UserId>,
    channels: Vec<ChannelId>,
}

/// One change for each private channel, then those of public ones: by the users who come (`is_arrival`) or leave together.
pub(super) fn peer_changes(tx: &Tx, changed: BTreeMap<ChannelId, OrdSet<UserId>>, is_arrival: bool) -> Vec<PeerChange> {
    let mut changes = Vec::new();
    let mut groups: Vec<PublicChange> = Vec::new();
    let mut places: HashMap<(bool, OrdSet<UserId>), usize> = HashMap::new();
    for (id, users) in changed.into_iter().filter(|(_, users)| !users.is_empty()) {
        let channel = &tx.channels[&id];
        if channel.privacy.is_private() {
            changes.push(peer_change(tx, vec![id], users));
            continue;
        }
        let place = *places.entry((channel.is_archived, users.clone())).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.channels.push(id),
            None => groups.push(PublicChange { is_archived: channel.is_archived, users, channels: vec![id] }),
        }
    }
    if !tx.has(Feature::PeersOfSameKindTogether) {
        let (alone, together): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.users.len() == 1);
        let mut each: Vec<(ChannelId, OrdSet<UserId>)> = together
            .into_iter()
            .flat_map(|group| group.channels.into_iter().map(move |id| (id, group.users.clone())))
            .collect();
        each.sort_unstable_by_key(|(id, _)| *id);
        changes.extend(each.into_iter().map(|(id, users)| peer_change(tx, vec![id], users)));
        changes.extend(alone.into_iter().flat_map(|group| group.for_readers(tx)));
    } else {
        changes.extend(groups.into_iter().flat_map(|group| group.by_kind(tx, is_arrival)));
    }
    changes
}

/// A change that the same people may see, whichever of the channels they look at.
fn peer_change(realm: &Realm, channels: Vec<ChannelId>, users: OrdSet<UserId>) -> PeerChange {
    let channel = &realm.channels[&channels[0]];
    let audience = realm.who_can_see(channel).except_all(&users);
    PeerChange { is_archived: channel.is_archived, audience, users, channels }
}

/// Public channels, archived or not, that the same users come to or leave.
struct PublicChange {
    is_archived: bool,
    users: OrdSet<UserId>,
    channels: Vec<ChannelId>,
}

impl PublicChange {
    /// One change for each channel with guests, one for those that are web-public and one for the others.
    fn by_kind(self, realm: &Realm, is_arrival: bool) -> Vec<PeerChange> {
        let has_guests = |channel: &Channel| {
            let mut guests = realm.guests().iter().filter(|guest| channel.subscribers.contains(*guest));
            // Those who leave are subscribers still.
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

    /// One change of all channels for all but guests, and for guests one with those that they can see (A-413 in
    /// docs/assumptions.md).
    fn for_readers(self, realm: &Realm) -> Vec<PeerChange> {
        let mut guests: BTreeMap<Vec<ChannelId>, OrdSet<UserId>> = BTreeMap::new();
        // Nobody without a queue hears of it: these few are looked at rather than every guest.
        let listeners = realm.listeners_among(realm.guests()).into_iter().filter(|guest| !self.users.contains(guest));
        for guest in listeners {
            let sees = |id: &ChannelId| realm.can_see(&realm.users[&guest], &realm.channels[id]);
            let seen: Vec<ChannelId> = self.channels.iter().copied().filter(sees).collect();
            if !seen.is_empty() {
                guests.entry(seen).or_default().insert(guest);
            }
        }
        let see_all = guests.remove(&self.channels).unwrap_or_default();
        let members = Audience::of(realm.active_users.clone()).except_all(realm.guests()).except_all(&self.users);
        let change = |audience, channels| PeerChange {
            is_archived: self.is_archived,
            audience,
            users: self.users.clone(),
            channels,
        };
        let for_guests = guests.into_iter().map(|(channels, guests)| change(Audience::of(guests), channels));
        std::iter::once(change(members.including(see_all), self.channels.clone())).chain(for_guests).collect()
    }
}

/// Those who leave together hear of each other too: nothing else tells them.
pub(super) fn emit_fellow_leavers(tx: &mut Tx, change: &PeerChange) {
    if change.users.len() > 1 {
        let payload = Payload::PeersLeft { channels: change.channels.clone(), users: change.users.clone() };
        let event = Event::new(EventKind::SubscriptionPeerRemove, payload)
            .only_for(DeliveryCondition::of_channel(change.is_archived));
        tx.emit(Audience::of(change.users.clone()), event);
    }
}

pub(super) fn emit_peers<E: EventData>(tx: &mut Tx, event: fn(Peers) -> E, changes: Vec<PeerChange>) {
    emit_peers_needing(tx, event, changes, DeliveryCondition::of_channel);
}

/// As [`emit_peers`]; what is needed for channels that are archived or not.
pub(super) fn emit_peers_needing<E: EventData>(
    tx: &mut Tx,
    event: fn(Peers) -> E,
    changes: Vec<PeerChange>,
    needs: impl Fn(bool) -> DeliveryCondition,
) {
    for change in changes {
        let peers = Peers::new(change.channels, change.users);
        tx.emit(change.audience, event(peers).only_for(needs(change.is_archived)));
    }
}
