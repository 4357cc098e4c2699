//! Incoming webhooks over HTTP: other services post a payload to a URL that contains the API key of a bot.

use super::authentication::{Credentials, RequestCredentials};
use super::body::content_type;
use super::parameters;
use super::pending_response::{PendingBody, PendingResponse};
use super::reply;
use super::request::IncomingRequest;
use crate::api::incoming_webhooks::{HEADERS, SERVICES, SLACK_INCOMING, find_service};
use crate::api::parameter::RawParameters;
use crate::api::{Access, OperationRow};
use crate::error::Error;
use crate::realm::Realm;
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The path prefix of incoming webhooks, without `/api/v1`.
pub const PATH_PREFIX: &str = "/external/";
const KEY_PARAMETER: &str = "api_key";
const PAYLOAD_PARAMETER: &str = "payload";

/// Whether a path, without `/api/v1`, is below the prefix of incoming webhooks.
pub fn has_prefix(path: &str) -> bool {
    path.starts_with(PATH_PREFIX)
}

/// Whether a path, without `/api/v1`, belongs to a supported service.
pub fn is_service_path(path: &str) -> bool {
    let name = path.strip_prefix(PATH_PREFIX).and_then(|name| percent_decode_str(name).decode_utf8().ok());
    name.is_some_and(|name| find_service(&name).is_some())
}

/// A hint that lists the supported services, for the path of an unsupported one. None for paths without the prefix.
pub fn hint(path: &str) -> Option<String> {
    let names: Vec<&str> = SERVICES.iter().map(|service| service.name).collect();
    has_prefix(path).then(|| {
        let services = names.join(", ");
        format!("Incoming webhooks are served for {services}; other services can post by POST /api/v1/messages.")
    })
}

/// The credentials of the account whose key is in the query string or the form; an error if the key is missing,
/// malformed or unknown. None if the parameters are malformed; the request is then refused for that.
pub fn credentials(realm: &Realm, incoming: &IncomingRequest) -> RequestCredentials {
    let Ok(raw) = sent_parameters(incoming) else { return None };
    Some(match raw.values.get(KEY_PARAMETER).map(|key| key.trim()) {
        None => Err(Error::MissingParameter { var_name: KEY_PARAMETER.into() }),
        Some(key) => Credentials::check_key_format(key).and_then(|()| {
            let user = realm.users_by_key.get(key).and_then(|id| realm.users.get(id));
            user.map(|user| Arc::new(Credentials::of_user(user))).ok_or(Error::InvalidApiKey)
        }),
    })
}

/// The parameters in the query string and, if the body is a form, those of the form.
///
/// # Errors
///
/// `MalformedBody`, `UploadTooLarge`.
fn sent_parameters(incoming: &IncomingRequest) -> Result<RawParameters, Error> {
    // Some services send JSON with the content type of a form.
    if looks_like_json(&incoming.body) {
        parameters::parse_query(incoming)
    } else {
        parameters::parse_parameters(incoming)
    }
}

fn looks_like_json(body: &[u8]) -> bool {
    body.trim_ascii_start().first().is_some_and(|first| b"{[".contains(first))
}

/// The parameters for the journal, which holds no credentials: `…` replaces the key.
pub fn with_hidden_key(values: &Arc<BTreeMap<String, String>>) -> Arc<BTreeMap<String, String>> {
    let mut values = values.clone();
    if values.contains_key(KEY_PARAMETER) {
        Arc::make_mut(&mut values).insert(KEY_PARAMETER.to_owned(), "…".to_owned());
    }
    values
}

/// Reads the parameters of the operation: those of the request, the payload, and the headers that services use.
///
/// # Errors
///
/// `MalformedBody`, also if the payload is not UTF-8; `UploadTooLarge`.
pub fn read_parameters(incoming: &IncomingRequest) -> Result<RawParameters, Error> {
    let mut raw = sent_parameters(incoming)?;
    let content_type = content_type(incoming.headers()).unwrap_or_default();
    let is_form = ["multipart/form-data", "application/x-www-form-urlencoded"]
        .iter()
        .any(|form_type| content_type.starts_with(form_type));
    if looks_like_json(&incoming.body) || !is_form {
        let text = str::from_utf8(&incoming.body)
            .map_err(|_| Error::MalformedBody { reason: "the payload is not UTF-8".into() })?;
        if !text.is_empty() {
            Arc::make_mut(&mut raw.values).insert(PAYLOAD_PARAMETER.to_owned(), text.to_owned());
        }
    }
    raw.headers = HEADERS.iter().filter_map(|name| Some((*name, incoming.header(*name)?.to_owned()))).collect();
    Ok(raw)
}

/// The refusal in the format of the called service, if that differs from the API's envelope.
pub fn refusal(row: &OperationRow, raw: &RawParameters, error: &Error) -> Option<PendingResponse> {
    let is_for_slack =
        row.access == Access::KeyHolder && raw.path_values.iter().any(|(_, name)| name == SLACK_INCOMING);
    let body = is_for_slack.then(|| json!({"ok": false, "error": error.message()}))?;
    Some(reply::json(error.status(), PendingBody::json(body)))
}
