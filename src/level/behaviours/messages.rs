//! Messages, reactions, typing, uploads.

use crate::error::Error;
use crate::level::objects::{ATTACHMENT, MESSAGE, REACTION_EVENT, TYPING};
use crate::level::{Act, Behaviour, Context, Request};
use crate::realm::id::MessageId;
use serde_json::{Map, Value, json};

/// Operations that take the kind of a message.
const WITH_TYPE: &[&str] = &["POST /messages", "POST /scheduled_messages", "POST /typing"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 472,
        on: "attachment",
        words: "`message_ids` replaces `messages`, a list of `id` and `date_sent` (milliseconds).",
        test: "attachments_listed_messages_before_472",
        act: Act::Objects(&ATTACHMENT, message_ids_as_objects),
    },
    Behaviour {
        level: 443,
        on: "attachment",
        words: "`create_time` is in seconds; before, in milliseconds.",
        test: "attachments_counted_milliseconds_before_443",
        act: Act::Objects(&ATTACHMENT, |attachment, _| {
            if let Some(seconds) = attachment.get("create_time").and_then(Value::as_i64) {
                attachment.insert("create_time".into(), (seconds * 1000).into());
            }
        }),
    },
    Behaviour {
        level: 339,
        on: "event reaction",
        words: "The `user` object is back (until 483); it was left out from 328 on.",
        test: "reactions_had_no_user_from_328_to_338",
        act: Act::Objects(&REACTION_EVENT, |event, context| {
            if context.level >= 328 {
                event.shift_remove("user");
            }
        }),
    },
    Behaviour {
        level: 248,
        on: "POST /messages, POST /scheduled_messages, POST /typing",
        words: "`type` takes `channel`; before, `stream` alone.",
        test: "types_were_stream_before_248_and_private_before_174",
        act: Act::Request(WITH_TYPE, |request| refuse_type(request, "channel")),
    },
    Behaviour {
        level: 229,
        on: "POST /messages, PATCH /messages/{message_id}",
        words: "STREAM_WILDCARD_MENTION_NOT_ALLOWED; before, BAD_REQUEST.",
        test: "wildcards_were_a_bad_request_before_229",
        act: Act::Code { errors: &["ChannelWildcardNotAllowed"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 229,
        on: "POST /messages, PATCH /messages/{message_id}",
        words: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED; before, BAD_REQUEST.",
        test: "wildcards_were_a_bad_request_before_229",
        act: Act::Code { errors: &["TopicWildcardNotAllowed"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 215,
        on: "event typing",
        words: "The `message_type` of direct messages is `direct`; before, `private`.",
        test: "typing_named_channels_in_to_before_215",
        act: Act::Objects(&TYPING, |event, _| {
            if event.get("message_type").and_then(Value::as_str) == Some("direct") {
                event.insert("message_type".into(), "private".into());
            }
        }),
    },
    Behaviour {
        level: 215,
        on: "POST /typing",
        words: "`stream_id` names the channel, and `private` is no `type`; before, `to` held the channel's ID, and `private` was direct.",
        test: "typing_named_channels_in_to_before_215",
        act: Act::Request(&["POST /typing"], typing_to_channel),
    },
    Behaviour {
        level: 193,
        on: "POST /messages/{message_id}/reactions",
        words: "REACTION_ALREADY_EXISTS; before, BAD_REQUEST.",
        test: "reactions_were_a_bad_request_before_193",
        act: Act::Code { errors: &["ReactionAlreadyExists"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 193,
        on: "DELETE /messages/{message_id}/reactions",
        words: "REACTION_DOES_NOT_EXIST; before, BAD_REQUEST.",
        test: "reactions_were_a_bad_request_before_193",
        act: Act::Code { errors: &["ReactionDoesNotExist"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 190,
        on: "DELETE /realm/emoji/{emoji_name}",
        words: "404 for an unknown emoji; before, 400.",
        test: "an_unknown_emoji_was_400_before_190",
        act: Act::Code { errors: &["NoSuchCustomEmoji"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 174,
        on: "POST /messages, POST /scheduled_messages, POST /typing",
        words: "`type` takes `direct`; before, `private` alone.",
        test: "types_were_stream_before_248_and_private_before_174",
        act: Act::Request(WITH_TYPE, |request| refuse_type(request, "direct")),
    },
    Behaviour {
        level: 172,
        on: "PATCH /messages/{message_id}",
        words: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED with what may be moved; before, BAD_REQUEST.",
        test: "late_moves_were_a_bad_request_before_172",
        act: Act::Code { errors: &["MoveTimeLimitExceeded"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 152,
        on: "PATCH /messages/{message_id}",
        words: "`send_notification_to_old_thread` is false by default; before, true.",
        test: "the_old_topic_was_told_of_moves_before_152",
        act: Act::Request(&["PATCH /messages/{message_id}"], |request| {
            if request.level >= 9 {
                request.values.entry("send_notification_to_old_thread".into()).or_insert_with(|| "true".into());
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 46,
        on: "message",
        words: "`topic_links` holds objects; before, addresses.",
        test: "topic_links_were_texts_before_46",
        act: Act::Objects(&MESSAGE, |message, _| {
            if let Some(Value::Array(links)) = message.get_mut("topic_links") {
                links.iter_mut().for_each(|link| *link = link["url"].take());
            }
        }),
    },
];

fn message_ids_as_objects(attachment: &mut Map<String, Value>, context: &Context<'_>) {
    let Some(Value::Array(ids)) = attachment.shift_remove("message_ids") else { return };
    let sent = |id: i64| context.realm.messages.get(&MessageId(id)).map(|message| message.sent_at.seconds() * 1000);
    let objects = ids.iter().filter_map(Value::as_i64).map(|id| json!({"id": id, "date_sent": sent(id)}));
    attachment.insert("messages".into(), objects.collect());
}

/// Refuses a kind of message that the level does not have a word for.
fn refuse_type(request: &mut Request<'_>, word: &str) -> Result<(), Error> {
    match request.values.get("type") {
        Some(text) if text == word => Err(Error::InvalidValue { parameter: "type".into() }),
        _ => Ok(()),
    }
}

fn typing_to_channel(request: &mut Request<'_>) -> Result<(), Error> {
    match request.values.get("type").map(String::as_str) {
        Some("private") => {
            request.values.insert("type".into(), "direct".into());
        }
        Some("stream") => {
            let to = request.values.remove("to").unwrap_or_default();
            if let Ok(Value::Array(ids)) = serde_json::from_str(&to)
                && let [id] = ids.as_slice()
            {
                request.values.insert("stream_id".into(), id.to_string());
            }
        }
        _ => {}
    }
    Ok(())
}
