//! What servers of older feature levels sent in other shapes.

use super::rows::{Object, numbers, row};
use super::{State, Unknowable};
use crate::feature::Feature;
use serde_json::{Value, json};

/// The first level that lists unread messages of topics whose names differ in case alone as those of one.
/// Levels that list archived channels for those who ask for it, and tell of archiving as of deleting.
const ARCHIVED_AS_DELETED: std::ops::Range<i64> = 315..378;
/// Levels whose folders have an order without events that tell of it.
const ORDER_OF_FOLDERS_UNTOLD: std::ops::Range<i64> = 414..418;

/// Settings that name a channel with a purpose, by all names that they had.
pub(super) const PURPOSES: [&str; 5] = [
    "realm_new_stream_announcements_stream_id",
    "realm_notifications_stream_id",
    "realm_service_update_announcements_stream_id",
    "realm_signup_announcements_stream_id",
    "realm_signup_notifications_stream_id",
];

impl State {
    /// The server's feature level.
    fn level(&self) -> i64 {
        self.value.get("service_feature_level").and_then(Value::as_i64).unwrap_or(0)
    }

    /// Whether `realm_user` and `realm_bot` remove are of somebody who was deactivated.
    pub(super) fn removes_deactivated(&self) -> bool {
        !Feature::DeactivationsSent.is_at(self.level())
    }

    /// Channels that are archived have nothing unread and no purpose any more, which nothing tells below 315.
    pub(super) fn bury(&mut self, channels: &[i64]) {
        if self.level() >= ARCHIVED_AS_DELETED.start {
            return;
        }
        let rows = self.unread("streams").and_then(|rows| rows.as_array().cloned()).unwrap_or_default();
        let lost = rows.iter().filter(|row| row["stream_id"].as_i64().is_some_and(|id| channels.contains(&id)));
        for message in lost.flat_map(|row| numbers(&row["unread_message_ids"])) {
            self.remove_unread(message);
        }
        for key in PURPOSES {
            if self.value.get(key).and_then(Value::as_i64).is_some_and(|id| channels.contains(&id)) {
                self.replace(key, &(-1).into());
                self.doubts.insert(Unknowable::Purposes);
            }
        }
    }

    /// Whether groups list members who are deactivated.
    pub(super) fn groups_keep_deactivated(&self) -> bool {
        !Feature::ActiveMembersAlone.is_at(self.level())
    }

    /// Who was deactivated is subscribed to nothing: events tell so from 377 on alone, of archived channels from 428 on.
    pub(super) fn leave_channels(&mut self, id: i64) {
        let level = self.level();
        if Feature::DeactivationLeavesArchived.is_at(level) {
            return;
        }
        let subscriber = self.as_subscriber(id);
        let is_untold =
            |channel: &&mut Value| !Feature::DeactivationLeaves.is_at(level) || channel["is_archived"] == true;
        if Feature::DeactivationLeaves.is_at(level) {
            self.doubt_counts_of_archived();
        }
        for list in ["subscriptions", "unsubscribed", "never_subscribed"] {
            let channels = self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for subscribers in channels.filter(is_untold).filter_map(|channel| channel.get_mut("subscribers")) {
                Self::change_subscribers(subscribers, &subscriber, false);
            }
        }
    }

    fn doubt_counts_of_archived(&mut self) {
        for list in ["streams", "subscriptions", "unsubscribed", "never_subscribed"] {
            let channels = self.value.get(list).and_then(Value::as_array).into_iter().flatten();
            let archived = channels.filter(|channel| channel["is_archived"] == true);
            let doubts =
                archived.filter_map(|channel| channel["stream_id"].as_i64().map(Unknowable::ArchivedSubscriberCount));
            self.doubts.extend(doubts);
        }
    }

    /// The role that a change tells: below 7 by two switches.
    pub(super) fn role_of(person: &Value) -> Option<i64> {
        let former = || match (person["is_admin"].as_bool()?, person["is_guest"].as_bool()?) {
            (true, _) => Some(200),
            (false, true) => Some(600),
            (false, false) => Some(400),
        };
        person["role"].as_i64().or_else(former)
    }

    /// Whether somebody with a role is called a moderator.
    pub(super) fn is_moderator(&self, role: i64) -> bool {
        role == 300 || role < 300 && Feature::ModeratorsAndAbove.is_at(self.level())
    }

