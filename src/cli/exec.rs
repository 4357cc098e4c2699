//! `chatdouble exec`: runs a command with a server, which ends with the command.

mod certificate_file;
mod chaos;
mod dialect_hint;
mod faults;
#[cfg(unix)]
pub mod guard;
mod levels;
mod observation;
mod prefixed_output;
#[cfg(target_os = "linux")]
mod process_tree;
mod report;
mod run_settings;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use super::CliError;
use super::environment_variables::{LEVEL_VARIABLE, URL_VARIABLE};
use super::output::eprint_line;
use super::serve::{Serve, current_thread_runtime, exit_status};
use crate::server::real_time::WallClock;
use crate::server::standing_faults::StandingFaults;
use crate::server::{Server, StartError};
use crate::world::{RealTime, Worlds};
use certificate_file::CertificateFile;
use chaos::ChaosOptions;
use clap::Args;
use levels::{LevelList, LevelOptions};
use observation::Observation;
use prefixed_output::PrefixedOutput;
use report::{ReportOptions, Reporter};
use run_settings::{RunResult, RunSettings, TIMED_OUT_STATUS};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
#[cfg(unix)]
use unix::{Signals, forward, is_terminating, kill, shell_status};
#[cfg(not(unix))]
use windows::{Signals, forward, is_terminating, kill, shell_status};

/// The variable with the token of control.
const TOKEN_VARIABLE: &str = "CHATDOUBLE_CONTROL_TOKEN";
/// The variable with the path of the certificate that the command has to trust.
const TLS_CA_VARIABLE: &str = "CHATDOUBLE_TLS_CA";
/// The statuses that shells use for a command that does not exist, and for one that can't be run.
const NOT_FOUND_STATUS: u8 = 127;
const NOT_RUNNABLE_STATUS: u8 = 126;
/// A fixed port may still be in use by the previous run, so binding it is retried.
const MAX_PORT_TRIES: usize = 50;
const PORT_RETRY_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble exec --clock frozen -- npm test\n  chatdouble exec --report report.xml --fail-on warning -- npm test\n  chatdouble exec --chaos 1 -- npm test\n  chatdouble exec --levels 387,newest -- npm test"
)]
pub struct Exec {
    #[command(flatten, next_help_heading = "Options of the server")]
    serve: Serve,

    #[command(flatten, next_help_heading = "Report")]
    report: ReportOptions,

    /// File with a list of faults, as POST /control/worlds/NAME/faults takes them, that each world has from its
    /// beginning
    #[arg(long, value_name = "FILE", conflicts_with = "chaos", help_heading = "Faults")]
    faults: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Faults")]
    chaos: ChaosOptions,

    #[command(flatten, next_help_heading = "Levels")]
    levels: LevelOptions,

    /// Command to run, with CHATDOUBLE_URL and CHATDOUBLE_LEVEL set, and CHATDOUBLE_CONTROL_TOKEN and CHATDOUBLE_TLS_CA
    /// if they apply
    #[arg(last = true, required = true, value_name = "COMMAND", help_heading = "Command")]
    command: Vec<OsString>,
}

impl Exec {
    /// Whether the command line or a variable sets the level of the server.
    pub fn has_level(&self) -> bool {
        self.serve.has_level() || self.levels.list().is_some()
    }

    /// The file of `--faults`, for messages; without a file, the name of the option.
    fn faults_source(&self) -> String {
        self.faults.as_deref().map_or_else(|| "--faults".to_owned(), |file| file.display().to_string())
    }
}

