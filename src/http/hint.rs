//! Hints: sentences for a header of the reply that help a client to correct its request, mostly a refused one.

mod ids;
mod messages;
mod nearest;
mod newer_values;
mod values;

use super::authentication::RequestCredentials;
use super::router::Router;
use crate::api::OperationRow;
use crate::api::parameter::RawParameters;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::user::{Role, User};
use crate::time::Clock;
use crate::world::World;
use serde_json::{Map, Value};

use nearest::{MIN_SIMILARITY, find_similar};

pub use ids::{for_hidden_channel, for_name_instead_of_id};
pub use messages::for_message;
pub use nearest::for_name;
pub use newer_values::for_newer_value;
pub use values::{for_event_types, for_value};

/// A hint that depends on nothing but the error.
pub fn for_error(error: &Error) -> Option<String> {
    let text = match error {
        Error::NotLoggedIn | Error::InvalidAuthorizationHeader | Error::BasicAuthenticationRequired => {
            "Send 'Authorization: Basic' with base64 of EMAIL:API_KEY; POST /dev_fetch_api_key returns the key of any account."
        }
        Error::InvalidApiKey | Error::MalformedApiKey => {
            "POST /dev_fetch_api_key with username=EMAIL returns the account's key; the address must be the account's real one."
        }
        Error::RealmDeactivated => {
            "An owner deactivated the organization; reset the world or restore an earlier snapshot to get it back."
        }
        Error::BadEventQueue { .. } => {
            "The queue expired, was deleted, ended with a reset, or belongs to another user: register again."
        }
        Error::EventNotInQueue { .. } => {
            "Start with the last_event_id of the register reply, then pass the highest id received."
        }
        Error::TimestampTooLarge { .. } => {
            "It takes UNIX seconds; real servers fail with 500 for a time after the year 9999, such as one in milliseconds."
        }
        Error::MissingAnchor | Error::InvalidAnchor => "anchor takes a message id, newest, oldest or first_unread.",
        Error::CsrfFailed { .. } => {
            "Send the value of the cookie csrftoken back in the header X-CSRFToken, or in the field csrfmiddlewaretoken of a form; a page must be of this host, of this machine or of --cors-origin."
        }
        Error::KeysForbidden { .. } => {
            "Keys are for pages of this machine and of --cors-origin, and for hosts that nobody can register: IP addresses, localhost, names without a dot, names that end in .test, .local, .internal, .example or .invalid, and those given with --host-name."
        }
        Error::FileForbidden => {
            "Its owner and people who can read a message with it see the file: send a key, or open the temporary URL that GET /api/v1/user_uploads/{realm_id_str}/{filename} returns."
        }
        Error::InvalidFileToken => {
            "The URL of a file that needs no key holds for 60 seconds of the world's clock: ask for another."
        }
        Error::MalformedBody { .. } => "Send parameters as application/x-www-form-urlencoded or multipart/form-data.",
        _ => return None,
    };
    Some(text.to_owned())
}

/// A hint for a fault that is to leave out a field of a reply which does not have it.
pub fn for_absent_field(reply: &Map<String, Value>, name: &str) -> String {
    let nearest = find_similar(name, reply.keys().cloned()).map(|nearest| format!("; the nearest is '{nearest}'"));
    format!("The fault is to leave out '{name}', which the reply does not have{}.", nearest.unwrap_or_default())
}

/// A hint for a client that waits for its budget of requests in a world whose clock is frozen.
pub fn for_spent_budget(error: &Error, world: &World) -> Option<String> {
    let is_stuck = matches!(error, Error::RateLimitHit { .. }) && matches!(world.clock(), Clock::Frozen { .. });
    is_stuck.then(|| "The budget refills with the world's clock, which is frozen: move it by control.".to_owned())
}

/// A hint for a caller without access to the operation: who has it.
pub fn for_access(error: &Error, row: &OperationRow) -> Option<String> {
    match error {
        Error::AdministratorRequired
        | Error::OwnerRequired
        | Error::GuestsNotAllowed
        | Error::BotsNotAllowed
        | Error::BotsOnly
        | Error::WebhookBotNotAllowed => {
            Some(format!("{} {} is for: {}.", row.route.method, row.route.path, row.access.description()))
        }
        _ => None,
    }
}

