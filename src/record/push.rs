//! What the push relay was handed, as those who steer a world see it.

use crate::realm::Realm;
use crate::realm::event::SentMessage;
use crate::realm::id::UserId;
use crate::realm::message::Place;
use crate::realm::push::{Push, PushContent, PushTarget};
use crate::realm::text::truncate;
use crate::record::user::{UNKNOWN_AVATAR_URL, avatar_url};
use serde_json::{Map, Value, json};

/// Longest text of a message in a notification, in code points.
const MAX_TEXT_LENGTH: usize = 200;

/// A push: `id`, `at`, `user`, `kind`, `device_id` or `token`, `payload`. Addresses in it begin with `base_url`.
pub fn push_record(realm: &Realm, push: &Push, base_url: &str) -> Value {
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
    let is_plain = matches!(push.to, PushTarget::Token(_));
    record["payload"] = match &push.content {
        PushContent::Registration(payload) | PushContent::Test(payload) => payload.clone(),
        PushContent::Message(sent) => {
            let mut payload = message(realm, push.user, sent, base_url);
            // What is not encrypted says nothing where the organization wants encryption.
            if is_plain && realm.organization.is_on("require_e2ee_push_notifications") {
                payload.insert("content".into(), "New message".into());
            }
            whole(realm, push, "message", base_url, payload)
        }
        PushContent::Removal(messages) => {
            whole(realm, push, "remove", base_url, Map::from_iter([("message_ids".to_owned(), json!(messages))]))
        }
    };
    record
}

/// What every notification says of where it comes from, and what this one says besides.
fn whole(realm: &Realm, push: &Push, kind: &str, base_url: &str, payload: Map<String, Value>) -> Value {
    let mut whole = Map::from_iter([
        ("type".to_owned(), kind.into()),
        ("realm_url".to_owned(), base_url.into()),
        ("realm_name".to_owned(), realm.organization.name.as_str().into()),
        ("user_id".to_owned(), json!(push.user)),
    ]);
    whole.extend(payload);
    whole.into()
}

fn message(realm: &Realm, reader: UserId, sent: &SentMessage, base_url: &str) -> Map<String, Value> {
    let message = &sent.message;
    let viewer = realm.user(reader).map(AsRef::as_ref);
    let name = realm.name_shown_to(viewer, &sent.sender);
    let is_known = viewer.is_none_or(|viewer| realm.can_access_user(viewer, sent.sender.id));
    let picture = if is_known { avatar_url(realm, &sent.sender, false) } else { UNKNOWN_AVATAR_URL.to_owned() };
    let picture = if picture.starts_with('/') { format!("{base_url}{picture}") } else { picture };
    let mut payload = Map::from_iter([
        ("message_id".to_owned(), json!(message.id)),
        ("sender_id".to_owned(), json!(message.sender)),
        ("sender_full_name".to_owned(), name.into()),
        ("sender_avatar_url".to_owned(), picture.into()),
        ("time".to_owned(), message.sent_at.seconds().into()),
        ("content".to_owned(), truncate(&message.body.content, MAX_TEXT_LENGTH, "…").into()),
    ]);
    let place = match (&message.place, &sent.channel) {
        (Place::Channel { channel, topic }, of) => json!({
            "recipient_type": "channel",
            "channel_id": channel,
            "channel_name": of.as_ref().map(|channel| channel.name.as_str()),
            "topic": topic,
        }),
        (Place::Direct { conversation }, _) => json!({
            "recipient_type": "direct",
            "recipient_user_ids": realm.conversations[conversation].members,
        }),
    };
    if let Value::Object(place) = place {
        payload.extend(place);
    }
    payload
}
