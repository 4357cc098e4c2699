//! The kinds of events that were added at a level.

use super::behaviours::former_booleans::FORMER_BOOLEANS;
use super::fields::{CHANNEL_SETTINGS_SINCE, GROUP_PERMISSIONS_SINCE, SETTINGS_SINCE, organization_since};
use super::{Change, ChangeKind};
use crate::realm::channel_switch::CHANNEL_SWITCHES_SINCE;
use crate::realm::event::EventPattern;
use crate::realm::permission::REALM_PERMISSIONS;
use crate::wire::{LISTS, List};

/// Level, type, op, and a key with the property that is its value or within it.
type Row = (i64, &'static str, Option<&'static str>, Option<(&'static str, &'static str)>);

static EVENTS: &[Row] = &[
    (491, "realm_emoji", Some("add"), None),
    (491, "realm_emoji", Some("update_one"), None),
    (475, "realm_user", Some("update"), Some(("person", "date_joined"))),
    (468, "device", None, None),
    (433, "realm_user", Some("update"), Some(("person", "is_imported_stub"))),
    (418, "channel_folder", Some("reorder"), None),
    (368, "saved_snippets", Some("update"), None),
    (351, "typing_edit_message", None, None),
    (323, "stream", Some("update"), Some(("property", "is_recently_active"))),
    (312, "realm_export_consent", None, None),
    (290, "user_group", Some("update"), Some(("data", "deactivated"))),
    (191, "user_group", Some("update"), Some(("data", "can_mention_group"))),
    (161, "stream", Some("update"), Some(("property", "can_remove_subscribers_group"))),
    (139, "subscription", Some("update"), Some(("property", "is_muted"))),
    (134, "user_topic", None, None),
    (127, "user_group", Some("add_subgroups"), None),
    (127, "user_group", Some("remove_subgroups"), None),
    (95, "realm_user_settings_defaults", None, None),
    (89, "user_settings", None, None),
];

pub(super) fn changes() -> Vec<Change> {
    let row = |(level, kind, op, carries): &Row| Change {
        level: *level,
        kind: ChangeKind::Event(EventPattern { kind, op: *op, carries: *carries }),
    };
    let updates = |rows: &'static [(i64, &'static str)], kind, key| {
        rows.iter().map(move |(level, name)| Change {
            level: *level,
            kind: ChangeKind::Event(EventPattern { kind, op: Some("update"), carries: Some((key, name)) }),
        })
    };
    // Older levels get the former booleans in the events of these two settings.
    let has_own_event = |(_, name): &(i64, &'static str)| !FORMER_BOOLEANS.contains(name);
    let organization = |(level, name): (i64, &'static str)| {
        // Changes of permissions are sent in `update_dict`, all others in `update`.
        let is_permission = REALM_PERMISSIONS.iter().any(|row| row.name == name);
        let (op, key) = if is_permission { ("update_dict", "data") } else { ("update", "property") };
        let kind = EventPattern { kind: "realm", op: Some(op), carries: Some((key, name)) };
        Change { level, kind: ChangeKind::Event(kind) }
    };
    let of_organization = organization_since().filter(has_own_event).map(organization);
    let of_list = |list: &List| Change {
        level: list.since,
        kind: ChangeKind::Event(EventPattern { kind: list.event_type(), op: None, carries: None }),
    };
    let of_lists = LISTS.iter().filter(|list| list.since > 0).map(of_list);
    let rows = EVENTS.iter().map(row).chain(of_lists);
    let settings = updates(CHANNEL_SETTINGS_SINCE, "stream", "property")
        .chain(updates(CHANNEL_SWITCHES_SINCE, "stream", "property"))
        .chain(updates(GROUP_PERMISSIONS_SINCE, "user_group", "data"))
        .chain(updates(SETTINGS_SINCE, "user_settings", "property"));
    rows.chain(settings).chain(of_organization).collect()
}