pub fn run(exec: Exec) -> Result<ExitCode, CliError> {
    if exec.levels.is_parallel() && exec.serve.allows_only_one_server() {
        return Err(CliError::usage("--jobs needs a port for each run: leave out --port and --port-file"));
    }
    let reporter = exec.report.prepare()?;
    exec.chaos.check_output()?;
    let requested_faults = exec.faults.as_deref().map_or(Ok(Vec::new()), faults::read)?;
    let faults = Arc::new(StandingFaults::new(requested_faults));
    let runtime = exec.serve.prepare()?;
    exec.serve.warn_of_newer_levels(exec.levels.list().map(LevelList::as_slice));
    let command_runtime = current_thread_runtime()?;
    let _lock = exec.serve.state.lock()?;
    let runner = Runner { exec: &exec, faults: &faults, reporter: &reporter, runtime: runtime.handle() };
    let status = match (exec.chaos.seed(), exec.levels.list()) {
        (Some(seed), _) => command_runtime.block_on(exec.chaos.run(seed, async |settings| runner.run(settings).await)),
        (None, Some(levels)) => command_runtime
            .block_on(exec.levels.run(levels, async |settings| runner.run(settings).await))
            .and_then(|status| reporter.write_collected(status)),
        (None, None) => runtime
            .block_on(exec.serve.start(0))
            .and_then(|server| command_runtime.block_on(serve_while_running(&exec, &faults, &reporter, server))),
    };
    faults::report_unfired(&faults);
    command_runtime.shutdown_background();
    runtime.shutdown_background();
    status
}

async fn serve_while_running(
    exec: &Exec,
    faults: &Arc<StandingFaults>,
    reporter: &Reporter,
    server: Server,
) -> Result<ExitCode, CliError> {
    exec.serve.write_files(&server)?;
    exec.serve.print_other_addresses(&server);
    faults::install(&server, faults, &exec.faults_source())?;
    exec.serve.open_console(&server);
    exec.serve.report_state_source(&server);
    let state_writer = exec.serve.state.start_writing(&server);
    let command_status = run_command(exec, &server, &RunSettings::default()).await?.status;
    let violations = server.violations();
    let has_failing_findings = reporter.write(&server);
    let dialect_hint = dialect_hint::dialect_hint(&server);
    server.stop().await;
    let state_result = state_writer.map_or(Ok(()), |writer| writer.write_at_end(violations.is_empty()));
    // A failure of the command takes precedence over failures of this program.
    if command_status == 0 {
        state_result?;
        return match has_failing_findings? {
            true if violations.is_empty() => Ok(ExitCode::from(report::FINDINGS_STATUS)),
            _ => exit_status(&violations),
        };
    }
    let warnings = super::log::repeat_warnings();
    let mentions_dialect = warnings.iter().any(|warning| warning.contains("--dialect"));
    if let Some(hint) = dialect_hint.filter(|_| !mentions_dialect) {
        eprint_line(hint);
    }
    for error in [state_result.err(), has_failing_findings.err()].into_iter().flatten() {
        eprint_line(format_args!("{}", error.message));
    }
    Ok(ExitCode::from(command_status))
}

/// Runs the command, each time with a new server.
struct Runner<'a> {
    exec: &'a Exec,
    /// The faults of the file from `--faults`.
    faults: &'a Arc<StandingFaults>,
    reporter: &'a Reporter,
    runtime: &'a Handle,
}

impl Runner<'_> {
    async fn run<T: Observation>(&self, settings: RunSettings) -> Result<RunResult<T>, CliError> {
        let server = self.start(settings.feature_level).await?;
        let finish_observation = T::begin(&server);
        self.exec.serve.write_files(&server)?;
        if settings.faults.is_empty() {
            faults::install(&server, self.faults, &self.exec.faults_source())?;
        } else {
            let faults = Arc::new(StandingFaults::new(settings.faults.clone()));
            faults::install(&server, &faults, "--chaos")?;
        }
        let start = WallClock.now();
        let CommandResult { status: command_status, is_interrupted } =
            run_command(self.exec, &server, &settings).await?;
        let duration_micros = WallClock.now().since(start).micros();
        let violations = server.violations();
        let observation = finish_observation(&server);
        let finding_counts = self.reporter.collect(&server, settings.feature_level);
        server.stop().await;
        if command_status == 0 {
            exit_status(&violations)?;
        }
        let duration = Duration::from_micros(u64::try_from(duration_micros).unwrap_or_default());
        Ok(RunResult { status: command_status, is_interrupted, duration, finding_counts, observation })
    }

    async fn start(&self, feature_level: Option<i64>) -> Result<Server, CliError> {
        let mut options = self.exec.serve.options(0)?;
        options.feature_level = feature_level.unwrap_or(options.feature_level);
        let mut try_count = 0;
        loop {
            try_count += 1;
            let result = self.runtime.spawn(Server::start_with(options.clone())).await.map_err(CliError::internal)?;
            match result {
                Err(StartError::Listen(cause))
                    if cause.kind() == ErrorKind::AddrInUse && try_count < MAX_PORT_TRIES =>
                {
                    tokio::time::sleep(PORT_RETRY_PAUSE).await;
                }
                result => return result.map_err(|error| self.exec.serve.start_error(error)),
            }
        }
    }
}

