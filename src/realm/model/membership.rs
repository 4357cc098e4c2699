//! Who is in which group through any number of subgroups.
//!
//! Most groups have few subgroups, which are walked each time. Where there are many, the result of a walk is kept until a
//! group changes: channels by the thousand may be held by the same large groups, and a request asks about all of them.

use super::group::Group;
use super::id::{GroupId, UserId};
use super::walk::reachable;
use crate::realm::Realm;
use foldhash::{HashMap, HashSet, HashSetExt};
use imbl::{OrdMap, OrdSet};
use parking_lot::Mutex;
use std::sync::Arc;

/// Up to so many groups are walked each time.
const FEW: usize = 16;
/// Users and groups that are kept at most, all results together.
const KEPT_MAX: usize = 4_000_000;

/// Results of walks over many groups, shared by copies of a realm.
#[derive(Clone, Debug, Default)]
pub struct Memberships(Arc<Mutex<MembershipCache>>);

#[derive(Debug, Default)]
struct MembershipCache {
    /// The groups for which the results hold.
    groups: OrdMap<GroupId, Arc<Group>>,
    size: usize,
    members: HashMap<GroupId, OrdSet<UserId>>,
    memberships: HashMap<UserId, HashSet<GroupId>>,
    /// What each group is a direct subgroup of, and the groups that users are direct members of.
    above: Option<Above>,
}

#[derive(Debug, Default)]
struct Above {
    groups: HashMap<GroupId, Vec<GroupId>>,
    users: HashMap<UserId, Vec<GroupId>>,
}

impl Realm {
    /// Whether a user is in one of some groups, directly or through a subgroup at any depth. Deactivated users are, too.
    pub fn is_member_of_any(&self, groups: impl IntoIterator<Item = GroupId> + Clone, user: UserId) -> bool {
        let mut within = self.groups_within(groups.clone());
        for _ in 0..FEW {
            match within.next() {
                Some(group) if group.members.contains(&user) => return true,
                Some(_) => {}
                None => return false,
            }
        }
        let mut cache = self.cache();
        groups.into_iter().any(|group| cache.is_member(self, group, user))
    }

    /// The active members of some groups, subgroups to any depth included.
    pub fn members_of_any(&self, groups: impl IntoIterator<Item = GroupId> + Clone) -> OrdSet<UserId> {
        let is_active = |user: &UserId| self.is_active(*user);
        let within: Vec<&Group> = self.groups_within(groups.clone()).take(FEW + 1).collect();
        let is_much = within.len() > FEW;
        if is_much && groups.clone().into_iter().take(FEW + 1).count() <= FEW {
            let mut cache = self.cache();
            let members = groups.into_iter().map(|group| cache.members(self, group));
            return members.fold(OrdSet::new(), OrdSet::union).into_iter().filter(is_active).collect();
        }
        let mut members: HashSet<UserId> = HashSet::new();
        if is_much {
            self.groups_within(groups).for_each(|group| members.extend(&group.members));
        } else {
            within.into_iter().for_each(|group| members.extend(&group.members));
        }
        members.into_iter().filter(is_active).collect()
    }

    /// The results that hold for the groups as they are.
    fn cache(&self) -> parking_lot::MutexGuard<'_, MembershipCache> {
        let mut cache = self.memberships.0.lock();
        if !cache.groups.ptr_eq(&self.groups) || cache.size > KEPT_MAX {
            *cache = MembershipCache { groups: self.groups.clone(), ..MembershipCache::default() };
        }
        cache
    }
}

impl MembershipCache {
    /// Where nothing is known, all members of the group and all groups of the user are found: whether one user is asked
    /// for many groups or many users for one, few walks suffice.
    fn is_member(&mut self, realm: &Realm, group: GroupId, user: UserId) -> bool {
        if let Some(groups) = self.memberships.get(&user) {
            return groups.contains(&group);
        }
        if !self.members.contains_key(&group) {
            let groups = self.groups_of(user);
            self.size += groups.len();
            self.memberships.insert(user, groups);
        }
        self.members(realm, group).contains(&user)
    }

    fn members(&mut self, realm: &Realm, group: GroupId) -> OrdSet<UserId> {
        if let Some(members) = self.members.get(&group) {
            return members.clone();
        }
        let mut all: HashSet<UserId> = HashSet::new();
        realm.groups_within([group]).for_each(|group| all.extend(&group.members));
        let members: OrdSet<UserId> = all.into_iter().collect();
        self.size += members.len();
        self.members.insert(group, members.clone());
        members
    }

    fn groups_of(&mut self, user: UserId) -> HashSet<GroupId> {
        let groups = &self.groups;
        let above = self.above.get_or_insert_with(|| {
            let mut above = Above::default();
            for (id, group) in groups {
                group.subgroups.iter().for_each(|subgroup| above.groups.entry(*subgroup).or_default().push(*id));
                group.members.iter().for_each(|user| above.users.entry(*user).or_default().push(*id));
            }
            above
        });
        let direct = above.users.get(&user).into_iter().flatten().copied();
        let upwards = |id: GroupId, found: &mut dyn FnMut(GroupId)| {
            above.groups.get(&id).into_iter().flatten().for_each(|group| found(*group));
        };
        reachable(direct, upwards).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::realm::model::group::SystemGroup;
    use crate::time::Timestamp;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static BUILT_IN: LazyLock<Realm> = LazyLock::new(|| {
        let now = Timestamp::parse("2026-01-01T12:00:00Z").expect("well-formed");
        let text = crate::fixture::builtin("default").expect("it is built in");
        crate::fixture::read(text, now, 0).expect("it has no faults")
    });

    /// The built-in realm with further groups; each has some users, and as subgroups some of those before it.
    fn with_groups(groups: &[(Vec<i64>, Vec<usize>)]) -> (Realm, Vec<GroupId>) {
        let mut realm = BUILT_IN.clone();
        let pattern = realm.groups[&realm.system_group(SystemGroup::Nobody)].as_ref().clone();
        let mut ids = Vec::new();
        for (index, (members, subgroups)) in (1_000..).zip(groups) {
            let id = GroupId(index);
            let subgroups = subgroups.iter().filter_map(|at| ids.get(*at).copied()).collect();
            let members = members.iter().copied().map(UserId).collect();
            realm.groups.insert(id, Arc::new(Group { id, members, subgroups, ..pattern.clone() }));
            ids.push(id);
        }
        (realm, ids)
    }

    proptest! {
        #[test]
        fn what_is_kept_is_what_a_walk_finds(
            groups in proptest::collection::vec(
                (proptest::collection::vec(1_i64..12, 0..2), proptest::collection::vec(0_usize..60, 0..4)), 1..60),
            asked in proptest::collection::vec((0_usize..60, 0_usize..60, 1_i64..12), 1..40),
        ) {
            let (mut realm, ids) = with_groups(&groups);
            for (index, (one, other, user)) in asked.into_iter().enumerate() {
                let among = [ids[one % ids.len()], ids[other % ids.len()]];
                let user = UserId(user);
                if index % 8 == 7 {
                    let group = realm.groups.get_mut(&ids[0]).expect("it is there");
                    Arc::make_mut(group).members.insert(user);
                }
                let all: OrdSet<UserId> =
                    realm.groups_within(among).flat_map(|group| group.members.iter().copied()).collect();
                prop_assert_eq!(realm.is_member_of_any(among, user), all.contains(&user));
                let active: OrdSet<UserId> = all.into_iter().filter(|user| realm.is_active(*user)).collect();
                prop_assert_eq!(realm.members_of_any(among), active);
            }
        }
    }
}
