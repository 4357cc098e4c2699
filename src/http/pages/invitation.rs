//! The pages of invitations: they show who invites and to what, with a form that creates the account.

use super::PageRequest;
use super::layout::{Banner, hidden_field};
use crate::api::invites::accept::{self, Invitation, Registration};
use crate::error::Error;
use crate::http::Response;
use crate::http::session::CSRF_FIELD;
use crate::http::trace::Trace;
use crate::realm::Realm;
use crate::realm::account_names::MAX_NAME_LENGTH;
use crate::realm::organization::AuthenticationMethod;
use crate::realm::setting::MAX_PASSWORD_LENGTH;
use crate::realm::setting::RealmSetting;
use crate::realm::user::Role;
use maud::{Markup, html};

/// The lengths of invitation keys, in characters: those of this server, and those of older servers.
const KEY_LENGTHS: [usize; 2] = [24, 40];
const MAX_LISTED_CHANNELS: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum InvitationKind {
    ReusableLink,
    Email,
}

impl PageRequest<'_> {
    pub(super) fn join(&self, key: &str, is_post: bool, trace: &mut Trace) -> Response {
        // A post of the email address alone only shows the form, which asks for the name.
        let is_submitted = is_post && self.field("full_name").is_some();
        self.register_or_show_form(key, InvitationKind::ReusableLink, is_submitted, trace)
    }

    pub(super) fn confirm(&self, key: &str) -> Response {
        self.show_form(key, InvitationKind::Email, None)
    }

    pub(super) fn register(&self, trace: &mut Trace) -> Response {
        // With this field, as the page after an invitation email sends it on real servers, the form is only shown.
        let is_submitted = self.field("from_confirmation").is_none();
        self.register_or_show_form(self.field("key").unwrap_or_default(), InvitationKind::Email, is_submitted, trace)
    }

    fn register_or_show_form(
        &self,
        key: &str,
        kind: InvitationKind,
        is_submitted: bool,
        trace: &mut Trace,
    ) -> Response {
        if !is_submitted || self.invalid_link_page(&self.world.snapshot(), key, kind).is_some() {
            return self.show_form(key, kind, None);
        }
        let registration = Registration {
            email: self.field("email").unwrap_or_default().trim(),
            full_name: self.field("full_name").unwrap_or_default(),
            password: self.field("password").unwrap_or_default(),
        };
        match self.world.commit_without_broadcast(|tx| accept::accept_with_registration(tx, key, &registration)) {
            Ok((user_id, new_events)) => {
                trace.new_events = new_events;
                let realm = self.world.published_realm();
                let Some(user) = realm.user(user_id) else { return self.show_form(key, kind, None) };
                trace.set_caller(user);
                self.log_in(user)
            }
            Err(Error::EmailInUse) => {
                let realm = self.world.snapshot();
                let invited_email = accept::find_invitation(&realm, key)
                    .ok()
                    .and_then(|invitation| invitation.email().map(str::to_owned));
                let email = invited_email.unwrap_or_else(|| registration.email.to_owned());
                let query = form_urlencoded::Serializer::new(String::new())
                    .append_pair("email", &email)
                    .append_pair("already_registered", "1")
                    .finish();
                self.redirect(302, &self.path_in_world(&format!("/login/?{query}")))
            }
            Err(error) => self.show_form(key, kind, Some(&error.message())),
        }
    }

    /// Shows the form, with a message about the submitted values if there is one, or the page for an invalid link.
    fn show_form(&self, key: &str, kind: InvitationKind, message: Option<&str>) -> Response {
        let realm = self.world.snapshot();
        if let Some(page) = self.invalid_link_page(&realm, key, kind) {
            return page;
        }
        let Ok(invitation) = accept::find_invitation(&realm, key) else { return self.unknown_link_page() };
        let name = &realm.organization.name;
        let body = html! {
            h1 { "Join " bdi { (name) } }
            (invitation_summary(&realm, &invitation))
            @if let Some(message) = message { (Banner::Error(message)) }
            (self.registration_form(&realm, key, &invitation))
        };
        self.page(200, &format!("Join {name}"), &body)
    }

    /// The page that says why a link is invalid; None for a valid link.
    fn invalid_link_page(&self, realm: &Realm, key: &str, kind: InvitationKind) -> Option<Response> {
        if !KEY_LENGTHS.contains(&key.len()) {
            let heading = "This invitation link is malformed";
            return Some(self.error_page(heading, "Make sure that the whole link was copied."));
        }
        match accept::find_invitation(realm, key) {
            Ok(invitation) if (kind == InvitationKind::Email) == invitation.email().is_some() => None,
            Err(Error::InvitationExpired) => Some(self.expired_link_page()),
            Ok(_) | Err(_) if kind == InvitationKind::Email && realm.accepted_invite_keys.contains(key) => {
                Some(self.expired_link_page())
            }
            Ok(_) | Err(_) => Some(self.unknown_link_page()),
        }
    }

    fn expired_link_page(&self) -> Response {
        self.error_page(
            "This invitation link has expired or was used",
            "Ask an administrator of the organization for another one.",
        )
    }

    fn unknown_link_page(&self) -> Response {
        self.error_page("There is no such invitation link", "It may have been revoked.")
    }

    fn error_page(&self, heading: &str, advice: &str) -> Response {
        let body = html! {
            h1 { (heading) }
            p { (advice) }
            p { a href=(self.path_in_world("/accounts/login/")) { "Log in to " (self.organization_name()) } }
        };
        self.page(404, heading, &body)
    }

    fn registration_form(&self, realm: &Realm, key: &str, invitation: &Invitation) -> Markup {
        let (action, invited_email) = match invitation.email() {
            Some(email) => (self.path_in_world("/accounts/register/"), Some(email)),
            None => (self.path_in_world(&format!("/join/{key}/")), None),
        };
        let allows_login = |method| realm.organization.allows_login_by(method);
        let is_password_optional = allows_login(AuthenticationMethod::Dev);
        let min_length = realm.organization.integer(RealmSetting::PasswordMinLength).unwrap_or_default();
        html! {
            form.card method="post" action=(action) {
                (hidden_field(CSRF_FIELD, &self.csrf_token))
                @if let Some(invited_email) = invited_email {
                    (hidden_field("key", key))
                    label for="email" { "Email" }
                    input #email type="email" value=(invited_email) readonly autocomplete="username";
                } @else {
                    label for="email" { "Email" }
                    input #email type="email" name="email" value=(self.field("email").unwrap_or_default()) maxlength="254"
                        autocomplete="username" required;
                }
                label for="full_name" { "Full name" }
                input #full_name name="full_name" value=(self.field("full_name").unwrap_or_default())
                    maxlength=(MAX_NAME_LENGTH) autocomplete="name" dir="auto" required;
                @if allows_login(AuthenticationMethod::Email) {
                    label for="password" { "Password" }
                    input #password type="password" name="password" maxlength=(MAX_PASSWORD_LENGTH)
                        autocomplete="new-password" aria-describedby="password-rule" required[!is_password_optional];
                    p.soft #password-rule {
                        "At least " (min_length) " characters, and hard to guess."
                        @if is_password_optional { " Optional: one can log in here by choosing a name, too." }
                    }
                }
                button.first { "Join" }
            }
        }
    }
}