struct CommandResult {
    /// The exit status that shells report.
    status: u8,
    /// Whether a signal requested the end of the command.
    is_interrupted: bool,
}

/// Runs the command and forwards signals to it. It is killed at the time limit of its settings.
async fn run_command(exec: &Exec, server: &Server, settings: &RunSettings) -> Result<CommandResult, CliError> {
    let mut signals = Signals::listen().map_err(CliError::failure)?;
    let (program, arguments) = exec.command.split_first().ok_or_else(|| CliError::usage("no command is given"))?;
    let certificate_file = CertificateFile::create(&exec.serve.tls, server)?;
    let mut command = Command::new(program);
    command.args(arguments).env(URL_VARIABLE, server.url());
    // An `exec` around this one may have set it.
    command.env_remove(TLS_CA_VARIABLE);
    if let Some(token) = exec.serve.token() {
        command.env(TOKEN_VARIABLE, token);
    }
    if let Some(file) = certificate_file.path() {
        command.env(TLS_CA_VARIABLE, file);
    }
    let default_world = server.worlds().get(Worlds::DEFAULT);
    if let Some(world) = default_world {
        command.env(LEVEL_VARIABLE, world.settings().feature_level.to_string());
    }
    if settings.prefix.is_some() {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let mut child = command.spawn().map_err(|error| CliError {
        status: if error.kind() == ErrorKind::NotFound { NOT_FOUND_STATUS } else { NOT_RUNNABLE_STATUS },
        message: format!("cannot run {}: {error}{}", program.to_string_lossy(), command_hint(program)),
    })?;
    let _guard = start_guard(&child, certificate_file.temporary_file());
    let output = settings.prefix.as_deref().map(|prefix| PrefixedOutput::start(&mut child, prefix));
    let time_limit = async {
        match settings.time_limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(time_limit);
    let mut is_interrupted = false;
    loop {
        tokio::select! {
            exit_status = child.wait() => {
                if let Some(output) = output {
                    output.finish().await;
                }
                let status = shell_status(exit_status.map_err(CliError::failure)?);
                return Ok(CommandResult { status, is_interrupted });
            }
            signal = signals.next() => {
                is_interrupted |= is_terminating(signal);
                forward(&child, signal);
            }
            () = &mut time_limit => {
                kill(&mut child).await;
                return Ok(CommandResult { status: TIMED_OUT_STATUS, is_interrupted });
            }
        }
    }
}

/// What to write instead of a command that looks like a line of a shell; empty for other commands.
fn command_hint(program: &OsStr) -> &'static str {
    let program = program.to_string_lossy();
    let variable_name = program.split_once('=').map(|(name, _)| name).filter(|name| !name.contains(['/', '\\', ' ']));
    if variable_name.is_some() {
        "; a variable is set by `env`: -- env NAME=VALUE COMMAND"
    } else if program.contains(' ') {
        "; give the command without quotes, or as -- sh -c 'COMMAND'"
    } else {
        ""
    }
}

/// Starts the process that ends the command if this program is killed. Without it, the command would keep running.
#[cfg(unix)]
fn start_guard(child: &Child, file: Option<&Path>) -> Option<guard::RunningGuard> {
    let result = guard::RunningGuard::start(child.id()?, file);
    result.inspect_err(|error| tracing::warn!("the command would outlive this program: {error}")).ok()
}

/// Does nothing, since there are no signals to end the command with.
#[cfg(not(unix))]
fn start_guard(_child: &Child, _file: Option<&Path>) {}
