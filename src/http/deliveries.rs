//! What other services deliver: the key of a bot in the address, a payload as the body.

use super::authentication::{Credentials, RequestCredentials};
use super::body::content_type;
use super::draft::{Draft, DraftBody};
use super::reply;
use super::request::{self, ApiRequest};
use crate::api::incoming_webhooks::{HEADERS, SERVICES, SLACK_INCOMING, service};
use crate::api::parameter::RawParameters;
use crate::api::{Access, Row};
use crate::error::Error;
use crate::realm::Realm;
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where services deliver to, without `/api/v1`.
pub const FOLDER: &str = "/external/";
const KEY: &str = "api_key";
const PAYLOAD: &str = "payload";

/// Whether a path, without `/api/v1`, is below the folder of deliveries.
pub fn is_in_folder(path: &str) -> bool {
    path.starts_with(FOLDER)
}

/// Whether a path, without `/api/v1`, is that of a service.
pub fn is_of_service(path: &str) -> bool {
    let name = path.strip_prefix(FOLDER).and_then(|name| percent_decode_str(name).decode_utf8().ok());
    name.is_some_and(|name| service(&name).is_some())
}

/// Which services there are, for a path of another one.
pub fn hint(path: &str) -> Option<String> {
    let names: Vec<&str> = SERVICES.iter().map(|service| service.name).collect();
    is_in_folder(path).then(|| {
        let all = names.join(", ");
        format!("Incoming webhooks are served for {all}; other services can post by POST /api/v1/messages.")
    })
}

/// The account whose key a delivery has, in its address or its form.
pub fn credentials(realm: &Realm, incoming: &ApiRequest) -> RequestCredentials {
    let Ok(sent) = parameters(incoming) else { return None };
    Some(match sent.values.get(KEY).map(|key| key.trim()) {
        None => Err(Error::MissingParameter { var_name: KEY.into() }),
        Some(key) => Credentials::check_form(key).and_then(|()| {
            let user = realm.users_by_key.get(key).and_then(|id| realm.users.get(id));
            user.map(|user| Arc::new(Credentials::of(user))).ok_or(Error::InvalidApiKey)
        }),
    })
}

/// The parameters of a delivery: those of the address and, where the body is a form, its own.
///
/// # Errors
///
/// `MalformedBody`.
fn parameters(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    // Some services call JSON a form.
    let is_json = incoming.body.trim_ascii_start().first().is_some_and(|first| b"{[".contains(first));
    if is_json { request::of_query(incoming) } else { request::parameters(incoming) }
}

/// The parameters of a delivery as the journal has them: without the key. It has no credentials of other
/// requests either.
pub fn without_key(values: &Arc<BTreeMap<String, String>>) -> Arc<BTreeMap<String, String>> {
    let mut values = values.clone();
    if values.contains_key(KEY) {
        Arc::make_mut(&mut values).insert(KEY.to_owned(), "…".to_owned());
    }
    values
}

/// What a service delivers: parameters, the payload, and the headers that services use.
///
/// # Errors
///
/// `MalformedBody`, also where the payload is no text.
pub fn read(incoming: &ApiRequest) -> Result<RawParameters, Error> {
    let mut raw = parameters(incoming)?;
    let kind = content_type(incoming.headers()).unwrap_or_default();
    let is_form = ["multipart/form-data", "application/x-www-form-urlencoded"].iter().any(|one| kind.starts_with(one));
    let is_json = incoming.body.trim_ascii_start().first().is_some_and(|first| b"{[".contains(first));
    if is_json || !is_form {
        let text = str::from_utf8(&incoming.body)
            .map_err(|_| Error::MalformedBody { reason: "the payload is not UTF-8".into() })?;
        if !text.is_empty() {
            Arc::make_mut(&mut raw.values).insert(PAYLOAD.to_owned(), text.to_owned());
        }
    }
    let sent = HEADERS.iter().filter_map(|name| Some((*name, incoming.header(*name)?.to_owned())));
    raw.headers = sent.collect();
    Ok(raw)
}

/// The response to a delivery that is refused, where clients of its service know another form than the API's.
pub fn refusal(row: &Row, raw: &RawParameters, error: &Error) -> Option<Draft> {
    let is_for_slack = row.access == Access::KeyHolder && raw.path.iter().any(|(_, name)| name == SLACK_INCOMING);
    let body = is_for_slack.then(|| json!({"ok": false, "error": error.message()}))?;
    Some(reply::json(error.status(), DraftBody::json(body)))
}
