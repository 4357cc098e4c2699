//! Custom emoji: listing, uploading and deactivating them.

use super::parameter::parameters;
use super::{OperationContext, Read, Success, Write, operation};
use crate::api::changes::pictures::check_picture_with_type;
use crate::error::Error;
use crate::realm::emoji::CustomEmoji;
use crate::realm::event::{DeliveryCondition, Event, EventData, EventKind, Payload, WholeList};
use crate::realm::id::EmojiId;
use crate::realm::permission::RealmPermission;
use crate::realm::tx::Tx;
use crate::realm::{Realm, picture};
use crate::record::emoji::{self, EmojiRecord};
use crate::record::events::{EmojiChange, RealmEmojiAdd, RealmEmojiUpdateOne};
use chat_markdown::emoji::EXTRA_EMOJI;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

operation! {
    /// Lists the custom emoji.
    pub GetCustomEmoji = GET "/realm/emoji", for User;
    reply CustomEmojiReply;
}

/// The organization's emoji.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CustomEmojiReply {
    /// By ID; including deactivated ones.
    pub emoji: BTreeMap<String, EmojiRecord>,
}

impl Read for GetCustomEmoji {
    fn run(realm: &Realm, _context: &OperationContext<'_>, _params: Self::Params) -> Result<CustomEmojiReply, Error> {
        Ok(CustomEmojiReply { emoji: emoji::records_by_id(realm, &realm.custom_emoji) })
    }
}

operation! {
    /// Adds a custom emoji from an uploaded picture: PNG, GIF, JPEG or WebP.
    pub UploadCustomEmoji = POST "/realm/emoji/{emoji_name}", for HumanNotGuest;
    params from CustomEmojiParams;
    errors [
        EmojiNameEmpty, EmojiNameInvalidEnding, EmojiNameInvalidCharacters, InsufficientPermission, CustomEmojiExists,
        OneFileExpected, MayNotOverrideEmoji, PictureTooLarge, BadImage,
    ];
    events [RealmEmojiAdd, RealmEmojiUpdate];
    takes files;
}

parameters! {
    /// An upload also has the picture, the only file of a multipart body, with any name.
    pub struct CustomEmojiParams {
        /// When uploading: lowercase letters, digits, dashes and underscores, ending in a letter or digit; spaces
        /// become underscores. When deactivating: the exact name.
        @path emoji_name: String,
    }
}

impl Write for UploadCustomEmoji {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let name = checked_emoji_name(&params.emoji_name)?;
        if !tx.may(caller.id, RealmPermission::CanAddCustomEmoji) {
            return Err(Error::InsufficientPermission);
        }
        if find_active_emoji(tx, &name).is_some() {
            return Err(Error::CustomEmojiExists);
        }
        let [file] = context.files else { return Err(Error::OneFileExpected) };
        let is_built_in = tx.output_format().emoji.code_of(&name).is_some() || name == EXTRA_EMOJI.name;
        if is_built_in && !caller.is_admin() {
            return Err(Error::MayNotOverrideEmoji);
        }
        check_picture_with_type(context, file)?;
        let extension = picture::extension(&file.bytes).ok_or(Error::BadImage)?;

        tx.realm_mut().counters.emoji += 1;
        let id = EmojiId(tx.counters.emoji);
        let emoji = CustomEmoji {
            id,
            name,
            blob: tx.store_blob(file.bytes.clone()),
            file_name: format!("{id}.{extension}"),
            is_deactivated: false,
            author: Some(caller.id),
        };
        let event = RealmEmojiAdd { emoji: EmojiRecord::new(tx, &emoji) };
        tx.realm_mut().custom_emoji.insert(id, Arc::new(emoji));
        emit_emoji_change(tx, event);
        Ok(Success {})
    }
}

/// Checks a name and returns it in its stored form, trimmed and with underscores for spaces.
fn checked_emoji_name(name: &str) -> Result<String, Error> {
    let name = name.trim().replace(' ', "_");
    if name.is_empty() {
        return Err(Error::EmojiNameEmpty);
    }
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')) {
        return Err(Error::EmojiNameInvalidCharacters);
    }
    if name.ends_with(['-', '_']) { Err(Error::EmojiNameInvalidEnding) } else { Ok(name) }
}

fn find_active_emoji<'realm>(realm: &'realm Realm, name: &str) -> Option<&'realm Arc<CustomEmoji>> {
    realm.custom_emoji.values().find(|emoji| emoji.name == name && !emoji.is_deactivated)
}

/// Events: the change to clients that support events about single emoji, `realm_emoji` update with all emoji to the
/// other clients.
fn emit_emoji_change(tx: &mut Tx, change: impl EventData) {
    tx.emit(tx.everyone(), change.only_for(DeliveryCondition::IndividualEmoji));
    let all_emoji =
        Event::new(EventKind::RealmEmojiUpdate, Payload::List(WholeList::CustomEmoji(tx.custom_emoji.clone())));
    tx.emit(tx.everyone(), all_emoji.only_for(DeliveryCondition::EmojiList));
}

operation! {
    /// Deactivates a custom emoji, for its author and administrators; messages and reactions that use it keep it.
    pub DeactivateCustomEmoji = DELETE "/realm/emoji/{emoji_name}", for User;
    params from CustomEmojiParams;
    errors [NoSuchCustomEmoji, NotEmojiAuthor];
    events [RealmEmojiUpdateOne, RealmEmojiUpdate];
}

impl Write for DeactivateCustomEmoji {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller();
        let no_such_emoji = || Error::NoSuchCustomEmoji { emoji_name: params.emoji_name.as_str().into() };
        let emoji = find_active_emoji(tx, &params.emoji_name).ok_or_else(no_such_emoji)?;
        if !caller.is_admin() && emoji.author != Some(caller.id) {
            return Err(Error::NotEmojiAuthor);
        }

        let mut emoji = emoji.as_ref().clone();
        let id = emoji.id;
        emoji.is_deactivated = true;
        tx.realm_mut().custom_emoji.insert(id, Arc::new(emoji));
        let data = EmojiChange { deactivated: true };
        emit_emoji_change(tx, RealmEmojiUpdateOne { emoji_id: id.to_string(), data });
        Ok(Success {})
    }
}
