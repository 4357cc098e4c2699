//! HTML pages for people: start page, login, logout, invitations, and the notices of deactivated organizations and
//! unknown worlds. They work without scripts and load nothing.
//!
//! Choices where the API is silent: in docs/assumptions.md.

mod invitation;
mod layout;
mod login;
mod one_time_pad;
mod unknown_world;

use super::address::Address;
use super::context::RequestContext;
use super::parameters::parse_parameters;
use super::pending_response::{self, PendingBody, PendingResponse};
use super::request::{IncomingRequest, check_size_without_files};
use super::session;
use super::trace::Trace;
use super::{Edge, Response, reply};
use crate::api::Origin;
use crate::error::Error;
use crate::world::{World, WorldSettings};
use http::{HeaderName, HeaderValue, Method, header};
use layout::Banner;
use std::collections::BTreeMap;
use std::sync::Arc;
pub(super) use unknown_world::unknown_world_page;

/// A header that browsers add to requests by HTTPS and to this machine; other programs do not send it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A page, by the path of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page<'a> {
    /// The start page of a world, which names the logged-in user.
    Home,
    Login,
    Logout,
    /// The notice of a deactivated organization, to which its start, login and invitation pages redirect.
    Deactivated,
    /// A reusable invitation link, with its key.
    Join(&'a str),
    /// The link in an invitation email, with its key.
    Confirm(&'a str),
    /// The submitted form of an invitation email.
    Register,
    /// The path of another page without its final slash, which redirects there.
    MissingSlash,
}

impl<'a> Page<'a> {
    pub(super) fn find(incoming: &IncomingRequest, address: &Address<'a>) -> Option<Self> {
        match address.path {
            "" | "/" if !address.names_no_world && incoming.accepts_html() => Some(Page::Home),
            path => Self::find_by_path(path),
        }
    }

    /// The page with a path, except the start page, which needs more than the path.
    fn find_by_path(path: &'a str) -> Option<Self> {
        match path {
            "/login/" | "/accounts/login/" | "/accounts/login/local/" | "/devlogin/" => Some(Page::Login),
            "/accounts/logout/" => Some(Page::Logout),
            "/accounts/deactivated/" => Some(Page::Deactivated),
            "/accounts/register/" => Some(Page::Register),
            "/login"
            | "/accounts/login"
            | "/accounts/login/local"
            | "/devlogin"
            | "/accounts/logout"
            | "/accounts/deactivated"
            | "/accounts/register" => Some(Page::MissingSlash),
            path => Self::find_with_key(path),
        }
    }

    fn find_with_key(path: &'a str) -> Option<Self> {
        let is_key = |key: &&str| !key.is_empty() && !key.contains('/');
        if let Some(key) = path.strip_prefix("/accounts/do_confirm/") {
            return Some(key.strip_suffix('/').unwrap_or(key)).filter(is_key).map(Page::Confirm);
        }
        let key = path.strip_prefix("/join/")?;
        match key.strip_suffix('/') {
            Some(key) => Some(key).filter(is_key).map(Page::Join),
            None => Some(key).filter(is_key).map(|_| Page::MissingSlash),
        }
    }

    fn methods(self) -> &'static [&'static str] {
        match self {
            Page::Home | Page::Deactivated => &["GET", "HEAD"],
            Page::Login | Page::Join(_) => &["GET", "POST", "HEAD"],
            Page::Confirm(_) | Page::MissingSlash => &["GET", "HEAD"],
            Page::Logout | Page::Register => &["POST"],
        }
    }
}

/// The methods of the page with a path; None if there is no such page.
pub fn methods_of_page(path: &str) -> Option<&'static [&'static str]> {
    let page = if matches!(path, "" | "/") { Some(Page::Home) } else { Page::find_by_path(path) };
    page.map(Page::methods)
}

/// A request for a page, with the state from which the methods of `pages/` answer it.
struct PageRequest<'a> {
    edge: &'a Edge,
    incoming: &'a IncomingRequest,
    world: &'a World,
    settings: &'a WorldSettings,
    origin: Origin<'a>,
    /// The parameters of query and form; the form takes precedence.
    fields: Arc<BTreeMap<String, String>>,
    /// The CSRF token for the forms of the page.
    csrf_token: String,
}

/// Answers a request for a page. Checks its method, its size and where it comes from first.
pub(super) fn serve(context: &mut RequestContext<'_>, page: Page<'_>) -> PendingResponse {
    let RequestContext { edge, incoming, world, settings, origin, trace, .. } = context;
    let parameters = parse_parameters(incoming).and_then(|parameters| {
        edge.key_guard.check_page(incoming.headers())?;
        check_size_without_files(incoming)?;
        let methods = page.methods();
        if methods.contains(&incoming.method().as_str()) {
            return Ok(parameters);
        }
        Err(Error::MethodNotAllowed { allowed_methods: methods.to_vec().into() })
    });
    let response = parameters.and_then(|parameters| {
        trace.params = parameters.values.clone();
        let cookie_token = session::csrf_token(incoming.headers());
        let request = PageRequest {
            edge,
            incoming,
            world,
            settings,
            origin: *origin,
            fields: parameters.values,
            csrf_token: cookie_token.map_or_else(|| world.sessions().generate_token(), str::to_owned),
        };
        request.answer(page, trace)
    });
    response.map_or_else(|error| pending_response::refusal(&error, None), |response| response.map(PendingBody::Bytes))
}

