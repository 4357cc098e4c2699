//! Deleting messages.

use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::{Event, Payload};
use crate::realm::id::{ChannelId, MessageId};
use crate::realm::message::Message;
use crate::realm::user::User;
use crate::time::Span;
use serde_json::json;
use std::collections::BTreeMap;

/// DELETE /messages/{message_id}
pub struct DeleteMessage;

parameters! {
    /// Which message.
    pub struct DeleteMessageParams {
        /// The message.
        @path message_id: MessageId,
    }
}

impl Operation for DeleteMessage {
    const ROUTE: Route = Route::delete("/messages/{message_id}");
    const ACCESS: Access = Access::User;
    const ABOUT: About = About {
        summary: "Deletes a message.",
        since: 0,
        is_specified: false,
        errors: &["InvalidMessage", "MayNotDelete", "DeleteTimePassed"],
        events: &["delete_message", "stream update"],
    };
    type Params = DeleteMessageParams;
    type Reply = Success;
}

impl Write for DeleteMessage {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let caller = call.caller();
        let message = tx.message_seen_by(caller, params.message_id).cloned().ok_or(Error::InvalidMessage)?;
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

/// Deletes messages, one event for each conversation; tells who sees the channel when its first message changed.
pub fn delete(tx: &mut Tx, ids: &[MessageId]) {
    let mut firsts: BTreeMap<ChannelId, Option<MessageId>> = BTreeMap::new();
    let mut groups: Vec<(std::sync::Arc<Message>, Vec<MessageId>)> = Vec::new();
    for id in ids {
        let Some(message) = tx.messages.get(id).cloned() else { continue };
        match groups.iter_mut().find(|(first, _)| first.place == message.place) {
            Some((_, group)) => group.push(*id),
            None => groups.push((message, vec![*id])),
        }
    }
    for (first, mut group) in groups {
        if let Some((channel, _)) = first.channel() {
            firsts.entry(channel).or_insert_with(|| tx.messages_in(channel).first());
        }
        group.sort_unstable();
        let everyone = tx.who_follows_any(&group);
        for id in &group {
            tx.remove_message(*id);
        }
        let payload = Payload::DeleteMessages { messages: group, place: first.place.clone() };
        tx.emit(everyone, Event::new("delete_message", None, payload));
    }
    tx.recall_all_pushes();
    for (channel, first) in firsts {
        let channel = tx.channels[&channel].clone();
        let now_first = tx.messages_in(channel.id).first();
        if now_first != first {
            let audience = tx.who_can_see(&channel);
            let fields = json!({
                "stream_id": channel.id,
                "name": channel.name,
                "property": "first_message_id",
                "value": now_first,
            });
            tx.emit(audience, Event::shaped("stream", Some("update"), fields));
        }
    }
}
