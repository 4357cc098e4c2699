//! `chatdouble watch`: prints the frames of a world's watch socket (requests, events and so on) as they arrive, and
//! reconnects.

mod connection;
mod filter;
mod line;
mod names;
mod target;

use super::CliError;
use super::output::tell;
use super::secure::{Trusting, with_remedy};
use super::signals::Ending;
use clap::Args;
use filter::{Filter, Filtering};
use futures_util::StreamExt;
use serde_json::Value;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use target::Target;
use tokio_rustls::rustls::ClientConfig;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Response, StatusCode, header};
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long is waited before the second attempt; each further one waits twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble watch\n  chatdouble watch http://127.0.0.1:9991/w/mine --user mel --kind request"
)]
pub struct Watch {
    #[arg(
        help = "Base URL of the world, such as http://127.0.0.1:9991/w/NAME or http://NAME.localhost:9991",
        value_name = "URL",
        default_value = "http://127.0.0.1:9991",
        value_parser = Target::parse
    )]
    world: Target,

    /// Token that the server's /control requires
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    control_token: Option<String>,

    #[command(flatten)]
    trusting: Trusting,

    #[command(flatten)]
    filter: Filter,

    /// Print the frames as they come, one JSON object per line
    #[arg(long)]
    json: bool,
}

/// How a connection ended.
enum Disconnect {
    /// Standard output was closed.
    OutputClosed,
    /// The other side went away, or can't be reached for now.
    Lost(String),
}

pub fn run(watch: &Watch) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::of_start)?;
    runtime.block_on(async {
        let mut ending = Ending::listen().map_err(CliError::of_start)?;
        tokio::select! {
            ended = follow(watch) => ended,
            () = ending.received() => Ok(ExitCode::SUCCESS),
        }
    })
}

/// Follows the world until standard output is closed, through restarts of its server.
async fn follow(watch: &Watch) -> Result<ExitCode, CliError> {
    let is_coloured = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let mut pause = FIRST_PAUSE;
    let mut was_connected = false;
    let client = watch.trusting.client(&watch.world.base_url)?;
    names::check(watch, client.clone()).await?;
    let client = client.map(Arc::new);
    loop {
        let attempt = connect(watch, client.as_ref(), &mut was_connected, is_coloured).await?;
        let reason = match attempt {
            (_, Disconnect::OutputClosed) => return Ok(ExitCode::SUCCESS),
            (heard, Disconnect::Lost(reason)) => {
                if heard {
                    pause = FIRST_PAUSE;
                }
                if !was_connected {
                    let url = &watch.world.base_url;
                    return Err(CliError::of_start(format!(
                        "nothing can be watched at {url}: {reason}; start a server with `chatdouble serve`, or give the URL of one"
                    )));
                }
                reason
            }
        };
        tell(format_args!("{}: {reason}; trying again in {} s", watch.world.base_url, pause.as_secs_f64()));
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Connects and prints until the connection ends; whether there was one, and how it ended.
///
/// # Errors
///
/// A refusal that trying again can't change.
async fn connect(
    watch: &Watch,
    client: Option<&Arc<ClientConfig>>,
    was_connected: &mut bool,
    is_coloured: bool,
) -> Result<(bool, Disconnect), CliError> {
    let mut request = watch.world.watching.as_str().into_client_request().map_err(CliError::of_start)?;
    if let Some(token) = &watch.control_token {
        let value = HeaderValue::from_str(&format!("Bearer {token}"));
        request.headers_mut().insert(header::AUTHORIZATION, value.map_err(CliError::of_usage)?);
    }
    let mut socket = match connection::open(&watch.world, client, request).await {
        Ok(socket) => socket,
        Err(Error::Http(reply)) => return refused(watch, reply.status(), hint(&reply), *was_connected),
        Err(error) => return Ok((false, Disconnect::Lost(reason(&error)))),
    };
    tell(format_args!("{}: {}", watch.world.base_url, if *was_connected { "watching again" } else { "watching" }));
    *was_connected = true;
    let mut filtering = Filtering::new(&watch.filter);
    loop {
        let text = match socket.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_))) | None => {
                return Ok((true, Disconnect::Lost("the connection was closed".into())));
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => return Ok((true, Disconnect::Lost(reason(&error)))),
        };
        let frame = serde_json::from_str::<Value>(&text).ok();
        if frame.as_ref().is_some_and(|frame| !filtering.admits(frame)) {
            continue;
        }
        let line = if watch.json { text.to_string() } else { line::of_frame(&text, is_coloured) };
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            return Ok((true, Disconnect::OutputClosed));
        }
    }
}

/// What a refusal means: a server that is starting again may not have the world yet, all else is for good.
fn refused(
    watch: &Watch,
    status: StatusCode,
    hint: Option<&str>,
    was_connected: bool,
) -> Result<(bool, Disconnect), CliError> {
    let what = match status {
        StatusCode::UNAUTHORIZED => "asks for the right --control-token".to_owned(),
        StatusCode::FORBIDDEN => "does not let this host name steer it; give --control-token".to_owned(),
        StatusCode::NOT_FOUND => format!("has no world '{}' that can be watched", watch.world.name),
        other => hint.map_or_else(|| format!("answers {other}"), |hint| format!("answers {other}: {hint}")),
    };
    if was_connected && matches!(status, StatusCode::NOT_FOUND) || status.is_server_error() {
        return Ok((false, Disconnect::Lost(what)));
    }
    Err(CliError::of_start(format!("{} {what}", watch.world.base_url)))
}

/// What a server of this program says would have worked.
fn hint<B>(reply: &Response<B>) -> Option<&str> {
    reply.headers().get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok())
}

fn reason(error: &Error) -> String {
    match error {
        Error::Io(error) => with_remedy(error.to_string()),
        other => other.to_string(),
    }
}
