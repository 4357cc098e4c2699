//! The fields of events about a user's scheduled messages, reminders, one-time notices, devices and settings.

use super::setting_value_schema;
use crate::realm::event::event_data;
use crate::realm::id::DeviceId;
use crate::record::onboarding_step::StepRecord;
use crate::record::scheduled::{ReminderRecord, ScheduledMessageRecord};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

event_data! {
    RemindersAdd;
    ScheduledMessagesAdd;
    ScheduledMessagesUpdate;
    OnboardingSteps;
    DeviceAdd;
    DeviceUpdate;
    DeviceRemove;
    PushDevice;
    UserSettingsUpdate;
    UpdateDisplaySettings;
    UpdateGlobalNotifications;
}

/// A reminder was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemindersAdd {
    /// The new one.
    pub reminders: Vec<ReminderRecord>,
}

/// A message was scheduled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagesAdd {
    /// The new one.
    pub scheduled_messages: Vec<ScheduledMessageRecord>,
}

/// A scheduled message was changed, or could not be sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagesUpdate {
    /// The message as it is now.
    pub scheduled_message: ScheduledMessageRecord,
}

/// The user has seen a one-time notice.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OnboardingSteps {
    /// The notices that are not seen yet.
    pub onboarding_steps: Vec<StepRecord>,
}

/// A device was registered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceAdd {
    /// Its ID.
    pub device_id: DeviceId,
}

/// The registration of a device for push notifications changed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DeviceUpdate {
    /// Its ID.
    pub device_id: DeviceId,
    /// Identifies the key that encrypts notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub push_key_id: Option<i64>,
    /// Identifies the current token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_token_id: Option<String>,
    /// Identifies the token that is being registered; null once it is registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub pending_push_token_id: Option<Option<String>>,
    /// UNIX seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub push_token_last_updated_timestamp: Option<i64>,
}

/// A device was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceRemove {
    /// Its ID.
    pub device_id: DeviceId,
}

/// The registration of a device for push notifications changed, below 468.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PushDevice {
    /// The device's number for the relay.
    pub push_account_id: i64,
    /// `active`, `pending` or `failed`.
    pub status: &'static str,
    /// Why it failed.
    pub error_code: Option<String>,
}

/// A setting of the user changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserSettingsUpdate {
    /// Its name.
    pub property: String,
    /// Its value.
    #[schemars(schema_with = "setting_value_schema")]
    pub value: Value,
    /// With `default_language`: the language's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub language_name: Option<String>,
}

/// A setting of the display changed, below 439.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateDisplaySettings {
    /// The user's address.
    pub user: String,
    /// The setting.
    pub setting_name: String,
    /// Its value.
    pub setting: Value,
    /// With `default_language`: the language's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_name: Option<String>,
}

/// A setting of notifications changed, below 439.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateGlobalNotifications {
    /// The user's address.
    pub user: String,
    /// The setting.
    pub notification_name: String,
    /// Its value.
    pub setting: Value,
}
