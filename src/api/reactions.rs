//! Adding and removing reactions (reference behaviour, reactions).
//!
//! A choice where the API is silent: A-27 in docs/assumptions.md.

use super::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::emoji::{Emoji, ReactionType};
use crate::realm::event::Audience;
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Message, Reaction};
use crate::realm::requested_emoji::{RequestedEmoji, find_emoji};
use crate::realm::tx::Tx;
use crate::record::events::{ReactionAdd, ReactionChange, ReactionRemove};
use std::sync::Arc;

operation! {
    /// Adds the caller's reaction to a message.
    pub AddReaction = POST "/messages/{message_id}/reactions", for User;
    params {
        /// ID of a message that the caller can read, not in an archived channel.
        @path message_id: MessageId,
        /// Name of the emoji without colons, such as `octopus`; an alias counts too.
        emoji_name: String,
        /// Code in its namespace, such as `1f419` or the ID of a custom emoji; follows from the name when absent.
        emoji_code: Option<String>,
        /// `unicode_emoji`, `realm_emoji` or `service_extra_emoji`; follows from the name when absent.
        reaction_type: Option<String>,
    }
    errors [
        InvalidMessage, UnknownEmoji, ReactionAlreadyExists, InvalidEmojiType, InvalidEmojiCode, InvalidEmojiName,
        InvalidCustomEmoji, InvalidCustomEmojiName, CustomEmojiDeactivated,
    ];
    events [MutedTopics, UserTopic, ReactionAdd];
    is fast;
}

impl Write for AddReaction {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller().id;
        let message = context.changeable_message(tx, params.message_id)?.clone();
        let emoji_names = tx.output_format().emoji;
        let reaction_type = params.reaction_type.as_deref();
        let requested_emoji =
            RequestedEmoji::new(tx, emoji_names, params.emoji_name, params.emoji_code, reaction_type)?;
        let mut same_reactions = message.reactions.iter().filter(|reaction| requested_emoji.matches(&reaction.emoji));
        let existing_emoji = same_reactions.clone().next().map(|reaction| reaction.emoji.clone());
        if same_reactions.any(|reaction| reaction.user == caller) {
            return Err(Error::ReactionAlreadyExists);
        }
        // The emoji of an existing reaction is used unchecked, because its name may belong to another emoji by now.
        let emoji = match existing_emoji {
            Some(emoji) => emoji,
            None => Arc::new(requested_emoji.validate(tx, emoji_names)?),
        };

        // With a user message, the caller gets events about further reactions even without a subscription.
        tx.add_historical_user_message(caller, message.id);
        tx.message_mut(message.id).reactions.push_back(Reaction { user: caller, emoji: emoji.clone() });
        tx.apply_participation_policy(context.caller(), &message);
        let event = ReactionAdd(ReactionChange::new(caller, message.id, &emoji));
        tx.emit(reaction_audience(tx, &message), event);
        Ok(Success {})
    }
}

operation! {
    /// Removes the caller's reaction from a message.
    pub RemoveReaction = DELETE "/messages/{message_id}/reactions", for User;
    params {
        /// ID of a message that the caller can read, not in an archived channel.
        @path message_id: MessageId,
        /// Name of the emoji, required without a code; without effect if a code is given.
        emoji_name: Option<String>,
        /// Code in its namespace, such as `1f419` or the ID of a custom emoji.
        emoji_code: Option<String>,
        /// Namespace of the code; when absent, `unicode_emoji` if a code is given, otherwise any.
        reaction_type: Option<String>,
    }
    errors [InvalidMessage, ReactionWithoutEmoji, UnknownEmoji, ReactionDoesNotExist];
    events [ReactionRemove];
    is fast;
}

impl Write for RemoveReaction {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = context.caller().id;
        let message = context.changeable_message(tx, params.message_id)?.clone();
        let index = own_reaction_index(tx, &message, caller, &params)?;

        let reaction = tx.message_mut(message.id).reactions.remove(index);
        let event = ReactionRemove(ReactionChange::new(caller, message.id, &reaction.emoji));
        tx.emit(reaction_audience(tx, &message), event);
        Ok(Success {})
    }
}

/// The users who get events about reactions to a message.
fn reaction_audience(tx: &Tx, message: &Message) -> Audience {
    if tx.has(Feature::MessageEventsShareAudience) {
        tx.action_audience(&[message.id])
    } else {
        tx.message_audience(message)
    }
}

/// The index of the caller's reaction that the parameters name, in the message's reactions.
///
/// # Errors
///
/// `ReactionDoesNotExist`, `ReactionWithoutEmoji`, `UnknownEmoji`.
fn own_reaction_index(tx: &Tx, message: &Message, caller: UserId, params: &RemoveReaction) -> Result<usize, Error> {
    let reaction_index = |is_match: &dyn Fn(&Emoji) -> bool| {
        message.reactions.iter().position(|reaction| reaction.user == caller && is_match(&reaction.emoji))
    };
    let reaction_type = params.reaction_type.as_deref().map(ReactionType::parse);
    if let Some(code) = &params.emoji_code {
        let reaction_type = reaction_type.unwrap_or(Some(ReactionType::Unicode));
        let is_match = |emoji: &Emoji| emoji.emoji_code == *code && Some(emoji.reaction_type) == reaction_type;
        return reaction_index(&is_match).ok_or(Error::ReactionDoesNotExist);
    }
    let name = params.emoji_name.as_deref().ok_or(Error::ReactionWithoutEmoji)?;
    let has_type = |emoji: &Emoji| reaction_type.is_none_or(|expected| expected == Some(emoji.reaction_type));
    let requested_emoji = find_emoji(tx, tx.output_format().emoji, name);
    // The name may be an alias of the reaction's emoji, or the former name of a custom emoji.
    let is_requested_emoji = |emoji: &Emoji| {
        has_type(emoji)
            && requested_emoji.as_ref().is_ok_and(|requested_emoji| {
                requested_emoji.emoji_code == emoji.emoji_code && requested_emoji.reaction_type == emoji.reaction_type
            })
    };
    let has_name = |emoji: &Emoji| has_type(emoji) && emoji.emoji_name == name;
    match reaction_index(&is_requested_emoji).or_else(|| reaction_index(&has_name)) {
        Some(index) => Ok(index),
        None => Err(requested_emoji.err().unwrap_or(Error::ReactionDoesNotExist)),
    }
}
