//! Topics: the empty one, and what users say of them.

use crate::api::parameter::types::recipients::MessageType;
use crate::error::Error;
use crate::level::objects::{
    DELETE_EVENT, EDIT, MESSAGE, MESSAGE_DETAILS, MESSAGE_UPDATE, MUTED_TOPICS, REGISTER, SCHEDULED, SNAPSHOT, TOPIC,
    TYPING, UNREAD, UNREAD_TOPIC, USER_TOPIC, USER_TOPIC_EVENT,
};
use crate::level::{Behaviour, Context, Downgrade, Object, Request};
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::personal::VisibilityPolicy;
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use serde_json::{Map, Value};

/// What a topic was called that nobody had named.
const NO_TOPIC: &str = "(no topic)";
/// Keys that hold a topic's name.
const NAMES: &[&str] = &["subject", "orig_subject", "topic", "prev_topic", "topic_name", "name"];
/// Operations that take a topic's name, and those that take a narrow.
const NAMING: &[&str] = &[
    "POST /user_topics",
    "PATCH /users/me/subscriptions/muted_topics",
    "POST /streams/{stream_id}/delete_topic",
    "POST /mark_topic_as_read",
    "GET /messages",
    "GET /messages/matches_narrow",
    "POST /messages/flags/narrow",
    "POST /register",
];

/// Operations that put a message into a topic.
const SENDING: &[&str] = &[
    "POST /messages",
    "PATCH /messages/{message_id}",
    "POST /scheduled_messages",
    "PATCH /scheduled_messages/{scheduled_message_id}",
];

const EMPTY_TOPIC_WORDS: &str = "The name of the empty topic comes from `realm_empty_topic_display_name`; before, messages sent without a topic were in `(no topic)`.";
const EMPTY_TOPIC_TEST: &str = "messages_without_a_topic_were_in_no_topic_before_334";
const EMPTY_TOPIC_EVENTS_TEST: &str = "the_empty_topic_was_no_topic_wherever_it_is_sent";

