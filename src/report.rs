//! The report on clients: what the clients of a world did that a real server or its users would suffer from.
//!
//! The rules of [`rules`] check each answered request once and remember a bounded number of facts about each client. A
//! client is identified by its user and its name and version, from the header `X-Chatdouble-Client` or `User-Agent`.

mod baseline;
mod client;
mod ended_reports;
mod finding;
pub mod format;
mod latest_items;
mod observation;
mod rule;
pub mod rules;
mod summary;

use client::{Client, client_key};
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use std::collections::HashMap;

pub use baseline::Baseline;
pub use ended_reports::EndedReports;
pub use observation::{CompatibilityIssue, Facts, IssueKind, Moment, Observation, Receipt, stable_hash};
pub use rule::{Rule, Severity};
pub use summary::{ClientSummary, FindingSummary, OccurrenceSummary, Summary};

/// The maximum number of clients in the report of a world.
pub const MAX_CLIENTS: usize = 2_000;

/// The report of one world.
#[derive(Debug, Default)]
pub struct Report {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    clients: HashMap<u64, Client, RandomState>,
    /// Whether clients were removed because of [`MAX_CLIENTS`].
    has_removed_clients: bool,
}

impl State {
    fn find_or_add_client(&mut self, key: u64, request: &Observation<'_>) -> &mut Client {
        if self.clients.len() >= MAX_CLIENTS && !self.clients.contains_key(&key) {
            let least_important = self
                .clients
                .iter()
                .min_by(|(_, first), (_, second)| first.importance().total_cmp(&second.importance()));
            if let Some(removed_key) = least_important.map(|(key, _)| *key) {
                self.clients.remove(&removed_key);
            }
            self.has_removed_clients = true;
        }
        self.clients.entry(key).or_insert_with(|| Client::new(request))
    }
}

/// A waiting poll, as an argument for [`Report::record_poll_answer`] and [`Report::check_aborted_poll`].
#[derive(Debug)]
pub struct WaitingPoll {
    client_key: u64,
    queue_id: Box<str>,
    /// The request in one line.
    request: Box<str>,
    /// In microseconds of real time.
    started_at: i64,
}

impl Report {
    /// Checks an answered request.
    pub fn observe(&self, request: &Observation<'_>) {
        let key = client_key(request.client, request.entry.user.as_deref());
        self.state.lock().find_or_add_client(key, request).observe(request);
    }

    /// Notes that a poll has been waiting since `started_at`, in microseconds of real time. `params` are the parameters
    /// of the request.
    pub fn record_poll_start(
        &self,
        client_name: &str,
        user: Option<&str>,
        params: &std::collections::BTreeMap<String, String>,
        started_at: i64,
    ) -> WaitingPoll {
        let key = client_key(client_name, user);
        let queue_id = params.get("queue_id").map_or("", String::as_str);
        if let Some(client) = self.state.lock().clients.get_mut(&key) {
            client.record_poll_start(queue_id);
        }
        WaitingPoll {
            client_key: key,
            queue_id: queue_id.into(),
            request: observation::summary_line("GET", "/events", params),
            started_at,
        }
    }

    /// Notes that a waiting poll was answered.
    pub fn record_poll_answer(&self, poll: &WaitingPoll) {
        if let Some(client) = self.state.lock().clients.get_mut(&poll.client_key) {
            client.record_poll_end(&poll.queue_id);
        }
    }

    /// Checks a waiting poll whose connection the client closed. `now` is in microseconds of real time, `world_time` in
    /// seconds.
    pub fn check_aborted_poll(&self, poll: &WaitingPoll, now: i64, world_time: f64) {
        if let Some(client) = self.state.lock().clients.get_mut(&poll.client_key) {
            client.record_poll_end(&poll.queue_id);
            client.check_aborted_poll(&poll.queue_id, &poll.request, (poll.started_at, now), world_time);
        }
    }

    /// Records findings for clients that have stopped polling after an unexpected reply, and for those that registered
    /// several queues without polling the older ones.
    pub fn record_overdue_findings(&self, now: Moment) {
        self.state.lock().clients.values_mut().for_each(|client| client.record_overdue_findings(now));
    }

    /// Checks the rules that apply at the end of a world. `is_left_behind` returns whether a queue with this ID exists
    /// although no running client polls it.
    pub fn check_at_end(&self, is_left_behind: impl Fn(&str) -> bool, now: Moment) {
        let mut state = self.state.lock();
        state.clients.values_mut().for_each(|client| client.check_at_end(&is_left_behind, now));
    }

    pub fn clear(&self) {
        *self.state.lock() = State::default();
    }

    /// The clients with their findings, sorted by client and user.
    pub fn summary(&self) -> Summary {
        let state = self.state.lock();
        let mut clients: Vec<ClientSummary> = state.clients.values().map(Client::summary).collect();
        clients.sort_by(|first, second| (&first.client, &first.user).cmp(&(&second.client, &second.user)));
        let is_incomplete = state.has_removed_clients || state.clients.values().any(Client::has_omitted_findings);
        Summary { clients, complete: !is_incomplete }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Body, Entry};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const CLIENT_COUNT: usize = 100;
    /// The polls of a client in a day, one every ten minutes.
    const POLLS_PER_DAY: i64 = 144;

    fn poll(report: &Report, client: usize, number: i64) {
        let text = |number: i64| number.to_string();
        let params = [("queue_id", format!("queue-{client}")), ("last_event_id", text(number - 1))];
        let seconds = number * 600;
        let entry = Entry {
            id: number.unsigned_abs(),
            at: seconds as f64,
            method: "GET".into(),
            path: "/events".into(),
            route: Some("/events"),
            user: Some(format!("user-{client}@chat.test").into()),
            params: Arc::new(
                params.map(|(name, value)| (name.to_owned(), value)).into_iter().collect::<BTreeMap<_, _>>(),
            ),
            status: 200,
            reply: Body::default(),
            arrived_at: seconds * 1_000_000,
            duration_ms: 1.0,
            client: "".into(),
            hint: None,
            fault: None,
            events: 0..0,
            truncated: false,
        };
        let reply = format!("{{\"events\":[{{\"type\":\"heartbeat\",\"id\":{number}}}]}}");
        let now = seconds * 1_000_000;
        report.observe(&Observation {
            client: "app/1.0",
            entry: &entry,
            reply: reply.as_bytes(),
            receipt: Receipt::Complete,
            effect: None,
            started_at: now,
            answered_at: now + 1,
            reply_sent_at: Moment { real: now + 1, world: now + 1 },
            facts: Facts::default(),
            ignored_parameters: &[],
            issues: &[],
            is_queue_alive: &|_| true,
        });
    }

    #[test]
    fn a_week_of_polls_takes_no_more_memory_than_a_day() {
        let report = Report::default();
        let size_after_polling = |from: i64, to: i64| {
            for number in from * POLLS_PER_DAY..to * POLLS_PER_DAY {
                (0..CLIENT_COUNT).for_each(|client| poll(&report, client, number));
            }
            // The length of the remembered state as text.
            format!("{report:?}").len()
        };
        let day = size_after_polling(0, 1);
        let week = size_after_polling(1, 7);

        assert!(week < day + day / 20, "{week} bytes of text after a week, {day} after a day");
        let summary = report.summary();
        assert_eq!((summary.clients.len(), summary.complete), (CLIENT_COUNT, true));
        assert_eq!(summary.findings().count(), 0);
        assert_eq!(summary.clients[0].requests, 7 * POLLS_PER_DAY.unsigned_abs());
    }
}
