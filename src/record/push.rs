//! Control's record of a push: what the relay received, and what it sends to the phone's push service.

#[cfg(feature = "encrypted-pushes")]
mod encryption;
mod html;
mod payload;
mod relay_message;

/// Without the feature, the payload of no push is encrypted.
#[cfg(not(feature = "encrypted-pushes"))]
mod encryption {
    use crate::realm::push::PushKey;
    use serde_json::Value;

    pub fn encrypt(_key: &PushKey, _push_id: u64, _payload: &Value) -> Option<String> {
        None
    }
}

use crate::realm::Realm;
use crate::realm::push::{Push, PushContent, PushTarget};
use payload::build_payload;
use relay_message::build_relay_message;
use serde_json::{Value, json};

/// The properties of the server that push notifications contain.
#[derive(Clone, Copy, Debug)]
pub struct ServerProperties<'a> {
    /// The organization's URL, without a trailing slash.
    pub base_url: &'a str,
    /// The world's feature level.
    pub feature_level: i64,
    /// The key of the payload in messages for Apple's service: `chat`, or a dialect's name.
    pub product: &'a str,
}

/// A push as control shows it: an object with `id`, `at`, `user`, `kind`, `device_id` or `token`, the unencrypted
/// `payload`, and `wire`, which the relay sends to the phone's push service; null for registrations.
pub fn push_record(realm: &Realm, push: &Push, server: ServerProperties<'_>) -> Value {
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
    let payload = build_payload(realm, push, server);
    // The relay does not forward registrations.
    let wire = match push.content {
        PushContent::Registration(_) => Value::Null,
        _ => build_relay_message(realm, push, &payload, server),
    };
    record["payload"] = payload;
    record["wire"] = wire;
    record
}
