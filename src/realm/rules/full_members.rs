//! Full members: members whose waiting period has ended. Keeps their system group up to date.

use super::visibility::VisibleKind;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::DeliveryCondition;
use crate::realm::log::event::data::MemberChange;
use crate::realm::model::agenda::AgendaItem;
use crate::realm::model::group::SystemGroup;
use crate::realm::model::id::{GroupId, UserId};
use crate::realm::model::setting::RealmSetting;
use crate::realm::model::user::{Role, User};
use crate::realm::tx::Tx;
use crate::time::{Span, Timestamp};
use imbl::OrdSet;

impl Realm {
    /// When a member's waiting period ends. None for system bots and users with other roles, who are never full
    /// members.
    fn waiting_period_end(&self, user: &User) -> Option<Timestamp> {
        let days = self.organization.integer(RealmSetting::WaitingPeriodThreshold).unwrap_or_default();
        let is_member = user.role == Role::Member && !user.is_system_bot();
        is_member.then(|| user.date_joined.plus(Span::from_days(days)))
    }

    pub fn is_full_member(&self, user: &User) -> bool {
        self.waiting_period_end(user).is_some_and(|end| end <= self.now)
    }
}

impl Tx {
    /// Puts the end of a new member's waiting period on the agenda, or removes it if the period is over or the user has
    /// none.
    pub fn schedule_full_membership(&mut self, user: UserId) {
        let waiting_period_end = self
            .users
            .get(&user)
            .and_then(|user| self.waiting_period_end(user))
            .filter(|waiting_period_end| *waiting_period_end > self.now);
        self.schedule(AgendaItem::FullMember(user), waiting_period_end);
    }

    /// Emits `user_group` `add_members` or `remove_members` for a system group. The event lists only active users;
    /// below level 303, all users.
    pub fn emit_member_change(
        &mut self,
        change: MemberChange,
        group: GroupId,
        users: impl IntoIterator<Item = UserId>,
    ) {
        let (active, inactive): (Vec<UserId>, Vec<UserId>) = users.into_iter().partition(|user| self.is_active(*user));
        let everyone = self.everyone();
        if !active.is_empty() {
            let condition = if inactive.is_empty() {
                DeliveryCondition::Always
            } else {
                DeliveryCondition::From(Feature::OnlyActiveMembers.since())
            };
            self.emit(everyone.clone(), change.to_event(group, active.clone()).only_for(condition));
        }
        if !inactive.is_empty() {
            let mut all: Vec<UserId> = active.into_iter().chain(inactive).collect();
            all.sort_unstable();
            self.emit_before(Feature::OnlyActiveMembers.since(), everyone, |_| change.to_event(group, all));
        }
    }

    /// Updates the membership of these users in the group of full members, and schedules the ends of their waiting
    /// periods.
    ///
    /// Emits `user_group` `add_members` and `remove_members`, one event each for all users, then those of
    /// [`VisibleKind::Channels`].
    pub fn update_full_members(&mut self, users: OrdSet<UserId>) {
        let group = self.system_group(SystemGroup::FullMembers);
        let previous_members = self.groups[&group].members.clone();
        let full_members: OrdSet<UserId> =
            users.iter().copied().filter(|user| self.is_full_member(&self.users[user])).collect();
        let added_users = full_members.clone().relative_complement(previous_members.clone());
        let removed_users = previous_members.clone().intersection(users.clone()).relative_complement(full_members);
        let realm_before = self.realm_copy();
        self.group_mut(group).members =
            previous_members.union(added_users.clone()).relative_complement(removed_users.clone());
        for (change, changed_users) in [(MemberChange::Add, added_users), (MemberChange::Remove, removed_users)] {
            self.emit_member_change(change, group, changed_users);
        }
        for user in users {
            self.schedule_full_membership(user);
        }
        self.emit_visibility(&realm_before, &[VisibleKind::Channels]);
    }
}
