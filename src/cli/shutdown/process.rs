//! Waits for the end of a process that is not a child of this one.

pub use rustix::process::Pid;
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_millis(500);

pub fn parse_pid(text: &str) -> Result<Pid, String> {
    let pid = text.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    pid.ok_or_else(|| "takes the number of a process".to_owned())
}

/// Blocks until there is no such process. Returns at once if the system refuses to watch it.
#[cfg(target_os = "linux")]
pub fn wait_for_end(pid: Pid) {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, pidfd_open};
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(process) => {
            let mut poll_entries = [PollFd::new(&process, PollFlags::IN)];
            while poll(&mut poll_entries, None) == Err(rustix::io::Errno::INTR) {}
        }
        // Linux before 5.3 can't watch processes that are not children.
        Err(rustix::io::Errno::NOSYS) => poll_until_end(pid),
        Err(_) => {}
    }
}

/// Blocks until there is no such process.
#[cfg(not(target_os = "linux"))]
pub fn wait_for_end(pid: Pid) {
    poll_until_end(pid);
}

/// Checks at intervals whether a process exists, where the system can't report its end.
fn poll_until_end(pid: Pid) {
    while rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH) {
        std::thread::sleep(POLL_INTERVAL);
    }
}
