//! The results of running an operation: the reply, and what happened besides.

use super::ReplyBody;
use crate::error::Error;
use crate::realm::id::UserId;
use crate::world::{NewEvents, ParkedPoll};

/// The result of a poll.
pub enum PollOutcome {
    /// There were events, or the client does not want to wait.
    Answered(ReplyBody),
    /// The poll waits for events.
    Parked(ParkedPoll),
}

/// The result of an operation: of a read, a poll or a refused operation, or of a write whose changes were committed.
pub struct Outcome {
    /// An error if the operation was refused, or was carried out in part and refused the remainder.
    pub reply: Result<ReplyBody, Error>,
    /// What the operation added to the event log; nothing for a read.
    pub events: NewEvents,
    /// The user of the session that begins, if one does.
    pub session_user: Option<UserId>,
}

impl Outcome {
    /// The result of a read, a poll or a refused operation: without events, and without a session.
    pub fn unchanged(reply: Result<ReplyBody, Error>) -> Self {
        Self { reply, events: NewEvents::default(), session_user: None }
    }
}

/// Why a write changed nothing.
pub enum WriteError {
    Refused(Error),
    /// Another request changed the caller or the level of the world after the caller was checked. The request has to be
    /// run again from that check on.
    Outdated,
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        WriteError::Refused(error)
    }
}
