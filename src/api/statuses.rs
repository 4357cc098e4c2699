//! Statuses of users: a text, an emoji, or both (specification, "User status").
//!
//! A choice where the API is silent: A-31 in docs/assumptions.md.

use super::{OperationContext, Read, Success, Write, operation};
use crate::api::changes::settings::events::emit_setting_change;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::emoji::{Emoji, ReactionType};
use crate::realm::id::UserId;
use crate::realm::presence::apply_presence_setting;
use crate::realm::requested_emoji::RequestedEmoji;
use crate::realm::text::check_length;
use crate::realm::tx::Tx;
use crate::record::events::UserStatus;
use crate::record::status::StatusRecord;
use schemars::JsonSchema;
use serde::Serialize;

/// Maximum length of the text of a status, in code points, after trimming.
pub const MAX_STATUS_TEXT_LENGTH: usize = 60;

operation! {
    /// Returns a user's status.
    pub GetStatus = GET "/users/{user_id}/status", for User, since 262;
    params {
        /// ID of an active human user that the caller can access.
        @path user_id: UserId,
    }
    reply StatusReply;
    errors [NoSuchUser, TargetDeactivated, InsufficientPermission];
}

/// A user's status.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusReply {
    /// An empty object for a user who never set a status.
    pub status: StatusRecord,
}

impl Read for GetStatus {
    fn run(realm: &Realm, context: &OperationContext<'_>, params: Self::Params) -> Result<StatusReply, Error> {
        let user = realm.accessible_person(context.caller(), params.user_id)?;
        Ok(StatusReply { status: StatusRecord::new(realm, user.id) })
    }
}

operation! {
    /// Changes the caller's status.
    pub UpdateOwnStatus = POST "/users/me/status", for Human;
    params {
        /// Switches the setting `presence_enabled` off or on; deprecated.
        away: Option<bool>,
        /// New text, trimmed, at most 60 code points; "" removes the text.
        status_text: Option<String>,
        /// Name of the new emoji without colons; "" removes the emoji.
        emoji_name since 86: Option<String>,
        /// Code in its namespace, such as `1f419` or the ID of a custom emoji; follows from the name when absent.
        emoji_code since 86: Option<String>,
        /// `unicode_emoji`, `realm_emoji` or `service_extra_emoji`; follows from the name when absent.
        reaction_type since 86: Option<String>,
    }
    errors [
        BadValue, NoStatusChanges, EmojiNameRequired, UnknownEmoji, InvalidEmojiType, InvalidEmojiCode,
        InvalidEmojiName, InvalidCustomEmoji, InvalidCustomEmojiName, CustomEmojiDeactivated,
    ];
    events [UserSettingsUpdate, UserStatus, Presence];
}

impl Write for UpdateOwnStatus {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let text = checked_text(params.status_text)?;
        let changes_presence = params.away.is_some();
        let emoji = checked_emoji(
            tx,
            text.is_some() || changes_presence,
            params.emoji_name,
            params.emoji_code,
            params.reaction_type,
        )?;

        update_status(tx, context.caller().id, StatusChange { away: params.away, text, emoji });
        Ok(Success {})
    }
}

operation! {
    /// Changes a user's status; for administrators.
    pub UpdateStatus = POST "/users/{user_id}/status", for User, since 407;
    params {
        /// ID of an active human user that the caller can access.
        @path user_id: UserId,
        /// New text, trimmed, at most 60 code points; "" removes the text.
        status_text: Option<String>,
        /// Name of the new emoji without colons; "" removes the emoji.
        emoji_name: Option<String>,
        /// Code in its namespace, such as `1f419` or the ID of a custom emoji; follows from the name when absent.
        emoji_code: Option<String>,
        /// `unicode_emoji`, `realm_emoji` or `service_extra_emoji`; follows from the name when absent.
        reaction_type: Option<String>,
    }
    errors [
        BadValue, NoSuchUser, TargetDeactivated, InsufficientPermission, NoStatusChanges, EmojiNameRequired,
        UnknownEmoji, InvalidEmojiType, InvalidEmojiCode, InvalidEmojiName, InvalidCustomEmoji, InvalidCustomEmojiName,
        CustomEmojiDeactivated,
    ];
    events [UserStatus];
}

