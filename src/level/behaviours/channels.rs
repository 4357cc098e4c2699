//! Behaviours of channels, their archiving, default channels and groups of default channels.

use crate::error::Error;
use crate::level::historical_records::record_at_level;
use crate::level::objects::{
    CHANNEL, CHANNEL_DELETE_EVENT, DEFAULT_CHANNEL_GROUP, DEFAULT_CHANNELS_EVENT, MESSAGE, REGISTER_REPLY,
};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, Request};
use crate::realm::id::ChannelId;
use crate::realm::user::User;
use crate::record::channel::ChannelRecord;
use serde_json::{Map, Value, json};

/// Operations that read a single channel, and that refused archived ones from level [`ARCHIVED_CHANNELS_SHOWN_SINCE`]
/// to 479.
const CHANNEL_READING_ROUTES: &[&str] =
    &["GET /users/me/{stream_id}/topics", "GET /streams/{stream_id}", "GET /streams/{stream_id}/members"];

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: 480,
        subject: "GET /users/me/{stream_id}/topics, GET /streams/{stream_id}, GET /streams/{stream_id}/members",
        description: "Work for archived channels too; before, `Invalid channel ID`.",
        test: "archived_channels_had_no_topics_before_480",
        downgrade: Downgrade::RequestChange(CHANNEL_READING_ROUTES, |request| {
            // Below `ARCHIVED_CHANNELS_SHOWN_SINCE`, only administrators see archived channels, and they may read them.
            let refuses_archived = request.level >= ARCHIVED_CHANNELS_SHOWN_SINCE;
            if refuses_archived && is_channel_archived(request) { Err(Error::InvalidChannelId) } else { Ok(()) }
        }),
    },
    Behaviour {
        // the level is assumed.
        level: 417,
        subject: "PATCH /streams/{stream_id}",
        description: "409 CHANNEL_ALREADY_EXISTS for the name of another channel; before, 400 BAD_REQUEST.",
        test: "names_of_channels_were_a_bad_request_before_417",
        downgrade: Downgrade::Code {
            errors: &["ChannelAlreadyExists"],
            routes: &["PATCH /streams/{stream_id}"],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        // the level is assumed.
        level: 349,
        subject: "PATCH /streams/{stream_id}",
        description: "Administrators may change `can_remove_subscribers_group` of private channels that they are not subscribed to; before, `Invalid channel ID`.",
        test: "only_subscribers_changed_who_may_unsubscribe_others_before_349",
        downgrade: Downgrade::RequestChange(&["PATCH /streams/{stream_id}"], check_is_subscribed),
    },
    Behaviour {
        level: 404,
        subject: "PATCH /streams/{stream_id}, POST /users/me/subscriptions",
        description: "`topics_policy` takes `empty_topic_only`.",
        test: "topics_policy_had_no_empty_topic_only_before_404",
        downgrade: Downgrade::RequestChange(
            &["PATCH /streams/{stream_id}", "POST /users/me/subscriptions"],
            |request| match request.values.get("topics_policy") {
                Some(policy) if policy.contains("empty_topic_only") => {
                    Err(Error::InvalidValue { parameter: "topics_policy".into() })
                }
                _ => Ok(()),
            },
        ),
    },
    Behaviour {
        level: 404,
        subject: "channel",
        description: "`topics_policy` may be `empty_topic_only`, which older levels show as `allow_empty_topic`.",
        test: "topics_policy_had_no_empty_topic_only_before_404",
        downgrade: Downgrade::Objects(&CHANNEL, ChangedFields::Values, |channel, _| {
            if channel.get("topics_policy").and_then(Value::as_str) == Some("empty_topic_only") {
                channel.insert("topics_policy".into(), "allow_empty_topic".into());
            }
        }),
    },
    Behaviour {
        level: 378,
        subject: "register reply",
        description: "`streams` has archived channels for clients with `archived_channels`.",
        test: "archiving_was_sent_as_deletion_before_378",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, _| {
            remove_archived_channels(reply, "streams")
        }),
    },
    Behaviour {
        level: 362,
        subject: "register reply",
        description: "`never_subscribed` has archived channels for clients with `archived_channels`.",
        test: "archiving_was_sent_as_deletion_before_378",
        downgrade: Downgrade::Objects(&REGISTER_REPLY, ChangedFields::Values, |reply, _| {
            remove_archived_channels(reply, "never_subscribed")
        }),
    },
    Behaviour {
        level: 362,
        subject: "PATCH /streams/{stream_id}",
        description: "The privacy of archived channels may change; before, `Invalid channel ID`.",
        test: "archived_channels_could_not_be_changed_before_362",
        downgrade: Downgrade::RequestChange(&["PATCH /streams/{stream_id}"], |request| {
            let privacy_parameters = ["is_private", "is_web_public", "history_public_to_subscribers"];
            let changes_privacy = privacy_parameters.iter().any(|name| request.values.contains_key(*name));
            if changes_privacy && is_channel_archived(request) { Err(Error::InvalidChannelId) } else { Ok(()) }
        }),
    },
    Behaviour {
        level: 356,
        subject: "GET /streams",
        description: "`include_all`, which was `include_all_active`, is for anybody; before, for administrators.",
        test: "only_administrators_listed_all_channels_before_356",
        downgrade: Downgrade::RequestChange(&["GET /streams"], |request| {
            let is_requested = ["include_all", "include_all_active"]
                .iter()
                .any(|name| request.values.get(*name).is_some_and(|value| value.trim() == "true"));
            let is_allowed = request.caller.is_some_and(User::is_admin);
            if is_requested && !is_allowed { Err(Error::NotAuthorizedForQuery) } else { Ok(()) }
        }),
    },
    Behaviour {
        level: 388,
        subject: "PATCH and DELETE /streams/{stream_id}",
        description: "CANNOT_ADMINISTER_CHANNEL; before, BAD_REQUEST.",
        test: "administering_a_channel_had_no_code_before_388",
        downgrade: Downgrade::Code {
            errors: &["CannotAdministerChannel"],
            routes: &[],
            status: 400,
            code: "BAD_REQUEST",
        },
    },
    Behaviour {
        level: 315,
        subject: "message: display_recipient",
        description: "Archived channels keep their name; below 315, they get a prefix, which messages do not show.",
        test: "messages_had_the_name_of_archived_channels_before_315",
        downgrade: Downgrade::Objects(&MESSAGE, ChangedFields::Values, |message, _| {
            let name = message.get("display_recipient").and_then(Value::as_str);
            if let Some((_, name)) = name.and_then(|name| name.split_once(ARCHIVED_NAME_PREFIX)) {
                message.insert("display_recipient".into(), name.into());
            }
        }),
    },
    Behaviour {
        level: 343,
        subject: "event stream delete",
        description: "Objects in `streams` have only `stream_id`; before, they were whole channels.",
        test: "deleted_channels_were_sent_whole_before_343",
        downgrade: Downgrade::Objects(&CHANNEL_DELETE_EVENT, ChangedFields::Fields(&["streams"]), |event, context| {
            for deleted_channel in event.get_mut("streams").and_then(Value::as_array_mut).into_iter().flatten() {
                let id = deleted_channel["stream_id"].as_i64().map(ChannelId);
                if deleted_channel.get("name").is_some() {
                    *deleted_channel = record_at_level(343, &CHANNEL, deleted_channel.take(), context);
                } else if let Some(channel) = id.and_then(|id| context.realm.channels.get(&id)) {
                    let mut record = ChannelRecord::new(context.realm, channel);
                    // The event has the channel's own name, without the prefix of archiving.
                    if let Some((_, name)) = record.name.split_once(ARCHIVED_NAME_PREFIX) {
                        record.name = name.to_owned();
                    }
                    *deleted_channel = record_at_level(343, &CHANNEL, json!(record), context);
                }
            }
        }),
    },
    Behaviour {
        level: 330,
        subject: "register reply",
        description: "`realm_default_streams` holds IDs; before, channels.",
        test: "default_channels_were_whole_before_330",
        downgrade: Downgrade::Objects(
            &REGISTER_REPLY,
            ChangedFields::Fields(&["realm_default_streams"]),
            |reply, context| replace_ids_with_channels(reply.get_mut("realm_default_streams"), context),
        ),
    },
    Behaviour {
        level: 330,
        subject: "event default_streams",
        description: "`default_streams` holds IDs; before, channels.",
        test: "default_channels_were_whole_before_330",
        downgrade: Downgrade::Objects(
            &DEFAULT_CHANNELS_EVENT,
            ChangedFields::Fields(&["default_streams"]),
            |event, context| replace_ids_with_channels(event.get_mut("default_streams"), context),
        ),
    },
    Behaviour {
        level: 330,
        subject: "group of default channels",
        description: "`streams` holds IDs; before, channels.",
        test: "groups_had_whole_default_channels_before_330",
        downgrade: Downgrade::Objects(&DEFAULT_CHANNEL_GROUP, ChangedFields::Fields(&["streams"]), |group, context| {
            replace_ids_with_channels(group.get_mut("streams"), context)
        }),
    },
    Behaviour {
        level: 136,
        subject: "PATCH /streams/{stream_id}",
        description: "`history_public_to_subscribers` works by itself; before, only together with `is_private`.",
        test: "history_changed_only_with_privacy_before_136",
        downgrade: Downgrade::RequestChange(&["PATCH /streams/{stream_id}"], |request| {
            if !request.values.contains_key("is_private") {
                request.values.remove("history_public_to_subscribers");
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 136,
        subject: "PATCH /streams/{stream_id}",
        description: "A public channel with protected history is an error; before, its history was open whatever the request said.",
        test: "history_changed_only_with_privacy_before_136",
        downgrade: Downgrade::RequestChange(&["PATCH /streams/{stream_id}"], |request| {
            if request.values.get("is_private").is_some_and(|text| text.trim() == "false") {
                request.values.remove("history_public_to_subscribers");
            }
            Ok(())
        }),
    },
    Behaviour {
        level: 91,
        subject: "POST /users/me/subscriptions, PATCH /streams/{stream_id}, PATCH /realm",
        description: "`message_retention_days` takes `unlimited`; before, `forever`.",
        test: "messages_were_kept_forever_before_91",
        downgrade: Downgrade::RequestChange(
            &["POST /users/me/subscriptions", "PATCH /streams/{stream_id}", "PATCH /realm"],
            |request| {
                match request
                    .values
                    .get_mut("message_retention_days")
                    .map(|days| (days.trim_matches('"').to_owned(), days))
                {
                    Some((text, days)) if text == "forever" => "unlimited".clone_into(days),
                    Some((text, _)) if text == "unlimited" => {
                        return Err(Error::InvalidValue { parameter: "message_retention_days".into() });
                    }
                    _ => {}
                }
                Ok(())
            },
        ),
    },
    Behaviour {
        level: 64,
        subject: "PATCH /streams/{stream_id}",
        description: "`description` and `new_name` are plain text; before, JSON.",
        test: "some_texts_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /streams/{stream_id}"], |request| {
            request.unquote_json("description")?;
            request.unquote_json("new_name")
        }),
    },
    Behaviour {
        level: 63,
        subject: "PATCH /default_stream_groups/{group_id}",
        description: "`new_group_name` and `new_description` are plain text; before, JSON.",
        test: "texts_of_the_organization_were_json",
        downgrade: Downgrade::RequestChange(&["PATCH /default_stream_groups/{group_id}"], |request| {
            request.unquote_json("new_group_name")?;
            request.unquote_json("new_description")
        }),
    },
];

