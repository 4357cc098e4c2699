//! Deleting messages.

use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::event::{Audience, DeliveryCondition, Event, EventKind, Payload};
use crate::realm::id::{MessageId, UserId};
use crate::realm::message::{Message, Place};
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::realm::visibility::Sight;
use crate::time::Span;
use imbl::OrdSet;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

operation! {
    /// Deletes a message.
    pub DeleteMessage = DELETE "/messages/{message_id}", for User;
    params {
        /// The message.
        @path message_id: MessageId,
    }
    errors [InvalidMessage, MayNotDelete, DeleteTimePassed];
    events [DeleteMessage, StreamUpdate];
}

impl Write for DeleteMessage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller();
        let message = call.message_to_change(tx, params.message_id)?.clone();
        check_may_delete(tx, caller, &message)?;

        delete(tx, &[message.id]);
        Ok(Success {})
    }
}

/// Anybody's message with the right to any, one's own (or one's bot's) in time.
fn check_may_delete(realm: &Realm, caller: &User, message: &Message) -> Result<(), Error> {
    let channel = message.channel().map(|(channel, _)| &realm.channels[&channel]);
    let may =
        |name| realm.may(caller.id, name) || channel.is_some_and(|channel| realm.may_in(caller.id, channel, name));
    if may("can_delete_any_message_group") {
        return Ok(());
    }
    let sender = realm.user(message.sender);
    let is_own = message.sender == caller.id || sender.is_some_and(|sender| sender.bot_owner() == Some(caller.id));
    if !is_own || !may("can_delete_own_message_group") {
        return Err(Error::MayNotDelete);
    }
    let limit = realm.organization.limit("message_content_delete_limit_seconds");
    let is_over = limit.is_some_and(|seconds| message.sent_at.plus(Span::seconds(seconds)) < realm.now);
    if is_over { Err(Error::DeleteTimePassed) } else { Ok(()) }
}

/// The first level at which everybody with access to a message is told of its end.
const TOLD_TO_ALL_SINCE: i64 = 274;

/// Those who are informed of the end of messages that lie in one place. Below a level it is only a channel's subscribers.
fn audience(tx: &Tx, first: &Message, group: &[MessageId]) -> Audience {
    match first.channel() {
        Some((channel, _)) if tx.is_before(TOLD_TO_ALL_SINCE) => {
            Audience::of(tx.channels[&channel].subscribers.clone())
        }
        _ => tx.who_follows_any(group),
    }
}

/// Those who could read a message without following it.
fn outsiders(realm: &Realm, message: &Message, followers: &Audience) -> Option<Audience> {
    let (channel, _) = message.channel()?;
    let channel = &realm.channels[&channel];
    if !channel.privacy.has_public_history() {
        return None;
    }
    let everyone = realm.who_can_see(channel);
    let is_outside = |user: &UserId| {
        everyone.contains(*user)
            && !followers.contains(*user)
            && realm.users.get(user).is_some_and(|user| realm.can_see_message(user, message))
    };
    // Nobody without a queue hears of it: these few are looked at rather than everybody.
    let listening: OrdSet<UserId> = realm.listeners().into_iter().filter(is_outside).collect();
    (!listening.is_empty()).then(|| Audience::of(listening))
}

/// Deletes messages, one event for each conversation; tells who sees the channel when its first message changed.
pub fn delete(tx: &mut Tx, ids: &[MessageId]) {
    let mut groups: Vec<(std::sync::Arc<Message>, Vec<MessageId>)> = Vec::new();
    let mut places: HashMap<Place, usize> = HashMap::new();
    for id in ids {
        let Some(message) = tx.messages.get(id).cloned() else { continue };
        match places.entry(message.place.clone()) {
            Entry::Occupied(index) => groups[*index.get()].1.push(*id),
            Entry::Vacant(place) => {
                place.insert(groups.len());
                groups.push((message, vec![*id]));
            }
        }
    }
    let before = tx.mark();
    for (first, mut group) in groups {
        group.sort_unstable();
        let followers = audience(tx, &first, &group);
        let others = outsiders(tx, &first, &followers);
        let messages = group.iter().filter_map(|id| Some((*id, tx.messages.get(id)?.sender))).collect();
        for id in &group {
            tx.remove_message(*id);
        }
        let payload = Payload::DeleteMessages { messages, place: first.place.clone() };
        tx.emit(followers, Event::new(EventKind::DeleteMessage, payload.clone()));
        if let Some(others) = others {
            tx.emit(
                others,
                Event::new(EventKind::DeleteMessage, payload).only_for(DeliveryCondition::From(TOLD_TO_ALL_SINCE)),
            );
        }
    }
    tx.recall_all_pushes();
    tx.emit_visibility(&before, &[Sight::FirstMessages]);
}
