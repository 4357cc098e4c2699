//! Sending and resending invitations by email. This server sends no mail; tests accept the invitation by its
//! key, with a call of control.
//!
//! A choice where the API is silent: A-52 in docs/assumptions.md.

use super::terms::{RequestedTerms, check_role};
use super::{InviteParams, check_may_change_invite};
use crate::api::parameter::types::text::{LimitedText, NullableText};
use crate::api::parameter::{Nullable, RoleNumber, WholeNumber};
use crate::api::{OperationContext, PartialWrite, Success, Write, operation};
use crate::error::{Error, ErrorField};
use crate::feature::Feature;
use crate::realm::Realm;
use crate::realm::account_emails::check_email_restrictions;
use crate::realm::email::is_email;
use crate::realm::id::{ChannelId, GroupId, InviteId};
use crate::realm::invite::Invite;
use crate::realm::organization::MAX_WELCOME_LENGTH;
use crate::realm::permission::RealmPermission;
use crate::realm::tx::Tx;
use serde_json::{Value, json};
use std::collections::BTreeSet;

operation! {
    /// Invites users by email. Addresses that have an account are left out, and an error lists them. If an address is
    /// not allowed, nobody is invited.
    pub SendInvites = POST "/invites", for HumanNotGuest;
    params {
        /// Addresses, separated by commas or line breaks; `Name <address>` too.
        invitee_emails: String,
        /// How long the invitations are valid; null for no expiry, 10 days by default.
        invite_expires_in_minutes since 126: Option<Nullable<WholeNumber>>,
        /// The role of new users, at most the caller's.
        invite_as: RoleNumber = RoleNumber::MEMBER => "400",
        /// Send the caller a message when an invited person joins.
        notify_referrer_on_join since 267: bool = true,
        /// Channels that new users are subscribed to: default channels, or those to which the caller may add
        /// subscribers.
        stream_ids: Vec<ChannelId>,
        /// Subscribe to the default channels too.
        include_realm_default_subscriptions since 261: bool = false,
        /// Groups that new users are added to; the caller must be allowed to add users to them.
        group_ids since 322: Vec<GroupId> = Vec::new() => "[]",
        /// Markdown that replaces the organization's welcome message; "" sends none. Ignored unless the caller is an
        /// administrator.
        welcome_message_custom_text since 416: Option<NullableText<LimitedText<MAX_WELCOME_LENGTH>>>,
    }
    errors [
        InvalidValueBecause, BadValue, InsufficientPermission, NoInvitees, OwnerRequiredToInviteOwner,
        AdministratorRequiredForInvite, InvalidInviteChannel, MayNotSubscribeOthers, InvalidGroup, GroupDeactivated,
        InvitesNotValid, NobodyInvited, SomeNotInvited,
    ];
    events [InvitesChanged];
}

