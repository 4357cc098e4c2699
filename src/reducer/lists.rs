//! Events of lists whose updates follow the same pattern, and of topics and devices.

use super::channels::CHANNEL_LISTS;
use super::rows::{Object, merge_into_row, object, put, row, take};
use super::{State, UnknownPart};
use crate::wire::{ElementChange, EventKind, LISTS, List, ListUpdates};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Types of events about data that a register reply does not have.
const TYPES_OUTSIDE_STATE: [&str; 10] = [
    "attachment",
    "heartbeat",
    "invites_changed",
    "reaction",
    "realm_export",
    "realm_export_consent",
    "submessage",
    "typing",
    "typing_edit_message",
    "web_reload_client",
];

/// The type of profile fields whose values are choices.
const CHOICE_FIELD_TYPE: i64 = 3;

impl State {
    /// Removes the users' values of removed profile fields and of removed choices.
    fn remove_values_of_removed_fields(&mut self) {
        let fields = self.value.get("custom_profile_fields").and_then(Value::as_array).cloned().unwrap_or_default();
        let choices = |field: &Value| {
            let text = field["field_data"].as_str().filter(|_| field["type"] == CHOICE_FIELD_TYPE);
            text.and_then(|text| serde_json::from_str::<Object>(text).ok())
        };
        let choices_by_field: HashMap<String, Option<Object>> =
            fields.iter().map(|field| (field["id"].to_string(), choices(field))).collect();
        let is_valid = |id: &String, data: &Value| match choices_by_field.get(id) {
            Some(Some(choices)) => data["value"].as_str().is_some_and(|value| choices.contains_key(value)),
            Some(None) => true,
            None => false,
        };
        for list in ["realm_users", "realm_non_active_users"] {
            for user in self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(data) = user.get_mut("profile_data").and_then(Value::as_object_mut) {
                    data.retain(|id, data| is_valid(id, data));
                }
            }
        }
    }

    pub(super) fn apply_list_event(&mut self, kind: &str, event: &Value, op: &str) -> bool {
        let lists = LISTS.iter().filter(|list| list.event_type() == kind);
        let applied: Vec<bool> = lists.map(|list| self.apply_to_list(list, event, op)).collect();
        if applied.contains(&true) {
            return true;
        }
        match kind {
            "user_topic" => self.apply_user_topic(event),
            "device" => return self.apply_device(event, op),
            "push_device" => self.apply_push_device(event),
            "channel_folder" if op == "reorder" => self.reorder_folders(event),
            "has_zoom_token" | "has_webex_token" => self.replace(kind, &event["value"]),
            kind => return TYPES_OUTSIDE_STATE.contains(&kind),
        }
        true
    }

    /// Returns whether the event belongs to the list.
    fn apply_to_list(&mut self, list: &List, event: &Value, op: &str) -> bool {
        let is_event = |kind: EventKind| kind.op().is_none_or(|kind_op| kind_op == op);
        match list.updates {
            ListUpdates::Whole(kind, field) if is_event(kind) => {
                self.replace(list.key, &event[field]);
                match list.key {
                    "custom_profile_fields" => self.remove_values_of_removed_fields(),
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
            ListUpdates::ByElement { id, added: (kind, field), .. } if is_event(kind) => {
                self.put_elements(list.key, id, &event[field]);
            }
            ListUpdates::ByElement { id, changed: Some((kind, ElementChange::Element(field))), .. }
                if is_event(kind) =>
            {
                self.put_elements(list.key, id, &event[field]);
            }
            ListUpdates::ByElement { id, changed: Some((kind, ElementChange::Part(id_field, field))), .. }
                if is_event(kind) =>
            {
                if let Some(element) = row(&mut self.value, list.key, id, &event[id_field]) {
                    merge_into_row(element, &event[field]);
                }
            }
            ListUpdates::ByElement { id, removed: Some((kind, id_field)), .. } if is_event(kind) => {
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
            put(&mut self.value, list, id, object(element.clone()));
        }
    }

    /// The list has one row for each topic with a policy. Names of topics are compared without regard to case.
    fn apply_user_topic(&mut self, event: &Value) {
        let name = event["topic_name"].as_str().unwrap_or_default().to_lowercase();
        if let Some(topics) = self.value.get_mut("user_topics").and_then(Value::as_array_mut) {
            let is_same_topic = |row: &Value| {
                row["stream_id"] == event["stream_id"]
                    && row["topic_name"].as_str().is_some_and(|other| other.to_lowercase() == name)
            };
            let index = topics.iter().position(is_same_topic);
            if event["visibility_policy"] == 0 {
                index.map(|index| topics.remove(index));
            } else if let Some(row) = index.and_then(|index| topics[index].as_object_mut()) {
                // The topic keeps the case that it had in the first event.
                for key in ["last_updated", "visibility_policy"] {
                    row.insert(key.to_owned(), event[key].clone());
                }
            } else {
                let mut new_row = Object::new();
                for key in ["stream_id", "topic_name", "last_updated", "visibility_policy"] {
                    new_row.insert(key.to_owned(), event[key].clone());
                }
                topics.push(new_row.into());
            }
        }
        // The policies for topics of archived channels are sent but not listed.
        let channels = CHANNEL_LISTS.iter().filter_map(|list| self.value.get(*list)?.as_array()).flatten();
        let mut channels = channels.filter(|channel| channel["stream_id"] == event["stream_id"]);
        let is_active = channels.next().is_some_and(|channel| channel["is_archived"] != true);
        if !is_active && let Some(id) = event["stream_id"].as_i64() {
            self.mark_user_topics_unknown(id);
        }
        self.update_muted_topics();
        self.recount_unread();
    }

    pub(super) fn mark_user_topics_unknown(&mut self, channel: i64) {
        self.unknown_parts.insert(UnknownPart::UserTopics(channel));
        self.unknown_parts.insert(UnknownPart::MutedTopics);
    }

    /// Marks the policies for topics of archived channels as unknown, because they are not listed.
    pub(super) fn mark_archived_topics_unknown(&mut self) {
        let channels = CHANNEL_LISTS.iter().filter_map(|list| self.value.get(*list)?.as_array()).flatten();
        let archived_channels = channels.filter(|channel| channel["is_archived"] == true);
        let archived_ids: Vec<i64> = archived_channels.filter_map(|channel| channel["stream_id"].as_i64()).collect();
        self.unknown_parts.extend(archived_ids.into_iter().map(UnknownPart::UserTopics));
    }

    /// Whether the user's policies for topics of a channel are unknown.
    pub(super) fn has_unknown_topics(&self, channel: &Value) -> bool {
        channel.as_i64().is_some_and(|id| self.unknown_parts.contains(&UnknownPart::UserTopics(id)))
    }

    /// Updates the legacy list of muted topics. The server does not send it to clients that receive `user_topic` events.
    pub(super) fn update_muted_topics(&mut self) {
        let (Some(topics), Some(streams)) = (self.value.get("user_topics"), self.value.get("streams")) else { return };
        let channel_name = |id: &Value| streams.as_array()?.iter().find(|row| row["stream_id"] == *id)?.get("name");
        let muted = topics.as_array().into_iter().flatten().filter(|row| row["visibility_policy"] == 1);
        let muted: Option<Vec<Value>> = muted
            .map(|row| Some(json!([channel_name(&row["stream_id"])?, row["topic_name"], row["last_updated"]])))
            .collect();
        let is_known = !self.unknown_parts.iter().any(|part| matches!(part, UnknownPart::UserTopics(_)));
        let Some(muted) = muted.filter(|_| is_known) else {
            self.unknown_parts.insert(UnknownPart::MutedTopics);
            return;
        };
        self.unknown_parts.remove(&UnknownPart::MutedTopics);
        self.replace("muted_topics", &muted.into());
    }

    /// Marks muted topics as unknown if one is in an invisible channel, because new names of such channels are not sent.
    pub(super) fn mark_muted_topics_unknown(&mut self) {
        let [Some(muted), Some(streams)] = ["muted_topics", "streams"].map(|list| self.value.get(list)?.as_array())
        else {
            return;
        };
        let is_visible = |row: &Value| streams.iter().any(|channel| channel["name"] == row[0]);
        if !muted.iter().all(is_visible) {
            self.unknown_parts.insert(UnknownPart::MutedTopics);
        }
    }

    /// Clients choose the ID of a device, which was a string at older levels.
    fn apply_push_device(&mut self, event: &Value) {
        let Some(devices) = self.value.get_mut("push_devices").and_then(Value::as_object_mut) else { return };
        let id = &event["push_account_id"];
        let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        devices.insert(id, json!({"status": event["status"], "error_code": event["error_code"]}));
    }

    fn apply_device(&mut self, event: &Value, op: &str) -> bool {
        let Some(devices) = self.value.get_mut("devices").and_then(Value::as_object_mut) else { return true };
        let id = event["device_id"].to_string();
        match op {
            "add" => {
                let new_device = json!({
                    "push_key_id": null,
                    "push_token_id": null,
                    "pending_push_token_id": null,
                    "push_token_last_updated_timestamp": null,
                    "push_registration_error_code": null,
                });
                devices.insert(id, new_device);
            }
            "remove" => {
                devices.shift_remove(&id);
            }
            "update" => {
                let mut changes = object(event.clone());
                for key in ["type", "op", "id", "device_id"] {
                    changes.remove(key);
                }
                if let Some(device) = devices.get_mut(&id).and_then(Value::as_object_mut) {
                    merge_into_row(device, &changes.into());
                }
            }
            _ => return false,
        }
        true
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
        let keys = |schema: Value| object(schema["properties"].clone()).keys().cloned().collect();
        SCHEMAS.iter().map(|(kind, fields)| (kind.text(), keys(fields(&mut generator).to_value()))).collect()
    }

    #[test]
    fn lists_are_kept_by_fields_that_their_events_have() {
        let fields = fields();
        for list in LISTS {
            let fields_of_list = match list.updates {
                ListUpdates::Whole(kind, field) => vec![(kind, field)],
                ListUpdates::ByElement { added, changed, removed, .. } => {
                    let changed = changed.into_iter().flat_map(|(kind, changed)| match changed {
                        ElementChange::Element(field) => vec![(kind, field)],
                        ElementChange::Part(id_field, field) => vec![(kind, id_field), (kind, field)],
                    });
                    [added].into_iter().chain(changed).chain(removed).collect()
                }
            };
            // Events that only older levels send have no schema.
            for (kind, field) in fields_of_list.into_iter().filter(|(kind, _)| *kind != EventKind::RealmFilters) {
                assert!(fields[kind.text()].iter().any(|key| key == field), "{}: {field}", kind.text());
            }
        }
    }

    #[test]
    fn topic_policies_are_unknown_in_channels_that_were_archived() {
        let archive_event = |is_archived: bool| json!({"type": "stream", "op": "update", "stream_id": 1, "property": "is_archived", "value": is_archived});
        let topic_event = json!({"type": "user_topic", "stream_id": 1, "topic_name": "tea", "visibility_policy": 1});
        let deletion = json!({"type": "stream", "op": "delete", "stream_ids": [1]});
        let cases = [
            (false, Some(archive_event(true)), true),
            (true, Some(archive_event(false)), true),
            (true, Some(topic_event.clone()), true),
            (false, Some(deletion), true),
            (false, None, false),
        ];
        for (is_archived, event, is_unknown) in cases {
            let topic =
                |channel: i64, name: &str| json!({"stream_id": channel, "topic_name": name, "visibility_policy": 1});
            let reply = |topics: Value| json!({"streams": [{"stream_id": 1, "name": "a", "is_archived": is_archived}], "user_topics": topics});
            let mut state = State::from_register(reply(json!([topic(1, "tea"), topic(2, "cake")])));
            event.iter().for_each(|event| assert!(state.apply(event)));

            let mut later_reply = reply(json!([topic(2, "cake")]));
            later_reply["streams"] = state.value()["streams"].clone();
            assert_eq!(state.differences(&later_reply).is_empty(), is_unknown, "{event:?}");
            later_reply["user_topics"] = json!([]);
            assert!(!state.differences(&later_reply).is_empty(), "{event:?}");
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
