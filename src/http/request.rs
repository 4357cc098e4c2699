//! HTTP requests, and the parsing of their parameters from query string, form and multipart body, within limits of
//! number and size.

use super::authentication::RequestCredentials;
use super::body::{Body, MAX_BODY_MIB, MAX_FILE_MIB, MIB, body_too_large, content_type, into_mapped};
use super::session::Session;
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::name::base_name;
use crate::dialect::Dialect;
use crate::error::Error;
use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderMap, HeaderName, Method, Uri, header};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A header that takes precedence over `User-Agent`, which pages in browsers cannot set.
const CLIENT_HEADER: HeaderName = HeaderName::from_static("x-chatdouble-client");

/// The limits of real servers on the parameters of a query string or a body, and on the files of a body (A-451 in
/// docs/assumptions.md).
const MAX_PARAMETERS: usize = 1_000;
const MAX_FILES: usize = 100;
/// The limit on the total length of the names in a query string or a body: replies repeat unknown names.
const MAX_NAMES_BYTES: usize = 64 * 1024;

/// A request without its body.
#[derive(Debug)]
pub struct RequestHead {
    pub method: Method,
    /// `http` or `https`, by the connection and not by headers of proxies.
    pub scheme: &'static str,
    pub uri: Uri,
    pub headers: HeaderMap,
    /// The number of the connection; 0 for a request that did not come over one.
    pub connection_number: u64,
    /// The credentials in the headers; None if there are none.
    pub credentials: RequestCredentials,
}

impl RequestHead {
    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        // The URI of CONNECT has a host and no path.
        if self.uri.path().is_empty() { "/" } else { self.uri.path() }
    }

    /// The value of a header; None if it is absent or not visible ASCII.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A request with its body, and with the caller's credentials.
#[derive(Debug)]
pub struct ApiRequest {
    head: Arc<RequestHead>,
    /// The credentials from the headers, the session or the key of an incoming webhook.
    pub credentials: RequestCredentials,
    /// The session of the cookies; None also if the path does not accept sessions.
    pub session: Option<Session>,
    /// Whether `credentials` are those of the session.
    pub has_session_credentials: bool,
    /// Empty if the body was not read.
    pub body: Bytes,
    /// Whether a body was not read because the caller may not send it; the request is then refused.
    pub lacks_body: bool,
}

impl ApiRequest {
    /// A request without a session.
    pub fn new(head: Arc<RequestHead>, body: Bytes) -> Self {
        Self {
            credentials: head.credentials.clone(),
            session: None,
            has_session_credentials: false,
            head,
            body,
            lacks_body: false,
        }
    }

    /// A request without a session, whose body may not have been read.
    pub fn with_body(head: Arc<RequestHead>, body: &Body) -> Self {
        Self { lacks_body: !body.is_read, ..Self::new(head, body.bytes.clone()) }
    }

    pub fn method(&self) -> &Method {
        &self.head.method
    }

    /// `http` or `https`, by the connection and not by headers of proxies.
    pub fn scheme(&self) -> &'static str {
        self.head.scheme
    }

    pub fn uri(&self) -> &Uri {
        &self.head.uri
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Method and headers, as [`super::session::check_csrf`] takes them.
    pub fn method_and_headers(&self) -> (&Method, &HeaderMap) {
        (self.method(), self.headers())
    }

    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        self.head.path()
    }

    /// The query string without its question mark, still percent-encoded; "" if there is none.
    pub fn query(&self) -> &str {
        self.head.uri.query().unwrap_or_default()
    }

    /// Whether the request comes from a browser that expects a page.
    pub fn accepts_html(&self) -> bool {
        self.header(header::ACCEPT).is_some_and(|accepted| accepted.contains("text/html"))
    }

    /// The value of a header; None if it is absent or not visible ASCII.
    pub fn header(&self, name: impl header::AsHeaderName) -> Option<&str> {
        self.head.header(name)
    }

    /// The number of the connection; 0 for a request that did not come over one.
    pub fn connection_number(&self) -> u64 {
        self.head.connection_number
    }

    /// The client's description of itself, such as `ExampleApp/1.2 (Linux)`; "" if it sends none.
    fn client(&self) -> &str {
        self.header(CLIENT_HEADER).or_else(|| self.header(header::USER_AGENT)).unwrap_or_default()
    }

    /// Name and version of the client, such as `ExampleApp/1.2`: the first word of the description. `Unspecified`
    /// without a description.
    pub fn client_with_version(&self) -> &str {
        self.client().split(' ').find(|word| !word.is_empty()).unwrap_or("Unspecified")
    }

    /// The name of the client without its version, such as `ExampleApp`; `Unspecified` if the client sends no name. For
    /// operations, the parameter `client` overrides it.
    pub fn client_name(&self) -> &str {
        let name = self.client().split(['/', ' ', '(']).next().unwrap_or_default();
        if name.is_empty() { "Unspecified" } else { name }
    }
}

