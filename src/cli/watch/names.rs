//! Names in the options that no request of the world can have: nothing would ever be shown.

use super::Watch;
use crate::api::rows;
use crate::cli::CliError;
use crate::scenario::client::{Ask, Client};
use tokio_rustls::rustls::ClientConfig;

/// Asks the server whether the user exists and the path is served.
///
/// # Errors
///
/// What control says of them. A server that can't be asked refuses nothing.
pub async fn check(watch: &Watch, client: Option<ClientConfig>) -> Result<(), CliError> {
    let (user, path) = watch.filter.names();
    // The beginning of a path is enough.
    let path = path.filter(|path| !rows().any(|row| row.route.path.starts_with(path)));
    let mut query = form_urlencoded::Serializer::new("limit=0".to_owned());
    query.extend_pairs(user.map(|user| ("user", user))).extend_pairs(path.map(|path| ("path", path)));
    if user.is_none() && path.is_none() {
        return Ok(());
    }
    let journal = watch.world.watching.replacen("ws", "http", 1).replace("/watch", "/journal");
    let mut ask = Ask { method: "GET".into(), url: format!("{journal}?{}", query.finish()), ..Ask::default() };
    if let Some(token) = &watch.control_token {
        ask.headers.push(("authorization".into(), format!("Bearer {token}")));
    }
    let client = Client::new(&journal, client).map_err(CliError::of_start)?;
    match client.ask(ask).await {
        Ok(answer) if answer.status == 400 => {
            let reason = answer.body["msg"].as_str().unwrap_or_default().to_owned();
            Err(CliError::of_usage(format!("--{reason}")))
        }
        _ => Ok(()),
    }
}
