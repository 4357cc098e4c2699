//! Behaviours of messages, reactions and typing notifications.

use crate::error::Error;
use crate::level::objects::{EDIT_HISTORY_ENTRY, MESSAGE, MESSAGE_UPDATE_EVENT, REACTION_EVENT, TYPING_EVENT};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, Request};
use crate::realm::id::MessageId;
use serde_json::{Map, Value, json};

/// Operations whose parameter `type` says whether a message is for a channel or direct.
const MESSAGE_TYPE_ROUTES: &[&str] =
    &["POST /messages", "POST /scheduled_messages", "PATCH /scheduled_messages/{scheduled_message_id}", "POST /typing"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 445,
        subject: "GET /messages",
        description: "`anchor` takes `date`, with `anchor_date`.",
        test: "anchors_were_no_dates_before_445",
        downgrade: Downgrade::RefusalAfterParsing(&["GET /messages"], |request| {
            refuse_anchor(request, |anchor| anchor == "date")
        }),
    },
    Behaviour {
        level: 300,
        subject: "GET /messages",
        description: "`num_before` and `num_after` are optional; before, they were required.",
        test: "message_counts_were_required_before_300",
        downgrade: Downgrade::RequestChange(&["GET /messages"], |request| {
            let is_present = |name: &str| request.values.contains_key(name);
            let fetches_range = !is_present("message_ids");
            match ["num_before", "num_after"].into_iter().find(|name| !is_present(name)) {
                Some(missing) if fetches_range => Err(Error::MissingParameter { var_name: missing.into() }),
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 365,
        subject: "message",
        description: "`last_edit_timestamp` is the time of the last edit of the content; before, of the last edit or move.",
        test: "moves_were_edits_before_365",
        downgrade: Downgrade::Objects(&MESSAGE, ChangedFields::Values, set_last_edit_or_move),
    },
    Behaviour {
        level: 339,
        subject: "event reaction",
        description: "The `user` object is back (until 484); it was left out from 328 on.",
        test: "reactions_had_no_user_from_328_to_338",
        downgrade: Downgrade::Objects(&REACTION_EVENT, ChangedFields::Fields(&["user"]), |event, context| {
            if context.level >= 328 {
                event.shift_remove("user");
            }
        }),
    },
    Behaviour {
        level: 248,
        subject: "POST /messages, POST and PATCH /scheduled_messages, POST /typing",
        description: "`type` takes `channel`; before, only `stream`.",
        test: "types_were_stream_before_248_and_private_before_174",
        downgrade: Downgrade::RequestChange(MESSAGE_TYPE_ROUTES, |request| refuse_type(request, "channel")),
    },
    Behaviour {
        level: 229,
        subject: "POST /messages, PATCH /messages/{message_id}",
        description: "STREAM_WILDCARD_MENTION_NOT_ALLOWED; before, BAD_REQUEST.",
        test: "wildcards_were_a_bad_request_before_229",
        downgrade: Downgrade::Code {
            errors: &["ChannelWildcardNotAllowed"],
            routes: &[],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        level: 229,
        subject: "POST /messages, PATCH /messages/{message_id}",
        description: "TOPIC_WILDCARD_MENTION_NOT_ALLOWED; before, BAD_REQUEST.",
        test: "wildcards_were_a_bad_request_before_229",
        downgrade: Downgrade::Code {
            errors: &["TopicWildcardNotAllowed"],
            routes: &[],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        level: 215,
        subject: "event typing",
        description: "The `message_type` of direct messages is `direct`; before, `private`.",
        test: "typing_named_channels_in_to_before_215",
        downgrade: Downgrade::Objects(&TYPING_EVENT, ChangedFields::Fields(&["message_type"]), |event, _| {
            if event.get("message_type").and_then(Value::as_str) == Some("direct") {
                event.insert("message_type".into(), "private".into());
            }
        }),
    },
    Behaviour {
        level: 215,
        subject: "POST /typing",
        description: "`stream_id` names the channel, and `private` is not a `type`; before, `to` held the channel's ID, and `private` meant `direct`.",
        test: "typing_named_channels_in_to_before_215",
        downgrade: Downgrade::RequestChange(&["POST /typing"], convert_typing_recipients),
    },
    Behaviour {
        level: 193,
        subject: "POST /messages/{message_id}/reactions",
        description: "REACTION_ALREADY_EXISTS; before, BAD_REQUEST.",
        test: "reactions_were_a_bad_request_before_193",
        downgrade: Downgrade::Code {
            errors: &["ReactionAlreadyExists"],
            routes: &[],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        level: 193,
        subject: "DELETE /messages/{message_id}/reactions",
        description: "REACTION_DOES_NOT_EXIST; before, BAD_REQUEST.",
        test: "reactions_were_a_bad_request_before_193",
        downgrade: Downgrade::Code { errors: &["ReactionDoesNotExist"], routes: &[], status: 400, code: "BAD_REQUEST" },
    },
    Behaviour {
        level: 174,
        subject: "POST /messages, POST and PATCH /scheduled_messages, POST /typing",
        description: "`type` takes `direct`; before, only `private`.",
        test: "types_were_stream_before_248_and_private_before_174",
        downgrade: Downgrade::RequestChange(MESSAGE_TYPE_ROUTES, |request| refuse_type(request, "direct")),
    },
    Behaviour {
        level: 172,
        subject: "PATCH /messages/{message_id}",
        description: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED with the number of messages that may be moved; before, BAD_REQUEST.",
        test: "late_moves_were_a_bad_request_before_172",
        downgrade: Downgrade::Code {
            errors: &["MoveTimeLimitExceeded"],
            routes: &[],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        level: 152,
        subject: "PATCH /messages/{message_id}",
        description: "`send_notification_to_old_thread` is false by default; before, true.",
        test: "the_old_topic_got_notices_of_moves_before_152",
        downgrade: Downgrade::RequestChange(&["PATCH /messages/{message_id}"], |request| {
            // The parameter came with level 9.
            if request.level >= 9 {
                request.values.entry("send_notification_to_old_thread".into()).or_insert_with(|| "true".into());
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 112,
        subject: "event update_message",
        description: "Every message of a channel has `stream_id`; before, only moved messages had it.",
        test: "edits_named_no_channel_before_112",
        downgrade: Downgrade::Objects(&MESSAGE_UPDATE_EVENT, ChangedFields::Fields(&["stream_id"]), |event, _| {
            if !event.contains_key("orig_subject") && !event.contains_key("new_stream_id") {
                event.shift_remove("stream_id");
            }
        }),
    },
    Behaviour {
        level: 11,
        subject: "POST /typing",
        description: "`to` holds IDs; before, it could hold addresses.",
        test: "typing_was_to_addresses_before_11",
        downgrade: Downgrade::RequestChange(&["POST /typing"], |request| {
            let text = request.values.get("to").map(String::as_str).unwrap_or_default();
            let Ok(Value::Array(mut recipients)) = serde_json::from_str(text) else { return Ok(()) };
            for recipient in &mut recipients {
                let Some(email) = recipient.as_str() else { continue };
                let user = request.realm.user_by_displayed_email(request.caller, email);
                *recipient = json!(user.ok_or(Error::NoSuchUser)?.id);
            }
            request.values.insert("to".into(), Value::from(recipients).to_string());
            Ok(())
        }),
    },
    Behaviour {
        level: 284,
        subject: "edit history entry",
        description: "No longer has `prev_rendered_content_version` next to the previous content.",
        test: "edits_had_a_version_of_rendering_before_284",
        downgrade: Downgrade::Objects(
            &EDIT_HISTORY_ENTRY,
            ChangedFields::Fields(&["prev_rendered_content_version"]),
            |edit, _| {
                if edit.contains_key("prev_rendered_content") {
                    edit.insert("prev_rendered_content_version".into(), RENDERING_VERSION.into());
                }
            },
        ),
    },
    Behaviour {
        level: 284,
        subject: "event update_message",
        description: "No longer has `prev_rendered_content_version` next to the previous content.",
        test: "edits_had_a_version_of_rendering_before_284",
        downgrade: Downgrade::Objects(
            &MESSAGE_UPDATE_EVENT,
            ChangedFields::Fields(&["prev_rendered_content_version"]),
            |event, _| {
                if event.contains_key("orig_rendered_content") {
                    event.insert("prev_rendered_content_version".into(), RENDERING_VERSION.into());
                }
            },
        ),
    },
    Behaviour {
        level: 26,
        subject: "message",
        description: "No longer has `short_name` in `display_recipient`; below 26, it was the part of the address before the `@`.",
        test: "recipients_had_short_names_before_26",
        downgrade: Downgrade::Objects(&MESSAGE, ChangedFields::Fields(&["display_recipient"]), |message, _| {
            for person in message.get_mut("display_recipient").and_then(Value::as_array_mut).into_iter().flatten() {
                let short_name = person["email"].as_str().and_then(|email| email.split('@').next()).map(str::to_owned);
                person["short_name"] = short_name.into();
            }
        }),
    },
    Behaviour {
        level: 2,
        subject: "POST /messages/{message_id}/reactions",
        description: "`reaction_type` is optional; before, it was required.",
        test: "reactions_needed_their_type_before_2",
        downgrade: Downgrade::RequestChange(&["POST /messages/{message_id}/reactions"], |request| {
            if request.values.contains_key("reaction_type") {
                return Ok(());
            }
            Err(Error::MissingParameter { var_name: "reaction_type".into() })
        }),
    },
    Behaviour {
        level: 1,
        subject: "GET /messages",
        description: "`anchor` takes words; before, only a message ID.",
        test: "anchors_were_no_words_before_1",
        downgrade: Downgrade::RefusalAfterParsing(&["GET /messages"], |request| {
            refuse_anchor(request, |anchor| anchor.trim().parse::<i64>().is_err())
        }),
    },
    Behaviour {
        level: 46,
        subject: "message",
        description: "`topic_links` holds objects; before, URLs.",
        test: "topic_links_were_texts_before_46",
        downgrade: Downgrade::Objects(&MESSAGE, ChangedFields::Fields(&["topic_links"]), |message, _| {
            if let Some(Value::Array(links)) = message.get_mut("topic_links") {
                links.iter_mut().for_each(|link| *link = link["url"].take());
            }
        }),
    },
];

/// The version of the Markdown renderer, which is the same for all messages.
const RENDERING_VERSION: i64 = 1;

fn set_last_edit_or_move(message: &mut Map<String, Value>, context: &DowngradeContext<'_>) {
    let id = message.get("id").and_then(Value::as_i64).map(MessageId);
    let Some(stored_message) = id.and_then(|id| context.realm.messages.get(&id)) else { return };
    if let Some(last_change) = stored_message.history.iter().map(|edit| edit.at).max() {
        message.insert("last_edit_timestamp".into(), last_change.seconds().into());
    }
}

/// Refuses an anchor that the level does not support, unless `use_first_unread_anchor` replaces it.
fn refuse_anchor(request: &mut Request<'_>, is_unsupported: fn(&str) -> bool) -> Result<(), Error> {
    let is_replaced = request.values.get("use_first_unread_anchor").is_some_and(|text| text.trim() == "true");
    let anchor = request.values.get("anchor").filter(|_| !is_replaced);
    if anchor.is_some_and(|anchor| is_unsupported(anchor)) { Err(Error::InvalidAnchor) } else { Ok(()) }
}

/// Refuses a value of `type` that the level does not know.
fn refuse_type(request: &mut Request<'_>, unknown_type: &str) -> Result<(), Error> {
    match request.values.get("type") {
        Some(text) if text == unknown_type => Err(Error::InvalidValue { parameter: "type".into() }),
        _ => Ok(()),
    }
}

fn convert_typing_recipients(request: &mut Request<'_>) -> Result<(), Error> {
    let value = |name: &str| request.values.get(name).map(String::as_str);
    let is_known = matches!(value("type"), None | Some("private" | "direct" | "stream"))
        && matches!(value("op"), Some("start" | "stop"));
    if !is_known {
        // Real servers refuse a wrong `type` or `op` first, as the operation does.
        return Ok(());
    }
    let Some(to) = value("to") else {
        return Err(Error::MissingParameter { var_name: "to".into() });
    };
    if value("type") == Some("private") {
        request.values.insert("type".into(), "direct".into());
        return Ok(());
    }
    let (Some("stream"), Ok(Value::Array(ids))) = (value("type"), serde_json::from_str(to)) else {
        return Ok(());
    };
    let id = match ids.as_slice() {
        [] => return Err(Error::EmptyTo),
        [id] => id.to_string(),
        ids if ids.iter().all(Value::is_i64) => return Err(Error::SeveralTypingChannels),
        // The operation refuses an item that is no number.
        _ => return Ok(()),
    };
    request.values.remove("to");
    request.values.insert("stream_id".into(), id);
    Ok(())
}
