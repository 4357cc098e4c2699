//! Taking a request apart: its parameters from query, form and multipart, within limits of number and size.

use super::authentication::RequestCredentials;
use super::body::{Body, MAX_BODY_MIB, MAX_FILE_MIB, MIB, apart, body_too_large, content_type};
use super::session::Session;
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::name::base_name;
use crate::dialect::Dialect;
use crate::error::Error;
use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, Method, Uri, header};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Takes the place of the User-Agent, which pages in browsers can't choose.
const CLIENT: &str = "x-chatdouble-client";
/// What the console calls itself.
const CONSOLE: &str = "chatdouble-console";

/// Parameters of a request, and files among them: as many as real servers take (A-451 in docs/assumptions.md).
const MAX_PARAMETERS: usize = 1_000;
const MAX_FILES: usize = 100;
/// Bytes of all names of parameters and files of a request: replies repeat names that no operation knows.
const MAX_NAMES_BYTES: usize = 64 * 1024;

/// A request without its body, as it came in.
#[derive(Debug)]
pub struct RequestHead {
    /// GET, POST, …
    pub method: Method,
    /// `http` or `https`, as the connection is.
    pub scheme: &'static str,
    /// What is asked for.
    pub uri: Uri,
    /// All headers, as they were sent.
    pub headers: HeaderMap,
    /// Number of the connection that it came on; 0 where it came on none.
    pub connection: u64,
    /// The credentials in the headers; None where there are none.
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
    /// Whether the credentials are those of the session.
    pub acts_in_session: bool,
    /// The whole body; empty where it was not read.
    pub body: Bytes,
    /// Whether there was a body that was not read, because its sender may not send it: the request is to be refused.
    pub lacks_body: bool,
}

impl ApiRequest {
    /// A request with this head and body, in no session.
    pub fn new(head: Arc<RequestHead>, body: Bytes) -> Self {
        Self {
            credentials: head.credentials.clone(),
            session: None,
            acts_in_session: false,
            head,
            body,
            lacks_body: false,
        }
    }

