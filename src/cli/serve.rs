//! `chatdouble serve`: the server on a terminal or in CI.

mod first_steps;
mod values;
mod webhooks;

use super::CliError;
use super::ending::{self, EndRequest};
use super::file::write_whole;
use super::open_files;
use super::output::{say, tell};
use super::secure::Secure;
use super::state_file::StateFile;
use crate::control::InitialClock;
use crate::counted::counted;
use crate::dialect::Dialect;
use crate::fixture::Source;
use crate::json_diagnostic::nearest;
use crate::server::listen::is_loopback;
use crate::server::{Options, Server, StartError};
use crate::time::Span;
use crate::tls::EMULATORS_HOST;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tracing::level_filters::LevelFilter;
pub use values::feature_level;
use values::{control_token, host, host_name, origin, world_ttl};
use webhooks::Webhooks;

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble serve --dialect zulip\n  chatdouble serve --host 0.0.0.0 --control-token TOKEN --tls --tls-ca-file ca.pem"
)]
pub struct Serve {
    /// Address to listen on [default: both loopback families]
    #[arg(long, env = "CHATDOUBLE_HOST", value_name = "HOST", value_parser = host)]
    host: Option<String>,

    /// Port to listen on; 0 for a free one [default: 9991; with exec a free one]
    #[arg(long, env = "CHATDOUBLE_PORT", value_name = "PORT")]
    port: Option<u16>,

    /// File to which to write the port, complete before the ready line is printed
    #[arg(long, env = "CHATDOUBLE_PORT_FILE", value_name = "FILE")]
    port_file: Option<PathBuf>,

    /// Built-in fixture by name (default, cast, empty, hostile, large), or a file [default: default]
    #[arg(long, env = "CHATDOUBLE_FIXTURE", value_name = "NAME|FILE")]
    fixture: Option<String>,

    #[command(flatten)]
    pub state: StateFile,

    /// real; frozen (at the start time); or an instant (RFC 3339) at which it is frozen [default: real]
    #[arg(long, env = "CHATDOUBLE_CLOCK", value_name = "CLOCK", value_parser = InitialClock::parse)]
    clock: Option<InitialClock>,

    /// Feature level that the default world emulates [default: the newest]
    #[arg(long, env = "CHATDOUBLE_FEATURE_LEVEL", value_name = "N", allow_negative_numbers = true, value_parser = feature_level)]
    feature_level: Option<i64>,

    /// Names on the wire: neutral, zulip, or a file that maps neutral names to a vendor's
    #[arg(long, env = "CHATDOUBLE_DIALECT", value_name = "NAME|FILE", default_value = "neutral")]
    dialect: String,

    /// Seed of everything random
    #[arg(long, env = "CHATDOUBLE_SEED", value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Token that /control requires; mandatory if the host is not loopback
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true, value_parser = control_token)]
    control_token: Option<String>,

    /// Origin of web pages that may call the API; * for all
    #[arg(long, env = "CHATDOUBLE_CORS_ORIGIN", value_name = "ORIGIN", default_value = "*", value_parser = origin)]
    cors_origin: String,

    /// Host name of the server, at which it gives out keys as development servers do; repeat the option for several, or
    /// separate them by commas in the variable
    #[arg(long, env = "CHATDOUBLE_HOST_NAME", value_name = "NAME", value_delimiter = ',', value_parser = host_name)]
    host_name: Vec<String>,

    /// No world at the root, which answers only server_settings, like a server of many organizations
    #[arg(long, env = "CHATDOUBLE_NO_ROOT_WORLD", value_parser = BoolishValueParser::new())]
    no_root_world: bool,

    /// End, as by SIGTERM, when standard input is closed, so that no server outlives the program that started it
    #[arg(long, env = "CHATDOUBLE_EXIT_WITH_STDIN", value_parser = BoolishValueParser::new())]
    exit_with_stdin: bool,

    /// End, as by SIGTERM, when the process with this number has ended; for servers that several processes of a test
    /// run share
    #[cfg(unix)]
    #[arg(long, env = "CHATDOUBLE_EXIT_WITH_PROCESS", value_name = "PID", value_parser = ending::process::pid)]
    exit_with_process: Option<ending::process::Pid>,

    /// Delete worlds that got no request for this long, unless they have their own time: seconds, or 1d2h30m
    #[arg(long, env = "CHATDOUBLE_WORLD_TTL", value_name = "SECONDS", value_parser = world_ttl)]
    world_ttl: Option<Span>,

    /// Where outgoing webhooks may post: only addresses of this machine, or all
    #[arg(long, env = "CHATDOUBLE_WEBHOOKS", value_name = "WHERE", value_enum, default_value = "loopback")]
    webhooks: Webhooks,

    #[command(flatten)]
    pub secure: Secure,

    /// Open the console in the browser of this desk
    #[arg(long, env = "CHATDOUBLE_OPEN", value_parser = BoolishValueParser::new())]
    open: bool,

    /// Level of the log on standard error: off, error, warn, info, debug or trace
    #[arg(long, env = "CHATDOUBLE_LOG", value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
}

