//! Behaviours of replies and events that recordings of servers at levels 247 and 387 show and that no entry of the
//! change log explains (A-240 in docs/assumptions.md).

use super::former_booleans::FORMER_BOOLEANS;
use crate::api::onboarding::{NEWEST_NOTICE_SINCE, step_since};
use crate::level::objects::{
    FLAG_REPLY, MESSAGE, ONBOARDING, ORGANIZATION_REPLY, OWN_USER, PARAMETERLESS_REPLY, SETTINGS, SUBMESSAGE, USER,
};
use crate::level::{Behaviour, ChangedFields, Downgrade, DowngradeContext, SPECIFIED_LEVEL};
use crate::realm::id::UserId;
use crate::realm::setting::{former_default, settings_with_former_default};
use crate::realm::user::{EmailVisibility, User};
use crate::record::avatar::{AvatarSize, avatar_url};
use serde_json::{Map, Value, json};

/// The first level at which an absent language for code blocks is an empty string instead of null.
const EMPTY_LANGUAGE_SINCE: i64 = 195;

pub(super) static ROWS: &[Behaviour] = &[
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "reply of operations without parameters",
        description: "`ignored_parameters_unsupported` names the ignored parameters; before, these operations did not report any.",
        test: "operations_without_parameters_reported_none_before_497",
        downgrade: Downgrade::Objects(&PARAMETERLESS_REPLY, ChangedFields::Values, |reply, _| {
            reply.shift_remove("ignored_parameters_unsupported");
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "reply of POST /messages/flags, POST /messages/flags/narrow",
        description: "`ignored_because_not_subscribed_channels` is present only if messages become unread; before, it was always present.",
        test: "replies_about_flags_always_named_ignored_channels_before_497",
        downgrade: Downgrade::Objects(&FLAG_REPLY, ChangedFields::Values, |reply, _| {
            reply.entry("ignored_because_not_subscribed_channels").or_insert_with(|| json!([]));
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "reply of PATCH /realm",
        description: "A permission lists each user and group once; before, as the request did.",
        test: "new_holders_of_a_permission_were_returned_as_given_before_497",
        downgrade: Downgrade::Objects(&ORGANIZATION_REPLY, ChangedFields::Values, |reply, context| {
            for (name, value) in reply.iter_mut().filter(|(_, value)| value.is_object()) {
                let sent_value = context.values.get(name).and_then(|text| serde_json::from_str::<Value>(text).ok());
                for key in ["direct_members", "direct_subgroups"] {
                    let sent_ids = sent_value.as_ref().and_then(|sent| sent["new"][key].as_array());
                    if let (Some(sent_ids), Some(ids)) = (sent_ids, value.get_mut(key)) {
                        *ids = sent_ids.clone().into();
                    }
                }
            }
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "reply of PATCH /realm",
        description: "Texts have their new value; before, `updated`.",
        test: "new_texts_of_the_organization_were_returned_as_updated",
        downgrade: Downgrade::Objects(&ORGANIZATION_REPLY, ChangedFields::Values, |reply, context| {
            for (name, value) in reply.iter_mut() {
                // Below `EMPTY_LANGUAGE_SINCE`, an absent language is null and not a text.
                let is_absent_language =
                    context.level < EMPTY_LANGUAGE_SINCE && name == "default_code_block_language" && *value == "";
                // The rows of the former booleans convert these.
                let is_policy = FORMER_BOOLEANS.contains(&name.as_str());
                if value.is_string() && !is_absent_language && !is_policy && !["result", "msg"].contains(&name.as_str())
                {
                    *value = "updated".into();
                }
            }
        }),
    },
    Behaviour {
        level: 261,
        subject: "reply of PATCH /realm",
        description: "Numbers have their new value; before, a boolean if the request had one.",
        test: "booleans_were_accepted_as_numbers",
        downgrade: Downgrade::Objects(&ORGANIZATION_REPLY, ChangedFields::Values, |reply, context| {
            for (_, value) in reply.iter_mut().filter(|(name, _)| context.boolean_parameters.contains(name)) {
                if let Some(number) = value.as_i64() {
                    *value = (number != 0).into();
                }
            }
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "user",
        description: "`bot_type` and `bot_owner_id` are null for human users; before, they were left out.",
        test: "human_users_had_no_bot_fields",
        downgrade: Downgrade::Objects(&USER, ChangedFields::Fields(&["bot_type", "bot_owner_id"]), |user, _| {
            if user.get("is_bot") == Some(&Value::Bool(false)) {
                user.shift_remove("bot_type");
                user.shift_remove("bot_owner_id");
            }
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "own user",
        description: "Has no `bot_type` and `bot_owner_id` for bots; before, it had them.",
        test: "human_users_had_no_bot_fields",
        downgrade: Downgrade::Objects(
            &OWN_USER,
            ChangedFields::Fields(&["bot_type", "bot_owner_id"]),
            |user, context| {
                if let Some(caller) = context.caller.filter(|caller| caller.is_bot()) {
                    user.insert("bot_type".into(), json!(caller.bot.as_ref().map(|bot| bot.kind.number())));
                    user.insert("bot_owner_id".into(), json!(caller.bot_owner()));
                }
            },
        ),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "user: avatar_url",
        description: "Null for clients that compute it themselves, if they see the user's address; before, only if everyone sees the address.",
        test: "avatars_were_left_to_clients_if_everyone_saw_the_address",
        downgrade: Downgrade::Objects(&USER, ChangedFields::Values, |user, context| {
            add_avatar_url(user, "user_id", context)
        }),
    },
    Behaviour {
        level: SPECIFIED_LEVEL,
        subject: "message: avatar_url",
        description: "Null for clients that compute it themselves, if they see the sender's address; before, only if everyone sees the address.",
        test: "avatars_were_left_to_clients_if_everyone_saw_the_address",
        downgrade: Downgrade::Objects(&MESSAGE, ChangedFields::Values, |message, context| {
            add_avatar_url(message, "sender_id", context)
        }),
    },
    Behaviour {
        level: 249,
        subject: "submessage: content",
        description: "A to-do list starts with its title and tasks; before, with nothing.",
        test: "todo_lists_started_empty",
        downgrade: Downgrade::Objects(&SUBMESSAGE, ChangedFields::Values, |submessage, _| {
            let is_todo_list = |text: &str| text.starts_with(r#"{"widget_type": "todo", "#);
            if submessage.get("content").and_then(Value::as_str).is_some_and(is_todo_list) {
                submessage.insert("content".into(), r#"{"widget_type": "todo", "extra_data": null}"#.into());
            }
        }),
    },
    Behaviour {
        level: 336,
        subject: "user settings: user_list_style",
        description: "By default 3; before, 2.",
        test: "some_settings_had_other_defaults",
        // Also sets, below their level, the defaults of `Feature::LargerTextByDefault`, whose row describes them.
        downgrade: Downgrade::Objects(&SETTINGS, ChangedFields::Values, |settings, context| {
            // Only the settings of the caller have a time zone; the defaults for new users have none.
            let viewer = context.caller.filter(|_| settings.contains_key("timezone"));
            let chosen_settings = match viewer {
                Some(viewer) => &context.realm.user_state(viewer.id).settings,
                None => &context.realm.organization.user_defaults,
            };
            for name in settings_with_former_default().filter(|name| !chosen_settings.contains_key(name)) {
                if let Some((value, default)) = settings.get_mut(name).zip(former_default(name, context.level)) {
                    *value = default;
                }
            }
        }),
    },
    Behaviour {
        level: NEWEST_NOTICE_SINCE,
        subject: "register reply, event onboarding_steps: onboarding_steps",
        description: "There are nine one-time notices and one action. Older levels lack those that came later: `first_stream_created_banner` (253), `jump_to_conversation_banner` (262), `non_interleaved_view_messages_fading` and `interleaved_view_messages_fading` (273), `narrow_to_dm_with_welcome_bot_new_user` (281), `intro_resolve_topic` (302) and `navigation_tour_video` (368).",
        test: "there_were_fewer_one_time_notices",
        downgrade: Downgrade::Objects(&ONBOARDING, ChangedFields::Values, |object, context| {
            if let Some(Value::Array(steps)) = object.get_mut("onboarding_steps") {
                steps.retain(|step| step["name"].as_str().is_some_and(|name| step_since(name) <= context.level));
            }
        }),
    },
];

/// Adds the URL of an avatar that the client could compute, unless everybody sees the user's email address.
fn add_avatar_url(object: &mut Map<String, Value>, id_key: &str, context: &DowngradeContext<'_>) {
    if object.get("avatar_url") != Some(&Value::Null) {
        return;
    }
    let id = object.get(id_key).and_then(Value::as_i64).map(UserId);
    let is_email_restricted = |user: &&std::sync::Arc<User>| user.email_visibility != EmailVisibility::Everyone;
    if let Some(user) = id.and_then(|id| context.realm.users.get(&id)).filter(is_email_restricted) {
        object.insert("avatar_url".into(), avatar_url(context.realm, user, AvatarSize::Small).into());
    }
}
