//! Logging in: by choosing a person, as on development servers, or by address and password.

use super::Visitor;
use super::frame::{Notice, hidden};
use super::otp::OneTimePad;
use crate::api::server::{log_in_with_password, log_in_without_password};
use crate::error::Error;
use crate::http::Response;
use crate::http::session::{self, CSRF_FIELD};
use crate::http::trace::Trace;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::organization::AuthenticationMethod;
use crate::realm::user::{Role, User};
use maud::{Markup, html};
use std::sync::Arc;

/// So many people are shown; the others are found by searching.
const PEOPLE_MAX: usize = 100;
/// With more people than this there is a field to search in.
const PEOPLE_WITHOUT_SEARCH: usize = 24;
/// What is searched for is cut at so many bytes.
const QUERY_MAX_BYTES: usize = 200;

/// The groups of people, the first ones first.
const GROUPS: [(Role, &str); 5] = [
    (Role::Owner, "Owners"),
    (Role::Administrator, "Administrators"),
    (Role::Moderator, "Moderators"),
    (Role::Member, "Members"),
    (Role::Guest, "Guests"),
];

/// The people that a page shows.
struct People {
    shown: Vec<Arc<User>>,
    /// How many were searched for, and how many there are.
    found: usize,
    all: usize,
    query: String,
}

impl People {
    fn new(realm: &Realm, query: &str) -> Self {
        let query = query[..query.floor_char_boundary(QUERY_MAX_BYTES)].trim().to_owned();
        let wanted = query.to_lowercase();
        let people = realm.active_users.iter().map(|id| &realm.users[id]).filter(|user| !user.is_bot());
        let (mut all, mut found) = (0, Vec::new());
        for user in people {
            all += 1;
            let is_in = |text: &str| text.to_lowercase().contains(&wanted);
            if wanted.is_empty() || is_in(&user.full_name) || is_in(&user.email) {
                found.push(user);
            }
        }
        let place = |user: &User| GROUPS.iter().position(|(role, _)| *role == user.role);
        found.sort_by(|one, other| (place(one), &one.email).cmp(&(place(other), &other.email)));
        let shown = found.iter().take(PEOPLE_MAX).map(|user| (*user).clone()).collect();
        Self { shown, found: found.len(), all, query }
    }
}

