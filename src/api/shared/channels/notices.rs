//! What the notification bot says of channels: that one was made, changed, or that somebody was subscribed.
//!
//! Choices where the API is silent: A-21, A-22 in docs/assumptions.md.

use crate::api::shared::subscriptions::Changed;
use crate::realm::Realm;
use crate::realm::channel::{Privacy, TopicsPolicy};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::send::Target;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use imbl::OrdSet;

/// The topic in which a channel's changes are posted.
const EVENTS_TOPIC: &str = "channel events";
/// The topic in which new channels are announced.
const ANNOUNCEMENTS_TOPIC: &str = "new channels";

/// The first level whose notices speak of channels (A-240 in docs/assumptions.md).
const CHANNELS_SINCE: i64 = 248;
/// What notices say, and what they said before; each once, since what follows is the users' own.
const FORMER_WORDS: &[(&str, &str)] = &[
    ("** channel created by ", "** stream created by "),
    (" renamed channel **", " renamed stream **"),
    (
        " changed the access permissions for this channel",
        " changed the [access permissions](/help/stream-permissions) for this stream",
    ),
    (" for this channel", " for this stream"),
    (" created a new channel ", " created a new stream "),
    (" the following channels:", " the following streams:"),
];

/// A notice in the words of the level.
fn in_words(realm: &Tx, notice: &str) -> String {
    let former = FORMER_WORDS.iter().find(|(now, _)| realm.is_before(CHANNELS_SINCE) && notice.contains(now));
    former.map_or_else(|| notice.to_owned(), |(now, before)| notice.replacen(now, before, 1))
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
pub fn post_created(tx: &mut Tx, creator: &User, channels: &[ChannelId]) {
    for id in channels {
        let channel = &tx.channels[id];
        let description = match channel.description.as_str() {
            "" => "*No description.*",
            text => text,
        };
        let content = format!(
            "**{}** channel created by {}. **Description:**\n```` quote\n{description}\n````",
            privacy_words(channel.privacy),
            creator.silent_mention(),
        );
        post_in_channel_read_by(tx, creator, *id, content, OrdSet::unit(creator.id));
    }
}

/// Says something in a channel's topic for its changes, where the organization wants that.
pub fn post_in_channel(tx: &mut Tx, actor: &User, channel: ChannelId, content: String) {
    post_in_channel_read_by(tx, actor, channel, content, OrdSet::new());
}

fn post_in_channel_read_by(tx: &mut Tx, actor: &User, channel: ChannelId, content: String, readers: OrdSet<UserId>) {
    if tx.organization.is_on("send_channel_events_messages") {
        let topic = in_words_of_topic(tx, EVENTS_TOPIC);
        let to = in_topic(tx, channel, &topic);
        let content = in_words(tx, &content);
        tx.notify(actor.id, to, content, readers);
    }
}

fn in_words_of_topic(tx: &Tx, topic: &str) -> String {
    if tx.is_before(CHANNELS_SINCE) { topic.replace("channel", "stream") } else { topic.to_owned() }
}

/// A topic of a channel, or the empty one where that is the only one.
fn in_topic(realm: &Realm, channel: ChannelId, topic: &str) -> Target {
    let has_no_other = realm.channels[&channel].topics_policy == TopicsPolicy::EmptyTopicOnly;
    Target::Channel { channel, topic: if has_no_other { String::new() } else { topic.into() } }
}

/// Announces new channels, private ones too, where the organization announces such.
pub fn announce(tx: &mut Tx, creator: &User, channels: &[ChannelId]) {
    let Some(to) = tx.organization.new_channel_announcements.filter(|id| tx.channels.contains_key(id)) else { return };
    let links: Vec<String> = channels.iter().map(|id| format!("#**{}**", tx.channels[id].name)).collect();
    let who = creator.silent_mention();
    let content = match links.as_slice() {
        [] => return,
        [only] => format!("{who} created a new channel {only}."),
        several => format!("{who} created the following channels: {}.", several.join(", ")),
    };
    let to = in_topic(tx, to, &in_words_of_topic(tx, ANNOUNCEMENTS_TOPIC));
    let content = in_words(tx, &content);
    tx.notify(creator.id, to, content, OrdSet::unit(creator.id));
}

/// Notifies people that somebody else subscribed to channels that were there before, each in a direct message.
pub fn post_subscribed(tx: &mut Tx, actor: &User, added: &Changed, created: &[ChannelId]) {
    let people: Vec<UserId> = added.keys().copied().filter(|id| *id != actor.id && !tx.users[id].is_bot()).collect();
    let who = actor.silent_mention();
    for person in people {
        let earlier = added[&person].iter().filter(|id| !created.contains(id));
        let mut names: Vec<&str> = earlier.map(|id| tx.channels[id].name.as_str()).collect();
        names.sort_unstable();
        let links: Vec<String> = names.into_iter().map(|name| format!("#**{name}**")).collect();
        let is_former = tx.is_before(CHANNELS_SINCE);
        let content = match links.as_slice() {
            [] => continue,
            [only] if is_former => format!("{} subscribed you to the stream {only}.", actor.mention()),
            several if is_former => {
                let several = several.join("\n* ");
                format!("{} subscribed you to the following streams:\n\n* {several}\n", actor.mention())
            }
            [only] => format!("{who} subscribed you to {only}."),
            several => format!("{who} subscribed you to the following channels:\n\n* {}", several.join("\n* ")),
        };
        if is_former {
            tx.notify_person_aloud(actor.id, person, content);
        } else {
            tx.notify_person(actor.id, person, content);
        }
    }
}

/// Says in a channel that others may post there than before: policies by their numbers (`stream_post_policy`).
pub fn post_policy_change(tx: &mut Tx, actor: &User, channel: ChannelId, old: i64, new: i64) {
    let who = actor.silent_mention();
    let content = if tx.is_before(CHANNELS_SINCE) {
        format!(
            "{who} changed the [posting permissions](/help/stream-sending-policy) for this stream:\n\n\
             * **Old permissions**: {}.\n* **New permissions**: {}.\n",
            post_policy_words(old),
            post_policy_words(new),
        )
    } else {
        format!("{who} changed the posting permissions for this channel.")
    };
    post_in_channel(tx, actor, channel, content);
}

const fn post_policy_words(policy: i64) -> &'static str {
    match policy {
        2 => "Only organization administrators can post",
        3 => "Only organization full members can post",
        4 => "Only organization administrators and moderators can post",
        _ => "All stream members can post",
    }
}

