//! Parameters that several operations on channels share: privacy, retention, topics policy, permissions, boolean
//! settings.
//!
//! A choice where the API is silent: A-484 in docs/assumptions.md.

use crate::api::parameter::types::group_setting::permission_parameters;
use crate::api::parameter::{Nullable, Parameter, parameters, string_enum};
use crate::error::Error;
use crate::realm::channel::TopicsPolicy;
use crate::realm::channel_boolean_setting::{
    CHANNEL_BOOLEAN_SETTINGS, ChannelBooleanSetting, ChannelBooleanSettings, with_channel_boolean_settings,
};
use crate::realm::id::FolderId;
use crate::realm::user::User;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

string_enum! {
    /// The parameter `topics_policy`. Clients that send all values as JSON put quotes around it.
    pub enum TopicsPolicyWord {
        /// The organization's policy applies.
        Inherit = "inherit" | "\"inherit\"",
        AllowEmptyTopic = "allow_empty_topic" | "\"allow_empty_topic\"",
        DisableEmptyTopic = "disable_empty_topic" | "\"disable_empty_topic\"",
        EmptyTopicOnly = "empty_topic_only" | "\"empty_topic_only\"",
    }
}

impl From<TopicsPolicyWord> for TopicsPolicy {
    fn from(word: TopicsPolicyWord) -> Self {
        match word {
            TopicsPolicyWord::Inherit => TopicsPolicy::Inherit,
            TopicsPolicyWord::AllowEmptyTopic => TopicsPolicy::AllowEmptyTopic,
            TopicsPolicyWord::DisableEmptyTopic => TopicsPolicy::DisableEmptyTopic,
            TopicsPolicyWord::EmptyTopicOnly => TopicsPolicy::EmptyTopicOnly,
        }
    }
}

/// `message_retention_days`, of the organization or a channel, for messages that are never deleted.
pub const RETAIN_FOREVER: i64 = -1;

/// The parameter `message_retention_days`: `realm_default` (None), `unlimited` (-1) or a number of days, with or
/// without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionDays(pub Option<i64>);

impl Parameter for RetentionDays {
    const IS_JSON: bool = false;

    fn from_text(text: &str, _name: &str) -> Result<Self, Error> {
        // Real servers name this member of the union of types.
        const PATH: &str = "message_retention_days[\"json[str]\"]";
        let value = match text {
            "realm_default" | "unlimited" => Value::from(text),
            _ => serde_json::from_str(text).map_err(|_| Error::bad_value(PATH, "is not valid JSON"))?,
        };
        if !value.is_string() && !value.is_i64() && !value.is_u64() {
            return Err(Error::bad_value(PATH, "is not a string"));
        }
        match value.as_str() {
            Some("realm_default") => return Ok(Self(None)),
            Some("unlimited") => return Ok(Self(Some(RETAIN_FOREVER))),
            _ => {}
        }
        let requested_days = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match requested_days.parse::<i64>() {
            Ok(days) if days > 0 => Ok(Self(Some(days))),
            _ => Err(Error::RequestVariableInvalid {
                var_name: "message_retention_days".into(),
                bad_value: requested_days.into(),
            }),
        }
    }

    fn schema(_generator: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "anyOf": [{"type": "string", "enum": ["realm_default", "unlimited"]}, {"type": "integer", "minimum": 1}]
        })
    }
}

permission_parameters! {
    /// Permissions of a new channel.
    pub struct ChannelPermissions;
    /// New values of a channel's permissions.
    pub struct ChannelPermissionUpdates;

    /// Who may subscribe other users to the channel.
    can_add_subscribers_group,
    /// Who may change the channel; the creator by default.
    can_administer_channel_group,
    /// Who may start topics in the channel.
    can_create_topic_group,
    /// Who may delete any message of the channel.
    can_delete_any_message_group,
    /// Who may delete their own messages in the channel.
    can_delete_own_message_group,
    /// Who may move messages from the channel to other channels.
    can_move_messages_out_of_channel_group,
    /// Who may move messages to other topics of the channel.
    can_move_messages_within_channel_group,
    /// Who may unsubscribe others from the channel; administrators by default.
    can_remove_subscribers_group,
    /// Who may resolve and unresolve topics of the channel.
    can_resolve_topics_group,
    /// Who may post in the channel; everyone by default.
    can_send_message_group,
    /// Who may subscribe themselves, even if the channel is private.
    can_subscribe_group,
}