/// Where it listens unless something else is given.
pub const PORT: u16 = 9991;
/// How long the worlds may be examined at the end: a signal ends the program within a second.
const EXAMINATION: Duration = Duration::from_millis(600);

pub fn run(serve: Serve) -> Result<ExitCode, CliError> {
    let waiting = waiting_runtime()?;
    // Before anything that takes a while: a signal that comes early ends the program in status 0 too.
    let end = waiting.block_on(async { serve.listen() })?;
    // `exec` does not: its command would inherit what some programs take for a number of files to close.
    open_files::take();
    let runtime = serve.prepare()?;
    let _lock = serve.state.lock()?;
    let starting = runtime.spawn(Server::start_with(serve.options(PORT)?));
    let status = waiting.block_on(serve_until_asked_to_end(&serve, starting, end));
    // Neither parked polls nor requests that take long keep the program alive.
    waiting.shutdown_background();
    runtime.shutdown_background();
    status
}

/// A runtime for what ends the program: it is noticed there however busy the server's own threads are.
pub fn waiting_runtime() -> Result<Runtime, CliError> {
    open_files::check()?;
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::of_start)
}

/// A server that is being started.
type Starting = JoinHandle<Result<Server, StartError>>;

async fn serve_until_asked_to_end(
    serve: &Serve,
    starting: Starting,
    mut end: EndRequest,
) -> Result<ExitCode, CliError> {
    let started = tokio::select! {
        started = starting => started.map_err(CliError::of_start)?,
        // A large fixture takes a while to load.
        () = end.wait() => return Ok(ExitCode::SUCCESS),
    };
    let server = started.map_err(|error| serve.fault(error))?;
    serve.tell_state(&server);
    let state = serve.state.follow(&server);
    serve.tell_place(&server)?;
    say(format_args!("chatdouble {} listening on {}", env!("CARGO_PKG_VERSION"), server.url()))?;
    let _ = std::io::stdout().flush();
    serve.tell_elsewhere(&server);
    serve.open_console(&server);
    if serve.log != LevelFilter::OFF && std::io::stderr().is_terminal() {
        first_steps::tell_on_terminal(&server, serve.token().is_some(), serve.secure.trusted_file().as_deref());
    }
    end.wait().await;
    let examined = server.violations_within(EXAMINATION).await;
    if examined.unfinished > 0 {
        tracing::warn!("there was no time to check the invariants of {}", counted(examined.unfinished, "world"));
    }
    server.stop().await;
    if let Some(state) = state {
        state.write_at_end(examined.violations.is_empty())?;
    }
    status(&examined.violations)
}

