//! `stream` update events about changed properties of channels. Events about an archived channel are only for clients
//! that know archived channels.

use crate::realm::event::{Audience, DeliveryCondition, EventData};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::StreamUpdate;
use imbl::OrdSet;
use serde_json::Value;

/// Event: `stream` update to everyone who can see the channel.
pub fn emit_update(tx: &mut Tx, id: ChannelId, property: &'static str, value: Value) {
    let update = StreamUpdate::new(id, tx.channels[&id].name.clone(), property, value);
    emit_update_except(tx, update, &OrdSet::new());
}

/// Like [`emit_update`], but only to members of an audience.
pub fn emit_update_within(tx: &mut Tx, audience: &Audience, id: ChannelId, property: &'static str, value: Value) {
    let channel = tx.channels[&id].clone();
    let channel_audience = tx.channel_audience(&channel);
    // Only users with a queue can receive the event.
    let receives = |user: &UserId| audience.contains(*user) && channel_audience.contains(*user);
    let receivers: OrdSet<UserId> = tx.event_reading_users().into_iter().filter(receives).collect();
    let update = StreamUpdate::new(id, channel.name.clone(), property, value);
    tx.emit(Audience::of_users(receivers), update.only_for(DeliveryCondition::of_channel(channel.is_archived)));
}

/// Like [`emit_update`], but not to some users, who know the change from another event.
pub fn emit_update_except(tx: &mut Tx, update: StreamUpdate, excluded: &OrdSet<UserId>) {
    let channel = &tx.channels[&update.stream_id];
    let audience = tx.channel_audience(channel).except_all(excluded);
    let condition = DeliveryCondition::of_channel(channel.is_archived);
    tx.emit(audience, update.only_for(condition));
}
