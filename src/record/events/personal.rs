//! The fields of events about a user's scheduled messages, reminders, onboarding steps, devices and settings.

use super::setting_value_schema;
use crate::realm::event::event_data;
use crate::realm::id::DeviceId;
use crate::record::onboarding_step::OnboardingStepRecord;
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
    /// A single element: the new reminder.
    pub reminders: Vec<ReminderRecord>,
}

/// A message was scheduled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagesAdd {
    /// A single element: the new scheduled message.
    pub scheduled_messages: Vec<ScheduledMessageRecord>,
}

/// A scheduled message was changed, or could not be sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduledMessagesUpdate {
    /// The scheduled message as it is now.
    pub scheduled_message: ScheduledMessageRecord,
}

/// The user has seen a one-time notice, or done a one-time action.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OnboardingSteps {
    /// The notices and actions that remain.
    pub onboarding_steps: Vec<OnboardingStepRecord>,
}

/// A device was registered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceAdd {
    /// ID that the server assigned to the new device.
    pub device_id: DeviceId,
}

/// The registration of a device for push notifications changed; fields that did not change are absent.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DeviceUpdate {
    /// ID of the changed device.
    pub device_id: DeviceId,
    /// Identifies the key that encrypts notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub push_key_id: Option<i64>,
    /// Identifies the token that receives notifications from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_token_id: Option<String>,
    /// Identifies the token that is being registered; null once it is registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub pending_push_token_id: Option<Option<String>>,
    /// When the push relay accepted the token, UNIX seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub push_token_last_updated_timestamp: Option<i64>,
}

/// A device was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DeviceRemove {
    /// ID that the removed device had.
    pub device_id: DeviceId,
}

/// The registration of a device for push notifications changed, below 468.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PushDevice {
    /// The number that identifies the device to clients below 468.
    pub push_account_id: i64,
    /// `active` once pushes reach the device, before that `pending`; `failed` if the registration failed.
    pub status: &'static str,
    /// Code of the error with which the registration failed; null unless it failed.
    pub error_code: Option<String>,
}

/// A setting of the user changed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserSettingsUpdate {
    /// Name of the setting.
    pub property: String,
    /// New value of the setting.
    #[schemars(schema_with = "setting_value_schema")]
    pub value: Value,
    /// With `default_language`: the name of the new language.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub language_name: Option<String>,
}

/// A setting of the display changed, below 439.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateDisplaySettings {
    /// Email address of the user whose setting changed.
    pub user: String,
    /// Name of the setting.
    pub setting_name: String,
    /// New value of the setting.
    pub setting: Value,
    /// With `default_language`: the name of the new language.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_name: Option<String>,
}

/// A setting of notifications changed, below 439.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateGlobalNotifications {
    /// Email address of the user whose setting changed.
    pub user: String,
    /// Name of the setting.
    pub notification_name: String,
    /// New value of the setting.
    pub setting: Value,
}
