//! What users see more or less after a change: the difference of the realm before it and after it.
//!
//! An operation marks the realm, changes it, and emits the difference of what may have changed where real servers do.
//! Only those who listen are looked at, for everybody else finds out when they register; and of these only those where
//! something changed that decides on what they see. Maps that are the same before and after are not looked at.

use super::permission_holders::is_member;
use crate::realm::Realm;
use crate::realm::log::event::data::{Peers, RealmUserRemove, StreamDelete, SubscriptionPeerAdd};
use crate::realm::log::event::{Audience, DeliveryCondition, Event, EventData, EventKind, Payload};
use crate::realm::model::channel::Channel;
use crate::realm::model::group::{Group, SystemGroup};
use crate::realm::model::id::{ChannelId, GroupId, UserId};
use crate::realm::model::permission::{GroupSettingValue, RealmPermission};
use crate::realm::tx::Tx;
use imbl::OrdSet;
use imbl::ordmap::DiffItem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Something that users see or don't.
#[derive(Clone, Copy, Debug)]
pub enum Sight {
    /// The users that limited guests (`can_access_all_users_group`) know of: those in a channel or a conversation with
    /// them. Events: `realm_user` add of each who is known from now on, remove of each who is not any more.
    Users,
    /// Channels. Events: `stream` create and `subscription` peer_add of those in sight from now on, `stream` delete of
    /// those that are not any more (A-335 in docs/assumptions.md).
    Channels,
}

/// What one user sees more and less than before.
struct Difference<T> {
    viewer: UserId,
    gained: OrdSet<T>,
    lost: OrdSet<T>,
}

impl Tx {
    /// The realm as it is, to be compared with what it will be: a copy of its pointers.
    pub fn mark(&self) -> Realm {
        Realm::clone(self)
    }

    /// Tells users what they see more or less than when the realm was marked, one kind after the other.
    pub fn emit_visibility(&mut self, before: &Realm, sights: &[Sight]) {
        for sight in sights {
            match sight {
                Sight::Users => self.emit_users(before),
                Sight::Channels => self.emit_channels(before),
            }
        }
    }

    fn emit_users(&mut self, before: &Realm) {
        for Difference { viewer, gained, lost } in user_differences(before, self) {
            for user in gained {
                let event = Event::new(EventKind::RealmUserAdd, Payload::UserAdd(self.users[&user].clone()));
                self.emit(Audience::user(viewer), event);
            }
            for user in lost {
                self.emit(Audience::user(viewer), RealmUserRemove::of(user));
            }
        }
    }

    fn emit_channels(&mut self, before: &Realm) {
        let mut gained: BTreeMap<ChannelId, OrdSet<UserId>> = BTreeMap::new();
        let mut lost = gained.clone();
        for difference in channel_differences(before, self) {
            difference.gained.iter().for_each(|id| _ = gained.entry(*id).or_default().insert(difference.viewer));
            difference.lost.iter().for_each(|id| _ = lost.entry(*id).or_default().insert(difference.viewer));
        }
        self.emit_created(gained.clone());
        for (id, users) in gained {
            let channel = self.channels[&id].clone();
            if !channel.subscribers.is_empty() {
                let peers = SubscriptionPeerAdd(Peers::new([id], channel.subscribers.clone()));
                let needs = DeliveryCondition::of_channel(channel.is_archived);
                self.emit(Audience::of(users), peers.only_for(needs));
            }
        }
        let mut by_users: BTreeMap<(bool, OrdSet<UserId>), OrdSet<ChannelId>> = BTreeMap::new();
        for (id, users) in lost {
            by_users.entry((self.channels[&id].is_archived, users)).or_default().insert(id);
        }
        for ((is_archived, users), channels) in by_users {
            self.emit_vanished(Audience::of(users), &channels, DeliveryCondition::of_channel(is_archived));
        }
    }

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
            let event = Event::new(EventKind::StreamCreate, Payload::ChannelsCreated(channels));
            self.emit(Audience::of(users), event.only_for(DeliveryCondition::of_channel(is_archived)));
        }
    }

    /// Tells users that they can't see channels any more (A-339 in docs/assumptions.md).
    pub fn emit_vanished(&mut self, audience: Audience, channels: &OrdSet<ChannelId>, needs: DeliveryCondition) {
        self.emit(audience, StreamDelete::of(channels).only_for(needs));
    }
}

/// The differences between what viewers saw and see, as a function tells.
fn differences<T: Ord + Clone>(
    (before, after): (&Realm, &Realm),
    viewers: impl Iterator<Item = UserId>,
    seen: impl Fn(&Realm, UserId) -> OrdSet<T>,
) -> Vec<Difference<T>> {
    // One realm after the other: what is known of memberships is kept for one at a time.
    let viewers: Vec<(UserId, OrdSet<T>)> = viewers.map(|viewer| (viewer, seen(before, viewer))).collect();
    let difference = |(viewer, saw): (UserId, OrdSet<T>)| {
        let sees = seen(after, viewer);
        let gained = sees.clone().relative_complement(saw.clone());
        Difference { viewer, gained, lost: saw.relative_complement(sees) }
    };
    viewers.into_iter().map(difference).collect()
}

