//! A process that ends a command when the `exec` that started it is gone without having said so, killed for one.

use crate::cli::CliError;
use clap::Args;
use rustix::process::{Pid, Signal};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// How long the command may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is guarded.
#[derive(Debug, Args)]
pub struct Guard {
    /// The command's process
    #[arg(value_name = "PID")]
    process: i32,

    /// File that only the command needs, to remove
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// Waits for the end of standard input, which `exec` holds open; then ends the command.
pub fn run(guard: &Guard) -> Result<ExitCode, CliError> {
    let process = Pid::from_raw(guard.process).ok_or_else(|| CliError::of_usage("PID takes a process"))?;
    let guarded = Guarded::of(process).map_err(CliError::of_start)?;
    // Nothing is ever written: it is read until there is nobody who could.
    let _ = std::io::stdin().lock().read(&mut [0]);
    guarded.signal(Signal::TERM);
    std::thread::sleep(PATIENCE);
    guarded.signal(Signal::KILL);
    if let Some(file) = &guard.file {
        let _ = std::fs::remove_file(file);
    }
    Ok(ExitCode::SUCCESS)
}

/// A process, which no later one of the same number is taken for, and what it started.
#[cfg(target_os = "linux")]
struct Guarded {
    process: Pid,
    handle: rustix::fd::OwnedFd,
    below: std::cell::OnceCell<super::tree::Tree>,
}

#[cfg(target_os = "linux")]
impl Guarded {
    fn of(process: Pid) -> rustix::io::Result<Self> {
        let handle = rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty())?;
        Ok(Self { process, handle, below: std::cell::OnceCell::new() })
    }

    /// Sends a signal; what it is for may be gone.
    fn signal(&self, signal: Signal) {
        // They are known by the first signal, after which they may have another parent.
        let below = self.below.get_or_init(|| super::tree::Tree::below(self.process));
        let _ = rustix::process::pidfd_send_signal(&self.handle, signal);
        below.signal(signal);
    }
}

/// A process.
#[cfg(not(target_os = "linux"))]
struct Guarded(Pid);

#[cfg(not(target_os = "linux"))]
impl Guarded {
    fn of(process: Pid) -> rustix::io::Result<Self> {
        rustix::process::test_kill_process(process).map(|()| Self(process))
    }

    /// Sends a signal; the process may be gone.
    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process(self.0, signal);
    }
}

/// A guard's process; dropping it ends it, and then nothing is guarded.
pub struct Guarding(Child);

impl Guarding {
    /// Has a process guarded, which the caller started and still waits for, and the file that it alone needs.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn start(process: u32, file: Option<&Path>) -> std::io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("guard").arg(process.to_string()).args(file);
        // In a group of its own: what is sent to that of `exec` is not to end its guard.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(Self)
    }
}

impl Drop for Guarding {
    fn drop(&mut self) {
        // Before its input ends.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
