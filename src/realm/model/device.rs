//! Devices of users that receive encrypted push notifications.

use super::id::DeviceId;
use super::push::PushService;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Identifies the key that encrypts notifications.
    pub push_key_id: Option<i64>,
    /// In Base64; None before the client sent a key.
    pub push_key: Option<String>,
    /// Identifies the current token.
    pub push_token_id: Option<String>,
    /// Identifies the token that is being registered.
    pub pending_push_token_id: Option<String>,
    pub push_token_last_updated: Option<Timestamp>,
    /// None unless the registration failed.
    pub push_registration_error_code: Option<String>,
    #[serde(rename = "push_token_kind", default)]
    pub push_service: PushService,
    /// The number that the client chose, below the level at which the server assigns device IDs.
    pub push_account_id: Option<i64>,
}

impl Device {
    /// The number that identifies the device to clients of older levels.
    pub fn account_id(&self, id: DeviceId) -> i64 {
        self.push_account_id.unwrap_or(id.0)
    }

    /// The state of the registration, as clients receive it.
    pub fn status(&self) -> &'static str {
        match &self.push_registration_error_code {
            Some(_) => "failed",
            None if self.is_active() => "active",
            None => "pending",
        }
    }

    /// Whether the device is registered, so that notifications reach it.
    pub fn is_active(&self) -> bool {
        self.push_key_id.is_some() && self.push_token_id.is_some()
    }
}
