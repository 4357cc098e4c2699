//! Channels, subscriptions, topics, folders.

use crate::error::Error;
use crate::level::objects::{REGISTER, SUBSCRIBE_REPLY, SUBSCRIBERS};
use crate::level::{Act, Behaviour, Request};
use crate::realm::id::{ChannelId, UserId};
use crate::record::channel::ChannelRecord;
use serde_json::{Map, Value, json};

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 480,
        on: "GET /users/me/{stream_id}/topics, GET /streams/{stream_id}",
        words: "Archived channels too; before, `Invalid channel ID`.",
        test: "archived_channels_had_no_topics_before_480",
        act: Act::Request(&["GET /users/me/{stream_id}/topics", "GET /streams/{stream_id}"], |request| {
            let id = request.id("stream_id").map(ChannelId);
            let is_archived = id.and_then(|id| request.realm.channels.get(&id)).is_some_and(|one| one.is_archived);
            if is_archived { Err(Error::InvalidChannelId) } else { Ok(()) }
        }),
    },
    Behaviour {
        level: 412,
        on: "POST /register",
        words: "`include_subscribers` takes `partial`; before, that was an error.",
        test: "partial_subscribers_were_an_error_before_412",
        act: Act::Request(&["POST /register"], |request| match request.values.get("include_subscribers") {
            Some(text) if text == "partial" => Err(Error::bad_value("include_subscribers", "is not valid JSON")),
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 330,
        on: "register reply",
        words: "`realm_default_streams` holds IDs; before, channels.",
        test: "default_channels_were_whole_before_330",
        act: Act::Objects(&REGISTER, |reply, context| {
            let Some(Value::Array(ids)) = reply.get_mut("realm_default_streams") else { return };
            for id in ids {
                let channel = id.as_i64().and_then(|id| context.realm.channels.get(&ChannelId(id)));
                if let Some(channel) = channel {
                    *id = without_younger(json!(ChannelRecord::new(context.realm, channel)));
                }
            }
        }),
    },
    Behaviour {
        level: 289,
        on: "POST /users/me/subscriptions",
        words: "The reply's keys are user IDs; before, addresses for the API.",
        test: "subscribing_replied_by_email_before_289",
        act: Act::Objects(&SUBSCRIBE_REPLY, |reply, context| {
            for key in ["subscribed", "already_subscribed"] {
                let Some(Value::Object(by_id)) = reply.get_mut(key) else { continue };
                let by_email = std::mem::take(by_id).into_iter().map(|(id, names)| {
                    let user = id.parse().ok().and_then(|id| context.realm.user(UserId(id)));
                    (user.map_or(id, |user| context.realm.api_email(user)), names)
                });
                *by_id = by_email.collect();
            }
        }),
    },
    Behaviour {
        level: 208,
        on: "POST and DELETE /users/me/subscriptions",
        words: "400 BAD_REQUEST for a principal that is deactivated or does not exist; before, 403 UNAUTHORIZED_PRINCIPAL.",
        test: "principals_were_unauthorized_before_208",
        act: Act::Code {
            errors: &["NoSuchUser", "TargetDeactivated"],
            routes: &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"],
            status: 403,
            code: "UNAUTHORIZED_PRINCIPAL",
        },
    },
    Behaviour {
        level: 219,
        on: "POST /user_topics",
        words: "`visibility_policy` takes 3: topics can be followed.",
        test: "topics_were_not_followed_before_219",
        act: Act::Request(&["POST /user_topics"], |request| match request.values.get("visibility_policy") {
            Some(policy) if policy == "3" => {
                let reason = "Not in the list of possible values".into();
                Err(Error::InvalidValueBecause { parameter: "visibility_policy".into(), reason })
            }
            _ => Ok(()),
        }),
    },
    Behaviour {
        level: 149,
        on: "POST /register",
        words: "`client_gravatar` and `include_subscribers` true are errors without an account; before, they were ignored.",
        test: "visitors_wishes_were_ignored_before_149",
        act: Act::Request(&["POST /register"], |request| {
            if request.caller.is_none() {
                for name in ["client_gravatar", "include_subscribers"] {
                    request.values.entry(name.to_owned()).and_modify(|value| "false".clone_into(value));
                }
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 79,
        on: "subscribers",
        words: "User IDs; before, addresses for the API.",
        test: "subscribers_were_addresses_before_79",
        act: Act::Objects(&SUBSCRIBERS, |channel, context| {
            for id in channel.get_mut("subscribers").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(user) = id.as_i64().and_then(|id| context.realm.user(UserId(id))) {
                    *id = context.realm.api_email(user).into();
                }
            }
        }),
    },
    Behaviour {
        level: 9,
        on: "POST and DELETE /users/me/subscriptions",
        words: "`principals` may be user IDs; before, addresses alone.",
        test: "principals_were_addresses_before_9",
        act: Act::Request(&["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"], refuse_ids),
    },
];

/// A channel's record as it is at the level of the change that makes it: what is younger was taken from records of the
/// newest level before.
fn without_younger(mut channel: Value) -> Value {
    let younger = crate::level::changes().iter().filter(|change| change.level > 330);
    for change in younger {
        if let crate::level::Touch::Field { object, name } = change.touch
            && object.name == crate::level::objects::CHANNEL.name
            && let Value::Object(channel) = &mut channel
        {
            let _: Option<Value> = Map::shift_remove(channel, name);
        }
    }
    channel
}

fn refuse_ids(request: &mut Request<'_>) -> Result<(), Error> {
    let text = request.values.get("principals").map(String::as_str).unwrap_or_default();
    let Ok(Value::Array(principals)) = serde_json::from_str(text) else { return Ok(()) };
    match principals.iter().position(Value::is_number) {
        Some(index) => Err(Error::bad_value(format!("principals[{index}]"), "is not a string")),
        None => Ok(()),
    }
}
