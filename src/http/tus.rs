//! Resumable uploads by the protocol tus 1.0.0 (specification, POST /user_uploads): creation, also with the first
//! bytes, HEAD for the offset, PATCH, termination. What arrived before a connection broke is kept.
//!
//! A choice where the API is silent: A-56 in docs/assumptions.md.

use super::request::ApiRequest;
use super::trace::Trace;
use super::{Response, authentication, reply};
use crate::api::uploads::resumable::{self, Announced};
use crate::api::{Access, Origin, commit_for};
use crate::error::Error;
use crate::realm::resumable::ResumableUpload;
use crate::realm::user::User;
use crate::world::World;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderValue, header};
use serde_json::json;
use std::sync::Arc;

/// Where uploads begin, without `/api/v1`.
pub const PATH: &str = "/tus";
/// The type of a piece.
pub const PIECE_TYPE: &str = "application/offset+octet-stream";
const VERSION: &str = "1.0.0";
/// What of the protocol is served beside its core.
const EXTENSIONS: &str = "creation,creation-with-upload,termination";

/// Whether a path is of this protocol.
pub fn is_tus(path: &str) -> bool {
    path == PATH || path.starts_with("/tus/")
}

/// Answers a request; refusals carry a `message` instead of the API's envelope.
pub fn respond(world: &World, incoming: &ApiRequest, origin: Origin<'_>, trace: &mut Trace) -> Response {
    let mut response = carry_out(world, incoming, origin, trace).unwrap_or_else(|error| refusal(&error));
    response.headers_mut().insert("tus-resumable", HeaderValue::from_static(VERSION));
    response
}

fn carry_out(world: &World, incoming: &ApiRequest, origin: Origin<'_>, trace: &mut Trace) -> Result<Response, Error> {
    // Clients whose platform knows no PATCH say what they mean.
    let method = incoming.header("x-http-method-override").unwrap_or(incoming.method().as_str()).to_uppercase();
    let id = trace.path.strip_prefix(PATH).unwrap_or_default().trim_matches('/').to_owned();
    if method == "OPTIONS" {
        return Ok(options());
    }
    let methods: &[&str] = if id.is_empty() { &["POST"] } else { &["HEAD", "PATCH", "DELETE"] };
    if !methods.contains(&method.as_str()) {
        return Err(Error::MethodNotAllowed { allowed_methods: methods.to_vec().into() });
    }
    if incoming.header("tus-resumable") != Some(VERSION) {
        return Err(Error::TusVersion);
    }
    let caller = caller(world, incoming)?;
    match method.as_str() {
        "POST" => create(world, incoming, origin, trace, &caller),
        "HEAD" => Ok(offset(resumable::own(&world.snapshot(), caller.id, &id)?)),
        "PATCH" => add(world, incoming, origin, trace, &caller, &id),
        _ => {
            commit_for(world, Some(&caller), |tx| resumable::terminate(tx, caller.id, &id))?;
            Ok(reply::empty(204))
        }
    }
}

fn options() -> Response {
    let mut response = reply::empty(204);
    let headers = response.headers_mut();
    headers.insert("tus-version", HeaderValue::from_static(VERSION));
    headers.insert("tus-extension", HeaderValue::from_static(EXTENSIONS));
    response
}

fn caller(world: &World, incoming: &ApiRequest) -> Result<Arc<User>, Error> {
    let realm = world.snapshot();
    let user = authentication::caller(&realm, &incoming.credentials).ok().flatten();
    user.filter(|user| Access::User.check(&realm, user).is_ok()).ok_or(Error::UnauthenticatedUpload)
}

fn number(incoming: &ApiRequest, name: &'static str) -> Result<u64, Error> {
    let wrong = || Error::TusHeader { header: name.into() };
    incoming.header(name).ok_or_else(wrong)?.trim().parse().map_err(|_| wrong())
}

fn is_piece(incoming: &ApiRequest) -> bool {
    incoming.header(header::CONTENT_TYPE) == Some(PIECE_TYPE)
}

fn create(
    world: &World,
    incoming: &ApiRequest,
    origin: Origin<'_>,
    trace: &mut Trace,
    caller: &User,
) -> Result<Response, Error> {
    if incoming.header("upload-length").is_none() {
        return Err(Error::DeferredLength);
    }
    let length = number(incoming, "upload-length")?;
    let metadata = incoming.header("upload-metadata").unwrap_or_default();
    let file = Announced {
        name: metadatum(metadata, "filename").unwrap_or_default(),
        content_type: metadatum(metadata, "filetype"),
        length,
    };
    let piece = if is_piece(incoming) { incoming.body.clone() } else { Bytes::new() };
    let (upload, caused) = commit_for(world, Some(caller), |tx| {
        let upload = resumable::begin(tx, caller.id, file)?;
        resumable::append(tx, caller.id, &upload.path_id, 0, piece)
    })?;
    trace.caused = caused;
    let mut response = progress(&upload, origin);
    *response.status_mut() = http::StatusCode::CREATED;
    let location = format!("{}/api/v1{PATH}/{}", origin.base_url(), upload.path_id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

fn add(
    world: &World,
    incoming: &ApiRequest,
    origin: Origin<'_>,
    trace: &mut Trace,
    caller: &User,
    id: &str,
) -> Result<Response, Error> {
    if !is_piece(incoming) {
        return Err(Error::TusContentType);
    }
    let offset = number(incoming, "upload-offset")?;
    let piece = incoming.body.clone();
    let (upload, caused) = commit_for(world, Some(caller), |tx| resumable::append(tx, caller.id, id, offset, piece))?;
    trace.caused = caused;
    Ok(progress(&upload, origin))
}

/// How far an upload is; when it is finished, where the file is.
fn progress(upload: &ResumableUpload, origin: Origin<'_>) -> Response {
    let mut response = if upload.is_finished() {
        let url = format!("{}/user_uploads/{}", origin.prefix, upload.path_id);
        reply::json(200, json!({"url": url, "filename": upload.name}).to_string().into_bytes())
    } else {
        reply::empty(204)
    };
    response.headers_mut().insert("upload-offset", upload.offset.into());
    response
}

fn offset(upload: &ResumableUpload) -> Response {
    let mut response = reply::empty(200);
    let headers = response.headers_mut();
    headers.insert("upload-offset", upload.offset.into());
    headers.insert("upload-length", upload.length.into());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// A value among pairs of a key and its base64, separated by commas; None where it can't be read.
fn metadatum(metadata: &str, key: &str) -> Option<String> {
    let mut pairs = metadata.split(',').map(|pair| pair.trim().split_once(' ').unwrap_or((pair.trim(), "")));
    let (_, value) = pairs.find(|(name, _)| *name == key)?;
    String::from_utf8(STANDARD.decode(value.trim()).ok()?).ok()
}

fn refusal(error: &Error) -> Response {
    // What the API refuses with 400 would be tried again by web clients.
    let status = if matches!(error, Error::UploadQuota) { 413 } else { error.status() };
    let mut response = reply::json(status, json!({"message": error.message()}).to_string().into_bytes());
    if matches!(error, Error::TusVersion) {
        response.headers_mut().insert("tus-version", HeaderValue::from_static(VERSION));
    }
    response
}
