//! Events of messages: unread and starred messages, conversations and the newest message.

use super::json::{insert_number, remove_number, row, rows_mut, to_integers};
use super::mentions::Mention;
use super::{State, UnknownPart};
use serde_json::{Value, json};

/// The maximum number of direct conversations in a register reply.
const MAX_CONVERSATIONS: usize = 1_000;

/// The conversation under which an unread message is listed.
enum UnreadBucket {
    Topic(i64, String),
    Person(i64),
    Group(String),
}

impl State {
    pub(super) fn apply_message(&mut self, event: &Value) {
        let message = &event["message"];
        let Some(id) = message["id"].as_i64() else { return };
        let flags: Vec<&str> = event["flags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if self.value.get("max_message_id").and_then(Value::as_i64).is_some_and(|newest| newest < id) {
            self.value.insert("max_message_id".into(), id.into());
            self.unknown_parts.remove(&UnknownPart::NewestMessage);
            if message["type"] == "stream" && !self.is_subscribed(&message["stream_id"]) {
                self.unknown_parts.insert(UnknownPart::NewestMessage);
            }
        }
        let bucket = if message["type"] == "stream" {
            let topic = message["subject"].as_str().unwrap_or_default().to_owned();
            UnreadBucket::Topic(message["stream_id"].as_i64().unwrap_or_default(), topic)
        } else {
            let members = message["display_recipient"].as_array().into_iter().flatten();
            let mut other_members: Vec<i64> = members.filter_map(|member| member["id"].as_i64()).collect();
            // Bots also receive direct messages of other users that mention them.
            let is_participant = self.own_id.is_none_or(|own_id| other_members.contains(&own_id));
            other_members.retain(|id| Some(*id) != self.own_id);
            if is_participant {
                self.record_conversation(&other_members, id);
            }
            self.direct_bucket(other_members)
        };
        // Only recipients get flags.
        let is_recipient = !flags.is_empty() || self.is_recipient_in(&bucket);
        if is_recipient && !flags.contains(&"read") {
            self.add_unread(id, bucket, Mention::from_flags(&flags));
        }
    }

    /// Whether the user is a recipient of messages in the topic or conversation. Some clients also receive messages of
    /// channels that the user is not subscribed to. Channels in no list are archived, and only their subscribers
    /// receive their messages.
    fn is_recipient_in(&self, bucket: &UnreadBucket) -> bool {
        let UnreadBucket::Topic(channel, _) = bucket else { return true };
        let is_in_list = |list| row(&self.value, list, "stream_id", &(*channel).into()).is_some();
        is_in_list("subscriptions") || !["streams", "unsubscribed", "never_subscribed"].into_iter().any(is_in_list)
    }

    fn direct_bucket(&self, mut other_members: Vec<i64>) -> UnreadBucket {
        match (other_members.as_slice(), self.own_id) {
            ([], own_id) => UnreadBucket::Person(own_id.unwrap_or_default()),
            ([partner], _) => UnreadBucket::Person(*partner),
            (_, own_id) => {
                other_members.extend(own_id);
                other_members.sort_unstable();
                let members: Vec<String> = other_members.iter().map(ToString::to_string).collect();
                UnreadBucket::Group(members.join(","))
            }
        }
    }

    fn record_conversation(&mut self, other_members: &[i64], message_id: i64) {
        let mut other_members = other_members.to_vec();
        other_members.sort_unstable();
        let Some(recent) = rows_mut(&mut self.value, "recent_private_conversations") else { return };
        recent.retain(|row| to_integers(&row["user_ids"]) != other_members);
        let older_index = recent.iter().position(|row| row["max_message_id"].as_i64() < Some(message_id));
        recent.insert(
            older_index.unwrap_or(recent.len()),
            json!({"max_message_id": message_id, "user_ids": other_members}),
        );
        recent.truncate(MAX_CONVERSATIONS);
    }

