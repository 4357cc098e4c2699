//! `chatdouble watch`: prints the frames of a world's watch socket as they arrive, and reconnects when the connection
//! ends.

mod connection;
mod days;
mod filter;
mod filter_check;
mod line;
mod repeats;
mod target;

use super::CliError;
use super::output::eprint_line;
use super::signals::TerminationSignals;
use super::tls::{TrustOptions, with_tls_hint};
use clap::Args;
use days::Days;
use filter::{Filter, FilterState};
use futures_util::StreamExt;
use repeats::Repeats;
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

/// The pause before the first attempt to connect again. It doubles with each failed attempt, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const MAX_PAUSE: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble watch\n  chatdouble watch http://127.0.0.1:9991/w/mine --user mel --kind request"
)]
pub struct Watch {
    // Not a doc comment, in which rustdoc would want the second URL to be a link.
    #[arg(
        help = "Base URL of the world, such as http://127.0.0.1:9991/w/NAME or http://NAME.localhost:9991",
        value_name = "URL",
        env = "CHATDOUBLE_URL",
        default_value = "http://127.0.0.1:9991",
        value_parser = Target::parse
    )]
    world: Target,

    /// Token that the server's /control requires
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    control_token: Option<String>,

    #[command(flatten)]
    trust: TrustOptions,

    #[command(flatten)]
    filter: Filter,

    /// Print the frames as they come, one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Why a connection ended.
enum Disconnect {
    /// Standard output was closed.
    OutputClosed,
    /// The server closed the connection, or can't be reached or refuses the connection at the moment; with the reason.
    Lost(String),
}

pub fn run(watch: &Watch) -> Result<ExitCode, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::failure)?;
    runtime.block_on(async {
        let mut signals = TerminationSignals::listen().map_err(CliError::failure)?;
        tokio::select! {
            result = follow(watch) => result,
            () = signals.wait() => Ok(ExitCode::SUCCESS),
        }
    })
}

/// Prints the world's frames until standard output is closed. Reconnects after restarts of the server.
async fn follow(watch: &Watch) -> Result<ExitCode, CliError> {
    let is_coloured =
        std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut pause = FIRST_PAUSE;
    let mut has_ever_connected = false;
    let tls_config = watch.trust.config_for(&watch.world.base_url)?;
    filter_check::check(watch, tls_config.clone()).await?;
    let tls_config = tls_config.map(Arc::new);
    loop {
        let attempt = connect_and_print(watch, tls_config.as_ref(), &mut has_ever_connected, is_coloured).await?;
        let reason = match attempt {
            (_, Disconnect::OutputClosed) => return Ok(ExitCode::SUCCESS),
            (has_connected, Disconnect::Lost(reason)) => {
                if has_connected {
                    pause = FIRST_PAUSE;
                }
                if !has_ever_connected {
                    let url = &watch.world.base_url;
                    return Err(CliError::failure(format!(
                        "nothing can be watched at {url}: {reason}; start a server with `chatdouble serve`, or give the URL of one"
                    )));
                }
                reason
            }
        };
        eprint_line(format_args!("{}: {reason}; trying again in {} s", watch.world.base_url, pause.as_secs_f64()));
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(MAX_PAUSE);
    }
}