/// The first level that shows archived channels to users other than administrators.
const ARCHIVED_CHANNELS_SHOWN_SINCE: i64 = 315;

/// Refuses a change of `can_remove_subscribers_group` of a private channel to which the caller is not subscribed.
fn check_is_subscribed(request: &mut Request<'_>) -> Result<(), Error> {
    let id = request.path_id("stream_id").map(ChannelId);
    let (Some(channel), Some(caller)) = (id.and_then(|id| request.realm.channels.get(&id)), request.caller) else {
        return Ok(());
    };
    let Some(text) = request.values.get("can_remove_subscribers_group") else { return Ok(()) };
    let sent_value = serde_json::from_str::<Value>(text).ok();
    let requested_holder = sent_value.map(|value| value.get("new").cloned().unwrap_or(value));
    let current_holder = channel.permissions.get("can_remove_subscribers_group").map(|holder| json!(holder));
    let lacks_access = channel.privacy.is_private() && !channel.subscribers.contains(&caller.id);
    if lacks_access && requested_holder != current_holder { Err(Error::InvalidChannelId) } else { Ok(()) }
}

/// The prefix that archiving added to the name of a channel.
const ARCHIVED_NAME_PREFIX: &str = "!DEACTIVATED:";

fn is_channel_archived(request: &Request<'_>) -> bool {
    let id = request.path_id("stream_id").map(ChannelId);
    id.and_then(|id| request.realm.channels.get(&id)).is_some_and(|channel| channel.is_archived)
}

/// Replaces the IDs of default channels with the channels in their present state (A-336 in docs/assumptions.md), sorted
/// by name.
fn replace_ids_with_channels(ids: Option<&mut Value>, context: &DowngradeContext<'_>) {
    let Some(items) = ids.and_then(Value::as_array_mut) else { return };
    for item in items.iter_mut() {
        let channel = item.as_i64().and_then(|id| context.realm.channels.get(&ChannelId(id)));
        if let Some(channel) = channel {
            *item = record_at_level(330, &CHANNEL, json!(ChannelRecord::new(context.realm, channel)), context);
            // In recordings at level 247, lists of default channels have no traffic.
            if let Some(record) = item.as_object_mut() {
                record.shift_remove("stream_weekly_traffic");
            }
        }
    }
    items.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
}

fn remove_archived_channels(reply: &mut Map<String, Value>, list: &str) {
    if let Some(channels) = reply.get_mut(list).and_then(Value::as_array_mut) {
        channels.retain(|channel| channel["is_archived"] != true);
    }
}
