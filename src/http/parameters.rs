//! Parses the parameters of query string, form and multipart body, within limits of number and size.

use super::body::{MAX_FILE_MIB, MIB, content_type, into_mapped};
use super::request::IncomingRequest;
use crate::api::parameter::{RawParameters, UploadedFile};
use crate::api::uploads::name::base_name;
use crate::dialect::Dialect;
use crate::error::Error;
use bytes::Bytes;
use futures_util::FutureExt;
use http::Method;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The limits of real servers on the parameters of a query string or a body, and on the files of a body (A-451 in
/// docs/assumptions.md).
const MAX_PARAMETERS: usize = 1_000;
const MAX_FILES: usize = 100;
/// The limit on the total length of the names in a query string or a body: replies repeat unknown names.
const MAX_NAMES_BYTES: usize = 64 * 1024;

/// Parses the parameters of query and body; those of the body take precedence. The body of a GET or HEAD is ignored,
/// and so is a body that is no form.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`.
pub fn parse_parameters(incoming: &IncomingRequest) -> Result<RawParameters, Error> {
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
pub fn parse_query(incoming: &IncomingRequest) -> Result<RawParameters, Error> {
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
