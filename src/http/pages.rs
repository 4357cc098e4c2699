//! Pages for people: logging in, and following invitations. They need no script, and load nothing.
//!
//! Choices where the API is silent: in docs/assumptions.md.

mod frame;
mod invitation;
mod login;
mod otp;
mod unknown_world;

use super::address::Address;
use super::context::RequestContext;
use super::draft::{self, Draft, DraftBody};
use super::request::{ApiRequest, parameters, without_files};
use super::session;
use super::trace::Trace;
use super::{Edge, Response, reply};
use crate::api::Origin;
use crate::error::Error;
use crate::world::{World, WorldSettings};
use frame::Notice;
use http::{HeaderName, HeaderValue, Method, header};
use std::collections::BTreeMap;
use std::sync::Arc;
pub(super) use unknown_world::unknown_world;

/// What a browser says of where a request comes from; scripts don't say it.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A page, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page<'a> {
    /// Where a world begins: who is logged in.
    Home,
    /// Choosing who to be.
    Login,
    /// Ending the session.
    Logout,
    /// What is said instead where the organization is deactivated.
    Deactivated,
    /// A link with which anyone may join.
    Join(&'a str),
    /// An invitation by email.
    Confirm(&'a str),
    /// The form of an invitation by email.
    Register,
    /// A page's path without the slash at its end.
    WithoutSlash,
}

impl<'a> Page<'a> {
    /// The page with a path, if there is one.
    pub(super) fn find(incoming: &ApiRequest, address: &Address<'a>) -> Option<Self> {
        match address.path {
            "" | "/" if !address.is_root && incoming.accepts_html() => Some(Page::Home),
            path => Self::with_path(path),
        }
    }

    /// The page with a path, but for the one where a world begins.
    fn with_path(path: &'a str) -> Option<Self> {
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
            | "/accounts/register" => Some(Page::WithoutSlash),
            path => Self::of_key(path),
        }
    }

    fn of_key(path: &'a str) -> Option<Self> {
        let is_key = |key: &&str| !key.is_empty() && !key.contains('/');
        if let Some(key) = path.strip_prefix("/accounts/do_confirm/") {
            return Some(key.strip_suffix('/').unwrap_or(key)).filter(is_key).map(Page::Confirm);
        }
        let key = path.strip_prefix("/join/")?;
        match key.strip_suffix('/') {
            Some(key) => Some(key).filter(is_key).map(Page::Join),
            None => Some(key).filter(is_key).map(|_| Page::WithoutSlash),
        }
    }

    fn methods(self) -> &'static [&'static str] {
        match self {
            Page::Home | Page::Deactivated => &["GET", "HEAD"],
            Page::Login | Page::Join(_) => &["GET", "POST", "HEAD"],
            Page::Confirm(_) | Page::WithoutSlash => &["GET", "HEAD"],
            Page::Logout | Page::Register => &["POST"],
        }
    }
}

/// The methods of the page with a path; None where there is no page.
pub fn methods_of_page(path: &str) -> Option<&'static [&'static str]> {
    let page = if matches!(path, "" | "/") { Some(Page::Home) } else { Page::with_path(path) };
    page.map(Page::methods)
}

/// A request for a page.
struct Visitor<'a> {
    edge: &'a Edge,
    incoming: &'a ApiRequest,
    world: &'a World,
    settings: &'a WorldSettings,
    origin: Origin<'a>,
    /// Query and form; the form's value wins.
    fields: Arc<BTreeMap<String, String>>,
    /// The token that forms have to repeat.
    csrf: String,
}

/// Answers a request for a page.
pub(super) fn show(context: &mut RequestContext<'_>, page: Page<'_>) -> Draft {
    let RequestContext { edge, incoming, world, settings, origin, trace, .. } = context;
    let sent = parameters(incoming).and_then(|sent| {
        edge.key_guard.check_page(incoming.headers())?;
        without_files(incoming)?;
        let methods = page.methods();
        if methods.contains(&incoming.method().as_str()) {
            return Ok(sent);
        }
        Err(Error::MethodNotAllowed { allowed_methods: methods.to_vec().into() })
    });
    let response = sent.and_then(|sent| {
        trace.params = sent.values.clone();
        let known = session::csrf_token(incoming.headers());
        let visitor = Visitor {
            edge,
            incoming,
            world,
            settings,
            origin: *origin,
            fields: sent.values,
            csrf: known.map_or_else(|| world.sessions().token(), str::to_owned),
        };
        visitor.see(page, trace)
    });
    response.map_or_else(|error| draft::failure(&error, None), |response| response.map(DraftBody::Bytes))
}

