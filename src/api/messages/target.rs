//! From the parameter `to` to a channel or people.

use super::MessageType;
use super::parameter::Recipients;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::send::Target;
use crate::realm::user::User;
use serde_json::Value;

/// Resolves the recipients of a message.
///
/// # Errors
///
/// For channels, in this order: `OneChannelExpected`, `InvalidChannelType`, `MissingTopic`, `UnknownChannel`,
/// `UnknownChannelId`. For people: `NoRecipients`, `InvalidRecipientsType`, `MixedRecipients`,
/// `InvalidRecipientEmail`, `InvalidRecipientId`.
pub fn resolve(
    realm: &Realm,
    sender: &User,
    kind: MessageType,
    to: &Recipients,
    topic: Option<String>,
) -> Result<Target, Error> {
    match kind {
        MessageType::Channel => {
            let operand = one_channel(&to.0)?;
            let topic = topic.ok_or(Error::MissingTopic)?;
            Ok(Target::Channel { channel: channel(realm, sender, operand)?, topic })
        }
        MessageType::Direct => Ok(Target::Direct { users: people(realm, &to.0)? }),
    }
}

fn one_channel(to: &Value) -> Result<&Value, Error> {
    let one = match to {
        Value::Array(items) => match items.as_slice() {
            [only] => only,
            [] => return Err(Error::MissingChannel),
            _ => return Err(Error::OneChannelExpected),
        },
        other => other,
    };
    match one {
        Value::String(name) if name.trim().is_empty() => Err(Error::MissingChannel),
        Value::String(_) => Ok(one),
        Value::Number(number) if number.is_i64() => Ok(one),
        _ => Err(Error::InvalidChannelType),
    }
}

/// A channel that the sender may not know of is as good as none.
fn channel(realm: &Realm, sender: &User, operand: &Value) -> Result<ChannelId, Error> {
    let found = match operand {
        Value::String(name) => realm.channel_by_name(name.trim()),
        other => other.as_i64().and_then(|id| realm.channels.get(&ChannelId(id))),
    };
    let is_known = |channel: &&std::sync::Arc<crate::realm::channel::Channel>| {
        let owner = sender.bot_owner().and_then(|owner| realm.user(owner));
        realm.can_see(sender, channel)
            || owner.is_some_and(|owner| realm.can_see(owner, channel))
            || channel.privacy.is_private()
    };
    match (found.filter(is_known), operand) {
        (Some(channel), _) => Ok(channel.id),
        (None, Value::String(name)) => Err(Error::UnknownChannel { stream: name.trim().into() }),
        (None, id) => Err(Error::UnknownChannelId { stream_id: id.clone().into() }),
    }
}

fn people(realm: &Realm, to: &Value) -> Result<Vec<UserId>, Error> {
    let items: Vec<Value> = match to {
        Value::Array(items) => items.clone(),
        Value::String(emails) => {
            emails.split(',').map(|email| email.trim().into()).filter(|email| email != "").collect()
        }
        Value::Number(_) => vec![to.clone()],
        _ => return Err(Error::InvalidRecipientsType),
    };
    if items.is_empty() {
        return Err(Error::NoRecipients);
    }
    let (texts, numbers) =
        (items.iter().filter(|item| item.is_string()).count(), items.iter().filter(|item| item.is_i64()).count());
    if texts + numbers != items.len() {
        return Err(Error::InvalidRecipientsType);
    }
    if texts > 0 && numbers > 0 {
        return Err(Error::MixedRecipients);
    }
    let mut users = Vec::new();
    for item in &items {
        let user = match item {
            Value::String(email) => {
                let user = realm.user_known_as(email);
                user.ok_or_else(|| Error::InvalidRecipientEmail { email: email.as_str().into() })?
            }
            id => {
                let user = id.as_i64().and_then(|id| realm.user(UserId(id)));
                user.ok_or_else(|| Error::InvalidRecipientId { user_id: id.clone().into() })?
            }
        };
        if !users.contains(&user.id) {
            users.push(user.id);
        }
    }
    Ok(users)
}