impl Visitor<'_> {
    pub(super) fn login(&self, posts: bool, trace: &mut Trace) -> Result<Response, Error> {
        let pad = self.field("mobile_flow_otp").map(OneTimePad::read).transpose()?;
        if !posts {
            return Ok(self.choice(pad, self.notice().as_ref()));
        }
        let level = self.settings.feature_level;
        let logged_in = match (self.field("direct_email"), self.field("username")) {
            (Some(email), _) => self.world.commit_noting(|tx| log_in_without_password(tx, level, email)),
            (None, Some(email)) => {
                let password = self.field("password").unwrap_or_default();
                self.world.commit_noting(|tx| log_in_with_password(tx, level, email, password))
            }
            (None, None) => return Ok(self.choice(pad, Some(&PageNotice::Bad("Choose who to log in as.".to_owned())))),
        };
        match logged_in {
            Ok((account, new_events)) => {
                trace.new_events = new_events;
                let realm = self.world.published();
                let Some(user) = realm.user(UserId(account.user_id)) else { return Ok(self.choice(pad, None)) };
                trace.note_caller(user);
                Ok(self.lead_on(user, pad))
            }
            Err(error) => {
                let words = self.in_words(&error);
                let is_by_password = self.field("direct_email").is_none();
                let notice = if is_by_password { PageNotice::BadPassword(words) } else { PageNotice::Bad(words) };
                Ok(self.choice(pad, Some(&notice)))
            }
        }
    }

    /// Hands the key to the app that asks for it, else opens a session.
    fn lead_on(&self, user: &User, pad: Option<OneTimePad<'_>>) -> Response {
        match pad {
            Some(pad) => {
                let scheme = self.settings.dialect.product();
                self.redirect(302, &pad.address(scheme, &self.origin.base_url(), user))
            }
            None => self.enter(user),
        }
    }

    /// Opens a session, and leads to where one wanted to go.
    pub(super) fn enter(&self, user: &User) -> Response {
        let mut response = self.redirect(302, &self.next());
        session::open(self.world, self.origin, user, &mut response);
        response
    }

    fn in_words(&self, error: &Error) -> String {
        match error {
            Error::UserDeactivated => {
                let email = self.field("direct_email").or(self.field("username")).unwrap_or_default();
                format!("The account {email} is deactivated. An administrator of the organization can reactivate it.")
            }
            other => other.message(),
        }
    }

    /// What another page leads here with.
    fn notice(&self) -> Option<PageNotice> {
        let already = "There is an account with this address already: log in.";
        self.field("already_registered").map(|_| PageNotice::Info(already.to_owned()))
    }

    /// The page on which one chooses who to be.
    fn choice(&self, pad: Option<OneTimePad<'_>>, notice: Option<&PageNotice>) -> Response {
        let realm = self.world.snapshot();
        let organization = &realm.organization;
        let action = self.at("/accounts/login/");
        let carried = html! {
            @if let Some(pad) = pad { (hidden("mobile_flow_otp", pad.text())) }
            @if let Some(next) = self.field("next") { (hidden("next", next)) }
        };
        let takes = |method| organization.takes_logins_by(method);
        let people =
            takes(AuthenticationMethod::Dev).then(|| People::new(&realm, self.field("query").unwrap_or_default()));
        let session = self.incoming.session.as_ref().filter(|_| pad.is_none());
        let body = html! {
            h1 { "Log in to " bdi { (organization.name) } }
            @if pad.is_some() { p.soft { "The app is opened with the account that you choose." } }
            @match notice {
                Some(PageNotice::Bad(text)) => (Notice::Bad(text)),
                Some(PageNotice::Info(text)) => (Notice::Info(text)),
                Some(PageNotice::BadPassword(_)) | None => {}
            }
            @if let Some(session) = session { (self.leave(&session.user)) }
            @if people.is_some() && takes(AuthenticationMethod::Email) {
                p.soft { a href="#username" { "Log in with a password" } }
            }
            @if let Some(people) = &people { (self.people(people, &action, &carried)) }
            @if takes(AuthenticationMethod::Email) { (self.by_password(&action, &carried, people.is_some(), notice)) }
        };
        let scheme = pad.map(|_| self.settings.dialect.product());
        self.page_leading_to(200, &format!("Log in to {}", organization.name), &body, scheme)
    }

    fn people(&self, people: &People, action: &str, carried: &Markup) -> Markup {
        html! {
            @if people.all > PEOPLE_WITHOUT_SEARCH {
                form.search method="get" action=(action) role="search" {
                    (carried)
                    label for="query" { "Search people" }
                    div.row {
                        input #query type="search" name="query" value=(people.query) maxlength="100" autocomplete="off";
                        button { "Search" }
                    }
                    @if people.found > people.shown.len() {
                        p.soft { "The first " (people.shown.len()) " of " (people.found) " people are shown." }
                    }
                    @if people.found == 0 { p role="status" { "No account has a name or an address like this." } }
                }
            }
            form method="post" action=(action) {
                (hidden(CSRF_FIELD, &self.csrf)) (carried)
                @for (role, title) in GROUPS {
                    @let group: Vec<_> = people.shown.iter().filter(|user| user.role == role).collect();
                    @if !group.is_empty() {
                        h2 { (title) }
                        ul.people {
                            @for user in group {
                                li {
                                    button.person name="direct_email" value=(user.email) {
                                        span.name dir="auto" { (user.full_name) }
                                        span.soft { (user.email) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The form for an address and a password. What was wrong with them is said at it; the focus brings it into view.
    fn by_password(&self, action: &str, carried: &Markup, is_second: bool, notice: Option<&PageNotice>) -> Markup {
        let problem = if let Some(PageNotice::BadPassword(problem)) = notice { Some(problem) } else { None };
        let email = self.field("username").or(self.field("email")).unwrap_or_default();
        html! {
            form.card method="post" action=(action) {
                @if is_second { h2 { "With a password" } }
                @if let Some(problem) = problem { div #problem { (Notice::Bad(problem)) } }
                (hidden(CSRF_FIELD, &self.csrf)) (carried)
                label for="username" { "Email" }
                input #username type="email" name="username" value=(email) maxlength="254" autocomplete="username" required;
                label for="password" { "Password" }
                input #password type="password" name="password" maxlength="100" autocomplete="current-password"
                    aria-invalid=[problem.map(|_| "true")] aria-describedby=[problem.map(|_| "problem")]
                    autofocus[problem.is_some()] required;
                button.first { "Log in" }
            }
        }
    }

    /// Says who is logged in, with the way out.
    fn leave(&self, user: &User) -> Markup {
        html! {
            form.card.leave method="post" action=(self.at("/accounts/logout/")) {
                (hidden(CSRF_FIELD, &self.csrf))
                p { "You are logged in as " strong dir="auto" { (user.full_name) } " (" (user.email) ")." }
                button { "Log out" }
            }
        }
    }

    /// Where a world begins for those who are logged in.
    pub(super) fn home(&self) -> Response {
        let Some(session) = &self.incoming.session else { return self.redirect(302, &self.at("/accounts/login/")) };
        let name = self.organization();
        let body = html! {
            h1 { bdi { (name) } }
            (self.leave(&session.user))
            p { a href=(self.at("/accounts/login/")) { "Log in as another user" } }
        };
        self.page(200, &name, &body)
    }
}

/// What is said at the head of the page, or at the form that it is about.
enum PageNotice {
    Info(String),
    Bad(String),
    BadPassword(String),
}
