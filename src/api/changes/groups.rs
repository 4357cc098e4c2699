//! Telling of user groups.

use crate::realm::event::{Audience, DeliveryCondition, Event, EventData};
use crate::realm::id::GroupId;
use crate::realm::tx::Tx;
use crate::record::events::UserGroupUpdate;
use serde_json::Value;

/// Tells everybody of a change of a group; clients that don't know deactivated groups hear nothing of those.
pub fn emit(tx: &mut Tx, group: GroupId, event: impl Into<Event>) {
    let needs = needs(tx, group);
    let audience = tx.everyone();
    tx.emit(audience, event.into().only_for(needs));
}

/// Tells an audience of a group's property.
pub fn emit_update_to(tx: &mut Tx, audience: Audience, id: GroupId, property: &str, value: Value) {
    let needs = needs(tx, id);
    tx.emit(audience, UserGroupUpdate::new(id, property, value).only_for(needs));
}

/// What it takes to know a group.
fn needs(tx: &Tx, group: GroupId) -> DeliveryCondition {
    if tx.groups[&group].is_deactivated { DeliveryCondition::DeactivatedGroups } else { DeliveryCondition::Nothing }
}

/// Tells everybody who knows the group of a property.
pub fn emit_update(tx: &mut Tx, id: GroupId, property: &str, value: Value) {
    emit(tx, id, UserGroupUpdate::new(id, property, value));
}
