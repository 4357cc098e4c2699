//! The payloads of push notifications, before any encryption.

use super::ServerProperties;
use super::html::{group_mentions, html_to_text};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::event::SentMessage;
use crate::realm::group::Group;
use crate::realm::id::UserId;
use crate::realm::message::{Message, MessagePlace};
use crate::realm::push::{Push, PushContent, PushTarget};
use crate::realm::setting::RealmSetting;
use crate::record::avatar::{AvatarSize, UNKNOWN_AVATAR_URL, avatar_url};
use serde_json::{Map, Value, json};

/// The maximum length of a message's text in a notification, in code points (A-55 in docs/assumptions.md).
const MAX_TEXT_LENGTH: usize = 200;
/// A removal lists at most this many messages, the newest, so that it stays below the 4 KiB limit of Apple's service.
const MAX_REMOVED_MESSAGES: usize = 200;

/// The payload of a push: the client's own for registrations and tests, otherwise an object of the type `message` or
/// `remove`.
pub fn build_payload(realm: &Realm, push: &Push, server: ServerProperties<'_>) -> Value {
    match &push.content {
        PushContent::Registration(payload) | PushContent::Test(payload) => payload.clone(),
        PushContent::Message(sent_message) => {
            let mut payload = message_payload(realm, push.user, sent_message, server);
            // Unencrypted notifications do not contain the text if the organization requires encryption.
            let is_unencrypted = matches!(push.to, PushTarget::Token(_));
            if is_unencrypted && realm.organization.is_enabled(RealmSetting::RequireE2eePushNotifications) {
                payload.insert("content".into(), "New message".into());
            }
            with_common_fields(realm, push, "message", server, payload)
        }
        PushContent::Removal(messages) => {
            let newest = &messages[messages.len().saturating_sub(MAX_REMOVED_MESSAGES)..];
            let payload = Map::from_iter([("message_ids".to_owned(), json!(newest))]);
            with_common_fields(realm, push, "remove", server, payload)
        }
    }
}

/// Adds the fields that notifications of messages and of removals have in common.
fn with_common_fields(
    realm: &Realm,
    push: &Push,
    kind: &str,
    server: ServerProperties<'_>,
    payload: Map<String, Value>,
) -> Value {
    let mut fields = Map::from_iter([
        ("type".to_owned(), kind.into()),
        ("realm_url".to_owned(), server.base_url.into()),
        ("realm_name".to_owned(), realm.organization.name.as_str().into()),
        ("user_id".to_owned(), json!(push.user)),
    ]);
    fields.extend(payload);
    fields.into()
}

/// Truncates a text to [`MAX_TEXT_LENGTH`] and then adds `…`.
fn truncate_text(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_LENGTH) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn message_payload(
    realm: &Realm,
    user_id: UserId,
    sent_message: &SentMessage,
    ServerProperties { base_url, feature_level, .. }: ServerProperties<'_>,
) -> Map<String, Value> {
    let message = &sent_message.message;
    let viewer = realm.user(user_id).map(AsRef::as_ref);
    let name = realm.name_shown_to(viewer, &sent_message.sender);
    let is_accessible = viewer.is_none_or(|viewer| realm.can_access_user(viewer, sent_message.sender.id));
    let sender_avatar_url = if is_accessible {
        avatar_url(realm, &sent_message.sender, AvatarSize::Small)
    } else {
        UNKNOWN_AVATAR_URL.to_owned()
    };
    let absolute_avatar_url =
        if sender_avatar_url.starts_with('/') { format!("{base_url}{sender_avatar_url}") } else { sender_avatar_url };
    let mut payload = Map::from_iter([
        ("message_id".to_owned(), json!(message.id)),
        ("sender_id".to_owned(), json!(message.sender)),
        ("sender_full_name".to_owned(), name.into()),
        ("sender_avatar_url".to_owned(), absolute_avatar_url.into()),
        ("time".to_owned(), message.sent_at.seconds().into()),
        ("content".to_owned(), truncate_text(html_to_text(&message.body.rendered_html())).into()),
    ]);
    let place_fields = match (&message.place, &sent_message.channel) {
        (MessagePlace::Channel { channel: channel_id, topic }, channel) => json!({
            "recipient_type": "channel",
            "channel_id": channel_id,
            "channel_name": channel.as_ref().map(|channel| channel.name.as_str()),
            "topic": topic,
        }),
        (MessagePlace::Direct { conversation }, _) => {
            let members = &realm.conversations[conversation].members;
            let mut place_fields = json!({"recipient_type": "direct"});
            if Feature::PushesListRecipients.is_at(feature_level) {
                place_fields["recipient_user_ids"] = json!(members);
            } else if members.len() > 2 {
                // Older payloads have the recipients of group conversations only.
                let ids: Vec<String> = members.iter().map(ToString::to_string).collect();
                place_fields["pm_users"] = ids.join(",").into();
            }
            place_fields
        }
    };
    if let Value::Object(place_fields) = place_fields {
        payload.extend(place_fields);
    }
    if let Some(group) = mentioned_group(realm, user_id, message) {
        payload.insert("mentioned_user_group_id".into(), json!(group.id));
        payload.insert("mentioned_user_group_name".into(), group.name.as_str().into());
    }
    payload
}

/// The group with the fewest members through which a message mentions a user. None if it mentions the user by name, or
/// through no group.
fn mentioned_group<'realm>(realm: &'realm Realm, user_id: UserId, message: &Message) -> Option<&'realm Group> {
    if message.body.mentioned_users.contains(&user_id) || !message.body.group_mentioned_users.contains(&user_id) {
        return None;
    }
    let html = message.body.rendered_html();
    let ids = group_mentions(&html).filter(|id| realm.is_member_of_any([*id], user_id));
    ids.filter_map(|id| realm.groups.get(&id))
        .map(AsRef::as_ref)
        .min_by_key(|group| realm.active_members_of_any([group.id]).len())
}
