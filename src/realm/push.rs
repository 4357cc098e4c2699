//! Push notifications: what the relay was handed. Nothing leaves the program.

use super::change::Tx;
use super::id::{DeviceId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Something that the relay was handed.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// When.
    pub at: Timestamp,
    /// Whose device.
    pub user: UserId,
    /// What it is.
    pub kind: PushKind,
    /// For which device or token.
    pub to: PushTarget,
    /// What it says, before any encryption.
    pub payload: Value,
}

/// What the relay is handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PushKind {
    /// A device's token.
    Registration,
    /// A test that the user asked for.
    Test,
}

/// For whom a notification is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushTarget {
    /// A device with encryption.
    Device(DeviceId),
    /// A device of the older kind, by its token.
    Token(String),
}

/// A token of a device without encryption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushToken {
    /// Whose service it is of.
    pub kind: PushTokenKind,
    /// The token.
    pub token: String,
    /// The application, where the service asks for it.
    pub app: Option<String>,
}

/// The services that deliver to devices without encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushTokenKind {
    /// `platform_device_token`: hexadecimal, whatever the case.
    Platform,
    /// `android_gcm_reg_id`: any text.
    Android,
}

impl PushToken {
    /// Whether this is the token of a service that goes by a text.
    pub fn is(&self, kind: PushTokenKind, token: &str) -> bool {
        self.kind == kind
            && match kind {
                PushTokenKind::Platform => self.token.eq_ignore_ascii_case(token),
                PushTokenKind::Android => self.token == token,
            }
    }
}

impl Tx {
    /// Hands something to the relay.
    pub fn push(&mut self, user: UserId, kind: PushKind, to: PushTarget, payload: Value) {
        let push = Push { at: self.now, user, kind, to, payload };
        self.realm_mut().pushes.push_back(Arc::new(push));
    }
}
