//! The program under load for a long time: requests by chance and hard ones, over HTTP, against a process of its own.
//!
//! By default each test runs for a few seconds. `CHATDOUBLE_ENDURANCE=MINUTES` makes it as many minutes, and prints what
//! memory and the slowest replies were; `just endurance` builds for it with optimization.

mod hard;
mod random;
mod steady;

use crate::support::{Program, User};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the server may take for any request.
const SLOWEST: Duration = Duration::from_secs(2);

/// Minutes that each test runs; None: a few seconds.
fn minutes() -> Option<u64> {
    std::env::var("CHATDOUBLE_ENDURANCE").ok()?.parse().ok()
}

/// How long a test runs.
fn span() -> Duration {
    minutes().map_or(Duration::from_secs(4), |minutes| Duration::from_secs(60 * minutes))
}

/// The program with a frozen clock, on a free port.
fn start() -> (Program, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatdouble"));
    command.args(["serve", "--port", "0", "--log", "error", "--clock", crate::support::START]).env_clear();
    let program = Program::start(&mut command);
    let url = format!("http://127.0.0.1:{}", program.port);
    (program, url)
}

/// Resident memory in MiB; 0 where the machine does not say.
fn memory(program: &Program) -> usize {
    #[cfg(target_os = "linux")]
    return program.memory() / 1024;
    #[cfg(not(target_os = "linux"))]
    return {
        let _ = program;
        0
    };
}

/// Ends the program, which checks the invariants of all its worlds.
fn end(mut program: Program) {
    let (status, _) = program.signal("-TERM");
    assert_eq!(status, Some(0), "an invariant is broken");
}

/// What the requests of a run came to.
#[derive(Default)]
struct Tally {
    requests: u64,
    refused: u64,
    slowest: Duration,
    slowest_request: String,
}

impl Tally {
    /// Counts a reply; one that no client should get fails.
    fn count(&mut self, shown: &str, status: u16, took: Duration) {
        assert!(status < 500, "{shown} gives {status}");
        self.requests += 1;
        self.refused += u64::from(status >= 400);
        if took > self.slowest {
            self.slowest = took;
            self.slowest_request = shown.chars().take(200).collect();
        }
        // Without optimization, and next to all other tests, figures of time mean little.
        let allowed = if cfg!(debug_assertions) { 10 * SLOWEST } else { SLOWEST };
        assert!(took <= allowed, "{} takes {took:?}", self.slowest_request);
    }

    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.refused += other.refused;
        if other.slowest > self.slowest {
            (self.slowest, self.slowest_request) = (other.slowest, other.slowest_request);
        }
    }
}

/// Sends a request and counts its reply, whose body is given back.
async fn ask(tally: &mut Tally, user: &User, method: &str, path: &str, params: &Value) -> Value {
    let form = crate::support::form(params);
    let (path, body) = match (method, form.is_empty()) {
        ("GET", false) => (format!("{path}?{form}"), Vec::new()),
        _ => (path.to_owned(), form.into_bytes()),
    };
    let kind = (method != "GET").then_some("application/x-www-form-urlencoded");
    let began = Instant::now();
    let reply = user.send(method, &path, &Value::Null, body, kind).await;
    tally.count(&format!("{method} {path} {params}"), reply.status, began.elapsed());
    reply.body
}
