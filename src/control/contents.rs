//! The calls that list a world's users, channels, groups and messages, whoever may see them.

use super::calls::WorldCall;
use super::query::Query;
use super::{refusal, users};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::group::Group;
use crate::realm::id::{ChannelId, GroupId, MessageId, UserId};
use crate::realm::message::{Message, MessagePlace};
use crate::realm::permission::{CHANNEL_PERMISSIONS, GroupSettingValue};
use crate::realm::permission_holders::includes_user;
use crate::realm::topic::topics_of_channel;
use crate::realm::user::{Role, User};
use crate::world::World;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The number of listed messages without the parameter `limit`.
const DEFAULT_LIMIT: usize = 100;
/// The largest number of listed messages.
const MAX_LIMIT: usize = 1_000;

/// The query of a list, with the realm to list from.
pub struct ContentsQuery {
    realm: Arc<Realm>,
    /// For channels and messages: whether this user can see them is added.
    seen_by: Option<Arc<User>>,
    /// For users: the only one to list.
    user: Option<Arc<User>>,
    // The others are for messages only.
    channel: Option<ChannelId>,
    topic: Option<String>,
    before: Option<MessageId>,
    limit: usize,
    includes_html: bool,
}

impl ContentsQuery {
    /// Reads and checks the query of a request.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for an unknown user or channel, or an ambiguous handle.
    pub fn read(world: &World, query: &Query) -> Result<Self, Error> {
        let realm = world.snapshot();
        let find_user =
            |parameter| query.text(parameter).map(|name| users::find_user(&realm, name, parameter)).transpose();
        let (seen_by, user) = (find_user("seen_by")?, find_user("user")?);
        let number = |name| query.number(name).map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let channel = number("channel").map(ChannelId);
        if let Some(unknown_channel) = channel.filter(|channel| !realm.channels.contains_key(channel)) {
            return Err(refusal(format!("channel: there is no channel with the id {}", unknown_channel.0)));
        }
        let limit = query.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        Ok(Self {
            seen_by,
            user,
            channel,
            topic: query.text("topic").map(str::to_owned),
            before: number("before").map(MessageId),
            limit: limit.min(MAX_LIMIT),
            includes_html: query.is_true("rendered"),
            realm,
        })
    }
}

/// The data of the reply to one of the calls `Users`, `Channels`, `Groups` and `Messages`.
pub fn list(call: WorldCall, query: &ContentsQuery) -> Value {
    let realm = &query.realm;
    let seen_by = query.seen_by.as_deref();
    match call {
        WorldCall::Users => json!({"users": user_records(query)}),
        WorldCall::Channels => {
            let channels = realm.channels.values().map(|channel| channel_record(realm, channel, seen_by));
            json!({"channels": channels.collect::<Vec<_>>()})
        }
        WorldCall::Groups => {
            json!({"groups": realm.groups.values().map(|group| group_record(realm, group)).collect::<Vec<_>>()})
        }
        _ => json!({"messages": message_records(query)}),
    }
}

fn user_records(query: &ContentsQuery) -> Vec<Value> {
    let realm = &query.realm;
    match &query.user {
        Some(user) => vec![user_record(realm, user)],
        None => realm.users.values().map(|user| user_record(realm, user)).collect(),
    }
}

fn user_record(realm: &Realm, user: &User) -> Value {
    let owner = user.bot_owner().and_then(|owner| realm.user(owner));
    json!({
        "user_id": user.id,
        "email": user.email,
        "full_name": user.full_name,
        "role": user.role.name(),
        "is_active": user.is_active,
        "is_bot": user.is_bot(),
        "is_system": user.is_system_bot(),
        "owner": owner.map(|owner| owner.email.clone()),
        "api_key": user.api_key,
        "unread": realm.unread_messages(user.id).len(),
    })
}

fn channel_record(realm: &Realm, channel: &Channel, seen_by: Option<&User>) -> Value {
    let topics = topics_of_channel(realm, channel.id).filter_map(|topic| {
        let newest = topic.messages.last()?;
        let (_, name) = realm.messages.get(&newest)?.channel_and_topic()?;
        Some(json!({"name": &**name, "messages": topic.messages.len(), "newest": newest}))
    });
    let permissions = CHANNEL_PERMISSIONS.iter().filter_map(|setting| {
        let value = channel.permissions.get(setting.name)?;
        let holders = realm.active_users.iter().filter(|user| includes_user(realm, value, **user, setting));
        Some(json!({"name": setting.name, "holders": holder_names(realm, value), "users": holders.collect::<Vec<_>>()}))
    });
    let mut record = json!({
        "channel_id": channel.id,
        "name": channel.name,
        "description": channel.description,
        "rendered_description": channel.rendered_description,
        "privacy": channel.privacy,
        "is_archived": channel.is_archived,
        "folder": channel.folder.and_then(|folder| realm.folders.get(&folder)).map(|folder| folder.name.clone()),
        "creator": channel.creator.and_then(|creator| realm.user(creator)).map(|creator| creator.email.clone()),
        "messages": realm.channel_messages.get(&channel.id).map_or(0, |messages| messages.len()),
        "subscribers": channel.subscribers.iter().collect::<Vec<_>>(),
        "topics": topics.collect::<Vec<_>>(),
        "permissions": permissions.collect::<Vec<_>>(),
    });
    if let Some(user) = seen_by {
        add_visibility(&mut record, hidden_reason_of_channel(realm, user, channel));
    }
    record
}

