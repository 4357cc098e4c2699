//! Encodes a request of a scenario as an HTTP request.

use super::block::{Caller, Request, RequestLine};
use super::client::{HttpRequest, authorization_header};
use super::scope::{Scope, origin};
use super::template::Reference;
use base64::Engine;

/// Encodes a request with the values of its placeholders.
///
/// # Errors
///
/// The reason, if a placeholder has no value or is a matcher, the user does not exist, or a file whose name ends with
/// ` base64` is not in Base64.
pub fn encode_request(scope: &Scope, request: &Request) -> Result<HttpRequest, String> {
    // A path that begins with `{{server}}` or `{{origin}}` is a whole URL, and need not be below `/api/v1`.
    let is_url = matches!(request.path.references().next(), Some(Reference::Server | Reference::Origin))
        && scope.resolve_text(&request.path)?.starts_with(origin(&scope.base_url));
    let mut url = if is_url {
        scope.resolve_text(&request.path)?
    } else {
        format!("{}/api/v1{}", scope.base_url, scope.resolve_text_with(&request.path, encode_path_segment)?)
    };
    let mut http_request = HttpRequest { method: request.method.clone(), ..HttpRequest::default() };
    if let Caller::User { handle, api_key } = &request.caller {
        let user = scope.directory.user(handle).ok_or_else(|| format!("there is no user '{handle}'"))?;
        let key = api_key.as_ref().map_or_else(|| Ok(user.api_key.clone()), |key| scope.resolve_text(key))?;
        http_request.headers.push(authorization_header(&user.email, &key));
    }
    let form = add_lines(scope, &mut http_request, &request.lines)?;
    if !form.is_empty() && matches!(request.method.as_str(), "GET" | "HEAD") {
        url = format!("{url}{}{form}", if url.contains('?') { '&' } else { '?' });
    } else if !form.is_empty() {
        http_request.headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
        http_request.body = form.into_bytes();
    }
    http_request.url = url;
    Ok(http_request)
}

/// Separates the parts of a multipart form. No file of a scenario contains this text.
const BOUNDARY: &str = "----------the-boundary-between-the-parts";

/// Adds headers, files and bodies to a request. Returns the parameters that are not yet in it, encoded as a form.
fn add_lines(scope: &Scope, http_request: &mut HttpRequest, lines: &[RequestLine]) -> Result<String, String> {
    let mut parameters = Vec::new();
    let mut files = Vec::new();
    for line in lines {
        match line {
            RequestLine::Parameter(name, value) => parameters.push((name.as_str(), scope.resolve_text(value)?)),
            RequestLine::Header(name, value) => http_request.headers.push((name.clone(), scope.resolve_text(value)?)),
            RequestLine::File(name, content) => files.push(decode_file(name, scope.resolve_text(content)?)?),
            RequestLine::Body(content_type, content) => {
                http_request.headers.push(("content-type".to_owned(), content_type.clone()));
                http_request.body = scope.resolve_text(content)?.into_bytes();
            }
        }
    }
    if files.is_empty() {
        return Ok(form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish());
    }
    let mut body = Vec::new();
    for (name, value) in parameters {
        let part = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    for (name, content) in files {
        let content_type = mime_guess::from_path(&name).first_or_octet_stream();
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {content_type}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(&content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    http_request.headers.push(("content-type".to_owned(), format!("multipart/form-data; boundary={BOUNDARY}")));
    http_request.body = body;
    Ok(String::new())
}

/// The name and the bytes of a file, which is in Base64 if its name ends with ` base64`.
fn decode_file(name: &str, content: String) -> Result<(String, Vec<u8>), String> {
    let Some(name) = name.strip_suffix(" base64") else { return Ok((name.to_owned(), content.into_bytes())) };
    let decoded = base64::engine::general_purpose::STANDARD.decode(content.split_whitespace().collect::<String>());
    Ok((name.to_owned(), decoded.map_err(|error| format!("the file {name} is not in base64: {error}"))?))
}

/// Percent-encodes a value for a segment of a path.
pub fn encode_path_segment(value: String) -> String {
    const ENCODED: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'@');
    percent_encoding::utf8_percent_encode(&value, ENCODED).to_string()
}
