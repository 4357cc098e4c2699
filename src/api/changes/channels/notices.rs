//! What the notification bot says of channels: that one was made, changed, or that somebody was subscribed.
//!
//! Choices where the API is silent: A-21, A-22 in docs/assumptions.md.

use crate::api::changes::subscriptions::Changed;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::channel::{Privacy, TopicsPolicy};
use crate::realm::id::{ChannelId, GroupId, UserId};
use crate::realm::permission::{ChannelPermission, GroupSettingValue};
use crate::realm::send::Target;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::realm::user::User;
use crate::record::channel::post_policy;
use imbl::OrdSet;
use std::collections::BTreeSet;

/// What notices call a channel.
pub fn noun(tx: &Tx) -> &'static str {
    if !tx.has(Feature::NoticesOfChannels) { "stream" } else { "channel" }
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
            "**{}** {} created by {}. **Description:**\n```` quote\n{description}\n````",
            privacy_words(channel.privacy),
            noun(tx),
            creator.silent_mention(),
        );
        post_in_channel_read_by(tx, creator, *id, content, OrdSet::unit(creator.id));
    }
}

/// Says something in a channel's topic for its changes, where the organization wants that.
pub fn post_in_channel(tx: &mut Tx, actor: &User, channel: ChannelId, content: String) {
    post_in_channel_read_by(tx, actor, channel, content, OrdSet::new());
}

/// Says that who sees and reads a channel is decided otherwise.
pub fn post_privacy_change(tx: &mut Tx, actor: &User, channel: ChannelId, old: Privacy, new: Privacy) {
    let page = if !tx.has(Feature::HelpOfChannels) { "stream-permissions" } else { "channel-permissions" };
    let content = format!(
        "{} changed the [access permissions](/help/{page}) for this {} from **{}** to **{}**.",
        actor.silent_mention(),
        noun(tx),
        privacy_words(old),
        privacy_words(new),
    );
    post_in_channel(tx, actor, channel, content);
}

/// Says in a channel that it has been archived.
pub fn post_archived(tx: &mut Tx, actor: &User, channel: ChannelId) {
    let is_unread = !tx.has(Feature::ArchivingNoticeRead);
    let readers = if is_unread { OrdSet::new() } else { tx.channels[&channel].subscribers.clone() };
    let content = format!("Channel {} has been archived.", tx.channels[&channel].name);
    post_whatever_its_state(tx, actor, channel, content, readers);
}

fn post_in_channel_read_by(tx: &mut Tx, actor: &User, channel: ChannelId, content: String, readers: OrdSet<UserId>) {
    if !tx.channels[&channel].is_archived || !tx.has(Feature::ArchivedChannelsClosed) {
        post_whatever_its_state(tx, actor, channel, content, readers);
    }
}

fn post_whatever_its_state(tx: &mut Tx, actor: &User, channel: ChannelId, content: String, readers: OrdSet<UserId>) {
    if tx.organization.is_on(RealmSetting::SendChannelEventsMessages) {
        // The topic in which a channel's changes are posted.
        let to = in_topic(tx, channel, &format!("{} events", noun(tx)));
        tx.notify(actor.id, to, content, readers);
    }
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
    let (who, noun) = (creator.silent_mention(), noun(tx));
    let content = match links.as_slice() {
        [] => return,
        [only] => format!("{who} created a new {noun} {only}."),
        several => format!("{who} created the following {noun}s: {}.", several.join(", ")),
    };
    let to = in_topic(tx, to, &format!("new {noun}s"));
    tx.notify_aloud(to, content, OrdSet::unit(creator.id));
}

/// Notifies people that somebody else subscribed to channels that were there before, each in a direct message.
pub fn post_subscribed(tx: &mut Tx, actor: &User, added: &Changed, created: &[ChannelId]) {
    let people: Vec<UserId> = added.keys().copied().filter(|id| *id != actor.id && !tx.users[id].is_bot()).collect();
    for person in people {
        let earlier = added[&person].iter().filter(|id| !created.contains(id));
        let mut names: Vec<&str> = earlier.map(|id| tx.channels[id].name.as_str()).collect();
        names.sort_unstable();
        let links: Vec<String> = names.into_iter().map(|name| format!("#**{name}**")).collect();
        let is_aloud = !tx.has(Feature::SubscribedInSilence);
        let (who, noun) = (if is_aloud { actor.mention() } else { actor.silent_mention() }, noun(tx));
        let content = match links.as_slice() {
            [] => continue,
            [only] if is_aloud => format!("{who} subscribed you to the {noun} {only}."),
            [only] => format!("{who} subscribed you to {only}."),
            several => format!("{who} subscribed you to the following {noun}s:\n\n* {}\n", several.join("\n* ")),
        };
        if is_aloud {
            tx.notify_aloud(Target::Direct { users: vec![person] }, content, OrdSet::unit(actor.id));
        } else {
            tx.notify_person(actor.id, person, content);
        }
    }
}