    pub(super) fn apply_update_message(&mut self, event: &Value) {
        let ids = to_integers(&event["message_ids"]);
        let is_moved = event.get("subject").is_some() || event.get("new_stream_id").is_some();
        if is_moved {
            let channel = event.get("new_stream_id").unwrap_or(&event["stream_id"]).as_i64().unwrap_or_default();
            let topic = event.get("subject").unwrap_or(&event["orig_subject"]).as_str().unwrap_or_default();
            // Users who are not subscribed to the new channel are no longer recipients.
            let remains_recipient = event.get("new_stream_id").is_none_or(|channel| self.is_subscribed(channel));
            for id in &ids {
                if let Some(mention) = self.remove_unread(*id).filter(|_| remains_recipient) {
                    self.add_unread(*id, UnreadBucket::Topic(channel, topic.to_owned()), mention);
                }
            }
            if event.get("new_stream_id").is_some() {
                self.mark_newest_message_unknown(&ids);
            }
        }
        let Some(id) = event["message_id"].as_i64() else { return };
        // An edit delivers the message to users that it mentions. Other users who did not receive it get the event too.
        let is_received = event["flags"].as_array().is_some_and(|flags| flags.iter().any(|flag| flag == "mentioned"));
        if is_received {
            self.raise_newest_message(id);
        }
        if event.get("content").is_some() && self.is_unread(id) {
            let flags: Vec<&str> = event["flags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            self.mentions.insert(id, Mention::from_flags(&flags));
            self.update_mentions();
        }
    }

    /// Whether the user is subscribed to a channel; true if the state does not have the list of subscriptions.
    fn is_subscribed(&self, channel: &Value) -> bool {
        let subscriptions = self.value.get("subscriptions").and_then(Value::as_array);
        subscriptions
            .is_none_or(|subscriptions| subscriptions.iter().any(|subscription| subscription["stream_id"] == *channel))
    }

    pub(super) fn apply_delete_message(&mut self, event: &Value) {
        let mut ids = to_integers(&event["message_ids"]);
        ids.extend(event["message_id"].as_i64());
        for id in &ids {
            self.remove_unread(*id);
            if let Some(starred) = self.value.get_mut("starred_messages") {
                remove_number(starred, *id);
            }
        }
        self.mark_newest_message_unknown(&ids);
        let recent = self.value.get("recent_private_conversations").and_then(Value::as_array);
        let is_newest = |row: &Value| row["max_message_id"].as_i64().is_some_and(|newest| ids.contains(&newest));
        if recent.into_iter().flatten().any(is_newest) {
            self.unknown_parts.insert(UnknownPart::RecentConversations);
        }
    }

    /// Updates `max_message_id` after a message was received that may be older than others.
    fn raise_newest_message(&mut self, id: i64) {
        let newest = self.value.get("max_message_id").and_then(Value::as_i64);
        if newest.is_some_and(|newest| newest < id) {
            self.value.insert("max_message_id".into(), id.into());
        }
    }

    /// Marks the newest message as unknown if it is one of these deleted or moved messages.
    fn mark_newest_message_unknown(&mut self, ids: &[i64]) {
        let newest = self.value.get("max_message_id").and_then(Value::as_i64);
        if newest.is_some_and(|newest| ids.contains(&newest)) {
            self.unknown_parts.insert(UnknownPart::NewestMessage);
        }
    }

    /// Applies an event `update_message_flags`. Returns false for an unknown flag or `op`.
    pub(super) fn apply_update_message_flags(&mut self, event: &Value, op: &str) -> bool {
        let ids = to_integers(&event["messages"]);
        if (event["flag"].as_str(), op) == (Some("read"), "remove") {
            ids.iter().for_each(|id| self.raise_newest_message(*id));
        }
        match (event["flag"].as_str().unwrap_or_default(), op) {
            ("read", "add") if event["all"] == true => self.clear_unread(),
            ("read", "add") => {
                for id in ids {
                    self.remove_unread(id);
                }
            }
            // The event does not say in which conversations the messages are.
            ("read", "remove") if self.mark_unread_unknown_if_unsent() => {}
            ("read", "remove") => {
                for id in ids {
                    let details = &event["message_details"][id.to_string()];
                    let is_listed = details["mentioned"] == true;
                    let (bucket, mention) = if details["type"] == "stream" {
                        let topic = details["topic"].as_str().unwrap_or_default().to_owned();
                        let mention = self.reported_mention(is_listed, &details["stream_id"], &topic);
                        (UnreadBucket::Topic(details["stream_id"].as_i64().unwrap_or_default(), topic), mention)
                    } else {
                        let mention = if is_listed { Mention::User } else { Mention::Nobody };
                        (self.direct_bucket(to_integers(&details["user_ids"])), mention)
                    };
                    self.remove_unread(id);
                    self.add_unread(id, bucket, mention);
                }
            }
            ("starred", _) => {
                let Some(starred) = self.value.get_mut("starred_messages") else { return true };
                for id in ids {
                    if op == "add" {
                        insert_number(starred, id)
                    } else {
                        remove_number(starred, id)
                    };
                }
            }
            // These flags belong to messages, which are not part of a register reply.
            ("collapsed" | "hide_link_previews", _) => {}
            _ => return false,
        }
        true
    }

    pub(super) fn unread_list(&mut self, list: &str) -> Option<&mut Value> {
        self.value.get_mut("unread_msgs")?.get_mut(list)
    }

    fn is_unread(&self, id: i64) -> bool {
        let Some(unread) = self.value.get("unread_msgs") else { return false };
        let buckets = ["pms", "streams", "huddles"].into_iter().filter_map(|list| unread[list].as_array()).flatten();
        buckets.into_iter().any(|bucket| to_integers(&bucket["unread_message_ids"]).contains(&id))
    }

    fn add_unread(&mut self, id: i64, bucket: UnreadBucket, mention: Mention) {
        let partner = self.partner_key();
        let (list, new_row) = match &bucket {
            UnreadBucket::Topic(channel, topic) => ("streams", json!({"stream_id": channel, "topic": topic})),
            UnreadBucket::Person(user) => ("pms", json!({partner: user, "sender_id": user})),
            UnreadBucket::Group(members) => ("huddles", json!({"user_ids_string": members})),
        };
        let is_case_sensitive = self.distinguishes_topic_case();
        // The topic has the case of the oldest unread message.
        let is_same_topic = |left: &str, right: &str| match is_case_sensitive {
            true => left == right,
            false => left.to_lowercase() == right.to_lowercase(),
        };
        let is_same_bucket = |row: &Value| match &bucket {
            UnreadBucket::Topic(channel, topic) => {
                row["stream_id"] == *channel
                    && row["topic"].as_str().is_some_and(|row_topic| is_same_topic(row_topic, topic))
            }
            UnreadBucket::Person(user) => row[partner] == *user,
            UnreadBucket::Group(members) => row["user_ids_string"] == members.as_str(),
        };
        let Some(rows) = self.unread_list(list).and_then(Value::as_array_mut) else { return };
        let index = rows.iter().position(is_same_bucket).unwrap_or_else(|| {
            let mut new_row = new_row;
            new_row["unread_message_ids"] = json!([]);
            rows.push(new_row);
            rows.len() - 1
        });
        insert_number(&mut rows[index]["unread_message_ids"], id);
        self.mentions.insert(id, mention);
        self.recount_unread();
    }

    /// Removes a message from the unread messages, and returns the mention in it. None if the message was not unread.
    pub(super) fn remove_unread(&mut self, id: i64) -> Option<Mention> {
        let mut was_unread = false;
        for list in ["pms", "streams", "huddles"] {
            let rows = self.unread_list(list).and_then(Value::as_array_mut)?;
            for row in rows.iter_mut() {
                was_unread |= remove_number(&mut row["unread_message_ids"], id);
            }
            rows.retain(|row| row["unread_message_ids"].as_array().is_some_and(|ids| !ids.is_empty()));
        }
        let mention = self.mentions.remove(&id).unwrap_or_default();
        self.recount_unread();
        was_unread.then_some(mention)
    }

    fn clear_unread(&mut self) {
        for list in ["pms", "streams", "huddles", "mentions"] {
            if let Some(rows) = self.unread_list(list) {
                *rows = json!([]);
            }
        }
        self.mentions.clear();
        self.recount_unread();
    }

    /// Updates the number of unread messages that are not muted, and the list of mentions. All changes of unread
    /// messages or of muting must call this.
    pub(super) fn recount_unread(&mut self) {
        self.update_mentions();
        self.unknown_parts.remove(&UnknownPart::UnreadCount);
        let Some(unread) = self.value.get("unread_msgs") else { return };
        let unread_count = |bucket: &Value| bucket["unread_message_ids"].as_array().map_or(0, Vec::len);
        let mut count = 0;
        for list in ["pms", "huddles"] {
            count += unread[list].as_array().into_iter().flatten().map(unread_count).sum::<usize>();
        }
        let mut is_certain = true;
        for bucket in unread["streams"].as_array().into_iter().flatten() {
            match self.is_muted(&bucket["stream_id"], bucket["topic"].as_str().unwrap_or_default()) {
                Some(true) => {}
                Some(false) => count += unread_count(bucket),
                None => is_certain = false,
            }
        }
        if let Some(value) = self.unread_list("count") {
            *value = count.into();
        }
        if !is_certain {
            self.unknown_parts.insert(UnknownPart::UnreadCount);
        }
    }

    /// Whether a topic is muted, by its policy or, without a policy, with its channel. None if that cannot be known.
    pub(super) fn is_muted(&self, channel: &Value, topic: &str) -> Option<bool> {
        let topics = self.value.get("user_topics").and_then(Value::as_array);
        let is_same_topic = |row: &&Value| {
            row["stream_id"] == *channel
                && row["topic_name"].as_str().is_some_and(|name| name.to_lowercase() == topic.to_lowercase())
        };
        match topics.into_iter().flatten().find(is_same_topic).and_then(|row| row["visibility_policy"].as_i64()) {
            Some(1) => return Some(true),
            Some(2 | 3) if self.counts_unmuted_topics() => return Some(false),
            None if self.has_unknown_topics(channel) => return None,
            _ => {}
        }
        let subscriptions = self.value.get("subscriptions")?.as_array()?;
        let subscription = subscriptions.iter().find(|row| row["stream_id"] == *channel)?.as_object()?;
        if topics.is_none() && self.is_muted_by_name(subscription, topic) {
            return Some(true);
        }
        let is_outside_home_view =
            subscription.get("in_home_view").and_then(Value::as_bool).map(|is_in_home_view| !is_in_home_view);
        subscription.get("is_muted").and_then(Value::as_bool).or(is_outside_home_view)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{State, UnknownPart};
    use serde_json::json;

    #[test]
    fn messages_of_unlisted_channels_are_unread() {
        let channel = |id: i64| json!({"stream_id": id, "is_muted": false});
        let unread = json!({"count": 0, "streams": [], "pms": [], "huddles": [], "mentions": []});
        let mut state = State::from_register(json!({
            "subscriptions": [channel(1)], "unsubscribed": [channel(2)], "never_subscribed": [channel(3)],
            "unread_msgs": unread,
        }));
        for id in 1..5 {
            let message = json!({"id": id, "type": "stream", "stream_id": id, "subject": "lunch"});
            assert!(state.apply(&json!({"type": "message", "message": message, "flags": []})));
        }
        let buckets = state.value()["unread_msgs"]["streams"].as_array().expect("a list").iter();
        let channels: Vec<i64> = buckets.filter_map(|bucket| bucket["stream_id"].as_i64()).collect();
        assert_eq!(channels, [1, 4]);
        assert!(state.unknown_parts().contains(&UnknownPart::UnreadCount));
    }

    #[test]
    fn a_mention_does_not_add_a_conversation_to_a_bot() {
        for (members, recent) in [([2, 16], json!([])), ([11, 16], json!([{"max_message_id": 7, "user_ids": [16]}]))] {
            let mut state = State::from_register(json!({"user_id": 11, "recent_private_conversations": []}));
            let members = members.map(|id| json!({ "id": id }));
            let message = json!({"id": 7, "type": "private", "display_recipient": members});
            assert!(state.apply(&json!({"type": "message", "message": message, "flags": ["mentioned"]})));
            assert_eq!(state.value()["recent_private_conversations"], recent);
        }
    }

    #[test]
    fn an_edit_that_mentions_the_user_delivers_the_message() {
        for (flags, newest) in
            [(json!(["read"]), 7), (json!(["read", "historical"]), 7), (json!(["read", "mentioned"]), 9)]
        {
            let mut state = State::from_register(json!({"max_message_id": 7}));
            let event = json!({"type": "update_message", "message_id": 9, "message_ids": [9], "flags": flags});
            assert!(state.apply(&event));
            assert_eq!(state.value()["max_message_id"], newest);
        }
    }
}
