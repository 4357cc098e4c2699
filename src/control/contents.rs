//! What is in a world, whoever may see it: accounts, channels, groups and messages.

use super::calls::OfWorld;
use super::filters::Filters;
use super::{refused, users};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::channel::Channel;
use crate::realm::group::Group;
use crate::realm::id::{ChannelId, GroupId, MessageId, UserId};
use crate::realm::message::{Message, Place};
use crate::realm::permission::{CHANNEL_PERMISSIONS, GroupSettingValue};
use crate::realm::permission_holders::covers;
use crate::realm::topic::topics_of;
use crate::realm::user::{Role, User};
use crate::world::World;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Messages that are listed at once: unless a limit is given, and at most.
const LISTED: usize = 100;
const LISTED_MAX: usize = 1_000;

/// What is asked for, of a realm as it is.
pub struct ContentsQuery {
    realm: Arc<Realm>,
    seen_by: Option<Arc<User>>,
    user: Option<Arc<User>>,
    channel: Option<ChannelId>,
    topic: Option<String>,
    before: Option<MessageId>,
    limit: usize,
    rendered: bool,
}

impl ContentsQuery {
    /// Reads the filters.
    ///
    /// # Errors
    ///
    /// `ControlRefused` for an unknown user or channel.
    pub fn read(world: &World, filters: &Filters) -> Result<Self, Error> {
        let realm = world.snapshot();
        let named = |filter| filters.text(filter).map(|name| users::named(&realm, name, filter)).transpose();
        let (seen_by, user) = (named("seen_by")?, named("user")?);
        let number = |name| filters.number(name).map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        let channel = number("channel").map(ChannelId);
        if let Some(unknown) = channel.filter(|channel| !realm.channels.contains_key(channel)) {
            return Err(refused(format!("channel: there is no channel with the id {}", unknown.0)));
        }
        let limit = filters.number("limit").and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LISTED);
        Ok(Self {
            seen_by,
            user,
            channel,
            topic: filters.text("topic").map(str::to_owned),
            before: number("before").map(MessageId),
            limit: limit.min(LISTED_MAX),
            rendered: filters.is_on("rendered"),
            realm,
        })
    }
}

/// The list that a call is for.
///
/// # Errors
///
/// None of its own.
pub fn list(call: OfWorld, wanted: &ContentsQuery) -> Result<Value, Error> {
    let realm = &wanted.realm;
    let seen_by = wanted.seen_by.as_deref();
    Ok(match call {
        OfWorld::Users => json!({"users": accounts(wanted)}),
        OfWorld::Channels => {
            let channels = realm.channels.values().map(|channel| of_channel(realm, channel, seen_by));
            json!({"channels": channels.collect::<Vec<_>>()})
        }
        OfWorld::Groups => {
            json!({"groups": realm.groups.values().map(|group| of_group(realm, group)).collect::<Vec<_>>()})
        }
        _ => json!({"messages": messages(wanted)}),
    })
}

fn accounts(wanted: &ContentsQuery) -> Vec<Value> {
    let realm = &wanted.realm;
    match &wanted.user {
        Some(user) => vec![account(realm, user)],
        None => realm.users.values().map(|user| account(realm, user)).collect(),
    }
}

fn account(realm: &Realm, user: &User) -> Value {
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
        "unread": realm.unread(user.id).len(),
    })
}