    /// The key that says whose the unread messages of a conversation of two are.
    pub(super) fn partner_key(&self) -> &'static str {
        if !Feature::OtherUserNamed.is_at(self.level()) { "sender_id" } else { "other_user_id" }
    }

    /// Whether unread messages of topics whose names differ in case alone are listed apart.
    pub(super) fn lists_topics_by_case(&self) -> bool {
        !Feature::UnreadTopicsIgnoreCase.is_at(self.level())
    }

    /// Where messages that are unread again lie is not known.
    pub(super) fn is_unread_again(&mut self) -> bool {
        let is_unknown = !Feature::MessageDetails.is_at(self.level());
        if is_unknown {
            self.doubts.insert(Unknowable::Unread);
        }
        is_unknown
    }

    /// Whether messages of unmuted topics in muted channels count as unread.
    pub(super) fn counts_unmuted_topics(&self) -> bool {
        Feature::UnmutedTopicsCounted.is_at(self.level())
    }

    /// A user as lists of subscribers have them.
    pub(super) fn as_subscriber(&mut self, id: i64) -> Value {
        if Feature::SubscribersById.is_at(self.level()) {
            return id.into();
        }
        let lists = ["realm_users", "realm_non_active_users", "cross_realm_bots"];
        let found =
            lists.into_iter().find_map(|list| row(&mut self.value, list, "user_id", &id.into())?.get("email").cloned());
        found.unwrap_or_default()
    }

    /// Adds somebody to a list of subscribers, or takes them out; false when nothing changes.
    pub(super) fn change_subscribers(list: &mut Value, subscriber: &Value, is_added: bool) -> bool {
        let Some(list) = list.as_array_mut() else { return false };
        let place = list.iter().position(|other| other == subscriber);
        match place {
            None if is_added => {
                let at = list.partition_point(|other| other.as_i64() < subscriber.as_i64());
                list.insert(at, subscriber.clone());
            }
            Some(place) if !is_added => _ = list.remove(place),
            _ => return false,
        }
        true
    }

    /// Lists that hold addresses hold the new one: of subscribers below 79, of owners of bots below 5.
    pub(super) fn readdress_subscribers(&mut self, old: &Value, new: &Value) {
        for list in ["realm_users", "realm_non_active_users", "realm_bots"] {
            let bots = self.value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
            for bot in bots.filter_map(Value::as_object_mut) {
                for key in ["owner", "bot_owner"] {
                    bot.get_mut(key).filter(|owner| *owner == old).into_iter().for_each(|owner| *owner = new.clone());
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
            subscribers.flatten().filter(|other| *other == old).for_each(|other| *other = new.clone());
        }
    }

    /// A channel that is deleted may be an archived one, which is listed or not.
    pub(super) fn doubt_archived(&mut self, id: i64) {
        if ARCHIVED_AS_DELETED.contains(&self.level()) {
            self.doubts.insert(Unknowable::Archived(id));
        }
    }

    /// Whether `streams` has a channel that the user can see: it has archived ones from the end of that range on alone.
    pub(super) fn is_listed(&self, channel: &Object) -> bool {
        channel.get("is_archived") != Some(&Value::Bool(true)) || self.level() >= ARCHIVED_AS_DELETED.end
    }

    /// Muted topics are by their channels' names; where there are `user_topics`, the list is made of those again.
    pub(super) fn rename_muted_topics(&mut self, old: &Value, new: &Value) {
        let muted = self.value.get_mut("muted_topics").and_then(Value::as_array_mut);
        let of_channel = muted.into_iter().flatten().filter(|topic| topic[0] == *old);
        of_channel.for_each(|topic| topic[0] = new.clone());
    }

    /// Folders have an order of which no event tells.
    pub(super) fn doubt_order_of_folders(&mut self) {
        if ORDER_OF_FOLDERS_UNTOLD.contains(&self.level()) {
            self.doubts.insert(Unknowable::OrderOfFolders);
        }
    }

    /// A channel among those of new users and in their groups, which hold whole ones below 330, with fewer keys.
    pub(super) fn whole_default_channels(&mut self, id: &Value) -> impl Iterator<Item = &mut Object> {
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

    /// A setting as it was sent before `user_settings`, which may be there with it.
    pub(super) fn former_setting(&mut self, event: &Value) {
        let name = event.get("setting_name").or_else(|| event.get("notification_name")).and_then(Value::as_str);
        if let Some(name) = name.map(str::to_owned) {
            self.user_settings_inherited(&name);
            self.forget_drafts(&name, &event["setting"]);
            self.replace(&name, &event["setting"]);
        }
    }

    /// The names of channels whose topics are in the older list of muted ones, by `user_topics` or without.
    pub(super) fn is_muted_by_name(&self, channel: &Object, topic: &str) -> bool {
        let muted = self.value.get("muted_topics").and_then(Value::as_array).into_iter().flatten();
        let is_meant = |row: &Value| {
            Some(&row[0]) == channel.get("name")
                && row[1].as_str().is_some_and(|name| name.to_lowercase() == topic.to_lowercase())
        };
        muted.into_iter().any(is_meant)
    }

    /// Events of others' subscriptions name one channel and one user below 35, and the channel by its name below 19.
    pub(super) fn peer_channels(&mut self, event: &Value) -> Vec<i64> {
        let by_name = event["name"].as_str().map(str::to_owned);
        let named = by_name.and_then(|name| {
            let lists = ["streams", "subscriptions", "unsubscribed", "never_subscribed"];
            lists.into_iter().find_map(|list| row(&mut self.value, list, "name", &json!(name))?["stream_id"].as_i64())
        });
        let mut all = super::rows::numbers(&event["stream_ids"]);
        all.extend(event["stream_id"].as_i64().or(named));
        all
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
        assert!(state.stream(&event, "update"));

        assert_eq!(state.value()["muted_topics"], json!([["town", "lunch", 5], ["hidden", "lunch", 5]]));
        let later = json!({"streams": [{"stream_id": 1, "name": "town"}], "muted_topics": [["renamed", "lunch", 5]]});
        assert_eq!(state.differences(&later), []);
    }

    #[test]
    fn archived_channels_that_come_in_sight_are_listed_from_378_on() {
        for (level, is_listed) in [(315, false), (377, false), (378, true)] {
            let mut state = State::from_register(json!({"service_feature_level": level, "streams": []}));
            let channel = json!({"stream_id": 7, "name": "attic", "is_archived": true});

            assert!(state.stream(&json!({"op": "create", "streams": [channel.clone()]}), "create"));

            let channels = if is_listed { vec![channel] } else { vec![] };
            assert_eq!(state.value()["streams"], json!(channels), "at {level}");
        }
    }

    #[test]
    fn muted_topics_count_no_unread_messages() {
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
