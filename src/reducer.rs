//! The state of a client, which starts from a register reply and follows the events since then.
//!
//! The implementation relies on the API documentation only, as a client's does. From the server it uses the table of
//! lists and their events, which is documented too, and the feature levels. Client developers can compare their own
//! state with it. The test suite uses it to check that events report every change of the server's state
//! (`tests/suite/properties.rs`).
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
//! Servers of older feature levels send some fields in other formats. They are supported according to the level in the
//! register reply, which is 0 if absent.
//!
//! No client can keep some parts of the state up to date: either never ([`NOT_KEPT`]), or not in certain states and
//! after certain events ([`UnknownPart`]). [`State::differences`] ignores both.

mod channels;
mod comparison;
mod devices;
mod dispatch;
mod emoji;
mod groups;
mod json;
mod lists;
mod mentions;
mod messages;
mod older_levels;
mod organization;
mod profile_fields;
mod restart;
mod rights;
mod status_and_presence;
mod user_settings;
mod user_topics;
mod users;

pub use comparison::Difference;

use json::Object;
use mentions::Mention;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The keys that events do not keep up to date, and the reasons. `*.` means the rows of any list.
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

/// A part of the state that the client cannot know until it registers again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnknownPart {
    /// Whether `max_message_id` is still right: the newest message was deleted or moved to another channel, or it may
    /// be in a channel that the user is not subscribed to, where deletions are not sent.
    NewestMessage,
    /// The recent direct conversations, after the newest message of one was deleted.
    RecentConversations,
    /// Whether unread messages count, because the user is not subscribed to their channel, or the policies for its
    /// topics are unknown.
    UnreadCount,
    /// Whether the unread message with this ID is listed as a mention: it may be a wildcard mention, which is listed
    /// only while its topic is not muted.
    Mention(i64),
    /// Whether the user was subscribed to the channel with this ID before it became visible, and with which settings.
    PastSubscription(i64),
    /// The older list of muted topics: it may have the name of a channel that this client cannot see, or the policies
    /// for topics of a channel are unknown.
    MutedTopics,
    /// The user's policies for topics of the channel with this ID, which is, was or may have been archived. They are
    /// listed only while it is not archived, and no event sends them again.
    UserTopics(i64),
    /// The default channels, after the user was a guest.
    DefaultChannels,
    /// The visible bots, after the user became an administrator or ceased to be one.
    Bots,
    /// The name of a bot's default channel that this client cannot see.
    BotChannels,
    /// Which email addresses the user can see, after the user's role changed.
    Addresses,
    /// The user's permissions, after the user's role changed, if the state does not have all keys from which they
    /// follow: older servers send only policies, which do not determine them.
    Rights,
    /// The whole state, after the user was deactivated for some time.
    Everything,
    /// The status and presence of the user with this ID, who became visible to a guest or was reactivated.
    StatusAndPresence(i64),
    /// Whether the user with this ID is away. Events do not send it for a user who had no status before.
    Away(i64),
    /// The number of subscribers of the channel with this ID, which guests do not learn if they are not subscribed.
    SubscriberCount(i64),
    /// The numbers of subscribers, after an active user was reported as active again. The same events are sent as for
    /// new subscriptions, and only lists of subscribers tell the difference.
    SubscriberCounts,
    /// The number of subscribers of the archived channel with this ID, after a user was deactivated. Levels 377 to 427
    /// do not send that the user was unsubscribed.
    ArchivedSubscriberCount(i64),
    /// The announcement channels, after one became invisible. Below level 315, archiving sends the same event and also
    /// resets the setting.
    AnnouncementChannels,
    /// Whether permissions of channels list the user with this ID, who was deactivated or reactivated.
    ChannelPermissionHolder(i64),
    /// Notification settings of subscriptions, after the inherited settings changed, in a client that does not support
    /// null.
    InheritedSettings,
    /// The order of channel folders, which levels 414 to 417 have but send no events for.
    OrderOfFolders,
    /// All unread messages, after messages were marked as unread. Below level 121, the event does not have their
    /// topics.
    UnreadMessages,
    /// Whether the channel with this ID still exists. Levels 315 to 377 send the same event for archived channels.
    ChannelExistence(i64),
}

