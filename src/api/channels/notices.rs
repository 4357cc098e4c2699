//! What the notification bot says of channels: that one was made, changed, or that somebody was subscribed.
//!
//! Choices where the API is silent: A-21, A-22 in docs/assumptions.md.

use crate::api::subscribing::Changed;
use crate::realm::change::Tx;
use crate::realm::channel::Privacy;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::send::{Outgoing, Target};
use crate::realm::user::User;

/// The topic in which a channel's changes are told.
pub const EVENTS_TOPIC: &str = "channel events";
/// The topic in which new channels are announced.
const ANNOUNCEMENTS_TOPIC: &str = "new channels";

/// A mention that does not notify.
pub fn silent_mention(user: &User) -> String {
    format!("@_**{}|{}**", user.full_name, user.id)
}

/// A channel's kind in words, as notices have it.
pub fn privacy_words(privacy: Privacy) -> &'static str {
    match privacy {
        Privacy::WebPublic => "Web-public",
        Privacy::Public => "Public",
        Privacy::PrivateSharedHistory => "Private, shared history",
        Privacy::PrivateProtectedHistory => "Private, protected history",
    }
}

/// Says in new channels who made them, where the organization wants that.
pub fn tell_created(tx: &mut Tx, creator: &User, channels: &[ChannelId]) {
    for id in channels {
        let channel = &tx.channels[id];
        let description = match channel.description.as_str() {
            "" => "*No description.*",
            text => text,
        };
        let content = format!(
            "**{}** channel created by {}. **Description:**\n```` quote\n{description}\n````",
            privacy_words(channel.privacy),
            silent_mention(creator),
        );
        tell_in_channel(tx, *id, content);
    }
}

/// Says something in a channel's topic for its changes, where the organization wants that.
pub fn tell_in_channel(tx: &mut Tx, channel: ChannelId, content: String) {
    if tx.organization.is_on("send_channel_events_messages") {
        send(tx, Target::Channel { channel, topic: EVENTS_TOPIC.into() }, content);
    }
}

/// Announces new channels where the organization announces such; private ones are not told of.
pub fn announce(tx: &mut Tx, creator: &User, channels: &[ChannelId]) {
    let Some(to) = tx.organization.new_channel_announcements.filter(|id| tx.channels.contains_key(id)) else { return };
    let open = channels.iter().map(|id| &tx.channels[id]).filter(|channel| !channel.privacy.is_private());
    let links: Vec<String> = open.map(|channel| format!("#**{}**", channel.name)).collect();
    let who = silent_mention(creator);
    let content = match links.as_slice() {
        [] => return,
        [only] => format!("{who} created a new channel {only}."),
        several => format!("{who} created the following channels: {}.", several.join(", ")),
    };
    send(tx, Target::Channel { channel: to, topic: ANNOUNCEMENTS_TOPIC.into() }, content);
}

/// Tells people whom somebody else subscribed, each in a direct message.
pub fn tell_subscribed(tx: &mut Tx, actor: &User, added: &Changed) {
    let people: Vec<UserId> = added.keys().copied().filter(|id| *id != actor.id && !tx.users[id].is_bot()).collect();
    let who = silent_mention(actor);
    for person in people {
        let links: Vec<String> = added[&person].iter().map(|id| format!("#**{}**", tx.channels[id].name)).collect();
        let content = match links.as_slice() {
            [only] => format!("{who} subscribed you to {only}."),
            several => format!("{who} subscribed you to the following channels:\n\n* {}", several.join("\n* ")),
        };
        tell_person(tx, person, content);
    }
}

/// Tells one person something, in a direct message.
pub fn tell_person(tx: &mut Tx, person: UserId, content: String) {
    send(tx, Target::Direct { users: vec![person] }, content);
}

fn send(tx: &mut Tx, to: Target, content: String) {
    if let Some(bot) = tx.notification_bot() {
        // A notice that can't be sent, say of a channel whose name is no link, must not undo what it tells of.
        let _ = tx.send(Outgoing::from_server(bot, to, content));
    }
}