/// A hint for an API key that belongs to another account than the address.
pub fn for_key(error: &Error, realm: &Realm, credentials: &RequestCredentials) -> Option<String> {
    let (Error::InvalidApiKey, Some(Ok(credentials))) = (error, credentials) else { return None };
    let owner = credentials.owner(realm)?;
    Some(format!("This is the key of {}; send it with that address.", owner.email))
}

/// A hint for a login with a password to an account that has none. There is none for a wrong password.
pub fn for_login(error: &Error, row: &OperationRow, raw: &RawParameters, realm: &Realm) -> Option<String> {
    if *error != Error::AuthenticationFailed || row.route.path != "/fetch_api_key" {
        return None;
    }
    let user = realm.user_by_email(raw.values.get("username")?)?;
    let lacks_password = user.is_active && user.password.is_none();
    lacks_password
        .then(|| "The account has no password: give it one in the fixture, or use POST /dev_fetch_api_key.".to_owned())
}

/// Who may do what an error refuses, by the name of the error.
const PERMISSION_HINTS: &[(&str, &str)] = &[
    ("ChannelWildcardNotAllowed", "Allowed for members of the organization's can_mention_many_users_group."),
    ("TopicWildcardNotAllowed", "Allowed for members of the organization's can_mention_many_users_group."),
    (
        "CannotAdministerChannel",
        "Allowed for administrators and members of the channel's can_administer_channel_group.",
    ),
    (
        "ContentAccessRequired",
        "Allowed for subscribers and members of the channel's can_add_subscribers_group or can_subscribe_group.",
    ),
    (
        "NoAuthorizingParticipant",
        "Allowed if one user in the conversation is in the organization's direct_message_permission_group.",
    ),
    ("FieldLocked", "Allowed only for administrators, because editable_by_user is false."),
    ("MayNotChangeDefaults", "Allowed for administrators."),
    ("MayNotChangeEmails", "Allowed for administrators whose account has can_create_users."),
    ("MayNotCreateTopic", "Allowed for members of the channel's can_create_topic_group."),
    ("MayNotCreateUsers", "Allowed for administrators whose account has can_create_users."),
    (
        "MayNotDelete",
        "Allowed for members of can_delete_any_message_group, of the channel or the organization; for their own messages also for members of can_delete_own_message_group.",
    ),
    ("MayNotEdit", "Allowed for the sender."),
    ("MayNotInitiateDirect", "Allowed for members of the organization's direct_message_initiator_group."),
    ("MayNotMentionGroup", "Allowed for members of the group's can_mention_group."),
    (
        "MayNotMove",
        "Allowed for members of the channel's can_move_messages_within_channel_group and can_move_messages_out_of_channel_group, or of the organization's permissions of that kind.",
    ),
    ("MayNotOverrideEmoji", "Allowed for administrators."),
    ("MayNotPost", "Allowed for members of the channel's can_send_message_group; for nobody in an archived channel."),
    ("MayNotResolve", "Allowed for members of can_resolve_topics_group, of the channel or the organization."),
    ("MayNotSubscribeOthers", "Allowed for members of can_add_subscribers_group, of the channel or the organization."),
    ("NotAuthorizedToSend", "Allowed for users who can read the channel: only its subscribers, if it is private."),
    ("NotEmojiAuthor", "Allowed for administrators and the user who uploaded the emoji."),
];

const MAX_LISTED_ACCOUNTS: usize = 3;

/// A hint for a caller without the necessary role or permission: which one it is, and who has it.
pub fn for_permission(error: &Error, realm: &Realm, caller: &User) -> Option<String> {
    match error {
        Error::OwnerRequired | Error::OwnerRequiredToInviteOwner => {
            Some(format!("This requires {}.", describe_holders(realm, caller, Role::Owner)))
        }
        Error::AdministratorRequired | Error::AdministratorRequiredForInvite => {
            Some(format!("This requires {}.", describe_holders(realm, caller, Role::Administrator)))
        }
        Error::NotAuthorizedToSend { channel_name }
            if channel_name
                .as_str()
                .and_then(|name| realm.channel_by_name(name))
                .is_some_and(|channel| channel.is_archived && realm.sender_can_see(caller, channel)) =>
        {
            Some("The channel is archived: nobody sends messages to it.".to_owned())
        }
        Error::InsufficientPermission => Some(format!(
            "This requires a role or permission that this {} lacks; {} has most permissions.",
            caller.role.name(),
            describe_holders(realm, caller, Role::Owner)
        )),
        _ => {
            let name = error.row().name;
            PERMISSION_HINTS.iter().find(|(error_name, _)| *error_name == name).map(|(_, hint)| (*hint).to_owned())
        }
    }
}

