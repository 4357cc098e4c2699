//! Deactivating and reactivating accounts, with the events that follow (reference behaviour, DELETE /users/{user_id}).

use super::account::{change_avatar, change_name};
use super::direct_permissions::{emit_direct_channel_permissions, emit_direct_permissions};
use crate::api::changes::settings::events::emit_export_consent;
use crate::api::changes::subscriptions::{emit_resumed_subscriptions, resume_subscriptions, suspend_subscriptions};
use crate::api::changes::users::bot::emit_bot_account_field;
use crate::api::parameter::json_object;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::deletion::delete_messages;
use crate::realm::event::{Audience, DeliveryCondition, Event, EventKind, Payload};
use crate::realm::group::Group;
use crate::realm::id::{GroupId, MessageId, UserId};
use crate::realm::message::{Message, MessagePlace};
use crate::realm::queue::QueueId;
use crate::realm::setting::UserSetting;
use crate::realm::tx::Tx;
use crate::realm::user::AvatarSource;
use crate::record::events::{MemberChange, PersonUpdate, RealmUserRemove};
use imbl::OrdSet;
use serde_json::json;
use std::sync::Arc;

/// The name of users whose profiles were deleted.
pub const DELETED_USER_NAME: &str = "Deleted user";

json_object! {
    open
    /// What is deleted when an account and its bots are deactivated.
    pub struct DeletionActions {
        /// Rename the user to 'Deleted user' and remove the picture.
        delete_profile: bool = false,
        /// Delete the messages that the user sent to public channels, web-public ones included.
        delete_public_channel_messages: bool = false,
        /// Delete the messages that the user sent to private channels.
        delete_private_channel_messages: bool = false,
        /// Delete the direct messages that the user sent, for all participants.
        delete_direct_messages: bool = false,
    }
}

/// Deactivates the bots of a user, then the user. For each account, the requested deletions come first.
///
/// Events for each account, in this order: `delete_message`, those of [`change_name`] and [`change_avatar`],
/// `invites_changed`, that of [`suspend_subscriptions`], `realm_user` update to everyone who can still access the
/// account, for bots that of [`emit_bot_account_field`], `realm_user` remove to guests who can no longer access the
/// account. Last, to guests without access: `user_group` remove_members, and those of [`emit_direct_permissions`] and
/// [`emit_direct_channel_permissions`]. Below 303, the last two go to everyone, before `realm_user` remove, and there
/// is no `user_group` remove_members.
pub fn deactivate(tx: &mut Tx, id: UserId, actions: Option<&DeletionActions>) {
    let is_bot_of_user = |user: &&UserId| tx.users[*user].bot_owner() == Some(id);
    let bots: Vec<UserId> = tx.active_users.iter().filter(is_bot_of_user).copied().collect();
    for account in bots.into_iter().chain([id]) {
        if let Some(actions) = actions {
            delete_account_data(tx, account, actions);
        }
        deactivate_account(tx, account);
    }
}

fn delete_account_data(tx: &mut Tx, id: UserId, actions: &DeletionActions) {
    let is_selected = |message: &&Arc<Message>| {
        message.sender == id
            && match &message.place {
                MessagePlace::Direct { .. } => actions.delete_direct_messages,
                MessagePlace::Channel { channel, .. } if tx.channels[channel].privacy.is_private() => {
                    actions.delete_private_channel_messages
                }
                MessagePlace::Channel { .. } => actions.delete_public_channel_messages,
            }
    };
    let deletes_messages = actions.delete_direct_messages
        || actions.delete_private_channel_messages
        || actions.delete_public_channel_messages;
    if deletes_messages {
        let messages: Vec<MessageId> = tx.messages.values().filter(is_selected).map(|message| message.id).collect();
        delete_messages(tx, id, &messages);
    }
    if actions.delete_profile {
        change_name(tx, id, DELETED_USER_NAME.to_owned());
        if tx.users[&id].avatar.source != AvatarSource::Provider {
            change_avatar(tx, id, AvatarSource::Provider);
        }
    }
}

