//! The console: serves the files of the web page that shows and steers worlds. The page uses only control and the
//! public API. Scenarios that it exports are repeatable.

mod assets;

use crate::control::Guard;
use crate::http::request::RequestHead;
use crate::http::{Response, reply};
use assets::{ASSETS, Asset};
use http::{HeaderMap, HeaderValue, Method, header};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The path below which the files of the page are served.
const FILES_PATH: &str = "/console/files/";
/// Allows the page to load its own files and pictures in `data:` URLs, to call this server and to open WebSockets, and
/// nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self' ws: wss:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// The files with their entity tags.
static ASSETS_BY_NAME: LazyLock<HashMap<&'static str, (&'static Asset, HeaderValue)>> = LazyLock::new(|| {
    let etag = |asset: &Asset| {
        let digest = Sha256::digest(asset.bytes);
        let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        HeaderValue::from_str(&format!("\"{hex}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
    };
    ASSETS.iter().map(|asset| (asset.name, (asset, etag(asset)))).collect()
});

/// The response to a request for the page or one of its files. None if the path or the method is not one of the
/// console's, the file is unknown, control does not admit the host, or the request is for the page and does not
/// accept HTML.
pub fn respond(guard: &Guard, request: &RequestHead) -> Option<Response> {
    let path = request.uri.path();
    if path != "/" && path != "/console" && !path.starts_with("/console/") {
        return None;
    }
    if !matches!(request.method, Method::GET | Method::HEAD) || !guard.admits_host(&request.headers) {
        return None;
    }
    let name = match path.strip_prefix(FILES_PATH) {
        Some(name) => name,
        None if accepts_html(&request.headers) => "index.html",
        None => return None,
    };
    let (asset, etag) = ASSETS_BY_NAME.get(name)?;
    Some(asset_response(asset, etag, request))
}

fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get_all(header::ACCEPT).iter().any(|value| value.to_str().is_ok_and(|text| text.contains("text/html")))
}

fn asset_response(asset: &Asset, etag: &HeaderValue, request: &RequestHead) -> Response {
    let is_unchanged = request.headers.get(header::IF_NONE_MATCH) == Some(etag);
    let mut response = if is_unchanged { reply::empty(304) } else { reply::empty(200) };
    let headers = response.headers_mut();
    headers.insert(header::ETAG, etag.clone());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept, Host"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type()));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !is_unchanged {
        *response.body_mut() = bytes::Bytes::from_static(asset.bytes);
    }
    response
}
