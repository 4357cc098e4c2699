//! The API's record of a user's device.

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