/// Who may post to a channel, as notices name them.
pub struct Posters {
    /// The older policy (`stream_post_policy`).
    pub policy: i64,
    /// Those who hold the permission (`can_send_message_group`).
    pub holder: GroupSettingValue,
}

impl Posters {
    /// Those of a channel as it is.
    pub fn of(realm: &Realm, channel: ChannelId) -> Self {
        let channel = &realm.channels[&channel];
        let holder = channel.permissions[ChannelPermission::CanSendMessage.name()].clone();
        Self { policy: post_policy(realm, channel), holder }
    }
}

/// Says in a channel that others may post there than before.
pub fn post_posters_change(tx: &mut Tx, actor: &User, channel: ChannelId, old: &Posters, new: &Posters) {
    let page = if !tx.has(Feature::HelpOfChannels) { "stream-sending-policy" } else { "channel-posting-policy" };
    let (who, noun) = (actor.silent_mention(), noun(tx));
    let lines = if !tx.has(Feature::PostersNamed) {
        let words = |posters: &Posters| post_policy_words(posters.policy, noun);
        format!("* **Old permissions**: {}.\n* **New permissions**: {}.\n", words(old), words(new))
    } else {
        let words = |posters: &Posters| holder_words(tx, &posters.holder);
        format!("* **Old**: {}\n* **New**: {}\n", words(old), words(new))
    };
    let content = format!("{who} changed the [posting permissions](/help/{page}) for this {noun}:\n\n{lines}");
    post_in_channel(tx, actor, channel, content);
}

/// Those who hold a permission, each mentioned silently: groups first, by their IDs.
fn holder_words(realm: &Realm, holder: &GroupSettingValue) -> String {
    let (groups, users) = match holder {
        GroupSettingValue::Group(group) => (BTreeSet::from([*group]), BTreeSet::new()),
        GroupSettingValue::Anonymous(value) => (
            value.direct_subgroups.iter().copied().collect::<BTreeSet<GroupId>>(),
            value.direct_members.iter().copied().collect::<BTreeSet<UserId>>(),
        ),
    };
    let groups = groups.iter().filter_map(|id| Some(format!("@_*{}*", realm.groups.get(id)?.name)));
    let users = users.iter().filter_map(|id| Some(realm.users.get(id)?.silent_mention()));
    groups.chain(users).collect::<Vec<String>>().join(", ")
}

fn post_policy_words(policy: i64, noun: &str) -> String {
    match policy {
        2 => "Only organization administrators can post".to_owned(),
        3 => "Only organization full members can post".to_owned(),
        4 => "Only organization administrators and moderators can post".to_owned(),
        _ => format!("All {noun} members can post"),
    }
}

/// Says in a channel for how many days its messages are kept, -1 for ever, from now on.
pub fn post_retention(tx: &mut Tx, actor: &User, channel: ChannelId, old: Option<i64>, new: Option<i64>) {
    let (who, noun) = (actor.silent_mention(), noun(tx));
    let default = tx.organization.setting(RealmSetting::MessageRetentionDays).as_i64().unwrap_or(-1);
    let (old, new) = (old.unwrap_or(default), new.unwrap_or(default));
    let words = |is_for_ever: bool, days: i64| if is_for_ever { "Forever".to_owned() } else { format!("{days} days") };
    let was_for_ever = old == -1;
    // From ever to ever it speaks of -1 days.
    let is_for_ever = new == -1 && !was_for_ever;
    let summary = if is_for_ever {
        format!("Messages in this {noun} will now be retained forever.")
    } else {
        format!("Messages in this {noun} will now be automatically deleted {new} days after they are sent.")
    };
    let content = format!(
        "{who} has changed the [message retention period](/help/message-retention-policy) for this {noun}:\n\
         * **Old retention period**: {}\n* **New retention period**: {}\n\n{summary}",
        words(was_for_ever, old),
        words(is_for_ever, new),
    );
    post_in_channel(tx, actor, channel, content);
}
