//! Sessions over HTTP: their cookies, and proof that a page of this server made a request.

use super::authentication;
use super::authentication::Credentials;
use super::authority::Single;
use super::key_guard::KeyGuard;
use crate::api::Origin;
use crate::error::Error;
use crate::realm::user::User;
use crate::world::World;
use crate::world::sessions::SESSION_SPAN;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use std::sync::Arc;

/// The cookie that holds a session's id.
const SESSION_COOKIE: &str = "sessionid";
/// The cookie with the token that a request has to repeat.
const CSRF_COOKIE: &str = "csrftoken";
/// The header that repeats it, and the field of a form.
const CSRF_HEADER: HeaderName = HeaderName::from_static("x-csrftoken");
/// The field of a form that repeats it.
pub const CSRF_FIELD: &str = "csrfmiddlewaretoken";
/// How long browsers keep that token, in seconds: 52 weeks.
const CSRF_SECONDS: i64 = 52 * 7 * 86_400;
/// Length of a CSRF token, and of one that is masked.
const TOKEN_LENGTHS: [usize; 2] = [32, 64];

/// A session that a request is made in.
#[derive(Clone, Debug)]
pub struct Session {
    /// Its id, which is secret.
    pub id: String,
    /// Whose it is.
    pub user: Arc<User>,
}

impl Session {
    /// The open session of this world that a request's cookies name.
    pub fn find(world: &World, headers: &HeaderMap) -> Option<Self> {
        if !headers.contains_key(header::COOKIE) {
            return None;
        }
        let realm = world.snapshot();
        // A browser sends those of other worlds at the same address too.
        cookies(headers, SESSION_COOKIE)
            .find_map(|id| Some(Self { id: id.to_owned(), user: world.user_of_session(&realm, id)? }))
    }

    /// What replaces the session where credentials are asked for.
    pub fn credentials(&self) -> Result<Arc<Credentials>, Error> {
        Ok(Arc::new(authentication::Credentials::of(&self.user)))
    }
}

/// All values of a cookie; browsers send several where paths lie within each other.
fn cookies<'headers>(headers: &'headers HeaderMap, name: &'static str) -> impl Iterator<Item = &'headers str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(other, _)| *other == name).map(|(_, value)| value.trim_matches('"'))
}

/// The token that a browser has to repeat, if it has one.
pub fn csrf_token(headers: &HeaderMap) -> Option<&str> {
    cookies(headers, CSRF_COOKIE).find(|token| fault_of(token).is_none())
}

fn fault_of(token: &str) -> Option<&'static str> {
    if !TOKEN_LENGTHS.contains(&token.len()) {
        return Some("has incorrect length");
    }
    (!token.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some("has invalid characters")
}

/// Asserts that a page of this server made a request that changes something: it repeats the token of the cookie, in the
/// field of a form that is posted or in a header, and a page of another site could not have read it.
///
/// # Errors
///
/// `CsrfFailed`.
pub fn check_csrf(
    guard: &KeyGuard,
    (method, headers): (&Method, &HeaderMap),
    field: Option<&str>,
) -> Result<(), Error> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE) {
        return Ok(());
    }
    check_origin(guard, headers)?;
    let failed = |reason: String| Err(Error::CsrfFailed { reason: reason.into() });
    if cookies(headers, CSRF_COOKIE).next().is_none() {
        return failed("CSRF cookie not set.".to_owned());
    }
    let field = field.filter(|field| *method == Method::POST && !field.is_empty());
    let (token, source) = match field {
        Some(field) => (field, "POST"),
        None => (
            headers.get(CSRF_HEADER).and_then(|header| header.to_str().ok()).unwrap_or_default(),
            "the 'X-Csrftoken' HTTP header",
        ),
    };
    if token.is_empty() {
        return failed("CSRF token missing.".to_owned());
    }
    if let Some(fault) = fault_of(token) {
        return failed(format!("CSRF token from {source} {fault}."));
    }
    let is_same = cookies(headers, CSRF_COOKIE).any(|cookie| cookie == token);
    if is_same { Ok(()) } else { failed(format!("CSRF token from {source} incorrect.")) }
}

/// Asserts that no page of another site asks.
///
/// # Errors
///
/// `CsrfFailed`.
pub fn check_origin(guard: &KeyGuard, headers: &HeaderMap) -> Result<(), Error> {
    let foreign = |origin: &str| {
        let reason = format!("Origin checking failed - {origin} does not match any trusted origins.");
        Err(Error::CsrfFailed { reason: reason.into() })
    };
    let host = match Single::of(headers, header::HOST) {
        Single::Once(host) => Some(host),
        Single::Absent | Single::Unreadable => None,
    };
    match Single::of(headers, header::ORIGIN) {
        Single::Absent => Ok(()),
        Single::Once(origin) if guard.lets_act(origin, host) => Ok(()),
        Single::Once(origin) => foreign(origin),
        Single::Unreadable => foreign("several origins"),
    }
}

/// Opens a session for a user who just logged in, and gives their browser its cookies.
pub fn open<B>(world: &World, origin: Origin<'_>, user: &User, response: &mut http::Response<B>) {
    let id = world.open_session(user);
    let seconds = SESSION_SPAN.micros() / 1_000_000;
    add_cookie(origin, (SESSION_COOKIE, &id), seconds, "; HttpOnly", response);
    // A token from before the login is worth nothing after it.
    give_csrf_token(origin, &world.sessions().token(), response);
}

/// Gives a browser the token that it has to repeat. Scripts of the page may read it.
pub fn give_csrf_token<B>(origin: Origin<'_>, token: &str, response: &mut http::Response<B>) {
    add_cookie(origin, (CSRF_COOKIE, token), CSRF_SECONDS, "", response);
}

/// Takes the session's cookie away.
pub fn forget<B>(origin: Origin<'_>, response: &mut http::Response<B>) {
    add_cookie(origin, (SESSION_COOKIE, ""), 0, "; HttpOnly", response);
}

/// Adds a cookie that goes back to this world alone, and is not sent along with requests that other sites' pages make.
fn add_cookie<B>(
    origin: Origin<'_>,
    (name, value): (&str, &str),
    max_age: i64,
    further: &'static str,
    response: &mut http::Response<B>,
) {
    let path = if origin.prefix.is_empty() { "/" } else { origin.prefix };
    let secure = if origin.scheme == "https" { "; Secure" } else { "" };
    let cookie = format!("{name}={value}; Path={path}; Max-Age={max_age}; SameSite=Lax{further}{secure}");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
