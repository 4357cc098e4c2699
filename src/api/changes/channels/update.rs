//! Telling of a channel's properties.

use crate::realm::event::{Audience, DeliveryCondition, EventData};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::tx::Tx;
use crate::record::events::StreamUpdate;
use imbl::OrdSet;
use serde_json::Value;

/// Tells everybody who can see a channel of a property's new value.
pub fn emit_update(tx: &mut Tx, id: ChannelId, property: &'static str, value: Value) {
    let update = StreamUpdate::new(id, tx.channels[&id].name.clone(), property, value);
    emit_update_with(tx, update, &OrdSet::new());
}

/// As [`emit_update`], to those of an audience alone.
pub fn emit_update_within(tx: &mut Tx, audience: &Audience, id: ChannelId, property: &'static str, value: Value) {
    let channel = tx.channels[&id].clone();
    let all = tx.who_can_see(&channel);
    let readers: OrdSet<UserId> =
        tx.listeners().into_iter().filter(|user| audience.contains(*user) && all.contains(*user)).collect();
    let update = StreamUpdate::new(id, channel.name.clone(), property, value);
    tx.emit(Audience::of(readers), update.only_for(DeliveryCondition::of_channel(channel.is_archived)));
}

/// As [`emit_update`], without those who know already.
pub fn emit_update_with(tx: &mut Tx, update: StreamUpdate, knowing: &OrdSet<UserId>) {
    let channel = &tx.channels[&update.stream_id];
    let (audience, needs) =
        (tx.who_can_see(channel).except_all(knowing), DeliveryCondition::of_channel(channel.is_archived));
    tx.emit(audience, update.only_for(needs));
}
