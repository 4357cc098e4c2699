//! The kinds of events that were added at a level, which queues below the level do not get.

use super::behaviours::former_booleans::FORMER_BOOLEANS;
use super::fields::{CHANNEL_SETTINGS_SINCE, GROUP_PERMISSIONS_SINCE, SETTINGS_SINCE, organization_settings_since};
use super::{Change, ChangeKind};
use crate::realm::channel_boolean_setting::CHANNEL_BOOLEAN_SETTINGS_SINCE;
use crate::realm::event::EventPattern;
use crate::realm::permission::REALM_PERMISSIONS;
use crate::wire::{EventKind, LISTS, List};

/// A level, a type and an `op` of events, a key of these events, and the property that is its value or a key of its
/// value.
type EventRow = (i64, &'static str, &'static str, (&'static str, &'static str));

/// Events whose type is older than a property that they carry. The level is that of the property.
static EVENTS_WITH_NEWER_PROPERTIES: &[EventRow] = &[
    (475, "realm_user", "update", ("person", "date_joined")),
    (433, "realm_user", "update", ("person", "is_imported_stub")),
    (323, "stream", "update", ("property", "is_recently_active")),
    (290, "user_group", "update", ("data", "deactivated")),
    (191, "user_group", "update", ("data", "can_mention_group")),
    (161, "stream", "update", ("property", "can_remove_subscribers_group")),
    (139, "subscription", "update", ("property", "is_muted")),
];

pub(super) fn changes() -> Vec<Change> {
    let event = |(level, type_name, op, carried_name): &EventRow| Change {
        level: *level,
        kind: ChangeKind::Event(EventPattern { type_name, op: Some(op), carried_name: Some(*carried_name) }),
    };
    let kind_event = |kind: &EventKind| Change {
        level: kind.since(),
        kind: ChangeKind::Event(EventPattern { type_name: kind.type_name(), op: kind.op(), carried_name: None }),
    };
    let kind_events = EventKind::ALL.iter().filter(|kind| kind.since() > 0).map(kind_event);
    let update_events = |rows: &'static [(i64, &'static str)], type_name, key| {
        rows.iter().map(move |(level, name)| Change {
            level: *level,
            kind: ChangeKind::Event(EventPattern { type_name, op: Some("update"), carried_name: Some((key, name)) }),
        })
    };
    // Older levels get the events of the settings that were booleans, with the former names and values.
    let was_boolean = |name: &&str| FORMER_BOOLEANS.contains(name);
    let organization_event = |(level, name): (i64, &'static str)| {
        // Among these settings, changes of permissions are sent in `update_dict`, others in `update`.
        let is_permission = REALM_PERMISSIONS.iter().any(|row| row.name == name);
        let (op, key) = if is_permission { ("update_dict", "data") } else { ("update", "property") };
        let pattern = EventPattern { type_name: "realm", op: Some(op), carried_name: Some((key, name)) };
        Change { level, kind: ChangeKind::Event(pattern) }
    };
    let organization_events =
        organization_settings_since().filter(|(_, name)| !was_boolean(name)).map(organization_event);
    let list_event = |list: &List| Change {
        level: list.since,
        kind: ChangeKind::Event(EventPattern { type_name: list.event_type(), op: None, carried_name: None }),
    };
    let list_events = LISTS.iter().filter(|list| list.since > 0).map(list_event);
    let rows = EVENTS_WITH_NEWER_PROPERTIES.iter().map(event).chain(kind_events).chain(list_events);
    let setting_events = update_events(CHANNEL_SETTINGS_SINCE, "stream", "property")
        .chain(update_events(CHANNEL_BOOLEAN_SETTINGS_SINCE, "stream", "property"))
        .chain(update_events(GROUP_PERMISSIONS_SINCE, "user_group", "data"))
        .chain(update_events(SETTINGS_SINCE, "user_settings", "property"));
    rows.chain(setting_events).chain(organization_events).collect()
}
