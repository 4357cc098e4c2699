//! Removed fields, with functions that compute their values for older levels.

use crate::api::channels::legacy_channel_email;
use crate::api::organization::policies::POLICIES;
use crate::level::DowngradeContext;
use crate::level::behaviours::permissions;
use crate::level::objects::{
    BOT, BOT_UPDATE_VALUES, EMOJI, INVITE, MESSAGE, OWN_USER, ObjectKind, PROPERTIES_REPLY, REACTION, REACTION_EVENT,
    REGISTER_REPLY, RESEND_REPLY, SETTINGS, SUBSCRIPTION, SUBSCRIPTION_UPDATE_EVENT, UNREAD_TOPIC, USER,
    USER_UPDATE_VALUES,
};
use crate::realm::channel::{MAX_CHANNEL_DESCRIPTION_LENGTH, MAX_CHANNEL_NAME_LENGTH};
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::permission::RealmPermission;
use crate::realm::setting_values::default_user_setting;
use crate::realm::user::User;
use crate::record::avatar::{AvatarSize, avatar_url};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Computes the value of a removed field from its object.
type FormerValue = fn(&Map<String, Value>, &DowngradeContext<'_>) -> Value;

/// Removed fields: the level of the removal, object, name, the first level with the field, value.
pub(super) static ROWS: &[(i64, &ObjectKind, &str, i64, FormerValue)] = &[
    (474, &BOT, "api_key", 0, |bot, context| account_value(bot, context, |user| json!(user.api_key))),
    (474, &BOT, "avatar_url", 0, |bot, context| {
        account_value(bot, context, |user| json!(avatar_url(context.realm, user, AvatarSize::Small)))
    }),
    (474, &BOT, "bot_type", 0, |bot, context| {
        account_value(bot, context, |user| json!(user.bot.as_ref().map(|bot| bot.kind.number())))
    }),
    (474, &BOT, "email", 0, |bot, context| account_value(bot, context, |user| json!(user.email))),
    (474, &BOT, "full_name", 0, |bot, context| account_value(bot, context, |user| json!(user.full_name))),
    (474, &BOT, "is_active", 0, |bot, context| account_value(bot, context, |user| json!(user.is_active))),
    (474, &BOT, "owner_id", 5, |bot, context| account_value(bot, context, |user| json!(user.bot_owner()))),
    (468, &REGISTER_REPLY, "push_devices", 406, |_, context| push_devices(context)),
    (426, &REGISTER_REPLY, "realm_is_zephyr_mirror_realm", 0, |_, _| json!(false)),
    // The time of the request.
    (256, &RESEND_REPLY, "timestamp", 0, |_, context| json!(context.realm.now.seconds())),
    (364, &SETTINGS, "dense_mode", 89, dense_mode),
    (344, &REGISTER_REPLY, "realm_bot_creation_policy", 0, |_, context| {
        former_policy_value("bot_creation_policy", context)
    }),
    (341, &REGISTER_REPLY, "can_subscribe_other_users", 0, |_, context| {
        json!(context.caller.is_some_and(|caller| context.realm.may(caller.id, RealmPermission::CanAddSubscribers)))
    }),
    (341, &REGISTER_REPLY, "realm_invite_to_stream_policy", 0, |_, context| {
        former_policy_value("invite_to_stream_policy", context)
    }),
    (321, &REGISTER_REPLY, "realm_invite_to_realm_policy", 50, |_, context| {
        former_policy_value("invite_to_realm_policy", context)
    }),
    (316, &REGISTER_REPLY, "realm_edit_topic_policy", 75, |_, context| {
        former_policy_value("edit_topic_policy", context)
    }),
    (310, &REGISTER_REPLY, "realm_move_messages_between_streams_policy", 56, |_, context| {
        former_policy_value("move_messages_between_streams_policy", context)
    }),
    (307, &REGISTER_REPLY, "realm_add_custom_emoji_policy", 85, |_, context| {
        former_policy_value("add_custom_emoji_policy", context)
    }),
    (299, &REGISTER_REPLY, "realm_user_group_edit_policy", 0, |_, context| {
        former_policy_value("user_group_edit_policy", context)
    }),
    (291, &REGISTER_REPLY, "realm_delete_own_message_policy", 101, |_, context| {
        former_policy_value("delete_own_message_policy", context)
    }),
    (270, &REGISTER_REPLY, "realm_private_message_policy", 1, |_, context| {
        former_policy_value("private_message_policy", context)
    }),
    // The address is the same for all senders.
    (226, &SUBSCRIPTION, "email_address", 0, |channel, context| {
        let id = channel.get("stream_id").and_then(Value::as_i64).map(ChannelId);
        json!(id.map(|id| legacy_channel_email(context.realm, id)))
    }),
    (183, &REGISTER_REPLY, "realm_community_topic_editing_limit_seconds", 11, |_, context| {
        // One day, and three days from 38 on.
        json!(if context.level < 38 { 86_400 } else { 259_200 })
    }),
    (133, &SUBSCRIPTION, "role", 31, |_, _| json!(CHANNEL_MEMBER_ROLE)),
    (111, &PROPERTIES_REPLY, "subscription_data", 0, |_, context| {
        context.values.get("subscription_data").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }),
    (102, &REGISTER_REPLY, "realm_create_stream_policy", 0, |_, context| {
        permissions::number_for_permission(context, "can_create_public_channel_group")
    }),
    (101, &REGISTER_REPLY, "realm_allow_message_deleting", 0, |_, context| {
        json!(permissions::number_for_permission(context, "can_delete_own_message_group") != 2)
    }),
    (99, &REGISTER_REPLY, "realm_default_twenty_four_hour_time", 0, |_, _| json!(false)),
    (90, &UNREAD_TOPIC, "sender_ids", 0, sender_ids),
    (85, &REGISTER_REPLY, "realm_add_emoji_by_admins_only", 0, |_, context| {
        permissions::is_for_administrators(context, "can_add_custom_emoji_group")
    }),
    (75, &REGISTER_REPLY, "realm_allow_community_topic_editing", 0, |_, context| {
        json!(permissions::number_for_permission(context, "can_move_messages_between_topics_group") == 5)
    }),
    (53, &REGISTER_REPLY, "stream_name_max_length", 0, |_, _| json!(MAX_CHANNEL_NAME_LENGTH)),
    (53, &REGISTER_REPLY, "stream_description_max_length", 0, |_, _| json!(MAX_CHANNEL_DESCRIPTION_LENGTH)),
    (50, &REGISTER_REPLY, "realm_invite_by_admins_only", 0, |_, context| {
        permissions::is_for_administrators(context, "can_invite_users_group")
    }),
    (41, &SUBSCRIPTION_UPDATE_EVENT, "name", 0, |event, context| {
        let id = event.get("stream_id").and_then(Value::as_i64).map(ChannelId);
        json!(id.and_then(|id| context.realm.channels.get(&id)).map(|channel| channel.name.as_str()))
    }),
    (40, &SUBSCRIPTION_UPDATE_EVENT, "email", 0, |_, context| {
        json!(context.caller.map(|caller| context.realm.api_email(caller)))
    }),
    (26, &MESSAGE, "sender_short_name", 0, |message, _| json!(local_part(message, "sender_email"))),
    (22, &INVITE, "ref", 0, |invite, context| email_of_user(invite.get("invited_by_user_id"), context)),
    (16, &OWN_USER, "pointer", 0, |_, _| json!(-1)),
    (14, &SUBSCRIPTION, "is_old_stream", 0, |_, _| json!(false)),
    (10, &OWN_USER, "client_id", 0, |user, _| json!(client_id(user))),
    (10, &OWN_USER, "short_name", 0, |user, _| json!(local_part(user, "email"))),
    (7, &BOT_UPDATE_VALUES, "email", 0, |bot, context| {
        account_value(bot, context, |user| json!(context.realm.api_email(user)))
    }),
    (7, &EMOJI, "author", 0, emoji_author),
    (7, &USER_UPDATE_VALUES, "email", 0, |person, context| email_of_user(person.get("user_id"), context)),
    (5, &BOT, "owner", 0, |bot, context| {
        let owner = |user: &User| user.bot_owner().and_then(|owner| context.realm.user(owner));
        account_value(bot, context, |user| json!(owner(user).map(|owner| context.realm.api_email(owner))))
    }),
    (1, &USER, "bot_owner", 0, |user, context| email_of_user(user.get("bot_owner_id"), context)),
    (363, &OWN_USER, "is_billing_admin", 73, |_, _| json!(false)),
    (363, &USER, "is_billing_admin", 73, |_, _| json!(false)),
    (363, &REGISTER_REPLY, "is_billing_admin", 73, |_, _| json!(false)),
    (484, &REACTION_EVENT, "user", 0, |event, context| reacting_user(event, context, "user_id")),
    (328, &REACTION, "user", 0, |reaction, context| reacting_user(reaction, context, "id")),
    // Everyone.
    (163, &REGISTER_REPLY, "realm_email_address_visibility", 0, |_, _| json!(1)),
];

/// Whether a client requested a key of the register reply. Keys of the organization come together; others depend on the
/// requested types of events.
pub(super) fn is_requested(name: &str, reply: &Map<String, Value>, context: &DowngradeContext<'_>) -> bool {
    if name.starts_with("realm_") {
        return reply.contains_key("realm_name");
    }
    let event_type = match name {
        "push_devices" => "push_device",
        "is_billing_admin" | "can_subscribe_other_users" => "realm_user",
        // The maximum lengths of names and descriptions of channels.
        _ => "stream",
    };
    let text = ["fetch_event_types", "event_types"].iter().find_map(|parameter| context.values.get(*parameter));
    let types = text.and_then(|text| serde_json::from_str::<Vec<String>>(text).ok());
    types.is_none_or(|types| types.iter().any(|requested_type| requested_type == event_type))
}

/// The number of a policy that a permission replaced, by the name of the policy; null for an unknown name.
fn former_policy_value(policy: &str, context: &DowngradeContext<'_>) -> Value {
    json!(POLICIES.iter().find(|row| row.name == policy).map(|row| row.number(context.realm)))
}

/// The role of all subscribers: channels had no other roles.
const CHANNEL_MEMBER_ROLE: i64 = 50;

/// The part of an email address before the `@`.
fn local_part<'object>(object: &'object Map<String, Value>, key: &str) -> Option<&'object str> {
    object.get(key)?.as_str()?.split('@').next()
}

