//! Worlds at other feature levels than the newest.

mod accounts;
mod channel_rules;
mod channels;
mod content;
mod documents;
mod fields;
mod former;
mod groups;
mod html;
mod moves;
mod narrows;
mod notices;
mod order;
mod organization;
mod people;
mod permissions;
mod pushes;
mod recorded;
mod recorded_checks;
mod recorded_effects;
mod recorded_requests;
mod recorded_state;
mod recorded_steps;
mod recorded_words;
mod settings;
mod since_498;
mod table;
mod topics;
mod tour;
mod values;
mod webhooks;
mod worlds;

use crate::support::{TestServer, User};
use serde_json::{Value, json};

/// The built-in realm at some level.
pub struct Age<'server> {
    server: &'server TestServer,
    name: String,
    url: String,
}

impl<'server> Age<'server> {
    /// A world at a level, with the data of the default one.
    pub async fn at(server: &'server TestServer, level: i64) -> Age<'server> {
        let body = json!({"fork_of": "default", "feature_level": level});
        let reply = control(server, "/control/worlds", &body).await;
        let text = |key: &str| reply[key].as_str().unwrap_or_else(|| panic!("{reply:#}")).to_owned();
        Age { server, name: text("name"), url: text("url") }
    }

    /// A world just below a level, and one at it.
    pub async fn around(server: &'server TestServer, level: i64) -> [Age<'server>; 2] {
        [Self::at(server, level - 1).await, Self::at(server, level).await]
    }

    /// Worlds at two levels.
    pub async fn at_both(server: &'server TestServer, older: i64, newer: i64) -> [Age<'server>; 2] {
        [Self::at(server, older).await, Self::at(server, newer).await]
    }

    /// A user of this world.
    pub fn user(&self, handle: &str) -> User {
        self.server.user_at(&self.url, &self.name, handle)
    }

    /// Somebody without credentials.
    pub fn anonymous(&self) -> User {
        User::new(self.url.clone(), None)
    }
}

/// Sends to a channel as levels of any age take it; the message's ID.
pub async fn send_old(user: &User, channel: &str, topic: &str, content: &str) -> Value {
    let message = json!({"type": "stream", "to": channel, "topic": topic, "content": content});
    user.post("/messages", message).await.success()["id"].take()
}

/// POST to control; the reply.
pub async fn control(server: &TestServer, path: &str, body: &Value) -> Value {
    let bytes = body.to_string().into_bytes();
    server.anonymous().send("POST", path, body, bytes, Some("application/json")).await.body
}
