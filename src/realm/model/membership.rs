//! Membership in groups through subgroups at any depth.
//!
//! Most groups have few subgroups, which are walked on each look-up. Results of longer walks are cached until a group
//! changes, because one request may check the same large groups for thousands of channels.

use super::graph::reachable_nodes;
use super::group::Group;
use super::id::{GroupId, UserId};
use crate::realm::Realm;
use foldhash::{HashMap, HashSet, HashSetExt};
use imbl::{OrdMap, OrdSet};
use parking_lot::Mutex;
use std::sync::Arc;

/// Look-ups that would walk more groups than this use the cache. [`Realm::active_members_of_any`] does not if it is
/// given more groups than this: walking them once is cheaper than uniting as many cached sets.
const MAX_UNCACHED_GROUPS: usize = 16;
/// If the cached results together have more users and groups than this, the next look-up that needs the cache empties
/// it first.
const MAX_CACHE_SIZE: usize = 4_000_000;

/// A cache that copies of a realm share.
#[derive(Clone, Debug, Default)]
pub struct SharedMembershipCache(Arc<Mutex<MembershipCache>>);

#[derive(Debug, Default)]
struct MembershipCache {
    /// The groups for which the results are valid: another version of the realm's groups empties the cache.
    groups: OrdMap<GroupId, Arc<Group>>,
    /// The number of users and groups in the two maps below.
    size: usize,
    members_by_group: HashMap<GroupId, OrdSet<UserId>>,
    groups_by_member: HashMap<UserId, HashSet<GroupId>>,
    /// None until it is first needed.
    parents: Option<Parents>,
}

/// For each group and user, the groups that have it as a direct subgroup or direct member.
#[derive(Debug, Default)]
struct Parents {
    of_groups: HashMap<GroupId, Vec<GroupId>>,
    of_users: HashMap<UserId, Vec<GroupId>>,
}

impl Realm {
    /// Whether a user is in one of the groups, directly or through subgroups at any depth. Deactivated users count.
    pub fn is_member_of_any(&self, groups: impl IntoIterator<Item = GroupId> + Clone, user: UserId) -> bool {
        let mut reachable_groups = self.groups_within(groups.clone());
        for _ in 0..MAX_UNCACHED_GROUPS {
            match reachable_groups.next() {
                Some(group) if group.members.contains(&user) => return true,
                Some(_) => {}
                None => return false,
            }
        }
        let mut cache = self.lock_cache();
        groups.into_iter().any(|group| cache.is_member(self, group, user))
    }

    /// The active members of the groups and of their subgroups to any depth.
    pub fn active_members_of_any(&self, groups: impl IntoIterator<Item = GroupId> + Clone) -> OrdSet<UserId> {
        let is_active = |user: &UserId| self.is_active(*user);
        let reachable_groups: Vec<&Group> = self.groups_within(groups.clone()).take(MAX_UNCACHED_GROUPS + 1).collect();
        let is_large = reachable_groups.len() > MAX_UNCACHED_GROUPS;
        if is_large && groups.clone().into_iter().take(MAX_UNCACHED_GROUPS + 1).count() <= MAX_UNCACHED_GROUPS {
            let mut cache = self.lock_cache();
            let members = groups.into_iter().map(|group| cache.members(self, group));
            return members.fold(OrdSet::new(), OrdSet::union).into_iter().filter(is_active).collect();
        }
        let mut members: HashSet<UserId> = HashSet::new();
        if is_large {
            self.groups_within(groups).for_each(|group| members.extend(&group.members));
        } else {
            reachable_groups.into_iter().for_each(|group| members.extend(&group.members));
        }
        members.into_iter().filter(is_active).collect()
    }

    /// Locks the cache, and empties it if the groups have changed or it is full.
    fn lock_cache(&self) -> parking_lot::MutexGuard<'_, MembershipCache> {
        let mut cache = self.membership_cache.0.lock();
        if !cache.groups.ptr_eq(&self.groups) || cache.size > MAX_CACHE_SIZE {
            *cache = MembershipCache { groups: self.groups.clone(), ..MembershipCache::default() };
        }
        cache
    }
}