/// The email address of the user with an ID, as the caller sees it; null without an ID or for an unknown one.
pub(in crate::level) fn email_of_user(id: Option<&Value>, context: &DowngradeContext<'_>) -> Value {
    let id = id.and_then(Value::as_i64).map(UserId);
    json!(id.and_then(|id| context.realm.user(id)).map(|user| context.realm.email_shown_to(context.caller, user)))
}

/// The former ID of the client. Real servers generated another one for each reply; here it depends only on the account.
fn client_id(user: &Map<String, Value>) -> String {
    let email = user.get("email").and_then(Value::as_str).unwrap_or_default();
    let digest = Sha256::digest(email.as_bytes());
    digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The author of an emoji as an object.
fn emoji_author(emoji: &Map<String, Value>, context: &DowngradeContext<'_>) -> Value {
    let id = emoji.get("author_id").and_then(Value::as_i64).map(UserId);
    let author = id.and_then(|id| context.realm.user(id));
    json!(author.map(|user| json!({
        "id": user.id,
        "email": context.realm.email_shown_to(context.caller, user),
        "full_name": context.realm.name_shown_to(context.caller, user),
    })))
}

/// The IDs of the senders of a topic's unread messages.
fn sender_ids(topic: &Map<String, Value>, context: &DowngradeContext<'_>) -> Value {
    let ids = topic.get("unread_message_ids").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_i64);
    let sender_ids = ids.filter_map(|id| context.realm.messages.get(&MessageId(id))).map(|message| message.sender);
    json!(sender_ids.collect::<BTreeSet<UserId>>())
}