/// The older name of the empty topic in objects of a kind: the display name is no other topic's (A-330 for what users say
/// of it).
const fn empty_topic_in(object: &'static Object, test: &'static str) -> Behaviour {
    Behaviour {
        level: 334,
        on: object.name,
        words: EMPTY_TOPIC_WORDS,
        test,
        act: Downgrade::Objects(object, |object, _| {
            for name in NAMES {
                if let Some(Value::String(topic)) = object.get_mut(*name) {
                    rename(topic);
                }
            }
        }),
    }
}

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 333,
        on: "POST /streams/{stream_id}/delete_topic",
        words: "What users said of the topic is forgotten, with `muted_topics` and `user_topic`.",
        test: "policies_outlived_their_topic_before_333",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 267,
        on: "PATCH /messages/{message_id}",
        words: "A notice says that a topic is resolved if nothing else of its name changes; before, also if the rest of the name changed.",
        test: "topics_with_another_name_were_marked_before_267",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    empty_topic_in(&MESSAGE, EMPTY_TOPIC_TEST),
    empty_topic_in(&EDIT, EMPTY_TOPIC_TEST),
    empty_topic_in(&SNAPSHOT, EMPTY_TOPIC_TEST),
    empty_topic_in(&TOPIC, EMPTY_TOPIC_TEST),
    empty_topic_in(&USER_TOPIC, EMPTY_TOPIC_EVENTS_TEST),
    empty_topic_in(&USER_TOPIC_EVENT, EMPTY_TOPIC_TEST),
    empty_topic_in(&UNREAD_TOPIC, EMPTY_TOPIC_TEST),
    empty_topic_in(&TYPING, EMPTY_TOPIC_EVENTS_TEST),
    empty_topic_in(&MESSAGE_UPDATE, EMPTY_TOPIC_TEST),
    empty_topic_in(&MESSAGE_DETAILS, EMPTY_TOPIC_EVENTS_TEST),
    empty_topic_in(&DELETE_EVENT, EMPTY_TOPIC_EVENTS_TEST),
    Behaviour {
        level: 334,
        on: "scheduled message",
        words: EMPTY_TOPIC_WORDS,
        test: EMPTY_TOPIC_EVENTS_TEST,
        act: Downgrade::Objects(&SCHEDULED, |scheduled, _| match scheduled.get_mut("topic") {
            Some(Value::String(topic)) if topic.is_empty() => NO_TOPIC.clone_into(topic),
            _ => {}
        }),
    },
    Behaviour {
        level: 334,
        on: "muted topics",
        words: EMPTY_TOPIC_WORDS,
        test: EMPTY_TOPIC_TEST,
        act: Downgrade::Objects(&MUTED_TOPICS, |object, _| {
            for row in object.get_mut("muted_topics").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(Value::String(topic)) = row.get_mut(1) {
                    rename(topic);
                }
            }
        }),
    },
    Behaviour {
        level: 372,
        on: "POST /typing",
        words: "`(no topic)` means the empty topic; from 334 on and before, a topic of that name.",
        test: "no_topic_was_a_name_where_messages_are_sent_before_370_and_typed_before_372",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 370,
        on: "POST /messages, POST /scheduled_messages",
        words: "`(no topic)` means the empty topic; from 334 on and before, a topic of that name.",
        test: "no_topic_was_a_name_where_messages_are_sent_before_370_and_typed_before_372",
        // Decided where messages are sent.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 334,
        on: "operations that take a topic or a narrow",
        words: "The empty topic is called by its display name; before, `(no topic)` was a topic's name.",
        test: EMPTY_TOPIC_TEST,
        act: Downgrade::Request(NAMING, |request| {
            name_empty_topic(request);
            Ok(())
        }),
    },
    Behaviour {
        level: 334,
        on: "operations that send or move messages",
        words: "The topic may be empty; before, `Topic can't be empty!`.",
        test: "topics_were_never_empty_before_334",
        act: Downgrade::Refuse(SENDING, refuse_empty_topic),
    },
    Behaviour {
        level: 219,
        on: "POST /user_topics",
        words: "`visibility_policy` takes 3, followed.",
        test: "topics_were_not_followed_before_219",
        act: Downgrade::Request(&["POST /user_topics"], |request| match request.values.get("visibility_policy") {
            Some(policy) if policy == "3" => Err(Error::not_possible("visibility_policy")),
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 219,
        on: "user topic",
        words: "`visibility_policy` may be 3, followed; older levels show followed topics as unmuted.",
        test: "topics_were_not_followed_before_219",
        act: Downgrade::Objects(&USER_TOPIC, |topic, _| unmuted_at_most(topic)),
    },
    Behaviour {
        level: 219,
        on: "event user_topic",
        words: "`visibility_policy` may be 3, followed; older levels show followed topics as unmuted.",
        test: "topics_were_not_followed_before_219",
        act: Downgrade::Objects(&USER_TOPIC_EVENT, |event, _| unmuted_at_most(event)),
    },
    Behaviour {
        level: 213,
        on: "unread messages",
        words: "`count` includes messages of unmuted and followed topics in muted channels, and `mentions` includes those that mention everyone; before, neither included messages of muted channels.",
        test: "unread_messages_of_muted_channels_did_not_count_before_213",
        act: Downgrade::Objects(&UNREAD, without_muted_channels),
    },
    Behaviour {
        level: 170,
        on: "register reply",
        words: "`visibility_policy` of `user_topics` may be 2, unmuted; before, topics could only be muted.",
        test: "topics_were_not_unmuted_before_170",
        act: Downgrade::Objects(&REGISTER, |reply, _| {
            if let Some(Value::Array(topics)) = reply.get_mut("user_topics") {
                topics.retain(|topic| topic["visibility_policy"] == VisibilityPolicy::Muted.number());
            }
        }),
    },
    Behaviour {
        level: 170,
        on: "event user_topic",
        words: "`visibility_policy` may be 2, unmuted; before, topics could only be muted.",
        test: "topics_were_not_unmuted_before_170",
        act: Downgrade::Objects(&USER_TOPIC_EVENT, |event, _| {
            let policy = event.get("visibility_policy").and_then(Value::as_i64);
            if policy == Some(VisibilityPolicy::Unmuted.number()) {
                event.insert("visibility_policy".into(), VisibilityPolicy::None.number().into());
            }
        }),
    },
    Behaviour {
        level: 169,
        on: "PATCH /users/me/subscriptions/muted_topics",
        words: "Muting a topic again is not an error; before, `Topic already muted`.",
        test: "topics_were_not_muted_twice_before_169",
        // Decided in the operation, which finds the channel by its ID or name.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 134,
        on: "event muted_topics",
        words: "Sent only to queues without `user_topic`; before, these were the only events about topics.",
        test: "muted_topics_were_sent_whole_before_134",
        // Whether a queue gets an event is decided where events are counted: Needs::NoUserTopics.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 1,
        on: "muted topics",
        words: "Rows of `muted_topics` end with the time of muting; before, they had only the channel's name and the topic.",
        test: "muted_topics_had_no_time_before_1",
        act: Downgrade::Objects(&MUTED_TOPICS, |object, _| {
            for row in object.get_mut("muted_topics").and_then(Value::as_array_mut).into_iter().flatten() {
                row.as_array_mut().into_iter().for_each(|row| row.truncate(2));
            }
        }),
    },
];

/// Only messages to channels have topics. Whether a scheduled one is of these is known when it is found.
fn refuse_empty_topic(request: &mut Request<'_>) -> Result<(), Error> {
    let topic = ["topic", "subject"].iter().find_map(|name| request.values.get(*name));
    let is_empty = topic.is_some_and(|topic| topic.trim().is_empty());
    if is_empty && request.part("scheduled_message_id").is_some() {
        return match super::order::scheduled_kind(request)? {
            MessageType::Channel => Err(Error::TopicEmpty),
            MessageType::Direct => Ok(()),
        };
    }
    let goes_to_people = request.values.get("type").is_some_and(|kind| kind != "stream" && kind != "channel");
    if is_empty && !goes_to_people {
        return Err(Error::TopicEmpty);
    }
    Ok(())
}

fn rename(topic: &mut String) {
    if topic == EMPTY_TOPIC_DISPLAY_NAME {
        NO_TOPIC.clone_into(topic);
    }
}

fn name_empty_topic(request: &mut Request<'_>) {
    for name in ["topic", "topic_name"] {
        if let Some(topic) = request.values.get_mut(name).filter(|topic| *topic == NO_TOPIC) {
            topic.clear();
        }
    }
    let is_about = |text: &&mut String| text.contains(NO_TOPIC) || text.contains("\"\"");
    let Some(text) = request.values.get_mut("narrow").filter(is_about) else { return };
    let Ok(Value::Array(mut terms)) = serde_json::from_str(text) else { return };
    let mut is_changed = false;
    for term in &mut terms {
        let is_list = term.is_array();
        let part = |key: &str, place: usize| if is_list { term.get(place) } else { term.get(key) };
        if part("operator", 0) != Some(&"topic".into()) {
            continue;
        }
        // Messages between people alone had no topic at all.
        let (operator, operand) = match part("operand", 1).and_then(Value::as_str) {
            Some(NO_TOPIC) => ("topic", ""),
            Some("") => ("is", "private"),
            _ => continue,
        };
        is_changed = true;
        set_part(term, is_list, "operator", 0, operator);
        set_part(term, is_list, "operand", 1, operand);
    }
    if is_changed {
        *text = Value::from(terms).to_string();
    }
}

fn set_part(term: &mut Value, is_list: bool, key: &str, place: usize, text: &str) {
    let part = if is_list { &mut term[place] } else { &mut term[key] };
    *part = text.into();
}

/// A followed topic as an unmuted one.
fn unmuted_at_most(topic: &mut Map<String, Value>) {
    let policy = topic.get("visibility_policy").and_then(Value::as_i64);
    if policy == Some(VisibilityPolicy::Followed.number()) {
        topic.insert("visibility_policy".into(), VisibilityPolicy::Unmuted.number().into());
    }
}

fn without_muted_channels(unread: &mut Map<String, Value>, context: &Context<'_>) {
    let Some(caller) = context.caller else { return };
    let own = context.realm.user_state(caller.id);
    let is_heard_by_topic = |id: &Value| {
        let message = id.as_i64().and_then(|id| context.realm.messages.get(&MessageId(id)));
        let Some((channel, topic)): Option<(ChannelId, _)> = message.and_then(|message| message.channel()) else {
            return false;
        };
        !own.is_topic_muted(channel, topic) && !own.hears(channel)
    };
    let shelves = unread.get("streams").and_then(Value::as_array).into_iter().flatten();
    let ids = shelves.filter_map(|shelf| shelf["unread_message_ids"].as_array()).flatten();
    let fewer = ids.filter(|id| is_heard_by_topic(id)).count();
    let count = unread.get("count").and_then(Value::as_u64).unwrap_or_default();
    unread.insert("count".into(), count.saturating_sub(fewer as u64).into());
    let is_meant = |id: &Value| {
        let message = id.as_i64().and_then(|id| context.realm.messages.get(&MessageId(id)));
        message.is_some_and(|message| message.mentions(caller.id))
    };
    if let Some(mentions) = unread.get_mut("mentions").and_then(Value::as_array_mut) {
        mentions.retain(|id| is_meant(id) || !is_heard_by_topic(id));
    }
}
