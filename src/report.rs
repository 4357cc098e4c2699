//! The report on clients: what each client of a world did that a real server or its users would suffer from.
//!
//! Each answered request is looked at once, by the rules of [`rules`], which remember a bounded number of facts about each
//! client. A client is a User-Agent (name and version) and a user.

mod baseline;
mod client;
mod ended;
mod finding;
pub mod format;
mod memory;
mod rule;
pub mod rules;
mod seen;
mod summary;

use client::{Client, key_of};
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use std::collections::HashMap;

pub use baseline::Baseline;
pub use ended::EndedReports;
pub use rule::{Rule, Severity};
pub use seen::{Arrival, Doubt, DoubtKind, Facts, Past, Seen, hash};
pub use summary::{ClientSummary, FindingSummary, OccurrenceSummary, Summary};

/// Clients of a world that are remembered at most.
pub const MAX_CLIENTS: usize = 2_000;

/// What is known of the clients of a world.
#[derive(Debug, Default)]
pub struct Report {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    clients: HashMap<u64, Client, RandomState>,
    /// Whether the limits made it forget something.
    has_forgotten: bool,
}

impl State {
    fn client(&mut self, key: u64, seen: &Seen<'_>) -> &mut Client {
        if self.clients.len() >= MAX_CLIENTS && !self.clients.contains_key(&key) {
            // Those without findings first, of these the one that was idle for longest.
            let least = self.clients.iter().min_by(|(_, one), (_, other)| one.worth().total_cmp(&other.worth()));
            if let Some(least) = least.map(|(key, _)| *key) {
                self.clients.remove(&least);
            }
            self.has_forgotten = true;
        }
        self.clients.entry(key).or_insert_with(|| Client::new(seen))
    }
}

/// A poll that waits; names its client and queue.
#[derive(Debug)]
pub struct WaitingPoll {
    client: u64,
    queue: Box<str>,
    request: Box<str>,
    /// When it began, in microseconds of real time.
    began: i64,
}

impl Report {
    /// Looks at a request that was answered.
    pub fn observe(&self, seen: &Seen<'_>) {
        let key = key_of(seen.client, seen.entry.user.as_deref());
        self.state.lock().client(key, seen).observe(seen);
    }

    /// Notes that a poll began to wait. `params` are those of the request.
    pub fn note_waiting(
        &self,
        client: &str,
        user: Option<&str>,
        params: &std::collections::BTreeMap<String, String>,
        began: i64,
    ) -> WaitingPoll {
        let key = key_of(client, user);
        let queue = params.get("queue_id").map_or("", String::as_str);
        if let Some(known) = self.state.lock().clients.get_mut(&key) {
            known.note_waiting(queue);
        }
        WaitingPoll { client: key, queue: queue.into(), request: seen::request_line("GET", "/events", params), began }
    }

    /// Notes that a waiting poll was answered.
    pub fn note_answered(&self, poll: &WaitingPoll) {
        if let Some(client) = self.state.lock().clients.get_mut(&poll.client) {
            client.note_not_waiting(&poll.queue);
        }
    }

    /// Notes that the client closed the connection of a waiting poll. `now` is in microseconds of real time, `at` in
    /// seconds of the world's.
    pub fn note_cut_short(&self, poll: &WaitingPoll, now: i64, at: f64) {
        if let Some(client) = self.state.lock().clients.get_mut(&poll.client) {
            client.note_not_waiting(&poll.queue);
            client.note_cut_short(&poll.queue, &poll.request, (poll.began, now), at);
        }
    }

    /// Judges what can be judged only when the world ends. `is_alive` says whether a queue still exists; `now` and `world`
    /// are in microseconds; `are_gone` whether all clients are known to have ended.
    pub fn close(&self, is_alive: impl Fn(&str) -> bool, now: Past, are_gone: bool) {
        let mut state = self.state.lock();
        state.clients.values_mut().for_each(|client| client.close(&is_alive, now, are_gone));
    }

    /// Forgets everything.
    pub fn clear(&self) {
        *self.state.lock() = State::default();
    }

    /// The clients with their findings, sorted by client and user.
    pub fn summary(&self) -> Summary {
        let state = self.state.lock();
        let mut clients: Vec<ClientSummary> = state.clients.values().map(Client::summary).collect();
        clients.sort_by(|one, other| (&one.client, &one.user).cmp(&(&other.client, &other.user)));
        let has_forgotten = state.has_forgotten || state.clients.values().any(Client::has_forgotten);
        Summary { clients, complete: !has_forgotten }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{Body, Entry};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const CLIENTS: usize = 100;
    /// Polls of a client in a day, one each ten minutes.
    const A_DAY: i64 = 144;

    fn poll(report: &Report, client: usize, number: i64) {
        let text = |number: i64| number.to_string();
        let params = [("queue_id", format!("queue-{client}")), ("last_event_id", text(number - 1))];
        let at = number * 600;
        let entry = Entry {
            id: number.unsigned_abs(),
            at: at as f64,
            method: "GET".into(),
            path: "/events".into(),
            route: Some("/events"),
            user: Some(format!("user-{client}@chat.test").into()),
            params: Arc::new(
                params.map(|(name, value)| (name.to_owned(), value)).into_iter().collect::<BTreeMap<_, _>>(),
            ),
            status: 200,
            reply: Body::default(),
            duration_ms: 1.0,
            client: "".into(),
            hint: None,
            fault: None,
            events: 0..0,
            truncated: false,
        };
        let reply = format!("{{\"events\":[{{\"type\":\"heartbeat\",\"id\":{number}}}]}}");
        let now = at * 1_000_000;
        report.observe(&Seen {
            client: "app/1.0",
            entry: &entry,
            reply: reply.as_bytes(),
            arrival: Arrival::Whole,
            effect: None,
            began: now,
            ended: now + 1,
            sent: Past { real: now + 1, world: now + 1 },
            facts: Facts::default(),
            doubts: &[],
            is_alive: &|_| true,
        });
    }

    #[test]
    fn a_week_of_polls_takes_no_more_memory_than_a_day() {
        let report = Report::default();
        let days = |from: i64, to: i64| {
            for number in from * A_DAY..to * A_DAY {
                (0..CLIENTS).for_each(|client| poll(&report, client, number));
            }
            // All that is remembered, as text.
            format!("{report:?}").len()
        };
        let day = days(0, 1);
        let week = days(1, 7);

        assert!(week < day + day / 20, "{week} bytes of text after a week, {day} after a day");
        let summary = report.summary();
        assert_eq!((summary.clients.len(), summary.complete), (CLIENTS, true));
        assert_eq!(summary.findings().count(), 0);
        assert_eq!(summary.clients[0].requests, 7 * A_DAY.unsigned_abs());
    }
}