fn deactivate_account(tx: &mut Tx, id: UserId) {
    let previous_audience = tx.audience_with_access_to(id).except(id);
    tx.user_mut(id).is_active = false;
    tx.realm_mut().active_users.remove(&id);
    let queues: Vec<QueueId> =
        tx.queues.values().filter(|queue| queue.owner == id).map(|queue| queue.id.clone()).collect();
    for queue in queues {
        // Wakes its parked poll, which then ends with an error.
        tx.wake_poll(&queue);
    }
    tx.revoke_invitations_of(id);
    suspend_subscriptions(tx, id);
    let guests_who_lose_access = guests_in_difference(tx, &previous_audience, &tx.audience_with_access_to(id));
    let informed_audience = previous_audience.except_all(&guests_who_lose_access);
    tx.emit(informed_audience.clone(), PersonUpdate::IsActive { user_id: id, is_active: false });
    emit_bot_account_field(tx, id, "is_active", |_, _| json!(false));
    if !tx.has(Feature::MembershipChangesSent) {
        let everyone = tx.everyone();
        emit_direct_permissions(tx, &everyone, id);
        emit_direct_channel_permissions(tx, &everyone, id);
    }
    if !guests_who_lose_access.is_empty() {
        tx.emit(Audience::of_users(guests_who_lose_access), RealmUserRemove::of(id));
    }
    // Clients that know of the deactivation remove the user from groups and permissions themselves.
    let uninformed_guests = find_uninformed_guests(tx, &informed_audience);
    if !uninformed_guests.is_empty() && tx.has(Feature::MembershipChangesSent) {
        let uninformed_guests = Audience::of_users(uninformed_guests);
        emit_membership(tx, &uninformed_guests, id, MemberChange::Remove);
        emit_direct_permissions(tx, &uninformed_guests, id);
        emit_direct_channel_permissions(tx, &uninformed_guests, id);
    }
}

/// Active guests who are not in the audience that was informed of a change of an account.
fn find_uninformed_guests(realm: &Realm, informed_audience: &Audience) -> OrdSet<UserId> {
    let is_uninformed = |guest: &&UserId| realm.is_active(**guest) && !informed_audience.contains(**guest);
    realm.guests().iter().filter(is_uninformed).copied().collect()
}

/// Guests who are in the larger audience but not in the smaller one. Only guests can gain or lose access to users.
fn guests_in_difference(realm: &Realm, larger: &Audience, smaller: &Audience) -> OrdSet<UserId> {
    realm.guests().iter().copied().filter(|guest| larger.contains(*guest) && !smaller.contains(*guest)).collect()
}

/// Reactivates an account with its subscriptions and groups.
///
/// Events, in this order: `realm_user` update to everyone who could access the account while it was deactivated, for
/// people that of [`emit_export_consent`], for bots that of [`emit_bot_account_field`], `realm_user` add to guests who
/// gain access, `subscription` peer_add, from 303 on `user_group` add_members for each group of the account, those of
/// [`emit_direct_permissions`], and to guests without access (below 303 to everyone) those of
/// [`emit_direct_channel_permissions`].
pub fn reactivate(tx: &mut Tx, id: UserId) {
    let previous_audience = tx.audience_with_access_to(id);
    tx.user_mut(id).is_active = true;
    tx.realm_mut().active_users.insert(id);
    let channels = resume_subscriptions(tx, id);
    let new_audience = tx.audience_with_access_to(id);
    // The account itself was not in the previous audience only because it was not active.
    let guests_who_gain_access = guests_in_difference(tx, &new_audience, &previous_audience).without(&id);
    let informed_audience = new_audience.clone();
    tx.emit(new_audience.except_all(&guests_who_gain_access), PersonUpdate::IsActive { user_id: id, is_active: true });
    if !tx.users[&id].is_bot() {
        emit_export_consent(tx, id, tx.user_state(id).is_enabled(UserSetting::AllowPrivateDataExport));
    }
    emit_bot_account_field(tx, id, "is_active", |_, _| json!(true));
    if !guests_who_gain_access.is_empty() {
        let user = tx.users[&id].clone();
        tx.emit(
            Audience::of_users(guests_who_gain_access),
            Event::new(EventKind::RealmUserAdd, Payload::UserAdd(user)),
        );
    }
    emit_resumed_subscriptions(tx, id, &channels);
    let everyone = tx.everyone();
    emit_membership(tx, &everyone, id, MemberChange::Add);
    emit_direct_permissions(tx, &everyone, id);
    // A choice (A-185 in docs/assumptions.md): from 303 on, permissions of channels go only to guests who do not learn
    // of the reactivation.
    let audience = if !tx.has(Feature::MembershipChangesSent) {
        everyone
    } else {
        Audience::of_users(find_uninformed_guests(tx, &informed_audience))
    };
    emit_direct_channel_permissions(tx, &audience, id);
}

/// Events: from 303 on, `user_group` add_members or remove_members for each group of the user.
fn emit_membership(tx: &mut Tx, audience: &Audience, id: UserId, change: MemberChange) {
    let groups = tx.groups.values().filter(|group| group.members.contains(&id));
    let condition = |group: &Group| match (group.system, group.is_deactivated) {
        (None, true) => DeliveryCondition::DeactivatedGroupsFrom(Feature::MembershipChangesSent.since()),
        _ => DeliveryCondition::From(Feature::MembershipChangesSent.since()),
    };
    let groups: Vec<(GroupId, DeliveryCondition)> = groups.map(|group| (group.id, condition(group))).collect();
    for (group, condition) in groups {
        tx.emit(audience.clone(), change.to_event(group, [id]).only_for(condition));
    }
}
