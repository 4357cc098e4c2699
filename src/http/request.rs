//! Taking a request apart: its parameters from query, form and multipart, within limits of size and time.

use super::authentication::RequestCredentials;
use super::session::Session;
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::name::base_name;
use crate::error::Error;
use crate::realm::setting::MAX_FILE_UPLOAD_SIZE_MIB;
use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_util::{FutureExt, Stream, StreamExt, pin_mut};
use http::{HeaderMap, Method, Uri, header};
use std::sync::Arc;
use std::time::Duration;

/// Largest body that is not an upload, MiB.
pub const MAX_BODY_MIB: usize = 32;
/// Largest file of an upload, MiB; an organization may allow less (`max_file_upload_size_mib`).
pub const MAX_FILE_MIB: usize = MAX_FILE_UPLOAD_SIZE_MIB as usize;
/// Largest body of control that is a document, of a whole world for instance, MiB.
pub const MAX_DOCUMENT_MIB: usize = 1024;
/// The type of a piece.
pub const PIECE_TYPE: &str = "application/offset+octet-stream";
/// How long a body may pause before the request is given up.
const BODY_PAUSE: Duration = Duration::from_secs(30);
const MIB: usize = 1024 * 1024;

/// A request without its body, as it came in.
#[derive(Debug)]
pub struct RequestHead {
    /// GET, POST, …
    pub method: Method,
    /// `http` or `https`, as the connection is.
    pub scheme: &'static str,
    /// What is asked for.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// Who calls, as the headers say; None without a word of it.
    pub credentials: RequestCredentials,
}

impl RequestHead {
    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        // CONNECT names a host and no path.
        if self.uri.path().is_empty() { "/" } else { self.uri.path() }
    }

    /// A header's value as text.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A request that came in whole.
#[derive(Debug)]
pub struct ApiRequest {
    head: Arc<RequestHead>,
    /// Who calls: as the headers say, or as the session does.
    pub credentials: RequestCredentials,
    /// The session that the request is made in, as far as its path takes any.
    pub session: Option<Session>,
    /// The body.
    pub body: Bytes,
}

impl ApiRequest {
    /// A request with this head and body, in no session.
    pub fn new(head: Arc<RequestHead>, body: Bytes) -> Self {
        Self { credentials: head.credentials.clone(), session: None, head, body }
    }

    /// GET, POST, …
    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// `http` or `https`, as the connection is.
    pub fn scheme(&self) -> &'static str {
        self.head.scheme
    }

    /// What is asked for.
    pub fn uri(&self) -> &Uri {
        &self.head.uri
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// What decides on whether a page of this server made the request.
    pub fn method_and_headers(&self) -> (&Method, &HeaderMap) {
        (self.method(), self.headers())
    }

    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        self.head.path()
    }

    /// The query without its question mark, still encoded; "" without one.
    pub fn query(&self) -> &str {
        self.head.uri.query().unwrap_or_default()
    }

    /// Whether a browser asks for a page.
    pub fn accepts_html(&self) -> bool {
        self.header(header::ACCEPT).is_some_and(|accepted| accepted.contains("text/html"))
    }

    /// A header's value as text.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.head.header(name)
    }

    /// What a client that does not say so in a parameter calls itself: the first word of its User-Agent.
    pub fn client_name(&self) -> &str {
        let user_agent = self.header(header::USER_AGENT).unwrap_or_default();
        let name = user_agent.split(['/', ' ', '(']).next().unwrap_or_default();
        if name.is_empty() { "Unspecified" } else { name }
    }
}

/// How large a body may be.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit {
    bytes: usize,
    too_large: fn() -> Error,
}

impl BodyLimit {
    /// Of calls of control that take no documents.
    pub const OF_CONTROL: Self = Self { bytes: MAX_BODY_MIB * MIB, too_large: body_too_large };
    /// Of documents.
    pub const OF_DOCUMENTS: Self = Self {
        bytes: MAX_DOCUMENT_MIB * MIB,
        too_large: || Error::BodyTooLarge { limit_mib: MAX_DOCUMENT_MIB.into() },
    };

    /// Of requests of the API, as far as their type tells. An operation that takes no files allows less than this.
    pub fn of_api(headers: &HeaderMap) -> Self {
        if content_type(headers).is_some_and(|kind| kind.starts_with("multipart/")) || is_piece(headers) {
            // An upload's frame of headers and boundaries comes on top of the file.
            let too_large = || Error::UploadTooLarge { limit_mib: MAX_FILE_MIB.into() };
            return Self { bytes: MAX_FILE_MIB * MIB + 64 * 1024, too_large };
        }
        Self { bytes: MAX_BODY_MIB * MIB, too_large: body_too_large }
    }
}

