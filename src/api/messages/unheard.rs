//! Tells the owner of a bot that nobody hears it.
//!
//! A choice where the API is silent: A-172 in docs/assumptions.md.

use crate::realm::id::ChannelId;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::time::Span;

/// How long after an owner was notified it is not said again, whatever the channel.
const SILENCE: Span = Span::minutes(1);

/// Has the notification bot tell the owner that the channel to which their bot writes has no subscribers.
pub(super) fn notify_owner(tx: &mut Tx, sender: &User, channel: ChannelId) {
    let Some(owner) = sender.bot_owner() else { return };
    let channel = &tx.channels[&channel];
    let is_heard = channel.subscribers.iter().any(|user| tx.is_active(*user));
    let was_notified = tx.user_state(sender.id).owner_notified_at.is_some_and(|at| tx.now <= at.plus(SILENCE));
    if is_heard || was_notified {
        return;
    }
    let content =
        format!("Your bot `{}` sent a message to #**{}**, to which nobody is subscribed.", sender.email, channel.name);
    tx.notify_person(sender.id, owner, content);
    let now = tx.now;
    tx.user_state_mut(sender.id).owner_notified_at = Some(now);
}
