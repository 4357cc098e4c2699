//! What all pages have in common: their head, their style, and what browsers let them do.

use crate::http::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// The style, with the console's palette.
const STYLE: &str = include_str!("style.css");

/// What the style is known by in the policy of pages.
static STYLE_HASH: LazyLock<String> = LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE)));

/// Something that is said at the head of a page.
pub enum Notice<'a> {
    /// How things are.
    Info(&'a str),
    /// What went wrong, announced at once to those who listen to the page.
    Bad(&'a str),
}

impl Render for Notice<'_> {
    fn render(&self) -> Markup {
        match self {
            Notice::Info(text) => html! { p.notice role="status" { (text) } },
            Notice::Bad(text) => html! { p.notice.bad role="alert" { (text) } },
        }
    }
}

/// A page. Its forms lead to this server, or to addresses of the scheme that is given.
pub fn page(status: u16, title: &str, body: &Markup, scheme: Option<&str>) -> Response {
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    let mut response = Response::new(Bytes::from(html.into_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    let scheme = scheme.map(|scheme| format!(" {scheme}:")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; connect-src 'self'; \
         form-action 'self'{scheme}; base-uri 'none'; \
         frame-ancestors 'none'",
        *STYLE_HASH
    );
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("Cookie"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // Without any referrer, browsers would not say either which page sent a form.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// A field that is not shown.
pub fn hidden(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}
