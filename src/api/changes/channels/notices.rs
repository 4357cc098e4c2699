//! Notices about channels: new, archived and unarchived channels, changed properties, subscriptions by other users.
//!
//! Choices where the API is silent: A-21, A-22 in docs/assumptions.md.

use crate::api::changes::subscriptions::ChannelsByUser;
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

/// The word for a channel in notices.
pub fn channel_word(tx: &Tx) -> &'static str {
    if !tx.has(Feature::NoticesSayChannel) { "stream" } else { "channel" }
}

/// What notices call a channel's privacy.
pub fn privacy_name(privacy: Privacy) -> &'static str {
    match privacy {
        Privacy::WebPublic => "Web-public",
        Privacy::Public => "Public",
        Privacy::PrivateSharedHistory => "Private, shared history",
        Privacy::PrivateProtectedHistory => "Private, protected history",
    }
}

/// Posts in each new channel who created it, with its privacy and description, if `send_channel_events_messages` is on.
pub fn post_creation(tx: &mut Tx, creator: &User, channels: &[ChannelId]) {
    for id in channels {
        let channel = &tx.channels[id];
        let description = match channel.description.as_str() {
            "" => "*No description.*",
            text => text,
        };
        let content = format!(
            "**{}** {} created by {}. **Description:**\n```` quote\n{description}\n````",
            privacy_name(channel.privacy),
            channel_word(tx),
            creator.silent_mention(),
        );
        post_marked_read(tx, creator, *id, content, OrdSet::unit(creator.id));
    }
}

/// Posts in the channel's topic for events, if `send_channel_events_messages` is on. From 315 on, it posts nothing in
/// archived channels.
pub fn post_in_channel(tx: &mut Tx, actor: &User, channel: ChannelId, content: String) {
    post_marked_read(tx, actor, channel, content, OrdSet::new());
}

pub fn post_privacy_change(tx: &mut Tx, actor: &User, channel: ChannelId, old: Privacy, new: Privacy) {
    let help_page = if !tx.has(Feature::HelpLinksSayChannel) { "stream-permissions" } else { "channel-permissions" };
    let content = format!(
        "{} changed the [access permissions](/help/{help_page}) for this {} from **{}** to **{}**.",
        actor.silent_mention(),
        channel_word(tx),
        privacy_name(old),
        privacy_name(new),
    );
    post_in_channel(tx, actor, channel, content);
}

pub fn post_archiving(tx: &mut Tx, actor: &User, channel: ChannelId) {
    let is_unread = !tx.has(Feature::ArchivingNoticeMarkedRead);
    let readers = if is_unread { OrdSet::new() } else { tx.channels[&channel].subscribers.clone() };
    let content = format!("Channel {} has been archived.", tx.channels[&channel].name);
    post_even_if_archived(tx, actor, channel, content, readers);
}

/// Does the same as [`post_in_channel`], and marks the notice as read for `readers`.
fn post_marked_read(tx: &mut Tx, actor: &User, channel: ChannelId, content: String, readers: OrdSet<UserId>) {
    if !tx.channels[&channel].is_archived || !tx.has(Feature::ArchivedChannelsClosed) {
        post_even_if_archived(tx, actor, channel, content, readers);
    }
}

fn post_even_if_archived(tx: &mut Tx, actor: &User, channel: ChannelId, content: String, readers: OrdSet<UserId>) {
    if tx.organization.is_enabled(RealmSetting::SendChannelEventsMessages) {
        let target = topic_target(tx, channel, &format!("{} events", channel_word(tx)));
        tx.post_notice(actor.id, target, content, readers);
    }
}

/// A topic of a channel, or its empty topic if the channel allows no other.
fn topic_target(realm: &Realm, channel: ChannelId, topic: &str) -> Target {
    let has_only_empty_topic = realm.channels[&channel].topics_policy == TopicsPolicy::EmptyTopicOnly;
    Target::Channel { channel, topic: if has_only_empty_topic { String::new() } else { topic.into() } }
}

/// Posts in the organization's channel for announcements of new channels, if it has one. Private channels are announced
/// too.
pub fn announce_new_channels(tx: &mut Tx, creator: &User, channels: &[ChannelId]) {
    let Some(channel) = tx.organization.new_channel_announcements.filter(|id| tx.channels.contains_key(id)) else {
        return;
    };
    let links: Vec<String> = channels.iter().map(|id| format!("#**{}**", tx.channels[id].name)).collect();
    let (creator_mention, channel_word) = (creator.silent_mention(), channel_word(tx));
    let content = match links.as_slice() {
        [] => return,
        [link] => format!("{creator_mention} created a new {channel_word} {link}."),
        links => format!("{creator_mention} created the following {channel_word}s: {}.", links.join(", ")),
    };
    let target = topic_target(tx, channel, &format!("new {channel_word}s"));
    tx.post_notice_with_mentions(target, content, OrdSet::unit(creator.id));
}

