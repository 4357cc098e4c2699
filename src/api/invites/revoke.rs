//! Revoking invitation links and invitations by email.

use super::{InviteParams, check_may_change_invite};
use crate::api::{OperationContext, Success, Write, operation};
use crate::error::Error;
use crate::realm::id::InviteLinkId;
use crate::realm::tx::Tx;

operation! {
    /// Revokes a link with which anyone may join.
    pub RevokeInviteLink = DELETE "/invites/multiuse/{invite_id}", for HumanNotGuest;
    params {
        /// ID of a link; invitations by email have IDs of their own.
        @path invite_id: InviteLinkId,
    }
    errors [NoSuchInvitation, OwnerRequired, AdministratorRequiredForInvite, InvitationRevoked];
    events [InvitesChanged];
}

impl Write for RevokeInviteLink {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let link = tx.invite_links.get(&params.invite_id).ok_or(Error::NoSuchInvitation)?;
        check_may_change_invite(context.caller(), &link.terms)?;
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
    errors [NoSuchInvitation, OwnerRequired, AdministratorRequiredForInvite];
    events [InvitesChanged];
}

impl Write for RevokeInvite {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let id = params.invite_id;
        let invite = tx.invites.get(&id).ok_or(Error::NoSuchInvitation)?;
        check_may_change_invite(context.caller(), &invite.terms)?;

        let inviter = invite.terms.invited_by;
        tx.remove_invite(id);
        tx.emit_invites_changed(Some(inviter));
        Ok(Success {})
    }
}
