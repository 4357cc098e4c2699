//! The user's own lists, and the organization's that are sent whole.

use super::channels::LISTS as LISTS_OF_CHANNELS;
use super::rows::{Object, merge, object, put, row, take};
use super::{State, Unknowable};
use crate::wire::{Changed, EventKind, LISTS, List, ListUpdates};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Events that tell of what a register reply does not have.
const OUTSIDE: [&str; 10] = [
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

/// The type of profile fields whose values are one of several.
const CHOICE: i64 = 3;

impl State {
    /// A profile field that is gone takes everybody's value with it, and a choice that is gone those that were it.
    fn forget_removed_fields(&mut self) {
        let fields = self.value.get("custom_profile_fields").and_then(Value::as_array).cloned().unwrap_or_default();
        let choices = |field: &Value| {
            let text = field["field_data"].as_str().filter(|_| field["type"] == CHOICE);
            text.and_then(|text| serde_json::from_str::<Object>(text).ok())
        };
        let known: HashMap<String, Option<Object>> =
            fields.iter().map(|field| (field["id"].to_string(), choices(field))).collect();
        let is_kept = |id: &String, data: &Value| match known.get(id) {
            Some(Some(choices)) => data["value"].as_str().is_some_and(|value| choices.contains_key(value)),
            Some(None) => true,
            None => false,
        };
        for list in ["realm_users", "realm_non_active_users"] {
            for user in self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(data) = user.get_mut("profile_data").and_then(Value::as_object_mut) {
                    data.retain(|id, data| is_kept(id, data));
                }
            }
        }
    }

    pub(super) fn own_list(&mut self, kind: &str, event: &Value, op: &str) -> bool {
        let known = LISTS.iter().filter(|list| list.event_type() == kind);
        let is_kept: Vec<bool> = known.map(|list| self.keep_list(list, event, op)).collect();
        if is_kept.contains(&true) {
            return true;
        }
        match kind {
            "user_topic" => self.user_topic(event),
            "device" => return self.device(event, op),
            "push_device" => self.push_device(event),
            "channel_folder" if op == "reorder" => self.reorder_folders(event),
            "has_zoom_token" | "has_webex_token" => self.replace(kind, &event["value"]),
            kind => return OUTSIDE.contains(&kind),
        }
        true
    }

    /// Whether the event is one that keeps the list up to date.
    fn keep_list(&mut self, list: &List, event: &Value, op: &str) -> bool {
        let is_event = |kind: EventKind| kind.op().is_none_or(|own| own == op);
        match list.updates {
            ListUpdates::Whole(kind, field) if is_event(kind) => {
                self.replace(list.key, &event[field]);
                match list.key {
                    "custom_profile_fields" => self.forget_removed_fields(),
                    "muted_topics" => {
                        self.doubts.remove(&Unknowable::MutedTopics);
                        if !self.value.contains_key("user_topics") {
                            self.doubts.retain(|doubt| !matches!(doubt, Unknowable::UserTopics(_)));
                        }
                        self.doubt_muted_topics();
                        self.recount();
                    }
                    _ => {}
                }
            }
            ListUpdates::ByElement { id, added: (kind, field), .. } if is_event(kind) => {
                self.put_elements(list.key, id, &event[field]);
            }
            ListUpdates::ByElement { id, changed: Some((kind, Changed::Element(field))), .. } if is_event(kind) => {
                self.put_elements(list.key, id, &event[field]);
            }
            ListUpdates::ByElement { id, changed: Some((kind, Changed::Part(named, field))), .. } if is_event(kind) => {
                if let Some(element) = row(&mut self.value, list.key, id, &event[named]) {
                    merge(element, &event[field]);
                }
            }
            ListUpdates::ByElement { id, removed: Some((kind, named)), .. } if is_event(kind) => {
                take(&mut self.value, list.key, id, &event[named]);
            }
            _ => return false,
        }
        true
    }

    /// Adds an element, or several, in the place of those that they replace.
    fn put_elements(&mut self, list: &str, id: &str, new: &Value) {
        let many = new.as_array().map(Vec::as_slice);
        for element in many.unwrap_or(std::slice::from_ref(new)) {
            put(&mut self.value, list, id, object(element.clone()));
        }
    }

    /// One row a topic, whatever the case of its name; none where nothing is said of it.
    fn user_topic(&mut self, event: &Value) {
        let name = event["topic_name"].as_str().unwrap_or_default().to_lowercase();
        if let Some(topics) = self.value.get_mut("user_topics").and_then(Value::as_array_mut) {
            let is_same = |row: &Value| {
                row["stream_id"] == event["stream_id"]
                    && row["topic_name"].as_str().is_some_and(|other| other.to_lowercase() == name)
            };
            let said = topics.iter().position(is_same);
            if event["visibility_policy"] == 0 {
                said.map(|at| topics.remove(at));
            } else if let Some(row) = said.and_then(|at| topics[at].as_object_mut()) {
                // The topic stays spelt as when something was said of it first.
                for key in ["last_updated", "visibility_policy"] {
                    row.insert(key.to_owned(), event[key].clone());
                }
            } else {
                let mut new = Object::new();
                for key in ["stream_id", "topic_name", "last_updated", "visibility_policy"] {
                    new.insert(key.to_owned(), event[key].clone());
                }
                topics.push(new.into());
            }
        }
        // What is said of an archived channel is sent, and not listed.
        let channels = LISTS_OF_CHANNELS.iter().filter_map(|list| self.value.get(*list)?.as_array()).flatten();
        let mut channels = channels.filter(|channel| channel["stream_id"] == event["stream_id"]);
        let is_active = channels.next().is_some_and(|channel| channel["is_archived"] != true);
        if !is_active && let Some(id) = event["stream_id"].as_i64() {
            self.doubt_user_topics(id);
        }
        self.list_muted_topics();
        self.recount();
    }

    /// Which topics of a channel are listed is not known from now on.
    pub(super) fn doubt_user_topics(&mut self, channel: i64) {
        self.doubts.insert(Unknowable::UserTopics(channel));
        self.doubts.insert(Unknowable::MutedTopics);
    }

    /// What was said of the topics of archived channels is not listed.
    pub(super) fn doubt_archived_topics(&mut self) {
        let channels = LISTS_OF_CHANNELS.iter().filter_map(|list| self.value.get(*list)?.as_array()).flatten();
        let archived = channels.filter(|channel| channel["is_archived"] == true);
        let archived: Vec<i64> = archived.filter_map(|channel| channel["stream_id"].as_i64()).collect();
        self.doubts.extend(archived.into_iter().map(Unknowable::UserTopics));
    }

    /// Whether the user may have said of a channel's topics what is not known.
    pub(super) fn doubts_topics_of(&self, channel: &Value) -> bool {
        channel.as_i64().is_some_and(|id| self.doubts.contains(&Unknowable::UserTopics(id)))
    }

    /// The older list of muted topics, by channels' names: those who get `user_topic` events are not sent it.
    pub(super) fn list_muted_topics(&mut self) {
        let (Some(topics), Some(streams)) = (self.value.get("user_topics"), self.value.get("streams")) else { return };
        let name = |id: &Value| streams.as_array()?.iter().find(|row| row["stream_id"] == *id)?.get("name");
        let muted = topics.as_array().into_iter().flatten().filter(|row| row["visibility_policy"] == 1);
        let muted: Option<Vec<Value>> =
            muted.map(|row| Some(json!([name(&row["stream_id"])?, row["topic_name"], row["last_updated"]]))).collect();
        let is_known = !self.doubts.iter().any(|doubt| matches!(doubt, Unknowable::UserTopics(_)));
        let Some(muted) = muted.filter(|_| is_known) else {
            self.doubts.insert(Unknowable::MutedTopics);
            return;
        };
        self.doubts.remove(&Unknowable::MutedTopics);
        self.replace("muted_topics", &muted.into());
    }

    /// Of channels out of sight nobody tells what they are called now.
    pub(super) fn doubt_muted_topics(&mut self) {
        let [Some(muted), Some(streams)] = ["muted_topics", "streams"].map(|list| self.value.get(list)?.as_array())
        else {
            return;
        };
        let is_seen = |row: &Value| streams.iter().any(|channel| channel["name"] == row[0]);
        if !muted.iter().all(is_seen) {
            self.doubts.insert(Unknowable::MutedTopics);
        }
    }

    /// How far a device's registration is; clients choose its number, which was a text once.
    fn push_device(&mut self, event: &Value) {
        let Some(devices) = self.value.get_mut("push_devices").and_then(Value::as_object_mut) else { return };
        let number = &event["push_account_id"];
        let number = number.as_str().map_or_else(|| number.to_string(), str::to_owned);
        devices.insert(number, json!({"status": event["status"], "error_code": event["error_code"]}));
    }

    fn device(&mut self, event: &Value, op: &str) -> bool {
        let Some(devices) = self.value.get_mut("devices").and_then(Value::as_object_mut) else { return true };
        let id = event["device_id"].to_string();
        match op {
            "add" => {
                let new = json!({
                    "push_key_id": null,
                    "push_token_id": null,
                    "pending_push_token_id": null,
                    "push_token_last_updated_timestamp": null,
                    "push_registration_error_code": null,
                });
                devices.insert(id, new);
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
                    merge(device, &changes.into());
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
            let named = match list.updates {
                ListUpdates::Whole(kind, field) => vec![(kind, field)],
                ListUpdates::ByElement { added, changed, removed, .. } => {
                    let changed = changed.into_iter().flat_map(|(kind, changed)| match changed {
                        Changed::Element(field) => vec![(kind, field)],
                        Changed::Part(named, field) => vec![(kind, named), (kind, field)],
                    });
                    [added].into_iter().chain(changed).chain(removed).collect()
                }
            };
            // Events of older levels alone have no schema.
            for (kind, field) in named.into_iter().filter(|(kind, _)| *kind != EventKind::RealmFilters) {
                assert!(fields[kind.text()].iter().any(|key| key == field), "{}: {field}", kind.text());
            }
        }
    }

    #[test]
    fn what_was_said_of_topics_is_open_in_channels_that_were_archived() {
        let archived = |is_archived: bool| json!({"type": "stream", "op": "update", "stream_id": 1, "property": "is_archived", "value": is_archived});
        let said = json!({"type": "user_topic", "stream_id": 1, "topic_name": "tea", "visibility_policy": 1});
        let lost = json!({"type": "stream", "op": "delete", "stream_ids": [1]});
        let cases = [
            (false, Some(archived(true)), true),
            (true, Some(archived(false)), true),
            (true, Some(said.clone()), true),
            (false, Some(lost), true),
            (false, None, false),
        ];
        for (is_archived, event, is_open) in cases {
            let topic =
                |channel: i64, name: &str| json!({"stream_id": channel, "topic_name": name, "visibility_policy": 1});
            let reply = |topics: Value| json!({"streams": [{"stream_id": 1, "name": "a", "is_archived": is_archived}], "user_topics": topics});
            let mut state = State::from_register(reply(json!([topic(1, "tea"), topic(2, "cake")])));
            event.iter().for_each(|event| assert!(state.apply(event)));

            let mut later = reply(json!([topic(2, "cake")]));
            later["streams"] = state.value()["streams"].clone();
            assert_eq!(state.differences(&later).is_empty(), is_open, "{event:?}");
            later["user_topics"] = json!([]);
            assert!(!state.differences(&later).is_empty(), "{event:?}");
        }
    }

    #[test]
    fn lists_are_keys_of_the_register_reply() {
        let keys = crate::openapi::state();
        for list in LISTS {
            assert!(keys.contains_key(list.key), "{}", list.key);
        }
    }
}
