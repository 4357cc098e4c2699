//! The request for the API key of an account, and the key in its reply. Doubles and development servers give keys to
//! anybody, other servers to nobody.

use super::client::{HttpReply, HttpRequest};

/// The request for the key of the account with an address.
pub fn key_request(base_url: &str, email: &str) -> HttpRequest {
    let body = form_urlencoded::Serializer::new(String::new()).append_pair("username", email).finish();
    HttpRequest {
        method: "POST".to_owned(),
        url: format!("{base_url}/api/v1/dev_fetch_api_key"),
        headers: vec![("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned())],
        body: body.into_bytes(),
    }
}

/// The key in the reply to [`key_request`]; None if the server has no such account.
///
/// # Errors
///
/// That the account is deactivated, or that the server gives no keys.
pub fn key_in_reply(reply: &HttpReply, base_url: &str, email: &str) -> Result<Option<String>, String> {
    if let Some(key) = reply.body["api_key"].as_str() {
        return Ok(Some(key.to_owned()));
    }
    if reply.body["code"] == "USER_DEACTIVATED" {
        return Err(format!("{base_url}: the account {email} is deactivated"));
    }
    let reason = match reply.body["msg"].as_str() {
        Some(_) if matches!(reply.status, 401 | 403) => return Ok(None),
        Some(message) => message.to_owned(),
        None => reply.not_json_reason(),
    };
    Err(format!("{base_url} gives no key for {email} ({reason}): name its api_key in the file of accounts"))
}
