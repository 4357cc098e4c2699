//! `chatdouble serve`: the server on a terminal or in CI.

use super::Fault;
use super::file::write_whole;
use super::output::say;
use crate::control::ClockDefault;
use crate::dialect::Dialect;
use crate::fixture::Source;
use crate::http::authority::Authority;
use crate::server::listen::is_loopback;
use crate::server::{Options, Server, StartError};
use clap::Args;
use clap::builder::BoolishValueParser;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tracing::level_filters::LevelFilter;

#[derive(Debug, Args)]
pub struct Serve {
    /// Address to listen on [default: both loopback families]
    #[arg(long, env = "CHATDOUBLE_HOST", value_name = "HOST")]
    host: Option<String>,

    /// Port to listen on; 0 takes a free one [default: 9991; with exec a free one]
    #[arg(long, env = "CHATDOUBLE_PORT", value_name = "PORT")]
    port: Option<u16>,

    /// File to write the port to, complete before the ready line is printed
    #[arg(long, env = "CHATDOUBLE_PORT_FILE", value_name = "FILE")]
    port_file: Option<PathBuf>,

    /// Built-in fixture by name (default, empty, large), or a file
    #[arg(long, env = "CHATDOUBLE_FIXTURE", value_name = "NAME|FILE", default_value = "default")]
    fixture: String,

    /// real; frozen: stands still at the time of starting; an instant (RFC 3339): stands still there
    #[arg(long, env = "CHATDOUBLE_CLOCK", value_name = "CLOCK", default_value = "real", value_parser = ClockDefault::parse)]
    clock: ClockDefault,

    /// Feature level that the default world emulates [default: the newest]
    #[arg(long, env = "CHATDOUBLE_FEATURE_LEVEL", value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i64).range(0..))]
    feature_level: Option<i64>,

    /// Names on the wire: neutral, zulip, or a file that maps neutral names to a vendor's
    #[arg(long, env = "CHATDOUBLE_DIALECT", value_name = "NAME|FILE", default_value = "neutral")]
    dialect: String,

    /// All that is random follows from it
    #[arg(long, env = "CHATDOUBLE_SEED", value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Token that /control asks for; obligatory when the host is not loopback
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    control_token: Option<String>,

    /// Origin of web pages that may call the API; * for all
    #[arg(long, env = "CHATDOUBLE_CORS_ORIGIN", value_name = "ORIGIN", default_value = "*", value_parser = origin)]
    cors_origin: String,

    /// Name by which the server is called, at which it gives keys of development servers; several: repeated, in the
    /// variable with commas
    #[arg(long, env = "CHATDOUBLE_HOST_NAME", value_name = "NAME", value_delimiter = ',', value_parser = host_name)]
    host_name: Vec<String>,

    /// No world at the root: it answers only server_settings, as a server of many organizations does
    #[arg(long, env = "CHATDOUBLE_NO_ROOT_WORLD", value_parser = BoolishValueParser::new())]
    no_root_world: bool,

    /// What is told on standard error: off, error, warn, info, debug or trace
    #[arg(long, env = "CHATDOUBLE_LOG", value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
}

/// Reads an origin as browsers send it: with anything behind the host no page would ever have it.
fn origin(text: &str) -> Result<String, String> {
    let is_origin = text.parse::<http::Uri>().is_ok_and(|uri| match (uri.scheme_str(), uri.authority()) {
        (Some(scheme), Some(authority)) => text == format!("{scheme}://{authority}"),
        _ => false,
    });
    if is_origin || text == "*" || text == "null" {
        Ok(text.to_owned())
    } else {
        Err("takes * or an origin such as http://localhost:3000".to_owned())
    }
}

/// Reads a host's name, or its address.
fn host_name(text: &str) -> Result<String, String> {
    match Authority::parse(text) {
        Some(host) if host.name().eq_ignore_ascii_case(text) => Ok(text.to_owned()),
        _ => Err("takes a host name such as chat.example.org, without a port".to_owned()),
    }
}

/// Where it listens unless told otherwise.
const PORT: u16 = 9991;
/// How long the worlds may be examined at the end: a signal ends the program within a second.
const EXAMINATION: Duration = Duration::from_millis(600);

pub fn run(serve: Serve) -> Result<ExitCode, Fault> {
    take_open_files();
    let runtime = serve.prepare()?;
    let waiting = waiting_runtime()?;
    let status =
        runtime.block_on(serve.start(PORT)).and_then(|server| waiting.block_on(serve_until_told(&serve, server)));
    // Neither parked polls nor requests that take long keep the program alive.
    waiting.shutdown_background();
    runtime.shutdown_background();
    status
}

/// Every parked poll is an open file, of which many systems allow a program 256 or 1,024 unless it asks for more.
/// `exec` does not ask: its command would inherit what some programs take for a number of files to close.
fn take_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // What can't be had is told when it is missed.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// A runtime for what ends the program: it is noticed there however busy the server's own threads are.
pub fn waiting_runtime() -> Result<Runtime, Fault> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Fault::of_start)
}

