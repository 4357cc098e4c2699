//! Permissions that list users without a group between, when accounts end and come back.
//!
//! A choice where the API is silent: A-185 in docs/assumptions.md.

use crate::api::changes::{channels, groups};
use crate::realm::event::Audience;
use crate::realm::id::{ChannelId, GroupId, UserId};
use crate::realm::permission::{GroupSettingValue, Permissions};
use crate::realm::permission_holders::listing;
use crate::realm::tx::Tx;
use crate::record::events::RealmUpdateDict;
use serde_json::json;

/// Tells an audience again who holds the permissions of the organization and of groups that list a user: deactivated users
/// are listed in none.
///
/// Events, one for each permission: `realm` update_dict and `user_group` update.
pub fn emit_listings(tx: &mut Tx, audience: &Audience, user: UserId) {
    let of = |permissions: &Permissions| listing(tx, permissions, user);
    let of_organization = of(&tx.organization.permissions);
    let groups = tx.groups.values().map(|group| (group.id, of(&group.permissions)));
    let of_groups: Vec<(GroupId, Vec<(&'static str, GroupSettingValue)>)> = groups.collect();
    for (name, value) in of_organization {
        let data = [(name.to_owned(), json!(value))].into_iter().collect();
        tx.emit(audience.clone(), RealmUpdateDict { property: "default", data });
    }
    for (group, permissions) in of_groups {
        for (name, value) in permissions {
            groups::emit_update_to(tx, audience.clone(), group, name, json!(value));
        }
    }
}

/// The same of the permissions of channels, for those of an audience who can see them.
///
/// Events, one for each permission: `stream` update.
pub fn emit_channel_listings(tx: &mut Tx, audience: &Audience, user: UserId) {
    let channels = tx.channels.values().map(|channel| (channel.id, listing(tx, &channel.permissions, user)));
    let of_channels: Vec<(ChannelId, Vec<(&'static str, GroupSettingValue)>)> = channels.collect();
    for (channel, permissions) in of_channels {
        for (name, value) in permissions {
            channels::update::emit_update_within(tx, audience, channel, name, json!(value));
        }
    }
}
