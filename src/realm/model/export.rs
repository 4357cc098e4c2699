//! Exports: archives of the organization's data that administrators request.

use super::id::{ExportId, UserId};
use crate::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};

/// The time from the request to the finished export.
pub const EXPORT_DURATION: Span = Span::from_seconds(10);
/// Requests for an export are refused in organizations with more messages.
pub const MAX_EXPORTED_MESSAGES: usize = 50_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    pub id: ExportId,
    pub kind: ExportKind,
    pub requested_by: UserId,
    pub requested_at: Timestamp,
    /// The secret part of the export's URL.
    pub key: String,
    pub state: ExportState,
    /// Whether it was made on the server from which the organization was imported; its file was not imported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_from_prior_server: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportKind {
    /// Public data of the organization.
    Public,
    /// Public data, and the private data of users who consent.
    // State documents call it `Standard`, which must stay so that they can still be read.
    #[serde(rename = "Standard")]
    FullWithConsent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportState {
    Pending,
    Ready,
    /// The time of the failure.
    Failed(Timestamp),
    /// The time of the deletion.
    Deleted(Timestamp),
}

impl ExportKind {
    pub const ALL: [Self; 2] = [Self::Public, Self::FullWithConsent];

    /// `export_type` in replies and events.
    pub fn number(self) -> i64 {
        match self {
            Self::Public => 1,
            Self::FullWithConsent => 2,
        }
    }

    /// `export_type` in requests.
    pub fn request_name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::FullWithConsent => "full_with_consent",
        }
    }
}

impl Export {
    /// Whether its file can be downloaded.
    pub fn has_file(&self) -> bool {
        self.state == ExportState::Ready && !self.is_from_prior_server
    }

    /// When a pending export is finished; None if it is not pending.
    pub fn ready_at(&self) -> Option<Timestamp> {
        (self.state == ExportState::Pending).then(|| self.requested_at.plus(EXPORT_DURATION))
    }
}
