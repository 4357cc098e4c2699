//! Events for users who gain or lose sight of users or channels because of a change, computed as the difference between
//! the realm before and after it.
//!
//! An operation copies the realm, changes it, and emits the difference at the point where real servers do. Only users
//! who read events and whose access may have changed are examined. Maps that share memory are not compared.

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

/// A kind of object that users can gain or lose sight of.
#[derive(Clone, Copy, Debug)]
pub enum VisibleKind {
    /// Users that limited guests (`can_access_all_users_group`) can access: bots, and those in the same channels and
    /// conversations. Events: `realm_user` add and remove for each gained and lost user.
    Users,
    /// Events: `stream` create and `subscription` `peer_add` for gained channels, `stream` delete for lost ones (A-335
    /// in docs/assumptions.md).
    Channels,
}

/// The objects that one user gained and lost sight of.
struct VisibilityDifference<T> {
    viewer: UserId,
    gained: OrdSet<T>,
    lost: OrdSet<T>,
}

impl Tx {
    /// A copy of the realm for [`Tx::emit_visibility`]. It shares memory with the realm.
    pub fn realm_copy(&self) -> Realm {
        Realm::clone(self)
    }

    /// Emits the differences from an earlier copy of the realm, in the order of `kinds`.
    pub fn emit_visibility(&mut self, before: &Realm, kinds: &[VisibleKind]) {
        for kind in kinds {
            match kind {
                VisibleKind::Users => self.emit_user_differences(before),
                VisibleKind::Channels => self.emit_channel_differences(before),
            }
        }
    }

    fn emit_user_differences(&mut self, before: &Realm) {
        for VisibilityDifference { viewer, gained, lost } in user_differences(before, self) {
            for user in gained {
                let event = Event::new(EventKind::RealmUserAdd, Payload::UserAdd(self.users[&user].clone()));
                self.emit(Audience::of_user(viewer), event);
            }
            for user in lost {
                self.emit(Audience::of_user(viewer), RealmUserRemove::of(user));
            }
        }
    }

    /// Emits the events about channels that users gain or lose. Channels that the same users gain or lose share an
    /// event, archived ones apart (A-339 in docs/assumptions.md).
    fn emit_channel_differences(&mut self, before: &Realm) {
        let mut gained: BTreeMap<ChannelId, OrdSet<UserId>> = BTreeMap::new();
        let mut lost: BTreeMap<ChannelId, OrdSet<UserId>> = BTreeMap::new();
        for difference in channel_differences(before, self) {
            difference.gained.iter().for_each(|id| _ = gained.entry(*id).or_default().insert(difference.viewer));
            difference.lost.iter().for_each(|id| _ = lost.entry(*id).or_default().insert(difference.viewer));
        }
        self.emit_gained_channels(gained.clone());
        for (id, users) in gained {
            let channel = self.channels[&id].clone();
            if !channel.subscribers.is_empty() {
                let peers = SubscriptionPeerAdd(Peers::new([id], channel.subscribers.clone()));
                let condition = DeliveryCondition::of_channel(channel.is_archived);
                self.emit(Audience::of_users(users), peers.only_for(condition));
            }
        }
        let mut channels_by_users: BTreeMap<(bool, OrdSet<UserId>), OrdSet<ChannelId>> = BTreeMap::new();
        for (id, users) in lost {
            channels_by_users.entry((self.channels[&id].is_archived, users)).or_default().insert(id);
        }
        for ((is_archived, users), channels) in channels_by_users {
            self.emit_lost_channels(Audience::of_users(users), &channels, DeliveryCondition::of_channel(is_archived));
        }
    }

    /// Emits `stream` create for channels that users can see now. Channels with the same users share an event.
    pub fn emit_gained_channels(&mut self, gained: BTreeMap<ChannelId, OrdSet<UserId>>) {
        let mut channels_by_users: BTreeMap<(bool, OrdSet<UserId>), Vec<Arc<Channel>>> = BTreeMap::new();
        for (id, users) in gained {
            if !users.is_empty() {
                let channel = &self.channels[&id];
                channels_by_users.entry((channel.is_archived, users)).or_default().push(channel.clone());
            }
        }
        for ((is_archived, users), channels) in channels_by_users {
            let event = Event::new(EventKind::StreamCreate, Payload::ChannelsCreated(channels));
            self.emit(Audience::of_users(users), event.only_for(DeliveryCondition::of_channel(is_archived)));
        }
    }

    /// Emits `stream` delete for channels that users can no longer see.
    pub fn emit_lost_channels(
        &mut self,
        audience: Audience,
        channels: &OrdSet<ChannelId>,
        condition: DeliveryCondition,
    ) {
        self.emit(audience, StreamDelete::of(channels).only_for(condition));
    }
}

