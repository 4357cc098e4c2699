//! Resumable uploads by the protocol tus 1.0.0 (specification, POST /user_uploads): parameters and replies are in
//! headers, refusals carry a `message` instead of the API's envelope. What arrived before a connection broke is kept.
//!
//! A choice where the API is silent: A-56 in docs/assumptions.md.

mod wire;

use super::Found;
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::resumable::UploadReply;
use crate::api::{Origin, ReplyBody};
use crate::error::Error;
use crate::http::context::{Admitted, RequestContext, Routed};
use crate::http::draft::{Draft, DraftBody};
use crate::http::reply;
use crate::http::request::ApiRequest;
use crate::http::router::RouteMatch;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Method, header};
use serde_json::json;
use std::sync::Arc;

pub use wire::{PATH_PREFIX, is_chunk};

/// Where uploads begin, without `/api/v1`.
const PATH: &str = "/tus";
const VERSION: &str = "1.0.0";
/// What of the protocol is served next to its core.
const EXTENSIONS: &str = "creation,creation-with-upload,termination";
/// Finds the operation of an upload; None where the path is for none at this level.
pub fn find(context: &mut RequestContext<'_>) -> Option<Found> {
    let incoming = context.incoming;
    let path = path_of_operation(&context.trace.path)?;
    let method = method(incoming);
    let found = context.edge.router.find(&method, path, context.settings.feature_level);
    if let RouteMatch::Nothing = found {
        return None;
    }
    context.trace.route = found.row().map(|row| row.route.path);
    context.trace.method = method.clone().into();
    Some(match found {
        _ if method == "OPTIONS" => Found::Answer(options()),
        RouteMatch::Operation(row, path) if incoming.header("tus-resumable") == Some(VERSION) => {
            let raw = RawParameters { path, ..RawParameters::default() };
            // The method may be named in a header.
            let method = if row.route.method == "HEAD" { incoming.method().clone() } else { Method::PATCH };
            Found::Operation(Routed { row, raw, method, csrf: None })
        }
        RouteMatch::Operation(..) => Found::Answer(refusal(&Error::TusVersion)),
        RouteMatch::WrongMethod(methods) => {
            Found::Answer(refusal(&Error::MethodNotAllowed { allowed_methods: methods.into() }))
        }
        RouteMatch::Nothing => return None,
    })
}

/// The path of the operation that a path of this protocol is for; None for all other paths. Slashes at its end say nothing.
fn path_of_operation(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(PATH).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(if rest.trim_matches('/').is_empty() { PATH } else { path.trim_end_matches('/') })
}

/// The method of a request. Clients whose platform knows no PATCH say what they mean.
fn method(incoming: &ApiRequest) -> String {
    incoming.header("x-http-method-override").unwrap_or(incoming.method().as_str()).to_uppercase()
}

/// The parameters of an operation, of which those in the path are known.
///
/// # Errors
///
/// `DeferredLength`, `TusContentType`, `TusHeader`.
pub fn parameters(context: &RequestContext<'_>, routed: &Routed) -> Result<RawParameters, Error> {
    let incoming = context.incoming;
    let mut raw = RawParameters { path: routed.raw.path.clone(), ..RawParameters::default() };
    let values = Arc::make_mut(&mut raw.values);
    let is_chunk = is_chunk(incoming.headers());
    match routed.row.route.method {
        "POST" => {
            if incoming.header("upload-length").is_none() {
                return Err(Error::DeferredLength);
            }
            values.insert("length".to_owned(), number(incoming, "upload-length")?);
            let metadata = incoming.header("upload-metadata").unwrap_or_default();
            let known = ["filename", "filetype"].map(|key| Some((key.to_owned(), metadatum(metadata, key)?)));
            values.extend(known.into_iter().flatten());
        }
        "PATCH" if is_chunk => _ = values.insert("offset".to_owned(), number(incoming, "upload-offset")?),
        "PATCH" => return Err(Error::TusContentType),
        _ => {}
    }
    if is_chunk {
        let bytes = incoming.body.clone();
        raw.files.push(UploadedFile { name: String::new(), content_type: None, bytes });
    }
    Ok(raw)
}

