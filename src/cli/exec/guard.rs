//! `chatdouble guard`: a helper process of `exec`, which ends the command if `exec` itself is killed.

use crate::cli::CliError;
use clap::Args;
use rustix::process::{Pid, Signal};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// The time between SIGTERM and SIGKILL.
const TERMINATION_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub struct Guard {
    /// ID of the command's process
    #[arg(value_name = "PID")]
    process: i32,

    /// File to remove, which only the command needs
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Waits for the end of standard input, which `exec` holds open; then ends the command and removes its file.
pub fn run(guard: &Guard) -> Result<ExitCode, CliError> {
    let process = Pid::from_raw(guard.process).ok_or_else(|| CliError::usage("PID takes a process"))?;
    let guarded_process = GuardedProcess::open(process).map_err(CliError::failure)?;
    // `exec` never writes anything; the read returns when `exec` has ended.
    let _ = std::io::stdin().lock().read(&mut [0]);
    guarded_process.signal(Signal::TERM);
    std::thread::sleep(TERMINATION_TIMEOUT);
    guarded_process.signal(Signal::KILL);
    if let Some(file) = &guard.file {
        let _ = std::fs::remove_file(file);
    }
    Ok(ExitCode::SUCCESS)
}

/// A process with its descendants. The handle ensures that a later process with the same ID is never signalled.
#[cfg(target_os = "linux")]
struct GuardedProcess {
    process: Pid,
    handle: rustix::fd::OwnedFd,
    descendants: std::cell::OnceCell<super::process_tree::Descendants>,
}

#[cfg(target_os = "linux")]
impl GuardedProcess {
    fn open(process: Pid) -> rustix::io::Result<Self> {
        let handle = rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty())?;
        Ok(Self { process, handle, descendants: std::cell::OnceCell::new() })
    }

    /// Sends a signal to the process and its descendants, some of which may have ended.
    fn signal(&self, signal: Signal) {
        // They are listed before the first signal, because they may have another parent after it.
        let descendants = self.descendants.get_or_init(|| super::process_tree::Descendants::list(self.process));
        let _ = rustix::process::pidfd_send_signal(&self.handle, signal);
        descendants.signal(signal);
    }
}

/// A process without its descendants, which only Linux lists.
#[cfg(not(target_os = "linux"))]
struct GuardedProcess(Pid);

#[cfg(not(target_os = "linux"))]
impl GuardedProcess {
    fn open(process: Pid) -> rustix::io::Result<Self> {
        rustix::process::test_kill_process(process).map(|()| Self(process))
    }

    /// Sends a signal to the process, which may have ended.
    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process(self.0, signal);
    }
}

/// The running guard of a command. Dropping it ends the guard without ending the command.
pub struct RunningGuard(Child);

impl RunningGuard {
    /// Starts a guard for a child process of the caller, and for a file that only that process needs.
    ///
    /// # Errors
    ///
    /// When the guard can't be started.
    pub fn start(process_id: u32, file: Option<&Path>) -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("guard").arg(process_id.to_string()).args(file);
        // The guard has its own process group, so that signals to the group of `exec` don't end it.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(Self)
    }
}

impl Drop for RunningGuard {
    fn drop(&mut self) {
        // The guard is killed before its standard input is closed: at the end of its input, it would end the command.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
