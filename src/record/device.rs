//! The API's record of a user's device.

use crate::realm::device::Device;
use schemars::JsonSchema;
use serde::Serialize;

/// A device registered for encrypted push notifications.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClientDevice")]
pub struct DeviceRecord {
    /// Identifies the key that encrypts notifications; null before a key was sent.
    pub push_key_id: Option<i64>,
    /// Identifies the token that receives notifications; null before the push relay accepted one.
    pub push_token_id: Option<String>,
    /// Identifies the token that is being registered; null if none is.
    pub pending_push_token_id: Option<String>,
    /// When the push relay last accepted a token, UNIX seconds; null before.
    pub push_token_last_updated_timestamp: Option<i64>,
    /// Code of the error with which the last registration failed; null unless it failed.
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
