//! The result of playing a scenario.

use super::document::Document;
use super::edit::{Edit, edit_diff};

/// The result of a scenario.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All replies and events were as expected.
    Passed,
    /// The scenario can't be played on this server, for this reason.
    Skipped(String),
    /// The scenario could not be begun, for example since its world can't be made.
    Failed(Difference),
    /// There are differences, or an assertion or a call of the scenario failed. With
    /// [`Mode::Check`](super::Mode::Check), this has the first difference, with other modes all up to one that no edit
    /// can fix. Where the scenario is played again at its lowest feature level, only the first is kept.
    Differs(Vec<Difference>),
}

/// A difference between a scenario and what happened, or what kept it from being played.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The line in the file, from 1: that of the first edit within the block, or else that of what the message is
    /// about.
    pub line: usize,
    /// What happened, as a sentence.
    pub message: String,
    /// The edits that make the expectation match; empty if no edit can, or if the scenario was played at its lowest
    /// feature level in order to update it.
    pub edits: Vec<Edit>,
}

impl Difference {
    /// Formats the difference as `FILE:LINE: what happened`, followed by a diff if there are edits.
    pub fn describe(&self, document: &Document) -> String {
        let head = format!("{}:{}: {}", document.path, self.line, self.message);
        if self.edits.is_empty() {
            return head;
        }
        format!("{head}\n{}", edit_diff(&document.path, &document.text, &self.edits).trim_end())
    }
}
