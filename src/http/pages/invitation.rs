//! Following an invitation: who invites to what, and a form that makes the account.

use super::Visitor;
use super::frame::{Notice, hidden};
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

/// Characters of a key, and of one of older servers.
const KEY_LENGTHS: [usize; 2] = [24, 40];
/// So many channels are named on the page.
const CHANNELS_SHOWN: usize = 20;

/// How an invitation came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Link,
    Email,
}

impl Visitor<'_> {
    /// A link with which anyone may join.
    pub(super) fn join(&self, key: &str, posts: bool, trace: &mut Trace) -> Response {
        // Without a name yet, the form is shown for the rest.
        let is_complete = posts && self.field("full_name").is_some();
        self.follow(key, Kind::Link, is_complete, trace)
    }

    /// An invitation by email, as the link in the mail leads to it.
    pub(super) fn confirm(&self, key: &str) -> Response {
        self.show(key, Kind::Email, None)
    }

    /// The form of an invitation by email.
    pub(super) fn register(&self, trace: &mut Trace) -> Response {
        let is_complete = self.field("from_confirmation").is_none();
        self.follow(self.field("key").unwrap_or_default(), Kind::Email, is_complete, trace)
    }

    fn follow(&self, key: &str, kind: Kind, is_complete: bool, trace: &mut Trace) -> Response {
        if !is_complete || self.fault_of_link(&self.world.snapshot(), key, kind).is_some() {
            return self.show(key, kind, None);
        }
        let registration = Registration {
            email: self.field("email").unwrap_or_default().trim(),
            full_name: self.field("full_name").unwrap_or_default(),
            password: self.field("password").unwrap_or_default(),
        };
        match self.world.commit_noting(|tx| accept::register(tx, key, &registration)) {
            Ok((user, new_events)) => {
                trace.new_events = new_events;
                let realm = self.world.published();
                let Some(user) = realm.user(user) else { return self.show(key, kind, None) };
                trace.note_caller(user);
                self.enter(user)
            }
            Err(Error::EmailInUse) => {
                let realm = self.world.snapshot();
                let own = accept::find(&realm, key).ok().and_then(|open| open.email().map(str::to_owned));
                let email = own.unwrap_or_else(|| registration.email.to_owned());
                let query = form_urlencoded::Serializer::new(String::new())
                    .append_pair("email", &email)
                    .append_pair("already_registered", "1")
                    .finish();
                self.redirect(302, &self.at(&format!("/login/?{query}")))
            }
            Err(error) => self.show(key, kind, Some(&error.message())),
        }
    }

    /// Shows the form, or what is wrong with the link.
    fn show(&self, key: &str, kind: Kind, wrong: Option<&str>) -> Response {
        let realm = self.world.snapshot();
        if let Some(page) = self.fault_of_link(&realm, key, kind) {
            return page;
        }
        let Ok(invitation) = accept::find(&realm, key) else { return self.unknown() };
        let name = &realm.organization.name;
        let body = html! {
            h1 { "Join " bdi { (name) } }
            (words(&realm, &invitation))
            @if let Some(wrong) = wrong { (Notice::Bad(wrong)) }
            (self.form(&realm, key, &invitation))
        };
        self.page(200, &format!("Join {name}"), &body)
    }

    /// The page that says what is wrong with a link, if something is.
    fn fault_of_link(&self, realm: &Realm, key: &str, kind: Kind) -> Option<Response> {
        if !KEY_LENGTHS.contains(&key.len()) {
            let heading = "This invitation link is malformed";
            return Some(self.fault(heading, "Make sure that the whole link was copied."));
        }
        match accept::find(realm, key) {
            Ok(invitation) if (kind == Kind::Email) == invitation.email().is_some() => None,
            Err(Error::InvitationExpired) => Some(self.expired()),
            Ok(_) | Err(_) if kind == Kind::Email && realm.used_invites.contains(key) => Some(self.expired()),
            Ok(_) | Err(_) => Some(self.unknown()),
        }
    }

    fn expired(&self) -> Response {
        self.fault(
            "This invitation link has expired or was used",
            "Ask an administrator of the organization for another one.",
        )
    }

    fn unknown(&self) -> Response {
        self.fault("There is no such invitation link", "It may have been revoked.")
    }

    fn fault(&self, heading: &str, advice: &str) -> Response {
        let body = html! {
            h1 { (heading) }
            p { (advice) }
            p { a href=(self.at("/accounts/login/")) { "Log in to " (self.organization()) } }
        };
        self.page(404, heading, &body)
    }

    fn form(&self, realm: &Realm, key: &str, invitation: &Invitation) -> Markup {
        let (action, own) = match invitation.email() {
            Some(email) => (self.at("/accounts/register/"), Some(email)),
            None => (self.at(&format!("/join/{key}/")), None),
        };
        let takes = |method| realm.organization.takes_logins_by(method);
        let needs_none = takes(AuthenticationMethod::Dev);
        let least = realm.organization.limit(RealmSetting::PasswordMinLength).unwrap_or_default();
        html! {
            form.card method="post" action=(action) {
                (hidden(CSRF_FIELD, &self.csrf))
                @if let Some(own) = own {
                    (hidden("key", key))
                    label for="email" { "Email" }
                    input #email type="email" value=(own) readonly autocomplete="username";
                } @else {
                    label for="email" { "Email" }
                    input #email type="email" name="email" value=(self.field("email").unwrap_or_default()) maxlength="254"
                        autocomplete="username" required;
                }
                label for="full_name" { "Full name" }
                input #full_name name="full_name" value=(self.field("full_name").unwrap_or_default())
                    maxlength=(MAX_NAME_LENGTH) autocomplete="name" dir="auto" required;
                @if takes(AuthenticationMethod::Email) {
                    label for="password" { "Password" }
                    input #password type="password" name="password" maxlength=(MAX_PASSWORD_LENGTH)
                        autocomplete="new-password" aria-describedby="password-rule" required[!needs_none];
                    p.soft #password-rule {
                        "At least " (least) " characters, and hard to guess."
                        @if needs_none { " Optional: one can log in here by choosing a name, too." }
                    }
                }
                button.first { "Join" }
            }
        }
    }
}

/// Who invites to what.
fn words(realm: &Realm, invitation: &Invitation) -> Markup {
    let terms = invitation.terms();
    let inviter = realm.users.get(&terms.invited_by).map_or("Somebody", |user| user.full_name.as_str());
    let role = match terms.role {
        Role::Owner => "an owner",
        Role::Administrator => "an administrator",
        Role::Moderator => "a moderator",
        Role::Member => "a member",
        Role::Guest => "a guest",
    };
    let channels = accept::channels(realm, terms);
    // Anyone may get hold of a link: it does not name private channels.
    let public = channels.iter().map(|id| &realm.channels[id]).filter(|channel| !channel.privacy.is_private());
    let names: Vec<&str> = public.take(CHANNELS_SHOWN).map(|channel| channel.name.as_str()).collect();
    let more = channels.len() - names.len();
    html! {
        p { strong dir="auto" { (inviter) } " invites you to join " strong dir="auto" { (realm.organization.name) } " as " (role) "." }
        @if !channels.is_empty() {
            p.soft { "Your first channels:" }
            ul.channels { @for name in names { li dir="auto" { "#" (name) } } }
            @if more > 0 { p.soft { "and " (more) " more" } }
        }
    }
}
