//! What a client knows: a register reply with the events since then folded into it.
//!
//! Written against the API's documents alone, as a client would write it: it names nothing of the server but the table of
//! lists and their events, which says what the documents say. Client teams may use it to check their own; the test suite uses it to check that the server's events tell all that its
//! state does (`tests/suite/properties.rs`).
//!
//! ```
//! use chatdouble::reducer::State;
//! use serde_json::json;
//!
//! let mut state = State::from_register(json!({"alert_words": ["tea"]}));
//! assert!(state.apply(&json!({"type": "alert_words", "alert_words": ["tea", "cake"], "id": 0})));
//! assert_eq!(state.value()["alert_words"], json!(["tea", "cake"]));
//! assert!(state.differences(&json!({"alert_words": ["tea", "cake"]})).is_empty());
//! assert!(!state.differences(&json!({"alert_words": ["tea"]})).is_empty());
//! ```
//!
//! Servers of older feature levels sent some of it in other shapes, which are understood too, by the level that the
//! register reply names (none: level 0).
//!
//! Some things no client can keep up to date: for good ([`NOT_KEPT`]), or since an event that took away what nothing
//! tells again ([`Unknowable`]). [`State::differences`] leaves both out.

mod channels;
mod comparison;
mod lists;
mod mentions;
mod messages;
mod organization;
mod past;
mod rights;
mod rows;
mod users;

pub use comparison::Difference;

use mentions::Mention;
use rows::Object;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What events don't keep up to date, and why. A name with a dot is a key inside the rows of lists.
pub const NOT_KEPT: &[(&str, &str)] = &[
    ("queue_id", "names the queue, not the state"),
    ("last_event_id", "is a place in the queue, not state"),
    ("server_timestamp", "is the time of the reply"),
    ("presences", "events report only when a user comes back; the rest is fetched every minute by POST presence"),
    ("presence_last_update_id", "no event carries it"),
    ("*.stream_weekly_traffic", "is an average over time that no event carries"),
    ("*.is_recently_active", "follows from time"),
    ("*.first_message_id", "users get no events of messages in channels that they are not subscribed to"),
];

/// Something that the client knows it does not know any more, until it registers again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknowable {
    /// The newest message was deleted, or is perhaps in a channel that the user is not subscribed to, where its end is not
    /// sent: is an older one the newest now?
    NewestMessage,
    /// The newest message of a direct conversation was deleted: is there an older one?
    RecentConversations,
    /// Unread messages lie in a channel that this client does not see, so whether they count is not known.
    UnreadCount,
    /// Whether the unread message mentions everybody was not sent, since its topic was muted; or it was listed among the
    /// mentions, perhaps as one of everybody, and the topic is muted now.
    Mention(i64),
    /// The channel came into sight: whether the user was subscribed once, and with which settings, is not sent.
    PastSubscription(i64),
    /// Topics are muted in a channel that this client does not see, and the older list of them has its name.
    MutedTopics,
    /// The channel is archived, or was and may be in sight again: what the user said of its topics is listed while it is
    /// not archived, and not sent again.
    UserTopics(i64),
    /// The user is no guest any more: which channels new users get is not sent.
    DefaultChannels,
    /// The user became an administrator or is none any more: which bots they see from now on is not sent.
    Bots,
    /// A bot has a channel by default that this client does not see: what it is called now is not sent.
    BotChannels,
    /// The user's own role changed: whose addresses they see from now on is not sent.
    Addresses,
    /// The user's own role changed on a server that sends no permissions: what the user may do now is not sent, since
    /// the older policies say only roughly who holds one.
    Rights,
    /// The user was deactivated for a while: what happened meanwhile is not sent.
    Everything,
    /// A user came into a guest's sight or is active again: their status and presence are not sent.
    VisibleUsers(i64),
    /// A status began of somebody, and nothing says whether they are away: without a status that is not sent.
    Away(i64),
    /// A guest hears of subscribers only where subscribed: how many the channel has is not sent.
    SubscriberCount(i64),
    /// Somebody who was active is active again, which is sent like new subscriptions: without lists of subscribers it is not
    /// known how many there are.
    SubscriberCounts,
    /// Somebody was deactivated: from 377 to 427 it is not sent who was subscribed to an archived channel, so that how
    /// many it has is not known.
    ArchivedSubscriberCount(i64),
    /// A channel with a purpose went out of sight: below 315 the same is sent where it was archived, which ends the purpose.
    Purposes,
    /// A permission of a channel may list a user who came back: that is not sent.
    HolderOfChannels(i64),
    /// Settings that stand for inherited ones of subscriptions changed, in a client that does not understand null.
    InheritedSettings,
    /// From 414 to 417 folders of channels have an order, and another order is not sent.
    OrderOfFolders,
    /// Messages are unread again: below 121 it is not sent where they lie.
    Unread,
    /// The channel is gone or archived: from 315 to 377 the same is sent for both, and archived ones may be listed.
    Archived(i64),
}

