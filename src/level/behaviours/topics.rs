//! Behaviours of topics: the empty topic, and the visibility policies of users.

use crate::api::parameter::types::recipients::MessageType;
use crate::error::Error;
use crate::level::objects::{
    EDIT_HISTORY_ENTRY, MESSAGE, MESSAGE_DELETE_EVENT, MESSAGE_DETAILS, MESSAGE_HISTORY_ENTRY, MESSAGE_UPDATE_EVENT,
    MUTED_TOPICS, REGISTER_REPLY, SCHEDULED_MESSAGE, TOPIC, TYPING_EVENT, UNREAD_MESSAGES, UNREAD_TOPIC, USER_TOPIC,
    USER_TOPIC_EVENT,
};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, ObjectKind, Request, narrow_term};
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::personal::VisibilityPolicy;
use crate::realm::topic::EMPTY_TOPIC_DISPLAY_NAME;
use serde_json::{Map, Value};

/// The name that the topic of messages without one had below level 334.
const NO_TOPIC: &str = "(no topic)";
/// Keys whose values are names of topics.
const TOPIC_KEYS: &[&str] = &["subject", "orig_subject", "topic", "prev_topic", "topic_name", "name"];
/// Operations that find a topic by its name or in a narrow.
const TOPIC_ROUTES: &[&str] = &[
    "POST /user_topics",
    "PATCH /users/me/subscriptions/muted_topics",
    "POST /streams/{stream_id}/delete_topic",
    "POST /mark_topic_as_read",
    "GET /messages",
    "GET /messages/matches_narrow",
    "POST /messages/flags/narrow",
    "POST /register",
];

/// Operations that send or move messages to a topic.
const SENDING_ROUTES: &[&str] = &[
    "POST /messages",
    "PATCH /messages/{message_id}",
    "POST /scheduled_messages",
    "PATCH /scheduled_messages/{scheduled_message_id}",
];

const EMPTY_TOPIC_DESCRIPTION: &str = "The name of the empty topic comes from `realm_empty_topic_display_name`; before, messages sent without a topic were in `(no topic)`.";
const EMPTY_TOPIC_TEST: &str = "messages_without_a_topic_were_in_no_topic_before_334";
const EMPTY_TOPIC_EVENTS_TEST: &str = "the_empty_topic_was_sent_as_no_topic";

/// A row that gives the empty topic its former name in objects of a kind. The empty topic is recognized by its display
/// name, which no other topic has. Policies for the empty topic apply to `(no topic)`.
const fn empty_topic_row(kind: &'static ObjectKind, test: &'static str) -> Behaviour {
    Behaviour {
        level: 334,
        subject: kind.name,
        description: EMPTY_TOPIC_DESCRIPTION,
        test,
        downgrade: Downgrade::Objects(kind, ChangedFields::Values, |object, _| {
            for name in TOPIC_KEYS {
                if let Some(Value::String(topic)) = object.get_mut(*name) {
                    rename_empty_topic(topic);
                }
            }
        }),
    }
}