/// The state of a client: a register reply, with the events since then folded into it.
#[derive(Clone, Debug)]
pub struct State {
    value: Object,
    own_id: Option<i64>,
    /// Whether the register reply lists subscribers of channels.
    has_subscribers: bool,
    /// Whether the client requested `client_gravatar`, so that URLs that it can compute are null.
    computes_avatars: bool,
    /// The subscriptions, active or not, to channels that became invisible, by the ID of the channel.
    former_subscriptions: BTreeMap<i64, Object>,
    /// Channels that became visible and have subscribers: their counts include those that the next `peer_add` names.
    channels_awaiting_peers: BTreeSet<i64>,
    /// Whether users are away, by ID, as far as the server has sent it. Users without a status are included.
    away: BTreeMap<String, bool>,
    /// The mentions in unread messages, by message ID.
    mentions: BTreeMap<i64, Mention>,
    /// The parts of the state that are not known at present.
    unknown_parts: BTreeSet<UnknownPart>,
}

impl State {
    /// Creates the state from a register reply. Keys that the reply does not have remain absent.
    pub fn from_register(reply: Value) -> Self {
        let value = json::into_object(reply);
        let own_id = value.get("user_id").and_then(Value::as_i64);
        let lists = ["subscriptions", "unsubscribed", "never_subscribed"];
        let has_subscribers = lists
            .iter()
            .filter_map(|list| value.get(*list)?.as_array())
            .flatten()
            .any(|row| row.get("subscribers").is_some() || row.get("partial_subscribers").is_some());
        let users = ["realm_users", "realm_non_active_users"];
        let computes_avatars = users
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
            computes_avatars,
            former_subscriptions: BTreeMap::new(),
            channels_awaiting_peers: BTreeSet::new(),
            away,
            mentions: BTreeMap::new(),
            unknown_parts: BTreeSet::new(),
        };
        state.mark_archived_topics_unknown();
        state.initialize_mentions();
        state.hide_subscribers_from_guest();
        state.mark_muted_topics_unknown();
        state.mark_bot_channels_unknown();
        state.mark_folder_order_unknown();
        // The deletion of the newest message is not sent to users who did not receive it.
        state.unknown_parts.insert(UnknownPart::NewestMessage);
        state
    }

    /// The current state, with the keys of the register reply.
    pub fn value(&self) -> &Object {
        &self.value
    }

    /// The parts of the state that are not known at present.
    pub fn unknown_parts(&self) -> &BTreeSet<UnknownPart> {
        &self.unknown_parts
    }

    /// Replaces the value of a key, unless the key is absent.
    fn replace(&mut self, key: &str, value: &Value) {
        if let Some(stored_value) = self.value.get_mut(key) {
            *stored_value = value.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn visible_addresses_are_unknown_after_a_change_of_role() {
        let reply = |address: Value| {
            let rows = [json!({"user_id": 3, "role": 300}), json!({"user_id": 6, "delivery_email": address})];
            json!({"user_id": 3, "is_admin": false, "realm_users": rows})
        };
        let mut state = State::from_register(reply(Value::Null));
        let mut later_reply = reply("gus@chat.test".into());
        assert_eq!(state.differences(&later_reply).len(), 1);

        assert!(state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 100}})));

        later_reply["realm_users"][0] = state.value()["realm_users"][0].clone();
        later_reply["is_owner"] = true.into();
        assert!(state.differences(&later_reply).iter().all(|difference| !difference.place.contains("delivery_email")));
    }

    #[test]
    fn owners_are_not_moderators_below_380() {
        for (level, is_moderator) in [(379, false), (380, true)] {
            let reply = json!({"service_feature_level": level, "user_id": 3, "is_moderator": true});
            let mut state = State::from_register(reply);
            state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 100}}));
            assert_eq!(state.value()["is_moderator"], is_moderator, "at {level}");
        }
    }

    #[test]
    fn nothing_is_known_after_a_deactivation() {
        let mut state = State::from_register(json!({"user_id": 3, "realm_name": "before"}));

        state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "is_active": true}}));

        assert_eq!(state.differences(&json!({"user_id": 3, "realm_name": "after"})), []);
    }

    #[test]
    fn rights_are_unknown_after_a_change_of_role_without_permissions() {
        let reply = |can_create: bool| json!({"user_id": 3, "can_create_streams": can_create, "is_admin": false});
        let mut state = State::from_register(reply(false));

        state.apply(&json!({"type": "realm_user", "op": "update", "person": {"user_id": 3, "role": 300}}));

        assert_eq!(state.differences(&reply(true)), []);
    }

    #[test]
    fn drafts_are_removed_when_synchronization_ends() {
        let mut state = State::from_register(json!({"drafts": [{"id": 1}], "user_settings": {}}));

        let event = json!({"property": "enable_drafts_synchronization", "value": false});
        state.apply_user_settings(&event);

        assert_eq!(state.value()["drafts"], json!([]));
    }

    #[test]
    fn default_channels_change_with_their_channels() {
        let before = json!({"stream_id": 1, "description": "before", "rendered_description": "<p>before</p>"});
        for default in [json!([before]), json!([1])] {
            let groups = [json!({"id": 1, "name": "new", "streams": default})];
            let reply = json!({"realm_default_streams": default, "realm_default_stream_groups": groups});
            let mut state = State::from_register(reply);
            for property in ["description", "unknown_property"] {
                let event = json!({
                    "stream_id": 1, "property": property, "value": "after", "rendered_description": "<p>after</p>",
                });
                assert!(state.apply_stream(&event, "update"));
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
    fn default_channels_of_bots_are_renamed() {
        let reply = |name: &str| {
            let bot = json!({"user_id": 8, "default_sending_stream": name, "default_events_register_stream": "quiet"});
            let channels = [json!({"stream_id": 1, "name": name}), json!({"stream_id": 2, "name": "quiet"})];
            json!({"realm_bots": [bot], "subscriptions": channels})
        };
        let mut state = State::from_register(reply("before"));

        let name = json!({"type": "stream", "op": "update", "stream_id": 1, "property": "name", "value": "after"});
        assert!(state.apply(&name));

        assert_eq!(Value::Object(state.value().clone()), reply("after"));
        assert!(state.unknown_parts().iter().eq([&UnknownPart::NewestMessage]));
        let change = json!({"user_id": 8, "default_sending_stream": null, "default_events_register_stream": "after"});
        assert!(state.apply(&json!({"type": "realm_bot", "op": "update", "bot": change})));
        assert_eq!(state.value()["realm_bots"][0], change);
        assert!(state.unknown_parts().iter().eq([&UnknownPart::NewestMessage]));
    }

    #[test]
    fn names_of_invisible_channels_of_bots_are_unknown() {
        let reply = |name: &str, channels: Value| json!({"realm_bots": [{"user_id": 8, "default_sending_stream": name}], "streams": channels});
        let channel = json!([{"stream_id": 1, "name": "before"}]);
        let deletion = json!({"type": "stream", "op": "delete", "stream_ids": [1]});
        let bot_update =
            json!({"type": "realm_bot", "op": "update", "bot": {"user_id": 8, "default_sending_stream": "x"}});
        for (channels, event) in
            [(json!([]), None), (channel.clone(), Some(deletion)), (channel.clone(), Some(bot_update))]
        {
            let mut state = State::from_register(reply("before", channels));
            assert!(event.iter().all(|event| state.apply(event)));

            assert!(state.unknown_parts().contains(&UnknownPart::BotChannels));
            let later_reply = reply("after", state.value()["streams"].clone());
            assert_eq!(state.differences(&later_reply), []);
            let other = json!({"realm_bots": [{"user_id": 9}], "streams": later_reply["streams"]});
            assert!(!state.differences(&other).is_empty());
        }
    }

    #[test]
    fn the_newest_message_may_be_deleted_while_invisible() {
        let mut state = State::from_register(json!({"max_message_id": 7}));

        assert!(state.apply(&json!({"type": "stream", "op": "delete", "streams": [{"stream_id": 3}]})));

        assert_eq!(state.differences(&json!({"max_message_id": 6})), []);
        assert_eq!(state.differences(&json!({"max_message_id": 8})).len(), 1);
    }

    #[test]
    fn starred_messages_may_be_deleted_without_an_event() {
        let state = State::from_register(json!({"starred_messages": [4, 7]}));

        assert_eq!(state.differences(&json!({"starred_messages": [7]})), []);
        assert_eq!(state.differences(&json!({"starred_messages": [4, 7, 9]})).len(), 1);
    }

    #[test]
    fn channels_outside_the_home_view_are_muted() {
        let row = json!({"stream_id": 3, "is_muted": false, "in_home_view": true});
        let mut state = State::from_register(json!({"service_feature_level": 138, "subscriptions": [row]}));

        let event = json!({"op": "update", "stream_id": 3, "property": "in_home_view", "value": false});
        assert!(state.apply_subscription(&event, "update"));

        let row = json!({"stream_id": 3, "is_muted": true, "in_home_view": false});
        assert_eq!(state.value()["subscriptions"][0], row);
    }
}
