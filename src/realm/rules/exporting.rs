//! Creates, finishes and deletes exports of the organization's data.
//!
//! The specification leaves details open: A-149 in docs/assumptions.md.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::{Audience, Event, EventKind, Payload};
use crate::realm::model::agenda::AgendaItem;
use crate::realm::model::export::{Export, ExportKind, ExportState};
use crate::realm::model::id::{ExportId, UserId};
use crate::realm::model::setting::UserSetting;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// Whether the user allows exports of their private data.
    pub fn consents_to_export(&self, user: UserId) -> bool {
        *self.user_state(user).setting(UserSetting::AllowPrivateDataExport) == true
    }

    fn is_active_admin(&self, user: UserId) -> bool {
        self.user(user).is_some_and(|user| user.is_active && user.is_admin())
    }
}

impl Tx {
    /// Starts an export and emits an event.
    pub fn add_export(&mut self, kind: ExportKind, requested_by: UserId) -> ExportId {
        self.realm_mut().counters.export += 1;
        let id = ExportId(self.counters.export);
        let key = self.realm_mut().rng.export_key();
        let export = Export {
            id,
            kind,
            requested_by,
            requested_at: self.now,
            key,
            state: ExportState::Pending,
            is_from_prior_server: false,
        };
        self.schedule(AgendaItem::Export(id), export.ready_at());
        self.realm_mut().exports.insert(id, Arc::new(export));
        self.emit_exports(OrdSet::unit(requested_by));
        id
    }

    /// Marks an export as deleted and emits an event. Does nothing if there is no such export.
    pub fn delete_export(&mut self, id: ExportId, deleter: UserId) {
        let state = ExportState::Deleted(self.now);
        if let Some(requested_by) = self.set_export_state(id, state) {
            self.emit_exports(OrdSet::unit(requested_by).update(deleter));
        }
    }

    /// Finishes a pending export. It fails if the requesting user is no longer an active administrator.
    pub(super) fn finish_export(&mut self, id: ExportId) {
        let is_permitted = self.exports.get(&id).is_some_and(|export| self.is_active_admin(export.requested_by));
        let state = if is_permitted { ExportState::Ready } else { ExportState::Failed(self.now) };
        if let Some(requested_by) = self.set_export_state(id, state) {
            self.emit_exports(OrdSet::unit(requested_by));
        }
    }

    /// Returns the user who requested the export. None if there is no such export.
    fn set_export_state(&mut self, id: ExportId, state: ExportState) -> Option<UserId> {
        let export = self.realm_mut().exports.get_mut(&id)?;
        Arc::make_mut(export).state = state;
        Some(export.requested_by)
    }

    /// Emits the list of exports to all active administrators. Below level 295, only those among `affected_users` get
    /// it.
    fn emit_exports(&mut self, affected_users: OrdSet<UserId>) {
        let users = match self.has(Feature::ExportsSentToAdministrators) {
            true => self.active_users.iter().copied().collect(),
            false => affected_users,
        };
        let administrators = users.into_iter().filter(|user| self.is_active_admin(*user)).collect();
        let exports = self.exports.values().cloned().collect();
        self.emit(Audience::of_users(administrators), Event::new(EventKind::RealmExport, Payload::Exports(exports)));
    }
}
