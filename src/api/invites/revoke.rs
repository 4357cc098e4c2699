//! Taking invitations back.

use crate::api::parameter::parameters;
use crate::api::{About, Access, Call, Operation, Route, Success, Write};
use crate::error::Error;
use crate::realm::change::Tx;
use crate::realm::id::{InviteId, InviteLinkId};
use crate::realm::organization::InviteTerms;
use crate::realm::user::{Role, User};

/// Whether somebody may change an invitation: their own, or as an administrator any but an owner's.
///
/// # Errors
///
/// `OwnerRequired`, `AdministratorRequired`.
pub(super) fn check_may_change(caller: &User, terms: &InviteTerms) -> Result<(), Error> {
    if terms.invited_by == caller.id || caller.role == Role::Owner {
        return Ok(());
    }
    if terms.role == Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if caller.is_admin() { Ok(()) } else { Err(Error::AdministratorRequired) }
}

/// DELETE /invites/multiuse/{invite_id}
pub struct RevokeInviteLink;

parameters! {
    /// Which link.
    pub struct RevokeInviteLinkParams {
        /// The link.
        @path invite_id: InviteLinkId,
    }
}

impl Operation for RevokeInviteLink {
    const ROUTE: Route = Route::delete("/invites/multiuse/{invite_id}");
    const ACCESS: Access = Access::HumanNotGuest;
    const ABOUT: About = About {
        summary: "Revokes a link by which anybody may join.",
        since: 0,
        is_specified: false,
        errors: &["NoSuchInvitation", "OwnerRequired", "AdministratorRequired", "InvitationRevoked"],
        events: &["invites_changed"],
    };
    type Params = RevokeInviteLinkParams;
    type Reply = Success;
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

/// DELETE /invites/{invite_id}
pub struct RevokeInvite;

parameters! {
    /// Which invitation.
    pub struct InviteParams {
        /// The invitation by email.
        @path invite_id: InviteId,
    }
}

impl Operation for RevokeInvite {
    const ROUTE: Route = Route::delete("/invites/{invite_id}");
    const ACCESS: Access = Access::HumanNotGuest;
    const ABOUT: About = About {
        summary: "Revokes an invitation by email.",
        since: 0,
        is_specified: false,
        errors: &["NoSuchInvitation", "OwnerRequired", "AdministratorRequired"],
        events: &["invites_changed"],
    };
    type Params = InviteParams;
    type Reply = Success;
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
