//! `chatdouble exec`: a server for as long as a command runs.

mod attempt;
mod chaos;
mod faults;
#[cfg(unix)]
pub mod guard;
mod learning;
mod levels;
mod prefixed_output;
mod report;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

use super::CliError;
use super::output::tell;
use super::serve::{Serve, status, waiting_runtime};
use crate::server::listen::WallClock;
use crate::server::standing_faults::StandingFaults;
use crate::server::{Server, StartError};
use crate::world::RealTime;
use attempt::{Attempt, Attempted, TIMED_OUT};
use chaos::Chaos;
use clap::Args;
use learning::Learning;
use levels::Levels;
use prefixed_output::PrefixedOutput;
use report::{ReportOptions, Reporting};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;
#[cfg(unix)]
use unix::{Signals, forward, is_terminating, kill, status_of};
#[cfg(not(unix))]
use windows::{Signals, forward, is_terminating, kill, status_of};

/// Where the command finds the file of the certificate that it has to trust.
const TRUSTED: &str = "CHATDOUBLE_TLS_CA";
/// Where the command finds the level of the server, if it runs for several.
const LEVEL: &str = "CHATDOUBLE_LEVEL";
/// What shells give for a command that is not there, and for one that can't be run.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;
/// How often, and after which pause, a port is asked for again that the run before may still have.
const PORT_TRIES: usize = 50;
const PORT_PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, Args)]
#[command(
    after_help = "For example:\n\n  chatdouble exec --clock frozen -- npm test\n  chatdouble exec --report report.xml --fail-on warning -- npm test\n  chatdouble exec --chaos 1 -- npm test\n  chatdouble exec --levels 387,newest -- npm test"
)]
pub struct Exec {
    #[command(flatten, next_help_heading = "Options of the server")]
    serve: Serve,

    #[command(flatten, next_help_heading = "Report")]
    report: ReportOptions,

    /// File with a list of faults, as POST /control/worlds/NAME/faults takes them, that each world has from its beginning
    #[arg(long, value_name = "FILE", conflicts_with = "chaos", help_heading = "Faults")]
    faults: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Faults")]
    chaos: Chaos,

    #[command(flatten, next_help_heading = "Levels")]
    levels: Levels,

    /// Command to run, with CHATDOUBLE_URL set, and CHATDOUBLE_CONTROL_TOKEN, CHATDOUBLE_TLS_CA and CHATDOUBLE_LEVEL if
    /// they apply
    #[arg(last = true, required = true, value_name = "COMMAND", help_heading = "Command")]
    command: Vec<OsString>,
}

pub fn run(exec: Exec) -> Result<ExitCode, CliError> {
    if exec.levels.is_parallel() && exec.serve.has_own_port() {
        return Err(CliError::of_usage("--jobs needs a port for each run: leave out --port and --port-file"));
    }
    let reporting = exec.report.prepare()?;
    let rules = exec.faults.as_deref().map_or(Ok(Vec::new()), faults::read)?;
    let faults = Arc::new(StandingFaults::new(rules));
    let runtime = exec.serve.prepare()?;
    let waiting = waiting_runtime()?;
    let _lock = exec.serve.state.lock()?;
    let many = Many { exec: &exec, faults: &faults, reporting: &reporting, runtime: runtime.handle() };
    let status = match (exec.chaos.seed(), exec.levels.list()) {
        (Some(seed), _) => waiting.block_on(exec.chaos.run(seed, async |attempt| many.run(attempt).await)),
        (None, Some(levels)) => waiting
            .block_on(exec.levels.run(levels, async |attempt| many.run(attempt).await))
            .and_then(|status| reporting.report_after(status)),
        (None, None) => runtime
            .block_on(exec.serve.start(0))
            .and_then(|server| waiting.block_on(serve_while_running(&exec, &faults, &reporting, server))),
    };
    faults::tell_unfired(&faults);
    waiting.shutdown_background();
    runtime.shutdown_background();
    status
}

async fn serve_while_running(
    exec: &Exec,
    faults: &Arc<StandingFaults>,
    reporting: &Reporting,
    server: Server,
) -> Result<ExitCode, CliError> {
    exec.serve.tell_place(&server)?;
    exec.serve.tell_elsewhere(&server);
    faults::arm(&server, faults)?;
    exec.serve.open_console(&server);
    exec.serve.tell_state(&server);
    let state = exec.serve.state.follow(&server);
    let own = run_command(exec, &server, &Attempt::default()).await?.status;
    let violations = server.violations();
    let reported = reporting.write(&server);
    server.stop().await;
    let stored = state.map_or(Ok(()), |state| state.write_at_end(violations.is_empty()));
    // A failure of the command's own is reported before one of ours.
    if own == 0 {
        stored?;
        return match reported? {
            true if violations.is_empty() => Ok(ExitCode::from(report::HAS_FINDINGS)),
            _ => status(&violations),
        };
    }
    super::log::repeat_warnings();
    for error in [stored.err(), reported.err()].into_iter().flatten() {
        tell(format_args!("{}", error.message));
    }
    Ok(ExitCode::from(own))
}

/// Runs of the command against a server each.
struct Many<'a> {
    exec: &'a Exec,
    /// Those of the file.
    faults: &'a Arc<StandingFaults>,
    reporting: &'a Reporting,
    runtime: &'a Handle,
}

