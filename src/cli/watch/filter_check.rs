//! Checks the user and the path in the filter options: an unknown one would hide the frames that the user expects.

use super::Watch;
use crate::api::rows;
use crate::cli::CliError;
use crate::scenario::client::{Client, HttpRequest};
use tokio_rustls::rustls::ClientConfig;

/// Asks the server whether the user exists, and about a path with which no operation's path begins.
///
/// # Errors
///
/// The refusal of the user or path by control, or if no HTTP client can be made. A failed request is no error here: the
/// watch socket meets the same failure.
pub async fn check(watch: &Watch, tls_config: Option<ClientConfig>) -> Result<(), CliError> {
    let (user, path) = watch.filter.user_and_path();
    // The beginning of an operation's path is sufficient.
    let path = path.filter(|path| !rows().any(|row| row.route.path.starts_with(path)));
    // Only the check of the parameters is wanted, no entries.
    let mut query = form_urlencoded::Serializer::new("limit=0".to_owned());
    query.extend_pairs(user.map(|user| ("user", user))).extend_pairs(path.map(|path| ("path", path)));
    if user.is_none() && path.is_none() {
        return Ok(());
    }
    let journal_url = journal_url(&watch.world.socket_url);
    let mut request = HttpRequest {
        method: "GET".into(),
        url: format!("{journal_url}?{}", query.finish()),
        ..HttpRequest::default()
    };
    if let Some(token) = &watch.control_token {
        request.headers.push(("authorization".into(), format!("Bearer {token}")));
    }
    let client = Client::new(&journal_url, tls_config).map_err(CliError::failure)?;
    match client.send(request).await {
        Ok(reply) if reply.status == 400 => {
            let reason = reply.body["msg"].as_str().unwrap_or_default().to_owned();
            // The reason begins with the name of the parameter, which is that of the option.
            Err(CliError::usage(format!("--{reason}")))
        }
        _ => Ok(()),
    }
}

/// The URL of the journal of the world with this watch socket.
fn journal_url(socket_url: &str) -> String {
    let watch_url = socket_url.replacen("ws", "http", 1);
    // Only the end is replaced: a world may be called `watch`.
    let world_url = watch_url.strip_suffix("/watch").unwrap_or(&watch_url);
    format!("{world_url}/journal")
}

#[cfg(test)]
mod tests {
    use super::journal_url;

    #[test]
    fn a_world_may_have_the_name_of_the_socket() {
        for (socket_url, expected) in [
            ("ws://127.0.0.1:9991/control/worlds/blue/watch", "http://127.0.0.1:9991/control/worlds/blue/journal"),
            ("wss://chat/control/worlds/watch/watch", "https://chat/control/worlds/watch/journal"),
        ] {
            assert_eq!(journal_url(socket_url), expected);
        }
    }
}
