//! Who is a full member: members whose waiting period is over.

use super::visibility::Sight;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::DeliveryCondition;
use crate::realm::log::event::data::MemberChange;
use crate::realm::model::agenda::Due;
use crate::realm::model::group::SystemGroup;
use crate::realm::model::id::{GroupId, UserId};
use crate::realm::model::setting::RealmSetting;
use crate::realm::model::user::{Role, User};
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};
use imbl::OrdSet;

impl Realm {
    /// When a member's waiting period is over; None for users of other roles, who never are full members.
    fn full_member_from(&self, user: &User) -> Option<Timestamp> {
        let days = self.organization.limit(RealmSetting::WaitingPeriodThreshold).unwrap_or_default();
        let is_member = user.role == Role::Member && !user.is_system_bot();
        is_member.then(|| user.date_joined.plus(Span::days(days)))
    }

    /// Whether a user is a member past the waiting period.
    pub fn is_full_member(&self, user: &User) -> bool {
        self.full_member_from(user).is_some_and(|at| at <= self.now)
    }
}

impl Tx {
    /// Puts the end of a new member's waiting period on the agenda.
    pub fn schedule_full_membership(&mut self, user: UserId) {
        let at = self.users.get(&user).and_then(|user| self.full_member_from(user)).filter(|at| *at > self.now);
        self.schedule(Due::FullMember(user), at);
    }

    /// Tells everybody of users who came to a system group, or left it.
    ///
    /// Event: `user_group` add_members or remove_members, of active users alone; below 303 of all.
    pub fn emit_members(&mut self, change: MemberChange, group: GroupId, users: impl IntoIterator<Item = UserId>) {
        let (active, inactive): (Vec<UserId>, Vec<UserId>) = users.into_iter().partition(|user| self.is_active(*user));
        let everyone = self.everyone();
        if !active.is_empty() {
            let needs = if inactive.is_empty() {
                DeliveryCondition::Nothing
            } else {
                DeliveryCondition::From(Feature::ActiveMembersAlone.since())
            };
            self.emit(everyone.clone(), change.event(group, active.clone()).only_for(needs));
        }
        if !inactive.is_empty() {
            let mut all: Vec<UserId> = active.into_iter().chain(inactive).collect();
            all.sort_unstable();
            self.emit_before(Feature::ActiveMembersAlone.since(), everyone, |_| change.event(group, all));
        }
    }

    /// Puts those of the users who are full members now into the group of these and takes the others out of it, and
    /// puts off what is still to come.
    ///
    /// Events: `user_group` add_members and remove_members, each for all together; then to each user those of [`Sight::Channels`].
    pub fn settle_full_members(&mut self, users: OrdSet<UserId>) {
        let group = self.system_group(SystemGroup::FullMembers);
        let before = self.groups[&group].members.clone();
        let full: OrdSet<UserId> =
            users.iter().copied().filter(|user| self.is_full_member(&self.users[user])).collect();
        let entered = full.clone().relative_complement(before.clone());
        let left = before.clone().intersection(users.clone()).relative_complement(full);
        let marked = self.mark();
        self.group_mut(group).members = before.union(entered.clone()).relative_complement(left.clone());
        for (change, users) in [(MemberChange::Add, entered), (MemberChange::Remove, left)] {
            self.emit_members(change, group, users);
        }
        for user in users {
            self.schedule_full_membership(user);
        }
        self.emit_visibility(&marked, &[Sight::Channels]);
    }
}
