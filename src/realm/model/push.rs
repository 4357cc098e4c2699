//! Push notifications and the push relay. The relay only records pushes; nothing leaves the program.

use super::id::{DeviceId, MessageId, UserId};
use super::sent_message::SentMessage;
use crate::time::Timestamp;
use imbl::{OrdMap, OrdSet, Vector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The recorded pushes. Not part of state documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PushRelay {
    /// The newest [`MAX_PUSHES`] pushes, oldest first.
    pub pushes: Vector<Arc<Push>>,
    /// The number of all pushes, including those that are no longer stored.
    pub push_count: u64,
    /// The messages that each user's devices show: those that were pushed, and neither read nor deleted since.
    pub shown_messages: OrdMap<UserId, OrdSet<MessageId>>,
}

/// The maximum number of stored pushes; see `docs/limits.md`.
pub const MAX_PUSHES: usize = 10_000;

/// A notification for one device or token.
#[derive(Clone, Debug, PartialEq)]
pub struct Push {
    /// Grows by one with each push.
    pub id: u64,
    pub at: Timestamp,
    pub user: UserId,
    pub to: PushTarget,
    pub service: PushService,
    /// The device's key at the time of the push; None if the push is not encrypted.
    pub key: Option<PushKey>,
    /// What the push contains before it is encrypted.
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
    pub const ALL: [Self; 2] = [Self::Fcm, Self::Apns];

    pub fn name(self) -> &'static str {
        match self {
            Self::Fcm => "fcm",
            Self::Apns => "apns",
        }
    }
}

/// The key with which notifications for a device are encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushKey {
    /// An unsigned 32-bit number that identifies the key.
    pub id: i64,
    /// The number that identifies the device to clients below level 468.
    pub account_id: i64,
    /// In Base64.
    pub key: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PushContent {
    /// The registration of a device; its token is encrypted by the client.
    Registration(Value),
    /// A test notification that the user requested.
    Test(Value),
    /// A message that the user received.
    Message(Arc<SentMessage>),
    /// Messages that were read or deleted, which devices no longer show.
    Removal(Vec<MessageId>),
}

impl PushContent {
    /// The name of the kind in listings of pushes.
    pub fn kind(&self) -> &'static str {
        match self {
            PushContent::Registration(_) => "registration",
            PushContent::Test(_) => "test",
            PushContent::Message(_) => "message",
            PushContent::Removal(_) => "removal",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushTarget {
    /// A device with encrypted notifications.
    Device(DeviceId),
    /// The token of a device without encrypted notifications.
    Token(String),
}

/// A token of a device without encrypted notifications.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushToken {
    pub kind: PushTokenKind,
    pub token: String,
    /// The ID of the app, if the service requires it.
    pub app: Option<String>,
}

/// Kinds of tokens, by the operation that registers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushTokenKind {
    /// `platform_device_token`: hexadecimal, in any case.
    #[serde(rename = "platform")]
    Apple,
    /// `android_gcm_reg_id`: any text.
    Android,
}

impl PushTokenKind {
    pub fn service(self) -> PushService {
        match self {
            Self::Apple => PushService::Apns,
            Self::Android => PushService::Fcm,
        }
    }
}

impl PushToken {
    /// Whether it is this token of this kind. Hexadecimal tokens are compared without regard to case.
    pub fn matches(&self, kind: PushTokenKind, token: &str) -> bool {
        self.kind == kind
            && match kind {
                PushTokenKind::Apple => self.token.eq_ignore_ascii_case(token),
                PushTokenKind::Android => self.token == token,
            }
    }
}