/// Checks the size of the body for an operation that takes no files.
///
/// # Errors
///
/// `BodyTooLarge`.
pub fn check_size_without_files(incoming: &ApiRequest) -> Result<(), Error> {
    if incoming.body.len() > MAX_BODY_MIB * MIB { Err(body_too_large()) } else { Ok(()) }
}

/// Parses the parameters of query and body; those of the body take precedence. The body of a GET or HEAD is ignored,
/// and so is a body that is no form.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`.
pub fn parse_parameters(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    let mut raw = parse_query(incoming)?;
    if matches!(*incoming.method(), Method::GET | Method::HEAD) || incoming.body.is_empty() {
        return Ok(raw);
    }
    let content_type = content_type(incoming.headers()).unwrap_or("application/x-www-form-urlencoded");
    if content_type.starts_with("multipart/form-data") {
        // The whole body has arrived, so the future is ready at once.
        parse_multipart(content_type, incoming.body.clone(), &mut raw)
            .now_or_never()
            .unwrap_or(Err(Error::Internal))?;
    } else if content_type.starts_with("application/x-www-form-urlencoded") {
        parse_form(&incoming.body, &mut raw)?;
    }
    Ok(raw)
}

/// Parses the parameters of the query string.
///
/// # Errors
///
/// `MalformedBody` for too many parameters or too long names.
pub fn parse_query(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    let mut raw = RawParameters::default();
    if !incoming.query().is_empty() {
        parse_form(incoming.query().as_bytes(), &mut raw)?;
    }
    Ok(raw)
}

/// Translates the names and values of parameters from a dialect to the neutral ones.
pub fn translate_parameters(dialect: &Dialect, values: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let neutral = |(key, value): (&String, &String)| {
        let key = dialect.neutral_key(key).to_owned();
        let value = dialect.neutral_value(&key, value).into_owned();
        (key, value)
    };
    values.iter().map(neutral).collect()
}

fn parse_form(form: &[u8], raw: &mut RawParameters) -> Result<(), Error> {
    // Checked before parsing, because parsing a form with millions of short parameters takes seconds.
    if memchr::memchr_iter(b'&', form).nth(MAX_PARAMETERS - 1).is_some() {
        return Err(too_many("parameters", MAX_PARAMETERS));
    }
    let values = Arc::make_mut(&mut raw.values);
    let mut name_budget = NameBudget::default();
    for (name, value) in form_urlencoded::parse(form) {
        name_budget.add(&name)?;
        values.insert(name.into_owned(), value.into_owned());
    }
    Ok(())
}

fn too_many(what: &str, limit: usize) -> Error {
    Error::MalformedBody { reason: format!("more than {limit} {what}").into() }
}

/// Counts the total length of the names in a query string or a body: those of parameters and of files.
#[derive(Default)]
struct NameBudget {
    bytes: usize,
}

impl NameBudget {
    fn add(&mut self, name: &str) -> Result<(), Error> {
        self.bytes += name.len();
        if self.bytes <= MAX_NAMES_BYTES {
            return Ok(());
        }
        let reason = format!("the names of its parameters are longer than {MAX_NAMES_BYTES} bytes together");
        Err(Error::MalformedBody { reason: reason.into() })
    }
}

async fn parse_multipart(content_type: &str, body: Bytes, raw: &mut RawParameters) -> Result<(), Error> {
    let malformed = |error: multer::Error| Error::MalformedBody { reason: error.to_string().into() };
    let boundary = multer::parse_boundary(content_type).map_err(malformed)?;
    let stream = futures_util::stream::once(async move { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(stream, boundary);
    let mut part_count = 0;
    let mut name_budget = NameBudget::default();
    while let Some(part) = parts.next_field().await.map_err(malformed)? {
        part_count += 1;
        if part_count > MAX_PARAMETERS {
            return Err(too_many("parameters", MAX_PARAMETERS));
        }
        let name = part.name().unwrap_or_default().to_owned();
        let file_name = part.file_name().map(str::to_owned);
        name_budget.add(&name)?;
        name_budget.add(file_name.as_deref().unwrap_or_default())?;
        let content_type = part.content_type().map(ToString::to_string);
        let bytes = part.bytes().await.map_err(malformed)?;
        match file_name {
            // Browsers send an empty name for a file field without a file.
            Some(file_name) if base_name(&file_name).is_none() => {}
            Some(file_name) => {
                if bytes.len() > MAX_FILE_MIB * MIB {
                    return Err(Error::UploadTooLarge { limit_mib: MAX_FILE_MIB.into() });
                }
                if raw.files.len() == MAX_FILES {
                    return Err(too_many("files", MAX_FILES));
                }
                raw.files.push(UploadedFile { name: file_name, content_type, bytes: into_mapped(bytes) });
            }
            None => {
                Arc::make_mut(&mut raw.values).insert(name, String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    Ok(())
}
