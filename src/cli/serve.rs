//! `chatdouble serve`: runs a server until it is asked to end.

mod first_steps;
mod values;
mod webhooks;

use super::CliError;
use super::atomic_file::write_atomically;
use super::open_files;
use super::output::{eprint_line, print_line};
use super::shutdown::{self, ShutdownListener};
use super::state_file::StateFile;
use super::tls::TlsOptions;
use crate::control::InitialClock;
use crate::count_format::format_count;
use crate::fixture::Fixture;
use crate::json_diagnostic::similar_name;
use crate::server::addresses::is_loopback;
use crate::server::{Options, Server, StartError};
use crate::time::Span;
use crate::tls::ANDROID_EMULATOR_HOST;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tracing::level_filters::LevelFilter;
pub use values::{load_dialect, parse_feature_level};
use values::{
    name_or_file_error, newer_level_warning, parse_control_token, parse_host, parse_host_name, parse_origin,
    parse_world_ttl,
};
use webhooks::WebhookReach;

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble serve --dialect zulip\n  chatdouble serve --host 0.0.0.0 --control-token TOKEN --tls --tls-ca-file ca.pem"
)]
pub struct Serve {
    /// Address to listen on [default: both loopback families]
    #[arg(long, env = "CHATDOUBLE_HOST", value_name = "HOST", value_parser = parse_host)]
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

    /// Feature level that the default world emulates, or newest [default: the newest]
    #[arg(long, env = "CHATDOUBLE_FEATURE_LEVEL", value_name = "N", allow_negative_numbers = true, value_parser = parse_feature_level)]
    feature_level: Option<i64>,

    /// Names on the wire: neutral, zulip, or a file that maps neutral names to a vendor's
    #[arg(long, env = "CHATDOUBLE_DIALECT", value_name = "NAME|FILE", default_value = "neutral")]
    dialect: String,

    /// Seed of everything random
    #[arg(long, env = "CHATDOUBLE_SEED", value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Token that /control requires; mandatory if the host is not loopback
    #[arg(long, env = "CHATDOUBLE_CONTROL_TOKEN", value_name = "TOKEN", hide_env_values = true, value_parser = parse_control_token)]
    control_token: Option<String>,

    /// Origin of web pages that may call the API; * for all
    #[arg(long, env = "CHATDOUBLE_CORS_ORIGIN", value_name = "ORIGIN", default_value = "*", value_parser = parse_origin)]
    cors_origin: String,

    /// Host name of the server, at which it gives out keys as development servers do; repeat the option for several, or
    /// separate them by commas in the variable
    #[arg(long, env = "CHATDOUBLE_HOST_NAME", value_name = "NAME", value_delimiter = ',', value_parser = parse_host_name)]
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
    #[arg(long, env = "CHATDOUBLE_EXIT_WITH_PROCESS", value_name = "PID", value_parser = shutdown::process::parse_pid)]
    exit_with_process: Option<shutdown::process::Pid>,

    /// Delete worlds that got no request for this long, unless they have their own time: seconds, or 1d2h30m
    #[arg(long, env = "CHATDOUBLE_WORLD_TTL", value_name = "SECONDS", value_parser = parse_world_ttl)]
    world_ttl: Option<Span>,

    /// Where outgoing webhooks may post: only addresses of this machine, or all
    #[arg(long, env = "CHATDOUBLE_WEBHOOKS", value_name = "WHERE", value_enum, default_value = "loopback")]
    webhooks: WebhookReach,

    #[command(flatten)]
    pub tls: TlsOptions,

    /// Open the console in the browser of this machine
    #[arg(long, env = "CHATDOUBLE_OPEN", value_parser = BoolishValueParser::new())]
    open: bool,

    /// Level of the log on standard error: off, error, warn, info, debug or trace
    #[arg(long, env = "CHATDOUBLE_LOG", value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
}

pub const DEFAULT_PORT: u16 = 9991;
/// Time limit of the final check of invariants, since a signal must end the program within a second.
const CHECK_TIME_LIMIT: Duration = Duration::from_millis(600);

pub fn run(serve: Serve) -> Result<ExitCode, CliError> {
    let waiting_runtime = current_thread_runtime()?;
    // This comes before slow steps, so that an early signal also ends the program with status 0.
    let shutdown = waiting_runtime.block_on(async { serve.listen_for_shutdown() })?;
    // `exec` does not do this: its command would inherit the limit, and some programs close that many files at the
    // start.
    open_files::raise_limit();
    let runtime = serve.prepare()?;
    serve.warn_of_newer_levels(None);
    let _lock = serve.state.lock()?;
    let start_task = runtime.spawn(Server::start_with(serve.options(DEFAULT_PORT)?));
    let status = waiting_runtime.block_on(serve_until_shutdown(&serve, start_task, shutdown));
    // Parked polls and slow requests must not keep the program alive.
    waiting_runtime.shutdown_background();
    runtime.shutdown_background();
    status
}

