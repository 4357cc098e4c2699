//! Resolves the emoji in requests, for reactions and statuses (reference behaviour, reactions).

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::emoji::{Emoji, ReactionType};
use crate::realm::id::EmojiId;
use chat_markdown::emoji::{EXTRA_EMOJI, EmojiNames};

/// An emoji in a request. Its name, code and namespace (`reaction_type`) may not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestedEmoji {
    name: String,
    code: String,
    /// None if the request named a namespace that does not exist.
    reaction_type: Option<ReactionType>,
}

impl RequestedEmoji {
    /// Completes a request's parameters: a missing code or namespace is looked up by the name.
    ///
    /// # Errors
    ///
    /// `UnknownEmoji`, unless the request has both code and namespace.
    pub fn new(
        realm: &Realm,
        names: EmojiNames,
        name: String,
        code: Option<String>,
        reaction_type: Option<&str>,
    ) -> Result<Self, Error> {
        if let (Some(code), Some(text)) = (&code, reaction_type) {
            return Ok(Self { name, code: code.clone(), reaction_type: ReactionType::parse(text) });
        }
        let emoji = find_emoji(realm, names, &name)?;
        Ok(Self {
            name,
            code: code.unwrap_or(emoji.emoji_code),
            reaction_type: reaction_type.map_or(Some(emoji.reaction_type), ReactionType::parse),
        })
    }

    /// Whether this is the same emoji, regardless of the name that it was chosen by.
    pub fn matches(&self, emoji: &Emoji) -> bool {
        self.reaction_type == Some(emoji.reaction_type) && self.code == emoji.emoji_code
    }

    /// Checks that the name, code and namespace match, and that the emoji may be used.
    ///
    /// # Errors
    ///
    /// `InvalidEmojiType`; then for Unicode and extra emoji `InvalidEmojiCode`, `InvalidEmojiName`, and for custom
    /// emoji `InvalidCustomEmoji`, `InvalidCustomEmojiName`, `CustomEmojiDeactivated`.
    pub fn validate(self, realm: &Realm, names: EmojiNames) -> Result<Emoji, Error> {
        let reaction_type = self.reaction_type.ok_or(Error::InvalidEmojiType)?;
        match reaction_type {
            ReactionType::Unicode => {
                let valid_names = names.names_of(&self.code).ok_or(Error::InvalidEmojiCode)?;
                if !valid_names.contains(&self.name.as_str()) {
                    return Err(Error::InvalidEmojiName);
                }
            }
            ReactionType::ServiceExtra => {
                if self.code != EXTRA_EMOJI.code {
                    return Err(Error::InvalidEmojiCode);
                }
                if self.name != EXTRA_EMOJI.name {
                    return Err(Error::InvalidEmojiName);
                }
            }
            ReactionType::Realm => {
                let id = self.code.parse().map(EmojiId).map_err(|_| Error::InvalidCustomEmoji)?;
                // `07` is read as the ID 7, but is not the code of that emoji.
                let has_same_code = |id: EmojiId| id.to_string() == self.code;
                let custom = realm
                    .custom_emoji
                    .get(&id)
                    .filter(|emoji| has_same_code(emoji.id))
                    .ok_or(Error::InvalidCustomEmoji)?;
                if custom.name != self.name {
                    return Err(Error::InvalidCustomEmojiName);
                }
                if custom.is_deactivated {
                    return Err(Error::CustomEmojiDeactivated);
                }
            }
        }
        Ok(Emoji { emoji_name: self.name, emoji_code: self.code, reaction_type })
    }
}

/// Finds an emoji by name: an active custom emoji, else the extra emoji, else a Unicode emoji.
///
/// # Errors
///
/// `UnknownEmoji`.
pub fn find_emoji(realm: &Realm, names: EmojiNames, name: &str) -> Result<Emoji, Error> {
    let build_emoji =
        |code: String, reaction_type| Emoji { emoji_name: name.to_owned(), emoji_code: code, reaction_type };
    if let Some(custom) = realm.custom_emoji.values().find(|custom| custom.name == name && !custom.is_deactivated) {
        return Ok(build_emoji(custom.id.to_string(), ReactionType::Realm));
    }
    if name == EXTRA_EMOJI.name {
        return Ok(build_emoji(EXTRA_EMOJI.code.to_owned(), ReactionType::ServiceExtra));
    }
    let code = names.code_of(name).ok_or_else(|| Error::UnknownEmoji { emoji_name: name.into() })?;
    Ok(build_emoji(code.to_owned(), ReactionType::Unicode))
}
