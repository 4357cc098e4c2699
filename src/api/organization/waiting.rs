//! Who is a full member once the waiting period has another length.

use crate::realm::change::Tx;
use crate::realm::event::Event;
use crate::realm::group::SystemGroup;
use crate::realm::id::UserId;
use crate::realm::user::Role;
use crate::realm::visibility::Sight;
use imbl::OrdSet;
use serde_json::json;

/// Puts members into the group of full ones and takes them out of it, and puts off what is still to come.
///
/// Events: `user_group` add_members and remove_members, each for all together; then to each user those of [`Sight`].
pub(super) fn settle(tx: &mut Tx) {
    let group = tx.system_group(SystemGroup::FullMembers);
    let is_waiting = |user: &UserId| tx.users[user].role == Role::Member && !tx.users[user].is_system_bot();
    let members: OrdSet<UserId> = tx.users.keys().copied().filter(is_waiting).collect();
    let full: OrdSet<UserId> = members.iter().copied().filter(|user| tx.is_full_member(&tx.users[user])).collect();
    let before = tx.groups[&group].members.clone();
    let (entered, left) = (full.clone().relative_complement(before.clone()), before.relative_complement(full.clone()));
    let sight = Sight::of(tx, &entered.clone().union(left.clone()));
    tx.group_mut(group).members = full;
    for (op, users) in [("add_members", entered), ("remove_members", left)] {
        // Deactivated users are listed in no group.
        let users: OrdSet<UserId> = users.into_iter().filter(|user| tx.is_active(*user)).collect();
        if !users.is_empty() {
            let fields = json!({"group_id": group, "user_ids": users});
            let everyone = tx.everyone();
            tx.emit(everyone, Event::shaped("user_group", Some(op), fields));
        }
    }
    for user in members {
        tx.schedule_full_membership(user);
    }
    sight.tell_changes(tx);
}