macro_rules! boolean_parameters {
    ($($(#[doc = $meaning:literal])+ $name:ident since $since:literal, for $role:ident;)+) => {
        parameters! {
            /// New values of a channel's boolean settings.
            #[derive(Default)]
            pub struct ChannelBooleanUpdates {
                $($(#[doc = $meaning])+ $name: Option<bool>,)+
            }
        }

        impl ChannelBooleanUpdates {
            fn values(&self) -> impl Iterator<Item = Option<bool>> {
                [$(self.$name),+].into_iter()
            }
        }
    };
}
with_channel_boolean_settings!(boolean_parameters);

impl ChannelBooleanUpdates {
    /// The settings in the request, with their new values.
    pub fn requested_values(&self) -> impl Iterator<Item = (&'static ChannelBooleanSetting, bool)> {
        CHANNEL_BOOLEAN_SETTINGS.iter().zip(self.values()).filter_map(|(setting, value)| Some((setting, value?)))
    }

    /// The boolean settings of a new channel.
    ///
    /// # Errors
    ///
    /// `AdministratorRequired` if a setting is on that the caller may not turn on.
    pub fn settings_of_new_channel(&self, caller: &User) -> Result<ChannelBooleanSettings, Error> {
        let mut boolean_settings = ChannelBooleanSettings::default();
        for (setting, is_on) in self.requested_values().filter(|(_, is_on)| *is_on) {
            check_may_change(setting, caller)?;
            if let Some(value) = boolean_settings.get_mut(setting.name) {
                *value = is_on;
            }
        }
        Ok(boolean_settings)
    }

    /// The names and new values of the settings that change.
    ///
    /// # Errors
    ///
    /// `AdministratorRequired` if the request has a setting that the caller may not change, even with its current
    /// value.
    pub fn changes(
        &self,
        caller: &User,
        mut current: ChannelBooleanSettings,
    ) -> Result<Vec<(&'static str, bool)>, Error> {
        self.requested_values().try_for_each(|(setting, _)| check_may_change(setting, caller))?;
        let is_changed = |(setting, value): &(&ChannelBooleanSetting, bool)| {
            current.get_mut(setting.name).is_some_and(|old| *old != *value)
        };
        Ok(self.requested_values().filter(is_changed).map(|(setting, value)| (setting.name, value)).collect())
    }
}

fn check_may_change(setting: &ChannelBooleanSetting, caller: &User) -> Result<(), Error> {
    if setting.is_open_to(caller) { Ok(()) } else { Err(Error::AdministratorRequired) }
}

parameters! {
    /// Properties of a new channel, besides its name, description, topics policy and permissions.
    #[derive(Default)]
    pub struct ChannelProperties {
        /// Whether the channel is private; not together with `is_web_public`.
        invite_only: bool = false,
        /// Whether anyone on the internet may read the channel.
        is_web_public: bool = false,
        /// Whether new users are subscribed to the channel; true only for administrators.
        is_default_stream: bool = false,
        /// Whether new subscribers of a private channel see all of its history; false by default.
        history_public_to_subscribers: Option<bool>,
        /// How long messages are kept: `realm_default`, `unlimited` or days; owners only.
        message_retention_days: Option<RetentionDays>,
        /// ID of the folder of the channel; none if null or absent.
        folder_id: Option<Nullable<FolderId>>,
        /// Settings that are on or off.
        @group boolean_settings: ChannelBooleanUpdates,
    }
}
