//! Changes of invitations and invitation links, with their expiry and events.

use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::log::event::data::InvitesChanged;
use crate::realm::log::event::{Audience, DeliveryCondition, EventData};
use crate::realm::model::agenda::AgendaItem;
use crate::realm::model::id::{InviteId, InviteLinkId, UserId};
use crate::realm::model::invite::{Invite, InviteLink, InviteTerms};
use crate::realm::model::user::Role;
use crate::realm::tx::Tx;
use std::sync::Arc;

impl Realm {
    /// Whether an invitation has not expired. It may have been revoked.
    pub fn is_unexpired(&self, terms: &InviteTerms) -> bool {
        terms.expires_at.is_none_or(|expires_at| expires_at > self.now)
    }
}

impl Tx {
    /// Adds or replaces an invitation link.
    pub fn put_invite_link(&mut self, link: InviteLink) {
        let expiry = link.terms.expires_at.filter(|expires_at| *expires_at > self.now && !link.is_revoked);
        self.schedule(AgendaItem::InviteLink(link.id), expiry);
        self.realm_mut().invite_links.insert(link.id, Arc::new(link));
    }

    /// Adds or replaces an invitation by email.
    pub fn put_invite(&mut self, invite: Invite) {
        let expiry = invite.terms.expires_at.filter(|expires_at| *expires_at > self.now);
        self.schedule(AgendaItem::Invite(invite.id), expiry);
        self.realm_mut().invites.insert(invite.id, Arc::new(invite));
    }

    /// Revokes a link. It remains stored, but can't be used. Does nothing if it does not exist.
    pub fn revoke_invite_link(&mut self, id: InviteLinkId) {
        self.schedule(AgendaItem::InviteLink(id), None);
        if let Some(link) = self.realm_mut().invite_links.get_mut(&id) {
            Arc::make_mut(link).is_revoked = true;
        }
    }

    /// Removes an email invitation that was revoked or used.
    pub fn remove_invite(&mut self, id: InviteId) {
        self.schedule(AgendaItem::Invite(id), None);
        self.realm_mut().invites.remove(&id);
    }

    /// Revokes all invitations and links of a user, and emits `invites_changed` to administrators if the user had any.
    pub fn revoke_invitations_of(&mut self, user: UserId) {
        let links = self.invite_links.values().filter(|link| link.terms.invited_by == user && !link.is_revoked);
        let links: Vec<InviteLinkId> = links.map(|link| link.id).collect();
        let invites = self.invites.values().filter(|invite| invite.terms.invited_by == user);
        let invites: Vec<InviteId> = invites.map(|invite| invite.id).collect();
        if links.is_empty() && invites.is_empty() {
            return;
        }
        for link in links {
            self.revoke_invite_link(link);
        }
        for invite in invites {
            self.remove_invite(invite);
        }
        self.emit_invites_changed(None);
    }

    /// Emits `invites_changed` to administrators and, from the level of [`Feature::InvitersGetInvitesChanged`] on,
    /// to the inviter.
    pub fn emit_invites_changed(&mut self, inviter: Option<UserId>) {
        let administrators = self.users_with_role_or_higher(Role::Administrator);
        let inviter = inviter.filter(|inviter| !administrators.contains(inviter));
        self.emit(Audience::of_users(administrators), InvitesChanged {});
        if let Some(inviter) = inviter {
            self.emit(
                Audience::of_user(inviter),
                InvitesChanged {}.only_for(DeliveryCondition::From(Feature::InvitersGetInvitesChanged.since())),
            );
        }
    }
}
