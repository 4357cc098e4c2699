//! Uploaded files: who may read them, and addresses that need no credentials.

pub mod temporary;

use crate::realm::Realm;
use crate::realm::channel::Privacy;
use crate::realm::message::Attachment;
use crate::realm::user::User;

/// Whether somebody may read a file: its owner, and whoever can see a message that links it; anonymous visitors only
/// through messages in web-public channels.
pub fn can_read(realm: &Realm, viewer: Option<&User>, attachment: &Attachment) -> bool {
    if viewer.is_some_and(|viewer| viewer.id == attachment.owner) {
        return true;
    }
    let mut messages = attachment.messages.iter().filter_map(|id| realm.messages.get(id));
    messages.any(|message| match viewer {
        Some(viewer) => realm.can_see_message(viewer, message),
        None => {
            let channel = message.channel().map(|(channel, _)| &realm.channels[&channel]);
            realm.has_public_access() && channel.is_some_and(|channel| channel.privacy == Privacy::WebPublic)
        }
    })
}
