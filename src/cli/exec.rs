//! `chatdouble exec`: a server for as long as a command runs.

#[cfg(unix)]
pub mod guard;
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
use crate::server::Server;
use clap::Args;
use report::{ReportOptions, Reporting};
use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::process::{Child, Command};
#[cfg(unix)]
use unix::{Signals, pass_on, status_of};
#[cfg(not(unix))]
use windows::{Signals, pass_on, status_of};

/// Where the command finds the file of the certificate that it has to trust.
const TRUSTED: &str = "CHATDOUBLE_TLS_CA";
/// What shells give for a command that is not there, and for one that can't be run.
const NOT_FOUND: u8 = 127;
const NOT_RUNNABLE: u8 = 126;

#[derive(Debug, Args)]
#[command(after_help = "For example:\n\n  chatdouble exec --clock frozen -- npm test")]
pub struct Exec {
    #[command(flatten)]
    serve: Serve,

    #[command(flatten)]
    report: ReportOptions,

    /// Command to run, with CHATDOUBLE_URL set, and CHATDOUBLE_CONTROL_TOKEN and CHATDOUBLE_TLS_CA if they apply
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub fn run(exec: Exec) -> Result<ExitCode, CliError> {
    let reporting = exec.report.prepare()?;
    let runtime = exec.serve.prepare()?;
    let waiting = waiting_runtime()?;
    let status = runtime
        .block_on(exec.serve.start(0))
        .and_then(|server| waiting.block_on(serve_while_running(&exec, &reporting, server)));
    waiting.shutdown_background();
    runtime.shutdown_background();
    status
}

async fn serve_while_running(exec: &Exec, reporting: &Reporting, server: Server) -> Result<ExitCode, CliError> {
    exec.serve.tell_place(&server)?;
    exec.serve.tell_elsewhere(&server);
    exec.serve.open_console(&server);
    let state = exec.serve.state.follow(&server);
    let own = run_command(exec, &server).await?;
    let violations = server.violations();
    let reported = reporting.write(&server);
    server.stop().await;
    let stored = state.map_or(Ok(()), |state| state.finish(violations.is_empty()));
    // A failure of the command's own is reported before one of ours.
    if own == 0 {
        stored?;
        return match reported? {
            true if violations.is_empty() => Ok(ExitCode::from(report::HAS_FINDINGS)),
            _ => status(&violations),
        };
    }
    for error in [stored.err(), reported.err()].into_iter().flatten() {
        tell(format_args!("{}", error.message));
    }
    Ok(ExitCode::from(own))
}

/// Runs the command, passing signals on; its status as shells tell it.
async fn run_command(exec: &Exec, server: &Server) -> Result<u8, CliError> {
    let mut signals = Signals::take().map_err(CliError::of_start)?;
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
    let mut child = command.spawn().map_err(|error| CliError {
        status: if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_RUNNABLE },
        message: format!("cannot run {}: {error}", program.to_string_lossy()),
    })?;
    let _guarding = guarding(&child, trusted.own_file());
    loop {
        tokio::select! {
            ended = child.wait() => return ended.map(status_of).map_err(CliError::of_start),
            signal = signals.next() => pass_on(&child, signal),
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