/// Shows the inviter, the organization, the role and the initial channels of an invitation. At most
/// [`MAX_LISTED_CHANNELS`] are named, and no private ones; the others are counted.
fn invitation_summary(realm: &Realm, invitation: &Invitation) -> Markup {
    let terms = invitation.terms();
    let inviter = realm.users.get(&terms.invited_by).map_or("Somebody", |user| user.full_name.as_str());
    let role = match terms.role {
        Role::Owner => "an owner",
        Role::Administrator => "an administrator",
        Role::Moderator => "a moderator",
        Role::Member => "a member",
        Role::Guest => "a guest",
    };
    let channels = accept::initial_channels(realm, terms);
    // Private channels are not named, because the link may have been passed on.
    let public_channels = channels.iter().map(|id| &realm.channels[id]).filter(|channel| !channel.privacy.is_private());
    let names: Vec<&str> = public_channels.take(MAX_LISTED_CHANNELS).map(|channel| channel.name.as_str()).collect();
    let unlisted_count = channels.len() - names.len();
    html! {
        p { strong dir="auto" { (inviter) } " invites you to join " strong dir="auto" { (realm.organization.name) } " as " (role) "." }
        @if !channels.is_empty() {
            p.soft { "Your first channels:" }
            ul.channels { @for name in names { li dir="auto" { "#" (name) } } }
            @if unlisted_count > 0 { p.soft { "and " (unlisted_count) " more" } }
        }
    }
}
