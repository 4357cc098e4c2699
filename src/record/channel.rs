//! The API's records of a channel and of a group of default channels (specification, "Channel subscription record").

use crate::realm::Realm;
use crate::realm::channel::{Channel, TopicsPolicy};
use crate::realm::channel_boolean_setting::ChannelBooleanSettings;
use crate::realm::group::SystemGroup;
use crate::realm::id::ChannelId;
use crate::realm::permission::{CHANNEL_PERMISSIONS, GroupSettingValue, schema_of};
use crate::time::Span;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A channel. All users who can see it get the same record.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Channel")]
#[expect(clippy::struct_excessive_bools, reason = "the API defines these fields")]
pub struct ChannelRecord {
    /// ID of the channel.
    pub stream_id: i64,
    /// Name of the channel, unique in the organization regardless of case.
    pub name: String,
    /// Description in Markdown.
    pub description: String,
    /// The description in HTML.
    pub rendered_description: String,
    /// When it was created, UNIX seconds.
    pub date_created: i64,
    /// ID of the user who created it; null if none is recorded.
    pub creator_id: Option<i64>,
    /// Whether it is private.
    pub invite_only: bool,
    /// Whether anyone on the internet may read it.
    pub is_web_public: bool,
    /// Archived channels take no messages.
    pub is_archived: bool,
    /// Whether new subscribers see the whole history.
    pub history_public_to_subscribers: bool,
    /// ID of the first message that it got, or of the oldest one left if that was deleted; null for none.
    pub first_message_id: Option<i64>,
    /// ID of the folder that it is in; null for none.
    pub folder_id: Option<i64>,
    /// Always true; real servers say whether it had messages in the last 180 days, or is new.
    pub is_recently_active: bool,
    /// Days for which messages are kept; null for the organization's setting, -1 for no limit.
    pub message_retention_days: Option<i64>,
    /// Who may post: 1 any user, 2 administrators, 3 full members, 4 moderators; deprecated.
    #[schemars(extend("enum" = [1, 2, 3, 4]))]
    pub stream_post_policy: i64,
    /// Whether `stream_post_policy` is 2; deprecated.
    pub is_announcement_only: bool,
    /// Messages per week: all messages, divided by the channel's age in whole weeks, which counts as four if it is
    /// more, and rounded up; null for channels younger than a week.
    pub stream_weekly_traffic: Option<i64>,
    /// Number of subscribers, without deactivated users.
    pub subscriber_count: i64,
    /// Which topics may be used.
    pub topics_policy: TopicsPolicy,
    /// Settings with a Boolean value, each a key of its own.
    #[serde(flatten)]
    pub boolean_settings: ChannelBooleanSettings,
    /// The permissions of the channel, by name, such as `can_send_message_group`.
    #[serde(flatten)]
    #[schemars(schema_with = "permissions_schema")]
    pub permissions: BTreeMap<&'static str, GroupSettingValue>,
}

fn permissions_schema(generator: &mut SchemaGenerator) -> Schema {
    schema_of(CHANNEL_PERMISSIONS, generator)
}

impl ChannelRecord {
    /// Converts a channel; the record is the same for everybody who can see it.
    pub fn new(realm: &Realm, channel: &Channel) -> Self {
        let policy = post_policy(realm, channel);
        Self {
            stream_id: channel.id.0,
            name: channel.name.clone(),
            description: channel.description.clone(),
            rendered_description: channel.rendered_description.clone(),
            date_created: channel.date_created.seconds(),
            creator_id: channel.creator.map(|creator| creator.0),
            invite_only: channel.privacy.is_private(),
            is_web_public: channel.privacy.is_web_public(),
            is_archived: channel.is_archived,
            history_public_to_subscribers: channel.privacy.has_public_history(),
            first_message_id: channel.first_message.map(|id| id.0),
            folder_id: channel.folder.map(|folder| folder.0),
            is_recently_active: true,
            message_retention_days: channel.message_retention_days,
            stream_post_policy: policy,
            is_announcement_only: policy == 2,
            stream_weekly_traffic: weekly_traffic(realm, channel),
            subscriber_count: channel.subscribers.len() as i64,
            topics_policy: channel.topics_policy,
            boolean_settings: channel.boolean_settings,
            permissions: realm.permissions_without_deactivated_users(&channel.permissions),
        }
    }
}

/// The deprecated `stream_post_policy`, derived from `can_send_message_group`; 1 for holders that it can't express.
pub fn post_policy(realm: &Realm, channel: &Channel) -> i64 {
    let Some(GroupSettingValue::Group(group)) = channel.permissions.get("can_send_message_group") else { return 1 };
    let is_group = |system_group| *group == realm.system_group(system_group);
    if is_group(SystemGroup::Administrators) {
        2
    } else if is_group(SystemGroup::FullMembers) {
        3
    } else if is_group(SystemGroup::Moderators) {
        4
    } else {
        1
    }
}

/// Messages per week: all messages, divided by the channel's age in whole weeks, which counts as four if it is more,
/// and rounded up. None for channels younger than a week. in docs/assumptions.md.
fn weekly_traffic(realm: &Realm, channel: &Channel) -> Option<i64> {
    let age = realm.now.since(channel.date_created);
    if age < Span::from_days(7) {
        return None;
    }
    let weeks = (age.whole_seconds() / Span::from_days(7).whole_seconds()).clamp(1, 4);
    Some((realm.messages_in(channel.id).len() as i64 + weeks - 1) / weeks)
}

/// A group of default channels, to which new users can be subscribed together.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DefaultChannelGroup")]
pub struct DefaultChannelGroupRecord {
    /// ID of the group.
    pub id: i64,
    /// Name of the group, unique among groups of default channels.
    pub name: String,
    /// What the group is for.
    pub description: String,
    /// IDs of the group's channels, sorted.
    pub streams: BTreeSet<ChannelId>,
}
