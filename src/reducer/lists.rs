//! Events of the lists in `wire.rs`, which says how events change each list.

use super::json::{into_object, merge_into_row, put, row_mut, take};
use super::{State, UnknownPart};
use crate::wire::{ElementChange, EventKind, LISTS, List, ListUpdates};
use serde_json::Value;

impl State {
    /// Applies an event to the lists that it belongs to, and returns whether there are any.
    pub(super) fn apply_to_lists(&mut self, event_type: &str, event: &Value, op: &str) -> bool {
        let mut is_applied = false;
        for list in LISTS.iter().filter(|list| list.event_type() == event_type) {
            is_applied |= self.apply_to_list(list, event, op);
        }
        is_applied
    }

    /// Applies an event to a list if it belongs to the list, and returns whether it does.
    fn apply_to_list(&mut self, list: &List, event: &Value, op: &str) -> bool {
        let has_op = |kind: EventKind| kind.op().is_none_or(|kind_op| kind_op == op);
        match list.updates {
            ListUpdates::Whole(kind, field) if has_op(kind) => {
                self.replace(list.key, &event[field]);
                match list.key {
                    "custom_profile_fields" => self.remove_values_of_removed_fields(),
                    // The event has the whole list, so it is known again, except for topics in channels that the client
                    // can't see. A client with only this list has its policies from it.
                    "muted_topics" => {
                        self.unknown_parts.remove(&UnknownPart::MutedTopics);
                        if !self.value.contains_key("user_topics") {
                            self.unknown_parts.retain(|part| !matches!(part, UnknownPart::UserTopics(_)));
                        }
                        self.mark_muted_topics_unknown();
                        self.recount_unread();
                    }
                    _ => {}
                }
            }
            ListUpdates::ByElement { id, added: (kind, field), .. } if has_op(kind) => {
                self.put_elements(list.key, id, &event[field]);
            }
            ListUpdates::ByElement { id, changed: Some((kind, ElementChange::Element(field))), .. } if has_op(kind) => {
                self.put_elements(list.key, id, &event[field]);
            }
            ListUpdates::ByElement { id, changed: Some((kind, ElementChange::Part(id_field, field))), .. }
                if has_op(kind) =>
            {
                if let Some(element) = row_mut(&mut self.value, list.key, id, &event[id_field]) {
                    merge_into_row(element, &event[field]);
                }
            }
            ListUpdates::ByElement { id, removed: Some((kind, id_field)), .. } if has_op(kind) => {
                take(&mut self.value, list.key, id, &event[id_field]);
            }
            _ => return false,
        }
        true
    }

    /// Adds or replaces one element, or each element of an array.
    fn put_elements(&mut self, list: &str, id: &str, new_elements: &Value) {
        let elements = new_elements.as_array().map(Vec::as_slice);
        for element in elements.unwrap_or(std::slice::from_ref(new_elements)) {
            put(&mut self.value, list, id, into_object(element.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::events::SCHEMAS;
    use std::collections::BTreeMap;

    /// The fields of each kind of event, by `type` and `op`.
    fn fields() -> BTreeMap<&'static str, Vec<String>> {
        let mut generator = schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
        let keys = |schema: Value| into_object(schema["properties"].clone()).keys().cloned().collect();
        SCHEMAS.iter().map(|(kind, schema)| (kind.text(), keys(schema(&mut generator).to_value()))).collect()
    }

    #[test]
    fn lists_are_kept_by_fields_that_their_events_have() {
        let fields = fields();
        for list in LISTS {
            let fields_of_list = match list.updates {
                ListUpdates::Whole(kind, field) => vec![(kind, field)],
                ListUpdates::ByElement { added, changed, removed, .. } => {
                    let changed_fields = changed.into_iter().flat_map(|(kind, change)| match change {
                        ElementChange::Element(field) => vec![(kind, field)],
                        ElementChange::Part(id_field, field) => vec![(kind, id_field), (kind, field)],
                    });
                    [added].into_iter().chain(changed_fields).chain(removed).collect()
                }
            };
            // Events that only older levels send have no schema.
            for (kind, field) in fields_of_list.into_iter().filter(|(kind, _)| *kind != EventKind::RealmFilters) {
                assert!(fields[kind.text()].iter().any(|key| key == field), "{}: {field}", kind.text());
            }
        }
    }

    #[test]
    fn lists_are_keys_of_the_register_reply() {
        let keys = crate::openapi::register_reply_properties();
        for list in LISTS {
            assert!(keys.contains_key(list.key), "{}", list.key);
        }
    }
}