/// If a user subscribes other people, sends each of them a direct message with the channels, without those that the
/// request created.
pub fn post_new_subscriptions(
    tx: &mut Tx,
    actor: &User,
    new_subscriptions: &ChannelsByUser,
    created_channels: &[ChannelId],
) {
    let is_other_person = |id: &UserId| *id != actor.id && !tx.users[id].is_bot();
    let people: Vec<UserId> = new_subscriptions.keys().copied().filter(is_other_person).collect();
    for person in people {
        let existing_channels = new_subscriptions[&person].iter().filter(|id| !created_channels.contains(id));
        let mut names: Vec<&str> = existing_channels.map(|id| tx.channels[id].name.as_str()).collect();
        names.sort_unstable();
        let links: Vec<String> = names.into_iter().map(|name| format!("#**{name}**")).collect();
        let notifies_actor = !tx.has(Feature::SubscriptionNoticesMentionSilently);
        let (mention, channel_word) =
            (if notifies_actor { actor.mention() } else { actor.silent_mention() }, channel_word(tx));
        let content = match links.as_slice() {
            [] => continue,
            [link] if notifies_actor => format!("{mention} subscribed you to the {channel_word} {link}."),
            [link] => format!("{mention} subscribed you to {link}."),
            links => {
                format!("{mention} subscribed you to the following {channel_word}s:\n\n* {}\n", links.join("\n* "))
            }
        };
        if notifies_actor {
            tx.post_notice_with_mentions(Target::Direct { users: vec![person] }, content, OrdSet::unit(actor.id));
        } else {
            tx.post_notice_to_user(actor.id, person, content);
        }
    }
}

/// Who may post to a channel, in both formats that notices need.
pub struct PostingPermission {
    /// `stream_post_policy`, for older levels.
    pub policy: i64,
    /// `can_send_message_group`.
    pub holders: GroupSettingValue,
}

impl PostingPermission {
    pub fn of_channel(realm: &Realm, channel: ChannelId) -> Self {
        let channel = &realm.channels[&channel];
        let holders = channel.permissions[ChannelPermission::CanSendMessage.name()].clone();
        Self { policy: post_policy(realm, channel), holders }
    }
}

pub fn post_posting_permission_change(
    tx: &mut Tx,
    actor: &User,
    channel: ChannelId,
    old: &PostingPermission,
    new: &PostingPermission,
) {
    let help_page =
        if !tx.has(Feature::HelpLinksSayChannel) { "stream-sending-policy" } else { "channel-posting-policy" };
    let (mention, channel_word) = (actor.silent_mention(), channel_word(tx));
    let lines = if !tx.has(Feature::PostingNoticesNameGroups) {
        let describe = |permission: &PostingPermission| describe_post_policy(permission.policy, channel_word);
        format!("* **Old permissions**: {}.\n* **New permissions**: {}.\n", describe(old), describe(new))
    } else {
        let describe = |permission: &PostingPermission| holder_mentions(tx, &permission.holders);
        format!("* **Old**: {}\n* **New**: {}\n", describe(old), describe(new))
    };
    let content =
        format!("{mention} changed the [posting permissions](/help/{help_page}) for this {channel_word}:\n\n{lines}");
    post_in_channel(tx, actor, channel, content);
}

/// Silent mentions of the groups and users who hold a permission: groups first, each in the order of IDs.
fn holder_mentions(realm: &Realm, holders: &GroupSettingValue) -> String {
    let (groups, users) = match holders {
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

/// `policy` is a value of `stream_post_policy`.
fn describe_post_policy(policy: i64, channel_word: &str) -> String {
    match policy {
        2 => "Only organization administrators can post".to_owned(),
        3 => "Only organization full members can post".to_owned(),
        4 => "Only organization administrators and moderators can post".to_owned(),
        _ => format!("All {channel_word} members can post"),
    }
}

/// `old` and `new` are in days; -1 means forever, None the organization's policy.
pub fn post_retention_change(tx: &mut Tx, actor: &User, channel: ChannelId, old: Option<i64>, new: Option<i64>) {
    let (mention, channel_word) = (actor.silent_mention(), channel_word(tx));
    let organization_days = tx.organization.setting(RealmSetting::MessageRetentionDays).as_i64().unwrap_or(-1);
    let (old, new) = (old.unwrap_or(organization_days), new.unwrap_or(organization_days));
    let describe = |is_forever: bool, days: i64| if is_forever { "Forever".to_owned() } else { format!("{days} days") };
    let was_forever = old == -1;
    // If messages are kept forever before and after the change, the notice of a real server says -1 days.
    let becomes_forever = new == -1 && !was_forever;
    let summary = if becomes_forever {
        format!("Messages in this {channel_word} will now be retained forever.")
    } else {
        format!("Messages in this {channel_word} will now be automatically deleted {new} days after they are sent.")
    };
    let content = format!(
        "{mention} has changed the [message retention period](/help/message-retention-policy) for this \
         {channel_word}:\n\
         * **Old retention period**: {}\n* **New retention period**: {}\n\n{summary}",
        describe(was_forever, old),
        describe(becomes_forever, new),
    );
    post_in_channel(tx, actor, channel, content);
}