/// Says in a channel for how many days its messages are kept, -1 for ever, from now on.
pub fn post_retention(tx: &mut Tx, actor: &User, channel: ChannelId, old: Option<i64>, new: Option<i64>) {
    let who = actor.silent_mention();
    let content = if tx.is_before(CHANNELS_SINCE) {
        let default = tx.organization.setting("message_retention_days").as_i64().unwrap_or(-1);
        let (old, new) = (old.unwrap_or(default), new.unwrap_or(default));
        let words =
            |is_for_ever: bool, days: i64| if is_for_ever { "Forever".to_owned() } else { format!("{days} days") };
        let was_for_ever = old == -1;
        // From ever to ever it spoke of -1 days.
        let is_for_ever = new == -1 && !was_for_ever;
        let summary = if is_for_ever {
            "Messages in this stream will now be retained forever.".to_owned()
        } else {
            format!("Messages in this stream will now be automatically deleted {new} days after they are sent.")
        };
        format!(
            "{who} has changed the [message retention period](/help/message-retention-policy) for this stream:\n\
             * **Old retention period**: {}\n* **New retention period**: {}\n\n{summary}",
            words(was_for_ever, old),
            words(is_for_ever, new),
        )
    } else {
        let words = |days: Option<i64>| match days {
            None => "Organization default".to_owned(),
            Some(-1) => "Forever".to_owned(),
            Some(days) => format!("{days} days"),
        };
        format!(
            "{who} has changed the message retention period for this channel:\n\
             * **Old retention period**: {}\n* **New retention period**: {}",
            words(old),
            words(new),
        )
    };
    post_in_channel(tx, actor, channel, content);
}
