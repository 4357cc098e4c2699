//! The result of a probe: the requests that were compared, and why others were not.

use super::correspondence::ServerDifference;
use crate::scenario::block::{Block, BlockKind, Request};
use crate::scenario::document::Scenario;
use crate::scenario::template::{Part, Reference, UserField};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A request that was sent to both servers.
#[derive(Clone, Debug)]
pub struct Step {
    /// Line of its block in the file, from 1.
    pub line: usize,
    /// Handle of its account, or `anonymous`.
    pub caller: String,
    /// The HTTP method, in capitals.
    pub method: String,
    /// Path at the first server, without `/api/v1` and the query.
    pub path: String,
    /// Parameters at the first server.
    pub parameters: BTreeMap<String, String>,
    /// The `curl` commands for the two servers.
    pub curl_commands: [String; 2],
    /// Status and body of the replies.
    pub replies: [(u16, Value); 2],
    /// Differences between the replies and between the resulting events.
    pub differences: Vec<ServerDifference>,
}

/// The result of a probe.
#[derive(Clone, Debug, Default)]
pub struct ProbeResult {
    /// Compared requests.
    pub steps: Vec<Step>,
    /// Methods and paths of requests that were not compared, with the reasons.
    pub skipped: Vec<(String, SkipReason)>,
    /// Whether requests were left out because a reply or the accounts lack a value that they need.
    pub is_cut_short: bool,
    /// Objects that the probe created and could not remove, each with the reason.
    pub unremoved_objects: Vec<String>,
    /// Why the probe ended without a reply of a server.
    pub failure: Option<ProbeFailure>,
}

/// A request of a probe, or one around it, that got no complete reply.
#[derive(Clone, Debug)]
pub struct ProbeFailure {
    /// The request and what happened, such as `GET http://…: the connection ended without a reply`.
    pub reason: String,
    /// Whether it was a read of the probe: then the servers hold what they held, and further probes can be compared.
    pub is_read: bool,
}

/// Why a request of a probe was not compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// It changes something, and only reads are played.
    ChangesData,
    /// The two replies to this earlier request have different statuses: since then the servers may hold different data,
    /// or one lacks a value that the request needs.
    EarlierDifference(String),
    /// The user interrupted the comparison.
    Interrupted,
    /// A request got no complete reply, for this reason: this one, or an earlier one of the probe.
    NoReply(String),
    /// The comparison ended before it reached the probe.
    NotReached,
    /// It needs a feature level that one of the servers does not have.
    NewerLevel {
        /// The lowest level at which the probe can be played.
        required: i64,
        /// The level of the older server.
        actual: i64,
    },
    /// Neither server has the operation, which this feature level removed.
    RemovedOperation {
        /// The first level without the operation.
        removed_in: i64,
    },
    /// The servers or the accounts lack what it needs, as this text says.
    MissingRequirement(String),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangesData => f.write_str("changes something, and only reads are played"),
            Self::EarlierDifference(request) => write!(f, "the two replies to {request} have different statuses"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::NotReached => f.write_str("the comparison ended before"),
            Self::NewerLevel { required, actual } => {
                write!(f, "needs feature level {required}; one of the servers has {actual}")
            }
            Self::RemovedOperation { removed_in } => write!(f, "no server has it from feature level {removed_in} on"),
            Self::NoReply(reason) | Self::MissingRequirement(reason) => f.write_str(reason),
        }
    }
}

impl Step {
    /// Code and message of the refusal, if both servers refuse the request alike with a status from 400 to 499.
    pub fn common_refusal(&self) -> Option<String> {
        let (status, body) = &self.replies[0];
        if !self.differences.is_empty() || !(400..500).contains(status) {
            return None;
        }
        let texts = ["code", "msg"].iter().filter_map(|key| body[*key].as_str());
        let text = texts.collect::<Vec<_>>().join(" ");
        Some(if text.is_empty() { format!("status {status}") } else { text })
    }
}

impl ProbeResult {
    /// The result of a probe that the comparison did not reach.
    pub fn not_reached(scenario: &Scenario) -> Self {
        let mut result = Self::default();
        result.add_skipped(&scenario.blocks.iter().collect::<Vec<_>>(), &SkipReason::NotReached);
        result
    }

    /// Adds the requests of blocks that were not compared.
    pub(super) fn add_skipped(&mut self, blocks: &[&Block], reason: &SkipReason) {
        for block in blocks {
            if let BlockKind::Request(request, _) = &block.kind {
                self.skipped.push((format!("{} {}", request.method, example_path(request)), reason.clone()));
            }
        }
    }
}

/// The path of a request, with a number or an email address instead of each placeholder.
pub(super) fn example_path(request: &Request) -> String {
    let example_text = |part: &Part| match part {
        Part::Literal(text) => text.clone(),
        Part::Reference(Reference::User(_, UserField::Email)) => "user@chat.test".to_owned(),
        Part::Reference(Reference::Server | Reference::Origin | Reference::Prefix) => String::new(),
        _ => "1".to_owned(),
    };
    request.path.parts.iter().map(example_text).collect()
}
