//! Permissions that list users without a group between, when accounts end and come back.
//!
//! A choice where the API is silent: A-185 in docs/assumptions.md.

use crate::api::shared::organization::emit_data;
use crate::api::shared::{channels, groups};
use crate::realm::holding::listing;
use crate::realm::id::{ChannelId, GroupId, UserId};
use crate::realm::permission::{GroupSettingValue, Permissions};
use crate::realm::tx::Tx;
use serde_json::json;

/// Tells again who holds the permissions that list a user: deactivated users are listed in none.
///
/// Events, one for each permission: `realm` update_dict and `user_group` update to everybody, `stream` update to those
/// who can see the channel.
pub fn emit_listings(tx: &mut Tx, user: UserId) {
    let of = |permissions: &Permissions| listing(tx, permissions, user);
    let of_organization = of(&tx.organization.permissions);
    let groups = tx.groups.values().map(|group| (group.id, of(&group.permissions)));
    let of_groups: Vec<(GroupId, Vec<(&'static str, GroupSettingValue)>)> = groups.collect();
    let channels = tx.channels.values().map(|channel| (channel.id, of(&channel.permissions)));
    let of_channels: Vec<(ChannelId, Vec<(&'static str, GroupSettingValue)>)> = channels.collect();
    for (name, value) in of_organization {
        emit_data(tx, [(name, json!(value))]);
    }
    for (group, permissions) in of_groups {
        for (name, value) in permissions {
            groups::emit_update(tx, group, name, json!(value));
        }
    }
    for (channel, permissions) in of_channels {
        for (name, value) in permissions {
            channels::update::emit_update(tx, channel, name, json!(value));
        }
    }
}
