//! Resumable uploads by the protocol tus 1.0.0 (specification, POST /user_uploads): parameters and replies are in
//! headers, refusals carry a `message` instead of the API's envelope. What arrived before a connection broke is kept.
//!
//! A choice where the API is silent: A-56 in docs/assumptions.md.

use super::body::PIECE_TYPE;
use super::request::ApiRequest;
use super::{Response, reply};
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::resumable::UploadReply;
use crate::api::{Origin, ReplyBytes, Row};
use crate::error::Error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, header};
use serde_json::json;
use std::sync::Arc;

/// Where uploads begin, without `/api/v1`.
const PATH: &str = "/tus";
const VERSION: &str = "1.0.0";
/// What of the protocol is served next to its core.
const EXTENSIONS: &str = "creation,creation-with-upload,termination";

/// The path of the operation that a path of this protocol is for; None for all other paths. Slashes at its end say nothing.
pub fn path_of_operation(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(PATH).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    Some(if rest.trim_matches('/').is_empty() { PATH } else { path.trim_end_matches('/') })
}

/// Whether an operation speaks this protocol.
pub fn is_spoken_by(row: &Row) -> bool {
    path_of_operation(row.route.path).is_some()
}

/// The method of a request. Clients whose platform knows no PATCH say what they mean.
pub fn method(incoming: &ApiRequest) -> String {
    incoming.header("x-http-method-override").unwrap_or(incoming.method().as_str()).to_uppercase()
}

/// Asserts that a request speaks the protocol's version.
///
/// # Errors
///
/// `TusVersion`.
pub fn check_version(incoming: &ApiRequest) -> Result<(), Error> {
    if incoming.header("tus-resumable") == Some(VERSION) { Ok(()) } else { Err(Error::TusVersion) }
}

/// The parameters of an operation, of which `path` are known.
///
/// # Errors
///
/// `DeferredLength`, `TusContentType`, `TusHeader`.
pub fn parameters(row: &Row, incoming: &ApiRequest, path: Vec<(String, String)>) -> Result<RawParameters, Error> {
    let mut raw = RawParameters { path, ..RawParameters::default() };
    let values = Arc::make_mut(&mut raw.values);
    let is_piece = incoming.header(header::CONTENT_TYPE) == Some(PIECE_TYPE);
    match row.route.method {
        "POST" => {
            if incoming.header("upload-length").is_none() {
                return Err(Error::DeferredLength);
            }
            values.insert("length".to_owned(), number(incoming, "upload-length")?);
            let metadata = incoming.header("upload-metadata").unwrap_or_default();
            let known = ["filename", "filetype"].map(|key| Some((key.to_owned(), metadatum(metadata, key)?)));
            values.extend(known.into_iter().flatten());
        }
        "PATCH" if is_piece => _ = values.insert("offset".to_owned(), number(incoming, "upload-offset")?),
        "PATCH" => return Err(Error::TusContentType),
        _ => {}
    }
    if is_piece {
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
pub fn options() -> Response {
    let mut response = reply::empty(204);
    let headers = response.headers_mut();
    headers.insert("tus-version", HeaderValue::from_static(VERSION));
    headers.insert("tus-extension", HeaderValue::from_static(EXTENSIONS));
    spoken(response)
}

/// The response with an operation's reply.
pub fn response(row: &Row, origin: Origin<'_>, reply: &ReplyBytes) -> Response {
    // What ends an upload says nothing of it.
    let Ok(upload) = serde_json::from_slice::<UploadReply>(reply) else { return spoken(reply::empty(204)) };
    spoken(match row.route.method {
        "HEAD" => offset(&upload),
        "POST" => begun(&upload, origin),
        _ => progress(&upload, origin),
    })
}

/// The response to a request that is refused.
pub fn refusal(error: &Error) -> Response {
    // What the API refuses with 400 would be tried again by web clients.
    let status = if matches!(error, Error::UploadQuota) { 413 } else { error.status() };
    let mut response = reply::json(status, json!({"message": error.message()}).to_string().into_bytes());
    if matches!(error, Error::TusVersion) {
        response.headers_mut().insert("tus-version", HeaderValue::from_static(VERSION));
    }
    spoken(response)
}

fn spoken(mut response: Response) -> Response {
    response.headers_mut().insert("tus-resumable", HeaderValue::from_static(VERSION));
    response
}

fn begun(upload: &UploadReply, origin: Origin<'_>) -> Response {
    let mut response = progress(upload, origin);
    *response.status_mut() = http::StatusCode::CREATED;
    let location = format!("{}/api/v1{PATH}/{}", origin.base_url(), upload.path_id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// How far an upload is; when it is finished, where the file is.
fn progress(upload: &UploadReply, origin: Origin<'_>) -> Response {
    let mut response = if upload.offset == upload.length {
        let url = format!("{}/user_uploads/{}", origin.prefix, upload.path_id);
        reply::json(200, json!({"url": url, "filename": upload.filename}).to_string().into_bytes())
    } else {
        reply::empty(204)
    };
    response.headers_mut().insert("upload-offset", upload.offset.into());
    response
}

fn offset(upload: &UploadReply) -> Response {
    let mut response = reply::empty(200);
    let headers = response.headers_mut();
    headers.insert("upload-offset", upload.offset.into());
    headers.insert("upload-length", upload.length.into());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
