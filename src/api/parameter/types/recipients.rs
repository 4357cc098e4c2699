//! Where a message goes: the parameters that say so, and what they mean.

use crate::api::parameter::{Expected, Parameter, words};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::channel::checked_channel_name;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::send::Target;
use crate::realm::text::normal_content;
use crate::realm::user::User;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use std::collections::BTreeSet;

words! {
    /// Where a message goes; two words for each.
    pub enum MessageType {
        /// To a channel.
        Channel = "channel" | "stream",
        /// To people.
        Direct = "direct" | "private",
    }
}

/// `to`: a channel's name or ID, users' IDs or addresses, one or a list; raw text or JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipients(pub Value);

impl Parameter for Recipients {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        // What is not JSON is a name or an address as it is; most names are not even like JSON.
        let may_be_json =
            text.trim_start().starts_with(|first: char| "[{\"-tfn".contains(first) || first.is_ascii_digit());
        let json = may_be_json.then(|| serde_json::from_str(text).ok()).flatten();
        Ok(Self(json.unwrap_or_else(|| Value::from(text))))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "A name, an address, an ID, or a JSON list of one kind."})
    }
}

impl Expected<Recipients> {
    /// Those of the request, or the sender's own channel where a message to a channel has none.
    ///
    /// # Errors
    ///
    /// `MissingParameter`, where there is neither.
    pub fn or_default(self, sender: &User, kind: MessageType) -> Result<Recipients, Error> {
        let own = sender.bot_defaults().sending_channel.filter(|_| kind == MessageType::Channel);
        match (self.0, own) {
            (None, Some(channel)) => Ok(Recipients(channel.0.into())),
            (to, _) => Expected(to).present("to"),
        }
    }
}

/// Resolves the recipients of a message.
///
/// # Errors
///
/// For channels, in this order: `OneChannelExpected`, `InvalidChannelType`, `MissingTopic`, those of
/// [`checked_channel_name`], `UnknownChannel`, `UnknownChannelId`. For people: `NoRecipients`, `InvalidRecipientsType`,
/// `MixedRecipients`, `InvalidRecipientEmail`, `InvalidRecipientId`.
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
        MessageType::Direct => Ok(Target::Direct { users: people(realm, sender, &to.0)? }),
    }
}

/// Checks the content of a message, and before it what is looked at before: all of [`resolve`] but whether the channel
/// exists.
///
/// # Errors
///
/// Those of [`resolve`] and of [`normal_content`].
pub fn check_content(
    realm: &Realm,
    sender: &User,
    kind: MessageType,
    to: &Recipients,
    topic: Option<&str>,
    content: &str,
) -> Result<(), Error> {
    let Err(refusal) = normal_content(content) else { return Ok(()) };
    match kind {
        MessageType::Channel => {
            one_channel(&to.0)?;
            topic.ok_or(Error::MissingTopic)?;
        }
        MessageType::Direct => _ = people(realm, sender, &to.0)?,
    }
    Err(refusal)
}

fn one_channel(to: &Value) -> Result<&Value, Error> {
    let one = match to {
        Value::Array(items) => match items.as_slice() {
            [only] => only,
            _ => return Err(Error::OneChannelExpected),
        },
        other => other,
    };
    match one {
        Value::String(_) => Ok(one),
        Value::Number(number) if number.is_i64() => Ok(one),
        _ => Err(Error::InvalidChannelType),
    }
}

/// The refusal of a message to a channel that the sender can't see, in words that name it where the sender did (A-452 in
/// docs/assumptions.md).
pub fn in_given_name(realm: &Realm, to: &Recipients, refusal: Error) -> Error {
    match (&refusal, one_channel(&to.0)) {
        (Error::UnknownChannelId { .. }, Ok(Value::String(name))) => {
            let known = realm.channel_by_name(name.trim()).map_or(name.trim(), |channel| channel.name.as_str());
            Error::NotAuthorizedToSend { channel_name: known.into() }
        }
        _ => refusal,
    }
}

/// The channel of this name or number. One is found by its name whoever may know of it: whether the sender may post there is
/// another question. By its number it is found by those who can see it, since the refusal would tell others its name.
fn channel(realm: &Realm, sender: &User, operand: &Value) -> Result<ChannelId, Error> {
    let found = match operand {
        Value::String(name) => {
            let name = checked_channel_name(name)?;
            realm.channel_by_name(&name).ok_or_else(|| Error::UnknownChannel { stream: escaped(&name).into() })
        }
        id => {
            let found = id.as_i64().and_then(|id| realm.channels.get(&ChannelId(id)));
            let found = found.filter(|channel| realm.is_seen_by_sender(sender, channel));
            found.ok_or_else(|| Error::UnknownChannelId { stream_id: id.clone().into() })
        }
    };
    found.map(|channel| channel.id)
}

/// A name as HTML, which is how the refusal of an unknown one gives it.
fn escaped(name: &str) -> String {
    let mut html = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#x27;"),
            other => html.push(other),
        }
    }
    html
}

fn people(realm: &Realm, sender: &User, to: &Value) -> Result<Vec<UserId>, Error> {
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
    // The first one decides what all have to be.
    if !items[0].is_string() && !items[0].is_i64() {
        return Err(Error::InvalidRecipientsType);
    }
    if texts.max(numbers) != items.len() {
        return Err(Error::MixedRecipients);
    }
    let mut users = Vec::new();
    let mut seen = BTreeSet::new();
    for item in &items {
        let user = match item {
            Value::String(email) => {
                let user = realm.user_known_as(Some(sender), email);
                user.ok_or_else(|| Error::InvalidRecipientEmail { email: email.as_str().into() })?
            }
            id => {
                let user = id.as_i64().and_then(|id| realm.user(UserId(id)));
                user.ok_or_else(|| Error::InvalidRecipientId { user_id: id.clone().into() })?
            }
        };
        if seen.insert(user.id) {
            users.push(user.id);
        }
    }
    Ok(users)
}
