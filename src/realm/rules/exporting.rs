//! Exports of the organization's data: asked for, ready by the clock, deleted.
//!
//! Choices where the API is silent: A-149 in docs/assumptions.md.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::{Audience, Event, EventKind, Payload};
use crate::realm::model::agenda::Due;
use crate::realm::model::export::{Export, ExportKind, ExportState};
use crate::realm::model::id::{ExportId, UserId};
use crate::realm::model::setting::UserSetting;
use crate::realm::tx::Tx;
use imbl::OrdSet;
use std::sync::Arc;

impl Realm {
    /// Whether a user consents to exports of private messages.
    pub fn consents_to_export(&self, user: UserId) -> bool {
        *self.user_state(user).setting(UserSetting::AllowPrivateDataExport) == true
    }

    /// Whether this is an active administrator.
    fn is_active_admin(&self, user: UserId) -> bool {
        self.user(user).is_some_and(|user| user.is_active && user.is_admin())
    }
}

impl Tx {
    /// Begins an export and tells of it.
    pub fn add_export(&mut self, kind: ExportKind, requested_by: UserId) -> ExportId {
        self.realm_mut().counters.export += 1;
        let id = ExportId(self.counters.export);
        let key = self.realm_mut().chance.export_key();
        let export = Export {
            id,
            kind,
            requested_by,
            requested_at: self.now,
            key,
            state: ExportState::Pending,
            is_from_prior_server: false,
        };
        self.schedule(Due::Export(id), export.due_at());
        self.realm_mut().exports.insert(id, Arc::new(export));
        self.emit_exports(OrdSet::unit(requested_by));
        id
    }

    /// Deletes an export that is ready and tells of it.
    pub fn delete_export(&mut self, id: ExportId, by: UserId) {
        let state = ExportState::Deleted(self.now);
        if let Some(requested_by) = self.set_export(id, state) {
            self.emit_exports(OrdSet::unit(requested_by).update(by));
        }
    }

    /// An export is ready, or failed because who asked for it is no administrator any more.
    pub(super) fn finish_export(&mut self, id: ExportId) {
        let is_wanted = self.exports.get(&id).is_some_and(|export| self.is_active_admin(export.requested_by));
        let state = if is_wanted { ExportState::Ready } else { ExportState::Failed(self.now) };
        if let Some(requested_by) = self.set_export(id, state) {
            self.emit_exports(OrdSet::unit(requested_by));
        }
    }

    /// Notes what became of an export; gives who asked for it.
    fn set_export(&mut self, id: ExportId, state: ExportState) -> Option<UserId> {
        let export = self.realm_mut().exports.get_mut(&id)?;
        Arc::make_mut(export).state = state;
        Some(export.requested_by)
    }

    /// Tells all administrators of all exports; below 295, of these users those who are administrators still.
    fn emit_exports(&mut self, users: OrdSet<UserId>) {
        let users = match self.has(Feature::ExportsSentToAdministrators) {
            true => self.active_users.iter().copied().collect(),
            false => users,
        };
        let users = users.into_iter().filter(|user| self.is_active_admin(*user)).collect();
        let exports = self.exports.values().cloned().collect();
        self.emit(Audience::of(users), Event::new(EventKind::RealmExport, Payload::Exports(exports)));
    }
}