/// Creates a runtime on this thread, which notices signals even when the threads of another runtime are busy.
///
/// # Errors
///
/// When too few files can be opened for the runtime, or the system refuses one of its parts.
pub fn current_thread_runtime() -> Result<Runtime, CliError> {
    open_files::check_limit()?;
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CliError::failure)
}

/// The task that starts a server. It ends when the server is ready.
type StartTask = JoinHandle<Result<Server, StartError>>;

async fn serve_until_shutdown(
    serve: &Serve,
    start_task: StartTask,
    mut shutdown: ShutdownListener,
) -> Result<ExitCode, CliError> {
    let result = tokio::select! {
        result = start_task => result.map_err(CliError::failure)?,
        // Loading a large fixture takes a while.
        () = shutdown.wait() => return Ok(ExitCode::SUCCESS),
    };
    let server = result.map_err(|error| serve.start_error(error))?;
    serve.report_state_source(&server);
    let state_writer = serve.state.start_writing(&server);
    serve.write_files(&server)?;
    print_line(format_args!("chatdouble {} listening on {}", env!("CARGO_PKG_VERSION"), server.url()))?;
    serve.print_other_addresses(&server);
    serve.open_console(&server);
    if serve.log != LevelFilter::OFF && std::io::stderr().is_terminal() {
        first_steps::print_first_steps(
            &server,
            serve.token().is_some(),
            serve.tls.trusted_certificate_file().as_deref(),
        );
    }
    shutdown.wait().await;
    let invariant_check = server.violations_within(CHECK_TIME_LIMIT).await;
    if invariant_check.unfinished > 0 {
        tracing::warn!(
            "there was no time to check the invariants of {}",
            format_count(invariant_check.unfinished, "world")
        );
    }
    server.stop().await;
    if let Some(writer) = state_writer {
        writer.write_at_end(invariant_check.violations.is_empty())?;
    }
    exit_status(&invariant_check.violations)
}

/// Whether a developer runs this program with `cargo run` on a terminal.
fn is_run_by_cargo() -> bool {
    let package = std::env::var_os("CARGO_PKG_NAME");
    std::io::stderr().is_terminal() && package.is_some_and(|package| package == env!("CARGO_PKG_NAME"))
}

/// The exit status of a run: an error with status 3 if invariants are broken, so that CI does not trust the run.
pub fn exit_status(violations: &[String]) -> Result<ExitCode, CliError> {
    match violations {
        [] => Ok(ExitCode::SUCCESS),
        [violation] => Err(CliError::internal(violation)),
        [first, others @ ..] => Err(CliError::internal(format!("{first} (and {} more)", others.len()))),
    }
}

impl Serve {
    /// Starts to listen for signals and the other requested reasons to end.
    fn listen_for_shutdown(&self) -> Result<ShutdownListener, CliError> {
        let shutdown = ShutdownListener::listen()?;
        if self.exit_with_stdin {
            shutdown.end_after(shutdown::wait_for_input_end);
        }
        #[cfg(unix)]
        if let Some(pid) = self.exit_with_process {
            shutdown.end_after(move || shutdown::process::wait_for_end(pid));
        }
        Ok(shutdown)
    }

    /// Starts the log and creates the server's runtime.
    pub fn prepare(&self) -> Result<Runtime, CliError> {
        super::log::init(self.log);
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(CliError::failure)
    }

    /// Starts the server. `default_port` is its port without `--port`.
    pub async fn start(&self, default_port: u16) -> Result<Server, CliError> {
        Server::start_with(self.options(default_port)?).await.map_err(|error| self.start_error(error))
    }

    /// The error for the user if the server can't start.
    pub fn start_error(&self, error: StartError) -> CliError {
        match error {
            StartError::Fixture(_) => {
                let file = self.fixture_name();
                CliError::failure(format!("{file}: {error}; see chatdouble fixture check {file}"))
            }
            StartError::State(_) => self.state.read_error(&error.to_string()),
            StartError::Listen(ref cause) if cause.kind() == std::io::ErrorKind::AddrInUse => {
                let example = if is_run_by_cargo() { "'cargo run -- --port 0'" } else { "--port 0" };
                CliError::failure(format!("{error}; take another with --port, such as {example} for a free one"))
            }
            StartError::Listen(_) => CliError::failure(error),
            StartError::Tls(_) => self.tls.start_error(error),
        }
    }

    /// Writes the requested files. The port file is last: once it exists, the program is ready for requests and
    /// signals.
    pub fn write_files(&self, server: &Server) -> Result<(), CliError> {
        self.tls.write_trusted_certificate(server)?;
        let Some(file) = &self.port_file else { return Ok(()) };
        write_atomically(file, &format!("{}\n", server.address().port()))
            .map_err(|error| CliError::failure(format!("cannot write {}: {error}", file.display())))
    }

