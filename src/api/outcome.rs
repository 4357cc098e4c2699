//! What comes of running an operation.

use super::ReplyBody;
use crate::error::Error;
use crate::realm::id::UserId;
use crate::world::{NewEvents, ParkedPoll};

/// How a poll begins.
pub enum Poll {
    /// With its reply.
    Answered(ReplyBody),
    /// By waiting for it.
    Parked(ParkedPoll),
}

/// What came of an operation that was carried out.
pub struct Outcome {
    /// The reply. An operation that was done in part refuses the rest.
    pub reply: Result<ReplyBody, Error>,
    /// What it added to the event log.
    pub events: NewEvents,
    /// Whose session it opens.
    pub session: Option<UserId>,
}

impl Outcome {
    /// Of an operation that changed nothing.
    pub fn unchanged(reply: Result<ReplyBody, Error>) -> Self {
        Self { reply, events: NewEvents::default(), session: None }
    }
}

/// Why a write changed nothing.
pub enum NotDone {
    /// It is refused.
    Refused(Error),
    /// Another request changed the caller or the world's level since the caller was checked: it has to begin again.
    Outdated,
}

impl From<Error> for NotDone {
    fn from(error: Error) -> Self {
        NotDone::Refused(error)
    }
}