async fn serve_until_told(serve: &Serve, server: Server) -> Result<ExitCode, Fault> {
    // Until here a signal ends the program at once: a large fixture takes a while to load.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Fault::of_start)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(Fault::of_start)?;
    serve.tell_port(&server)?;
    say(format_args!("chatdouble {} listening on {}", env!("CARGO_PKG_VERSION"), server.url()))?;
    let _ = std::io::stdout().flush();
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    let examined = server.violations_within(EXAMINATION).await;
    if examined.unfinished > 0 {
        tracing::warn!("there was no time to check the invariants of {} worlds", examined.unfinished);
    }
    server.stop().await;
    ending(&examined.violations)
}

/// How a run ends: in status 3 when a world turns out to be broken, so that no CI trusts what it answered.
pub fn ending(violations: &[String]) -> Result<ExitCode, Fault> {
    match violations {
        [] => Ok(ExitCode::SUCCESS),
        [only] => Err(Fault::of_program(only)),
        [first, more @ ..] => Err(Fault::of_program(format!("{first} (and {} more)", more.len()))),
    }
}

impl Serve {
    /// What there must be before anything is served: a log and a runtime.
    pub fn prepare(&self) -> Result<Runtime, Fault> {
        tracing_subscriber::fmt().with_max_level(self.log).with_writer(std::io::stderr).init();
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Fault::of_start)
    }

    /// Starts the server.
    pub async fn start(&self, default_port: u16) -> Result<Server, Fault> {
        Server::start_with(self.options(default_port)?).await.map_err(|error| match error {
            StartError::Fixture(_) => Fault::of_start(format!("{}: {error}", self.fixture)),
            StartError::Listen(_) => Fault::of_start(error),
        })
    }

    /// Tells the port in the file that was asked for: to whoever waits for it, the program is ready then, for signals too.
    pub fn tell_port(&self, server: &Server) -> Result<(), Fault> {
        let Some(file) = &self.port_file else { return Ok(()) };
        write_whole(file, &format!("{}\n", server.address().port()))
            .map_err(|error| Fault::of_start(format!("cannot write {}: {error}", file.display())))
    }

    fn options(&self, default_port: u16) -> Result<Options, Fault> {
        // As CI files have it that set a variable to nothing: there is none.
        let control_token = self.control_token.clone().filter(|token| !token.is_empty());
        if let Some(host) = self.host.as_deref().filter(|host| !is_loopback(host))
            && control_token.is_none()
        {
            return Err(Fault::of_usage(format!(
                "--host {host} can be reached from elsewhere: give a --control-token, which /control will ask for"
            )));
        }
        Ok(Options {
            host: self.host.clone(),
            port: self.port.unwrap_or(default_port),
            fixture: self.source()?,
            clock: self.clock,
            feature_level: self.feature_level.unwrap_or(crate::api::NEWEST_FEATURE_LEVEL),
            dialect: self.dialect()?,
            seed: self.seed,
            cors_origin: self.cors_origin.clone(),
            host_names: self.host_name.clone(),
            has_root_world: !self.no_root_world,
            control_token,
        })
    }

    fn source(&self) -> Result<Source, Fault> {
        if let Some(source) = Source::builtin(&self.fixture) {
            return Ok(source);
        }
        let describe = |error| {
            let built_in = Source::BUILT_IN;
            format!("{}: $: is neither a built-in fixture ({built_in}) nor a readable file: {error}", self.fixture)
        };
        let text = std::fs::read_to_string(&self.fixture).map_err(|error| Fault::of_start(describe(error)))?;
        Ok(text.into())
    }

    fn dialect(&self) -> Result<Dialect, Fault> {
        match self.dialect.as_str() {
            "neutral" => Ok(Dialect::neutral()),
            "zulip" => Ok(Dialect::zulip()),
            file => {
                let describe = |error| {
                    format!("{file}: is neither a built-in dialect (neutral, zulip) nor a readable file: {error}")
                };
                let text = std::fs::read_to_string(file).map_err(|error| Fault::of_start(describe(error)))?;
                crate::control::dialect::read(&text).map_err(|fault| Fault::of_start(format!("{file}: {fault}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_world_ends_the_program_in_status_3_with_a_line_that_names_it() {
        assert!(ending(&[]).is_ok());

        let lines = ["world default breaks agenda: it is empty".to_owned(), "world a breaks b: c".to_owned()];
        let one = ending(&lines[..1]).expect_err("it is broken");
        assert_eq!((one.status, one.message), (3, lines[0].clone()));
        let two = ending(&lines).expect_err("it is broken");
        assert_eq!(two.message, format!("{} (and 1 more)", lines[0]));
    }
}
