//! Subscribing and unsubscribing users, and suspending and resuming the subscriptions of accounts, with all events.

use super::peers::{
    emit_peer_changes, emit_peer_changes_with_condition, emit_removal_among_unsubscribed, peer_changes,
};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Channel, Subscription};
use crate::realm::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::subscription_colors::ColorCountsByUser;
use crate::realm::tx::Tx;
use crate::realm::visibility::VisibleKind;
use crate::record::events::{FlagUpdate, LeftChannel, SubscriptionPeerAdd, SubscriptionPeerRemove, SubscriptionRemove};
use imbl::OrdSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The channels that each user was subscribed to or unsubscribed from.
pub type ChannelsByUser = BTreeMap<UserId, Vec<ChannelId>>;

/// Maximum number of subscriptions that one request changes: users times channels (A-321 in docs/assumptions.md).
/// Changing this many takes about 2 s.
const MAX_SUBSCRIPTIONS: usize = 1_000_000;

/// Checks that a request does not change too many subscriptions at once.
///
/// # Errors
///
/// `TooManySubscriptions`.
pub fn check_subscription_count(user_count: usize, channel_count: usize) -> Result<(), Error> {
    if user_count.saturating_mul(channel_count) > MAX_SUBSCRIPTIONS {
        return Err(Error::TooManySubscriptions { max_subscriptions: MAX_SUBSCRIPTIONS.into() });
    }
    Ok(())
}

/// Subscribes an active user to channels. Returns those to which the user was not subscribed before.
///
/// Events: those of [`subscribe_all`].
pub fn subscribe(tx: &mut Tx, user: UserId, channels: &[ChannelId], color: Option<&str>) -> Vec<ChannelId> {
    let colors = channels.iter().filter_map(|id| Some((*id, color?.to_owned()))).collect();
    subscribe_all(tx, &BTreeSet::from([user]), channels, &colors).remove(&user).unwrap_or_default()
}

/// Subscribes active users to channels, with the colors for those channels that have one. Returns the new
/// subscriptions: for each user first the channels to which the user was never subscribed, then the others, both in the
/// order of `channels`.
///
/// Events, in this order: `realm_user` add to limited guests who gain access to users, `stream` create for each channel
/// to users who could not see it, `subscription` add to each user, `subscription` peer_add to everyone else who can see
/// the subscribers.
pub fn subscribe_all(
    tx: &mut Tx,
    users: &BTreeSet<UserId>,
    channels: &[ChannelId],
    colors: &BTreeMap<ChannelId, String>,
) -> ChannelsByUser {
    let mut first_subscriptions = ChannelsByUser::new();
    let mut resumed_subscriptions = ChannelsByUser::new();
    let mut users_by_discovered_channel = BTreeMap::new();
    let mut newcomers_by_channel = BTreeMap::new();
    let mut color_counts = ColorCountsByUser::default();
    let before = tx.realm_copy();
    for channel in channels {
        let subscribe_if_new = |user: &UserId| {
            tx.subscribe_with_color_counts(&mut color_counts, *user, *channel, colors.get(channel).cloned())
        };
        let newcomers: OrdSet<UserId> = users.iter().copied().filter(subscribe_if_new).collect();
        for user in &newcomers {
            let was_subscribed = before.user_state(*user).subscriptions.contains_key(channel);
            let subscriptions = if was_subscribed { &mut resumed_subscriptions } else { &mut first_subscriptions };
            subscriptions.entry(*user).or_default().push(*channel);
        }
        users_by_discovered_channel.insert(*channel, users_who_cannot_see(&before, &newcomers, *channel));
        newcomers_by_channel.insert(*channel, newcomers);
    }
    let mut new_subscriptions = first_subscriptions;
    for (user, user_channels) in resumed_subscriptions {
        new_subscriptions.entry(user).or_default().extend(user_channels);
    }
    tx.emit_visibility(&before, &[VisibleKind::Users]);
    for (channel, users) in users_by_discovered_channel {
        tx.emit_gained_channels(BTreeMap::from([(channel, users)]));
    }
    for (user, user_channels) in &new_subscriptions {
        emit_subscribed(tx, *user, user_channels);
    }
    let changes = peer_changes(tx, newcomers_by_channel, true);
    emit_peer_changes(tx, SubscriptionPeerAdd, changes);
    new_subscriptions
}

/// Unsubscribes users from channels and marks their unread messages there as read. Returns the channels from which each
/// user was unsubscribed.
///
/// Events, in this order: `subscription` peer_remove to the users about each other, then to everyone else who can see
/// the subscribers; for each user `subscription` remove, `stream` delete for channels that the user can't see any more,
/// `update_message_flags` for the messages that are marked as read; then `realm_user` remove to limited guests who lose
/// access to users.
pub fn unsubscribe_all(tx: &mut Tx, users: &BTreeSet<UserId>, channels: &[ChannelId]) -> ChannelsByUser {
    let mut ended_subscriptions = ChannelsByUser::new();
    let mut leavers_by_channel = BTreeMap::new();
    let before = tx.realm_copy();
    for channel in channels {
        let leavers: OrdSet<UserId> =
            users.iter().copied().filter(|user| tx.user_state(*user).subscription(*channel).is_some()).collect();
        for user in &leavers {
            ended_subscriptions.entry(*user).or_default().push(*channel);
        }
        leavers_by_channel.insert(*channel, leavers);
    }
    // Computed before the users leave, so that the audience is that of the present subscribers.
    let changes = peer_changes(tx, leavers_by_channel, false);
    for change in &changes {
        emit_removal_among_unsubscribed(tx, change);
    }
    emit_peer_changes(tx, SubscriptionPeerRemove, changes);
    for (user, user_channels) in &ended_subscriptions {
        unsubscribe(tx, *user, user_channels);
    }
    tx.emit_visibility(&before, &[VisibleKind::Users]);
    ended_subscriptions
}

