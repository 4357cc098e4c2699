//! Deleting user groups permanently, which only older levels have.
//!
//! A choice where the API is silent: A-152 in docs/assumptions.md.

use super::deactivate::find_objections;
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::groups::changeable_group;
use crate::realm::id::{GroupId, InviteId, InviteLinkId};
use crate::realm::permission::GroupPermission;
use crate::realm::tx::Tx;
use crate::record::events::UserGroupRemove;
use std::sync::Arc;

operation! {
    /// Deletes a user group permanently; newer levels deactivate groups.
    pub RemoveGroup = DELETE "/user_groups/{user_group_id}", for HumanNotGuest, removed_in 294;
    params {
        /// ID of a group that the caller may manage.
        @path user_group_id: GroupId,
    }
    errors [InvalidGroup, InsufficientPermission, GroupInUse];
    events [UserGroupRemove];
}

impl Write for RemoveGroup {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.user_group_id;
        // Below 290 deactivated groups do not exist.
        if !context.has(Feature::DeactivatedGroups) && tx.groups.get(&id).is_some_and(|group| group.is_deactivated) {
            return Err(Error::InvalidGroup);
        }
        changeable_group(tx, (context.caller(), context.feature_level), id, GroupPermission::CanManage)?;
        let objections = find_objections(&realm_to_check_references(tx, id), id);
        if !objections.is_empty() {
            return Err(Error::GroupInUse { objections: objections.into() });
        }

        tx.realm_mut().groups.remove(&id);
        remove_from_invitations(tx, id);
        let everyone = tx.everyone();
        tx.emit(everyone, UserGroupRemove { group_id: id });
        Ok(Success {})
    }
}

/// Returns a copy of the realm in which the group does not exist, and all other groups and all channels are active.
/// With it, references from deactivated groups and archived channels prevent a permanent deletion too, and references
/// of the group to itself do not.
fn realm_to_check_references(realm: &Realm, removed_id: GroupId) -> Realm {
    let mut realm = realm.clone();
    realm.groups.remove(&removed_id);
    let deactivated_ids: Vec<GroupId> =
        realm.groups.values().filter(|group| group.is_deactivated).map(|group| group.id).collect();
    for id in deactivated_ids {
        if let Some(group) = realm.groups.get_mut(&id) {
            Arc::make_mut(group).is_deactivated = false;
        }
    }
    let archived_ids: Vec<_> =
        realm.channels.values().filter(|channel| channel.is_archived).map(|channel| channel.id).collect();
    for id in archived_ids {
        if let Some(channel) = realm.channels.get_mut(&id) {
            Arc::make_mut(channel).is_archived = false;
        }
    }
    realm
}

fn remove_from_invitations(tx: &mut Tx, removed_id: GroupId) {
    let links = tx.invite_links.values().filter(|link| link.terms.groups.contains(&removed_id));
    let link_ids: Vec<InviteLinkId> = links.map(|link| link.id).collect();
    let invites = tx.invites.values().filter(|invite| invite.terms.groups.contains(&removed_id));
    let invite_ids: Vec<InviteId> = invites.map(|invite| invite.id).collect();
    for id in link_ids {
        if let Some(link) = tx.realm_mut().invite_links.get_mut(&id) {
            Arc::make_mut(link).terms.groups.retain(|group| *group != removed_id);
        }
    }
    for id in invite_ids {
        if let Some(invite) = tx.realm_mut().invites.get_mut(&id) {
            Arc::make_mut(invite).terms.groups.retain(|group| *group != removed_id);
        }
    }
}
