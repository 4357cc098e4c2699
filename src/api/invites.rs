//! Invitations: links with which anyone can join, and invitations by email. This file creates links and lists
//! invitations; submodules send invitations by email, check the terms of all, accept and revoke them.

pub mod accept;
mod email;
mod revoke;
mod terms;

pub use email::{ResendInvite, SendInvites};
pub use revoke::{RevokeInvite, RevokeInviteLink};

use super::parameter::{Nullable, RoleNumber, WholeNumber, parameters};
use super::{OperationContext, Read, Write, operation};
use crate::api::parameter::types::text::{LimitedText, NullableText};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::{ChannelId, GroupId, InviteId, InviteLinkId, UserId};
use crate::realm::invite::{Invite, InviteLink, InviteTerms};
use crate::realm::organization::MAX_WELCOME_LENGTH;
use crate::realm::permission::RealmPermission;
use crate::realm::tx::Tx;
use crate::realm::user::{Role, User};
use schemars::JsonSchema;
use serde::Serialize;
use terms::RequestedTerms;

parameters! {
    /// The parameter of operations on a single invitation by email.
    pub struct InviteParams {
        /// ID of an invitation by email; links have IDs of their own.
        @path invite_id: InviteId,
    }
}

/// Checks that the caller may change an invitation. Users may change the invitations that they made, administrators
/// also those of others unless the role is owner, and owners all.
///
/// # Errors
///
/// `OwnerRequired`, `AdministratorRequiredForInvite`.
fn check_may_change_invite(caller: &User, terms: &InviteTerms) -> Result<(), Error> {
    if terms.invited_by == caller.id || caller.role == Role::Owner {
        return Ok(());
    }
    if terms.role == Role::Owner {
        return Err(Error::OwnerRequired);
    }
    if caller.is_admin() { Ok(()) } else { Err(Error::AdministratorRequiredForInvite) }
}

operation! {
    /// Creates a link with which anyone may join.
    pub CreateInviteLink = POST "/invites/multiuse", for HumanNotGuest;
    params {
        /// How long the link is valid; null for no expiry, 10 days by default.
        invite_expires_in_minutes since 126: Option<Nullable<WholeNumber>>,
        /// The role of new users, at most the caller's.
        invite_as: RoleNumber = RoleNumber::MEMBER => "400",
        /// Channels that new users are subscribed to: default channels, or those to which the caller may add
        /// subscribers.
        stream_ids: Vec<ChannelId> = Vec::new() => "[]",
        /// Subscribe to the default channels too.
        include_realm_default_subscriptions since 261: bool = false,
        /// Groups that new users are added to; the caller must be allowed to add users to them.
        group_ids since 322: Vec<GroupId> = Vec::new() => "[]",
        /// Markdown that replaces the organization's welcome message; "" sends none. Ignored unless the caller is an
        /// administrator.
        welcome_message_custom_text since 416: Option<NullableText<LimitedText<MAX_WELCOME_LENGTH>>>,
    }
    reply InviteLinkReply;
    errors [
        InvalidValueBecause, BadValue, InsufficientPermission, OwnerRequiredToInviteOwner,
        AdministratorRequiredForInvite, InvalidInviteChannel, MayNotSubscribeOthers, InvalidGroup, GroupDeactivated,
    ];
    events [InvitesChanged];
}

/// The link that was created.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InviteLinkReply {
    /// The URL of the page where people join: `/join/KEY/` below the organization's URL.
    pub invite_link: String,
}

impl Write for CreateInviteLink {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<InviteLinkReply, Error> {
        let caller = context.caller();
        if !tx.may(caller.id, RealmPermission::CreateMultiuseInvite) {
            return Err(Error::InsufficientPermission);
        }
        let requested_terms = RequestedTerms {
            role: params.invite_as.0,
            expires_in_minutes: params.invite_expires_in_minutes,
            channels: params.stream_ids,
            groups: params.group_ids,
            include_default_channels: params.include_realm_default_subscriptions,
            welcome_message: params.welcome_message_custom_text,
        };
        let terms = requested_terms.check(tx, context)?;

        tx.realm_mut().counters.invite_link += 1;
        let id = InviteLinkId(tx.counters.invite_link);
        let key = tx.realm_mut().rng.invite_key();
        let invite_link = link_url(context, &key);
        tx.put_invite_link(InviteLink { id, key, terms, is_revoked: false });
        tx.emit_invites_changed(Some(caller.id));
        Ok(InviteLinkReply { invite_link })
    }
}

/// The URL of the page to join with an invitation link.
fn link_url(context: &OperationContext<'_>, key: &str) -> String {
    format!("{}/join/{key}/", context.origin.base_url())
}

operation! {
    /// Lists the invitations that are neither expired nor revoked: to administrators all, to others their own.
    pub GetInvites = GET "/invites", for HumanNotGuest;
    reply InvitesReply;
}

/// The invitations that the caller may see.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InvitesReply {
    /// Invitations by email first, then links; each kind in the order in which they were created.
    pub invites: Vec<InviteRecord>,
}

/// An invitation by email, or a link with which anyone may join.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Invite")]
pub struct InviteRecord {
    /// The invited address; only for invitations by email.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Unique among invitations by email or among links, which are numbered separately.
    pub id: i64,
    /// When it was created or last sent again, in UNIX seconds.
    pub invited: i64,
    /// Role of new users: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.
    pub invited_as: i64,
    /// ID of the user who created it.
    pub invited_by_user_id: UserId,
    /// When it becomes invalid, in UNIX seconds; null if it does not expire.
    pub expiry_date: Option<i64>,
    /// URL of the page where people join; only for links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_url: Option<String>,
    /// True for a link, false for an invitation by email.
    pub is_multiuse: bool,
    /// Whether the inviting user gets a message when the person joins; only for invitations by email.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notify_referrer_on_join: Option<bool>,
}

impl InviteRecord {
    fn new(id: i64, terms: &InviteTerms) -> Self {
        Self {
            email: None,
            id,
            invited: terms.invited_at.seconds(),
            invited_as: terms.role.number(),
            invited_by_user_id: terms.invited_by,
            expiry_date: terms.expires_at.map(|time| time.seconds()),
            link_url: None,
            is_multiuse: false,
            notify_referrer_on_join: None,
        }
    }

    fn of_email(invite: &Invite) -> Self {
        Self {
            email: Some(invite.email.clone()),
            notify_referrer_on_join: Some(invite.notify_referrer_on_join),
            ..Self::new(invite.id.0, &invite.terms)
        }
    }

    fn of_link(context: &OperationContext<'_>, link: &InviteLink) -> Self {
        Self { link_url: Some(link_url(context, &link.key)), is_multiuse: true, ..Self::new(link.id.0, &link.terms) }
    }
}

impl Read for GetInvites {
    fn run(realm: &Realm, context: &OperationContext<'_>, _params: Self::Params) -> Result<InvitesReply, Error> {
        let caller = context.caller();
        let is_listed =
            |terms: &InviteTerms| realm.is_unexpired(terms) && (caller.is_admin() || terms.invited_by == caller.id);
        let email_invites = realm.invites.values().filter(|invite| is_listed(&invite.terms));
        let links = realm.invite_links.values().filter(|link| is_listed(&link.terms) && !link.is_revoked);
        let email_records = email_invites.map(|invite| InviteRecord::of_email(invite));
        let link_records = links.map(|link| InviteRecord::of_link(context, link));
        Ok(InvitesReply { invites: email_records.chain(link_records).collect() })
    }
}
