//! Events of channels and subscriptions.

use super::json::{Object, into_object, put, row, row_mut, rows, rows_mut, take, to_integers};
use super::{State, UnknownPart};
use serde_json::{Value, json};

/// The lists of channels. Each visible channel is in one of the last three.
pub(super) const CHANNEL_LISTS: [&str; 4] = ["streams", "subscriptions", "unsubscribed", "never_subscribed"];
/// The keys of a bot that have the name of a channel.
pub(super) const BOT_CHANNEL_KEYS: [&str; 2] = ["default_sending_stream", "default_events_register_stream"];
/// The keys of a subscription that its channel does not have.
const PERSONAL_KEYS: [&str; 12] = [
    "color",
    "is_muted",
    "in_home_view",
    "pin_to_top",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
    // The last three exist only until levels 225, 132 and 13.
    "email_address",
    "role",
    "is_old_stream",
];

impl State {
    /// Applies an event `stream`. Returns false for an unknown `op`.
    pub(super) fn apply_stream(&mut self, event: &Value, op: &str) -> bool {
        match op {
            "create" => {
                for channel in event["streams"].as_array().into_iter().flatten() {
                    self.add_channel(channel);
                }
            }
            "delete" => {
                // `streams` is older than `stream_ids`. Newer levels send both.
                let channels = event["streams"].as_array().into_iter().flatten();
                let mut ids = to_integers(&event["stream_ids"]);
                ids.extend(channels.filter_map(|channel| channel["stream_id"].as_i64()));
                ids.iter().for_each(|id| self.remove_channel(*id));
                self.clear_archived_channels(&ids);
            }
            "update" => self.apply_channel_update(event),
            _ => return false,
        }
        self.hide_subscribers_from_guest();
        self.mark_muted_topics_unknown();
        self.mark_bot_channels_unknown();
        self.recount_unread();
        true
    }

    fn add_channel(&mut self, channel: &Value) {
        let mut new_channel = into_object(channel.clone());
        let Some(id) = new_channel.get("stream_id").and_then(Value::as_i64) else { return };
        self.mark_user_topics_unknown(id);
        if new_channel.get("subscriber_count").and_then(Value::as_i64).is_some_and(|count| count > 0) {
            self.channels_awaiting_peers.insert(id);
        }
        if self.belongs_in_streams(&new_channel) {
            put(&mut self.value, "streams", "stream_id", new_channel.clone());
        }
        if self.has_subscribers {
            new_channel.insert("subscribers".into(), json!([]));
        }
        let has_subscription_row = ["subscriptions", "unsubscribed"]
            .iter()
            .any(|list| row(&self.value, list, "stream_id", &id.into()).is_some());
        if has_subscription_row {
            return;
        }
        if let Some(former) = self.former_subscriptions.remove(&id) {
            for key in PERSONAL_KEYS {
                new_channel.extend(former.get(key).map(|value| (key.to_owned(), value.clone())));
            }
            put(&mut self.value, "unsubscribed", "stream_id", new_channel);
        } else {
            put(&mut self.value, "never_subscribed", "stream_id", new_channel);
            self.unknown_parts.insert(UnknownPart::PastSubscription(id));
        }
    }

    /// If the user is a guest, empties lists of subscribers and marks their counts as unknown, because guests know only
    /// the subscribers of web-public channels and of channels that they are subscribed to.
    pub(super) fn hide_subscribers_from_guest(&mut self) {
        if self.value.get("is_guest") != Some(&Value::Bool(true)) {
            return;
        }
        for list in ["unsubscribed", "never_subscribed"] {
            let channels = self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for channel in channels.filter(|channel| channel["is_web_public"] != true) {
                if let Some(subscribers) = channel.get_mut("subscribers") {
                    *subscribers = json!([]);
                }
                self.unknown_parts.extend(channel["stream_id"].as_i64().map(UnknownPart::SubscriberCount));
            }
        }
    }

    /// Marks the numbers of subscribers as unknown unless the state has lists of subscribers, because events repeat the
    /// subscriptions of a user who was active already, and only these lists show that.
    pub(super) fn mark_subscriber_counts_unknown(&mut self) {
        if !self.has_subscribers {
            self.unknown_parts.insert(UnknownPart::SubscriberCounts);
        }
    }

    fn remove_channel(&mut self, id: i64) {
        self.mark_archived_unknown(id);
        self.mark_user_topics_unknown(id);
        // Deletions of messages in this channel are not sent from now on.
        self.unknown_parts.insert(UnknownPart::NewestMessage);
        for list in CHANNEL_LISTS {
            let removed = take(&mut self.value, list, "stream_id", &id.into());
            // Only subscriptions have a color.
            if let Some(subscription) = removed.filter(|channel| channel.contains_key("color")) {
                self.former_subscriptions.insert(id, subscription);
            }
        }
    }