fn of_channel(realm: &Realm, channel: &Channel, seen_by: Option<&User>) -> Value {
    let topics = topics_of(realm, channel.id).filter_map(|topic| {
        let newest = topic.messages.last()?;
        let (_, name) = realm.messages.get(&newest)?.channel()?;
        Some(json!({"name": &**name, "messages": topic.messages.len(), "newest": newest}))
    });
    let permissions = CHANNEL_PERMISSIONS.iter().filter_map(|setting| {
        let value = channel.permissions.get(setting.name)?;
        let holders = realm.active_users.iter().filter(|user| covers(realm, value, **user, setting));
        Some(json!({"name": setting.name, "holders": words(realm, value), "users": holders.collect::<Vec<_>>()}))
    });
    let mut row = json!({
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
        mark(&mut row, why_channel_is_hidden(realm, user, channel));
    }
    row
}

/// Who holds a permission, in words.
fn words(realm: &Realm, value: &GroupSettingValue) -> String {
    let group = |id: &GroupId| realm.groups.get(id).map_or_else(String::new, |group| group.name.clone());
    match value {
        GroupSettingValue::Group(id) => group(id),
        GroupSettingValue::Anonymous(anonymous) => {
            let people = anonymous.direct_members.iter().filter_map(|id| realm.user(*id));
            let people = people.map(|user| user.full_name.clone());
            people.chain(anonymous.direct_subgroups.iter().map(group)).collect::<Vec<_>>().join(", ")
        }
    }
}

fn of_group(realm: &Realm, group: &Group) -> Value {
    let subgroups = group.subgroups.iter().filter_map(|id| realm.groups.get(id)).map(|group| group.name.clone());
    json!({
        "group_id": group.id,
        "name": group.name,
        "description": group.description,
        "is_system": group.system.is_some(),
        "is_active": !group.is_deactivated,
        "members": group.members.iter().collect::<Vec<_>>(),
        "subgroups": subgroups.collect::<Vec<_>>(),
        "all_members": realm.all_members(group.id).iter().collect::<Vec<_>>(),
    })
}

fn messages(wanted: &ContentsQuery) -> Vec<Value> {
    let realm = &wanted.realm;
    let is_wanted = |message: &&Arc<Message>| {
        let place = message.channel();
        wanted.channel.is_none_or(|channel| place.is_some_and(|(own, _)| own == channel))
            && wanted.topic.as_deref().is_none_or(|topic| place.is_some_and(|(_, own)| **own == *topic))
            && wanted.before.is_none_or(|before| message.id < before)
    };
    let newest = realm.messages.values().rev().filter(is_wanted).take(wanted.limit);
    let row = |message: &Arc<Message>| {
        let mut row = of_message(realm, message, wanted.seen_by.as_deref());
        if wanted.rendered {
            row["rendered_content"] = message.body.rendered().into();
        }
        row
    };
    let mut rows: Vec<Value> = newest.map(row).collect();
    rows.reverse();
    rows
}

fn of_message(realm: &Realm, message: &Message, seen_by: Option<&User>) -> Value {
    let reactions = message.reactions.iter();
    let reactions = reactions.map(|one| json!({"emoji_name": one.emoji.emoji_name, "user_id": one.user}));
    let (channel, topic) = message.channel().map_or((None, None), |(channel, topic)| (Some(channel), Some(&**topic)));
    let to: Vec<UserId> = match &message.place {
        Place::Direct { .. } => message.recipients.iter().copied().collect(),
        Place::Channel { .. } => Vec::new(),
    };
    let mut row = json!({
        "message_id": message.id,
        "at": message.sent_at.fractional_seconds(),
        "sender_id": message.sender,
        "channel_id": channel,
        "topic": topic,
        "to": to,
        "content": message.body.content,
        "reactions": reactions.collect::<Vec<_>>(),
        "is_edited": message.last_edit.is_some(),
    });
    if let Some(user) = seen_by {
        mark(&mut row, why_message_is_hidden(realm, user, message));
        row["is_unread"] = realm.is_unread(user.id, message).into();
    }
    row
}

/// Says whether something is visible.
fn mark(row: &mut Value, hidden: Option<String>) {
    let mut marks = Map::from_iter([("visible".to_owned(), hidden.is_none().into())]);
    marks.extend(hidden.map(|reason| ("reason".to_owned(), reason.into())));
    row.as_object_mut().into_iter().for_each(|row| row.extend(marks.clone()));
}

fn why_channel_is_hidden(realm: &Realm, user: &User, channel: &Channel) -> Option<String> {
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

fn why_message_is_hidden(realm: &Realm, user: &User, message: &Message) -> Option<String> {
    if realm.can_see_message(user, message) {
        return None;
    }
    let name = &user.full_name;
    let Some((channel, _)) = message.channel() else {
        return Some(format!("A direct message, and {name} is not in the conversation."));
    };
    let channel = &realm.channels[&channel];
    Some(why_channel_is_hidden(realm, user, channel).unwrap_or_else(|| match realm.can_read(user, channel) {
        true => format!("The channel's history is protected, and {name} was not subscribed when this was sent."),
        false => format!("{name} sees the channel as an administrator, but may not read it without a subscription."),
    }))
}
