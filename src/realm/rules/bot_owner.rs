//! Tells the owner of a bot what is wrong with its messages.
//!
//! A choice where the API is silent: A-172 in docs/assumptions.md.

use crate::realm::id::ChannelId;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Span;

/// Minimum time between two notifications of an owner about the same bot.
const MIN_INTERVAL: Span = Span::minutes(1);

/// Has the notification bot tell the owner that the channel to which their bot writes has no subscribers.
pub fn notify_of_no_subscribers(tx: &mut Tx, sender: &User, channel: ChannelId) {
    if sender.bot_owner().is_none() {
        return;
    }
    let channel = &tx.channels[&channel];
    let is_heard = channel.subscribers.iter().any(|user| tx.is_active(*user));
    if is_heard {
        return;
    }
    let content =
        format!("Your bot `{}` sent a message to #**{}**, to which nobody is subscribed.", sender.email, channel.name);
    notify_owner(tx, sender, content);
}

/// Has the notification bot tell the owner that the channel to which their bot writes does not exist: one of this name, or of
/// this number.
pub fn notify_of_unknown_channel(tx: &mut Tx, sender: &User, channel: &str, is_number: bool) {
    let bot = &sender.email;
    let content = if is_number {
        format!(
            "Your bot `{bot}` tried to send a message to channel ID {channel}, but there is no channel with that ID."
        )
    } else {
        format!(
            "Your bot `{bot}` tried to send a message to channel #**{channel}**, but that channel does not exist. \
             Click [here](#channels/new) to create it."
        )
    };
    notify_owner(tx, sender, content);
}

/// Has the notification bot send a text to the owner of a bot, unless it sent one a short while ago.
pub fn notify_owner(tx: &mut Tx, bot: &User, content: String) {
    let Some(owner) = bot.bot_owner() else { return };
    if tx.user_state(bot.id).owner_notified_at.is_some_and(|at| tx.now <= at.plus(MIN_INTERVAL)) {
        return;
    }
    tx.notify_person(bot.id, owner, content);
    let now = tx.now;
    tx.user_state_mut(bot.id).owner_notified_at = Some(now);
}
