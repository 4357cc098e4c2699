//! Somebody follows an invitation.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::changes::users::person::{NewPerson, add_person};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::account_addresses::checked_email;
use crate::realm::account_names::{check_password, checked_name};
use crate::realm::id::{ChannelId, UserId};
use crate::realm::organization::{AuthenticationMethod, Invite, InviteTerms};
use crate::realm::setting::RealmSetting;
use crate::realm::tx::Tx;
use crate::record::events::MemberChange;
use std::sync::Arc;

/// An invitation that can be followed.
pub struct Invitation {
    terms: InviteTerms,
    by_email: Option<Arc<Invite>>,
}

impl Invitation {
    /// What it gives.
    pub fn terms(&self) -> &InviteTerms {
        &self.terms
    }

    /// The address that it was sent to; None for a link.
    pub fn email(&self) -> Option<&str> {
        self.by_email.as_ref().map(|invite| invite.email.as_str())
    }
}

/// What somebody says of themselves who follows an invitation.
#[derive(Clone, Copy, Debug)]
pub struct Registration<'a> {
    /// Passed over where the invitation was sent to an address.
    pub email: &'a str,
    /// Display name.
    pub full_name: &'a str,
    /// Passed over where the organization takes no passwords; may be empty where one logs in without.
    pub password: &'a str,
}

/// Makes the user that an invitation promises: with its role, channels and groups, and greeted with its welcome
/// message. An invitation by email is used up; its address need not be the one given.
///
/// # Errors
///
/// `RealmDeactivated`, `NoSuchInvitation`, `InvitationRevoked`, `InvitationExpired`; then what is wrong with the name and the address, as
/// for POST /users.
pub fn accept(tx: &mut Tx, key: &str, email: &str, full_name: &str) -> Result<UserId, Error> {
    let invitation = find_open(tx, key)?;
    let full_name = checked_name(tx, full_name, None, tx.feature_level())?;
    let email = checked_email(tx, email)?;

    Ok(join(tx, &invitation, email, full_name, None))
}

/// As [`accept`], as people do it themselves: with a password where the organization takes any, and at the address that
/// an invitation was sent to.
///
/// # Errors
///
/// Those of [`accept`]; at last `PasswordTooWeak`.
pub fn register(tx: &mut Tx, key: &str, registration: &Registration<'_>) -> Result<UserId, Error> {
    let invitation = find_open(tx, key)?;
    let full_name = checked_name(tx, registration.full_name, None, tx.feature_level())?;
    let email = checked_email(tx, invitation.email().unwrap_or(registration.email))?;
    let takes = |method| tx.organization.takes_logins_by(method);
    let is_left_out = registration.password.is_empty() && takes(AuthenticationMethod::Dev);
    let password = Some(registration.password).filter(|_| takes(AuthenticationMethod::Email) && !is_left_out);
    if let Some(password) = password {
        check_password(tx, password, &[&full_name, &email])?;
    }

    Ok(join(tx, &invitation, email, full_name, password.map(str::to_owned)))
}

fn find_open(realm: &Realm, key: &str) -> Result<Invitation, Error> {
    if realm.organization.is_deactivated { Err(Error::RealmDeactivated) } else { find(realm, key) }
}

/// The channels that an invitation leads into.
pub fn channels(realm: &Realm, terms: &InviteTerms) -> Vec<ChannelId> {
    let mut channels = terms.channels.clone();
    if terms.include_default_channels {
        let defaults = realm.channels.values().filter(|channel| channel.is_default).map(|channel| channel.id);
        channels.extend(defaults);
    }
    let is_open = |id: &ChannelId| realm.channels.get(id).is_some_and(|channel| !channel.is_archived);
    channels.into_iter().filter(is_open).collect()
}

fn join(tx: &mut Tx, invitation: &Invitation, email: String, full_name: String, password: Option<String>) -> UserId {
    let terms = &invitation.terms;
    let channels = Some(channels(tx, terms));
    let user = add_person(tx, NewPerson { email, full_name, password, role: terms.role, channels });
    // Who follows a link is there: this is the first login.
    tx.user_mut(user).joins_at_first_login = false;
    enter_groups(tx, user, terms);
    greet(tx, user, terms);
    if let Some(invite) = &invitation.by_email {
        tx.remove_invite(invite.id);
        tx.realm_mut().used_invites.insert(invite.key.clone());
        tx.emit_invites_changed(Some(terms.invited_by));
        if invite.notify_referrer_on_join && tx.is_active(terms.invited_by) {
            let content = format!("{} accepted your invitation to join.", tx.users[&user].silent_mention());
            tx.notify_person(user, terms.invited_by, content);
        }
    }
    user
}

/// The invitation with a key.
///
/// # Errors
///
/// `NoSuchInvitation`, `InvitationRevoked`, `InvitationExpired`.
pub fn find(realm: &Realm, key: &str) -> Result<Invitation, Error> {
    let link = realm.invite_links.values().find(|link| link.key == key);
    let invitation = match link {
        Some(link) if link.is_revoked => return Err(Error::InvitationRevoked),
        Some(link) => Invitation { terms: link.terms.clone(), by_email: None },
        None => {
            let invite = realm.invites.values().find(|invite| invite.key == key).ok_or(Error::NoSuchInvitation)?;
            Invitation { terms: invite.terms.clone(), by_email: Some(invite.clone()) }
        }
    };
    if realm.is_in_force(&invitation.terms) { Ok(invitation) } else { Err(Error::InvitationExpired) }
}

/// Groups that were deactivated since are passed over.
fn enter_groups(tx: &mut Tx, user: UserId, terms: &InviteTerms) {
    for id in &terms.groups {
        if tx.groups.get(id).is_none_or(|group| group.is_deactivated) {
            continue;
        }
        tx.group_mut(*id).members.insert(user);
        tx.emit(tx.everyone(), MemberChange::Add.event(*id, [user]));
    }
}

/// Sends the invitation's welcome text, or the organization's where it has none of its own; "" is not sent.
fn greet(tx: &mut Tx, user: UserId, terms: &InviteTerms) {
    let usual =
        || tx.organization.setting(RealmSetting::WelcomeMessageCustomText).as_str().unwrap_or_default().to_owned();
    // Who wrote the organization's text is not known: it says no more than its reader may see.
    let (author, text) = match &terms.welcome_message {
        Some(text) => (terms.invited_by, text.clone()),
        None => (user, usual()),
    };
    if !text.trim().is_empty() {
        tx.notify_person(author, user, text);
    }
}
