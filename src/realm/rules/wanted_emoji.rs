//! Which emoji a request means: for reactions and statuses alike (reference behaviour, reactions).

use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::EmojiId;
use crate::realm::message::{Emoji, ReactionType};
use chat_markdown::emoji::{EXTRA_EMOJI, EmojiNames};

/// An emoji as a request means it: name, code and namespace, not yet known to fit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedEmoji {
    name: String,
    code: String,
    /// None: the request named a namespace that does not exist.
    reaction_type: Option<ReactionType>,
}

impl WantedEmoji {
    /// What a request means that gives a name and perhaps the rest; what is missing follows from the name.
    ///
    /// # Errors
    ///
    /// `UnknownEmoji`, unless code and namespace are both given.
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
        let named = by_name(realm, names, &name)?;
        Ok(Self {
            name,
            code: code.unwrap_or(named.emoji_code),
            reaction_type: reaction_type.map_or(Some(named.reaction_type), ReactionType::parse),
        })
    }

    /// Whether this is the same emoji, whatever the name that it was chosen by.
    pub fn is(&self, emoji: &Emoji) -> bool {
        self.reaction_type == Some(emoji.reaction_type) && self.code == emoji.emoji_code
    }

    /// The emoji, if its parts fit each other and it may be used.
    ///
    /// # Errors
    ///
    /// `InvalidEmojiType`; then for Unicode and extra emoji `InvalidEmojiCode`, `InvalidEmojiName`, for custom ones
    /// `InvalidCustomEmoji`, `InvalidCustomEmojiName`, `CustomEmojiDeactivated`.
    pub fn checked(self, realm: &Realm, names: EmojiNames) -> Result<Emoji, Error> {
        let reaction_type = self.reaction_type.ok_or(Error::InvalidEmojiType)?;
        match reaction_type {
            ReactionType::Unicode => {
                let names = names.by_code(&self.code).ok_or(Error::InvalidEmojiCode)?;
                if !names.contains(&self.name.as_str()) {
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
                let is_same = |id: EmojiId| id.to_string() == self.code;
                let custom =
                    realm.custom_emoji.get(&id).filter(|emoji| is_same(emoji.id)).ok_or(Error::InvalidCustomEmoji)?;
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

/// The emoji with a name: an active custom one, else the extra one, else a Unicode one.
///
/// # Errors
///
/// `UnknownEmoji`.
pub fn by_name(realm: &Realm, names: EmojiNames, name: &str) -> Result<Emoji, Error> {
    let emoji = |code: String, reaction_type| Emoji { emoji_name: name.to_owned(), emoji_code: code, reaction_type };
    if let Some(custom) = realm.custom_emoji.values().find(|custom| custom.name == name && !custom.is_deactivated) {
        return Ok(emoji(custom.id.to_string(), ReactionType::Realm));
    }
    if name == EXTRA_EMOJI.name {
        return Ok(emoji(EXTRA_EMOJI.code.to_owned(), ReactionType::ServiceExtra));
    }
    let code = names.by_name(name).ok_or_else(|| Error::UnknownEmoji { emoji_name: name.into() })?;
    Ok(emoji(code.to_owned(), ReactionType::Unicode))
}
