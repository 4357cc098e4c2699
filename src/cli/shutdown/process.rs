//! Waits for the end of a process that is not a child of this one.

pub use rustix::process::Pid;

/// Parses a process ID.
pub fn parse_pid(text: &str) -> Result<Pid, String> {
    let pid = text.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw);
    pid.ok_or_else(|| "takes the number of a process".to_owned())
}

/// Blocks until there is no such process.
#[cfg(target_os = "linux")]
pub fn wait_for_end(pid: Pid) {
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

/// Blocks until there is no such process.
#[cfg(not(target_os = "linux"))]
pub fn wait_for_end(pid: Pid) {
    look_until_end(pid);
}

/// Looks for a process again and again, where the system does not tell of its end.
fn look_until_end(pid: Pid) {
    while rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH) {
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}
