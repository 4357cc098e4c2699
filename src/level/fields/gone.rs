//! Fields that are gone, and what stood in them.

use crate::api::channels::former_channel_email;
use crate::api::organization::policies::POLICIES;
use crate::realm::channel::MAX_CHANNEL_DESCRIPTION_LENGTH;
use crate::realm::setting_values::user_default;

use crate::level::Context;
use crate::level::behaviours::permissions::{self, policy};
use crate::level::objects::{
    BOT, BOT_NEWS, EMOJI, INVITE, MESSAGE, OWN_SUBSCRIPTION, OWN_USER, Object, PERSON, PROPERTIES_REPLY, REACTION,
    REACTION_EVENT, REGISTER, RESEND_REPLY, SETTINGS, SUBSCRIPTION_UPDATE, UNREAD_TOPIC, USER,
};
use crate::realm::channel::MAX_CHANNEL_NAME_LENGTH;
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::realm::permission::RealmPermission;
use crate::realm::user::User;
use crate::record::user::avatar_url;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// What stood in a field that is gone.
type Was = fn(&Map<String, Value>, &Context<'_>) -> Value;

/// Fields that went at a level: level, objects, name, the first level that had it, what stood in it.
pub(super) static ROWS: &[(i64, &Object, &str, i64, Was)] = &[
    (474, &BOT, "api_key", 0, |bot, context| bot_part(bot, context, |user| json!(user.api_key))),
    (474, &BOT, "avatar_url", 0, |bot, context| {
        bot_part(bot, context, |user| json!(avatar_url(context.realm, user, false)))
    }),
    (474, &BOT, "bot_type", 0, |bot, context| {
        bot_part(bot, context, |user| json!(user.bot.as_ref().map(|bot| bot.kind.number())))
    }),
    (474, &BOT, "email", 0, |bot, context| bot_part(bot, context, |user| json!(user.email))),
    (474, &BOT, "full_name", 0, |bot, context| bot_part(bot, context, |user| json!(user.full_name))),
    (474, &BOT, "is_active", 0, |bot, context| bot_part(bot, context, |user| json!(user.is_active))),
    (474, &BOT, "owner_id", 5, |bot, context| bot_part(bot, context, |user| json!(user.bot_owner()))),
    (468, &REGISTER, "push_devices", 406, |_, context| push_devices(context)),
    (426, &REGISTER, "realm_is_zephyr_mirror_realm", 0, |_, _| json!(false)),
    //
    (256, &RESEND_REPLY, "timestamp", 0, |_, context| json!(context.realm.now.seconds())),
    (364, &SETTINGS, "dense_mode", 89, dense_mode),
    (344, &REGISTER, "realm_bot_creation_policy", 0, |_, context| number_of("bot_creation_policy", context)),
    (341, &REGISTER, "can_subscribe_other_users", 0, |_, context| {
        json!(context.caller.is_some_and(|caller| context.realm.may(caller.id, RealmPermission::CanAddSubscribers)))
    }),
    (341, &REGISTER, "realm_invite_to_stream_policy", 0, |_, context| number_of("invite_to_stream_policy", context)),
    (321, &REGISTER, "realm_invite_to_realm_policy", 50, |_, context| number_of("invite_to_realm_policy", context)),
    (316, &REGISTER, "realm_edit_topic_policy", 75, |_, context| number_of("edit_topic_policy", context)),
    (310, &REGISTER, "realm_move_messages_between_streams_policy", 56, |_, context| {
        number_of("move_messages_between_streams_policy", context)
    }),
    (307, &REGISTER, "realm_add_custom_emoji_policy", 85, |_, context| number_of("add_custom_emoji_policy", context)),
    (299, &REGISTER, "realm_user_group_edit_policy", 0, |_, context| number_of("user_group_edit_policy", context)),
    (291, &REGISTER, "realm_delete_own_message_policy", 101, |_, context| {
        number_of("delete_own_message_policy", context)
    }),
    (270, &REGISTER, "realm_private_message_policy", 1, |_, context| number_of("private_message_policy", context)),
    //
    (226, &OWN_SUBSCRIPTION, "email_address", 0, |channel, context| {
        let id = channel.get("stream_id").and_then(Value::as_i64).map(ChannelId);
        json!(id.map(|id| former_channel_email(context.realm, id)))
    }),
    (183, &REGISTER, "realm_community_topic_editing_limit_seconds", 11, |_, context| {
        json!(if context.level < 38 { 86_400 } else { 259_200 })
    }),
    (133, &OWN_SUBSCRIPTION, "role", 31, |_, _| json!(MEMBER_OF_CHANNEL)),
    (111, &PROPERTIES_REPLY, "subscription_data", 0, |_, context| {
        context.values.get("subscription_data").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }),
    (102, &REGISTER, "realm_create_stream_policy", 0, |_, context| policy(context, "can_create_public_channel_group")),
    (101, &REGISTER, "realm_allow_message_deleting", 0, |_, context| {
        json!(policy(context, "can_delete_own_message_group") != 2)
    }),
    (99, &REGISTER, "realm_default_twenty_four_hour_time", 0, |_, _| json!(false)),
    (90, &UNREAD_TOPIC, "sender_ids", 0, senders),
    (85, &REGISTER, "realm_add_emoji_by_admins_only", 0, |_, context| {
        permissions::is_for_administrators(context, "can_add_custom_emoji_group")
    }),
    (75, &REGISTER, "realm_allow_community_topic_editing", 0, |_, context| {
        json!(policy(context, "can_move_messages_between_topics_group") == 5)
    }),
    (53, &REGISTER, "stream_name_max_length", 0, |_, _| json!(MAX_CHANNEL_NAME_LENGTH)),
    (53, &REGISTER, "stream_description_max_length", 0, |_, _| json!(MAX_CHANNEL_DESCRIPTION_LENGTH)),
    (50, &REGISTER, "realm_invite_by_admins_only", 0, |_, context| {
        permissions::is_for_administrators(context, "can_invite_users_group")
    }),
    (41, &SUBSCRIPTION_UPDATE, "name", 0, |event, context| {
        let id = event.get("stream_id").and_then(Value::as_i64).map(ChannelId);
        json!(id.and_then(|id| context.realm.channels.get(&id)).map(|channel| channel.name.as_str()))
    }),
    (40, &SUBSCRIPTION_UPDATE, "email", 0, |_, context| {
        json!(context.caller.map(|caller| context.realm.api_email(caller)))
    }),
    (26, &MESSAGE, "sender_short_name", 0, |message, _| json!(local_part(message, "sender_email"))),
    (22, &INVITE, "ref", 0, |invite, context| address_of(invite.get("invited_by_user_id"), context)),
    (16, &OWN_USER, "pointer", 0, |_, _| json!(-1)),
    (14, &OWN_SUBSCRIPTION, "is_old_stream", 0, |_, _| json!(false)),
    (10, &OWN_USER, "client_id", 0, |user, _| json!(client_id(user))),
    (10, &OWN_USER, "short_name", 0, |user, _| json!(local_part(user, "email"))),
    (7, &BOT_NEWS, "email", 0, |bot, context| bot_part(bot, context, |user| json!(context.realm.api_email(user)))),
    (7, &EMOJI, "author", 0, emoji_author),
    (7, &PERSON, "email", 0, |person, context| address_of(person.get("user_id"), context)),
    (5, &BOT, "owner", 0, |bot, context| {
        let owner = |user: &User| user.bot_owner().and_then(|owner| context.realm.user(owner));
        bot_part(bot, context, |user| json!(owner(user).map(|owner| context.realm.api_email(owner))))
    }),
    (1, &USER, "bot_owner", 0, |user, context| address_of(user.get("bot_owner_id"), context)),
    (363, &OWN_USER, "is_billing_admin", 73, |_, _| json!(false)),
    (363, &USER, "is_billing_admin", 73, |_, _| json!(false)),
    (363, &REGISTER, "is_billing_admin", 73, |_, _| json!(false)),
    (484, &REACTION_EVENT, "user", 0, |event, context| reacting_user(event, context, "user_id")),
    (328, &REACTION, "user", 0, |reaction, context| reacting_user(reaction, context, "id")),
    (163, &REGISTER, "realm_email_address_visibility", 0, |_, _| json!(1)),
];

/// Whether a register reply has a key: those of the organization come with each other, the others were asked for by
/// names of events.
pub(super) fn is_fetched(name: &str, reply: &Map<String, Value>, context: &Context<'_>) -> bool {
    if name.starts_with("realm_") {
        return reply.contains_key("realm_name");
    }
    let event = match name {
        "push_devices" => "push_device",
        "is_billing_admin" => "realm_user",
        _ => "stream",
    };
    let asked = ["fetch_event_types", "event_types"].iter().find_map(|list| context.values.get(*list));
    let types = asked.and_then(|list| serde_json::from_str::<Vec<String>>(list).ok());
    types.is_none_or(|types| types.iter().any(|kind| kind == event))
}

/// The number of a policy.
fn number_of(policy: &str, context: &Context<'_>) -> Value {
    json!(POLICIES.iter().find(|row| row.name == policy).map(|row| row.number(context.realm)))
}

/// The role of all in a channel, when there were administrators of channels to come.
const MEMBER_OF_CHANNEL: i64 = 50;

/// What is before the `@` of an address.
fn local_part<'object>(object: &'object Map<String, Value>, key: &str) -> Option<&'object str> {
    object.get(key)?.as_str()?.split('@').next()
}