/// The names of the users and groups that hold a permission, separated by commas.
fn holder_names(realm: &Realm, value: &GroupSettingValue) -> String {
    let group_name = |id: &GroupId| realm.groups.get(id).map_or_else(String::new, |group| group.name.clone());
    match value {
        GroupSettingValue::Group(id) => group_name(id),
        GroupSettingValue::Anonymous(anonymous) => {
            let people = anonymous.direct_members.iter().filter_map(|id| realm.user(*id));
            let people = people.map(|user| user.full_name.clone());
            people.chain(anonymous.direct_subgroups.iter().map(group_name)).collect::<Vec<_>>().join(", ")
        }
    }
}

fn group_record(realm: &Realm, group: &Group) -> Value {
    let subgroups = group.subgroups.iter().filter_map(|id| realm.groups.get(id)).map(|group| group.name.clone());
    json!({
        "group_id": group.id,
        "name": group.name,
        "description": group.description,
        "is_system": group.system.is_some(),
        "is_active": !group.is_deactivated,
        "members": group.members.iter().collect::<Vec<_>>(),
        "subgroups": subgroups.collect::<Vec<_>>(),
        "all_members": realm.active_members_within(group.id).iter().collect::<Vec<_>>(),
    })
}

fn message_records(query: &ContentsQuery) -> Vec<Value> {
    let realm = &query.realm;
    let matches = |message: &&Arc<Message>| {
        let place = message.channel_and_topic();
        query.channel.is_none_or(|channel| place.is_some_and(|(id, _)| id == channel))
            && query.topic.as_deref().is_none_or(|topic| place.is_some_and(|(_, name)| **name == *topic))
            && query.before.is_none_or(|before| message.id < before)
    };
    let newest = realm.messages.values().rev().filter(matches).take(query.limit);
    let to_record = |message: &Arc<Message>| {
        let mut record = message_record(realm, message, query.seen_by.as_deref());
        if query.includes_html {
            record["rendered_content"] = message.body.rendered_html().into();
        }
        record
    };
    let mut records: Vec<Value> = newest.map(to_record).collect();
    records.reverse();
    records
}

fn message_record(realm: &Realm, message: &Message, seen_by: Option<&User>) -> Value {
    let reactions = message.reactions.iter();
    let reactions =
        reactions.map(|reaction| json!({"emoji_name": reaction.emoji.emoji_name, "user_id": reaction.user}));
    let (channel, topic) =
        message.channel_and_topic().map_or((None, None), |(channel, topic)| (Some(channel), Some(&**topic)));
    let to: Vec<UserId> = match &message.place {
        MessagePlace::Direct { .. } => message.recipients.iter().copied().collect(),
        MessagePlace::Channel { .. } => Vec::new(),
    };
    let mut record = json!({
        "message_id": message.id,
        "at": message.sent_at.fractional_seconds(),
        "sender_id": message.sender,
        "channel_id": channel,
        "topic": topic,
        "to": to,
        "content": message.body.content,
        "reactions": reactions.collect::<Vec<_>>(),
        "is_edited": message.last_edited_at.is_some(),
    });
    if let Some(user) = seen_by {
        add_visibility(&mut record, hidden_reason_of_message(realm, user, message));
        record["is_unread"] = realm.is_unread(user.id, message).into();
    }
    record
}

/// Adds `visible` to the record of a channel or message, and `reason` if there is a reason why it is hidden.
fn add_visibility(record: &mut Value, hidden_reason: Option<String>) {
    let mut fields = Map::from_iter([("visible".to_owned(), hidden_reason.is_none().into())]);
    fields.extend(hidden_reason.map(|reason| ("reason".to_owned(), reason.into())));
    record.as_object_mut().into_iter().for_each(|record| record.extend(fields.clone()));
}

fn hidden_reason_of_channel(realm: &Realm, user: &User, channel: &Channel) -> Option<String> {
    if realm.can_see(user, channel) {
        return None;
    }
    let name = &user.full_name;
    Some(match user.role {
        Role::Guest if !channel.privacy.is_private() => {
            format!("{name} is a guest: guests see only web-public channels and those that they are subscribed to.")
        }
        _ => format!("The channel is private, and {name} is not subscribed and holds none of its permissions."),
    })
}

fn hidden_reason_of_message(realm: &Realm, user: &User, message: &Message) -> Option<String> {
    if realm.can_see_message(user, message) {
        return None;
    }
    let name = &user.full_name;
    let Some((channel, _)) = message.channel_and_topic() else {
        return Some(format!("A direct message, and {name} is not in the conversation."));
    };
    let channel = &realm.channels[&channel];
    Some(hidden_reason_of_channel(realm, user, channel).unwrap_or_else(|| match realm.can_read(user, channel) {
        true => format!("The channel's history is protected, and {name} was not subscribed when this was sent."),
        false => format!("{name} sees the channel as an administrator, but may not read it without a subscription."),
    }))
}
