//! Events about user groups.

use crate::realm::event::{Audience, DeliveryCondition, Event, EventData};
use crate::realm::id::GroupId;
use crate::realm::tx::Tx;
use crate::record::events::UserGroupUpdate;
use serde_json::Value;

/// Emits an event about a group to everyone; an event about a deactivated group only to clients that know deactivated
/// groups.
pub fn emit_group_event(tx: &mut Tx, group: GroupId, event: impl Into<Event>) {
    let condition = delivery_condition(tx, group);
    let audience = tx.everyone();
    tx.emit(audience, event.into().only_for(condition));
}

/// Event: `user_group` update to an audience, with the condition of [`emit_group_event`].
pub fn emit_update_to(tx: &mut Tx, audience: Audience, group: GroupId, property: &str, value: Value) {
    let condition = delivery_condition(tx, group);
    tx.emit(audience, UserGroupUpdate::new(group, property, value).only_for(condition));
}

fn delivery_condition(tx: &Tx, group: GroupId) -> DeliveryCondition {
    if tx.groups[&group].is_deactivated { DeliveryCondition::DeactivatedGroups } else { DeliveryCondition::Always }
}

/// Event: `user_group` update to everyone.
pub fn emit_update(tx: &mut Tx, group: GroupId, property: &str, value: Value) {
    emit_group_event(tx, group, UserGroupUpdate::new(group, property, value));
}
