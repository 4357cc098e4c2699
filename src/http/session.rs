//! Sessions of browsers over HTTP: their cookies, and the protection against cross-site request forgery.

use super::authentication::Credentials;
use super::key_guard::KeyGuard;
use super::single_header::SingleHeader;
use crate::api::Origin;
use crate::error::Error;
use crate::realm::user::User;
use crate::world::World;
use crate::world::sessions::SESSION_LIFETIME;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use std::sync::Arc;

const SESSION_COOKIE: &str = "sessionid";
/// The cookie with the CSRF token. A request repeats the token in the header or in the field of a form.
const CSRF_COOKIE: &str = "csrftoken";
const CSRF_HEADER: HeaderName = HeaderName::from_static("x-csrftoken");
pub const CSRF_FIELD: &str = "csrfmiddlewaretoken";
/// The lifetime of the CSRF cookie, in seconds: 52 weeks.
const CSRF_MAX_AGE: i64 = 52 * 7 * 86_400;
/// The lengths of plain and of masked CSRF tokens.
const TOKEN_LENGTHS: [usize; 2] = [32, 64];

/// The session of a request.
#[derive(Clone, Debug)]
pub struct Session {
    /// A secret: it authenticates the user.
    pub id: String,
    pub user: Arc<User>,
}

impl Session {
    /// Finds the open session of this world in the cookies of a request.
    pub fn find(world: &World, headers: &HeaderMap) -> Option<Self> {
        if !headers.contains_key(header::COOKIE) {
            return None;
        }
        let realm = world.snapshot();
        // A browser may also send the session cookies of other worlds at the same host.
        cookie_values(headers, SESSION_COOKIE)
            .find_map(|id| Some(Self { id: id.to_owned(), user: world.user_of_session(&realm, id)? }))
    }

    /// The credentials of the session's user: always Ok, and a Result because requests have them as one.
    pub fn credentials(&self) -> Result<Arc<Credentials>, Error> {
        Ok(Arc::new(Credentials::of_user(&self.user)))
    }
}

/// All values of a cookie. Browsers send several if the cookie is set for several prefixes of the path, such as worlds.
fn cookie_values<'headers>(headers: &'headers HeaderMap, name: &'static str) -> impl Iterator<Item = &'headers str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(cookie_name, _)| *cookie_name == name).map(|(_, value)| value.trim_matches('"'))
}

/// The well-formed CSRF token in the cookies of a request, if any.
pub fn csrf_token(headers: &HeaderMap) -> Option<&str> {
    cookie_values(headers, CSRF_COOKIE).find(|token| token_format_error(token).is_none())
}

fn token_format_error(token: &str) -> Option<&'static str> {
    if !TOKEN_LENGTHS.contains(&token.len()) {
        return Some("has incorrect length");
    }
    (!token.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some("has invalid characters")
}

/// Checks that a request that may change something comes from a page that may use the session: it passes
/// [`check_origin`] and repeats the token of the cookie, in a header or in the field of a posted form. Pages of other
/// sites cannot read the cookie. `field_token` is the value of [`CSRF_FIELD`].
///
/// # Errors
///
/// `CsrfFailed`.
pub fn check_csrf(
    guard: &KeyGuard,
    (method, headers): (&Method, &HeaderMap),
    field_token: Option<&str>,
) -> Result<(), Error> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE) {
        return Ok(());
    }
    check_origin(guard, headers)?;
    let failed = |reason: String| Err(Error::CsrfFailed { reason: reason.into() });
    if cookie_values(headers, CSRF_COOKIE).next().is_none() {
        return failed("CSRF cookie not set.".to_owned());
    }
    let field_token = field_token.filter(|token| *method == Method::POST && !token.is_empty());
    let (token, source) = match field_token {
        Some(token) => (token, "POST"),
        None => (
            headers.get(CSRF_HEADER).and_then(|header| header.to_str().ok()).unwrap_or_default(),
            "the 'X-Csrftoken' HTTP header",
        ),
    };
    if token.is_empty() {
        return failed("CSRF token missing.".to_owned());
    }
    if let Some(format_error) = token_format_error(token) {
        return failed(format!("CSRF token from {source} {format_error}."));
    }
    let matches_cookie = cookie_values(headers, CSRF_COOKIE).any(|cookie_token| cookie_token == token);
    if matches_cookie { Ok(()) } else { failed(format!("CSRF token from {source} incorrect.")) }
}

/// Checks that a request comes from no page, or from one that [`KeyGuard::may_use_session`] accepts.
///
/// # Errors
///
/// `CsrfFailed`.
pub fn check_origin(guard: &KeyGuard, headers: &HeaderMap) -> Result<(), Error> {
    let foreign_origin_error = |page_origin: &str| {
        let reason = format!("Origin checking failed - {page_origin} does not match any trusted origins.");
        Err(Error::CsrfFailed { reason: reason.into() })
    };
    let host = match SingleHeader::from_headers(headers, header::HOST) {
        SingleHeader::Value(host) => Some(host),
        SingleHeader::Absent | SingleHeader::Unreadable => None,
    };
    match SingleHeader::from_headers(headers, header::ORIGIN) {
        SingleHeader::Absent => Ok(()),
        SingleHeader::Value(page_origin) if guard.may_use_session(page_origin, host) => Ok(()),
        SingleHeader::Value(page_origin) => foreign_origin_error(page_origin),
        SingleHeader::Unreadable => foreign_origin_error("several origins"),
    }
}

/// Opens a session for a user who logged in, and sets the cookies.
pub fn open<B>(world: &World, origin: Origin<'_>, user: &User, response: &mut http::Response<B>) {
    let id = world.open_session(user);
    let seconds = SESSION_LIFETIME.micros() / 1_000_000;
    add_cookie(origin, (SESSION_COOKIE, &id), seconds, "; HttpOnly", response);
    // A token from before the login no longer works.
    set_csrf_token(origin, &world.sessions().generate_token(), response);
}

/// Sets the cookie with the CSRF token, which scripts of the page may read.
pub fn set_csrf_token<B>(origin: Origin<'_>, token: &str, response: &mut http::Response<B>) {
    add_cookie(origin, (CSRF_COOKIE, token), CSRF_MAX_AGE, "", response);
}

/// Removes the session cookie from the browser.
pub fn clear_session_cookie<B>(origin: Origin<'_>, response: &mut http::Response<B>) {
    add_cookie(origin, (SESSION_COOKIE, ""), 0, "; HttpOnly", response);
}

/// Sets a cookie for the paths of this world. Browsers do not send it with requests of other sites, except when a link
/// leads here. `max_age` is in seconds; `attributes` are added to the cookie and begin with a semicolon.
fn add_cookie<B>(
    origin: Origin<'_>,
    (name, value): (&str, &str),
    max_age: i64,
    attributes: &'static str,
    response: &mut http::Response<B>,
) {
    let path = if origin.prefix.is_empty() { "/" } else { origin.prefix };
    let secure_attribute = if origin.scheme == "https" { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path={path}; Max-Age={max_age}; SameSite=Lax{attributes}{secure_attribute}");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
