//! Formats and events of servers with older feature levels.

use super::channels::CHANNEL_LISTS;
use super::json::{Object, row, to_integers};
use super::users::{ADMINISTRATOR, GUEST, MEMBER, MODERATOR};
use super::{State, UnknownPart};
use crate::feature::Feature;
use serde_json::{Value, json};

/// The first level that lists archived channels for clients that request it.
const LISTS_ARCHIVED_SINCE: i64 = 315;
/// The first level that sends the archiving of a channel as a change. Older levels send it as the channel's deletion.
const SENDS_ARCHIVING_SINCE: i64 = 378;
/// Levels whose folders have an order, but that send no events about it.
const LEVELS_WITHOUT_FOLDER_ORDER_EVENTS: std::ops::Range<i64> = 414..418;

/// Settings whose value is the channel for a purpose, by their current and former names.
pub(super) const CHANNEL_PURPOSE_KEYS: [&str; 5] = [
    "realm_new_stream_announcements_stream_id",
    "realm_notifications_stream_id",
    "realm_service_update_announcements_stream_id",
    "realm_signup_announcements_stream_id",
    "realm_signup_notifications_stream_id",
];

impl State {
    fn level(&self) -> i64 {
        self.value.get("service_feature_level").and_then(Value::as_i64).unwrap_or(0)
    }

    /// Whether the server sends the deactivation of a user as `realm_user` or `realm_bot` with the op `remove`.
    pub(super) fn sends_deactivation_as_removal(&self) -> bool {
        !Feature::DeactivationIsUpdateEvent.is_at(self.level())
    }

    /// Below level 315, applies what archiving does without events: removes the unread messages of the channels, and
    /// resets settings whose value is one of them. `channel_ids` are those of an event `stream` with the op `delete`,
    /// which may also mean that the channels became invisible; then the settings keep their values, so that these are
    /// unknown.
    pub(super) fn clear_archived_channels(&mut self, channel_ids: &[i64]) {
        if self.level() >= LISTS_ARCHIVED_SINCE {
            return;
        }
        let rows = self.unread_list("streams").and_then(|rows| rows.as_array().cloned()).unwrap_or_default();
        let archived = rows.iter().filter(|row| row["stream_id"].as_i64().is_some_and(|id| channel_ids.contains(&id)));
        for message_id in archived.flat_map(|row| to_integers(&row["unread_message_ids"])) {
            self.remove_unread(message_id);
        }
        for key in CHANNEL_PURPOSE_KEYS {
            if self.value.get(key).and_then(Value::as_i64).is_some_and(|id| channel_ids.contains(&id)) {
                self.replace(key, &(-1).into());
                self.unknown_parts.insert(UnknownPart::AnnouncementChannels);
            }
        }
    }

    /// Whether the members of groups include deactivated users.
    pub(super) fn groups_include_deactivated_users(&self) -> bool {
        !Feature::OnlyActiveMembers.is_at(self.level())
    }