    /// Prints the URLs for other machines, phones and emulators, if the server listens on all addresses and the log is
    /// not off.
    pub fn print_other_addresses(&self, server: &Server) {
        if self.log == LevelFilter::OFF || !server.address().ip().is_unspecified() {
            return;
        }
        let urls = server.external_urls();
        if !urls.is_empty() {
            eprint_line(format_args!("other machines find it at {}", urls.join(", ")));
        }
        let emulator_url = server.url().replacen("127.0.0.1", &ANDROID_EMULATOR_HOST.to_string(), 1);
        eprint_line(format_args!(
            "an Android emulator finds it at {emulator_url}, an iOS simulator at {}",
            server.url()
        ));
    }

    /// Opens the console in a browser, if requested.
    pub fn open_console(&self, server: &Server) {
        let url = format!("{}/", server.url());
        if self.open
            && let Err(error) = open::that_detached(&url)
        {
            eprint_line(format_args!("cannot open {url} in a browser: {error}"));
        }
    }

    /// The token of control; None without one.
    pub fn token(&self) -> Option<&str> {
        // CI files may set the variable to an empty value.
        self.control_token.as_deref().filter(|token| !token.is_empty())
    }

    /// Whether the command line or a variable sets the level of the server.
    pub fn has_level(&self) -> bool {
        self.feature_level.is_some()
    }

    /// Whether several servers can't run with these options at once, because of a fixed port or a port file.
    pub fn allows_only_one_server(&self) -> bool {
        self.port.is_some_and(|port| port != 0) || self.port_file.is_some()
    }

    /// Warns of levels that the program does not know, unless the log leaves warnings out. None means the level of the
    /// server.
    pub fn warn_of_newer_levels(&self, levels: Option<&[i64]>) {
        let own_levels = self.feature_level.as_slice();
        if self.log >= LevelFilter::WARN
            && let Some(warning) = newer_level_warning(levels.unwrap_or(own_levels))
        {
            eprint_line(warning);
        }
    }

    /// The options of the server, if they agree and their files can be read. `default_port` is its port without `--port`.
    pub fn options(&self, default_port: u16) -> Result<Options, CliError> {
        let control_token = self.token().map(str::to_owned);
        if let Some(host) = self.host.as_deref().filter(|host| !is_loopback(host))
            && control_token.is_none()
        {
            return Err(CliError::usage(format!(
                "--host {host} can be reached from elsewhere: give a --control-token, which /control will ask for"
            )));
        }
        if self.no_root_world && self.state.file.is_some() {
            return Err(CliError::usage(
                "--state keeps the default world, which --no-root-world leaves out".to_owned(),
            ));
        }
        Ok(Options {
            host: self.host.clone(),
            port: self.port.unwrap_or(default_port),
            fixture: self.fixture()?,
            state: self.state.read()?,
            clock: self.clock.unwrap_or(InitialClock::Real),
            feature_level: self.feature_level.unwrap_or(crate::api::NEWEST_FEATURE_LEVEL),
            dialect: load_dialect(&self.dialect)?,
            seed: self.seed,
            cors_origin: self.cors_origin.clone(),
            host_names: self.host_name.clone(),
            has_default_world: !self.no_root_world,
            control_token,
            world_ttl: self.world_ttl,
            tls: self.tls.tls()?,
            webhooks: self.webhooks.reach(),
        })
    }

    fn fixture_name(&self) -> &str {
        self.fixture.as_deref().unwrap_or("default")
    }

    fn fixture(&self) -> Result<Fixture, CliError> {
        let name = self.fixture_name();
        if let Some(fixture) = Fixture::built_in(name) {
            return Ok(fixture);
        }
        let file_error = |error: std::io::Error| {
            let (built_in, suggestion) = (Fixture::BUILT_IN_NAMES.join(", "), similar_fixture_hint(name));
            let reason = format!("is neither a built-in fixture ({built_in}) nor a readable file: {error}{suggestion}");
            name_or_file_error(name, &error, format!("{name}: {reason}"))
        };
        let text = std::fs::read_to_string(name).map_err(file_error)?;
        Ok(text.into())
    }

    /// If the default world comes from the state file, says so, and which options then have no effect on it.
    pub fn report_state_source(&self, server: &Server) {
        let ignored_options = [("--clock", self.clock.is_some()), ("--fixture", self.fixture.is_some())];
        let ignored_options: Vec<&str> =
            ignored_options.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect();
        self.state.report_source(server, &ignored_options, self.log != LevelFilter::OFF);
    }
}

/// The end of a message that names the built-in fixture most similar to an unknown one; empty if none is.
pub fn similar_fixture_hint(name: &str) -> String {
    let nearest = similar_name(name, Fixture::BUILT_IN_NAMES);
    nearest.map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_world_ends_the_program_with_status_3_and_a_line_that_names_it() {
        assert!(exit_status(&[]).is_ok());

        let lines = ["world default breaks agenda: it is empty".to_owned(), "world a breaks b: c".to_owned()];
        let error = exit_status(&lines[..1]).expect_err("it is broken");
        assert_eq!((error.status, error.message), (3, lines[0].clone()));
        let error = exit_status(&lines).expect_err("it is broken");
        assert_eq!(error.message, format!("{} (and 1 more)", lines[0]));
    }
}
