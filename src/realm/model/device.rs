//! Devices that notifications are pushed to, encrypted.

use super::id::DeviceId;
use super::push::PushService;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// A device registered for encrypted push notifications.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Identifies the key that encrypts notifications.
    pub push_key_id: Option<i64>,
    pub push_key: Option<String>,
    /// Identifies the current token.
    pub push_token_id: Option<String>,
    /// Identifies the token that is being registered.
    pub pending_push_token_id: Option<String>,
    /// When the token last changed.
    pub push_token_last_updated: Option<Timestamp>,
    /// Why the registration failed.
    pub push_registration_error_code: Option<String>,
    /// Who delivers to the token.
    #[serde(default)]
    pub push_token_kind: PushService,
    /// The number that the client chose, where the server gave none.
    pub push_account_id: Option<i64>,
}

impl Device {
    /// The number that names it where clients chose it.
    pub fn account(&self, id: DeviceId) -> i64 {
        self.push_account_id.unwrap_or(id.0)
    }

    /// How far its registration is, in a word.
    pub fn status(&self) -> &'static str {
        match &self.push_registration_error_code {
            Some(_) => "failed",
            None if self.is_active() => "active",
            None => "pending",
        }
    }

    /// Whether notifications can reach it.
    pub fn is_active(&self) -> bool {
        self.push_key_id.is_some() && self.push_token_id.is_some()
    }
}