/// A user's address for the API, by ID.
pub(in crate::level) fn address_of(id: Option<&Value>, context: &Context<'_>) -> Value {
    let id = id.and_then(Value::as_i64).map(UserId);
    json!(id.and_then(|id| context.realm.user(id)).map(|user| context.realm.email_shown_to(context.caller, user)))
}

/// A name for the client that asks, made up again by each reply of the real server, from the account alone here.
fn client_id(user: &Map<String, Value>) -> String {
    let email = user.get("email").and_then(Value::as_str).unwrap_or_default();
    let digest = Sha256::digest(email.as_bytes());
    digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Who made an emoji, when it was no number.
fn emoji_author(emoji: &Map<String, Value>, context: &Context<'_>) -> Value {
    let id = emoji.get("author_id").and_then(Value::as_i64).map(UserId);
    let author = id.and_then(|id| context.realm.user(id));
    json!(author.map(|user| json!({
        "id": user.id,
        "email": context.realm.email_shown_to(context.caller, user),
        "full_name": context.realm.name_shown_to(context.caller, user),
    })))
}

/// Who sent the unread messages of a topic.
fn senders(topic: &Map<String, Value>, context: &Context<'_>) -> Value {
    let ids = topic.get("unread_message_ids").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_i64);
    let senders = ids.filter_map(|id| context.realm.messages.get(&MessageId(id))).map(|message| message.sender);
    json!(senders.collect::<BTreeSet<UserId>>())
}

