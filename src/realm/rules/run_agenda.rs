//! Runs agenda items when they fall due.

use crate::realm::log::event::data::Heartbeat;
use crate::realm::model::agenda::AgendaItem;
use crate::realm::tx::Tx;
use crate::time::Timestamp;
use imbl::OrdSet;
use std::sync::Arc;

impl Tx {
    /// Runs all items that are due up to `now`, in the order of their times, and returns them. During each run, the
    /// realm's time is that of the item.
    pub fn run_due_items(&mut self, now: Timestamp) -> Vec<(Timestamp, AgendaItem)> {
        let mut completed_items = Vec::new();
        while let Some((due_at, item)) = self.agenda.next().filter(|(due_at, _)| *due_at <= now).cloned() {
            let due_at = due_at.max(self.now);
            self.realm_mut().now = due_at;
            self.schedule(item.clone(), None);
            self.run_item(&item);
            completed_items.push((due_at, item));
        }
        let latest = self.now.max(now);
        self.realm_mut().now = latest;
        completed_items
    }

    /// Adds an agenda item, moves it to another time, or with None removes it.
    pub fn schedule(&mut self, item: AgendaItem, time: Option<Timestamp>) {
        self.realm_mut().agenda.set(item, time);
    }

    fn run_item(&mut self, item: &AgendaItem) {
        match item {
            AgendaItem::Reminder(id) => self.deliver_reminder(*id),
            AgendaItem::ScheduledMessage(id) => self.deliver_scheduled_message(*id),
            AgendaItem::InviteLink(id) => {
                let inviter = self.invite_links.get(id).map(|link| link.terms.invited_by);
                self.emit_invites_changed(inviter);
            }
            AgendaItem::Invite(id) => {
                let inviter = self.invites.get(id).map(|invite| invite.terms.invited_by);
                self.emit_invites_changed(inviter);
            }
            AgendaItem::Queue(id) => {
                self.end_queue(id);
            }
            AgendaItem::Heartbeat(id) => {
                if let Some(queue) = self.realm_mut().queues.get_mut(id) {
                    Arc::make_mut(queue).has_heartbeat = true;
                }
                self.schedule_queue(id);
                self.emit_to_queue(id.clone(), Heartbeat {});
            }
            AgendaItem::Export(id) => self.finish_export(*id),
            AgendaItem::Thumbnails(path_id) => self.finish_thumbnails(path_id),
            AgendaItem::PagePreviews(id) => self.finish_page_previews(*id),
            AgendaItem::FullMember(user) => self.update_full_members(OrdSet::unit(*user)),
        }
    }
}
