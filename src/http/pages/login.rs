//! The login page, on which people choose an account, as on development servers, or enter a password.

use super::PageRequest;
use super::layout::{Banner, hidden_field};
use super::one_time_pad::OneTimePad;
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

const MAX_LISTED_PEOPLE: usize = 100;
/// With more people than this, the page has a search field.
const MAX_PEOPLE_WITHOUT_SEARCH: usize = 24;
const MAX_QUERY_BYTES: usize = 200;

/// The headings of the list of people by role, in their order on the page.
const ROLE_HEADINGS: [(Role, &str); 5] = [
    (Role::Owner, "Owners"),
    (Role::Administrator, "Administrators"),
    (Role::Moderator, "Moderators"),
    (Role::Member, "Members"),
    (Role::Guest, "Guests"),
];

/// The people who match a search, for the list on the page.
struct People {
    /// The first [`MAX_LISTED_PEOPLE`] matches.
    listed_people: Vec<Arc<User>>,
    match_count: usize,
    /// The number of people without the search.
    total_count: usize,
    query: String,
}

impl People {
    fn new(realm: &Realm, query: &str) -> Self {
        let query = query[..query.floor_char_boundary(MAX_QUERY_BYTES)].trim().to_owned();
        let lowercase_query = query.to_lowercase();
        let people = realm.active_users.iter().map(|id| &realm.users[id]).filter(|user| !user.is_bot());
        let mut total_count = 0;
        let mut matches = Vec::new();
        for user in people {
            total_count += 1;
            let is_match = |text: &str| text.to_lowercase().contains(&lowercase_query);
            if lowercase_query.is_empty() || is_match(&user.full_name) || is_match(&user.email) {
                matches.push(user);
            }
        }
        let position = |user: &User| ROLE_HEADINGS.iter().position(|(role, _)| *role == user.role);
        matches.sort_by(|a, b| (position(a), &a.email).cmp(&(position(b), &b.email)));
        let listed_people = matches.iter().take(MAX_LISTED_PEOPLE).map(|user| (*user).clone()).collect();
        Self { listed_people, match_count: matches.len(), total_count, query }
    }
}

