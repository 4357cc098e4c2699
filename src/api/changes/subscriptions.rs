//! Subscribing and unsubscribing with all events, for every operation that does so.

use super::peers::{emit_fellow_leavers, emit_peers, emit_peers_needing, peer_changes};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::palette::Palette;
use crate::realm::tx::Tx;
use crate::realm::visibility::Sight;
use crate::record::events::{FlagUpdate, LeftChannel, SubscriptionPeerAdd, SubscriptionPeerRemove, SubscriptionRemove};
use imbl::OrdSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who came to which channels, or left them.
pub type Changed = BTreeMap<UserId, Vec<ChannelId>>;

/// Subscriptions that one request changes at most, users times channels (A-321 in docs/assumptions.md). About 2 s.
const MAX_SUBSCRIPTIONS: usize = 1_000_000;

/// Asserts that a request does not change too many subscriptions at once.
///
/// # Errors
///
/// `TooManySubscriptions`.
pub fn check_size(users: usize, channels: usize) -> Result<(), Error> {
    if users.saturating_mul(channels) > MAX_SUBSCRIPTIONS {
        return Err(Error::TooManySubscriptions { max_subscriptions: MAX_SUBSCRIPTIONS.into() });
    }
    Ok(())
}

/// Subscribes an active user to channels; gives those to which they were not subscribed before.
///
/// Events: those of [`subscribe_all`].
pub fn subscribe(tx: &mut Tx, user: UserId, channels: &[ChannelId], color: Option<&str>) -> Vec<ChannelId> {
    let colors = channels.iter().filter_map(|id| Some((*id, color?.to_owned()))).collect();
    subscribe_all(tx, &BTreeSet::from([user]), channels, &colors).remove(&user).unwrap_or_default()
}

/// Subscribes active users to channels, in these colours where they have one; gives what is new, for each user first the
/// channels that they were never subscribed to, then the others, both in the order in which they were given.
///
/// Events, in this order: `realm_user` add to limited guests who come to know somebody, `stream` create for each channel
/// to those who could not see it, `subscription` add to each user, `subscription` peer_add to everybody else who may see the
/// subscribers.
pub fn subscribe_all(
    tx: &mut Tx,
    users: &BTreeSet<UserId>,
    channels: &[ChannelId],
    colors: &BTreeMap<ChannelId, String>,
) -> Changed {
    let mut added = Changed::new();
    let mut restored = Changed::new();
    let mut discovered = BTreeMap::new();
    let mut arrived = BTreeMap::new();
    let mut palette = Palette::default();
    let before = tx.mark();
    for channel in channels {
        let is_new = |user: &UserId| tx.subscribe_from(&mut palette, *user, *channel, colors.get(channel).cloned());
        let newcomers: OrdSet<UserId> = users.iter().copied().filter(is_new).collect();
        for user in &newcomers {
            let was_subscribed = before.user_state(*user).subscriptions.contains_key(channel);
            let changed = if was_subscribed { &mut restored } else { &mut added };
            changed.entry(*user).or_default().push(*channel);
        }
        discovered.insert(*channel, blind_among(&before, &newcomers, *channel));
        arrived.insert(*channel, newcomers);
    }
    for (user, channels) in restored {
        added.entry(user).or_default().extend(channels);
    }
    tx.emit_visibility(&before, &[Sight::Users]);
    for (channel, users) in discovered {
        tx.emit_created(BTreeMap::from([(channel, users)]));
    }
    for (user, channels) in &added {
        emit_added(tx, *user, channels);
    }
    let changes = peer_changes(tx, arrived, true);
    emit_peers(tx, SubscriptionPeerAdd, changes);
    added
}

/// Unsubscribes users from those of the channels to which they are subscribed; gives what ended. What was unread there
/// is read from then on.
///
/// Events, in this order: `subscription` peer_remove to everybody else who may see the subscribers; then for each user
/// `subscription` remove, `stream` delete for channels that they can't see any more, `update_message_flags` for what
/// was unread; then `realm_user` remove to limited guests who lose somebody.
pub fn unsubscribe_all(tx: &mut Tx, users: &BTreeSet<UserId>, channels: &[ChannelId]) -> Changed {
    let mut removed = Changed::new();
    let mut left = BTreeMap::new();
    let before = tx.mark();
    for channel in channels {
        let leavers: OrdSet<UserId> =
            users.iter().copied().filter(|user| tx.user_state(*user).subscription(*channel).is_some()).collect();
        for user in &leavers {
            removed.entry(*user).or_default().push(*channel);
        }
        left.insert(*channel, leavers);
    }
    // Those who can see the subscribers while the users are among them.
    let changes = peer_changes(tx, left, false);
    for change in &changes {
        emit_fellow_leavers(tx, change);
    }
    emit_peers(tx, SubscriptionPeerRemove, changes);
    for (user, channels) in &removed {
        leave(tx, *user, channels);
    }
    tx.emit_visibility(&before, &[Sight::Users]);
    removed
}