/// Connects and prints frames until the connection ends. Sets `has_ever_connected` once a connection is made. Returns
/// whether this attempt made one, and why it ended.
///
/// # Errors
///
/// A URL or token from which no request can be made, or a refusal that another attempt can't change.
async fn connect_and_print(
    watch: &Watch,
    tls_config: Option<&Arc<ClientConfig>>,
    has_ever_connected: &mut bool,
    is_coloured: bool,
) -> Result<(bool, Disconnect), CliError> {
    let mut request = watch.world.socket_url.as_str().into_client_request().map_err(CliError::failure)?;
    if let Some(token) = &watch.control_token {
        let value = HeaderValue::from_str(&format!("Bearer {token}"));
        request.headers_mut().insert(header::AUTHORIZATION, value.map_err(CliError::usage)?);
    }
    let mut socket = match connection::open(&watch.world, tls_config, request).await {
        Ok(socket) => socket,
        Err(Error::Http(reply)) => return handle_refusal(watch, &reply, *has_ever_connected),
        Err(error) => return Ok((false, Disconnect::Lost(connection_error_reason(&error)))),
    };
    eprint_line(format_args!(
        "{}: {}",
        watch.world.base_url,
        if *has_ever_connected { "watching again" } else { "watching" }
    ));
    *has_ever_connected = true;
    let mut filter_state = FilterState::new(&watch.filter);
    let mut days = Days::default();
    let mut repeats = Repeats::default();
    loop {
        let received = match socket.next().await {
            Some(Ok(Message::Text(text))) => Ok(text),
            Some(Ok(Message::Close(_))) | None => Err("the connection was closed".to_owned()),
            Some(Ok(_)) => continue,
            Some(Err(error)) => Err(connection_error_reason(&error)),
        };
        let text = match received {
            Ok(text) => text,
            Err(reason) => {
                let is_printed = print_lines(repeats.end_series()).is_ok();
                let disconnect = if is_printed { Disconnect::Lost(reason) } else { Disconnect::OutputClosed };
                return Ok((true, disconnect));
            }
        };
        let frame = serde_json::from_str::<Value>(&text).ok();
        if frame.as_ref().is_some_and(|frame| !filter_state.admits(frame)) {
            continue;
        }
        let line = if watch.json { text.to_string() } else { line::format_frame(&text, is_coloured) };
        let frame = frame.filter(|_| !watch.json);
        let day = frame.as_ref().and_then(|frame| days.line_before(frame));
        let line = day.map(|day| format!("{day}\n{line}")).unwrap_or(line);
        if print_lines(repeats.lines_for(frame.as_ref(), line)).is_err() {
            return Ok((true, Disconnect::OutputClosed));
        }
    }
}

fn print_lines(lines: impl IntoIterator<Item = String>) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    lines.into_iter().try_for_each(|line| writeln!(output, "{line}"))?;
    output.flush()
}

/// Handles a refusal. A server error is temporary, and so is a missing world after an earlier connection, since the
/// server may have restarted without it. Any other refusal is an error.
fn handle_refusal(
    watch: &Watch,
    reply: &Response<Option<Vec<u8>>>,
    has_ever_connected: bool,
) -> Result<(bool, Disconnect), CliError> {
    let status = reply.status();
    let problem = match status {
        StatusCode::UNAUTHORIZED => "asks for the right --control-token".to_owned(),
        StatusCode::FORBIDDEN => "does not let this host name steer it; give --control-token".to_owned(),
        StatusCode::NOT_FOUND => {
            format!("has no world '{}' that can be watched{}", watch.world.name, nearest_world(reply))
        }
        other => hint(reply).map_or_else(|| format!("answers {other}"), |hint| format!("answers {other}: {hint}")),
    };
    if has_ever_connected && matches!(status, StatusCode::NOT_FOUND) || status.is_server_error() {
        return Ok((false, Disconnect::Lost(problem)));
    }
    Err(CliError::failure(format!("{} {problem}", watch.world.base_url)))
}

/// The hint that a double gives with its refusal; other servers give none.
fn hint<B>(reply: &Response<B>) -> Option<&str> {
    reply.headers().get("x-chatdouble-hint").and_then(|hint| hint.to_str().ok())
}

/// The end of a double's refusal of an unknown world, which names the nearest; empty for other refusals.
fn nearest_world(reply: &Response<Option<Vec<u8>>>) -> String {
    let body: Value = serde_json::from_slice(reply.body().as_deref().unwrap_or_default()).unwrap_or_default();
    let nearest = body["msg"].as_str().and_then(|message| message.split_once("; the nearest is "));
    nearest.map(|(_, name)| format!("; the nearest is {name}")).unwrap_or_default()
}

fn connection_error_reason(error: &Error) -> String {
    match error {
        Error::Io(error) => with_tls_hint(error.to_string()),
        other => other.to_string(),
    }
}
