//! The agenda: items that fall due at a time of the world's clock, such as reminders and scheduled messages.

use super::id::{ExportId, InviteId, InviteLinkId, MessageId, QueueId, ReminderId, ScheduledMessageId, UserId};
use crate::time::Timestamp;
use imbl::{OrdMap, OrdSet};

/// An item of the agenda. Items with the same time fall due in the order of the variants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgendaItem {
    /// The reminder is sent.
    Reminder(ReminderId),
    /// The message is sent.
    ScheduledMessage(ScheduledMessageId),
    /// The invitation link expires.
    InviteLink(InviteLinkId),
    /// The email invitation expires.
    Invite(InviteId),
    /// The queue expires.
    Queue(QueueId),
    /// The parked poll gets a heartbeat.
    Heartbeat(QueueId),
    /// The user's waiting period ends.
    FullMember(UserId),
    /// The export is finished: it becomes ready or fails.
    Export(ExportId),
    /// The thumbnails of the picture with this path ID are made.
    Thumbnails(String),
    /// The message gets the previews of the pages that it links.
    PagePreviews(MessageId),
}

impl AgendaItem {
    /// Whether the item appears in listings of the agenda. The end of a waiting period is internal.
    pub fn is_listed(&self) -> bool {
        !matches!(self, AgendaItem::FullMember(_))
    }
}

/// Items with their times, sorted by time. An item has at most one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agenda {
    by_time: OrdSet<(Timestamp, AgendaItem)>,
    by_item: OrdMap<AgendaItem, Timestamp>,
}

impl Agenda {
    /// The item that falls due first; None if there is none.
    pub fn next(&self) -> Option<&(Timestamp, AgendaItem)> {
        self.by_time.get_min()
    }

    /// All items, the next one first.
    pub fn iter(&self) -> impl Iterator<Item = &(Timestamp, AgendaItem)> {
        self.by_time.iter()
    }

    /// Adds an item, moves it to another time or, with None, removes it.
    pub(in crate::realm) fn set(&mut self, item: AgendaItem, at: Option<Timestamp>) {
        if let Some(previous) = self.by_item.remove(&item) {
            self.by_time.remove(&(previous, item.clone()));
        }
        if let Some(at) = at {
            self.by_item.insert(item.clone(), at);
            self.by_time.insert((at, item));
        }
    }
}
