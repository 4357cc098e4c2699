//! The API's records of a user's devices and onboarding steps.

use crate::realm::device::Device;
use schemars::JsonSchema;
use serde::Serialize;

/// A device registered for encrypted push notifications.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClientDevice")]
pub struct DeviceRecord {
    /// Identifies the key that encrypts notifications.
    pub push_key_id: Option<i64>,
    /// Identifies the current token.
    pub push_token_id: Option<String>,
    /// Identifies the token that is being registered.
    pub pending_push_token_id: Option<String>,
    /// UNIX seconds.
    pub push_token_last_updated_timestamp: Option<i64>,
    /// The reason why the last registration failed.
    pub push_registration_error_code: Option<String>,
}

impl DeviceRecord {
    pub fn new(device: &Device) -> Self {
        Self {
            push_key_id: device.push_key_id,
            push_token_id: device.push_token_id.clone(),
            pending_push_token_id: device.pending_push_token_id.clone(),
            push_token_last_updated_timestamp: device.push_token_last_updated.map(|time| time.seconds()),
            push_registration_error_code: device.push_registration_error_code.clone(),
        }
    }
}

/// A one-time notice that the user has not seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "OnboardingStep")]
pub struct StepRecord {
    /// `one_time_notice`, or `one_time_action` for what clients do once by themselves.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["one_time_notice", "one_time_action"]))]
    pub kind: &'static str,
    /// The identifier of the notice or action.
    pub name: &'static str,
}
