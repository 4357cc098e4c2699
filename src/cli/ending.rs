//! What ends `serve`: a signal, the end of its standard input, or that of a process.

use super::Fault;
use rustix::process::Pid;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// Reads a process's number.
pub fn process(text: &str) -> Result<Pid, String> {
    let pid = text.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    pid.ok_or_else(|| "takes the number of a process".to_owned())
}

/// What tells the program to end.
pub struct Told {
    interrupt: Signal,
    terminate: Signal,
    gone: mpsc::Receiver<()>,
    /// Kept so that nothing is told where nobody is waited for.
    _unused: mpsc::Sender<()>,
}

impl Told {
    /// Listens for signals, for the end of standard input where `with_input`, and for that of a process.
    ///
    /// # Errors
    ///
    /// Where the system has no room for that.
    pub fn listen(with_input: bool, with_process: Option<Pid>) -> Result<Self, Fault> {
        let interrupt = signal(SignalKind::interrupt()).map_err(Fault::of_start)?;
        let terminate = signal(SignalKind::terminate()).map_err(Fault::of_start)?;
        let (tell, gone) = mpsc::channel(1);
        if with_input {
            let tell = tell.clone();
            std::thread::spawn(move || {
                // What is said there is of no interest, only that nobody is there any more.
                let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
                let _ = tell.blocking_send(());
            });
        }
        if let Some(pid) = with_process {
            let tell = tell.clone();
            std::thread::spawn(move || {
                wait_for_end(pid);
                let _ = tell.blocking_send(());
            });
        }
        Ok(Self { interrupt, terminate, gone, _unused: tell })
    }

    /// Waits until the program is told to end.
    pub async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.gone.recv() => {}
        }
    }
}

/// Blocks until there is no such process.
#[cfg(target_os = "linux")]
fn wait_for_end(pid: Pid) {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => {
            let mut watched = [PollFd::new(&process, PollFlags::IN)];
            while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
        }
        // Kernels before 5.3 can't watch others' processes.
        Err(rustix::io::Errno::NOSYS) => look_until_end(pid),
        Err(_) => {}
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_for_end(pid: Pid) {
    look_until_end(pid);
}

/// Looks for a process again and again, where the system does not tell of its end.
fn look_until_end(pid: Pid) {
    while rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH) {
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}
