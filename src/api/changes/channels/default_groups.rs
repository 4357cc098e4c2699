//! Groups of default channels: their records, the event that reports them, and removing a channel from them.

use crate::realm::Realm;
use crate::realm::event::Audience;
use crate::realm::id::ChannelId;
use crate::realm::organization::DefaultChannelGroup;
use crate::realm::tx::Tx;
use crate::record::channel::DefaultChannelGroupRecord;
use crate::record::events::DefaultStreamGroups;
use std::sync::Arc;

/// The records of all groups, the oldest first.
pub fn default_group_records(realm: &Realm) -> Vec<DefaultChannelGroupRecord> {
    let record = |group: &DefaultChannelGroup| DefaultChannelGroupRecord {
        id: group.id,
        name: group.name.clone(),
        description: group.description.clone(),
        streams: group.channels.clone(),
    };
    realm.organization.default_channel_groups.iter().map(record).collect()
}

/// Removes a channel from all groups, because it was archived or became private.
///
/// Event: that of [`emit_default_groups`], if the channel was in a group.
pub fn remove_from_default_groups(tx: &mut Tx, channel: ChannelId) {
    let is_in_group = tx.organization.default_channel_groups.iter().any(|group| group.channels.contains(&channel));
    if is_in_group {
        for group in default_groups_mut(tx) {
            group.channels.remove(&channel);
        }
        emit_default_groups(tx);
    }
}

pub fn default_groups_mut(tx: &mut Tx) -> &mut Vec<DefaultChannelGroup> {
    &mut Arc::make_mut(&mut tx.realm_mut().organization).default_channel_groups
}

/// Event: `default_stream_groups` with all groups, to everyone except guests.
pub fn emit_default_groups(tx: &mut Tx) {
    let event = DefaultStreamGroups { default_stream_groups: default_group_records(tx) };
    let audience = Audience::of_users(tx.active_users.clone()).except_all(tx.guests());
    tx.emit(audience, event);
}
