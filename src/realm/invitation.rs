//! Invitations: whether they are in force, and who hears of their changes.

use super::Realm;
use super::change::Tx;
use super::event::{Audience, Event};
use super::id::UserId;
use super::organization::{Invite, InviteLink, InviteTerms};
use super::timer::Due;
use super::user::Role;
use imbl::OrdSet;
use serde_json::json;
use std::sync::Arc;

impl Realm {
    /// Whether an invitation is not over yet.
    pub fn is_in_force(&self, terms: &InviteTerms) -> bool {
        terms.expires_at.is_none_or(|at| at > self.now)
    }
}

impl Tx {
    /// Adds or replaces a link by which anybody may join.
    pub fn put_invite_link(&mut self, link: InviteLink) {
        let due = link.terms.expires_at.filter(|at| *at > self.now && !link.is_revoked);
        self.schedule(Due::InviteLink(link.id), due);
        self.realm_mut().invite_links.insert(link.id, Arc::new(link));
    }

    /// Adds or replaces an invitation by email.
    pub fn put_invite(&mut self, invite: Invite) {
        let due = invite.terms.expires_at.filter(|at| *at > self.now);
        self.schedule(Due::Invite(invite.id), due);
        self.realm_mut().invites.insert(invite.id, Arc::new(invite));
    }

    /// Tells administrators, and those who invited, that invitations changed.
    pub fn emit_invites_changed(&mut self, inviter: Option<UserId>) {
        let inviter: OrdSet<UserId> = inviter.into_iter().collect();
        let audience = Audience::of(self.at_least(Role::Administrator)).and(inviter);
        self.emit(audience, Event::shaped("invites_changed", None, json!({})));
    }
}
