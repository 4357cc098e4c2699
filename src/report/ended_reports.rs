//! The reports of worlds that have ended, with a bounded number of clients.

use super::summary::Summary;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The maximum number of clients in all reports. The oldest reports are dropped first.
const MAX_CLIENTS: usize = 10_000;

/// The reports of ended worlds, the oldest first.
#[derive(Debug, Default)]
pub struct EndedReports {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    summaries: VecDeque<Summary>,
    client_count: usize,
    has_dropped_reports: bool,
}

impl EndedReports {
    /// Adds the report of a world, unless it has no clients.
    pub fn add(&self, summary: Summary) {
        if summary.clients.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        state.client_count += summary.clients.len();
        state.summaries.push_back(summary);
        while state.client_count > MAX_CLIENTS {
            let Some(oldest) = state.summaries.pop_front() else { break };
            state.client_count -= oldest.clients.len();
            state.has_dropped_reports = true;
        }
    }

    /// The clients of all reports, the oldest report first.
    pub fn summary(&self) -> Summary {
        let state = self.state.lock();
        let clients = state.summaries.iter().flat_map(|summary| summary.clients.clone()).collect();
        let complete = !state.has_dropped_reports && state.summaries.iter().all(|summary| summary.complete);
        Summary { clients, complete }
    }

    pub fn clear(&self) {
        *self.state.lock() = State::default();
    }
}
