//! Exports of the organization's data.

use super::id::{ExportId, UserId};
use crate::time::{Span, Timestamp};
use serde::{Deserialize, Serialize};

/// How long an export takes.
pub const EXPORT_TAKES: Span = Span::seconds(10);
/// An organization with more messages than this is exported by hand alone.
pub const EXPORTED_MESSAGES_MAX: usize = 50_000;

/// An export of the organization's data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Export {
    pub id: ExportId,
    /// What it holds.
    pub kind: ExportKind,
    /// The administrator who asked for it.
    pub requested_by: UserId,
    pub requested_at: Timestamp,
    /// The part of its address that can't be guessed.
    pub key: String,
    /// What became of it.
    pub state: ExportState,
    /// Whether it was made on another server, from which the organization was imported without its file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_from_prior_server: bool,
}

/// What an export holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportKind {
    /// What is public in the organization.
    Public,
    /// Also the private messages of those who consent.
    Standard,
}

/// What became of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportState {
    /// It is in progress.
    Pending,
    /// It can be fetched.
    Ready,
    /// It could not be made.
    Failed(Timestamp),
    /// It was there and was deleted.
    Deleted(Timestamp),
}

impl ExportKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Public, Self::Standard];

    /// `export_type` on the wire.
    pub fn number(self) -> i64 {
        match self {
            Self::Public => 1,
            Self::Standard => 2,
        }
    }

    /// `export_type` in requests.
    pub fn word(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Standard => "full_with_consent",
        }
    }
}

impl Export {
    /// Whether its file can be fetched.
    pub fn has_file(&self) -> bool {
        self.state == ExportState::Ready && !self.is_from_prior_server
    }

    /// When it is ready, while it is not.
    pub fn due_at(&self) -> Option<Timestamp> {
        (self.state == ExportState::Pending).then(|| self.requested_at.plus(EXPORT_TAKES))
    }
}
