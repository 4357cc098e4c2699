//! The parameters `type`, `to` and `topic`, which say where a message goes, and how they are resolved.

use crate::api::parameter::{Parameter, RequiredParameter, string_enum};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::channel::validate_channel_name;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::send::Target;
use crate::realm::text::normalize_content;
use crate::realm::user::User;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use std::collections::BTreeSet;

string_enum! {
    /// The parameter `type` of a message. The second word of each is the legacy one.
    pub enum MessageType {
        Channel = "channel" | "stream",
        Direct = "direct" | "private",
    }
}

/// The parameter `to`: the name or ID of a channel, or IDs or email addresses of users; one value or a list; raw text
/// or JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipients(pub Value);

impl Parameter for Recipients {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        // Text that is not JSON is a name or an address. Parsing is skipped where the first character rules JSON out.
        let may_be_json =
            text.trim_start().starts_with(|first: char| "[{\"-tfn".contains(first) || first.is_ascii_digit());
        let json = may_be_json.then(|| serde_json::from_str(text).ok()).flatten();
        Ok(Self(json.unwrap_or_else(|| Value::from(text))))
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "A name, an address, an ID, or a JSON list of one kind."})
    }
}

impl RequiredParameter<Recipients> {
    /// The recipients of the request; without them, for a channel message of a bot, the bot's default channel.
    ///
    /// # Errors
    ///
    /// `MissingParameter` if there is neither.
    pub fn or_default_channel(self, sender: &User, kind: MessageType) -> Result<Recipients, Error> {
        let default_channel = sender.bot_defaults().sending_channel.filter(|_| kind == MessageType::Channel);
        match (self.0, default_channel) {
            (None, Some(channel)) => Ok(Recipients(channel.0.into())),
            (to, _) => RequiredParameter(to).require("to"),
        }
    }
}

/// Resolves `to` and `topic` to a channel or to users.
///
/// # Errors
///
/// For channels, in this order: `OneChannelExpected`, `InvalidChannelType`, `MissingTopic`, those of
/// [`validate_channel_name`], `UnknownChannel`, `UnknownChannelId`. For users: `NoRecipients`,
/// `InvalidRecipientsType`, `MixedRecipients`, `InvalidRecipientEmail`, `InvalidRecipientId`.
pub fn resolve(
    realm: &Realm,
    sender: &User,
    kind: MessageType,
    to: &Recipients,
    topic: Option<String>,
) -> Result<Target, Error> {
    match kind {
        MessageType::Channel => {
            let name_or_id = single_channel(&to.0)?;
            let topic = topic.ok_or(Error::MissingTopic)?;
            Ok(Target::Channel { channel: resolve_channel(realm, sender, name_or_id)?, topic })
        }
        MessageType::Direct => Ok(Target::Direct { users: resolve_direct_recipients(realm, sender, &to.0)? }),
    }
}

/// Checks the content of a message. For a content that is refused, the errors below that take precedence are looked for
/// first.
///
/// # Errors
///
/// First those of [`resolve`], for channels only `OneChannelExpected`, `InvalidChannelType` and `MissingTopic`; then
/// those of [`normalize_content`].
pub fn check_content(
    realm: &Realm,
    sender: &User,
    kind: MessageType,
    to: &Recipients,
    topic: Option<&str>,
    content: &str,
) -> Result<(), Error> {
    let Err(error) = normalize_content(content) else { return Ok(()) };
    match kind {
        MessageType::Channel => {
            single_channel(&to.0)?;
            topic.ok_or(Error::MissingTopic)?;
        }
        MessageType::Direct => _ = resolve_direct_recipients(realm, sender, &to.0)?,
    }
    Err(error)
}

/// The name or ID of the only channel in `to`.
fn single_channel(to: &Value) -> Result<&Value, Error> {
    let name_or_id = match to {
        Value::Array(items) => match items.as_slice() {
            [item] => item,
            _ => return Err(Error::OneChannelExpected),
        },
        other => other,
    };
    match name_or_id {
        Value::String(_) => Ok(name_or_id),
        Value::Number(number) if number.is_i64() => Ok(name_or_id),
        _ => Err(Error::InvalidChannelType),
    }
}

/// Replaces the refusal of a message to a channel that the sender can't see: if the request has the channel's name, the
/// error may repeat the name instead of the ID (A-452 in docs/assumptions.md).
pub fn name_channel_in_error(realm: &Realm, to: &Recipients, error: Error) -> Error {
    match (&error, single_channel(&to.0)) {
        (Error::UnknownChannelId { .. }, Ok(Value::String(name))) => {
            let name = realm.channel_by_name(name.trim()).map_or(name.trim(), |channel| channel.name.as_str());
            Error::NotAuthorizedToSend { channel_name: name.into() }
        }
        _ => error,
    }
}

/// Finds the channel with a name or ID. A name finds any channel; whether the sender may post there is checked later.
/// An ID finds only channels that the sender can see, because a later refusal would disclose the channel's name.
fn resolve_channel(realm: &Realm, sender: &User, name_or_id: &Value) -> Result<ChannelId, Error> {
    let channel = match name_or_id {
        Value::String(name) => {
            let name = validate_channel_name(name)?;
            realm.channel_by_name(&name).ok_or_else(|| Error::UnknownChannel { stream: escape_html(&name).into() })
        }
        id => {
            let channel = id.as_i64().and_then(|id| realm.channels.get(&ChannelId(id)));
            let channel = channel.filter(|channel| realm.sender_can_see(sender, channel));
            channel.ok_or_else(|| Error::UnknownChannelId { stream_id: id.clone().into() })
        }
    };
    channel.map(|channel| channel.id)
}

/// Escapes a name as HTML, as the API does in the error for an unknown channel.
fn escape_html(name: &str) -> String {
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

fn resolve_direct_recipients(realm: &Realm, sender: &User, to: &Value) -> Result<Vec<UserId>, Error> {
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
    let (text_count, number_count) =
        (items.iter().filter(|item| item.is_string()).count(), items.iter().filter(|item| item.is_i64()).count());
    // The type of the first item decides which error a mixed list gets.
    if !items[0].is_string() && !items[0].is_i64() {
        return Err(Error::InvalidRecipientsType);
    }
    if text_count.max(number_count) != items.len() {
        return Err(Error::MixedRecipients);
    }
    let mut users = Vec::new();
    let mut seen_ids = BTreeSet::new();
    for item in &items {
        let user = match item {
            Value::String(email) => {
                let user = realm.user_by_displayed_email(Some(sender), email);
                user.ok_or_else(|| Error::InvalidRecipientEmail { email: email.as_str().into() })?
            }
            id => {
                let user = id.as_i64().and_then(|id| realm.user(UserId(id)));
                user.ok_or_else(|| Error::InvalidRecipientId { user_id: id.clone().into() })?
            }
        };
        if seen_ids.insert(user.id) {
            users.push(user.id);
        }
    }
    Ok(users)
}
