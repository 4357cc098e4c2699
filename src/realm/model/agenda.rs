//! What is to come by the clock: each thing has one time.

use super::id::{ExportId, InviteId, InviteLinkId, MessageId, QueueId, ReminderId, ScheduledMessageId, UserId};
use crate::time::Timestamp;
use imbl::{OrdMap, OrdSet};

/// Something that falls due.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A reminder is sent.
    Reminder(ReminderId),
    /// A message is sent.
    ScheduledMessage(ScheduledMessageId),
    /// An invitation link is over.
    InviteLink(InviteLinkId),
    /// An invitation by email is over.
    Invite(InviteId),
    /// A queue is collected.
    Queue(QueueId),
    /// A hanging poll gets a heartbeat.
    Heartbeat(QueueId),
    /// A user's waiting period is over.
    FullMember(UserId),
    /// An export is ready.
    Export(ExportId),
    /// An uploaded picture has its thumbnails.
    Thumbnails(String),
    /// The pages that a message links have cards.
    PageCards(MessageId),
}

impl Due {
    /// Whether the agenda tells of it: the end of a waiting period is the realm's own affair.
    pub fn is_reported(&self) -> bool {
        !matches!(self, Due::FullMember(_))
    }
}

/// What is to come: each thing has one time, and the earliest is found at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agenda {
    by_time: OrdSet<(Timestamp, Due)>,
    by_thing: OrdMap<Due, Timestamp>,
}

impl Agenda {
    /// What falls due next, and when; ties in the order of [`Due`].
    pub fn next(&self) -> Option<&(Timestamp, Due)> {
        self.by_time.get_min()
    }

    /// All that is to come, in the order of time.
    pub fn iter(&self) -> impl Iterator<Item = &(Timestamp, Due)> {
        self.by_time.iter()
    }

    /// Gives a thing a time, another time, or none.
    pub(in crate::realm) fn set(&mut self, due: Due, at: Option<Timestamp>) {
        if let Some(old) = self.by_thing.remove(&due) {
            self.by_time.remove(&(old, due.clone()));
        }
        if let Some(at) = at {
            self.by_thing.insert(due.clone(), at);
            self.by_time.insert((at, due));
        }
    }
}