/// An address that can't be invited, the reason, and whether its account is deactivated.
type Refusal = (String, &'static str, bool);

impl PartialWrite for SendInvites {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Result<Success, Error>, Error> {
        let caller = context.caller();
        if !tx.may(caller.id, RealmPermission::CanInviteUsers) {
            return Err(Error::InsufficientPermission);
        }
        // Its refusal takes precedence over `NoInvitees`. The check of all terms below repeats it.
        check_role(context, params.invite_as.0)?;
        let addresses = parse_addresses(&params.invitee_emails);
        let requested_terms = RequestedTerms {
            role: params.invite_as.0,
            expires_in_minutes: params.invite_expires_in_minutes,
            channels: params.stream_ids,
            groups: params.group_ids,
            include_default_channels: params.include_realm_default_subscriptions,
            welcome_message: params.welcome_message_custom_text,
        };
        if addresses.is_empty() && (params.invitee_emails.is_empty() || context.has(Feature::BlankInviteesRefused)) {
            return Err(Error::NoInvitees);
        }
        let terms = requested_terms.check(tx, context)?;
        let address_refusals: Vec<Refusal> = addresses.iter().filter_map(|email| address_refusal(tx, email)).collect();
        if !address_refusals.is_empty() {
            return Err(Error::InvitesNotValid {
                errors: error_rows(&address_refusals),
                sent_invitations: false.into(),
                license_limit_reached: false.into(),
                daily_limit_reached: false.into(),
            });
        }
        let account_refusals: Vec<Refusal> = addresses.iter().filter_map(|email| account_refusal(tx, email)).collect();
        // Below the level of `BlankInviteesRefused`, a list of blanks invites nobody, without an error.
        if account_refusals.len() == addresses.len() && !addresses.is_empty() {
            return Err(Error::NobodyInvited {
                errors: error_rows(&account_refusals),
                sent_invitations: false.into(),
                license_limit_reached: false.into(),
                daily_limit_reached: false.into(),
            });
        }

        for email in addresses.into_iter().filter(|email| account_refusals.iter().all(|(other, ..)| other != email)) {
            tx.realm_mut().counters.invite += 1;
            let id = InviteId(tx.counters.invite);
            let key = tx.realm_mut().rng.invite_key();
            let notify_referrer_on_join = params.notify_referrer_on_join;
            tx.put_invite(Invite { id, email, key, terms: terms.clone(), notify_referrer_on_join });
        }
        if account_refusals.is_empty() || tx.has(Feature::InvitesChangedAfterRefusals) {
            tx.emit_invites_changed(Some(caller.id));
        }
        if account_refusals.is_empty() {
            return Ok(Ok(Success {}));
        }
        Ok(Err(Error::SomeNotInvited {
            errors: error_rows(&account_refusals),
            sent_invitations: true.into(),
            license_limit_reached: false.into(),
            daily_limit_reached: false.into(),
        }))
    }
}

fn error_rows(refusals: &[Refusal]) -> ErrorField {
    Value::from(refusals.iter().map(|refusal| json!(refusal)).collect::<Vec<_>>()).into()
}

/// The addresses in a text, in their order. Those that repeat an earlier one, ignoring case, are left out.
fn parse_addresses(text: &str) -> Vec<String> {
    let mut lowercase_addresses = BTreeSet::new();
    let parse_address = |part: &str| {
        let bracketed_address = part.rsplit_once('<').and_then(|(_, end)| end.trim_end().strip_suffix('>'));
        bracketed_address.unwrap_or(part).trim().to_owned()
    };
    text.split([',', '\n'])
        .map(parse_address)
        .filter(|email| !email.is_empty() && lowercase_addresses.insert(email.to_lowercase()))
        .collect()
}

/// The refusal of a text that is not an address, or of an address that the organization does not allow; otherwise None.
fn address_refusal(realm: &Realm, email: &str) -> Option<Refusal> {
    let reason = match check_email_restrictions(realm, email) {
        _ if !is_email(email) => "Invalid address.",
        Ok(()) => return None,
        Err(Error::EmailDisposable) => "Please use your real email address.",
        Err(Error::EmailContainsPlus) => "Email addresses containing + are not allowed.",
        Err(_) => "Outside your domain.",
    };
    Some((email.to_owned(), reason, false))
}

/// The refusal of an address that has an account; None if it has none.
fn account_refusal(realm: &Realm, email: &str) -> Option<Refusal> {
    let user = realm.user_by_email(email)?;
    let (reason, is_deactivated) =
        if user.is_active { ("Already has an account.", false) } else { ("Account has been deactivated.", true) };
    Some((email.to_owned(), reason, is_deactivated))
}

operation! {
    /// Sends an invitation by email again; its validity starts over.
    pub ResendInvite = POST "/invites/{invite_id}/resend", for HumanNotGuest;
    params from InviteParams;
    errors [NoSuchInvitation, OwnerRequired, AdministratorRequiredForInvite];
}

impl Write for ResendInvite {
    fn run(tx: &mut Tx, context: &OperationContext<'_>, params: Self::Params) -> Result<Success, Error> {
        let invite = tx.invites.get(&params.invite_id).ok_or(Error::NoSuchInvitation)?;
        check_may_change_invite(context.caller(), &invite.terms)?;

        let mut invite = invite.as_ref().clone();
        let terms = &mut invite.terms;
        terms.expires_at = terms.expires_at.map(|time| tx.now.plus(time.since(terms.invited_at)));
        terms.invited_at = tx.now;
        tx.put_invite(invite);
        Ok(Success {})
    }
}
