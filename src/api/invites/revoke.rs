//! Revoking invitation links and invitations by email.

use crate::api::parameter::parameters;
use crate::api::{Call, Success, Write, operation};
use crate::error::Error;
use crate::realm::id::{InviteId, InviteLinkId};
use crate::realm::organization::InviteTerms;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};

/// Checks that the caller may change an invitation: users their own, owners all, administrators all except those that
/// make owners.
///
/// # Errors
///
/// `OwnerRequired`, `RoleAboveInviter`.
pub(super) fn check_may_change(caller: &User, terms: &InviteTerms) -> Result<(), Error> {
    if terms.invited_by == caller.id || caller.role == Role::Owner {
        return Ok(());
    }
    if terms.role == Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if caller.is_admin() { Ok(()) } else { Err(Error::RoleAboveInviter) }
}

operation! {
    /// Revokes a link with which anyone may join.
    pub RevokeInviteLink = DELETE "/invites/multiuse/{invite_id}", for HumanNotGuest;
    params {
        /// The link.
        @path invite_id: InviteLinkId,
    }
    errors [NoSuchInvitation, OwnerRequired, RoleAboveInviter, InvitationRevoked];
    events [InvitesChanged];
}

impl Write for RevokeInviteLink {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let link = tx.invite_links.get(&params.invite_id).ok_or(Error::NoSuchInvitation)?;
        check_may_change(call.caller(), &link.terms)?;
        if link.is_revoked {
            return Err(Error::InvitationRevoked);
        }

        let inviter = link.terms.invited_by;
        tx.revoke_invite_link(params.invite_id);
        tx.emit_invites_changed(Some(inviter));
        Ok(Success {})
    }
}

operation! {
    /// Revokes an invitation by email.
    pub RevokeInvite = DELETE "/invites/{invite_id}", for HumanNotGuest;
    params from InviteParams;
    errors [NoSuchInvitation, OwnerRequired, RoleAboveInviter];
    events [InvitesChanged];
}

parameters! {
    /// Shared by operations on a single invitation by email.
    pub struct InviteParams {
        /// The invitation by email.
        @path invite_id: InviteId,
    }
}

impl Write for RevokeInvite {
    fn run(tx: &mut Tx, call: &Call<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.invite_id;
        let invite = tx.invites.get(&id).ok_or(Error::NoSuchInvitation)?;
        check_may_change(call.caller(), &invite.terms)?;

        let inviter = invite.terms.invited_by;
        tx.remove_invite(id);
        tx.emit_invites_changed(Some(inviter));
        Ok(Success {})
    }
}