impl Write for UpdateStatus {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let text = checked_text(params.status_text)?;
        let user = tx.accessible_person(context.caller(), params.user_id)?.id;
        if !context.caller().is_admin() {
            return Err(Error::InsufficientPermission);
        }
        let emoji = checked_emoji(tx, text.is_some(), params.emoji_name, params.emoji_code, params.reaction_type)?;

        update_status(tx, user, StatusChange { away: None, text, emoji });
        Ok(Success {})
    }
}

/// New values of a status; None for those that do not change.
struct StatusChange {
    away: Option<bool>,
    /// "" removes the text.
    text: Option<String>,
    /// Some(None) removes the emoji.
    emoji: Option<Option<Emoji>>,
}

fn checked_text(text: Option<String>) -> Result<Option<String>, Error> {
    let text = text.map(|text| text.trim().to_owned());
    if let Some(text) = &text {
        check_length(text, "status_text", MAX_STATUS_TEXT_LENGTH)?;
    }
    Ok(text)
}

/// The new emoji: None if it does not change, Some(None) if it is removed. `has_other_values` is true if the request
/// has another new value.
fn checked_emoji(
    tx: &Tx,
    has_other_values: bool,
    name: Option<String>,
    code: Option<String>,
    reaction_type: Option<String>,
) -> Result<Option<Option<Emoji>>, Error> {
    match name {
        None if !has_other_values => Err(Error::NoStatusChanges),
        None if code.is_some() || reaction_type.is_some() => Err(Error::EmojiNameRequired),
        None => Ok(None),
        Some(name) if name.is_empty() => Ok(Some(None)),
        Some(name) => {
            let requested_emoji =
                RequestedEmoji::new(tx, tx.output_format().emoji, name, code, reaction_type.as_deref())?;
            requested_emoji.validate(tx, tx.output_format().emoji).map(|emoji| Some(Some(emoji)))
        }
    }
}

/// Changes a status, and with `away` also the setting `presence_enabled`.
///
/// Events: with `away`, first `presence` to everyone who can access the user, if the organization has such events, then
/// `user_settings` update to the user; last `user_status` to everyone who can access the user, with all values of the
/// request, even unchanged ones.
fn update_status(tx: &mut Tx, user: UserId, change: StatusChange) {
    let mut event = UserStatus { user_id: user, away: change.away, ..UserStatus::default() };
    if let Some(away) = change.away {
        set_presence_enabled(tx, user, !away);
    }
    let status = &mut tx.user_state_mut(user).status;
    status.is_marked_as_set = true;
    if let Some(text) = change.text {
        event.status_text = Some(text.clone());
        status.text = Some(text).filter(|text| !text.is_empty());
    }
    if let Some(emoji) = change.emoji {
        let (name, code) = emoji.as_ref().map_or(("", ""), |emoji| (&emoji.emoji_name, &emoji.emoji_code));
        event.emoji_name = Some(name.to_owned());
        event.emoji_code = Some(code.to_owned());
        event.reaction_type = Some(emoji.as_ref().map_or(ReactionType::Unicode, |emoji| emoji.reaction_type));
        status.emoji = emoji;
    }
    let audience = tx.audience_with_access_to(user);
    tx.emit(audience, event);
}

fn set_presence_enabled(tx: &mut Tx, user: UserId, is_enabled: bool) {
    apply_presence_setting(tx, user, is_enabled);
    tx.user_state_mut(user).settings.insert("presence_enabled", is_enabled.into());
    emit_setting_change(tx, user, "presence_enabled", is_enabled.into(), None);
}
