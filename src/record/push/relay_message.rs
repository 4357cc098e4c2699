//! The messages that the push relay sends to the push services of Google and Apple, which the API calls providers.
//!
//! Decisions on points that the specification leaves open: in docs/assumptions.md.

use super::{ServerProperties, encryption};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::message::MessagePlace;
use crate::realm::push::{Push, PushContent, PushService};
use serde_json::{Map, Value, json};

/// What the relay sends for a push: an object with `provider`, `push_key_id`, `encrypted_data` (both null if the push
/// is not encrypted) and `envelope`, which is the message to the push service.
pub fn build_relay_message(realm: &Realm, push: &Push, payload: &Value, server: ServerProperties<'_>) -> Value {
    let encrypted = push.key.as_ref().and_then(|key| Some((key, encryption::encrypt(key, push.id, payload)?)));
    let content = match &encrypted {
        Some((key, data)) => {
            let (key_field, key_id) = if Feature::PushesNameKeys.is_at(server.feature_level) {
                ("push_key_id", key.id)
            } else {
                ("push_account_id", key.account_id)
            };
            EnvelopeContent::Encrypted { key_field, key_id, data }
        }
        None => EnvelopeContent::Unencrypted(payload),
    };
    json!({
        "provider": push.service.name(),
        "push_key_id": encrypted.as_ref().map(|(key, _)| key.id),
        "encrypted_data": encrypted.as_ref().map(|(_, data)| data),
        "envelope": match push.service {
            PushService::Fcm => fcm_message(push, content),
            PushService::Apns => apns_message(realm, push, content, server),
        },
    })
}

/// The content of a message to the push service.
enum EnvelopeContent<'a> {
    /// `key_field` is the field that has the ID of the key.
    Encrypted {
        key_field: &'static str,
        key_id: i64,
        data: &'a str,
    },
    Unencrypted(&'a Value),
}

fn fcm_message(push: &Push, content: EnvelopeContent<'_>) -> Value {
    let data = match content {
        // Data messages contain only strings.
        EnvelopeContent::Encrypted { key_field, key_id, data } => {
            json!({key_field: key_id.to_string(), "encrypted_data": data})
        }
        EnvelopeContent::Unencrypted(payload) => payload.clone(),
    };
    let priority = if matches!(push.content, PushContent::Removal(_)) { "normal" } else { "high" };
    json!({"data": data, "android": {"priority": priority}})
}

fn apns_message(realm: &Realm, push: &Push, content: EnvelopeContent<'_>, server: ServerProperties<'_>) -> Value {
    match content {
        EnvelopeContent::Encrypted { key_field, key_id, data } => json!({
            key_field: key_id,
            "encrypted_data": data,
            "aps": {"mutable-content": 1, "alert": {"title": "New notification"}},
        }),
        EnvelopeContent::Unencrypted(payload) => {
            let mut message = Map::new();
            message.insert("aps".into(), aps(realm, push, payload, server.base_url));
            message.insert(server.product.into(), payload.clone());
            message.into()
        }
    }
}

/// The `aps` dictionary of an unencrypted push, which says what the phone shows.
fn aps(realm: &Realm, push: &Push, payload: &Value, base_url: &str) -> Value {
    let sender = || payload["sender_full_name"].as_str().unwrap_or_default();
    match &push.content {
        PushContent::Removal(_) => json!({"badge": 0}),
        PushContent::Message(_) => {
            let title = alert_title(realm, push, payload);
            let is_direct = payload["recipient_type"] == "direct";
            // In a one-to-one conversation the title is the sender's name.
            let subtitle = if is_direct && title == sender() { String::new() } else { format!("{}:", sender()) };
            let alert = json!({"title": title, "subtitle": subtitle, "body": payload["content"]});
            json!({"alert": alert, "sound": "default", "badge": 0})
        }
        PushContent::Test(_) | PushContent::Registration(_) => {
            json!({"alert": {"title": "Test notification", "body": format!("This is a test notification from {} ({}).", realm.organization.name, base_url)}, "sound": "default"})
        }
    }
}

/// The channel and the topic, the members of a group conversation, or the sender; "" unless the push is about a
/// message.
fn alert_title(realm: &Realm, push: &Push, payload: &Value) -> String {
    let text = |key: &str| payload[key].as_str().unwrap_or_default();
    let PushContent::Message(sent_message) = &push.content else { return String::new() };
    match &sent_message.message.place {
        MessagePlace::Channel { .. } => format!("#{} > {}", text("channel_name"), text("topic")),
        MessagePlace::Direct { conversation } => {
            let members = &realm.conversations[conversation].members;
            if members.len() <= 2 {
                return text("sender_full_name").to_owned();
            }
            let viewer = realm.user(push.user).map(AsRef::as_ref);
            let users = members.iter().filter_map(|id| realm.user(*id));
            let mut names: Vec<String> = users.map(|user| realm.name_shown_to(viewer, user).to_string()).collect();
            names.sort_unstable();
            names.join(", ")
        }
    }
}
