//! Servers as processes of their own, each on its core.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

/// Where the measured server runs.
pub const SERVER_CORE: &str = "0";
/// Where the load runs.
pub const LOAD_CORE: &str = "1";

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
        let mut child = on_core(SERVER_CORE, program)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{program} can't be started: {error}"));
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

/// A command on a core, where the machine can say so.
fn on_core(core: &str, program: &str) -> Command {
    if Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", core, program]);
    command
}

/// Runs this program again on a core, with a variable that says so; its end, unless the machine can't.
pub fn again_on_core(core: &str, variable: &str) -> Option<ExitCode> {
    let own = std::env::current_exe().ok()?;
    let mut command = on_core(core, own.to_str()?);
    let status = command.args(std::env::args_os().skip(1)).env(variable, "1").status().ok()?;
    Some(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