/// What a bot's record said of its account.
fn bot_part(bot: &Map<String, Value>, context: &Context<'_>, part: impl Fn(&User) -> Value) -> Value {
    let id = bot.get("user_id").and_then(Value::as_i64).unwrap_or_default();
    context.realm.user(UserId(id)).map_or(Value::Null, |user| part(user))
}

/// Who reacted, as they are called now (A-411 in docs/assumptions.md): events named the user's ID in another way than the
/// reactions of messages did.
fn reacting_user(reaction: &Map<String, Value>, context: &Context<'_>, id_key: &str) -> Value {
    let id = reaction.get("user_id").and_then(Value::as_i64).unwrap_or_default();
    let Some(user) = context.realm.user(UserId(id)) else { return Value::Null };
    let email = context.realm.email_shown_to(context.caller, user);
    let full_name = context.realm.name_shown_to(context.caller, user);
    json!({id_key: id, "email": email, "full_name": full_name})
}

/// Whether lists are dense: the caller's own choice, or what new users begin with.
fn dense_mode(settings: &Map<String, Value>, context: &Context<'_>) -> Value {
    const NAME: &str = "dense_mode";
    // What users begin with has no time zone.
    match context.caller.filter(|_| settings.contains_key("timezone")) {
        Some(caller) => context.realm.user_state(caller.id).setting_named(NAME).clone(),
        None => user_default(context.realm, context.level, NAME),
    }
}

/// The caller's devices by the number that the client chose, as they were known before they had keys of their own.
fn push_devices(context: &Context<'_>) -> Value {
    let Some(caller) = context.caller else { return json!({}) };
    let own = context.realm.user_state(caller.id);
    let devices = own.devices.iter().map(|(id, device)| {
        let record = json!({"status": device.status(), "error_code": device.push_registration_error_code});
        (device.account(*id).to_string(), record)
    });
    devices.collect::<Map<String, Value>>().into()
}
