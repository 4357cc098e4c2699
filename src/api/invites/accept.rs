//! Accepting an invitation: finding it by its key, and adding the invited user.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::changes::users::creation::{NewPerson, add_person};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::account_emails::checked_email;
use crate::realm::account_names::checked_name;
use crate::realm::id::{ChannelId, UserId};
use crate::realm::invite::{Invite, InviteTerms};
use crate::realm::organization::AuthenticationMethod;
use crate::realm::passwords::check_password;
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::record::events::MemberChange;
use std::sync::Arc;

/// A valid invitation: an [`Invite`], which was sent by email, or an
/// [`InviteLink`](crate::realm::invite::InviteLink).
pub struct Invitation {
    terms: InviteTerms,
    /// None for a link.
    email_invite: Option<Arc<Invite>>,
}

impl Invitation {
    pub fn terms(&self) -> &InviteTerms {
        &self.terms
    }

    /// The address of the invited person; None for a link.
    pub fn email(&self) -> Option<&str> {
        self.email_invite.as_ref().map(|invite| invite.email.as_str())
    }
}

/// The registration form that an invited person fills in.
#[derive(Clone, Copy, Debug)]
pub struct Registration<'a> {
    /// Ignored for an invitation by email, whose address is used instead.
    pub email: &'a str,
    pub full_name: &'a str,
    /// Ignored if the organization does not use passwords. May be empty if it allows logins without passwords.
    pub password: &'a str,
}

/// Adds the invited user, with the role, channels and groups of the invitation, and sends a welcome message. An
/// invitation by email can be used once; `email` may differ from its address.
///
/// # Errors
///
/// `RealmDeactivated`, `NoSuchInvitation`, `InvitationRevoked`, `InvitationExpired`; then those of `POST /users` for
/// the name and the address.
pub fn accept_invitation(tx: &mut Tx, key: &str, email: &str, full_name: &str) -> Result<UserId, Error> {
    let invitation = find_invitation_to_accept(tx, key)?;
    let full_name = checked_name(tx, full_name, None, tx.feature_level())?;
    let email = checked_email(tx, email)?;

    Ok(add_invited_user(tx, &invitation, email, full_name, None))
}

/// Like [`accept_invitation`], with the data of the registration form: the address is that of an invitation by email,
/// and the user gets a password if the organization uses them.
///
/// # Errors
///
/// Those of [`accept_invitation`], then `PasswordTooWeak`.
pub fn accept_with_registration(tx: &mut Tx, key: &str, registration: &Registration<'_>) -> Result<UserId, Error> {
    let invitation = find_invitation_to_accept(tx, key)?;
    let full_name = checked_name(tx, registration.full_name, None, tx.feature_level())?;
    let email = checked_email(tx, invitation.email().unwrap_or(registration.email))?;
    let is_enabled = |method| tx.organization.allows_login_by(method);
    let needs_no_password = registration.password.is_empty() && is_enabled(AuthenticationMethod::Dev);
    let uses_password = is_enabled(AuthenticationMethod::Email) && !needs_no_password;
    let password = Some(registration.password).filter(|_| uses_password);
    if let Some(password) = password {
        check_password(tx, password, &[&full_name, &email])?;
    }

    Ok(add_invited_user(tx, &invitation, email, full_name, password.map(str::to_owned)))
}

/// Finds the valid invitation with a key. While the organization is deactivated, all are refused.
fn find_invitation_to_accept(realm: &Realm, key: &str) -> Result<Invitation, Error> {
    if realm.organization.is_deactivated {
        return Err(Error::RealmDeactivated);
    }
    find_invitation(realm, key)
}

/// The channels to which an invited user is subscribed, without those that have been archived since the
/// invitation was made.
pub fn initial_channels(realm: &Realm, terms: &InviteTerms) -> Vec<ChannelId> {
    let mut channels = terms.channels.clone();
    if terms.include_default_channels {
        let default_channels = realm.channels.values().filter(|channel| channel.is_default).map(|channel| channel.id);
        channels.extend(default_channels);
    }
    let is_active = |id: &ChannelId| realm.channels.get(id).is_some_and(|channel| !channel.is_archived);
    channels.into_iter().filter(is_active).collect()
}

fn add_invited_user(
    tx: &mut Tx,
    invitation: &Invitation,
    email: String,
    full_name: String,
    password: Option<String>,
) -> UserId {
    let terms = &invitation.terms;
    let channels = Some(initial_channels(tx, terms));
    let user = add_person(tx, NewPerson { email, full_name, password, role: terms.role, channels });
    // Accepting the invitation is the first login.
    tx.user_mut(user).joins_at_first_login = false;
    add_to_groups(tx, user, terms);
    send_welcome_message(tx, user, terms);
    if let Some(invite) = &invitation.email_invite {
        tx.remove_invite(invite.id);
        tx.realm_mut().accepted_invite_keys.insert(invite.key.clone());
        tx.emit_invites_changed(Some(terms.invited_by));
        if invite.notify_referrer_on_join && tx.is_active(terms.invited_by) {
            let content = format!("{} accepted your invitation to join.", tx.users[&user].silent_mention());
            tx.post_notice_to_user(user, terms.invited_by, content);
        }
    }
    user
}

/// The invitation with a key.
///
/// # Errors
///
/// `NoSuchInvitation`, `InvitationRevoked`, `InvitationExpired`.
pub fn find_invitation(realm: &Realm, key: &str) -> Result<Invitation, Error> {
    let link = realm.invite_links.values().find(|link| link.key == key);
    let invitation = match link {
        Some(link) if link.is_revoked => return Err(Error::InvitationRevoked),
        Some(link) => Invitation { terms: link.terms.clone(), email_invite: None },
        None => {
            let invite = realm.invites.values().find(|invite| invite.key == key).ok_or(Error::NoSuchInvitation)?;
            Invitation { terms: invite.terms.clone(), email_invite: Some(invite.clone()) }
        }
    };
    if realm.is_unexpired(&invitation.terms) { Ok(invitation) } else { Err(Error::InvitationExpired) }
}

/// Adds the user to the groups of the invitation, except those that were deactivated or removed after it was made.
fn add_to_groups(tx: &mut Tx, user: UserId, terms: &InviteTerms) {
    for id in &terms.groups {
        if tx.groups.get(id).is_none_or(|group| group.is_deactivated) {
            continue;
        }
        tx.group_mut(*id).members.insert(user);
        tx.emit(tx.everyone(), MemberChange::Add.to_event(*id, [user]));
    }
}

/// Sends the welcome message of the invitation, or that of the organization if the invitation has none. A blank message
/// is not sent.
fn send_welcome_message(tx: &mut Tx, user: UserId, terms: &InviteTerms) {
    let default_text =
        || tx.organization.setting(RealmSetting::WelcomeMessageCustomText).as_str().unwrap_or_default().to_owned();
    // The author of the organization's text is unknown, so it is rendered with the rights of the new user.
    let (author, text) = match &terms.welcome_message {
        Some(text) => (terms.invited_by, text.clone()),
        None => (user, default_text()),
    };
    if !text.trim().is_empty() {
        tx.post_notice_to_user(author, user, text);
    }
}
