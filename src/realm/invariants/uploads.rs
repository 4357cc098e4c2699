//! Invariants of uploads, pictures and custom emoji.

use super::{Invariant, mismatch, violations_of};
use crate::realm::Realm;
use crate::realm::id::MessageId;
use crate::realm::user::AvatarSource;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const ALL: &[Invariant] = &[
    Invariant {
        name: "uploads-know-their-messages",
        meaning: "An upload's messages are those that link to it.",
        check: check_uploads_know_their_messages,
    },
    Invariant {
        name: "upload-space",
        meaning: "The space that uploads use is the sum of their sizes.",
        check: check_upload_space,
    },
    Invariant {
        name: "blobs-are-kept",
        meaning: "The bytes of every upload, picture and custom emoji are stored.",
        check: check_blobs_are_kept,
    },
    Invariant {
        name: "emoji-names-are-unique",
        meaning: "No two custom emoji that can be used have the same name.",
        check: check_emoji_names_are_unique,
    },
];

fn check_uploads_know_their_messages(realm: &Realm) -> Vec<String> {
    let mut linking_messages: BTreeMap<&str, BTreeSet<MessageId>> = BTreeMap::new();
    for message in realm.messages.values() {
        for path_id in &message.body.uploads {
            linking_messages.entry(path_id).or_default().insert(message.id);
        }
    }
    violations_of(realm.attachments.iter(), |(path_id, attachment)| {
        let expected = linking_messages.remove(path_id.as_str()).unwrap_or_default();
        (attachment.messages != expected || attachment.path_id != *path_id)
            .then(|| format!("upload {path_id} is linked by {:?}, should be by {expected:?}", attachment.messages))
    })
}

fn check_upload_space(realm: &Realm) -> Vec<String> {
    let expected = realm.computed_upload_space();
    mismatch("uploads use", &realm.upload_space_used, &expected)
}

fn check_blobs_are_kept(realm: &Realm) -> Vec<String> {
    let avatars = realm.users.values().flat_map(|user| match &user.avatar.source {
        AvatarSource::Provider => Vec::new(),
        AvatarSource::Uploaded { blob, medium_blob } => vec![blob, medium_blob],
    });
    let uploads = realm.attachments.values().map(|attachment| &attachment.blob);
    let emoji = realm.custom_emoji.values().map(|emoji| &emoji.blob);
    let organization_pictures = realm.organization.pictures.values().filter_map(|picture| picture.blob.as_ref());
    violations_of(avatars.chain(uploads).chain(emoji).chain(organization_pictures), |blob| {
        (!realm.blobs.contains_key(blob)).then(|| format!("no bytes are stored under {blob}"))
    })
}

fn check_emoji_names_are_unique(realm: &Realm) -> Vec<String> {
    let mut names = BTreeSet::new();
    violations_of(realm.custom_emoji.values().filter(|emoji| !emoji.is_deactivated), |emoji| {
        (!names.insert(&emoji.name)).then(|| format!("two custom emoji are called {}", emoji.name))
    })
}
