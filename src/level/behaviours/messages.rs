//! Messages, reactions, typing.

use crate::error::Error;
use crate::level::objects::{EDIT, MESSAGE, MESSAGE_UPDATE, REACTION_EVENT, TYPING};
use crate::level::{Behaviour, Context, Downgrade, Request};
use crate::realm::id::MessageId;
use serde_json::{Map, Value, json};

/// Operations that take the kind of a message.
const WITH_TYPE: &[&str] =
    &["POST /messages", "POST /scheduled_messages", "PATCH /scheduled_messages/{scheduled_message_id}", "POST /typing"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 511,
        on: "POST /messages/{message_id}/report",
        words: "Refused where the report cannot be sent to the channel for moderation requests; before, the reply was a success.",
        test: "reports_that_could_not_be_sent_succeeded_before_511",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 509,
        on: "PATCH /messages/{message_id}",
        words: "`stream_id` of the channel in which the message is moves nothing; before, it was a move between channels.",
        test: "the_same_channel_was_a_move_before_509",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 505,
        on: "PATCH /messages/{message_id}",
        words: "With `change_all`, MOVE_MESSAGES_TIME_LIMIT_EXCEEDED for a message past the time limit too if another of its topic is not; before, BAD_REQUEST.",
        test: "old_messages_were_just_too_old_before_505",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 445,
        on: "GET /messages",
        words: "`anchor` takes `date`, with `anchor_date`.",
        test: "anchors_were_no_dates_before_445",
        act: Downgrade::Refuse(&["GET /messages"], |request| refuse_anchor(request, |anchor| anchor == "date")),
    },
    Behaviour {
        level: 300,
        on: "GET /messages",
        words: "`num_before` and `num_after` are optional; before, they were required.",
        test: "counts_of_messages_were_needed_before_300",
        act: Downgrade::Request(&["GET /messages"], |request| {
            let is_given = |name: &&str| request.values.contains_key(*name);
            let is_range = !is_given(&"message_ids");
            match ["num_before", "num_after"].into_iter().find(|name| !is_given(name)) {
                Some(missing) if is_range => Err(Error::MissingParameter { var_name: missing.into() }),
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 365,
        on: "message",
        words: "`last_edit_timestamp` is the time of the last edit of the content; before, of the last edit or move.",
        test: "moves_were_edits_before_365",
        act: Downgrade::Objects(&MESSAGE, moves_as_edits),
    },
    Behaviour {
        level: 360,
        on: "GET /messages/{message_id}, GET /messages/{message_id}/read_receipts",
        words: "Work for messages in archived channels too; before, `Invalid message(s)`.",
        test: "messages_in_archived_channels_were_not_given_before_360",
        // Decided in the operations.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 339,
        on: "event reaction",
        words: "The `user` object is back (until 484); it was left out from 328 on.",
        test: "reactions_had_no_user_from_328_to_338",
        act: Downgrade::Objects(&REACTION_EVENT, |event, context| {
            if context.level >= 328 {
                event.shift_remove("user");
            }
        }),
    },
    Behaviour {
        level: 248,
        on: "POST /messages, POST and PATCH /scheduled_messages, POST /typing",
        words: "`type` takes `channel`; before, only `stream`.",
        test: "types_were_stream_before_248_and_private_before_174",
        act: Downgrade::Request(WITH_TYPE, |request| refuse_type(request, "channel")),
    },
    Behaviour {
        level: 229,
        on: "POST /messages, PATCH /messages/{message_id}",
        words: "STREAM_WILDCARD_MENTION_NOT_ALLOWED; before, BAD_REQUEST.",
        test: "wildcards_were_a_bad_request_before_229",
        act: Downgrade::Code { errors: &["ChannelWildcardNotAllowed"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 229,
        on: "POST /messages, PATCH /messages/{message_id}",
        words: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED; before, BAD_REQUEST.",
        test: "wildcards_were_a_bad_request_before_229",
        act: Downgrade::Code { errors: &["TopicWildcardNotAllowed"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 215,
        on: "event typing",
        words: "The `message_type` of direct messages is `direct`; before, `private`.",
        test: "typing_named_channels_in_to_before_215",
        act: Downgrade::Objects(&TYPING, |event, _| {
            if event.get("message_type").and_then(Value::as_str) == Some("direct") {
                event.insert("message_type".into(), "private".into());
            }
        }),
    },
    Behaviour {
        level: 215,
        on: "POST /typing",
        words: "`stream_id` names the channel, and `private` is not a `type`; before, `to` held the channel's ID, and `private` meant `direct`.",
        test: "typing_named_channels_in_to_before_215",
        act: Downgrade::Request(&["POST /typing"], typing_to_channel),
    },
    Behaviour {
        level: 193,
        on: "POST /messages/{message_id}/reactions",
        words: "REACTION_ALREADY_EXISTS; before, BAD_REQUEST.",
        test: "reactions_were_a_bad_request_before_193",
        act: Downgrade::Code { errors: &["ReactionAlreadyExists"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 193,
        on: "DELETE /messages/{message_id}/reactions",
        words: "REACTION_DOES_NOT_EXIST; before, BAD_REQUEST.",
        test: "reactions_were_a_bad_request_before_193",
        act: Downgrade::Code { errors: &["ReactionDoesNotExist"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 190,
        on: "DELETE /realm/emoji/{emoji_name}",
        words: "404 for an unknown emoji; before, 400.",
        test: "an_unknown_emoji_was_400_before_190",
        act: Downgrade::Code { errors: &["NoSuchCustomEmoji"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 174,
        on: "POST /messages, POST and PATCH /scheduled_messages, POST /typing",
        words: "`type` takes `direct`; before, only `private`.",
        test: "types_were_stream_before_248_and_private_before_174",
        act: Downgrade::Request(WITH_TYPE, |request| refuse_type(request, "direct")),
    },
    Behaviour {
        level: 172,
        on: "PATCH /messages/{message_id}",
        words: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED with the number of messages that may be moved; before, BAD_REQUEST.",
        test: "late_moves_were_a_bad_request_before_172",
        act: Downgrade::Code { errors: &["MoveTimeLimitExceeded"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 300,
        on: "event delete_message",
        words: "Of messages in public channels sent to users who have received, starred or reacted to one of them too, and of those in private channels with protected history only to subscribers who have; before, to the channel's subscribers.",
        test: "others_got_no_events_of_deleting_before_300",
        // Decided where messages are deleted.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 274,
        on: "event delete_message",
        words: "Sent to the user who deleted the messages too.",
        test: "whoever_deleted_got_no_event_before_274",
        // Decided where messages are deleted.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 155,
        on: "event update_message_flags, after POST /messages/flags",
        words: "`messages` holds the messages whose flag changed; before, also those whose flag was already so.",
        test: "flags_were_sent_of_unchanged_messages_before_155",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 152,
        on: "PATCH /messages/{message_id}",
        words: "`send_notification_to_old_thread` is false by default; before, true.",
        test: "the_old_topic_got_notices_of_moves_before_152",
        act: Downgrade::Request(&["PATCH /messages/{message_id}"], |request| {
            if request.level >= 9 {
                request.values.entry("send_notification_to_old_thread".into()).or_insert_with(|| "true".into());
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 112,
        on: "event update_message",
        words: "Every message of a channel has `stream_id`; before, only moved messages had it.",
        test: "edits_named_no_channel_before_112",
        act: Downgrade::Objects(&MESSAGE_UPDATE, |event, _| {
            if !event.contains_key("orig_subject") && !event.contains_key("new_stream_id") {
                event.shift_remove("stream_id");
            }
        }),
    },
    Behaviour {
        level: 194,
        on: "GET /messages, GET /messages/matches_narrow, POST /messages/flags/narrow",
        words: "The operand of `id` may be a number; before, only text.",
        test: "narrows_named_messages_in_text_before_194",
        act: Downgrade::Request(
            &["GET /messages", "GET /messages/matches_narrow", "POST /messages/flags/narrow"],
            refuse_number_of_message,
        ),
    },
    Behaviour {
        level: 144,
        on: "GET /messages/{message_id}/read_receipts",
        words: "Leaves out users who muted the caller or are muted by the caller.",
        test: "receipts_had_the_muted_before_144",
        // Decided in the operation.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 77,
        on: "event delete_message",
        words: "Direct messages without `recipient_id` and `sender_id`.",
        test: "deleted_messages_had_a_sender",
        // Made where events are made for queues.
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 13,
        on: "event delete_message",
        words: "Without `sender`, an address, and `sender_id`; before, all had them.",
        test: "deleted_messages_had_a_sender",
        act: Downgrade::Elsewhere,
    },
    Behaviour {
        level: 11,
        on: "POST /typing",
        words: "`to` holds IDs; before, it could hold addresses.",
        test: "typing_was_to_addresses_before_11",
        act: Downgrade::Request(&["POST /typing"], |request| {
            let text = request.values.get("to").map(String::as_str).unwrap_or_default();
            let Ok(Value::Array(mut to)) = serde_json::from_str(text) else { return Ok(()) };
            for one in &mut to {
                let Some(email) = one.as_str() else { continue };
                let user = request.realm.user_known_as(request.caller, email);
                *one = json!(user.ok_or(Error::NoSuchUser)?.id);
            }
            request.values.insert("to".into(), Value::from(to).to_string());
            Ok(())
        }),
    },
    Behaviour {
        level: 284,
        on: "edit history entry",
        words: "No longer has `prev_rendered_content_version` next to the previous content.",
        test: "edits_had_a_version_of_rendering_before_284",
        act: Downgrade::Objects(&EDIT, |edit, _| {
            if edit.contains_key("prev_rendered_content") {
                edit.insert("prev_rendered_content_version".into(), RENDERING_VERSION.into());
            }
        }),
    },
    Behaviour {
        level: 284,
        on: "event update_message",
        words: "No longer has `prev_rendered_content_version` next to the previous content.",
        test: "edits_had_a_version_of_rendering_before_284",
        act: Downgrade::Objects(&MESSAGE_UPDATE, |event, _| {
            if event.contains_key("orig_rendered_content") {
                event.insert("prev_rendered_content_version".into(), RENDERING_VERSION.into());
            }
        }),
    },
    Behaviour {
        level: 26,
        on: "message",
        words: "No longer has `short_name` in `display_recipient`; before, it was the part before the `@` of the address.",
        test: "recipients_had_short_names_before_26",
        act: Downgrade::Objects(&MESSAGE, |message, _| {
            for person in message.get_mut("display_recipient").and_then(Value::as_array_mut).into_iter().flatten() {
                let short = person["email"].as_str().and_then(|email| email.split('@').next()).map(str::to_owned);
                person["short_name"] = short.into();
            }
        }),
    },
    Behaviour {
        level: 2,
        on: "POST /messages/{message_id}/reactions",
        words: "`reaction_type` is optional; before, it was required.",
        test: "reactions_needed_their_type_before_2",
        act: Downgrade::Request(&["POST /messages/{message_id}/reactions"], |request| {
            if request.values.contains_key("reaction_type") {
                return Ok(());
            }
            Err(Error::MissingParameter { var_name: "reaction_type".into() })
        }),
    },
    Behaviour {
        level: 1,
        on: "GET /messages",
        words: "`anchor` takes words; before, only a message ID.",
        test: "anchors_were_no_words_before_1",
        act: Downgrade::Refuse(&["GET /messages"], |request| {
            refuse_anchor(request, |anchor| anchor.trim().parse::<i64>().is_err())
        }),
    },
    Behaviour {
        level: 46,
        on: "message",
        words: "`topic_links` holds objects; before, addresses.",
        test: "topic_links_were_texts_before_46",
        act: Downgrade::Objects(&MESSAGE, |message, _| {
            if let Some(Value::Array(links)) = message.get_mut("topic_links") {
                links.iter_mut().for_each(|link| *link = link["url"].take());
            }
        }),
    },
];

/// The number of the renderer's rules when former texts said by which they were rendered.
const RENDERING_VERSION: i64 = 1;

/// The later of edit and move is the edit. The move itself was taken away with its own field.
fn moves_as_edits(message: &mut Map<String, Value>, context: &Context<'_>) {
    let id = message.get("id").and_then(Value::as_i64).map(MessageId);
    let Some(stored) = id.and_then(|id| context.realm.messages.get(&id)) else { return };
    if let Some(last) = stored.history.iter().map(|edit| edit.at).max() {
        message.insert("last_edit_timestamp".into(), last.seconds().into());
    }
}

fn refuse_number_of_message(request: &mut Request<'_>) -> Result<(), Error> {
    let text = request.values.get("narrow").map(String::as_str).unwrap_or_default();
    let Ok(Value::Array(terms)) = serde_json::from_str(text) else { return Ok(()) };
    for (index, term) in terms.iter().enumerate() {
        let part = |key: &str, place: usize| term.get(key).or_else(|| term.get(place));
        if part("operator", 0).is_some_and(|word| word == "id") && part("operand", 1).is_some_and(Value::is_number) {
            return Err(Error::bad_value(format!("narrow[{index}][\"operand\"]"), "is not a string"));
        }
    }
    Ok(())
}

/// Refuses an anchor, unless another parameter takes its place.
fn refuse_anchor(request: &mut Request<'_>, is_refused: fn(&str) -> bool) -> Result<(), Error> {
    let is_replaced = request.values.get("use_first_unread_anchor").is_some_and(|text| text.trim() == "true");
    let anchor = request.values.get("anchor").filter(|_| !is_replaced);
    if anchor.is_some_and(|anchor| is_refused(anchor)) { Err(Error::InvalidAnchor) } else { Ok(()) }
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