impl PageRequest<'_> {
    fn answer(&self, page: Page<'_>, trace: &mut Trace) -> Result<Response, Error> {
        let is_post = self.incoming.method() == Method::POST;
        if page == Page::MissingSlash {
            let query = self.incoming.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            return Ok(self.redirect(301, &format!("{}/{query}", self.incoming.path())));
        }
        if is_post && let Err(Error::CsrfFailed { reason }) = self.check_csrf() {
            return Ok(self.forbidden_page(reason.as_str().unwrap_or_default()));
        }
        if page == Page::Logout {
            return Ok(self.log_out());
        }
        let is_deactivated = self.world.snapshot().organization.is_deactivated;
        match page {
            Page::Deactivated if is_deactivated => Ok(self.deactivated_page()),
            Page::Deactivated => Ok(self.redirect(302, &self.path_in_world("/accounts/login/"))),
            _ if is_deactivated => Ok(self.redirect(302, &self.path_in_world("/accounts/deactivated/"))),
            Page::Home => Ok(self.home_page()),
            Page::Login => self.log_in_or_show_page(is_post, trace),
            Page::Join(key) => Ok(self.join(key, is_post, trace)),
            Page::Confirm(key) => Ok(self.confirm(key)),
            Page::Register => Ok(self.register(trace)),
            // Answered above.
            Page::Logout | Page::MissingSlash => Err(Error::UnknownPath),
        }
    }

    /// Checks that a form comes from a page of this server. Requests from programs other than browsers need no token:
    /// no web page can cause them.
    fn check_csrf(&self) -> Result<(), Error> {
        let headers = self.incoming.headers();
        let is_from_browser =
            [header::ORIGIN, header::REFERER, SEC_FETCH_SITE].iter().any(|name| headers.contains_key(name));
        let field = self.field(session::CSRF_FIELD);
        if is_from_browser {
            session::check_csrf(&self.edge.key_guard, self.incoming.method_and_headers(), field)
        } else {
            Ok(())
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    fn path_in_world(&self, path: &str) -> String {
        format!("{}{path}", self.origin.prefix)
    }

    /// The path to redirect to after a login: that in the field `next`, else the start page. URLs of other servers are
    /// ignored.
    fn next_path(&self) -> String {
        let is_local = |next: &&str| {
            next.starts_with('/')
                && !next[1..].starts_with(['/', '\\'])
                && next.bytes().all(|byte| byte.is_ascii_graphic())
        };
        self.field("next").filter(is_local).map_or_else(|| self.path_in_world("/"), str::to_owned)
    }

    fn redirect(&self, status: u16, location: &str) -> Response {
        let mut response = reply::empty(status);
        if let Ok(value) = HeaderValue::from_str(location) {
            response.headers_mut().insert(header::LOCATION, value);
        }
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    fn page(&self, status: u16, title: &str, body: &maud::Markup) -> Response {
        self.page_with_form_scheme(status, title, body, None)
    }

    /// A page whose forms may also redirect to URLs with a scheme other than HTTP, such as that of a mobile app.
    fn page_with_form_scheme(&self, status: u16, title: &str, body: &maud::Markup, scheme: Option<&str>) -> Response {
        let mut response = layout::page(status, title, body, scheme);
        if session::csrf_token(self.incoming.headers()).is_none() {
            session::set_csrf_token(self.origin, &self.csrf_token, &mut response);
        }
        response
    }

    fn forbidden_page(&self, reason: &str) -> Response {
        let body = maud::html! {
            h1 { "Access forbidden (403)" }
            (Banner::Error("This form may not have been sent by a page of this server."))
            p.soft { (reason) " Cookies must be allowed; then load the page again." }
        };
        self.page(403, "Access forbidden", &body)
    }

    /// The start page of a world; browsers without a session are redirected to the login page.
    fn home_page(&self) -> Response {
        let Some(session) = &self.incoming.session else {
            return self.redirect(302, &self.path_in_world("/accounts/login/"));
        };
        let name = self.organization_name();
        let body = maud::html! {
            h1 { bdi { (name) } }
            (self.logout_form(&session.user))
            p { a href=(self.path_in_world("/accounts/login/")) { "Log in as another user" } }
        };
        self.page(200, &name, &body)
    }

    fn log_out(&self) -> Response {
        if let Some(session) = &self.incoming.session {
            self.world.sessions().end(&session.id);
        }
        let mut response = self.redirect(302, &self.path_in_world("/accounts/login/"));
        session::clear_session_cookie(self.origin, &mut response);
        response
    }

    fn deactivated_page(&self) -> Response {
        let name = &self.world.snapshot().organization.name;
        let body = maud::html! {
            h1 { bdi { (name) } }
            (Banner::Error("This organization has been deactivated."))
        };
        self.page(200, "Deactivated organization", &body)
    }

    fn organization_name(&self) -> String {
        self.world.snapshot().organization.name.clone()
    }
}
