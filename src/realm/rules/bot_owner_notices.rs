//! Notifies the owner of a bot of problems with the bot's messages: a channel without subscribers and, for deliveries
//! to incoming webhooks, an unknown channel or a malformed delivery.
//!
//! The words and the interval are a choice where the specification is silent: A-172 in docs/assumptions.md.

use crate::realm::id::ChannelId;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Span;

/// Minimum time between two notifications about the same bot.
const MIN_INTERVAL: Span = Span::from_minutes(1);

/// Notifies the owner if the channel that the bot sent a message to has no active subscribers.
pub fn notify_of_missing_subscribers(tx: &mut Tx, sender: &User, channel: ChannelId) {
    if sender.bot_owner().is_none() {
        return;
    }
    let channel = &tx.channels[&channel];
    let has_active_subscribers = channel.subscribers.iter().any(|user| tx.is_active(*user));
    if has_active_subscribers {
        return;
    }
    let content =
        format!("Your bot `{}` sent a message to #**{}**, to which nobody is subscribed.", sender.email, channel.name);
    notify_owner(tx, sender, content);
}

/// What a delivery to an incoming webhook names a channel by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedChannel<'text> {
    Name(&'text str),
    /// As text, because the number may be too large for an ID.
    Id(&'text str),
}

/// Notifies the owner that the bot sent a message to a channel that does not exist.
pub fn notify_of_unknown_channel(tx: &mut Tx, sender: &User, channel: NamedChannel<'_>) {
    let bot = &sender.email;
    let content = match channel {
        NamedChannel::Name(name) => format!(
            "Your bot `{bot}` tried to send a message to channel #**{name}**, but that channel does not exist. \
             Click [here](#channels/new) to create it."
        ),
        NamedChannel::Id(id) => format!(
            "Your bot `{bot}` tried to send a message to channel ID {id}, but there is no channel with that ID."
        ),
    };
    notify_owner(tx, sender, content);
}

/// Sends a direct message to the owner of a bot, unless one was sent within the last [`MIN_INTERVAL`] or the bot has no
/// owner.
pub fn notify_owner(tx: &mut Tx, bot: &User, content: String) {
    let Some(owner) = bot.bot_owner() else { return };
    if tx.user_state(bot.id).owner_notified_at.is_some_and(|notified_at| tx.now <= notified_at.plus(MIN_INTERVAL)) {
        return;
    }
    tx.post_notice_to_user(bot.id, owner, content);
    let now = tx.now;
    tx.user_state_mut(bot.id).owner_notified_at = Some(now);
}
