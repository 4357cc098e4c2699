//! Events about permissions that list a user directly, when the account is deactivated or reactivated.
//!
//! A choice where the API is silent: A-185 in docs/assumptions.md.

use crate::api::changes::{channels, groups};
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, GroupId, UserId};
use crate::realm::permission::{GroupSettingValue, Permissions};
use crate::realm::permission_holders::permissions_listing_user;
use crate::realm::tx::Tx;
use crate::record::events::RealmUpdateDict;
use serde_json::json;

/// Reports the values of all permissions of the organization and of groups that list a user directly. Deactivated users
/// are left out of these values.
///
/// Events, one for each permission: `realm` update_dict and `user_group` update.
pub fn emit_direct_permissions(tx: &mut Tx, audience: &Audience, user: UserId) {
    let listing_user = |permissions: &Permissions| permissions_listing_user(tx, permissions, user);
    let realm_permissions = listing_user(&tx.organization.permissions);
    let permissions_by_group: Vec<(GroupId, Vec<(&'static str, GroupSettingValue)>)> =
        tx.groups.values().map(|group| (group.id, listing_user(&group.permissions))).collect();
    for (name, value) in realm_permissions {
        let data = [(name.to_owned(), json!(value))].into_iter().collect();
        tx.emit(audience.clone(), RealmUpdateDict { property: "default", data });
    }
    for (group, permissions) in permissions_by_group {
        for (name, value) in permissions {
            groups::emit_update_to(tx, audience.clone(), group, name, json!(value));
        }
    }
}

/// Like [`emit_direct_permissions`], for permissions of channels.
///
/// Events, one for each permission: `stream` update to those of the audience who can see the channel.
pub fn emit_direct_channel_permissions(tx: &mut Tx, audience: &Audience, user: UserId) {
    let listing_user = |permissions: &Permissions| permissions_listing_user(tx, permissions, user);
    let permissions_by_channel: Vec<(ChannelId, Vec<(&'static str, GroupSettingValue)>)> =
        tx.channels.values().map(|channel| (channel.id, listing_user(&channel.permissions))).collect();
    for (channel, permissions) in permissions_by_channel {
        for (name, value) in permissions {
            channels::update::emit_update_within(tx, audience, channel, name, json!(value));
        }
    }
}
