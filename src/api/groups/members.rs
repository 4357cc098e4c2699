//! Adding and removing members and subgroups of a user group (specification, POST …/members and …/subgroups).
//!
//! A choice where the API is silent: A-58 in docs/assumptions.md.

use crate::api::changes::groups::emit_group_event;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::event::Event;
use crate::realm::groups::{changeable_group, checked_members, checked_subgroups};
use crate::realm::id::{GroupId, UserId};
use crate::realm::permission::GroupPermission;
use crate::realm::permission_holders::existing_groups;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::realm::visibility::VisibleKind;
use crate::record::events::{MemberChange, Subgroups, UserGroupAddSubgroups, UserGroupRemoveSubgroups};
use imbl::OrdSet;
use std::collections::BTreeSet;

operation! {
    /// Adds and removes members and subgroups of a user group.
    pub ChangeMembers = POST "/user_groups/{user_group_id}/members", for NotGuest;
    params {
        /// ID of the group, which may be deactivated.
        @path user_group_id: GroupId,
        /// IDs of active users to remove; all must be direct members.
        delete: Vec<UserId> = Vec::new() => "[]",
        /// IDs of active users to add; none may be a direct member yet.
        add: Vec<UserId> = Vec::new() => "[]",
        /// IDs of direct subgroups to remove; requires the permission to manage the group.
        delete_subgroups since 311: Vec<GroupId> = Vec::new() => "[]",
        /// IDs of groups to add as subgroups; none may contain the group.
        add_subgroups since 311: Vec<GroupId> = Vec::new() => "[]",
    }
    errors [
        NoMembersToChange, InvalidGroup, InsufficientPermission, InvalidUserId, AlreadyMember, NotMember,
        InvalidGroupId, GroupDeactivated, AlreadySubgroup, SubgroupCycle, NotSubgroup,
    ];
    events [
        UserGroupAddMembers, UserGroupRemoveMembers, UserGroupAddSubgroups, UserGroupRemoveSubgroups, Message,
        StreamCreate, SubscriptionPeerAdd, StreamDelete,
    ];
}

impl Write for ChangeMembers {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.user_group_id;
        let has_no_changes = params.add.is_empty()
            && params.delete.is_empty()
            && params.add_subgroups.is_empty()
            && params.delete_subgroups.is_empty();
        if has_no_changes {
            return Err(Error::NoMembersToChange);
        }

        // Each list is checked after the changes of the preceding lists were made.
        let mut deferred_events = DeferredEvents::default();
        add_members(tx, context, id, &params.add, &mut deferred_events)?;
        remove_members(tx, context, id, &params.delete, &mut deferred_events)?;
        add_subgroups(tx, context, id, &params.add_subgroups, &mut deferred_events)?;
        remove_subgroups(tx, context, id, &params.delete_subgroups, &mut deferred_events)?;
        deferred_events.emit_all(tx, id);
        Ok(Success {})
    }
}

operation! {
    /// Adds and removes subgroups of a user group.
    pub ChangeSubgroups = POST "/user_groups/{user_group_id}/subgroups", for NotGuest, since 127;
    params {
        /// ID of the group, which may be deactivated.
        @path user_group_id: GroupId,
        /// IDs of direct subgroups to remove; requires the permission to manage the group.
        delete: Vec<GroupId> = Vec::new() => "[]",
        /// IDs of groups to add as subgroups; none may contain the group.
        add: Vec<GroupId> = Vec::new() => "[]",
    }
    errors [
        NoSubgroupsToChange, InvalidGroup, InsufficientPermission, InvalidGroupId, GroupDeactivated, AlreadySubgroup,
        SubgroupCycle, NotSubgroup,
    ];
    events [
        UserGroupAddSubgroups, UserGroupRemoveSubgroups, StreamCreate, SubscriptionPeerAdd, StreamDelete,
    ];
}

impl Write for ChangeSubgroups {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        if params.add.is_empty() && params.delete.is_empty() {
            return Err(Error::NoSubgroupsToChange);
        }

        let mut deferred_events = DeferredEvents::default();
        add_subgroups(tx, context, params.user_group_id, &params.add, &mut deferred_events)?;
        remove_subgroups(tx, context, params.user_group_id, &params.delete, &mut deferred_events)?;
        deferred_events.emit_all(tx, params.user_group_id);
        Ok(Success {})
    }
}

/// Events that are sent after the notices to the affected users. Only levels below 261 have this order; from 261 on,
/// none is deferred.
#[derive(Default)]
struct DeferredEvents(Vec<Event>);

impl DeferredEvents {
    /// Emits an event at once, or below 261 keeps it for [`DeferredEvents::emit_all`].
    fn emit_or_defer(&mut self, tx: &mut Tx, id: GroupId, event: impl Into<Event>) {
        if !tx.has(Feature::GroupChangesSentBeforeMessages) {
            self.0.push(event.into());
        } else {
            emit_group_event(tx, id, event.into());
        }
    }

    fn emit_all(self, tx: &mut Tx, id: GroupId) {
        for event in self.0 {
            emit_group_event(tx, id, event);
        }
    }
}

