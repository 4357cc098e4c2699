//! The content of the files of exports.

use crate::realm::Realm;
use crate::realm::channel::Privacy;
use crate::realm::export::{Export, ExportKind};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::message::Message;
use crate::realm::user::User;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The JSON file of a finished export, from the present state: the organization, all users, public channels with their
/// messages, and if the kind includes them, the messages that consenting users received, with their channels.
pub fn export_file(realm: &Realm, export: &Export) -> Value {
    let consenting_users: BTreeSet<UserId> = match export.kind {
        ExportKind::Public => BTreeSet::new(),
        ExportKind::FullWithConsent => {
            realm.active_users.iter().copied().filter(|id| realm.consents_to_export(*id)).collect()
        }
    };
    let is_public = |id: ChannelId| matches!(realm.channels[&id].privacy, Privacy::WebPublic | Privacy::Public);
    let is_included = |message: &Message| {
        message.channel_and_topic().is_some_and(|(channel, _)| is_public(channel))
            || consenting_users.iter().any(|user| message.recipients.contains(user))
    };
    let messages: Vec<&Message> =
        realm.messages.values().map(AsRef::as_ref).filter(|message| is_included(message)).collect();
    let channels_with_messages: BTreeSet<ChannelId> =
        messages.iter().filter_map(|message| Some(message.channel_and_topic()?.0)).collect();
    let channels =
        realm.channels.values().filter(|channel| is_public(channel.id) || channels_with_messages.contains(&channel.id));
    let message_json = |message: &&Message| {
        json!({
            "id": message.id,
            "sender_id": message.sender,
            "stream_id": message.channel_and_topic().map(|(channel, _)| channel),
            "topic": message.channel_and_topic().map(|(_, topic)| topic),
            "content": message.body.content,
            "timestamp": message.sent_at.seconds(),
        })
    };
    let user_json = |user: &User| {
        json!({
            "user_id": user.id,
            "full_name": user.full_name,
            "is_bot": user.is_bot(),
            "is_active": user.is_active,
        })
    };
    json!({
        "organization": {"name": realm.organization.name, "description": realm.organization.description},
        "export_type": export.kind.number(),
        "users": realm.users.values().map(|user| user_json(user)).collect::<Vec<_>>(),
        "channels": channels
            .map(|channel| json!({"stream_id": channel.id, "name": channel.name, "description": channel.description}))
            .collect::<Vec<_>>(),
        "messages": messages.iter().map(message_json).collect::<Vec<_>>(),
    })
}