/// A client's state.
#[derive(Clone, Debug)]
pub struct State {
    value: Object,
    own_id: Option<i64>,
    has_subscribers: bool,
    /// The client asked for `client_gravatar`: addresses that it can compute are left out.
    computes_pictures: bool,
    /// Subscriptions, active or not, of channels that went out of sight.
    past: BTreeMap<i64, Object>,
    /// Channels that came into sight and count subscribers who are not named yet: the next event names them.
    unnamed: BTreeSet<i64>,
    /// Whether users are away, as far as that was sent: those without a status too, by their IDs.
    away: BTreeMap<String, bool>,
    /// What is known of unread messages.
    mentions: BTreeMap<i64, Mention>,
    doubts: BTreeSet<Unknowable>,
}

impl State {
    /// The state as a register reply has it. Keys that the reply does not have are not kept.
    pub fn from_register(reply: Value) -> Self {
        let value = rows::object(reply);
        let own_id = value.get("user_id").and_then(Value::as_i64);
        let lists = ["subscriptions", "unsubscribed", "never_subscribed"];
        let has_subscribers = lists
            .iter()
            .filter_map(|list| value.get(*list)?.as_array())
            .flatten()
            .any(|row| row.get("subscribers").is_some() || row.get("partial_subscribers").is_some());
        let users = ["realm_users", "realm_non_active_users"];
        let computes_pictures = users
            .iter()
            .filter_map(|list| value.get(*list)?.as_array())
            .flatten()
            .any(|user| user.get("avatar_url").is_some_and(Value::is_null));
        let statuses = value.get("user_status").and_then(Value::as_object).into_iter().flatten();
        let away = statuses.map(|(id, status)| (id.clone(), status["away"] == true)).collect();
        let mut state = Self {
            value,
            own_id,
            has_subscribers,
            computes_pictures,
            past: BTreeMap::new(),
            unnamed: BTreeSet::new(),
            away,
            mentions: BTreeMap::new(),
            doubts: BTreeSet::new(),
        };
        state.doubt_archived_topics();
        state.note_mentions();
        state.doubt_counts_of_guests();
        state.doubt_muted_topics();
        state.doubt_bot_channels();
        state.doubt_order_of_folders();
        // Users who read a message that they did not receive get no event of its deletion.
        state.doubts.insert(Unknowable::NewestMessage);
        state
    }

    /// The state now.
    pub fn value(&self) -> &Object {
        &self.value
    }

    /// What is not known any more.
    pub fn doubts(&self) -> &BTreeSet<Unknowable> {
        &self.doubts
    }