    /// Removes a deactivated user from those lists of subscribers about which the server sends no events: only levels
    /// from 377 on send them, and for archived channels only levels from 428 on.
    pub(super) fn unsubscribe_deactivated(&mut self, id: i64) {
        let level = self.level();
        if Feature::PeerRemoveInArchivedChannels.is_at(level) {
            return;
        }
        let subscriber = self.subscriber_key(id);
        let is_unsent =
            |channel: &&mut Value| !Feature::PeerRemoveOnDeactivation.is_at(level) || channel["is_archived"] == true;
        if Feature::PeerRemoveOnDeactivation.is_at(level) {
            self.mark_subscriber_counts_of_archived_unknown();
        }
        for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
            let channels = self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for subscribers in channels.filter(is_unsent).filter_map(|channel| channel.get_mut("subscribers")) {
                Self::change_subscribers(subscribers, &subscriber, false);
            }
        }
    }

    fn mark_subscriber_counts_of_archived_unknown(&mut self) {
        for list in CHANNEL_LISTS {
            let channels = self.value.get(list).and_then(Value::as_array).into_iter().flatten();
            let archived = channels.filter(|channel| channel["is_archived"] == true);
            let unknown_parts =
                archived.filter_map(|channel| channel["stream_id"].as_i64().map(UnknownPart::ArchivedSubscriberCount));
            self.unknown_parts.extend(unknown_parts);
        }
    }

    /// The role in a change of a user. None if it did not change. Levels below 7 have two booleans instead.
    pub(super) fn new_role(person: &Value) -> Option<i64> {
        let from_booleans = || match (person["is_admin"].as_bool()?, person["is_guest"].as_bool()?) {
            (true, _) => Some(ADMINISTRATOR),
            (false, true) => Some(GUEST),
            (false, false) => Some(MEMBER),
        };
        person["role"].as_i64().or_else(from_booleans)
    }

    pub(super) fn counts_as_moderator(&self, role: i64) -> bool {
        role == MODERATOR || role < MODERATOR && Feature::IsModeratorIncludesHigherRoles.is_at(self.level())
    }

    /// The key for the other user in unread messages of a one-to-one conversation.
    pub(super) fn partner_key(&self) -> &'static str {
        if Feature::UnreadDirectNamesOtherUser.is_at(self.level()) { "other_user_id" } else { "sender_id" }
    }

    /// Whether topics whose names differ only in case are listed separately in unread messages.
    pub(super) fn distinguishes_topic_case(&self) -> bool {
        !Feature::UnreadTopicsIgnoreCase.is_at(self.level())
    }

    /// Marks the unread messages as unknown, and returns true, if the server does not send the conversations of
    /// messages that were marked as unread.
    pub(super) fn mark_unread_unknown_if_unsent(&mut self) -> bool {
        let is_unknown = !Feature::FlagEventsHaveMessageDetails.is_at(self.level());
        if is_unknown {
            self.unknown_parts.insert(UnknownPart::UnreadMessages);
        }
        is_unknown
    }

    /// Whether the number of unread messages includes unmuted topics in muted channels.
    pub(super) fn counts_unmuted_topics(&self) -> bool {
        Feature::UnmutedTopicsCounted.is_at(self.level())
    }

    /// What lists of subscribers contain of the user with this ID: the ID or the email address.
    pub(super) fn subscriber_key(&self, id: i64) -> Value {
        if Feature::SubscribersById.is_at(self.level()) {
            return id.into();
        }
        let lists = ["realm_users", "realm_non_active_users", "cross_realm_bots"];
        let email =
            lists.into_iter().find_map(|list| row(&self.value, list, "user_id", &id.into())?.get("email").cloned());
        email.unwrap_or_default()
    }

    /// Replaces an email address in lists of subscribers (below level 79) and as the owner of bots (below level 5).
    pub(super) fn change_listed_addresses(&mut self, old_address: &Value, new_address: &Value) {
        for list in ["realm_users", "realm_non_active_users", "realm_bots"] {
            let users = self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for user in users.filter_map(Value::as_object_mut) {
                for key in ["owner", "bot_owner"] {
                    user.get_mut(key)
                        .filter(|owner| *owner == old_address)
                        .into_iter()
                        .for_each(|owner| *owner = new_address.clone());
                }
            }
        }
        if Feature::SubscribersById.is_at(self.level()) {
            return;
        }
        for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
            let channels = self.value.get_mut(list).and_then(Value::as_array_mut);
            let subscribers =
                channels.into_iter().flatten().filter_map(|channel| channel.get_mut("subscribers")?.as_array_mut());
            subscribers
                .flatten()
                .filter(|address| *address == old_address)
                .for_each(|address| *address = new_address.clone());
        }
    }

    /// Marks the existence of a deleted channel as unknown if it may be an archived one, which the server may still
    /// list.
    pub(super) fn mark_archived_unknown(&mut self, id: i64) {
        if (LISTS_ARCHIVED_SINCE..SENDS_ARCHIVING_SINCE).contains(&self.level()) {
            self.unknown_parts.insert(UnknownPart::ChannelExistence(id));
        }
    }

    /// Whether a visible channel is one of those in `streams`. Older levels do not list archived channels there.
    pub(super) fn belongs_in_streams(&self, channel: &Object) -> bool {
        channel.get("is_archived") != Some(&Value::Bool(true)) || self.level() >= SENDS_ARCHIVING_SINCE
    }

    /// Renames a channel in the legacy list of muted topics, which contains the names of channels.
    pub(super) fn rename_muted_topics(&mut self, old_name: &Value, new_name: &Value) {
        let muted = self.value.get_mut("muted_topics").and_then(Value::as_array_mut);
        let topics_of_channel = muted.into_iter().flatten().filter(|topic| topic[0] == *old_name);
        topics_of_channel.for_each(|topic| topic[0] = new_name.clone());
    }

    pub(super) fn mark_folder_order_unknown(&mut self) {
        if LEVELS_WITHOUT_FOLDER_ORDER_EVENTS.contains(&self.level()) {
            self.unknown_parts.insert(UnknownPart::OrderOfFolders);
        }
    }

    /// The records of a channel in the default channels and their groups, which contain records instead of IDs below
    /// level 330.
    pub(super) fn default_channel_records(&mut self, id: &Value) -> impl Iterator<Item = &mut Object> {
        let lists = self.value.iter_mut().filter_map(|(key, list)| match key.as_str() {
            "realm_default_streams" => list.as_array_mut().map(|channels| vec![channels]),
            "realm_default_stream_groups" => {
                let groups = list.as_array_mut()?.iter_mut();
                Some(groups.filter_map(|group| group.get_mut("streams")?.as_array_mut()).collect())
            }
            _ => None,
        });
        let channels = lists.flatten().flatten().filter_map(Value::as_object_mut);
        channels.filter(move |channel| channel.get("stream_id") == Some(id))
    }

    /// Applies an event of the types that preceded `user_settings`.
    pub(super) fn apply_former_setting(&mut self, event: &Value) {
        let name = event.get("setting_name").or_else(|| event.get("notification_name")).and_then(Value::as_str);
        if let Some(name) = name.map(str::to_owned) {
            self.mark_inherited_settings_unknown(&name);
            self.remove_unsynchronized_drafts(&name, &event["setting"]);
            self.replace(&name, &event["setting"]);
        }
    }

    /// Whether the legacy list of muted topics, which contains the names of channels, contains a topic.
    pub(super) fn is_muted_by_name(&self, channel: &Object, topic: &str) -> bool {
        let muted = self.value.get("muted_topics").and_then(Value::as_array).into_iter().flatten();
        let is_same_topic = |row: &Value| {
            Some(&row[0]) == channel.get("name")
                && row[1].as_str().is_some_and(|name| name.to_lowercase() == topic.to_lowercase())
        };
        muted.into_iter().any(is_same_topic)
    }

    /// The channels of a `peer_add` or `peer_remove` event. It has one channel ID below level 35, and a name below
    /// level 19.
    pub(super) fn peer_channels(&self, event: &Value) -> Vec<i64> {
        let name = event["name"].as_str().map(str::to_owned);
        let id_by_name = name.and_then(|name| {
            CHANNEL_LISTS
                .into_iter()
                .find_map(|list| row(&self.value, list, "name", &json!(name))?["stream_id"].as_i64())
        });
        let mut ids = to_integers(&event["stream_ids"]);
        ids.extend(event["stream_id"].as_i64().or(id_by_name));
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use serde_json::json;

    #[test]
    fn muted_topics_are_renamed_with_their_channels() {
        let mut state = State::from_register(json!({
            "streams": [{"stream_id": 1, "name": "general"}],
            "muted_topics": [["general", "lunch", 5], ["hidden", "lunch", 5]],
        }));

        let event = json!({"op": "update", "stream_id": 1, "property": "name", "value": "town"});
        assert!(state.apply_stream(&event, "update"));

        assert_eq!(state.value()["muted_topics"], json!([["town", "lunch", 5], ["hidden", "lunch", 5]]));
        let later_reply =
            json!({"streams": [{"stream_id": 1, "name": "town"}], "muted_topics": [["renamed", "lunch", 5]]});
        assert_eq!(state.differences(&later_reply), []);
    }

    #[test]
    fn visible_archived_channels_are_listed_from_378_on() {
        for (level, is_listed) in [(315, false), (377, false), (378, true)] {
            let mut state = State::from_register(json!({"service_feature_level": level, "streams": []}));
            let channel = json!({"stream_id": 7, "name": "attic", "is_archived": true});

            assert!(state.apply_stream(&json!({"op": "create", "streams": [channel.clone()]}), "create"));

            let channels = if is_listed { vec![channel] } else { vec![] };
            assert_eq!(state.value()["streams"], json!(channels), "at {level}");
        }
    }

    #[test]
    fn messages_of_muted_topics_do_not_count_as_unread() {
        let topic = json!({"stream_id": 1, "topic": "lunch", "unread_message_ids": [4, 5]});
        let mut state = State::from_register(json!({
            "subscriptions": [{"stream_id": 1, "name": "general", "in_home_view": true}],
            "muted_topics": [],
            "unread_msgs": {"count": 2, "streams": [topic], "pms": [], "huddles": [], "mentions": []},
        }));

        assert!(state.apply(&json!({"type": "muted_topics", "muted_topics": [["general", "lunch"]]})));

        assert_eq!(state.value()["unread_msgs"]["count"], 0);
    }

    #[test]
    fn the_order_of_folders_is_sent_from_418_on() {
        for (level, differences) in [(413, 1), (414, 0), (417, 0), (418, 1)] {
            let reply = |order: i64| json!({"service_feature_level": level, "channel_folders": [{"id": 1, "name": "x", "order": order}]});
            assert_eq!(State::from_register(reply(0)).differences(&reply(1)).len(), differences, "at {level}");
        }
    }
}
