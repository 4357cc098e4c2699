//! Somebody follows an invitation.
//!
//! Choices where the API is silent: in docs/assumptions.md.

use crate::api::users::{NewPerson, add_person, checked_email, checked_name};
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::change::Tx;
use crate::realm::event::Event;
use crate::realm::id::{ChannelId, InviteId, UserId};
use crate::realm::organization::InviteTerms;

/// An invitation that can be followed.
struct Open {
    terms: InviteTerms,
    /// The invitation by email that is used up, and whether its sender is told.
    email: Option<(InviteId, bool)>,
}

/// Makes the user that an invitation promises: with its role, channels and groups, and greeted with its welcome
/// message. An invitation by email is used up; its address need not be the one given.
///
/// # Errors
///
/// `RealmDeactivated`, `NoSuchInvitation`, `InvitationRevoked`, `InvitationExpired`; then what is wrong with the name and the address, as
/// for POST /users.
pub fn accept(tx: &mut Tx, key: &str, email: &str, full_name: &str) -> Result<UserId, Error> {
    if tx.organization.is_deactivated {
        return Err(Error::RealmDeactivated);
    }
    let Open { terms, email: by_email } = find(tx, key)?;
    let full_name = checked_name(tx, full_name, None)?;
    let email = checked_email(tx, email)?;

    let mut channels = terms.channels.clone();
    if terms.include_default_channels {
        channels.extend(tx.channels.values().filter(|channel| channel.is_default).map(|channel| channel.id));
    }
    let is_open = |id: &ChannelId| tx.channels.get(id).is_some_and(|channel| !channel.is_archived);
    let channels: Vec<ChannelId> = channels.into_iter().filter(is_open).collect();
    let person = NewPerson { email, full_name, password: None, role: terms.role, channels: Some(channels) };
    let user = add_person(tx, person);
    // Who follows a link is there: this is the first login.
    tx.user_mut(user).joins_at_first_login = false;
    enter_groups(tx, user, &terms);
    greet(tx, user, &terms);
    if let Some((id, tells_inviter)) = by_email {
        tx.remove_invite(id);
        tx.emit_invites_changed(Some(terms.invited_by));
        if tells_inviter && tx.is_active(terms.invited_by) {
            let content = format!("{} accepted your invitation to join.", tx.users[&user].silent_mention());
            tx.notify_person(user, terms.invited_by, content);
        }
    }
    Ok(user)
}

fn find(realm: &Realm, key: &str) -> Result<Open, Error> {
    let link = realm.invite_links.values().find(|link| link.key == key);
    let open = match link {
        Some(link) if link.is_revoked => return Err(Error::InvitationRevoked),
        Some(link) => Open { terms: link.terms.clone(), email: None },
        None => {
            let invite = realm.invites.values().find(|invite| invite.key == key).ok_or(Error::NoSuchInvitation)?;
            Open { terms: invite.terms.clone(), email: Some((invite.id, invite.notify_referrer_on_join)) }
        }
    };
    if realm.is_in_force(&open.terms) { Ok(open) } else { Err(Error::InvitationExpired) }
}

/// Groups that were deactivated since are passed over.
fn enter_groups(tx: &mut Tx, user: UserId, terms: &InviteTerms) {
    for id in &terms.groups {
        if tx.groups.get(id).is_none_or(|group| group.is_deactivated) {
            continue;
        }
        tx.group_mut(*id).members.insert(user);
        tx.emit(tx.everyone(), Event::of_members("add_members", *id, [user]));
    }
}

/// Sends the invitation's welcome text, or the organization's where it has none of its own; "" is not sent.
fn greet(tx: &mut Tx, user: UserId, terms: &InviteTerms) {
    let usual = || tx.organization.setting("welcome_message_custom_text").as_str().unwrap_or_default().to_owned();
    // Who wrote the organization's text is not known: it says no more than its reader may see.
    let (author, text) = match &terms.welcome_message {
        Some(text) => (terms.invited_by, text.clone()),
        None => (user, usual()),
    };
    if !text.trim().is_empty() {
        tx.notify_person(author, user, text);
    }
}