/// Removes a user who is being deactivated from the subscribers of all channels, but keeps the subscriptions for
/// [`resume_subscriptions`].
///
/// Event: `subscription` peer_remove to everyone else who can see the subscribers, from 377 on, for archived channels
/// from 428 on.
pub fn suspend_subscriptions(tx: &mut Tx, user: UserId) {
    let channels = subscribed_channels(tx, user);
    let changes = peer_changes(tx, channels.iter().map(|id| (*id, OrdSet::unit(user))).collect(), false);
    for channel in channels {
        tx.channel_mut(channel).subscribers.remove(&user);
    }
    emit_peer_changes_with_condition(tx, SubscriptionPeerRemove, changes, |is_archived| match is_archived {
        true => DeliveryCondition::ArchivedChannelsFrom(Feature::PeerRemoveInArchivedChannels.since()),
        false => DeliveryCondition::From(Feature::PeerRemoveOnDeactivation.since()),
    });
}

/// Adds a user who is being reactivated to the subscribers of the channels that [`suspend_subscriptions`] removed the
/// user from. Returns these channels.
pub fn resume_subscriptions(tx: &mut Tx, user: UserId) -> Vec<ChannelId> {
    let channels = subscribed_channels(tx, user);
    for channel in &channels {
        tx.channel_mut(*channel).subscribers.insert(user);
    }
    channels
}

/// Reports the channels that [`resume_subscriptions`] returned.
///
/// Event: `subscription` peer_add to everyone else who can see the subscribers.
pub fn emit_resumed_subscriptions(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let changes = peer_changes(tx, channels.iter().map(|id| (*id, OrdSet::unit(user))).collect(), true);
    emit_peer_changes(tx, SubscriptionPeerAdd, changes);
}

fn subscribed_channels(realm: &Realm, user: UserId) -> Vec<ChannelId> {
    let subscriptions = realm.user_state(user).subscriptions.iter();
    subscriptions.filter(|(_, subscription)| subscription.is_active).map(|(channel, _)| *channel).collect()
}

/// Ends the subscriptions of one user, with the events that this user receives.
fn unsubscribe(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let mut unread_messages: Vec<_> = channels.iter().flat_map(|channel| tx.unsubscribe(user, *channel)).collect();
    let (archived, active): (Vec<_>, Vec<_>) = channels.iter().copied().partition(|id| tx.channels[id].is_archived);
    for (is_archived, channels_of_kind) in [(false, active), (true, archived)] {
        if !channels_of_kind.is_empty() {
            emit_unsubscribed(tx, user, &channels_of_kind, DeliveryCondition::of_channel(is_archived));
        }
    }
    if !unread_messages.is_empty() {
        unread_messages.sort_unstable();
        tx.emit(Audience::of_user(user), FlagUpdate::new(true, "read", unread_messages));
    }
}

fn emit_unsubscribed(tx: &mut Tx, user: UserId, channels: &[ChannelId], condition: DeliveryCondition) {
    let subscriptions = channels.iter().map(|id| LeftChannel { name: tx.channels[id].name.clone(), stream_id: *id });
    let event = SubscriptionRemove { subscriptions: subscriptions.collect() };
    tx.emit(Audience::of_user(user), event.only_for(condition));
    let account = tx.users[&user].clone();
    let is_hidden = |id: &ChannelId| !tx.can_see(&account, &tx.channels[id]);
    let hidden_channels: OrdSet<ChannelId> = channels.iter().copied().filter(is_hidden).collect();
    if !hidden_channels.is_empty() {
        tx.emit_lost_channels(Audience::of_user(user), &hidden_channels, condition);
    }
}

/// Those of the users who can't see a channel.
fn users_who_cannot_see(realm: &Realm, users: &OrdSet<UserId>, channel: ChannelId) -> OrdSet<UserId> {
    let channel = &realm.channels[&channel];
    let cannot_see = |id: &&UserId| realm.user(**id).is_some_and(|user| !realm.can_see(user, channel));
    users.iter().filter(cannot_see).copied().collect()
}

/// Emits `subscription` add. Its JSON, with all subscribers, is only created when a queue delivers the event.
fn emit_subscribed(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let state = tx.user_state(user);
    let subscriptions =
        channels.iter().filter_map(|id| Some((tx.channels.get(id)?.clone(), state.subscriptions.get(id)?.clone())));
    let (archived, active): (Vec<_>, Vec<_>) =
        subscriptions.partition(|(channel, _): &(Arc<Channel>, Arc<Subscription>)| channel.is_archived);
    for (is_archived, subscriptions) in [(false, active), (true, archived)] {
        if !subscriptions.is_empty() {
            let event = Event::new(EventKind::SubscriptionAdd, Payload::Subscribed(subscriptions));
            tx.emit(Audience::of_user(user), event.only_for(DeliveryCondition::of_channel(is_archived)));
        }
    }
}
