//! Servers as processes of their own, each on its core.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Where the measured server runs.
const SERVER_CORE: usize = 0;
/// Where the load runs.
pub const LOAD_CORE: usize = 1;

/// A server that runs until this is dropped.
pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`
    pub address: String,
}

impl Server {
    /// The program as it was built, with these arguments of `serve`.
    pub fn chatdouble(arguments: &[&str]) -> Self {
        let fixed = ["serve", "--port", "0", "--log", "off", "--clock", "2026-01-01T00:00:00Z"];
        Self::start(env!("CARGO_BIN_EXE_chatdouble"), &[&fixed, arguments].concat())
    }

    /// Bare warp.
    pub fn baseline() -> Self {
        let own = std::env::current_exe().expect("this program has a path");
        Self::start(own.to_str().expect("a readable path"), &["baseline"])
    }

    fn start(program: &str, arguments: &[&str]) -> Self {
        run_on(SERVER_CORE);
        let child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn();
        run_on(LOAD_CORE);
        let mut child = child.unwrap_or_else(|error| panic!("{program} can't be started: {error}"));
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let (_, address) = line.trim().split_once("http://").expect("it says where it listens");
        Self { address: address.to_owned(), child }
    }

    /// Resident memory in MiB.
    pub fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap_or_default();
        kibibytes / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets this thread, and what it starts, run on one core, where the machine can say so. A launcher would do the same,
/// but would lie within the time that a start takes.
pub fn run_on(core: usize) {
    #[cfg(target_os = "linux")]
    {
        let mut cores = rustix::thread::CpuSet::new();
        cores.set(core);
        // A machine of one core measures both servers and their load on it.
        let _ = rustix::thread::sched_setaffinity(None, &cores);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = core;
}