    fn apply_channel_update(&mut self, event: &Value) {
        let property = event["property"].as_str().unwrap_or_default();
        let other_keys = ["rendered_description", "history_public_to_subscribers", "is_web_public"];
        let other_changes = other_keys.into_iter().filter_map(|key| Some((key, event.get(key)?)));
        let changes: Vec<(&str, &Value)> = [(property, &event["value"])].into_iter().chain(other_changes).collect();
        if property == "name"
            && let Some(old_name) = self.channel_name(&event["stream_id"])
        {
            self.rename_muted_topics(&old_name, &event["value"]);
            self.rename_bot_channels(&old_name, &event["value"]);
        }
        if property == "is_archived"
            && let Some(id) = event["stream_id"].as_i64()
        {
            self.mark_user_topics_unknown(id);
        }
        for list in CHANNEL_LISTS {
            let Some(channel) = row_mut(&mut self.value, list, "stream_id", &event["stream_id"]) else { continue };
            channel.extend(changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).clone())));
        }
        for channel in self.default_channel_records(&event["stream_id"]) {
            for (key, value) in &changes {
                channel.get_mut(*key).into_iter().for_each(|stored| *stored = (*value).clone());
            }
        }
        self.update_muted_topics();
    }

    fn channel_name(&self, id: &Value) -> Option<Value> {
        CHANNEL_LISTS.into_iter().find_map(|list| row(&self.value, list, "stream_id", id)?.get("name").cloned())
    }

    /// Renames the default channels of bots, which are listed by name, because no event about the bots is sent.
    fn rename_bot_channels(&mut self, old_name: &Value, new_name: &Value) {
        for bot in rows_mut(&mut self.value, "realm_bots").into_iter().flatten() {
            for key in BOT_CHANNEL_KEYS {
                bot.get_mut(key).filter(|name| *name == old_name).into_iter().for_each(|name| *name = new_name.clone());
            }
        }
    }

    /// Marks the channels of bots as unknown if one is invisible, because new names of such channels are not sent.
    pub(super) fn mark_bot_channels_unknown(&mut self) {
        let bots = rows(&self.value, "realm_bots").iter();
        let mut names = bots.flat_map(|bot| BOT_CHANNEL_KEYS.iter().filter_map(|key| bot.get(*key)));
        let is_visible = |name: &Value| CHANNEL_LISTS.iter().any(|list| row(&self.value, list, "name", name).is_some());
        if names.any(|name| !name.is_null() && !is_visible(name)) {
            self.unknown_parts.insert(UnknownPart::BotChannels);
        }
    }

    /// Applies an event `subscription`. Returns false for an unknown `op`.
    pub(super) fn apply_subscription(&mut self, event: &Value, op: &str) -> bool {
        match op {
            "add" => {
                for subscription in event["subscriptions"].as_array().into_iter().flatten() {
                    self.add_subscription(into_object(subscription.clone()));
                }
            }
            "remove" => {
                for subscription in event["subscriptions"].as_array().into_iter().flatten() {
                    self.remove_subscription(&subscription["stream_id"]);
                }
            }
            "update" => {
                let property = event["property"].as_str().unwrap_or_default();
                for list in ["subscriptions", "unsubscribed"] {
                    if let Some(channel) = row_mut(&mut self.value, list, "stream_id", &event["stream_id"]) {
                        channel.insert(property.to_owned(), event["value"].clone());
                        // Up to level 138, no other field says that a channel is muted.
                        let is_muted = (property == "in_home_view").then(|| event["value"] == false);
                        if let Some(stored) = channel.get_mut("is_muted").filter(|_| is_muted.is_some()) {
                            *stored = is_muted.into();
                        }
                    }
                }
            }
            "peer_add" | "peer_remove" => self.apply_peers(event, op == "peer_add"),
            _ => return false,
        }
        self.hide_subscribers_from_guest();
        self.recount_unread();
        true
    }

    fn add_subscription(&mut self, mut subscription: Object) {
        let id = subscription.get("stream_id").cloned().unwrap_or_default();
        for list in ["unsubscribed", "never_subscribed"] {
            take(&mut self.value, list, "stream_id", &id);
        }
        if !self.has_subscribers {
            subscription.remove("subscribers");
        }
        if let Some(number) = id.as_i64() {
            self.former_subscriptions.remove(&number);
            self.channels_awaiting_peers.remove(&number);
            self.unknown_parts.remove(&UnknownPart::PastSubscription(number));
            self.unknown_parts.remove(&UnknownPart::SubscriberCount(number));
        }
        if let Some(channel) = row_mut(&mut self.value, "streams", "stream_id", &id) {
            let keys: Vec<String> = channel.keys().cloned().collect();
            for key in keys {
                if let Some(value) = subscription.get(&key) {
                    channel.insert(key, value.clone());
                }
            }
        }
        put(&mut self.value, "subscriptions", "stream_id", subscription);
    }

    fn remove_subscription(&mut self, id: &Value) {
        let Some(mut subscription) = take(&mut self.value, "subscriptions", "stream_id", id) else { return };
        // Deletions of messages in this channel are not sent from now on.
        self.unknown_parts.insert(UnknownPart::NewestMessage);
        let subscriber = self.own_id.map(|own_id| self.subscriber_key(own_id));
        if let (Some(subscriber), Some(list)) = (subscriber, subscription.get_mut("subscribers")) {
            Self::change_subscribers(list, &subscriber, false);
        }
        // Guests see only the subscribers of web-public channels and of channels that they are subscribed to.
        let is_guest = self.value.get("is_guest").is_some_and(|is_guest| *is_guest == true);
        let hides_subscribers = is_guest && subscription.get("is_web_public") != Some(&Value::Bool(true));
        if hides_subscribers && let Some(list) = subscription.get_mut("subscribers") {
            *list = Value::Array(Vec::new());
        }
        add_to_subscriber_count(&mut subscription, -1);
        put(&mut self.value, "unsubscribed", "stream_id", subscription);
        if let Some(channel) = row_mut(&mut self.value, "streams", "stream_id", id) {
            add_to_subscriber_count(channel, -1);
        }
    }

    fn apply_peers(&mut self, event: &Value, adds: bool) {
        let mut user_ids = to_integers(&event["user_ids"]);
        user_ids.extend(event["user_id"].as_i64());
        let subscribers: Vec<Value> = user_ids.into_iter().map(|user_id| self.subscriber_key(user_id)).collect();
        for id in self.peer_channels(event) {
            // The count of a channel that has just become visible includes these users.
            let is_already_counted = self.channels_awaiting_peers.remove(&id) && adds;
            let changed_subscribers = subscribers.iter().filter(|subscriber| self.change_peer(id, subscriber, adds));
            let changed_count = changed_subscribers.count() as i64;
            if is_already_counted {
                continue;
            }
            for list in CHANNEL_LISTS {
                if let Some(channel) = row_mut(&mut self.value, list, "stream_id", &id.into()) {
                    add_to_subscriber_count(channel, if adds { changed_count } else { -changed_count });
                }
            }
        }
    }

    /// Adds a user to the subscribers of a channel or removes the user. Returns false if that changes nothing, and
    /// true if no list has the subscribers of the channel.
    fn change_peer(&mut self, channel_id: i64, subscriber: &Value, adds: bool) -> bool {
        let (mut has_subscriber_list, mut is_changed) = (false, false);
        for list in CHANNEL_LISTS {
            let channel = row_mut(&mut self.value, list, "stream_id", &channel_id.into());
            if let Some(subscribers) = channel.and_then(|channel| channel.get_mut("subscribers")) {
                has_subscriber_list = true;
                is_changed |= Self::change_subscribers(subscribers, subscriber, adds);
            }
        }
        is_changed || !has_subscriber_list
    }

    /// Adds a user to a list of subscribers or removes the user. Returns false if nothing changes.
    pub(super) fn change_subscribers(list: &mut Value, subscriber: &Value, adds: bool) -> bool {
        let Some(list) = list.as_array_mut() else { return false };
        let position = list.iter().position(|listed| listed == subscriber);
        match position {
            None if adds => {
                let index = list.partition_point(|listed| listed.as_i64() < subscriber.as_i64());
                list.insert(index, subscriber.clone());
            }
            Some(position) if !adds => _ = list.remove(position),
            _ => return false,
        }
        true
    }

    pub(super) fn reorder_folders(&mut self, event: &Value) {
        for (position, id) in event["order"].as_array().into_iter().flatten().enumerate() {
            if let Some(folder) = row_mut(&mut self.value, "channel_folders", "id", id) {
                folder.insert("order".into(), position.into());
            }
        }
    }
}

fn add_to_subscriber_count(channel: &mut Object, delta: i64) {
    if let Some(count) = channel.get_mut("subscriber_count") {
        *count = (count.as_i64().unwrap_or_default() + delta).into();
    }
}