    /// Folds an event in; events must come in the order of their ids. False: events of this type or with this `op`
    /// are not known, and a client does well to register again.
    pub fn apply(&mut self, event: &Value) -> bool {
        let op = event["op"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "message" => self.message(event),
            "update_message" => self.update_message(event),
            "delete_message" => self.delete_message(event),
            "update_message_flags" => {
                // The key's name before 32.
                let op = event["op"].as_str().or(event["operation"].as_str()).unwrap_or_default();
                return self.update_message_flags(event, op);
            }
            "stream" => return self.stream(event, op),
            "subscription" => return self.subscription(event, op),
            "realm_user" => return self.realm_user(event, op),
            "realm_bot" => return self.realm_bot(event, op),
            "user_group" => return self.user_group(event, op),
            "user_status" => self.user_status(event),
            "presence" => self.presence(event),
            "user_settings" => self.user_settings(event),
            "update_display_settings" | "update_global_notifications" => self.former_setting(event),
            "realm" => return self.realm(event, op),
            "realm_user_settings_defaults" => self.user_settings_defaults(event),
            "realm_emoji" => return self.realm_emoji(event, op),
            "restart" => self.restart(event),
            kind => return self.own_list(kind, event, op),
        }
        true
    }

    /// Puts another value in the place of a whole key that is kept.
    fn replace(&mut self, key: &str, value: &Value) {
        if let Some(place) = self.value.get_mut(key) {
            *place = value.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn another_role_of_ones_own_leaves_open_whose_addresses_one_sees() {
        let state = |address: Value| {
            let rows = [json!({"user_id": 3, "role": 300}), json!({"user_id": 6, "delivery_email": address})];
            json!({"user_id": 3, "is_admin": false, "realm_users": rows})
        };
        let mut folded = State::from_register(state(Value::Null));
        let mut later = state("gus@chat.test".into());
        assert_eq!(folded.differences(&later).len(), 1);

        assert!(folded.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 100}})));

        later["realm_users"][0] = folded.value()["realm_users"][0].clone();
        later["is_owner"] = true.into();
        assert!(folded.differences(&later).iter().all(|one| !one.place.contains("delivery_email")));
    }

    #[test]
    fn those_above_moderators_are_none_below_380() {
        for (level, is_moderator) in [(379, false), (380, true)] {
            let reply = json!({"service_feature_level": level, "user_id": 3, "is_moderator": true});
            let mut state = State::from_register(reply);
            state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 100}}));
            assert_eq!(state.value()["is_moderator"], is_moderator, "at {level}");
        }
    }

    #[test]
    fn who_was_deactivated_for_a_while_knows_nothing_for_certain() {
        let mut state = State::from_register(json!({"user_id": 3, "realm_name": "before"}));

        state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "is_active": true}}));

        assert_eq!(state.differences(&json!({"user_id": 3, "realm_name": "after"})), []);
    }

    #[test]
    fn what_another_role_may_do_is_open_where_no_permissions_are_sent() {
        let reply = |may: bool| json!({"user_id": 3, "can_create_streams": may, "is_admin": false});
        let mut state = State::from_register(reply(false));

        state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 300}}));

        assert_eq!(state.differences(&reply(true)), []);
    }

    #[test]
    fn drafts_are_gone_when_they_are_not_synchronized_any_more() {
        let mut state = State::from_register(json!({"drafts": [{"id": 1}], "user_settings": {}}));

        let event = json!({"property": "enable_drafts_synchronization", "value": false});
        state.user_settings(&event);

        assert_eq!(state.value()["drafts"], json!([]));
    }

    #[test]
    fn the_channels_of_new_users_change_as_channels_do() {
        let before = json!({"stream_id": 1, "description": "before", "rendered_description": "<p>before</p>"});
        for default in [json!([before]), json!([1])] {
            let groups = [json!({"id": 1, "name": "new", "streams": default})];
            let reply = json!({"realm_default_streams": default, "realm_default_stream_groups": groups});
            let mut state = State::from_register(reply);
            for property in ["description", "of_later"] {
                let event = json!({
                    "stream_id": 1, "property": property, "value": "after", "rendered_description": "<p>after</p>",
                });
                assert!(state.stream(&event, "update"));
            }
            let lists =
                [&state.value()["realm_default_streams"], &state.value()["realm_default_stream_groups"][0]["streams"]];
            let after = json!({"stream_id": 1, "description": "after", "rendered_description": "<p>after</p>"});
            for list in lists {
                assert!(list[0] == 1 || list[0] == after, "{list}");
            }
        }
    }

    #[test]
    fn bots_follow_what_their_channels_are_called() {
        let reply = |name: &str| {
            let bot = json!({"user_id": 8, "default_sending_stream": name, "default_events_register_stream": "quiet"});
            let channels = [json!({"stream_id": 1, "name": name}), json!({"stream_id": 2, "name": "quiet"})];
            json!({"realm_bots": [bot], "subscriptions": channels})
        };
        let mut state = State::from_register(reply("before"));

        let name = json!({"type": "stream", "op": "update", "stream_id": 1, "property": "name", "value": "after"});
        assert!(state.apply(&name));

        assert_eq!(Value::Object(state.value().clone()), reply("after"));
        assert!(state.doubts().iter().eq([&Unknowable::NewestMessage]));
        let change = json!({"user_id": 8, "default_sending_stream": null, "default_events_register_stream": "after"});
        assert!(state.apply(&json!({"type": "realm_bot", "op": "update", "bot": change})));
        assert_eq!(state.value()["realm_bots"][0], change);
        assert!(state.doubts().iter().eq([&Unknowable::NewestMessage]));
    }

    #[test]
    fn what_a_bots_channel_is_called_out_of_sight_is_open() {
        let reply = |name: &str, channels: Value| json!({"realm_bots": [{"user_id": 8, "default_sending_stream": name}], "streams": channels});
        let channel = json!([{"stream_id": 1, "name": "before"}]);
        let lose = json!({"type": "stream", "op": "delete", "stream_ids": [1]});
        let hear = json!({"type": "realm_bot", "op": "update", "bot": {"user_id": 8, "default_sending_stream": "x"}});
        for (channels, event) in [(json!([]), None), (channel.clone(), Some(lose)), (channel.clone(), Some(hear))] {
            let mut state = State::from_register(reply("before", channels));
            assert!(event.iter().all(|event| state.apply(event)));

            assert!(state.doubts().contains(&Unknowable::BotChannels));
            let later = reply("after", state.value()["streams"].clone());
            assert_eq!(state.differences(&later), []);
            let other = json!({"realm_bots": [{"user_id": 9}], "streams": later["streams"]});
            assert!(!state.differences(&other).is_empty());
        }
    }

    #[test]
    fn the_newest_message_may_be_deleted_where_it_is_out_of_sight() {
        let mut state = State::from_register(json!({"max_message_id": 7}));

        assert!(state.apply(&json!({"type": "stream", "op": "delete", "streams": [{"stream_id": 3}]})));

        assert_eq!(state.differences(&json!({"max_message_id": 6})), []);
        assert_eq!(state.differences(&json!({"max_message_id": 8})).len(), 1);
    }

    #[test]
    fn starred_messages_may_be_deleted_where_that_is_not_sent() {
        let state = State::from_register(json!({"starred_messages": [4, 7]}));

        assert_eq!(state.differences(&json!({"starred_messages": [7]})), []);
        assert_eq!(state.differences(&json!({"starred_messages": [4, 7, 9]})).len(), 1);
    }

    #[test]
    fn a_channel_out_of_the_home_view_is_muted() {
        let row = json!({"stream_id": 3, "is_muted": false, "in_home_view": true});
        let mut state = State::from_register(json!({"service_feature_level": 138, "subscriptions": [row]}));

        let event = json!({"op": "update", "stream_id": 3, "property": "in_home_view", "value": false});
        assert!(state.subscription(&event, "update"));

        let row = json!({"stream_id": 3, "is_muted": true, "in_home_view": false});
        assert_eq!(state.value()["subscriptions"][0], row);
    }
}