/// Takes a user who is being deactivated out of all channels; the subscriptions themselves are kept.
///
/// Event: `subscription` peer_remove to everybody else who may see the subscribers.
pub fn suspend(tx: &mut Tx, user: UserId) {
    let channels = active_subscriptions(tx, user);
    let changes = peer_changes(tx, channels.iter().map(|id| (*id, OrdSet::unit(user))).collect(), false);
    for channel in channels {
        tx.channel_mut(channel).subscribers.remove(&user);
    }
    emit_peers_needing(tx, SubscriptionPeerRemove, changes, |is_archived| match is_archived {
        true => DeliveryCondition::ArchivedChannelsFrom(Feature::DeactivationLeavesArchived.since()),
        false => DeliveryCondition::From(Feature::DeactivationLeaves.since()),
    });
}

/// Puts a user who is being reactivated back into all channels whose subscriptions were kept; gives those.
pub fn resume(tx: &mut Tx, user: UserId) -> Vec<ChannelId> {
    let channels = active_subscriptions(tx, user);
    for channel in &channels {
        tx.channel_mut(*channel).subscribers.insert(user);
    }
    channels
}

/// Tells everybody else who may see the subscribers that a user is among them again: `subscription` peer_add.
pub fn emit_resumed(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let changes = peer_changes(tx, channels.iter().map(|id| (*id, OrdSet::unit(user))).collect(), true);
    emit_peers(tx, SubscriptionPeerAdd, changes);
}

fn active_subscriptions(realm: &Realm, user: UserId) -> Vec<ChannelId> {
    let subscriptions = realm.user_state(user).subscriptions.iter();
    subscriptions.filter(|(_, subscription)| subscription.is_active).map(|(channel, _)| *channel).collect()
}

fn leave(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let mut unread: Vec<_> = channels.iter().flat_map(|channel| tx.unsubscribe(user, *channel)).collect();
    let (archived, living): (Vec<_>, Vec<_>) = channels.iter().copied().partition(|id| tx.channels[id].is_archived);
    for (is_archived, channels) in [(false, living), (true, archived)] {
        if !channels.is_empty() {
            emit_left(tx, user, &channels, DeliveryCondition::of_channel(is_archived));
        }
    }
    if !unread.is_empty() {
        unread.sort_unstable();
        tx.emit(Audience::user(user), FlagUpdate::new(true, "read", unread));
    }
}

fn emit_left(tx: &mut Tx, user: UserId, channels: &[ChannelId], needs: DeliveryCondition) {
    let left = channels.iter().map(|id| LeftChannel { name: tx.channels[id].name.clone(), stream_id: *id });
    let event = SubscriptionRemove { subscriptions: left.collect() };
    tx.emit(Audience::user(user), event.only_for(needs));
    let account = tx.users[&user].clone();
    let is_hidden = |id: &ChannelId| !tx.can_see(&account, &tx.channels[id]);
    let vanished: OrdSet<ChannelId> = channels.iter().copied().filter(is_hidden).collect();
    if !vanished.is_empty() {
        tx.emit_vanished(Audience::user(user), &vanished, needs);
    }
}

/// Those of the users who can't see a channel.
fn blind_among(realm: &Realm, users: &OrdSet<UserId>, channel: ChannelId) -> OrdSet<UserId> {
    let channel = &realm.channels[&channel];
    let is_blind = |id: &&UserId| realm.user(**id).is_some_and(|user| !realm.can_see(user, channel));
    users.iter().filter(is_blind).copied().collect()
}

/// Shaped when it is read: only those with a queue cost a list of all subscribers.
fn emit_added(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let own = tx.user_state(user);
    let subscriptions =
        channels.iter().filter_map(|id| Some((tx.channels.get(id)?.clone(), own.subscriptions.get(id)?.clone())));
    let (archived, living): (Vec<_>, Vec<_>) =
        subscriptions.partition(|(channel, _): &(Arc<Channel>, Arc<Subscription>)| channel.is_archived);
    for (is_archived, subscriptions) in [(false, living), (true, archived)] {
        if !subscriptions.is_empty() {
            let event = Event::new(EventKind::SubscriptionAdd, Payload::Subscribed(subscriptions));
            tx.emit(Audience::user(user), event.only_for(DeliveryCondition::of_channel(is_archived)));
        }
    }
}