fn add_members(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    id: GroupId,
    users: &[UserId],
    deferred_events: &mut DeferredEvents,
) -> Result<(), Error> {
    if users.is_empty() {
        return Ok(());
    }
    let group =
        match changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanAddMembers) {
            Err(Error::InsufficientPermission) if users == [context.caller().id] => {
                changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanJoin)
            }
            result => result,
        }?;
    let users = checked_members(tx, users, context.feature_level)?;
    if let Some(user) = users.iter().find(|user| group.members.contains(*user)) {
        return Err(Error::AlreadyMember { user_id: user.0.into() });
    }

    let added_users: OrdSet<UserId> = users.iter().copied().collect();
    let before = tx.realm_copy();
    tx.group_mut(id).members = group.members.clone().union(added_users);
    deferred_events.emit_or_defer(tx, id, MemberChange::Add.to_event(id, users.iter().copied()));
    tx.emit_visibility(&before, &[VisibleKind::Channels]);
    notify_affected_users(tx, context.caller(), &users, &format!("added you to the group @_*{}*.", group.name));
    Ok(())
}

fn remove_members(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    id: GroupId,
    users: &[UserId],
    deferred_events: &mut DeferredEvents,
) -> Result<(), Error> {
    if users.is_empty() {
        return Ok(());
    }
    let is_only_caller = users == [context.caller().id];
    let users = checked_members(tx, users, context.feature_level)?;
    let group =
        match changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanRemoveMembers) {
            Err(Error::InsufficientPermission) if is_only_caller => {
                changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanLeave)
            }
            result => result,
        }?;
    if let Some(user) = users.iter().find(|user| !group.members.contains(*user)) {
        return Err(Error::NotMember { user_id: user.0.into() });
    }

    let removed_users: OrdSet<UserId> = users.iter().copied().collect();
    let before = tx.realm_copy();
    tx.group_mut(id).members = group.members.clone().relative_complement(removed_users);
    deferred_events.emit_or_defer(tx, id, MemberChange::Remove.to_event(id, users.iter().copied()));
    tx.emit_visibility(&before, &[VisibleKind::Channels]);
    notify_affected_users(tx, context.caller(), &users, &format!("removed you from the group @_*{}*.", group.name));
    Ok(())
}

/// Sends a direct message to each active person among the users, except the actor: a mention of the actor, then
/// `action`.
fn notify_affected_users(tx: &mut Tx, actor: &User, users: &BTreeSet<UserId>, action: &str) {
    let people: Vec<UserId> =
        users.iter().copied().filter(|id| *id != actor.id && tx.is_active(*id) && !tx.users[id].is_bot()).collect();
    for person in people {
        tx.post_notice_to_user(actor.id, person, format!("{} {action}", actor.silent_mention()));
    }
}

fn add_subgroups(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    id: GroupId,
    subgroups: &[GroupId],
    deferred_events: &mut DeferredEvents,
) -> Result<(), Error> {
    if subgroups.is_empty() {
        return Ok(());
    }
    let group = changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanAddMembers)?;
    let subgroups = checked_subgroups(tx, subgroups)?;
    if let Some(subgroup) = subgroups.iter().find(|subgroup| group.subgroups.contains(*subgroup)) {
        return Err(Error::AlreadySubgroup { group_id: subgroup.0.into() });
    }
    if tx.groups_within(subgroups.iter().copied()).any(|descendant| descendant.id == id) {
        return Err(Error::SubgroupCycle { group_id: id.0.into() });
    }

    let before = tx.realm_copy();
    tx.group_mut(id).subgroups = group.subgroups.clone().union(subgroups.iter().copied().collect());
    deferred_events.emit_or_defer(tx, id, UserGroupAddSubgroups(subgroups_record(id, subgroups)));
    tx.emit_visibility(&before, &[VisibleKind::Channels]);
    Ok(())
}

/// Removing subgroups requires `can_manage_group`, because removing a subgroup may remove many members.
fn remove_subgroups(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    id: GroupId,
    subgroups: &[GroupId],
    deferred_events: &mut DeferredEvents,
) -> Result<(), Error> {
    if subgroups.is_empty() {
        return Ok(());
    }
    let group = changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanManage)?;
    let subgroups = existing_groups(tx, subgroups)?;
    if let Some(subgroup) = subgroups.iter().find(|subgroup| !group.subgroups.contains(*subgroup)) {
        return Err(Error::NotSubgroup { group_id: subgroup.0.into() });
    }

    let before = tx.realm_copy();
    tx.group_mut(id).subgroups = group.subgroups.clone().relative_complement(subgroups.iter().copied().collect());
    deferred_events.emit_or_defer(tx, id, UserGroupRemoveSubgroups(subgroups_record(id, subgroups)));
    tx.emit_visibility(&before, &[VisibleKind::Channels]);
    Ok(())
}

fn subgroups_record(group_id: GroupId, subgroups: BTreeSet<GroupId>) -> Subgroups {
    Subgroups { group_id, direct_subgroup_ids: subgroups.into_iter().collect() }
}
