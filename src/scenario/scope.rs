//! What has a value at a point of a scenario.

use super::directory::Directory;
use super::pattern::{Pattern, Shape};
use super::template::{Part, QueueField, Reference, Template, UserField};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};

/// An event queue that the scenario registered.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Whose it is.
    pub handle: String,
    /// Its id.
    pub id: String,
    /// The id of the last event that was fetched.
    pub last_fetched: i64,
    /// The id of the last event that was taken.
    pub last_taken: i64,
    /// Fetched, not taken.
    pub waiting: VecDeque<Value>,
}

/// What has a value.
#[derive(Debug, Default)]
pub struct Scope {
    /// Kept from replies and events.
    pub captured: BTreeMap<String, Value>,
    /// Registered queues by label.
    pub queues: BTreeMap<String, Queue>,
    /// Who and what there is.
    pub directory: Directory,
    /// The world's time in UNIX seconds.
    pub now: i64,
    /// A word of this playing's own.
    pub unique: String,
    /// The world's base URL.
    pub server: String,
}

impl Scope {
    /// The value of something.
    ///
    /// # Errors
    ///
    /// What there is not.
    pub fn value(&self, reference: &Reference) -> Result<Value, String> {
        match reference {
            Reference::Captured(name) => {
                self.captured.get(name).cloned().ok_or_else(|| format!("'{name}' was not captured"))
            }
            Reference::User(handle, field) => {
                let person = self.directory.person(handle).ok_or_else(|| format!("there is no user '{handle}'"))?;
                Ok(match field {
                    UserField::UserId => person.user_id.into(),
                    UserField::Email => person.email.clone().into(),
                    UserField::FullName => person.full_name.clone().into(),
                    UserField::ApiKey => person.api_key.clone().into(),
                })
            }
            Reference::Queue(label, field) => {
                let queue = self.queues.get(label).ok_or_else(|| format!("'{label}' has no queue"))?;
                Ok(match field {
                    QueueField::QueueId => queue.id.clone().into(),
                    QueueField::LastEventId => queue.last_taken.into(),
                })
            }
            Reference::Channel(name) => {
                let id = self.directory.channel(name).ok_or_else(|| format!("there is no channel '{name}'"))?;
                Ok(id.into())
            }
            Reference::Group(name) => {
                let id = self.directory.group(name).ok_or_else(|| format!("there is no group '{name}'"))?;
                Ok(id.into())
            }
            Reference::Message(beginning) => {
                let id = self.directory.message(beginning);
                Ok(id.ok_or_else(|| format!("no message begins with '{beginning}'"))?.into())
            }
            Reference::Now(offset) => Ok(self.now.saturating_add(*offset).into()),
            Reference::Unique => Ok(self.unique.clone().into()),
            Reference::Server => Ok(self.server.clone().into()),
            Reference::Origin => Ok(origin(&self.server).into()),
            Reference::Prefix => Ok(self.prefix().into()),
        }
    }

    /// A text with its values in their places; what is no text is there as JSON.
    ///
    /// # Errors
    ///
    /// What has no value.
    pub fn text(&self, template: &Template) -> Result<String, String> {
        self.text_with(template, |value| value)
    }

    /// The same with every value changed on its way.
    ///
    /// # Errors
    ///
    /// What has no value.
    pub fn text_with(&self, template: &Template, change: impl Fn(String) -> String) -> Result<String, String> {
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Literal(literal) => text.push_str(literal),
                Part::Reference(reference) => text.push_str(&change(plain(&self.value(reference)?))),
                Part::Matcher(_) | Part::Capture(..) => return Err("a request is made of values".to_owned()),
            }
        }
        Ok(text)
    }

    /// JSON with its values in their places, each of its own type where it is alone.
    ///
    /// # Errors
    ///
    /// What has no value.
    pub fn json(&self, pattern: &Pattern) -> Result<Value, String> {
        Ok(match &pattern.shape {
            Shape::Null => Value::Null,
            Shape::Boolean(value) => Value::Bool(*value),
            Shape::Number(number) => Value::Number(number.clone()),
            Shape::Text(template) => match template.only() {
                Some(Part::Reference(reference)) => self.value(reference)?,
                _ => self.text(template)?.into(),
            },
            Shape::Array(items) => items.iter().map(|item| self.json(item)).collect::<Result<_, _>>()?,
            Shape::Object(properties) => {
                let mut object = Map::new();
                for property in properties {
                    object.insert(self.text(&property.name)?, self.json(&property.value)?);
                }
                Value::Object(object)
            }
        })
    }
}

/// The scheme, host and port of a URL.
pub fn origin(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + 3);
    url[host..].find('/').map_or(url, |path| &url[..host + path])
}

impl Scope {
    /// The path of the base URL.
    fn prefix(&self) -> &str {
        &self.server[origin(&self.server).len()..]
    }

    /// A text for a file, in which the address of the world that was played in is written as a placeholder: the next
    /// playing has another.
    pub fn without_address(&self, text: &str) -> String {
        let text = if self.server.is_empty() { text.to_owned() } else { text.replace(&self.server, "{{server}}") };
        match self.prefix() {
            "" => text,
            prefix => text.replace(&format!("{prefix}/"), "{{prefix}}/"),
        }
    }
}

/// A value as it is in a text.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