/// The difference for each viewer. `visible_to` returns what a viewer can see in a realm.
fn visibility_differences<T: Ord + Clone>(
    (before, after): (&Realm, &Realm),
    viewers: impl Iterator<Item = UserId>,
    visible_to: impl Fn(&Realm, UserId) -> OrdSet<T>,
) -> Vec<VisibilityDifference<T>> {
    // All viewers are evaluated in one realm before the other, because the cache of memberships is valid for one realm
    // only.
    let visible_before: Vec<(UserId, OrdSet<T>)> = viewers.map(|viewer| (viewer, visible_to(before, viewer))).collect();
    let difference = |(viewer, previous): (UserId, OrdSet<T>)| {
        let present = visible_to(after, viewer);
        let gained = present.clone().relative_complement(previous.clone());
        VisibilityDifference { viewer, gained, lost: previous.relative_complement(present) }
    };
    visible_before.into_iter().map(difference).collect()
}

fn user_differences(before: &Realm, after: &Realm) -> Vec<VisibilityDifference<UserId>> {
    const PERMISSION: &str = RealmPermission::CanAccessAllUsers.name();
    let holder = |realm: &Realm| realm.organization.permissions.get(PERMISSION).cloned();
    let everyone = Some(GroupSettingValue::Group(after.system_group(SystemGroup::Everyone)));
    let has_holder_changed = holder(before) != holder(after);
    if !has_holder_changed && holder(after) == everyone {
        return Vec::new();
    }
    let is_guest = |user: &UserId| [before, after].iter().any(|realm| realm.guests().contains(user));
    let readers_with_changed_groups = find_readers_with_changed_groups(before, after);
    let affects_all =
        has_holder_changed || changed_channels(before, after).any(|(old, new)| old.subscribers != new.subscribers);
    let is_affected = |user: &UserId| {
        affects_all || readers_with_changed_groups.contains(user) || may_have_changed_state(before, after, *user)
    };
    let viewers = after.event_reading_users().into_iter().filter(|user| is_guest(user) && is_affected(user));
    visibility_differences((before, after), viewers, |realm, viewer| {
        let Some(viewer) = realm.user(viewer) else { return OrdSet::new() };
        realm.users.keys().copied().filter(|user| realm.can_access_user(viewer, *user)).collect()
    })
}

fn channel_differences(before: &Realm, after: &Realm) -> Vec<VisibilityDifference<ChannelId>> {
    let readers_with_changed_groups = find_readers_with_changed_groups(before, after);
    let changed_access: Vec<ChannelId> =
        channels_with_changed_access(before, after).map(|channel| channel.id).collect();
    let viewers =
        if changed_access.is_empty() { readers_with_changed_groups.clone() } else { after.event_reading_users() };
    visibility_differences((before, after), viewers.into_iter(), |realm, viewer| {
        let Some(account) = realm.user(viewer) else { return OrdSet::new() };
        let is_visible = |channel: &&Arc<Channel>| realm.can_see(account, channel);
        if readers_with_changed_groups.contains(&viewer) {
            return realm.channels.values().filter(is_visible).map(|channel| channel.id).collect();
        }
        changed_access.iter().copied().filter(|id| is_visible(&&realm.channels[id])).collect()
    })
}

/// Users with a queue or watcher who entered or left a group, directly or through subgroups. New and removed groups
/// don't count.
fn find_readers_with_changed_groups(before: &Realm, after: &Realm) -> OrdSet<UserId> {
    if before.groups.ptr_eq(&after.groups) {
        return OrdSet::new();
    }
    let changed_groups = before.groups.diff(&after.groups).filter_map(|item| match item {
        DiffItem::Update { old: (_, old), new: (id, new) } => have_members_changed(old, new).then_some(*id),
        DiffItem::Add(..) | DiffItem::Remove(..) => None,
    });
    let groups: Vec<GroupId> = changed_groups.collect();
    let memberships = |realm: &Realm, user: UserId| -> OrdSet<GroupId> {
        groups.iter().filter(|id| is_member(realm, **id, user)).copied().collect()
    };
    let changes = visibility_differences((before, after), after.event_reading_users().into_iter(), memberships);
    changes
        .iter()
        .filter(|change| !change.gained.is_empty() || !change.lost.is_empty())
        .map(|change| change.viewer)
        .collect()
}

fn have_members_changed(old: &Group, new: &Group) -> bool {
    old.members != new.members || old.subgroups != new.subgroups
}

/// Changed channels, before and after. New and removed channels are not included.
fn changed_channels<'a>(
    before: &'a Realm,
    after: &'a Realm,
) -> impl Iterator<Item = (&'a Arc<Channel>, &'a Arc<Channel>)> {
    before.channels.diff(&after.channels).filter_map(|item| match item {
        DiffItem::Update { old, new } => Some((old.1, new.1)),
        DiffItem::Add(..) | DiffItem::Remove(..) => None,
    })
}

/// Channels with changed privacy or permissions.
fn channels_with_changed_access<'a>(before: &'a Realm, after: &'a Realm) -> impl Iterator<Item = &'a Arc<Channel>> {
    let has_changed_access =
        |(old, new): &(&Arc<Channel>, &Arc<Channel>)| old.privacy != new.privacy || old.permissions != new.permissions;
    changed_channels(before, after).filter(has_changed_access).map(|(_, new)| new)
}

/// Whether the user's own state may have changed, such as subscriptions and conversations.
fn may_have_changed_state(before: &Realm, after: &Realm, user: UserId) -> bool {
    match (before.user_states.get(&user), after.user_states.get(&user)) {
        (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
        _ => false,
    }
}
