//! What all pages share: layout, banners, hidden fields and security headers.

use crate::http::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// The style sheet, which uses the colours of the console.
const STYLE: &str = include_str!("style.css");

/// The hash with which the content security policy allows the style sheet.
static STYLE_HASH: LazyLock<String> = LazyLock::new(|| STANDARD.encode(Sha256::digest(STYLE)));

/// A message at the top of a page.
pub enum Banner<'a> {
    Info(&'a str),
    /// An error, which screen readers announce at once.
    Error(&'a str),
}

impl Render for Banner<'_> {
    fn render(&self) -> Markup {
        match self {
            Banner::Info(text) => html! { p.notice role="status" { (text) } },
            Banner::Error(text) => html! { p.notice.bad role="alert" { (text) } },
        }
    }
}

/// Renders a page. Its forms may be sent to this server alone, whose reply may redirect to URLs with `scheme` too, if it
/// is given.
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
    let scheme_source = scheme.map(|scheme| format!(" {scheme}:")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; img-src data:; connect-src 'self'; \
         form-action 'self'{scheme_source}; base-uri 'none'; \
         frame-ancestors 'none'",
        *STYLE_HASH
    );
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("Cookie"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // With `no-referrer`, browsers would also hide the origin of the page that sends a form.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

pub fn hidden_field(name: &str, value: &str) -> Markup {
    html! { input type="hidden" name=(name) value=(value); }
}