pub(super) static ROWS: &[Behaviour] = &[
    empty_topic_row(&MESSAGE, EMPTY_TOPIC_TEST),
    empty_topic_row(&EDIT_HISTORY_ENTRY, EMPTY_TOPIC_TEST),
    empty_topic_row(&MESSAGE_HISTORY_ENTRY, EMPTY_TOPIC_TEST),
    empty_topic_row(&TOPIC, EMPTY_TOPIC_TEST),
    empty_topic_row(&USER_TOPIC, EMPTY_TOPIC_EVENTS_TEST),
    empty_topic_row(&USER_TOPIC_EVENT, EMPTY_TOPIC_TEST),
    empty_topic_row(&UNREAD_TOPIC, EMPTY_TOPIC_TEST),
    empty_topic_row(&TYPING_EVENT, EMPTY_TOPIC_EVENTS_TEST),
    empty_topic_row(&MESSAGE_UPDATE_EVENT, EMPTY_TOPIC_TEST),
    empty_topic_row(&MESSAGE_DETAILS, EMPTY_TOPIC_EVENTS_TEST),
    empty_topic_row(&MESSAGE_DELETE_EVENT, EMPTY_TOPIC_EVENTS_TEST),
    Behaviour {
        level: 334,
        subject: "scheduled message",
        description: EMPTY_TOPIC_DESCRIPTION,
        test: EMPTY_TOPIC_EVENTS_TEST,
        downgrade: Downgrade::Objects(&SCHEDULED_MESSAGE, ChangedFields::Values, |scheduled_message, _| {
            // Scheduled messages have the topic as it is stored, not its display name.
            match scheduled_message.get_mut("topic") {
                Some(Value::String(topic)) if topic.is_empty() => NO_TOPIC.clone_into(topic),
                _ => {}
            }
        }),
    },
    Behaviour {
        level: 334,
        subject: "muted topics",
        description: EMPTY_TOPIC_DESCRIPTION,
        test: EMPTY_TOPIC_TEST,
        downgrade: Downgrade::Objects(&MUTED_TOPICS, ChangedFields::Values, |object, _| {
            for row in object.get_mut("muted_topics").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(Value::String(topic)) = row.get_mut(1) {
                    rename_empty_topic(topic);
                }
            }
        }),
    },
    Behaviour {
        level: 334,
        subject: "operations that take a topic or a narrow",
        description: "The empty topic is called by its display name; before, `(no topic)` was a topic's name.",
        test: EMPTY_TOPIC_TEST,
        downgrade: Downgrade::RequestChange(TOPIC_ROUTES, |request| {
            convert_empty_topic(request);
            Ok(())
        }),
    },
    Behaviour {
        level: 334,
        subject: "operations that send or move messages",
        description: "The topic may be empty; before, `Topic can't be empty!`.",
        test: "topics_were_never_empty_before_334",
        downgrade: Downgrade::RefusalAfterParsing(SENDING_ROUTES, refuse_empty_topic),
    },
    Behaviour {
        level: 219,
        subject: "POST /user_topics",
        description: "`visibility_policy` takes 3, followed.",
        test: "topics_were_not_followed_before_219",
        downgrade: Downgrade::RequestChange(&["POST /user_topics"], |request| {
            match request.values.get("visibility_policy") {
                Some(policy) if policy == "3" => Err(Error::disallowed_value("visibility_policy")),
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 219,
        subject: "user topic",
        description: "`visibility_policy` may be 3, followed; older levels show followed topics as unmuted.",
        test: "topics_were_not_followed_before_219",
        downgrade: Downgrade::Objects(&USER_TOPIC, ChangedFields::Values, |topic, _| show_followed_as_unmuted(topic)),
    },
    Behaviour {
        level: 219,
        subject: "event user_topic",
        description: "`visibility_policy` may be 3, followed; older levels show followed topics as unmuted.",
        test: "topics_were_not_followed_before_219",
        downgrade: Downgrade::Objects(&USER_TOPIC_EVENT, ChangedFields::Values, |event, _| {
            show_followed_as_unmuted(event)
        }),
    },
    Behaviour {
        level: 213,
        subject: "unread messages",
        description: "`count` includes messages of unmuted and followed topics in muted channels, and `mentions` includes those that mention everyone; before, neither included messages of muted channels.",
        test: "unread_messages_of_muted_channels_did_not_count_before_213",
        downgrade: Downgrade::Objects(&UNREAD_MESSAGES, ChangedFields::Values, exclude_muted_channels),
    },
    Behaviour {
        level: 170,
        subject: "register reply",
        description: "`visibility_policy` of `user_topics` may be 2, unmuted; before, topics could only be muted.",
        test: "topics_were_not_unmuted_before_170",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, _| {
            if let Some(Value::Array(topics)) = reply.get_mut("user_topics") {
                topics.retain(|topic| topic["visibility_policy"] == VisibilityPolicy::Muted.number());
            }
        }),
    },
    Behaviour {
        level: 170,
        subject: "event user_topic",
        description: "`visibility_policy` may be 2, unmuted; before, topics could only be muted.",
        test: "topics_were_not_unmuted_before_170",
        downgrade: Downgrade::Objects(&USER_TOPIC_EVENT, ChangedFields::Values, |event, _| {
            let policy = event.get("visibility_policy").and_then(Value::as_i64);
            if policy == Some(VisibilityPolicy::Unmuted.number()) {
                event.insert("visibility_policy".into(), VisibilityPolicy::None.number().into());
            }
        }),
    },
    Behaviour {
        level: 1,
        subject: "muted topics",
        description: "Rows of `muted_topics` end with the time of muting; before, they had only the channel's name and the topic.",
        test: "muted_topics_had_no_time_before_1",
        downgrade: Downgrade::Objects(&MUTED_TOPICS, ChangedFields::Values, |object, _| {
            for row in object.get_mut("muted_topics").and_then(Value::as_array_mut).into_iter().flatten() {
                row.as_array_mut().into_iter().for_each(|row| row.truncate(2));
            }
        }),
    },
];

/// Refuses an empty topic of a message to a channel; direct messages have no topic.
fn refuse_empty_topic(request: &mut Request<'_>) -> Result<(), Error> {
    let topic = ["topic", "subject"].iter().find_map(|name| request.values.get(*name));
    let is_empty = topic.is_some_and(|topic| topic.trim().is_empty());
    if is_empty && request.path_value("scheduled_message_id").is_some() {
        return match super::parameter_order::scheduled_message_type(request)? {
            MessageType::Channel => Err(Error::TopicEmpty),
            MessageType::Direct => Ok(()),
        };
    }
    let is_direct = request.values.get("type").is_some_and(|kind| kind != "stream" && kind != "channel");
    if is_empty && !is_direct {
        return Err(Error::TopicEmpty);
    }
    Ok(())
}

/// Replaces the display name of the empty topic with its former name.
fn rename_empty_topic(topic: &mut String) {
    if topic == EMPTY_TOPIC_DISPLAY_NAME {
        NO_TOPIC.clone_into(topic);
    }
}

/// Converts `(no topic)` to the empty topic, in parameters and in narrows.
fn convert_empty_topic(request: &mut Request<'_>) {
    for name in ["topic", "topic_name"] {
        if let Some(topic) = request.values.get_mut(name).filter(|topic| *topic == NO_TOPIC) {
            topic.clear();
        }
    }
    let mentions_empty_topic = |text: &&mut String| text.contains(NO_TOPIC) || text.contains("\"\"");
    let Some(text) = request.values.get_mut("narrow").filter(mentions_empty_topic) else { return };
    let Ok(Value::Array(mut terms)) = serde_json::from_str(text) else { return };
    let mut is_changed = false;
    for term in &mut terms {
        if narrow_term::operator(term) != Some(&"topic".into()) {
            continue;
        }
        // Only direct messages had an empty topic, so an empty operand matched them.
        let (operator, operand) = match narrow_term::operand(term).and_then(Value::as_str) {
            Some(NO_TOPIC) => ("topic", ""),
            Some("") => ("is", "private"),
            _ => continue,
        };
        is_changed = true;
        narrow_term::set_operator(term, operator);
        narrow_term::set_operand(term, operand);
    }
    if is_changed {
        *text = Value::from(terms).to_string();
    }
}

/// Shows a followed topic as unmuted.
fn show_followed_as_unmuted(topic: &mut Map<String, Value>) {
    let policy = topic.get("visibility_policy").and_then(Value::as_i64);
    if policy == Some(VisibilityPolicy::Followed.number()) {
        topic.insert("visibility_policy".into(), VisibilityPolicy::Unmuted.number().into());
    }
}

fn exclude_muted_channels(unread_messages: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    let Some(caller) = context.caller else { return };
    let state = context.realm.user_state(caller.id);
    let is_unmuted_in_muted_channel = |id: &Value| {
        let message = id.as_i64().and_then(|id| context.realm.messages.get(&MessageId(id)));
        let Some((channel, topic)): Option<(ChannelId, _)> = message.and_then(|message| message.channel_and_topic())
        else {
            return false;
        };
        !state.is_topic_muted(channel, topic) && !state.has_unmuted_subscription(channel)
    };
    let topics = unread_messages.get("streams").and_then(Value::as_array).into_iter().flatten();
    let ids = topics.filter_map(|topic| topic["unread_message_ids"].as_array()).flatten();
    let excluded_count = ids.filter(|id| is_unmuted_in_muted_channel(id)).count();
    let count = unread_messages.get("count").and_then(Value::as_u64).unwrap_or_default();
    unread_messages.insert("count".into(), count.saturating_sub(excluded_count as u64).into());
    let mentions_caller = |id: &Value| {
        let message = id.as_i64().and_then(|id| context.realm.messages.get(&MessageId(id)));
        message.is_some_and(|message| message.mentions(caller.id))
    };
    if let Some(mentions) = unread_messages.get_mut("mentions").and_then(Value::as_array_mut) {
        mentions.retain(|id| mentions_caller(id) || !is_unmuted_in_muted_channel(id));
    }
}