impl Visitor<'_> {
    fn see(&self, page: Page<'_>, trace: &mut Trace) -> Result<Response, Error> {
        let posts = self.incoming.method() == Method::POST;
        if page == Page::WithoutSlash {
            let query = self.incoming.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
            return Ok(self.redirect(301, &format!("{}/{query}", self.incoming.path())));
        }
        if posts && let Err(Error::CsrfFailed { reason }) = self.check_csrf() {
            return Ok(self.forbidden(reason.as_str().unwrap_or_default()));
        }
        if page == Page::Logout {
            return Ok(self.log_out());
        }
        let is_deactivated = self.world.snapshot().organization.is_deactivated;
        match page {
            Page::Deactivated if is_deactivated => Ok(self.deactivated()),
            Page::Deactivated => Ok(self.redirect(302, &self.at("/accounts/login/"))),
            _ if is_deactivated => Ok(self.redirect(302, &self.at("/accounts/deactivated/"))),
            Page::Home => Ok(self.home()),
            Page::Login => self.login(posts, trace),
            Page::Join(key) => Ok(self.join(key, posts, trace)),
            Page::Confirm(key) => Ok(self.confirm(key)),
            Page::Register => Ok(self.register(trace)),
            Page::Logout | Page::WithoutSlash => Err(Error::UnknownPath),
        }
    }

    /// Asserts that a page of this server sent a form. Scripts, which no site can make send anything, need no proof.
    fn check_csrf(&self) -> Result<(), Error> {
        let headers = self.incoming.headers();
        let is_of_browser =
            [header::ORIGIN, header::REFERER, SEC_FETCH_SITE].iter().any(|name| headers.contains_key(name));
        let field = self.field(session::CSRF_FIELD);
        if is_of_browser {
            session::check_csrf(&self.edge.key_guard, self.incoming.method_and_headers(), field)
        } else {
            Ok(())
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    /// A path of this world as browsers see it.
    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin.prefix)
    }

    /// Where to go on after logging in: a path of this server alone.
    fn next(&self) -> String {
        let is_own = |next: &&str| {
            next.starts_with('/')
                && !next[1..].starts_with(['/', '\\'])
                && next.bytes().all(|byte| byte.is_ascii_graphic())
        };
        self.field("next").filter(is_own).map_or_else(|| self.at("/"), str::to_owned)
    }

    fn redirect(&self, status: u16, to: &str) -> Response {
        let mut response = reply::empty(status);
        if let Ok(value) = HeaderValue::from_str(to) {
            response.headers_mut().insert(header::LOCATION, value);
        }
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// A page of HTML, with the token that its forms repeat.
    fn page(&self, status: u16, title: &str, body: &maud::Markup) -> Response {
        self.page_leading_to(status, title, body, None)
    }

    /// As [`Visitor::page`]; its forms may lead to addresses of this scheme too.
    fn page_leading_to(&self, status: u16, title: &str, body: &maud::Markup, scheme: Option<&str>) -> Response {
        let mut response = frame::page(status, title, body, scheme);
        if session::csrf_token(self.incoming.headers()).is_none() {
            session::give_csrf_token(self.origin, &self.csrf, &mut response);
        }
        response
    }

    fn forbidden(&self, reason: &str) -> Response {
        let body = maud::html! {
            h1 { "Access forbidden (403)" }
            (Notice::Bad("This form may not have been sent by a page of this server."))
            p.soft { (reason) " Cookies must be allowed; then load the page again." }
        };
        self.page(403, "Access forbidden", &body)
    }

    fn log_out(&self) -> Response {
        if let Some(session) = &self.incoming.session {
            self.world.sessions().end(&session.id);
        }
        let mut response = self.redirect(302, &self.at("/accounts/login/"));
        session::forget(self.origin, &mut response);
        response
    }

    fn deactivated(&self) -> Response {
        let name = &self.world.snapshot().organization.name;
        let body = maud::html! {
            h1 { bdi { (name) } }
            (Notice::Bad("This organization has been deactivated."))
        };
        self.page(200, "Deactivated organization", &body)
    }

    /// The organization's name, for titles.
    fn organization(&self) -> String {
        self.world.snapshot().organization.name.clone()
    }
}