/// The name of a role, with the addresses of the first active people who have this role or a higher one.
fn describe_holders(realm: &Realm, caller: &User, role: Role) -> String {
    let holders = realm.users_with_role_or_higher(role);
    let people = holders.iter().filter_map(|id| realm.user(*id)).filter(|user| user.is_active && !user.is_bot());
    let addresses: Vec<String> =
        people.map(|user| realm.email_shown_to(Some(caller), user)).take(MAX_LISTED_ACCOUNTS).collect();
    let article = if matches!(role, Role::Owner | Role::Administrator) { "an" } else { "a" };
    format!("{article} {} ({})", role.name(), addresses.join(", "))
}

/// A hint for a parameter that was ignored because its name is unknown, if a known one has a similar name.
pub fn for_misspelled(row: &OperationRow, raw: &RawParameters) -> Option<String> {
    let is_absent = |name: &str| !raw.values.contains_key(name);
    let candidates =
        || row.parameters.iter().filter(|info| !info.is_in_path && is_absent(info.name)).map(|info| info.name);
    raw.unsupported_names(row.parameters).iter().find_map(|sent_name| {
        let name = candidates().find(|name| is_similar(sent_name, name))?;
        Some(format!("'{sent_name}' was sent; the parameter is called '{name}'."))
    })
}

fn is_similar(sent_name: &str, name: &str) -> bool {
    strsim::jaro_winkler(sent_name, name) > MIN_SIMILARITY
}

/// A hint for a missing parameter: a similar name that was sent, or all parameters of the operation at the world's
/// level.
pub fn for_missing_parameter(error: &Error, row: &OperationRow, raw: &RawParameters, level: i64) -> Option<String> {
    let Error::MissingParameter { var_name } = error else { return None };
    let missing_name = var_name.as_str()?;
    let unknown_names = raw.unsupported_names(row.parameters);
    let similar_name = unknown_names.iter().find(|name| is_similar(name, missing_name));
    Some(match similar_name {
        Some(name) => format!("'{name}' was sent; the parameter is called '{missing_name}'."),
        None => {
            let parameters = row.parameters.iter().filter(|info| !info.is_in_path && info.since <= level);
            let names: Vec<&str> = parameters.map(|info| info.name).collect();
            let place = if row.route.method == "GET" { "query string" } else { "form-encoded body" };
            format!("{} {} takes, in the {place}: {}.", row.route.method, row.route.path, names.join(", "))
        }
    })
}

/// A hint for a missing parameter in a request whose body is JSON.
pub fn for_json_body(error: &Error, row: &OperationRow) -> Option<String> {
    let Error::MissingParameter { .. } = error else { return None };
    let (method, path) = (row.route.method, row.route.path);
    Some(format!(
        "This body is JSON; {method} {path} takes its parameters as a form: application/x-www-form-urlencoded or \
         multipart/form-data."
    ))
}

/// A hint for an operation that was added after the world's level or removed before it.
pub fn for_operation_of_another_level(row: &OperationRow, level: i64) -> String {
    let (method, path, since) = (row.route.method, row.route.path, row.docs.since);
    match row.removed_in.filter(|removed_in| *removed_in <= level) {
        Some(removed_in) => {
            format!("{method} {path} was removed at feature level {removed_in}; this world is at {level}.")
        }
        None => format!("{method} {path} was added at feature level {since}; this world is at {level}."),
    }
}

/// Removed operations that no level serves, though older servers do.
const UNSERVED_OPERATIONS: [(&str, &str); 5] = [
    ("GET", "/users/me/pointer"),
    ("POST", "/users/me/pointer"),
    ("GET", "/realm/filters"),
    ("POST", "/users/me/hotspots"),
    ("POST", "/users/me/tutorial_status"),
];

/// A hint for an operation of older servers that is not served; None for others.
pub fn for_unserved_operation(method: &str, path: &str) -> Option<String> {
    UNSERVED_OPERATIONS
        .contains(&(method, path))
        .then(|| format!("Older servers have {method} {path}; chatdouble does not serve it at any feature level."))
}

