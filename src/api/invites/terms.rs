//! The terms of an invitation (role, channels, groups, validity, welcome message), and the checks that the caller may
//! offer them.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::OperationContext;
use crate::api::parameter::types::text::{LimitedText, NullableText, non_null};
use crate::api::parameter::{Nullable, WholeNumber};
use crate::error::Error;
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::id::{ChannelId, GroupId};
use crate::realm::invite::InviteTerms;
use crate::realm::organization::MAX_WELCOME_LENGTH;
use crate::realm::permission::{GroupPermission, RealmPermission};
use crate::realm::user::{Role, User};
use crate::time::Span;

/// How long an invitation is valid by default: 10 days.
const DEFAULT_VALIDITY_MINUTES: i64 = 14_400;

/// The terms that a request asks for, unchecked.
pub(super) struct RequestedTerms {
    pub role: Role,
    pub expires_in_minutes: Option<Nullable<WholeNumber>>,
    pub channels: Vec<ChannelId>,
    pub groups: Vec<GroupId>,
    pub include_default_channels: bool,
    pub welcome_message: Option<NullableText<LimitedText<MAX_WELCOME_LENGTH>>>,
}

impl RequestedTerms {
    /// Checks the terms, and adds the inviter and the times. The welcome message is dropped unless the caller is an
    /// administrator. The operation itself has to check that the caller may invite at all.
    ///
    /// # Errors
    ///
    /// In this order: `OwnerRequiredToInviteOwner`, `AdministratorRequiredForInvite` (both of [`check_role`]),
    /// `InvalidInviteChannel`, `MayNotSubscribeOthers`; then for the first refused group `InvalidGroup`,
    /// `GroupDeactivated`, `InsufficientPermission`.
    pub(super) fn check(self, realm: &Realm, context: &OperationContext<'_>) -> Result<InviteTerms, Error> {
        let caller = context.caller();
        check_role(context, self.role)?;
        check_channels(realm, caller, &self.channels)?;
        for id in &self.groups {
            check_group(realm, caller, *id)?;
        }
        let minutes = match self.expires_in_minutes {
            None => Some(DEFAULT_VALIDITY_MINUTES),
            // Zero or negative minutes make an invitation that has expired from the beginning (A-216 in
            // docs/assumptions.md).
            Some(Nullable(minutes)) => minutes.map(|WholeNumber(minutes)| minutes),
        };
        let welcome_message = non_null(self.welcome_message).filter(|_| caller.is_admin());
        Ok(InviteTerms {
            invited_by: caller.id,
            invited_at: realm.now,
            expires_at: minutes.map(|minutes| realm.now.plus(Span::from_minutes(minutes))),
            role: self.role,
            channels: self.channels.into_iter().collect(),
            groups: self.groups.into_iter().collect(),
            include_default_channels: self.include_default_channels,
            welcome_message: welcome_message.map(|text| context.origin.make_upload_links_relative(text.0)),
        })
    }
}

/// Checks that the role is not above the caller's. Below 443, moderators may not invite moderators.
///
/// # Errors
///
/// `OwnerRequiredToInviteOwner`, `AdministratorRequiredForInvite`.
pub(super) fn check_role(context: &OperationContext<'_>, role: Role) -> Result<(), Error> {
    let caller = context.caller();
    let needs_admin = role == Role::Moderator && !context.has(Feature::ModeratorsInviteModerators);
    match role {
        _ if caller.role <= role && (!needs_admin || caller.is_admin()) => Ok(()),
        Role::Owner => Err(Error::OwnerRequiredToInviteOwner),
        _ => Err(Error::AdministratorRequiredForInvite),
    }
}

fn check_channels(realm: &Realm, caller: &User, ids: &[ChannelId]) -> Result<(), Error> {
    for id in ids {
        realm
            .readable_active_channel(caller, *id)
            .map_err(|_| Error::InvalidInviteChannel { channel_id: id.0.into() })?;
    }
    let may_add = |id: &ChannelId| realm.check_may_subscribe_others(caller, std::slice::from_ref(id)).is_ok();
    // Default channels require no permission for themselves, but the caller has to be able to subscribe others to at
    // least one of the channels.
    let are_all_allowed = ids.iter().all(|id| realm.channels[id].is_default || may_add(id));
    let is_any_allowed = ids.is_empty() || ids.iter().any(may_add);
    if are_all_allowed && is_any_allowed { Ok(()) } else { Err(Error::MayNotSubscribeOthers) }
}

fn check_group(realm: &Realm, caller: &User, id: GroupId) -> Result<(), Error> {
    let group = realm.groups.get(&id).ok_or(Error::InvalidGroup)?;
    if group.is_deactivated {
        return Err(Error::GroupDeactivated);
    }
    let has_permission = |permission| realm.may_in_group(caller.id, group, permission);
    let may_add_members = group.system.is_none()
        && (realm.may(caller.id, RealmPermission::CanManageAllGroups)
            || has_permission(GroupPermission::CanManage)
            || has_permission(GroupPermission::CanAddMembers));
    if may_add_members { Ok(()) } else { Err(Error::InsufficientPermission) }
}