fn user_differences(before: &Realm, after: &Realm) -> Vec<Difference<UserId>> {
    const LIMIT: &str = RealmPermission::CanAccessAllUsers.name();
    let limit = |realm: &Realm| realm.organization.permissions.get(LIMIT).cloned();
    let everyone = Some(GroupSettingValue::Group(after.system_group(SystemGroup::Everyone)));
    let is_other_limit = limit(before) != limit(after);
    if !is_other_limit && limit(after) == everyone {
        return Vec::new();
    }
    let is_guest = |user: &UserId| [before, after].iter().any(|realm| realm.guests().contains(user));
    let regrouped = regrouped_listeners(before, after);
    let is_for_all =
        is_other_limit || changed_channels(before, after).any(|(old, new)| old.subscribers != new.subscribers);
    let is_affected = |user: &UserId| is_for_all || regrouped.contains(user) || has_other_state(before, after, *user);
    let viewers = after.listeners().into_iter().filter(|user| is_guest(user) && is_affected(user));
    differences((before, after), viewers, |realm, viewer| {
        let Some(viewer) = realm.user(viewer) else { return OrdSet::new() };
        realm.users.keys().copied().filter(|user| realm.can_access_user(viewer, *user)).collect()
    })
}

fn channel_differences(before: &Realm, after: &Realm) -> Vec<Difference<ChannelId>> {
    let regrouped = regrouped_listeners(before, after);
    let redefined: Vec<ChannelId> = redefined_channels(before, after).map(|channel| channel.id).collect();
    let viewers = if redefined.is_empty() { regrouped.clone() } else { after.listeners() };
    differences((before, after), viewers.into_iter(), |realm, viewer| {
        let Some(account) = realm.user(viewer) else { return OrdSet::new() };
        let is_seen = |channel: &&Arc<Channel>| realm.can_see(account, channel);
        if regrouped.contains(&viewer) {
            return realm.channels.values().filter(is_seen).map(|channel| channel.id).collect();
        }
        redefined.iter().copied().filter(|id| is_seen(&&realm.channels[id])).collect()
    })
}

/// Listeners who came to a group or left it, be it by a subgroup.
fn regrouped_listeners(before: &Realm, after: &Realm) -> OrdSet<UserId> {
    if before.groups.ptr_eq(&after.groups) {
        return OrdSet::new();
    }
    let changed = before.groups.diff(&after.groups).filter_map(|item| match item {
        DiffItem::Update { old: (_, old), new: (id, new) } => has_other_members(old, new).then_some(*id),
        DiffItem::Add(..) | DiffItem::Remove(..) => None,
    });
    let groups: Vec<GroupId> = changed.collect();
    let memberships = |realm: &Realm, user: UserId| -> OrdSet<GroupId> {
        groups.iter().filter(|id| is_member(realm, **id, user)).copied().collect()
    };
    let changes = differences((before, after), after.listeners().into_iter(), memberships);
    changes.iter().filter(|one| !one.gained.is_empty() || !one.lost.is_empty()).map(|one| one.viewer).collect()
}

fn has_other_members(old: &Group, new: &Group) -> bool {
    old.members != new.members || old.subgroups != new.subgroups
}

/// Channels that were there and are different now, as they were and as they are.
fn changed_channels<'a>(
    before: &'a Realm,
    after: &'a Realm,
) -> impl Iterator<Item = (&'a Arc<Channel>, &'a Arc<Channel>)> {
    before.channels.diff(&after.channels).filter_map(|item| match item {
        DiffItem::Update { old, new } => Some((old.1, new.1)),
        DiffItem::Add(..) | DiffItem::Remove(..) => None,
    })
}

/// Channels of which something else than subscribers changed that decides on who sees them.
fn redefined_channels<'a>(before: &'a Realm, after: &'a Realm) -> impl Iterator<Item = &'a Arc<Channel>> {
    let is_redefined =
        |(old, new): &(&Arc<Channel>, &Arc<Channel>)| old.privacy != new.privacy || old.permissions != new.permissions;
    changed_channels(before, after).filter(is_redefined).map(|(_, new)| new)
}

/// Whether what is a user's own changed: subscriptions, conversations, rows for messages.
fn has_other_state(before: &Realm, after: &Realm, user: UserId) -> bool {
    match (before.personal.get(&user), after.personal.get(&user)) {
        (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
        _ => false,
    }
}