/// A hint for an unknown path: the nearest operation, or where all operations are listed.
pub fn for_unknown_path(method: &str, path: &str) -> String {
    // Clients repeat the prefix by joining it to a base URL that already ends with it.
    let unprefixed_path = path.trim_start_matches("/api/v1");
    if unprefixed_path.len() < path.len() && unprefixed_path.starts_with('/') {
        return ["The path has /api/v1 more than once. ", &*for_unknown_path(method, unprefixed_path)].concat();
    }
    match Router::find_nearest(method, path) {
        Some(row) => ["The nearest operation is ", row.route.method, " /api/v1", row.route.path, "."].concat(),
        None => "No operation has a path like this; GET /control/openapi.json lists them.".to_owned(),
    }
}

/// Longer paths are not repeated in a hint.
const MAX_PATH_BYTES: usize = 1_000;

/// A hint for a path with doubled slashes: the path without them. Clients get them by joining a base URL that ends with
/// a slash and a path that begins with one.
pub fn for_doubled_slash(path: &str) -> Option<String> {
    let corrected_path = without_empty_parts(path)?;
    Some(format!("The path has a doubled slash; without it: {corrected_path}"))
}

/// A path without its doubled slashes; None if it has none, has nothing else, or is longer than [`MAX_PATH_BYTES`].
fn without_empty_parts(path: &str) -> Option<String> {
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    if !path.contains("//") || parts.peek().is_none() || path.len() > MAX_PATH_BYTES {
        return None;
    }
    Some(parts.flat_map(|part| ["/", part]).collect())
}

/// A hint for a path outside the API: the path without doubled slashes if it has any, otherwise where the API is, and
/// the nearest operation.
pub fn for_path_outside_api(method: &str, path: &str) -> String {
    if let Some(hint) = for_doubled_slash(path) {
        return hint;
    }
    let api_location = "The API is below /api/v1, control below /control";
    if path.trim_matches('/').is_empty() {
        return format!("{api_location}; a browser gets the console here.");
    }
    if let Some((first, rest)) = path.trim_start_matches('/').split_once('/')
        && find_similar(first, ["control".to_owned()].into_iter()).is_some()
    {
        return format!("{api_location}: did you mean /control/{rest}?");
    }
    match Router::find_nearest(method, without_version_prefix(path)) {
        Some(row) => {
            format!("{api_location}; the nearest operation is {} /api/v1{}.", row.route.method, row.route.path)
        }
        None => format!("{api_location}."),
    }
}

/// Whether a path outside the API would be that of an operation with the API's prefix and without doubled slashes.
pub fn is_operation_outside_api(method: &str, path: &str) -> bool {
    let corrected_path = without_empty_parts(path);
    let path = without_version_prefix(corrected_path.as_deref().unwrap_or(path));
    Router::find_nearest(method, path).is_some_and(|row| row.route.path == path)
}

/// Removes a prefix such as `/api`, `/api/v2`, `/api/api/v1` or `/v1`, which clients put before the path of an
/// operation by mistake.
fn without_version_prefix(path: &str) -> &str {
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|number| number.parse::<u8>().is_ok());
    let mut path = path;
    // The longest such prefixes have three parts.
    for _ in 0..3 {
        let Some((first, suffix)) =
            path.strip_prefix('/').and_then(|path| path.find('/').map(|end| path.split_at(end)))
        else {
            return path;
        };
        if first != "api" && !is_version(first) {
            return path;
        }
        path = suffix;
    }
    path
}

/// A hint for an unknown world: the one with the most similar name; if none is similar, where the worlds are listed.
pub fn for_unknown_world(name: &str, world_names: &[String]) -> String {
    match find_similar(name, world_names.iter().cloned()) {
        Some(nearest) => format!("There is no world '{name}'; the nearest is '{nearest}'."),
        None if world_names.is_empty() => format!("There is no world '{name}', nor any other."),
        None => format!("There is no world '{name}'; GET /control/worlds lists those that there are."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_operation_is_found_below_a_wrong_prefix() {
        for path in ["/api/messages", "/api/v2/messages", "/v1/messages", "/messages"] {
            let hint = for_path_outside_api("POST", path);
            assert!(hint.ends_with("the nearest operation is POST /api/v1/messages."), "{path}: {hint}");
        }
    }

    #[test]
    fn permission_hints_are_for_existing_errors() {
        for (name, hint) in PERMISSION_HINTS {
            assert!(Error::TABLE.iter().any(|row| row.name == *name), "{name}");
            assert!(hint.ends_with('.'), "{hint}");
        }
    }
}
