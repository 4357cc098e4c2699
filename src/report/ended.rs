//! The reports of worlds that ended, a bounded number of them.

use super::summary::Summary;
use parking_lot::Mutex;
use std::collections::VecDeque;

/// Clients of ended worlds that are remembered at most.
const MAX_CLIENTS: usize = 10_000;

/// What is known of the clients of worlds that ended.
#[derive(Debug, Default)]
pub struct EndedReports {
    all: Mutex<Ended>,
}

#[derive(Debug, Default)]
struct Ended {
    summaries: VecDeque<Summary>,
    clients: usize,
    has_forgotten: bool,
}

impl EndedReports {
    /// Adds the report of a world; the oldest give way.
    pub fn add(&self, summary: Summary) {
        if summary.clients.is_empty() {
            return;
        }
        let mut all = self.all.lock();
        all.clients += summary.clients.len();
        all.summaries.push_back(summary);
        while all.clients > MAX_CLIENTS {
            let Some(oldest) = all.summaries.pop_front() else { break };
            all.clients -= oldest.clients.len();
            all.has_forgotten = true;
        }
    }

    /// All of them, the oldest first.
    pub fn summary(&self) -> Summary {
        let all = self.all.lock();
        let clients = all.summaries.iter().flat_map(|summary| summary.clients.clone()).collect();
        let complete = !all.has_forgotten && all.summaries.iter().all(|summary| summary.complete);
        Summary { clients, complete }
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        *self.all.lock() = Ended::default();
    }
}
