//! Behaviours of subscriptions, and of the permissions to subscribe and unsubscribe other users.

use super::recorded_requests::check_early_booleans;
use crate::error::Error;
use crate::feature::Feature;
use crate::level::objects::{PEER_EVENTS, SUBSCRIBE_REPLY, SUBSCRIBERS};
use crate::level::{Behaviour, ChangedFields, Downgrade, Request};
use crate::realm::id::{ChannelId, UserId};
use serde_json::Value;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        // the level is assumed.
        level: 417,
        subject: "DELETE and PATCH /users/me/subscriptions",
        description: "STREAM_DOES_NOT_EXIST for a channel that does not exist; before, BAD_REQUEST.",
        test: "names_of_channels_were_a_bad_request_before_417",
        downgrade: Downgrade::Code {
            errors: &["UnknownChannel"],
            routes: &["DELETE /users/me/subscriptions", "PATCH /users/me/subscriptions"],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        // the source of the real server has the level.
        level: Feature::SubscriptionValuesCheckedFirst.since(),
        subject: "PATCH /users/me/subscriptions/{stream_id}",
        description: "`value` is JSON, or plain text for a color; below 274, it was always plain text.",
        test: "settings_of_subscriptions_were_plain_texts_before_274",
        downgrade: Downgrade::RequestChange(&["PATCH /users/me/subscriptions/{stream_id}"], |request| {
            if let Some(value) = request.values.get_mut("value") {
                *value = Value::from(value.as_str()).to_string();
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 412,
        subject: "POST /register",
        description: "`include_subscribers` takes `partial`; before, that was an error.",
        test: "partial_subscribers_were_an_error_before_412",
        downgrade: Downgrade::RequestChange(&["POST /register"], |request| {
            match request.values.get("include_subscribers") {
                Some(text) if text == "partial" => Err(Error::bad_value("include_subscribers", "is not valid JSON")),
                _ => Ok(()),
            }
        }),
    },
    Behaviour {
        level: 412,
        subject: "GET /users/me/subscriptions",
        description: "`include_subscribers` takes `partial` too; before, only a boolean.",
        test: "some_booleans_were_read_first",
        // Below the level, `include_subscribers` is one of the booleans that are checked before other parameters.
        downgrade: Downgrade::RequestChange(&["GET /users/me/subscriptions"], check_early_booleans),
    },
    Behaviour {
        level: 289,
        subject: "POST /users/me/subscriptions",
        description: "The reply's keys are user IDs; before, addresses for the API.",
        test: "subscribing_replied_by_email_before_289",
        downgrade: Downgrade::Objects(
            &SUBSCRIBE_REPLY,
            ChangedFields::Fields(&["subscribed", "already_subscribed"]),
            |reply, context| {
                for key in ["subscribed", "already_subscribed"] {
                    let Some(Value::Object(names_by_user)) = reply.get_mut(key) else { continue };
                    let names_by_email = std::mem::take(names_by_user).into_iter().map(|(id, names)| {
                        let user = id.parse().ok().and_then(|id| context.realm.user(UserId(id)));
                        (user.map_or(id, |user| context.realm.api_email(user)), names)
                    });
                    *names_by_user = names_by_email.collect();
                }
            },
        ),
    },
    Behaviour {
        level: 208,
        subject: "POST and DELETE /users/me/subscriptions",
        description: "400 BAD_REQUEST for a principal that is deactivated or does not exist; before, 403 UNAUTHORIZED_PRINCIPAL.",
        test: "principals_were_unauthorized_before_208",
        downgrade: Downgrade::Code {
            errors: &["NoSuchUser", "TargetDeactivated"],
            routes: &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"],
            status: 403,
            code: "UNAUTHORIZED_PRINCIPAL",
        },
    },
    Behaviour {
        level: 161,
        subject: "DELETE /users/me/subscriptions",
        description: "Members of the channel's `can_remove_subscribers_group` may unsubscribe others; before, only administrators could, and owners their bots.",
        test: "own_bots_were_not_unsubscribed_before_145_nor_others_before_161",
        downgrade: Downgrade::RequestChange(&["DELETE /users/me/subscriptions"], |request| {
            check_may_unsubscribe(request, true)
        }),
    },
    Behaviour {
        level: 145,
        subject: "DELETE /users/me/subscriptions",
        description: "Users may unsubscribe their bots; before, only administrators could.",
        test: "own_bots_were_not_unsubscribed_before_145_nor_others_before_161",
        downgrade: Downgrade::RequestChange(&["DELETE /users/me/subscriptions"], |request| {
            check_may_unsubscribe(request, false)
        }),
    },
    Behaviour {
        level: 79,
        subject: "subscribers",
        description: "User IDs; before, addresses for the API.",
        test: "subscribers_were_addresses_before_79",
        downgrade: Downgrade::Objects(&SUBSCRIBERS, ChangedFields::Fields(&["subscribers"]), |channel, context| {
            for subscriber in channel.get_mut("subscribers").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Some(user) = subscriber.as_i64().and_then(|id| context.realm.user(UserId(id))) {
                    *subscriber = context.realm.api_email(user).into();
                }
            }
        }),
    },
    Behaviour {
        level: 19,
        subject: "event subscription peer_add, peer_remove",
        description: "`stream_id` names the channel; before, `name`.",
        test: "peer_events_were_single_before_35_and_named_channels_before_19",
        downgrade: Downgrade::Objects(&PEER_EVENTS, ChangedFields::Fields(&["stream_id", "name"]), |event, context| {
            let id = event.shift_remove("stream_id").and_then(|id| id.as_i64()).map(ChannelId);
            if let Some(channel) = id.and_then(|id| context.realm.channels.get(&id)) {
                event.insert("name".into(), channel.name.as_str().into());
            }
        }),
    },
    Behaviour {
        level: 9,
        subject: "POST and DELETE /users/me/subscriptions",
        description: "`principals` may be user IDs; before, only addresses.",
        test: "principals_were_addresses_before_9",
        downgrade: Downgrade::RequestChange(
            &["POST /users/me/subscriptions", "DELETE /users/me/subscriptions"],
            refuse_principal_ids,
        ),
    },
];

/// Refuses to unsubscribe other users unless the caller is an administrator. `allows_own_bots` exempts the caller's
/// bots.
fn check_may_unsubscribe(request: &Request<'_>, allows_own_bots: bool) -> Result<(), Error> {
    let Some(caller) = request.caller.filter(|caller| !caller.is_admin()) else { return Ok(()) };
    let text = request.values.get("principals").map(String::as_str).unwrap_or_default();
    let Ok(Value::Array(principals)) = serde_json::from_str(text) else { return Ok(()) };
    let is_protected = |principal: &Value| {
        let user = match principal.as_str() {
            Some(email) => request.realm.user_by_api_email(caller, email),
            None => principal.as_i64().and_then(|id| request.realm.user(UserId(id))),
        };
        // The operation itself refuses unknown users.
        user.is_some_and(|user| user.id != caller.id && !(allows_own_bots && user.bot_owner() == Some(caller.id)))
    };
    if principals.iter().any(is_protected) { Err(Error::InsufficientPermission) } else { Ok(()) }
}

fn refuse_principal_ids(request: &mut Request<'_>) -> Result<(), Error> {
    let text = request.values.get("principals").map(String::as_str).unwrap_or_default();
    let Ok(Value::Array(principals)) = serde_json::from_str(text) else { return Ok(()) };
    match principals.iter().position(Value::is_number) {
        Some(index) => Err(Error::bad_value(format!("principals[{index}]"), "is not a string")),
        None => Ok(()),
    }
}
