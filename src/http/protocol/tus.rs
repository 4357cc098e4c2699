//! Resumable uploads by the protocol tus 1.0.0 (specification, POST /user_uploads). Parameters are in headers, as are
//! the results, except for the URL and name of a complete file; refusals have a `message` instead of the API's
//! envelope. The bytes that arrived before a connection broke are stored.
//!
//! A decision on a point that the specification leaves open: A-56 in docs/assumptions.md.

mod detection;

use super::Routing;
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::resumable::UploadReply;
use crate::api::{Origin, ReplyBody};
use crate::error::Error;
use crate::http::context::{AuthorizedRequest, RequestContext, RoutedRequest};
use crate::http::pending_response::{PendingBody, PendingResponse};
use crate::http::reply;
use crate::http::request::IncomingRequest;
use crate::http::router::RouteMatch;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Method, header};
use serde_json::json;
use std::sync::Arc;

pub use detection::{PATH_PREFIX, is_upload_chunk};

/// The path that creates uploads, without `/api/v1`.
const CREATION_PATH: &str = "/tus";
const VERSION: &str = "1.0.0";
const EXTENSIONS: &str = "creation,creation-with-upload,termination";

/// Finds the operation of a resumable upload and records it in the trace of the request; None if no operation has the
/// path at this level.
pub fn find_routing(context: &mut RequestContext<'_>) -> Option<Routing> {
    let incoming = context.incoming;
    let path = operation_path(&context.trace.path)?;
    let method = effective_method(incoming);
    let route = context.edge.router.find(&method, path, context.settings.feature_level);
    if let RouteMatch::UnknownPath = route {
        return None;
    }
    context.trace.route = route.row().map(|row| row.route.path);
    context.trace.method = method.clone().into();
    Some(match route {
        _ if method == "OPTIONS" => Routing::Answer(options_response()),
        RouteMatch::Operation(row, path_values) if incoming.header("tus-resumable") == Some(VERSION) => {
            let raw = RawParameters { path_values, ..RawParameters::default() };
            // The CSRF check exempts GET and HEAD. Since a header may override the method of the request, every
            // operation that changes something counts as PATCH.
            let csrf_method = if row.route.method == "HEAD" { incoming.method().clone() } else { Method::PATCH };
            Routing::Operation(RoutedRequest { row, raw, csrf_method, csrf_token: None })
        }
        RouteMatch::Operation(..) => Routing::Answer(refusal(&Error::UnsupportedTusVersion)),
        RouteMatch::WrongMethod(methods) => {
            Routing::Answer(refusal(&Error::MethodNotAllowed { allowed_methods: methods.into() }))
        }
        RouteMatch::UnknownPath => return None,
    })
}

/// Removes slashes at the end of a path of this protocol; None for all other paths.
fn operation_path(path: &str) -> Option<&str> {
    let suffix = path.strip_prefix(CREATION_PATH).filter(|suffix| suffix.is_empty() || suffix.starts_with('/'))?;
    Some(if suffix.trim_matches('/').is_empty() { CREATION_PATH } else { path.trim_end_matches('/') })
}

/// The method of a request, which clients that cannot send PATCH override by a header.
fn effective_method(incoming: &IncomingRequest) -> String {
    incoming.header("x-http-method-override").unwrap_or(incoming.method().as_str()).to_uppercase()
}

/// Reads the parameters of an operation from its path and the headers.
///
/// # Errors
///
/// `DeferredLengthNotSupported`, `InvalidTusContentType`, `InvalidTusHeader`.
pub fn read_parameters(context: &RequestContext<'_>, routed: &RoutedRequest) -> Result<RawParameters, Error> {
    let incoming = context.incoming;
    let mut raw = RawParameters { path_values: routed.raw.path_values.clone(), ..RawParameters::default() };
    let values = Arc::make_mut(&mut raw.values);
    let has_chunk = is_upload_chunk(incoming.headers());
    match routed.row.route.method {
        "POST" => {
            if incoming.header("upload-length").is_none() {
                return Err(Error::DeferredLengthNotSupported);
            }
            values.insert("length".to_owned(), byte_count(incoming, "upload-length")?);
            let metadata = incoming.header("upload-metadata").unwrap_or_default();
            let metadata_values =
                ["filename", "filetype"].map(|key| Some((key.to_owned(), metadata_value(metadata, key)?)));
            values.extend(metadata_values.into_iter().flatten());
        }
        "PATCH" if has_chunk => _ = values.insert("offset".to_owned(), byte_count(incoming, "upload-offset")?),
        "PATCH" => return Err(Error::InvalidTusContentType),
        _ => {}
    }
    if has_chunk {
        let bytes = incoming.body.clone();
        // The name and the type were sent as metadata when the upload was created.
        raw.files.push(UploadedFile { name: String::new(), content_type: None, bytes });
    }
    Ok(raw)
}

