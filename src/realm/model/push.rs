//! Push notifications: what the relay was handed. Nothing leaves the program.

use super::id::{DeviceId, MessageId, UserId};
use super::sent_message::SentMessage;
use crate::time::Timestamp;
use imbl::{OrdMap, OrdSet, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The relay as far as the realm knows it; no part of the state that is given out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relay {
    /// What it was handed, oldest first; the newest [`MAX_PUSHES`].
    pub pushes: Vector<Arc<Push>>,
    /// How many it was handed in all.
    pub handed: u64,
    /// The messages that users' devices show: pushed, and neither read nor gone since.
    pub shown: OrdMap<UserId, OrdSet<MessageId>>,
}

/// Pushes that are kept at most; see `docs/limits.md`.
pub const MAX_PUSHES: usize = 10_000;

/// Something that the relay was handed.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// Rises by one per push.
    pub id: u64,
    pub at: Timestamp,
    /// Whose device.
    pub user: UserId,
    /// For which device or token.
    pub to: PushTarget,
    /// Who delivers it.
    pub service: PushService,
    /// What it is encrypted with: the key of the device when it was pushed.
    pub key: Option<PushKey>,
    /// What it says, before any encryption.
    pub content: PushContent,
}

/// The services that deliver pushes to devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PushService {
    /// Firebase Cloud Messaging.
    #[default]
    Fcm,
    /// Apple's Push Notification service.
    Apns,
}

impl PushService {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Fcm, Self::Apns];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fcm => "fcm",
            Self::Apns => "apns",
        }
    }
}

/// A device's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushKey {
    /// Names the key; unsigned 32 bits.
    pub id: i64,
    /// The number of the device that clients chose below level 468.
    pub account: i64,
    /// Base64, as the client gave it.
    pub key: String,
}

/// What the relay is handed.
#[derive(Clone, Debug, PartialEq)]
pub enum PushContent {
    /// A device's token, as the client encrypted it.
    Registration(Value),
    /// A test that the user asked for.
    Test(Value),
    /// A new message.
    Message(Arc<SentMessage>),
    /// Messages that were read or are gone, so that devices need not show them any more.
    Removal(Vec<MessageId>),
}

impl PushContent {
    /// How the kind is called where pushes are listed.
    pub fn kind(&self) -> &'static str {
        match self {
            PushContent::Registration(_) => "registration",
            PushContent::Test(_) => "test",
            PushContent::Message(_) => "message",
            PushContent::Removal(_) => "removal",
        }
    }
}

/// Who receives a notification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushTarget {
    /// A device with encryption.
    Device(DeviceId),
    /// A device of the older kind, by its token.
    Token(String),
}

/// A token of a device without encryption.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushToken {
    /// Whose service it is of.
    pub kind: PushTokenKind,
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

impl PushTokenKind {
    /// Who delivers to it.
    pub fn service(self) -> PushService {
        match self {
            Self::Platform => PushService::Apns,
            Self::Android => PushService::Fcm,
        }
    }
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
