//! The console: a page in the program that shows worlds and steers them, over control and the public API alone. What it
//! exports plays again the same each time.

mod assets;

use crate::control::Guard;
use crate::http::request::RequestHead;
use crate::http::{Response, reply};
use assets::{ASSETS, Asset};
use http::{HeaderMap, HeaderValue, Method, header};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Where the files of the page lie.
const FILES: &str = "/console/files/";
/// What the page may do: load its own files, and call this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self' ws: wss:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// Files by name, with their tags.
static BY_NAME: LazyLock<HashMap<&'static str, (&'static Asset, HeaderValue)>> = LazyLock::new(|| {
    let tag = |asset: &Asset| {
        let digest = Sha256::digest(asset.bytes);
        let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        HeaderValue::from_str(&format!("\"{hex}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
    };
    ASSETS.iter().map(|asset| (asset.name, (asset, tag(asset)))).collect()
});

/// The answer to a request for the page or a file of it; None where others answer: for those who are no browser, and
/// for hosts under which control is not called.
pub fn answer(guard: &Guard, request: &RequestHead) -> Option<Response> {
    let path = request.uri.path();
    if path != "/" && path != "/console" && !path.starts_with("/console/") {
        return None;
    }
    if !matches!(request.method, Method::GET | Method::HEAD) || !guard.admits_host(&request.headers) {
        return None;
    }
    let name = match path.strip_prefix(FILES) {
        Some(name) => name,
        None if accepts_html(&request.headers) => "index.html",
        None => return None,
    };
    let (asset, tag) = BY_NAME.get(name)?;
    Some(served(asset, tag, request))
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT)
        .iter()
        .any(|accepted| accepted.to_str().is_ok_and(|text| text.contains("text/html")))
}

fn served(asset: &Asset, tag: &HeaderValue, request: &RequestHead) -> Response {
    let known = request.headers.get(header::IF_NONE_MATCH) == Some(tag);
    let mut response = if known { reply::empty(304) } else { reply::empty(200) };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, tag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept, Host"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type()));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !known {
        *response.body_mut() = bytes::Bytes::from_static(asset.bytes);
    }
    response
}