/// A header's number of bytes. More than there can be is as much as can be.
fn number(incoming: &ApiRequest, name: &'static str) -> Result<String, Error> {
    let wrong = || Error::TusHeader { header: name.into() };
    let number: u64 = incoming.header(name).ok_or_else(wrong)?.trim().parse().map_err(|_| wrong())?;
    Ok(number.min(i64::MAX.unsigned_abs()).to_string())
}

/// A value among pairs of a key and its base64, separated by commas; None where it can't be read.
fn metadatum(metadata: &str, key: &str) -> Option<String> {
    let mut pairs = metadata.split(',').map(|pair| pair.trim().split_once(' ').unwrap_or((pair.trim(), "")));
    let (_, value) = pairs.find(|(name, _)| *name == key)?;
    String::from_utf8(STANDARD.decode(value.trim()).ok()?).ok()
}

/// The response to OPTIONS.
fn options() -> Draft {
    let mut draft = reply::empty(204);
    let headers = draft.headers_mut();
    headers.insert("tus-version", HeaderValue::from_static(VERSION));
    headers.insert("tus-extension", HeaderValue::from_static(EXTENSIONS));
    spoken(draft)
}

/// The response with an operation's reply.
pub fn reply(context: &RequestContext<'_>, admitted: &Admitted<'_>, reply: ReplyBody) -> Draft {
    let upload = match reply {
        ReplyBody::Value(value) => serde_json::from_value::<UploadReply>(value),
        ReplyBody::Bytes(bytes) => serde_json::from_slice(&bytes),
    };
    // What ends an upload says nothing of it.
    let Ok(upload) = upload else { return spoken(reply::empty(204)) };
    spoken(match admitted.row.route.method {
        "HEAD" => offset(&upload),
        "POST" => begun(&upload, context.origin),
        _ => progress(&upload, context.origin),
    })
}

/// The response to a caller who is not let in.
pub fn refuse_caller(error: &Error) -> Draft {
    let is_shown = matches!(error, Error::CsrfFailed { .. } | Error::RateLimitHit { .. });
    refusal(if is_shown { error } else { &Error::UnauthenticatedUpload })
}

/// The response to a request that is refused.
pub fn refusal(error: &Error) -> Draft {
    // What the API refuses with 400 would be tried again by web clients.
    let status = if matches!(error, Error::UploadQuota) { 413 } else { error.status() };
    let mut draft = reply::json(status, DraftBody::json(json!({"message": error.message()})));
    if matches!(error, Error::TusVersion) {
        draft.headers_mut().insert("tus-version", HeaderValue::from_static(VERSION));
    }
    spoken(draft)
}

fn spoken(mut draft: Draft) -> Draft {
    draft.headers_mut().insert("tus-resumable", HeaderValue::from_static(VERSION));
    draft
}

fn begun(upload: &UploadReply, origin: Origin<'_>) -> Draft {
    let mut draft = progress(upload, origin);
    *draft.status_mut() = http::StatusCode::CREATED;
    let location = format!("{}/api/v1{PATH}/{}", origin.base_url(), upload.path_id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        draft.headers_mut().insert(header::LOCATION, location);
    }
    draft
}

/// How far an upload is; when it is complete, where the file is.
fn progress(upload: &UploadReply, origin: Origin<'_>) -> Draft {
    let mut draft = if upload.offset == upload.length {
        let url = format!("{}/user_uploads/{}", origin.prefix, upload.path_id);
        reply::json(200, DraftBody::json(json!({"url": url, "filename": upload.filename})))
    } else {
        reply::empty(204)
    };
    draft.headers_mut().insert("upload-offset", upload.offset.into());
    draft
}

fn offset(upload: &UploadReply) -> Draft {
    let mut draft = reply::empty(200);
    let headers = draft.headers_mut();
    headers.insert("upload-offset", upload.offset.into());
    headers.insert("upload-length", upload.length.into());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    draft
}
