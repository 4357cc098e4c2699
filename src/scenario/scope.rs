//! The values that placeholders have while a scenario is played.

use super::directory::Directory;
use super::pattern::{Pattern, PatternValue};
use super::template::{Part, QueueField, Reference, Template, UserField};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};

/// An event queue that the scenario registered.
#[derive(Clone, Debug)]
pub struct Queue {
    /// The handle of its owner.
    pub handle: String,
    /// ID from the register reply.
    pub id: String,
    /// The ID of the last event that was fetched; at first `last_event_id` of the register reply.
    pub last_fetched_id: i64,
    /// The ID of the last event that the scenario consumed; at first `last_event_id` of the register reply.
    pub last_consumed_id: i64,
    /// Events that were fetched, but not consumed.
    pub pending: VecDeque<Value>,
}

impl Queue {
    /// A new queue, whose register reply has this `last_event_id`.
    pub fn new(handle: String, id: String, last_event_id: i64) -> Self {
        Self { handle, id, last_fetched_id: last_event_id, last_consumed_id: last_event_id, pending: VecDeque::new() }
    }
}

/// The values of placeholders.
#[derive(Debug, Default)]
pub struct Scope {
    /// Values captured from replies and events, by name.
    pub captured: BTreeMap<String, Value>,
    /// Registered queues, by label.
    pub queues: BTreeMap<String, Queue>,
    /// The users, channels, groups and messages of the world.
    pub directory: Directory,
    /// The world's time in UNIX seconds, when the latest block with a reference to it began.
    pub now: i64,
    /// A word that no earlier run in the same organization has used.
    pub unique_word: String,
    /// The world's base URL, without a trailing slash.
    pub base_url: String,
}

impl Scope {
    /// The value of a reference.
    ///
    /// # Errors
    ///
    /// A message that says what does not exist.
    pub fn value(&self, reference: &Reference) -> Result<Value, String> {
        match reference {
            Reference::Captured(name) => {
                self.captured.get(name).cloned().ok_or_else(|| format!("'{name}' was not captured"))
            }
            Reference::User(handle, field) => {
                let user = self.directory.user(handle).ok_or_else(|| format!("there is no user '{handle}'"))?;
                Ok(match field {
                    UserField::UserId => user.user_id.into(),
                    UserField::Email => user.email.clone().into(),
                    UserField::FullName => user.full_name.clone().into(),
                    UserField::ApiKey => user.api_key.clone().into(),
                })
            }
            Reference::Queue(label, field) => {
                let queue = self.queues.get(label).ok_or_else(|| format!("'{label}' has no queue"))?;
                Ok(match field {
                    QueueField::QueueId => queue.id.clone().into(),
                    QueueField::LastEventId => queue.last_consumed_id.into(),
                })
            }
            Reference::Channel(name) => {
                let id = self.directory.channel_id(name).ok_or_else(|| format!("there is no channel '{name}'"))?;
                Ok(id.into())
            }
            Reference::Group(name) => {
                let id = self.directory.group_id(name).ok_or_else(|| format!("there is no group '{name}'"))?;
                Ok(id.into())
            }
            Reference::Message(beginning) => {
                let id = self.directory.message_id(beginning);
                Ok(id.ok_or_else(|| format!("no message begins with '{beginning}'"))?.into())
            }
            Reference::Now(offset) => Ok(self.now.saturating_add(*offset).into()),
            Reference::Unique => Ok(self.unique_word.clone().into()),
            Reference::Server => Ok(self.base_url.clone().into()),
            Reference::Origin => Ok(origin(&self.base_url).into()),
            Reference::Prefix => Ok(self.prefix().into()),
        }
    }

    /// Replaces the references in a template with their values. Values that are not strings are written as JSON.
    ///
    /// # Errors
    ///
    /// A message, if a placeholder has no value, or is a matcher or a capture.
    pub fn resolve_text(&self, template: &Template) -> Result<String, String> {
        self.resolve_text_with(template, |value| value)
    }

    /// Does the same as [`Scope::resolve_text`], with a conversion of each value.
    ///
    /// # Errors
    ///
    /// A message, if a placeholder has no value, or is a matcher or a capture.
    pub fn resolve_text_with(&self, template: &Template, convert: impl Fn(String) -> String) -> Result<String, String> {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Reference(reference) => text.push_str(&convert(to_text(&self.value(reference)?))),
                Part::Matcher(_) | Part::Capture(..) => return Err("a request is made of values".to_owned()),
            }
        }
        Ok(text)
    }

    /// Replaces the references in a pattern with their values. A reference without other text keeps the type of its
    /// value.
    ///
    /// # Errors
    ///
    /// A message, if a placeholder has no value, or is a matcher or a capture.
    pub fn resolve_json(&self, pattern: &Pattern) -> Result<Value, String> {
        Ok(match &pattern.value {
            PatternValue::Null => Value::Null,
            PatternValue::Boolean(value) => Value::Bool(*value),
            PatternValue::Number(number) => Value::Number(number.clone()),
            PatternValue::Text(template) => match template.only_part() {
                Some(Part::Reference(reference)) => self.value(reference)?,
                _ => self.resolve_text(template)?.into(),
            },
            PatternValue::Array(items) => items.iter().map(|item| self.resolve_json(item)).collect::<Result<_, _>>()?,
            PatternValue::Object(properties) => {
                let mut object = Map::new();
                for property in properties {
                    object.insert(self.resolve_text(&property.name)?, self.resolve_json(&property.value)?);
                }
                Value::Object(object)
            }
        })
    }

    /// The path of the world's base URL; empty if the URL has no path.
    fn prefix(&self) -> &str {
        &self.base_url[origin(&self.base_url).len()..]
    }

    /// Replaces the world's URL and its path in a text with placeholders, because the next run has another URL.
    pub fn insert_url_placeholders(&self, text: &str) -> String {
        let text = if self.base_url.is_empty() { text.to_owned() } else { text.replace(&self.base_url, "{{server}}") };
        match self.prefix() {
            "" => text,
            prefix => text.replace(&format!("{prefix}/"), "{{prefix}}/"),
        }
    }
}

/// The scheme, host and port of a URL.
pub fn origin(url: &str) -> &str {
    let host_start = url.find("://").map_or(0, |scheme_end| scheme_end + 3);
    url[host_start..].find('/').map_or(url, |host_length| &url[..host_start + host_length])
}

/// A value as text: strings without quotes, other values as JSON.
pub fn to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