impl Many<'_> {
    /// Runs the command once.
    async fn run<Seen: Learning>(&self, attempt: Attempt) -> Result<Attempted<Seen>, CliError> {
        let server = self.start(attempt.feature_level).await?;
        let learn = Seen::begin(&server);
        self.exec.serve.tell_place(&server)?;
        if attempt.faults.is_empty() {
            faults::arm(&server, self.faults)?;
        } else {
            faults::arm(&server, &Arc::new(StandingFaults::new(attempt.faults.clone())))?;
        }
        let began = WallClock.now();
        let Ended { status: own, is_interrupted } = run_command(self.exec, &server, &attempt).await?;
        let took = WallClock.now().since(began).micros();
        let violations = server.violations();
        let seen = learn(&server);
        let findings = self.reporting.add(&server, attempt.feature_level);
        server.stop().await;
        if own == 0 {
            status(&violations)?;
        }
        let took = Duration::from_micros(u64::try_from(took).unwrap_or_default());
        Ok(Attempted { status: own, is_interrupted, took, findings, seen })
    }

    async fn start(&self, feature_level: Option<i64>) -> Result<Server, CliError> {
        let mut options = self.exec.serve.options(0)?;
        options.feature_level = feature_level.unwrap_or(options.feature_level);
        let mut tries = 0;
        loop {
            tries += 1;
            let started =
                self.runtime.spawn(Server::start_with(options.clone())).await.map_err(CliError::of_program)?;
            match started {
                Err(StartError::Listen(cause)) if cause.kind() == ErrorKind::AddrInUse && tries < PORT_TRIES => {
                    tokio::time::sleep(PORT_PAUSE).await;
                }
                started => return started.map_err(|error| self.exec.serve.fault(error)),
            }
        }
    }
}

/// How a command ended.
struct Ended {
    /// As shells tell it.
    status: u8,
    /// Whether it was asked to end by a signal.
    is_interrupted: bool,
}

/// Runs the command, passing signals on. One that takes longer than it may is ended.
async fn run_command(exec: &Exec, server: &Server, attempt: &Attempt) -> Result<Ended, CliError> {
    let mut signals = Signals::listen().map_err(CliError::of_start)?;
    let (program, arguments) = exec.command.split_first().ok_or_else(|| CliError::of_usage("no command is given"))?;
    let trusted = Trusted::of(exec, server)?;
    let mut command = Command::new(program);
    command.args(arguments).env("CHATDOUBLE_URL", server.url()).env_remove(TRUSTED);
    if let Some(token) = exec.serve.token() {
        command.env("CHATDOUBLE_CONTROL_TOKEN", token);
    }
    if let Some(file) = trusted.file() {
        command.env(TRUSTED, file);
    }
    if let Some(level) = attempt.feature_level {
        command.env(LEVEL, level.to_string());
    }
    if attempt.prefix.is_some() {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let mut child = command.spawn().map_err(|error| CliError {
        status: if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE },
        message: format!("cannot run {}: {error}", program.to_string_lossy()),
    })?;
    let _guarding = guarding(&child, trusted.own_file());
    let output = attempt.prefix.as_deref().map(|prefix| PrefixedOutput::of(&mut child, prefix));
    let time_is_over = async {
        match attempt.limit {
            Some(limit) => tokio::time::sleep(limit).await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(time_is_over);
    let mut is_interrupted = false;
    loop {
        tokio::select! {
            ended = child.wait() => {
                if let Some(output) = output {
                    output.end().await;
                }
                return ended.map(|ended| Ended { status: status_of(ended), is_interrupted }).map_err(CliError::of_start);
            }
            signal = signals.next() => {
                is_interrupted |= is_terminating(signal);
                forward(&child, signal);
            }
            () = &mut time_is_over => {
                kill(&mut child).await;
                return Ok(Ended { status: TIMED_OUT, is_interrupted });
            }
        }
    }
}

/// Has the command ended when this program is killed; without it, it would be left behind.
#[cfg(unix)]
fn guarding(child: &Child, file: Option<&Path>) -> Option<guard::Guarding> {
    let started = guard::Guarding::start(child.id()?, file);
    started.inspect_err(|error| tracing::warn!("the command would outlive this program: {error}")).ok()
}

/// Nobody has the command ended where there are no signals.
#[cfg(not(unix))]
fn guarding(_child: &Child, _file: Option<&Path>) {}

/// The file with the certificate that the command has to trust.
enum Trusted {
    None,
    /// The one asked for.
    Asked(PathBuf),
    /// One for the command alone, which is removed.
    Own(PathBuf),
}

impl Trusted {
    fn of(exec: &Exec, server: &Server) -> Result<Self, CliError> {
        let Some(certificate) = server.trusted_certificate() else { return Ok(Trusted::None) };
        if let Some(file) = exec.serve.secure.trusted_file() {
            return Ok(Trusted::Asked(file));
        }
        let name = format!("chatdouble-ca-{}-{}.pem", std::process::id(), server.address().port());
        let file = std::env::temp_dir().join(name);
        // Nothing that another user has put there is followed or overwritten.
        let written = File::create_new(&file).and_then(|mut opened| opened.write_all(certificate.as_bytes()));
        written.map_err(|error| CliError::of_start(format!("cannot write {}: {error}", file.display())))?;
        Ok(Trusted::Own(file))
    }

    /// The one that is removed at the end.
    fn own_file(&self) -> Option<&Path> {
        if let Trusted::Own(file) = self { Some(file) } else { None }
    }

    fn file(&self) -> Option<&Path> {
        match self {
            Trusted::None => None,
            Trusted::Asked(file) | Trusted::Own(file) => Some(file),
        }
    }
}

impl Drop for Trusted {
    fn drop(&mut self) {
        if let Some(file) = self.own_file() {
            let _ = std::fs::remove_file(file);
        }
    }
}
