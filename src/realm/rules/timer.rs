//! What falls due by the clock, each thing at its own time.

use crate::realm::Realm;
use crate::realm::log::event::data::Heartbeat;
use crate::realm::log::queue::{Cursor, Queue, QueueId};
use crate::realm::model::agenda::Due;
use crate::realm::model::group::SystemGroup;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// A realm without queues at an earlier time: nothing that happened is undone, but who is a full member and what is
    /// to come follow from it.
    pub fn put_back_to(mut self, at: Timestamp) -> Self {
        self.now = at;
        self.agenda = Default::default();
        let mut tx = Tx::new(self);
        let full = tx.users.values().filter(|user| tx.is_full_member(user)).map(|user| user.id).collect();
        let group = tx.system_group(SystemGroup::FullMembers);
        tx.group_mut(group).members = full;
        tx.into_realm().with_agenda()
    }
}

impl Tx {
    /// Does all that is due up to `now`, in order, each at its own time; gives what was done.
    pub fn run_due(&mut self, now: Timestamp) -> Vec<(Timestamp, Due)> {
        let mut fired = Vec::new();
        while let Some((at, due)) = self.agenda.next().filter(|(at, _)| *at <= now).cloned() {
            let at = at.max(self.now);
            self.realm_mut().now = at;
            self.schedule(due.clone(), None);
            self.run_one(&due);
            fired.push((at, due));
        }
        let latest = self.now.max(now);
        self.realm_mut().now = latest;
        fired
    }

    /// Puts a thing on the agenda, moves it, or takes it off.
    pub fn schedule(&mut self, due: Due, at: Option<Timestamp>) {
        self.realm_mut().agenda.set(due, at);
    }

    /// Puts a queue's expiry or next heartbeat on the agenda, as it is now.
    pub fn schedule_queue(&mut self, id: &QueueId) {
        let queue = self.queues.get(id);
        let (expiry, heartbeat) =
            (queue.and_then(|queue| queue.expires_at()), queue.and_then(|queue| queue.next_heartbeat()));
        self.schedule(Due::Queue(id.clone()), expiry);
        self.schedule(Due::Heartbeat(id.clone()), heartbeat);
    }

    /// Ends a parked poll: its queue is idle from `at` on. One that was replaced has nothing to end.
    pub fn end_poll(&mut self, parked: &Queue, at: Timestamp) {
        let Some(queue) = self.realm_mut().queues.get_mut(&parked.id).filter(|queue| queue.poll == parked.poll) else {
            return;
        };
        let queue = Arc::make_mut(queue);
        queue.parked_since = None;
        queue.idle_since = at;
        self.schedule_queue(&parked.id);
    }

    /// Ends a queue: its next poll, and one that hangs, fails with `BAD_EVENT_QUEUE_ID`.
    pub fn end_queue(&mut self, id: &str) {
        let Some(queue) = self.queues.get(id).map(|queue| queue.id.clone()) else { return };
        self.touch_queue(&queue);
        self.forget_queue(&queue);
        self.trim_log();
    }

    /// Ends a queue and leaves the log as it is, for a poll that is still to be answered from it.
    pub fn forget_queue(&mut self, id: &QueueId) {
        self.realm_mut().queues.remove(id);
        self.schedule_queue(id);
    }

    fn run_one(&mut self, due: &Due) {
        match due {
            Due::Reminder(id) => self.deliver_reminder(*id),
            Due::ScheduledMessage(id) => self.deliver_scheduled(*id),
            Due::InviteLink(id) => {
                let inviter = self.invite_links.get(id).map(|link| link.terms.invited_by);
                self.emit_invites_changed(inviter);
            }
            Due::Invite(id) => {
                let inviter = self.invites.get(id).map(|invite| invite.terms.invited_by);
                self.emit_invites_changed(inviter);
            }
            Due::Queue(id) => {
                self.end_queue(id);
            }
            Due::Heartbeat(id) => {
                if let Some(queue) = self.realm_mut().queues.get_mut(id) {
                    Arc::make_mut(queue).has_heartbeat = true;
                }
                self.schedule_queue(id);
                self.emit_to_queue(id.clone(), Heartbeat {});
            }
            Due::Export(id) => self.finish_export(*id),
            Due::Thumbnails(path_id) => self.finish_thumbnails(path_id),
            Due::PageCards(id) => self.finish_page_cards(*id),
            Due::FullMember(user) => self.settle_full_members(OrdSet::unit(*user)),
        }
    }

    /// Forgets the part of the log that every queue has acknowledged. A queue that keeps more than
    /// the log's limit alive is ended, unless there is nothing for it in all that.
    pub fn trim_log(&mut self) {
        let end = self.log.end();
        let kept_from = if self.log.is_too_large() { self.log.kept_from() } else { self.log.first };
        if self.log.first < kept_from {
            let slow = self.queues.values().filter(|queue| queue.cursor.entry < kept_from);
            for queue in slow.cloned().collect::<Vec<_>>() {
                if self.log.from(queue.cursor.entry).any(|(_, entry)| queue.gets(entry)) {
                    self.touch_queue(&queue.id);
                    self.forget_queue(&queue.id);
                } else if let Some(queue) = self.realm_mut().queues.get_mut(&queue.id) {
                    Arc::make_mut(queue).cursor = Cursor { entry: end, part: 0 };
                }
            }
        }
        self.trim_to_slowest();
    }

    fn trim_to_slowest(&mut self) {
        let (first, end) = (self.log.first, self.log.end());
        // Mostly some other queue has not read on either, and is found at once.
        if first == end || self.queues.values().any(|queue| queue.cursor.entry <= first) {
            return;
        }
        let oldest = self.queues.values().map(|queue| queue.cursor.entry).min().unwrap_or(end);
        self.realm_mut().log.trim(oldest);
    }
}