/// A value from the account of a bot, which its record repeated.
fn account_value(bot: &Map<String, Value>, context: &DowngradeContext<'_>, value: impl Fn(&User) -> Value) -> Value {
    let id = bot.get("user_id").and_then(Value::as_i64).unwrap_or_default();
    context.realm.user(UserId(id)).map_or(Value::Null, |user| value(user))
}

/// The user who reacted, with the present name and address (A-411 in docs/assumptions.md). The key of the ID differs
/// between events and messages.
fn reacting_user(reaction: &Map<String, Value>, context: &DowngradeContext<'_>, id_key: &str) -> Value {
    let id = reaction.get("user_id").and_then(Value::as_i64).unwrap_or_default();
    let Some(user) = context.realm.user(UserId(id)) else { return Value::Null };
    let email = context.realm.email_shown_to(context.caller, user);
    let full_name = context.realm.name_shown_to(context.caller, user);
    json!({id_key: id, "email": email, "full_name": full_name})
}

/// The value of the setting for the caller, or among the defaults for new users.
fn dense_mode(settings: &Map<String, Value>, context: &DowngradeContext<'_>) -> Value {
    const NAME: &str = "dense_mode";
    // Only the settings of the caller have a time zone.
    match context.caller.filter(|_| settings.contains_key("timezone")) {
        Some(caller) => context.realm.user_state(caller.id).setting_named(NAME).clone(),
        None => default_user_setting(context.realm, context.level, NAME),
    }
}

/// The caller's devices by the number that the client chose: it identified a device before devices had keys.
fn push_devices(context: &DowngradeContext<'_>) -> Value {
    let Some(caller) = context.caller else { return json!({}) };
    let state = context.realm.user_state(caller.id);
    let devices = state.devices.iter().map(|(id, device)| {
        let record = json!({"status": device.status(), "error_code": device.push_registration_error_code});
        (device.account_id(*id).to_string(), record)
    });
    devices.collect::<Map<String, Value>>().into()
}