fn body_too_large() -> Error {
    Error::BodyTooLarge { limit_mib: MAX_BODY_MIB.into() }
}

/// Asserts that a request has no larger body than operations take that take no files.
///
/// # Errors
///
/// `BodyTooLarge`.
pub fn without_files(incoming: &ApiRequest) -> Result<(), Error> {
    if incoming.body.len() > MAX_BODY_MIB * MIB { Err(body_too_large()) } else { Ok(()) }
}

fn is_piece(headers: &HeaderMap) -> bool {
    content_type(headers) == Some(PIECE_TYPE)
}

/// Reads a body to its end.
///
/// # Errors
///
/// `BodyTooLarge`, `UploadTooLarge`, `BodyTooSlow`, `MalformedBody` when the connection breaks.
pub async fn read_body(
    headers: &HeaderMap,
    limit: BodyLimit,
    body: impl Stream<Item = Result<impl Buf, impl std::fmt::Display>>,
) -> Result<Bytes, Error> {
    let is_piece = is_piece(headers);
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit.bytes) {
        return Err((limit.too_large)());
    }
    pin_mut!(body);
    // Most bodies come in one piece, which is taken as it is.
    let mut first = Bytes::new();
    let mut bytes = BytesMut::new();
    loop {
        // Most of the time it is there already, or there is none: no need to look at the clock.
        let next = match body.next().now_or_never() {
            Some(next) => next,
            None => tokio::time::timeout(BODY_PAUSE, body.next()).await.map_err(|_| Error::BodyTooSlow)?,
        };
        let mut chunk = match next {
            Some(Ok(chunk)) => chunk,
            // What arrived of a resumable upload before the connection broke is not sent again.
            Some(Err(error)) if !is_piece => return Err(Error::MalformedBody { reason: error.to_string().into() }),
            _ => return Ok(if bytes.is_empty() { first } else { bytes.freeze() }),
        };
        if first.len().max(bytes.len()) + chunk.remaining() > limit.bytes {
            return Err((limit.too_large)());
        }
        if first.is_empty() {
            first = chunk.copy_to_bytes(chunk.remaining());
            continue;
        }
        if bytes.is_empty() {
            bytes.extend_from_slice(&first);
        }
        bytes.put(chunk);
    }
}

/// The parameters of a request: those of the query, then those of the body, which win.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`.
pub fn parameters(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    let mut raw = of_query(incoming);
    if matches!(*incoming.method(), Method::GET | Method::HEAD) || incoming.body.is_empty() {
        return Ok(raw);
    }
    let kind = content_type(incoming.headers()).unwrap_or("application/x-www-form-urlencoded");
    if kind.starts_with("multipart/form-data") {
        // All of the body is there, so that reading it waits for nothing.
        read_multipart(kind, incoming.body.clone(), &mut raw).now_or_never().unwrap_or(Err(Error::Internal))?;
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        let values = Arc::make_mut(&mut raw.values);
        for (name, value) in form_urlencoded::parse(&incoming.body) {
            values.insert(name.into_owned(), value.into_owned());
        }
    }
    Ok(raw)
}

/// The parameters of a request's query.
pub fn of_query(incoming: &ApiRequest) -> RawParameters {
    if incoming.query().is_empty() {
        return RawParameters::default();
    }
    let values = form_urlencoded::parse(incoming.query().as_bytes());
    let values = values.map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    RawParameters { values: Arc::new(values), ..RawParameters::default() }
}

fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

async fn read_multipart(kind: &str, body: Bytes, raw: &mut RawParameters) -> Result<(), Error> {
    let malformed = |error: multer::Error| Error::MalformedBody { reason: error.to_string().into() };
    let boundary = multer::parse_boundary(kind).map_err(malformed)?;
    let stream = futures_util::stream::once(async move { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(stream, boundary);
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.file_name().map(str::to_owned);
        let content_type = part.content_type().map(ToString::to_string);
        let bytes = part.bytes().await.map_err(malformed)?;
        match file_name {
            // A form's file that was not chosen.
            Some(file_name) if base_name(&file_name).is_none() => {}
            Some(file_name) => {
                if bytes.len() > MAX_FILE_MIB * MIB {
                    return Err(Error::UploadTooLarge { limit_mib: MAX_FILE_MIB.into() });
                }
                raw.files.push(UploadedFile { name: file_name, content_type, bytes });
            }
            None => {
                Arc::make_mut(&mut raw.values).insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    Ok(())
}