    /// A request with this head and what there is of its body, in no session.
    pub fn with_body(head: Arc<RequestHead>, body: &Body) -> Self {
        Self { lacks_body: !body.is_read, ..Self::new(head, body.bytes.clone()) }
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

    /// Number of the connection that it came on; 0 where it came on none.
    pub fn connection(&self) -> u64 {
        self.head.connection
    }

    /// What the client says of itself.
    fn client(&self) -> &str {
        self.header(CLIENT).or_else(|| self.header(header::USER_AGENT)).unwrap_or_default()
    }

    /// Whether the console sent it, on behalf of a person who acts in it.
    pub fn is_of_console(&self) -> bool {
        self.client_name() == CONSOLE
    }

    /// Name and version of the client: the User-Agent, or what is sent in its place, up to its first blank.
    pub fn client_with_version(&self) -> &str {
        self.client().split(' ').find(|word| !word.is_empty()).unwrap_or("Unspecified")
    }

    /// What a client that does not say so in a parameter calls itself: the first word of its User-Agent, or of what is sent in
    /// its place.
    pub fn client_name(&self) -> &str {
        let name = self.client().split(['/', ' ', '(']).next().unwrap_or_default();
        if name.is_empty() { "Unspecified" } else { name }
    }
}

/// Asserts that a request has no larger body than operations take that take no files.
///
/// # Errors
///
/// `BodyTooLarge`.
pub fn without_files(incoming: &ApiRequest) -> Result<(), Error> {
    if incoming.body.len() > MAX_BODY_MIB * MIB { Err(body_too_large()) } else { Ok(()) }
}

/// The parameters of a request: those of the query, then those of the body, which win.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`.
pub fn parameters(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    let mut raw = of_query(incoming)?;
    if matches!(*incoming.method(), Method::GET | Method::HEAD) || incoming.body.is_empty() {
        return Ok(raw);
    }
    let kind = content_type(incoming.headers()).unwrap_or("application/x-www-form-urlencoded");
    if kind.starts_with("multipart/form-data") {
        // All of the body is there, so that reading it waits for nothing.
        read_multipart(kind, incoming.body.clone(), &mut raw).now_or_never().unwrap_or(Err(Error::Internal))?;
    } else if kind.starts_with("application/x-www-form-urlencoded") {
        read_form(&incoming.body, &mut raw)?;
    }
    Ok(raw)
}

/// The parameters of a request's query.
///
/// # Errors
///
/// `MalformedBody` for more of them, or longer names, than a request may have.
pub fn of_query(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    let mut raw = RawParameters::default();
    if !incoming.query().is_empty() {
        read_form(incoming.query().as_bytes(), &mut raw)?;
    }
    Ok(raw)
}

/// Parameters by their neutral names, with neutral values.
pub fn neutral_parameters(dialect: &Dialect, values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let neutral = |(key, value): (&String, &String)| {
        let key = dialect.neutral_key(key).to_owned();
        let value = dialect.neutral_value(&key, value).into_owned();
        (key, value)
    };
    values.iter().map(neutral).collect()
}

fn read_form(form: &[u8], raw: &mut RawParameters) -> Result<(), Error> {
    // Before any of them is taken: a form of millions of short ones takes seconds.
    if memchr::memchr_iter(b'&', form).nth(MAX_PARAMETERS - 1).is_some() {
        return Err(too_many("parameters", MAX_PARAMETERS));
    }
    let values = Arc::make_mut(&mut raw.values);
    let mut names = Names::default();
    for (name, value) in form_urlencoded::parse(form) {
        names.add(&name)?;
        values.insert(name.into_owned(), value.into_owned());
    }
    Ok(())
}

fn too_many(what: &str, limit: usize) -> Error {
    Error::MalformedBody { reason: format!("more than {limit} {what}").into() }
}

/// The names of a request so far, which have a limit together.
#[derive(Default)]
struct Names {
    bytes: usize,
}

impl Names {
    fn add(&mut self, name: &str) -> Result<(), Error> {
        self.bytes += name.len();
        if self.bytes <= MAX_NAMES_BYTES {
            return Ok(());
        }
        let reason = format!("the names of its parameters are longer than {MAX_NAMES_BYTES} bytes together");
        Err(Error::MalformedBody { reason: reason.into() })
    }
}

async fn read_multipart(kind: &str, body: Bytes, raw: &mut RawParameters) -> Result<(), Error> {
    let malformed = |error: multer::Error| Error::MalformedBody { reason: error.to_string().into() };
    let boundary = multer::parse_boundary(kind).map_err(malformed)?;
    let stream = futures_util::stream::once(async move { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(stream, boundary);
    let mut count = 0;
    let mut names = Names::default();
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        count += 1;
        if count > MAX_PARAMETERS {
            return Err(too_many("parameters", MAX_PARAMETERS));
        }
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.file_name().map(str::to_owned);
        names.add(&name)?;
        names.add(file_name.as_deref().unwrap_or_default())?;
        let content_type = part.content_type().map(ToString::to_string);
        let bytes = part.bytes().await.map_err(malformed)?;
        match file_name {
            // A form's file that was not chosen.
            Some(file_name) if base_name(&file_name).is_none() => {}
            Some(file_name) => {
                if bytes.len() > MAX_FILE_MIB * MIB {
                    return Err(Error::UploadTooLarge { limit_mib: MAX_FILE_MIB.into() });
                }
                if raw.files.len() == MAX_FILES {
                    return Err(too_many("files", MAX_FILES));
                }
                raw.files.push(UploadedFile { name: file_name, content_type, bytes: apart(bytes) });
            }
            None => {
                Arc::make_mut(&mut raw.values).insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    Ok(())
}
