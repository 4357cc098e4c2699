//! One run of a command against a server of its own, and what came of it.

use serde_json::Value;
use std::time::Duration;

/// How a command is run.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Rules that are armed before the command starts.
    pub faults: Vec<Value>,
    /// The level of the server; that of the options unless given.
    pub feature_level: Option<i64>,
    /// What each line of the command's output begins with, if it is shared by several.
    pub prefix: Option<String>,
    /// When the command is ended and counts as failed.
    pub limit: Option<Duration>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Attempted<Seen> {
    /// The command's status, as shells tell it.
    pub status: u8,
    /// Whether the command was asked to end by a signal, as this program was.
    pub is_interrupted: bool,
    /// How long the command ran.
    pub took: Duration,
    /// How many findings the report on its clients has; None where none was asked for.
    pub findings: Option<usize>,
    /// What was learned of its requests.
    pub seen: Seen,
}

/// The status of a command that was ended because it took too long, as `timeout` tells it.
pub const TIMED_OUT: u8 = 124;

impl<Seen> Attempted<Seen> {
    /// The result in a word or two.
    pub fn result(&self) -> String {
        match self.status {
            0 => "passed".to_owned(),
            TIMED_OUT => "failed (124: it took too long)".to_owned(),
            status => format!("failed ({status})"),
        }
    }
}
