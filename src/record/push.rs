//! What the push relay was handed, as those who steer a world see it.

mod payload;
mod text;
mod wire;

use crate::realm::Realm;
use crate::realm::push::{Push, PushContent, PushTarget};
use payload::payload;
use serde_json::{Value, json};
use wire::wire;

/// Where pushes come from, as their readers know it.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'a> {
    /// The organization's address, without a slash at its end.
    pub base_url: &'a str,
    /// The server's feature level.
    pub level: i64,
    /// What the product is called in messages of Apple's service: `chat`, or a dialect's name.
    pub product: &'a str,
}

/// A push: `id`, `at`, `user`, `kind`, `device_id` or `token`, `payload` in the clear, and `wire`: what a phone gets.
pub fn push_record(realm: &Realm, push: &Push, sender: Sender<'_>) -> Value {
    let mut record = json!({
        "id": push.id,
        "at": push.at.fractional_seconds(),
        "user": realm.user(push.user).map(|user| user.email.clone()),
        "kind": push.content.kind(),
    });
    match &push.to {
        PushTarget::Device(device) => record["device_id"] = json!(device),
        PushTarget::Token(token) => record["token"] = json!(token),
    }
    let payload = payload(realm, push, sender);
    // The relay keeps a registration to itself.
    let wire = match push.content {
        PushContent::Registration(_) => Value::Null,
        _ => wire(realm, push, &payload, sender),
    };
    record["payload"] = payload;
    record["wire"] = wire;
    record
}