impl PageRequest<'_> {
    pub(super) fn log_in_or_show_page(&self, is_post: bool, trace: &mut Trace) -> Result<Response, Error> {
        let pad = self.field("mobile_flow_otp").map(OneTimePad::parse).transpose()?;
        if !is_post {
            return Ok(self.login_page(pad, self.registration_message().as_ref()));
        }
        let level = self.settings.feature_level;
        let result = match (self.field("direct_email"), self.field("username")) {
            (Some(email), _) => self.world.commit_without_broadcast(|tx| log_in_without_password(tx, level, email)),
            (None, Some(email)) => {
                let password = self.field("password").unwrap_or_default();
                self.world.commit_without_broadcast(|tx| log_in_with_password(tx, level, email, password))
            }
            (None, None) => {
                let message = LoginMessage::Error("Choose who to log in as.".to_owned());
                return Ok(self.login_page(pad, Some(&message)));
            }
        };
        match result {
            Ok((account, new_events)) => {
                trace.new_events = new_events;
                let realm = self.world.published_realm();
                let Some(user) = realm.user(UserId(account.user_id)) else { return Ok(self.login_page(pad, None)) };
                trace.set_caller(user);
                Ok(self.finish_login(user, pad))
            }
            Err(error) => {
                let text = self.error_message(&error);
                let is_by_password = self.field("direct_email").is_none();
                let message =
                    if is_by_password { LoginMessage::PasswordError(text) } else { LoginMessage::Error(text) };
                Ok(self.login_page(pad, Some(&message)))
            }
        }
    }

    /// Sends the key to the mobile app that started the login; without an app, opens a session.
    fn finish_login(&self, user: &User, pad: Option<OneTimePad<'_>>) -> Response {
        match pad {
            Some(pad) => {
                let scheme = self.settings.dialect.product();
                self.redirect(302, &pad.app_url(scheme, &self.origin.base_url(), user))
            }
            None => self.log_in(user),
        }
    }

    /// Opens a session and redirects to the page that `next` names, or to the start page.
    pub(super) fn log_in(&self, user: &User) -> Response {
        let mut response = self.redirect(302, &self.next_path());
        session::open(self.world, self.origin, user, &mut response);
        response
    }

    fn error_message(&self, error: &Error) -> String {
        match error {
            Error::UserDeactivated => {
                let email = self.field("direct_email").or(self.field("username")).unwrap_or_default();
                format!("The account {email} is deactivated. An administrator of the organization can reactivate it.")
            }
            _ => error.message(),
        }
    }

    /// The message after a registration with the address of an existing account, which redirects to this page.
    fn registration_message(&self) -> Option<LoginMessage> {
        let text = "There is an account with this address already: log in.";
        self.field("already_registered").map(|_| LoginMessage::Info(text.to_owned()))
    }

    fn login_page(&self, pad: Option<OneTimePad<'_>>, message: Option<&LoginMessage>) -> Response {
        let realm = self.world.snapshot();
        let organization = &realm.organization;
        let action = self.path_in_world("/accounts/login/");
        let forwarded_fields = html! {
            @if let Some(pad) = pad { (hidden_field("mobile_flow_otp", pad.digits())) }
            @if let Some(next) = self.field("next") { (hidden_field("next", next)) }
        };
        let allows_login = |method| organization.allows_login_by(method);
        let people = allows_login(AuthenticationMethod::Dev)
            .then(|| People::new(&realm, self.field("query").unwrap_or_default()));
        let session = self.incoming.session.as_ref().filter(|_| pad.is_none());
        let body = html! {
            h1 { "Log in to " bdi { (organization.name) } }
            @if pad.is_some() { p.soft { "The app is opened with the account that you choose." } }
            @match message {
                Some(LoginMessage::Error(text)) => (Banner::Error(text)),
                Some(LoginMessage::Info(text)) => (Banner::Info(text)),
                Some(LoginMessage::PasswordError(_)) | None => {}
            }
            @if let Some(session) = session { (self.logout_form(&session.user)) }
            @if people.is_some() && allows_login(AuthenticationMethod::Email) {
                p.soft { a href="#username" { "Log in with a password" } }
            }
            @if let Some(people) = &people { (self.people_forms(people, &action, &forwarded_fields)) }
            @if allows_login(AuthenticationMethod::Email) { (self.password_form(&action, &forwarded_fields, people.is_some(), message)) }
        };
        let scheme = pad.map(|_| self.settings.dialect.product());
        self.page_with_form_scheme(200, &format!("Log in to {}", organization.name), &body, scheme)
    }

    fn people_forms(&self, people: &People, action: &str, forwarded_fields: &Markup) -> Markup {
        html! {
            @if people.total_count > MAX_PEOPLE_WITHOUT_SEARCH {
                form.search method="get" action=(action) role="search" {
                    (forwarded_fields)
                    label for="query" { "Search people" }
                    div.row {
                        input #query type="search" name="query" value=(people.query) maxlength="100" autocomplete="off";
                        button { "Search" }
                    }
                    @if people.match_count > people.listed_people.len() {
                        p.soft {
                            "The first " (people.listed_people.len()) " of " (people.match_count) " people are shown."
                        }
                    }
                    @if people.match_count == 0 { p role="status" { "No account has a name or an address like this." } }
                }
            }
            form method="post" action=(action) {
                (hidden_field(CSRF_FIELD, &self.csrf_token)) (forwarded_fields)
                @for (role, heading) in ROLE_HEADINGS {
                    @let people_of_role: Vec<_> =
                        people.listed_people.iter().filter(|user| user.role == role).collect();
                    @if !people_of_role.is_empty() {
                        h2 { (heading) }
                        ul.people {
                            @for user in people_of_role {
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

    /// The form for an email address and a password. After a failed attempt it shows the error and takes the focus,
    /// which scrolls it into view.
    fn password_form(
        &self,
        action: &str,
        forwarded_fields: &Markup,
        has_heading: bool,
        message: Option<&LoginMessage>,
    ) -> Markup {
        let problem = if let Some(LoginMessage::PasswordError(problem)) = message { Some(problem) } else { None };
        let email = self.field("username").or(self.field("email")).unwrap_or_default();
        html! {
            form.card method="post" action=(action) {
                @if has_heading { h2 { "With a password" } }
                @if let Some(problem) = problem { div #problem { (Banner::Error(problem)) } }
                (hidden_field(CSRF_FIELD, &self.csrf_token)) (forwarded_fields)
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

    pub(super) fn logout_form(&self, user: &User) -> Markup {
        html! {
            form.card.leave method="post" action=(self.path_in_world("/accounts/logout/")) {
                (hidden_field(CSRF_FIELD, &self.csrf_token))
                p { "You are logged in as " strong dir="auto" { (user.full_name) } " (" (user.email) ")." }
                button { "Log out" }
            }
        }
    }
}

/// What the login page says about the last attempt to log in or to join.
enum LoginMessage {
    Info(String),
    Error(String),
    /// Shown at the password form instead of the top of the page.
    PasswordError(String),
}
