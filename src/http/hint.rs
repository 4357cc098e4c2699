//! Hints: a sentence on what would have worked, for a header of refused requests.

use crate::api::Row;
use crate::api::parameter::RawParameters;
use crate::error::Error;

/// A hint that follows from the error alone.
pub fn for_error(error: &Error) -> Option<String> {
    let text = match error {
        Error::NotLoggedIn | Error::InvalidAuthorizationHeader | Error::BasicAuthenticationRequired => {
            "Send 'Authorization: Basic' with base64 of EMAIL:API_KEY; POST /dev_fetch_api_key gives the key of any account."
        }
        Error::InvalidApiKey | Error::MalformedApiKey => {
            "POST /dev_fetch_api_key with username=EMAIL gives the account's key; the address must be the account's real one."
        }
        Error::RealmDeactivated => {
            "An owner deactivated the organization; a reset of the world or an earlier snapshot brings it back."
        }
        Error::BadEventQueue { .. } => "The queue was collected, deleted or is another user's: register again.",
        Error::EventNotInQueue { .. } => {
            "Begin with the last_event_id of the register reply, then pass the highest id that was received."
        }
        Error::MissingAnchor => "anchor takes a message id, newest, oldest or first_unread.",
        Error::MalformedBody { .. } => "Send parameters as application/x-www-form-urlencoded or multipart/form-data.",
        _ => return None,
    };
    Some(text.to_owned())
}

/// A hint for a caller who may not call the operation.
pub fn for_access(error: &Error, row: &Row) -> Option<String> {
    match error {
        Error::AdministratorRequired
        | Error::GuestsNotAllowed
        | Error::BotsNotAllowed
        | Error::BotsOnly
        | Error::WebhookBotNotAllowed => {
            Some(format!("{} {} is for: {}.", row.route.method, row.route.path, row.access.words()))
        }
        _ => None,
    }
}

/// A hint for a missing parameter: a name that was sent and is like it, or all that the operation takes.
pub fn for_parameters(error: &Error, row: &Row, raw: &RawParameters) -> Option<String> {
    let Error::MissingParameter { var_name } = error else { return None };
    let wanted = var_name.as_str()?;
    let sent = raw.unsupported(row.parameters);
    let alike = sent.iter().find(|name| strsim::jaro_winkler(name, wanted) > 0.8);
    Some(match alike {
        Some(name) => format!("'{name}' was sent; the parameter is called '{wanted}'."),
        None => {
            let names: Vec<&str> =
                row.parameters.iter().filter(|info| !info.is_in_path).map(|info| info.name).collect();
            let place = if row.route.method == "GET" { "query string" } else { "form-encoded body" };
            format!("{} {} takes, in the {place}: {}.", row.route.method, row.route.path, names.join(", "))
        }
    })
}

/// An operation that the world's level does not have yet, or not any more.
pub fn operation_of_another_level(row: &Row, level: i64) -> String {
    let (method, path, since) = (row.route.method, row.route.path, row.about.since);
    match row.until.filter(|until| *until <= level) {
        Some(until) => format!("{method} {path} is gone from feature level {until} on; this world is at {level}."),
        None => format!("{method} {path} is there from feature level {since} on; this world is at {level}."),
    }
}

/// The operation that a path may have meant.
pub fn nearest_operation(row: &Row) -> String {
    ["The nearest operation is ", row.route.method, " /api/v1", row.route.path, "."].concat()
}

/// The world that a name may have meant.
pub fn nearest_world(name: &str, worlds: &[String]) -> String {
    let likeness = |other: &&String| (strsim::jaro_winkler(name, other) * 1e6) as i64;
    match worlds.iter().max_by_key(likeness) {
        Some(nearest) => format!("There is no world '{name}'; the nearest is '{nearest}'."),
        None => format!("There is no world '{name}', nor any other."),
    }
}
