//! Reactions: adding one, voting on one that is there, taking one's own away (reference behaviour, reactions).
//!
//! A choice where the API is silent: A-27 in docs/assumptions.md.

use super::{Call, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::event::Audience;
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Emoji, Message, Reaction, ReactionType};
use crate::realm::tx::Tx;
use crate::realm::wanted_emoji::{WantedEmoji, by_name};
use crate::record::events::{ReactionAdd, ReactionChange, ReactionRemove};
use std::sync::Arc;

operation! {
    /// Adds the caller's reaction to a message.
    pub AddReaction = POST "/messages/{message_id}/reactions", for User;
    params {
        /// The message.
        @path message_id: MessageId,
        /// The emoji's name.
        emoji_name: String,
        /// Its code; follows from the name when absent.
        emoji_code: Option<String>,
        /// `unicode_emoji`, `realm_emoji` or `service_extra_emoji`; follows from the name when absent.
        reaction_type: Option<String>,
    }
    errors [
        InvalidMessage, UnknownEmoji, ReactionAlreadyExists, InvalidEmojiType, InvalidEmojiCode, InvalidEmojiName,
        InvalidCustomEmoji, InvalidCustomEmojiName, CustomEmojiDeactivated,
    ];
    events [MutedTopics, UserTopic, ReactionAdd];
    is short;
}

impl Write for AddReaction {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller().id;
        let message = call.message_to_change(tx, params.message_id)?.clone();
        let names = tx.form().emoji;
        let reaction_type = params.reaction_type.as_deref();
        let wanted = WantedEmoji::new(tx, names, params.emoji_name, params.emoji_code, reaction_type)?;
        let mut same = message.reactions.iter().filter(|reaction| wanted.is(&reaction.emoji));
        let vote = same.clone().next().map(|reaction| reaction.emoji.clone());
        if same.any(|reaction| reaction.user == caller) {
            return Err(Error::ReactionAlreadyExists);
        }
        // Who votes on a reaction gets it as it is: its name may have been given to another emoji since.
        let emoji = match vote {
            Some(emoji) => emoji,
            None => Arc::new(wanted.checked(tx, names)?),
        };

        // From now on the caller hears of further reactions, a subscriber or not.
        tx.add_row(caller, message.id);
        tx.message_mut(message.id).reactions.push_back(Reaction { user: caller, emoji: emoji.clone() });
        tx.take_part(call.caller(), &message);
        let event = ReactionAdd(ReactionChange::new(caller, message.id, &emoji));
        tx.emit(audience(tx, &message), event);
        Ok(Success {})
    }
}

operation! {
    /// Removes the caller's reaction from a message.
    pub RemoveReaction = DELETE "/messages/{message_id}/reactions", for User;
    params {
        /// The message.
        @path message_id: MessageId,
        /// The emoji's name; without effect if a code is given.
        emoji_name: Option<String>,
        /// Its code.
        emoji_code: Option<String>,
        /// Its namespace; when absent, `unicode_emoji` if a code is given, otherwise it follows from the name.
        reaction_type: Option<String>,
    }
    errors [InvalidMessage, ReactionUnnamed, UnknownEmoji, ReactionDoesNotExist];
    events [ReactionRemove];
    is short;
}

impl Write for RemoveReaction {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller().id;
        let message = call.message_to_change(tx, params.message_id)?.clone();
        let position = own_reaction(tx, &message, caller, &params)?;

        let reaction = tx.message_mut(message.id).reactions.remove(position);
        let event = ReactionRemove(ReactionChange::new(caller, message.id, &reaction.emoji));
        tx.emit(audience(tx, &message), event);
        Ok(Success {})
    }
}

/// Who is sent a reaction to a message.
fn audience(tx: &Tx, message: &Message) -> Audience {
    if !tx.has(Feature::ActionsSentToHolders) { tx.who_follows(message) } else { tx.audience_of_action(&[message.id]) }
}

/// The place of the caller's reaction that a request names.
fn own_reaction(tx: &Tx, message: &Message, caller: UserId, params: &RemoveReaction) -> Result<usize, Error> {
    let own = |is_meant: &dyn Fn(&Emoji) -> bool| {
        message.reactions.iter().position(|reaction| reaction.user == caller && is_meant(&reaction.emoji))
    };
    let wanted_type = params.reaction_type.as_deref().map(ReactionType::parse);
    if let Some(code) = &params.emoji_code {
        let wanted_type = wanted_type.unwrap_or(Some(ReactionType::Unicode));
        let is_meant = |emoji: &Emoji| emoji.emoji_code == *code && Some(emoji.reaction_type) == wanted_type;
        return own(&is_meant).ok_or(Error::ReactionDoesNotExist);
    }
    let name = params.emoji_name.as_deref().ok_or(Error::ReactionUnnamed)?;
    let has_type = |emoji: &Emoji| wanted_type.is_none_or(|wanted| wanted == Some(emoji.reaction_type));
    let named = by_name(tx, tx.form().emoji, name);
    // The name may be another of the same emoji's; or that of a custom emoji which does not go by it any more.
    let is_same = |emoji: &Emoji| {
        has_type(emoji)
            && named
                .as_ref()
                .is_ok_and(|named| named.emoji_code == emoji.emoji_code && named.reaction_type == emoji.reaction_type)
    };
    let has_name = |emoji: &Emoji| has_type(emoji) && emoji.emoji_name == name;
    match own(&is_same).or_else(|| own(&has_name)) {
        Some(position) => Ok(position),
        None => Err(named.err().unwrap_or(Error::ReactionDoesNotExist)),
    }
}
