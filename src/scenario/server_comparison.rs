//! Plays a scenario on two servers with the same requests, and compares their replies and events.
//!
//! The expectations of the scenario only capture values. They are not checked.

mod cleanup;
mod compared_server;
mod correspondence;
mod curl;
mod event_comparison;
mod probe;
mod probe_result;
mod queues;
mod received_reply;
mod sent_request;

use super::block::BlockKind;
use super::document::{Document, Scenario};
use super::world_names;
use std::collections::BTreeSet;

pub use compared_server::{ComparedServer, HttpTransport};
pub use correspondence::{ABSENT, Correspondence, ServerDifference};
pub use probe::{ProbeSettings, play};
pub use probe_result::{ProbeFailure, ProbeResult, SkipReason, Step};

/// The handles of the users in a document: those who send requests, and those that placeholders name.
pub fn handles(document: &Document) -> BTreeSet<String> {
    let blocks = document.background.iter().chain(document.scenarios.iter().flat_map(|scenario| &scenario.blocks));
    blocks.flat_map(world_names::handles).collect()
}

/// The methods and paths of the requests that a scenario sends, without queries. In the paths, placeholders are
/// replaced with examples of their values.
pub fn request_lines<'a>(
    document: &'a Document,
    scenario: &'a Scenario,
) -> impl Iterator<Item = (String, String)> + 'a {
    document.background.iter().chain(&scenario.blocks).filter_map(|block| match &block.kind {
        BlockKind::Request(request, _) => {
            let path = probe_result::example_path(request);
            Some((request.method.clone(), path.split('?').next().unwrap_or_default().to_owned()))
        }
        _ => None,
    })
}