/// Reads a header with a number of bytes; numbers beyond `i64` are limited to its maximum.
fn byte_count(incoming: &IncomingRequest, name: &'static str) -> Result<String, Error> {
    let invalid = || Error::InvalidTusHeader { header: name.into() };
    let number: u64 = incoming.header(name).ok_or_else(invalid)?.trim().parse().map_err(|_| invalid())?;
    Ok(number.min(i64::MAX.unsigned_abs()).to_string())
}

/// Finds a value among comma-separated pairs of a key and its base64 value; None if it is absent or malformed.
fn metadata_value(metadata: &str, key: &str) -> Option<String> {
    let mut pairs = metadata.split(',').map(|pair| pair.trim().split_once(' ').unwrap_or((pair.trim(), "")));
    let (_, value) = pairs.find(|(name, _)| *name == key)?;
    String::from_utf8(STANDARD.decode(value.trim()).ok()?).ok()
}

fn options_response() -> PendingResponse {
    let mut response = reply::empty(204);
    let headers = response.headers_mut();
    headers.insert("tus-version", HeaderValue::from_static(VERSION));
    headers.insert("tus-extension", HeaderValue::from_static(EXTENSIONS));
    with_version(response)
}

/// The response with an operation's reply.
pub fn build_response(
    context: &RequestContext<'_>,
    authorized: &AuthorizedRequest<'_>,
    reply: ReplyBody,
) -> PendingResponse {
    let upload = match reply {
        ReplyBody::Value(value) => serde_json::from_value::<UploadReply>(value),
        ReplyBody::Bytes(bytes) => serde_json::from_slice(&bytes),
    };
    // The reply to DELETE has no description of the upload.
    let Ok(upload) = upload else { return with_version(reply::empty(204)) };
    with_version(match authorized.row.route.method {
        "HEAD" => offset_response(&upload),
        "POST" => creation_response(&upload, context.origin),
        _ => progress_response(&upload, context.origin),
    })
}

/// The response to a caller without access to the operation. As on real servers, most errors become one.
pub fn refuse_caller(error: &Error) -> PendingResponse {
    let keeps_error = matches!(error, Error::CsrfFailed { .. } | Error::RateLimitHit { .. });
    refusal(if keeps_error { error } else { &Error::UnauthenticatedUpload })
}

/// The refusal of a request, with the error's message only.
pub fn refusal(error: &Error) -> PendingResponse {
    // With the API's status 400, web clients would try again.
    let status = if matches!(error, Error::UploadQuotaExceeded) { 413 } else { error.status() };
    let mut response = reply::json(status, PendingBody::json(json!({"message": error.message()})));
    if matches!(error, Error::UnsupportedTusVersion) {
        response.headers_mut().insert("tus-version", HeaderValue::from_static(VERSION));
    }
    with_version(response)
}

fn with_version(mut response: PendingResponse) -> PendingResponse {
    response.headers_mut().insert("tus-resumable", HeaderValue::from_static(VERSION));
    response
}

fn creation_response(upload: &UploadReply, origin: Origin<'_>) -> PendingResponse {
    let mut response = progress_response(upload, origin);
    *response.status_mut() = http::StatusCode::CREATED;
    let location = format!("{}/api/v1{CREATION_PATH}/{}", origin.base_url(), upload.path_id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// The offset of an upload; for a complete one also the URL and the name of the file.
fn progress_response(upload: &UploadReply, origin: Origin<'_>) -> PendingResponse {
    let mut response = if upload.offset == upload.length {
        let url = format!("{}/user_uploads/{}", origin.prefix, upload.path_id);
        reply::json(200, PendingBody::json(json!({"url": url, "filename": upload.filename})))
    } else {
        reply::empty(204)
    };
    response.headers_mut().insert("upload-offset", upload.offset.into());
    response
}

fn offset_response(upload: &UploadReply) -> PendingResponse {
    let mut response = reply::empty(200);
    let headers = response.headers_mut();
    headers.insert("upload-offset", upload.offset.into());
    headers.insert("upload-length", upload.length.into());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