/// Whether somebody at a terminal runs this program from its sources.
fn is_run_by_cargo() -> bool {
    let package = std::env::var_os("CARGO_PKG_NAME");
    std::io::stderr().is_terminal() && package.is_some_and(|package| package == env!("CARGO_PKG_NAME"))
}

/// How a run ends: in status 3 when a world turns out to be broken, so that no CI trusts what it answered.
pub fn status(violations: &[String]) -> Result<ExitCode, CliError> {
    match violations {
        [] => Ok(ExitCode::SUCCESS),
        [only] => Err(CliError::of_program(only)),
        [first, more @ ..] => Err(CliError::of_program(format!("{first} (and {} more)", more.len()))),
    }
}

impl Serve {
    /// Listens for all that is to end the program.
    fn listen(&self) -> Result<EndRequest, CliError> {
        let end = EndRequest::listen()?;
        if self.exit_with_stdin {
            end.ends_after(ending::wait_for_input);
        }
        #[cfg(unix)]
        if let Some(pid) = self.exit_with_process {
            end.ends_after(move || ending::process::wait_for_end(pid));
        }
        Ok(end)
    }

    /// What there must be before anything is served: a log and a runtime.
    pub fn prepare(&self) -> Result<Runtime, CliError> {
        super::log::begin(self.log);
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::of_start)
    }

    /// Starts the server.
    pub async fn start(&self, default_port: u16) -> Result<Server, CliError> {
        Server::start_with(self.options(default_port)?).await.map_err(|error| self.fault(error))
    }

    /// What is said of a server that does not start.
    pub fn fault(&self, error: StartError) -> CliError {
        match error {
            StartError::Fixture(_) => CliError::of_start(format!("{}: {error}", self.fixture())),
            StartError::State(_) => self.state.fault(&error.to_string()),
            StartError::Listen(ref cause) if cause.kind() == std::io::ErrorKind::AddrInUse => {
                let another = if is_run_by_cargo() { "'cargo run -- --port 0'" } else { "--port 0" };
                CliError::of_start(format!("{error}; take another with --port, such as {another} for a free one"))
            }
            StartError::Listen(_) => CliError::of_start(error),
            StartError::Tls(_) => self.secure.fault(error),
        }
    }

    /// Writes the files that were asked for. To whoever waits for that of the port, the program is ready then, for
    /// signals
    /// too.
    pub fn tell_place(&self, server: &Server) -> Result<(), CliError> {
        self.secure.tell_trusted(server)?;
        let Some(file) = &self.port_file else { return Ok(()) };
        write_whole(file, &format!("{}\n", server.address().port()))
            .map_err(|error| CliError::of_start(format!("cannot write {}: {error}", file.display())))
    }

    /// Tells where other machines find the server, phones among them, unless nothing is to be printed.
    pub fn tell_elsewhere(&self, server: &Server) {
        if self.log == LevelFilter::OFF || !server.address().ip().is_unspecified() {
            return;
        }
        let elsewhere = server.urls_elsewhere();
        if !elsewhere.is_empty() {
            tell(format_args!("other machines find it at {}", elsewhere.join(", ")));
        }
        let emulators = server.url().replacen("127.0.0.1", &EMULATORS_HOST.to_string(), 1);
        tell(format_args!("an Android emulator finds it at {emulators}, an iOS simulator at {}", server.url()));
    }

    /// Opens the console in a browser, if that was asked for.
    pub fn open_console(&self, server: &Server) {
        let url = format!("{}/", server.url());
        if self.open
            && let Err(error) = open::that_detached(&url)
        {
            tell(format_args!("cannot open {url} in a browser: {error}"));
        }
    }

    /// The token that control asks for.
    pub fn token(&self) -> Option<&str> {
        // As CI files have it that set a variable to nothing: there is none.
        self.control_token.as_deref().filter(|token| !token.is_empty())
    }

    /// Whether a port was asked for, or a file with it.
    pub fn has_own_port(&self) -> bool {
        self.port.is_some_and(|port| port != 0) || self.port_file.is_some()
    }

    /// What the server is started with.
    pub fn options(&self, default_port: u16) -> Result<Options, CliError> {
        let control_token = self.token().map(str::to_owned);
        if let Some(host) = self.host.as_deref().filter(|host| !is_loopback(host))
            && control_token.is_none()
        {
            return Err(CliError::of_usage(format!(
                "--host {host} can be reached from elsewhere: give a --control-token, which /control will ask for"
            )));
        }
        if self.no_root_world && self.state.file.is_some() {
            return Err(CliError::of_usage(
                "--state keeps the default world, which --no-root-world leaves out".to_owned(),
            ));
        }
        Ok(Options {
            host: self.host.clone(),
            port: self.port.unwrap_or(default_port),
            fixture: self.source()?,
            state: self.state.read()?,
            clock: self.clock.unwrap_or(InitialClock::Real),
            feature_level: self.feature_level.unwrap_or(crate::api::NEWEST_FEATURE_LEVEL),
            dialect: dialect(&self.dialect)?,
            seed: self.seed,
            cors_origin: self.cors_origin.clone(),
            host_names: self.host_name.clone(),
            has_root_world: !self.no_root_world,
            control_token,
            world_ttl: self.world_ttl,
            tls: self.secure.tls()?,
            webhooks: self.webhooks.reach(),
        })
    }

    fn fixture(&self) -> &str {
        self.fixture.as_deref().unwrap_or("default")
    }

    fn source(&self) -> Result<Source, CliError> {
        let fixture = self.fixture();
        if let Some(source) = Source::builtin(fixture) {
            return Ok(source);
        }
        let describe = |error| {
            let built_in = Source::BUILT_IN;
            let nearest = nearest(fixture, &built_in.split(", ").collect::<Vec<_>>());
            let meant = nearest.map(|name| format!("; did you mean '{name}'?")).unwrap_or_default();
            format!("{fixture}: is neither a built-in fixture ({built_in}) nor a readable file: {error}{meant}")
        };
        let text = std::fs::read_to_string(fixture).map_err(|error| CliError::of_start(describe(error)))?;
        Ok(text.into())
    }

    /// Logs what became of the file of the state; where it is used, the options that hold only for other worlds then.
    pub fn tell_state(&self, server: &Server) {
        let ignored = [("--clock", self.clock.is_some()), ("--fixture", self.fixture.is_some())];
        let ignored: Vec<&str> = ignored.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect();
        self.state.tell(server, &ignored, self.log != LevelFilter::OFF);
    }
}

/// The dialect of this name, or that a file describes.
pub fn dialect(name: &str) -> Result<Dialect, CliError> {
    match name {
        "neutral" => Ok(Dialect::neutral()),
        "zulip" => Ok(Dialect::zulip()),
        file => {
            let nearest =
                nearest(file, &["neutral", "zulip"]).map_or(String::new(), |name| format!("; did you mean {name}?"));
            let describe = |error| {
                format!("{file}: is neither a built-in dialect (neutral, zulip) nor a readable file: {error}{nearest}")
            };
            let text = std::fs::read_to_string(file).map_err(|error| CliError::of_start(describe(error)))?;
            crate::control::dialect::read(&text).map_err(|fault| CliError::of_start(format!("{file}: {fault}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_world_ends_the_program_in_status_3_with_a_line_that_names_it() {
        assert!(status(&[]).is_ok());

        let lines = ["world default breaks agenda: it is empty".to_owned(), "world a breaks b: c".to_owned()];
        let one = status(&lines[..1]).expect_err("it is broken");
        assert_eq!((one.status, one.message), (3, lines[0].clone()));
        let two = status(&lines).expect_err("it is broken");
        assert_eq!(two.message, format!("{} (and 1 more)", lines[0]));
    }
}
