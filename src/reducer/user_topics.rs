//! The user's policies for topics, and the legacy list of muted topics.

use super::channels::CHANNEL_LISTS;
use super::json::Object;
use super::{State, UnknownPart};
use serde_json::{Value, json};

impl State {
    /// Updates the list of topics with a policy, which has one row for each. Names of topics are compared without
    /// regard to case.
    pub(super) fn apply_user_topic(&mut self, event: &Value) {
        let name = event["topic_name"].as_str().unwrap_or_default().to_lowercase();
        if let Some(topics) = self.value.get_mut("user_topics").and_then(Value::as_array_mut) {
            let is_same_topic = |row: &Value| {
                row["stream_id"] == event["stream_id"]
                    && row["topic_name"].as_str().is_some_and(|row_name| row_name.to_lowercase() == name)
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

    /// Marks the policies for topics of a channel and the muted topics as unknown, because no event sends the policies
    /// again.
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

    /// Updates the legacy list of muted topics. The server does not send it to clients that receive `user_topic`
    /// events.
    pub(super) fn update_muted_topics(&mut self) {
        let (Some(topics), Some(streams)) = (self.value.get("user_topics"), self.value.get("streams")) else { return };
        let channel_name = |id: &Value| streams.as_array()?.iter().find(|row| row["stream_id"] == *id)?.get("name");
        let muted_rows = topics.as_array().into_iter().flatten().filter(|row| row["visibility_policy"] == 1);
        let muted_topics: Option<Vec<Value>> = muted_rows
            .map(|row| Some(json!([channel_name(&row["stream_id"])?, row["topic_name"], row["last_updated"]])))
            .collect();
        let is_known = !self.unknown_parts.iter().any(|part| matches!(part, UnknownPart::UserTopics(_)));
        let Some(muted_topics) = muted_topics.filter(|_| is_known) else {
            self.unknown_parts.insert(UnknownPart::MutedTopics);
            return;
        };
        self.unknown_parts.remove(&UnknownPart::MutedTopics);
        self.replace("muted_topics", &muted_topics.into());
    }

    /// Marks the muted topics as unknown if one is in an invisible channel, because new names of such channels are not
    /// sent.
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
