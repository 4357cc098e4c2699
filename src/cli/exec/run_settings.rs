//! A run of the command: its settings and its result.

use super::report::FindingCounts;
use serde_json::Value;
use std::time::Duration;

/// What may differ between runs of the command. All else follows from the options of the program.
#[derive(Clone, Debug, Default)]
pub struct RunSettings {
    /// Random faults that are installed before the command starts. If there are none, those of `--faults` are.
    pub faults: Vec<Value>,
    /// The server's feature level; None for that of the options.
    pub feature_level: Option<i64>,
    /// Prefix of each output line, when several runs write at the same time.
    pub prefix: Option<String>,
    /// After this time, the command is killed and counts as failed.
    pub time_limit: Option<Duration>,
}

/// How a run of the command ended, and what was observed in it.
#[derive(Clone, Debug)]
pub struct RunResult<T> {
    /// The command's exit status, as shells report it, or [`TIMED_OUT_STATUS`].
    pub status: u8,
    /// Whether a signal requested the end of the command and of this program.
    pub is_interrupted: bool,
    pub duration: Duration,
    /// Numbers of findings in the report; None if no report was requested.
    pub finding_counts: Option<FindingCounts>,
    /// What was observed in the command's requests.
    pub observation: T,
}

/// The status of a command that was killed at its time limit; the same as that of `timeout`.
pub const TIMED_OUT_STATUS: u8 = 124;

impl<T> RunResult<T> {
    /// The result for a table, such as `failed (2)`.
    pub fn summary(&self) -> String {
        match self.status {
            0 => "passed".to_owned(),
            TIMED_OUT_STATUS => "failed (124: it took too long)".to_owned(),
            status => format!("failed ({status})"),
        }
    }
}
