//! Subscribing and unsubscribing with all events, for every operation that does so.

use crate::realm::change::Tx;
use crate::realm::event::{Audience, Event};
use crate::realm::id::{ChannelId, MessageId, UserId};
use crate::record::channel::{ChannelRecord, IncludeSubscribers, SubscriptionRecord, who_can_see_subscribers};
use imbl::OrdSet;
use serde_json::json;

/// Subscribes an active user to channels; gives those to which they were not subscribed before.
///
/// Events, in this order: `stream` create for channels that the user could not see, `subscription` add to the user,
/// `subscription` peer_add to everybody else who may see the subscribers.
pub fn subscribe(tx: &mut Tx, user: UserId, channels: &[ChannelId], color: Option<&str>) -> Vec<ChannelId> {
    let unseen: Vec<ChannelId> = {
        let account = &tx.users[&user];
        channels.iter().copied().filter(|id| !tx.can_see(account, &tx.channels[id])).collect()
    };
    let mut added = Vec::new();
    for channel in channels {
        if tx.subscribe(user, *channel, color.map(str::to_owned)) {
            added.push(*channel);
        }
    }
    if added.is_empty() {
        return added;
    }
    let became_visible: Vec<ChannelId> = unseen.into_iter().filter(|id| added.contains(id)).collect();
    if !became_visible.is_empty() {
        let streams: Vec<ChannelRecord> =
            became_visible.iter().map(|id| ChannelRecord::new(tx, &tx.channels[id])).collect();
        tx.emit(Audience::user(user), Event::shaped("stream", Some("create"), json!({ "streams": streams })));
    }
    emit_added(tx, user, &added);
    for channel in &added {
        emit_peers(tx, "peer_add", *channel, user);
    }
    added
}

fn emit_added(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let account = tx.users[&user].clone();
    let records: Vec<SubscriptionRecord> = channels
        .iter()
        .filter_map(|id| {
            let subscription = tx.own(user).subscriptions.get(id)?;
            let all = IncludeSubscribers::All;
            Some(SubscriptionRecord::new(tx, &account, &tx.channels[id], subscription, all, true))
        })
        .collect();
    tx.emit(Audience::user(user), Event::shaped("subscription", Some("add"), json!({ "subscriptions": records })));
}

fn emit_peers(tx: &mut Tx, op: &'static str, channel: ChannelId, user: UserId) {
    let audience = who_can_see_subscribers(tx, &tx.channels[&channel]).except(user);
    let fields = json!({"stream_ids": [channel], "user_ids": [user]});
    tx.emit(audience, Event::shaped("subscription", Some(op), fields));
}

/// Unsubscribes a user from channels to which they are subscribed. What was unread there is read from then on.
///
/// Events, in this order: `subscription` peer_remove to everybody else who may see the subscribers, `subscription`
/// remove to the user, `stream` delete for channels that they can't see any more, `update_message_flags` for what was
/// unread.
pub fn unsubscribe(tx: &mut Tx, user: UserId, channels: &[ChannelId]) {
    let mut unread: Vec<MessageId> = Vec::new();
    let mut removed = Vec::new();
    for channel in channels {
        if tx.own(user).subscription(*channel).is_some() {
            // Those who can see the subscribers while the user is one of them.
            emit_peers(tx, "peer_remove", *channel, user);
            unread.extend(tx.unsubscribe(user, *channel));
            removed.push(*channel);
        }
    }
    if removed.is_empty() {
        return;
    }
    let names: Vec<_> = removed.iter().map(|id| json!({"name": tx.channels[id].name, "stream_id": id})).collect();
    tx.emit(Audience::user(user), Event::shaped("subscription", Some("remove"), json!({ "subscriptions": names })));
    let account = tx.users[&user].clone();
    let vanished: OrdSet<ChannelId> =
        removed.iter().copied().filter(|id| !tx.can_see(&account, &tx.channels[id])).collect();
    if !vanished.is_empty() {
        emit_vanished(tx, Audience::user(user), &vanished);
    }
    if !unread.is_empty() {
        unread.sort_unstable();
        let fields = json!({"operation": "add", "flag": "read", "messages": unread, "all": false});
        tx.emit(Audience::user(user), Event::shaped("update_message_flags", Some("add"), fields));
    }
}

/// Tells users that they can't see channels any more.
pub fn emit_vanished(tx: &mut Tx, audience: Audience, channels: &OrdSet<ChannelId>) {
    let streams: Vec<_> = channels.iter().map(|id| json!({ "stream_id": id })).collect();
    let fields = json!({"streams": streams, "stream_ids": channels});
    tx.emit(audience, Event::shaped("stream", Some("delete"), fields));
}