impl MembershipCache {
    /// On a miss, caches both the user's groups and the group's members, so that neither checks of one user in many
    /// groups nor of many users in one group need many walks.
    fn is_member(&mut self, realm: &Realm, group: GroupId, user: UserId) -> bool {
        if let Some(groups) = self.groups_by_member.get(&user) {
            return groups.contains(&group);
        }
        if !self.members_by_group.contains_key(&group) {
            let groups = self.groups_of(user);
            self.size += groups.len();
            self.groups_by_member.insert(user, groups);
        }
        self.members(realm, group).contains(&user)
    }

    /// The members of a group and of its subgroups to any depth, including deactivated users.
    fn members(&mut self, realm: &Realm, group: GroupId) -> OrdSet<UserId> {
        if let Some(members) = self.members_by_group.get(&group) {
            return members.clone();
        }
        let mut unsorted_members: HashSet<UserId> = HashSet::new();
        realm.groups_within([group]).for_each(|group| unsorted_members.extend(&group.members));
        let members: OrdSet<UserId> = unsorted_members.into_iter().collect();
        self.size += members.len();
        self.members_by_group.insert(group, members.clone());
        members
    }

    /// The groups that have a user as a member, directly or through subgroups at any depth.
    fn groups_of(&mut self, user: UserId) -> HashSet<GroupId> {
        let groups = &self.groups;
        let parents = self.parents.get_or_insert_with(|| {
            let mut parents = Parents::default();
            for (id, group) in groups {
                group.subgroups.iter().for_each(|subgroup| parents.of_groups.entry(*subgroup).or_default().push(*id));
                group.members.iter().for_each(|member| parents.of_users.entry(*member).or_default().push(*id));
            }
            parents
        });
        let direct_groups = parents.of_users.get(&user).into_iter().flatten().copied();
        let visit_parents = |id: GroupId, visit: &mut dyn FnMut(GroupId)| {
            parents.of_groups.get(&id).into_iter().flatten().for_each(|group| visit(*group));
        };
        reachable_nodes(direct_groups, visit_parents).collect()
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
        let text = crate::fixture::built_in("default").expect("it is built in");
        crate::fixture::read(text, now, 0).expect("it is valid")
    });

    /// Adds groups to the built-in realm. Subgroups are indexes of earlier groups.
    fn with_groups(groups: &[(Vec<i64>, Vec<usize>)]) -> (Realm, Vec<GroupId>) {
        let mut realm = BUILT_IN.clone();
        let template = realm.groups[&realm.system_group(SystemGroup::Nobody)].as_ref().clone();
        let mut ids = Vec::new();
        for (number, (members, subgroups)) in (1_000..).zip(groups) {
            let id = GroupId(number);
            let subgroups = subgroups.iter().filter_map(|earlier_index| ids.get(*earlier_index).copied()).collect();
            let members = members.iter().copied().map(UserId).collect();
            realm.groups.insert(id, Arc::new(Group { id, members, subgroups, ..template.clone() }));
            ids.push(id);
        }
        (realm, ids)
    }

    proptest! {
        #[test]
        fn cached_results_equal_walks(
            groups in proptest::collection::vec(
                (proptest::collection::vec(1_i64..12, 0..2), proptest::collection::vec(0_usize..60, 0..4)), 1..60),
            queries in proptest::collection::vec((0_usize..60, 0_usize..60, 1_i64..12), 1..40),
        ) {
            let (mut realm, ids) = with_groups(&groups);
            for (index, (first_index, second_index, user)) in queries.into_iter().enumerate() {
                let pair = [ids[first_index % ids.len()], ids[second_index % ids.len()]];
                let user = UserId(user);
                if index % 8 == 7 {
                    let group = realm.groups.get_mut(&ids[0]).expect("it is there");
                    Arc::make_mut(group).members.insert(user);
                }
                let all: OrdSet<UserId> =
                    realm.groups_within(pair).flat_map(|group| group.members.iter().copied()).collect();
                prop_assert_eq!(realm.is_member_of_any(pair, user), all.contains(&user));
                let active: OrdSet<UserId> = all.into_iter().filter(|user| realm.is_active(*user)).collect();
                prop_assert_eq!(realm.active_members_of_any(pair), active);
            }
        }
    }
}
