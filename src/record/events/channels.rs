//! The fields of events about channels, subscriptions, default channels and folders.

use super::any_of_types;
use crate::realm::event::event_data;
use crate::realm::id::{ChannelId, FolderId, UserId};
use crate::realm::permission::GroupSettingValue;
use crate::record::channel::{ChannelRecord, DefaultChannelGroupRecord};
use crate::record::channel_folder::FolderRecord;
use crate::record::subscription::SubscriptionRecord;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;

event_data! {
    StreamCreate;
    LegacyStreamDelete is StreamDelete;
    StreamUpdate;
    SubscriptionRemove;
    SubscriptionUpdate;
    DefaultStreams;
    DefaultStreamGroups;
    ChannelFolderAdd;
    ChannelFolderUpdate;
    ChannelFolderReorder;
}

/// Channels were created or became visible.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StreamCreate {
    /// The channels that the user sees now and did not see before.
    pub streams: Vec<ChannelRecord>,
}

/// A channel was archived: the fields of `stream` delete below 315.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LegacyStreamDelete {
    /// A single element: the channel before it was archived.
    pub streams: Vec<ChannelRecord>,
    /// A single element: the ID of the channel.
    pub stream_ids: Vec<ChannelId>,
}

/// A setting of a channel was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StreamUpdate {
    /// Name of the setting, a key of the channel's record.
    pub property: &'static str,
    /// New value of the setting.
    #[schemars(schema_with = "channel_value_schema")]
    pub value: Value,
    /// ID of the changed channel.
    pub stream_id: ChannelId,
    /// Name of the channel; if this changes, the former one.
    pub name: String,
    /// With the property `description`: the new description in HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub rendered_description: Option<String>,
    /// With the property `invite_only`: whether new subscribers see the whole history.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub history_public_to_subscribers: Option<bool>,
    /// With the property `invite_only`: whether anyone on the internet may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub is_web_public: Option<bool>,
}

fn channel_value_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut choices = vec![generator.subschema_for::<GroupSettingValue>()];
    choices.extend(["integer", "boolean", "string", "null"].map(|name| json_schema!({ "type": name })));
    json_schema!({ "anyOf": choices })
}

impl StreamUpdate {
    pub fn new(stream_id: ChannelId, name: String, property: &'static str, value: Value) -> Self {
        Self {
            property,
            value,
            stream_id,
            name,
            rendered_description: None,
            history_public_to_subscribers: None,
            is_web_public: None,
        }
    }
}

/// The user was subscribed to channels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionAdd {
    /// The new subscriptions, with the user's settings of each.
    pub subscriptions: Vec<SubscriptionRecord>,
}

/// Another user was subscribed to a channel or unsubscribed, at levels below 35.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LegacyPeerChange {
    pub stream_id: ChannelId,
    pub user_id: UserId,
}

/// The user was unsubscribed from channels.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionRemove {
    /// The channels that the user left.
    pub subscriptions: Vec<LeftChannel>,
}

/// A channel that the user is no longer subscribed to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LeftChannel {
    /// Name of the channel.
    pub name: String,
    /// ID of the channel.
    pub stream_id: ChannelId,
}

/// A setting of a subscription changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SubscriptionUpdate {
    /// Name of the setting, a key of the subscription's record.
    pub property: &'static str,
    /// New value of the setting.
    #[schemars(schema_with = "subscription_value_schema")]
    pub value: Value,
    /// ID of the channel of the subscription.
    pub stream_id: ChannelId,
}

fn subscription_value_schema(_: &mut SchemaGenerator) -> Schema {
    any_of_types(&["integer", "boolean", "string"])
}

/// The default channels changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefaultStreams {
    /// IDs of all default channels.
    pub default_streams: Vec<ChannelId>,
}

/// The groups of default channels changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DefaultStreamGroups {
    /// All groups of default channels, oldest first.
    pub default_stream_groups: Vec<DefaultChannelGroupRecord>,
}

/// A folder was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelFolderAdd {
    /// The new folder.
    pub channel_folder: FolderRecord,
}

/// A folder was changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelFolderUpdate {
    /// ID of the changed folder.
    pub channel_folder_id: FolderId,
    /// New values; what did not change is absent.
    pub data: FolderChange,
}

/// The new values of a folder; what did not change is absent.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct FolderChange {
    /// New name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// New description in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub description: Option<String>,
    /// The new description in HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub rendered_description: Option<String>,
    /// Whether the folder is archived now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub is_archived: Option<bool>,
}

/// The folders were reordered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChannelFolderReorder {
    /// IDs of all folders in their new order.
    pub order: Vec<FolderId>,
}
