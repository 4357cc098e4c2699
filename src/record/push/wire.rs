//! A push as the relay hands it to the service that carries it to the phone.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use super::Sender;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::message::Place;
use crate::realm::push::{Push, PushContent, PushKey, PushService};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crypto_secretbox::aead::Aead;
use crypto_secretbox::{Key, KeyInit, Nonce, XSalsa20Poly1305};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// What the bytes of a key begin with whose algorithm is known: XSalsa20 with Poly1305, as NaCl's `secretbox`.
const SECRETBOX_PREFIX: u8 = 0x31;
/// Bytes of a nonce.
const NONCE_BYTES: usize = 24;

/// `provider`, `push_key_id`, `encrypted_data` and `envelope`: the provider's message.
pub fn wire(realm: &Realm, push: &Push, payload: &Value, sender: Sender<'_>) -> Value {
    let sealed = push.key.as_ref().and_then(|key| Some((key, seal(key, push.id, payload)?)));
    let carried = match &sealed {
        Some((key, data)) => {
            let (name, number) = if Feature::PushesNameKeys.is_at(sender.level) {
                ("push_key_id", key.id)
            } else {
                ("push_account_id", key.account)
            };
            Carried::Sealed { name, number, data }
        }
        None => Carried::Open(payload),
    };
    json!({
        "provider": push.service.name(),
        "push_key_id": sealed.as_ref().map(|(key, _)| key.id),
        "encrypted_data": sealed.as_ref().map(|(_, data)| data),
        "envelope": match push.service {
            PushService::Fcm => fcm_message(push, carried),
            PushService::Apns => apns_message(realm, push, carried, sender),
        },
    })
}

/// What an envelope holds.
enum Carried<'a> {
    Sealed { name: &'static str, number: i64, data: &'a str },
    Open(&'a Value),
}

/// The nonce and the sealed bytes of a payload, base64; None for a key of no known algorithm.
///
/// The nonce follows from what is sealed, so that a push reads the same whenever it is listed.
fn seal(key: &PushKey, push: u64, payload: &Value) -> Option<String> {
    let bytes = STANDARD.decode(&key.key).ok()?;
    let (SECRETBOX_PREFIX, secret) = bytes.split_first().map(|(prefix, secret)| (*prefix, secret))? else {
        return None;
    };
    let secret: [u8; 32] = secret.try_into().ok()?;
    let text = payload.to_string();
    let digest = Sha256::new().chain_update(secret).chain_update(push.to_be_bytes()).chain_update(&text).finalize();
    let nonce = &digest[..NONCE_BYTES];
    let sealed =
        XSalsa20Poly1305::new(Key::from_slice(&secret)).encrypt(Nonce::from_slice(nonce), text.as_bytes()).ok()?;
    Some(STANDARD.encode([nonce, &sealed].concat()))
}

fn fcm_message(push: &Push, carried: Carried<'_>) -> Value {
    let data = match carried {
        // The service carries texts only.
        Carried::Sealed { name, number, data } => json!({name: number.to_string(), "encrypted_data": data}),
        Carried::Open(payload) => payload.clone(),
    };
    let priority = if matches!(push.content, PushContent::Removal(_)) { "normal" } else { "high" };
    json!({"data": data, "android": {"priority": priority}})
}

fn apns_message(realm: &Realm, push: &Push, carried: Carried<'_>, sender: Sender<'_>) -> Value {
    match carried {
        Carried::Sealed { name, number, data } => json!({
            name: number,
            "encrypted_data": data,
            "aps": {"mutable-content": 1, "alert": {"title": "New notification"}},
        }),
        Carried::Open(payload) => {
            let mut message = Map::new();
            message.insert("aps".into(), aps(realm, push, payload, sender.base_url));
            message.insert(sender.product.into(), payload.clone());
            message.into()
        }
    }
}

/// What the phone shows of a push that is not encrypted.
fn aps(realm: &Realm, push: &Push, payload: &Value, base_url: &str) -> Value {
    let sender = || payload["sender_full_name"].as_str().unwrap_or_default();
    match &push.content {
        PushContent::Removal(_) => json!({"badge": 0}),
        PushContent::Message(_) => {
            let title = title(realm, push, payload);
            let is_direct = payload["recipient_type"] == "direct";
            // In a conversation of two the title names the sender already.
            let subtitle = if is_direct && title == sender() { String::new() } else { format!("{}:", sender()) };
            let alert = json!({"title": title, "subtitle": subtitle, "body": payload["content"]});
            json!({"alert": alert, "sound": "default", "badge": 0})
        }
        PushContent::Test(_) | PushContent::Registration(_) => {
            json!({"alert": {"title": "Test notification", "body": format!("This is a test notification from {} ({}).", realm.organization.name, base_url)}, "sound": "default"})
        }
    }
}

/// The first line: the channel and the topic, the members of a group, or who sent it.
fn title(realm: &Realm, push: &Push, payload: &Value) -> String {
    let text = |key: &str| payload[key].as_str().unwrap_or_default();
    let PushContent::Message(sent) = &push.content else { return String::new() };
    match &sent.message.place {
        Place::Channel { .. } => format!("#{} > {}", text("channel_name"), text("topic")),
        Place::Direct { conversation } => {
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
