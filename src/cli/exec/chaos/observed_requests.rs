//! The observed requests of a command, which random faults can affect.

use crate::api::server::login::TEST_SETUP_ROUTES;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Requests of an operation or a user beyond this number are not counted, since the number of polls varies from run to
/// run.
const MAX_COUNTED_REQUESTS: usize = 8;

/// The requests of a command, counted by operation and by user.
///
/// Polls have numbers from 0 on in the order of their replies: the successful `GET /events` requests of all queues
/// together. Only the first [`MAX_COUNTED_REQUESTS`] of them are recorded.
#[derive(Clone, Debug, Default)]
pub struct ObservedRequests {
    operations: BTreeMap<(&'static str, String), ObservedOperation>,
    /// Number of requests of each user, up to [`MAX_COUNTED_REQUESTS`].
    request_counts: BTreeMap<String, usize>,
    /// Numbers of the polls that acknowledged events.
    pub acknowledging_polls: Vec<usize>,
    /// Numbers of the polls that returned events.
    pub polls_with_events: Vec<usize>,
    /// Numbers of the polls that returned several events.
    pub polls_with_several_events: Vec<usize>,
    /// The ID of the last acknowledged event of each queue, by queue ID.
    last_acknowledged_ids: HashMap<String, i64>,
    poll_count: usize,
    /// Number of requests on which a fault fired that the command itself had set up. They are counted nowhere else.
    faulted_count: usize,
}

/// What was observed of an operation.
#[derive(Clone, Debug, Default)]
pub struct ObservedOperation {
    /// Number of requests, up to [`MAX_COUNTED_REQUESTS`].
    pub request_count: usize,
    /// Whether a request emitted an event.
    pub has_events: bool,
    /// The length of the longest reply, as far as the journal keeps it.
    pub longest_reply_bytes: usize,
}

/// A request of the journal, reduced to what faults depend on.
#[derive(Clone, Copy, Debug)]
pub struct ObservedRequest<'a> {
    pub route: &'static str,
    pub method: &'a str,
    /// Email address of the caller, if faults may be restricted to this user.
    pub user: Option<&'a str>,
    pub params: &'a BTreeMap<String, String>,
    pub status: u16,
    pub reply: &'a [u8],
    pub has_events: bool,
}

impl ObservedRequests {
    /// Adds a request. Requests must be added in the order in which they were answered.
    pub fn add(&mut self, request: ObservedRequest<'_>) {
        // Faults must not affect them.
        if TEST_SETUP_ROUTES.contains(&request.route) {
            return;
        }
        if let Some(user) = request.user {
            let request_count = self.request_counts.entry(user.to_owned()).or_default();
            *request_count = (*request_count + 1).min(MAX_COUNTED_REQUESTS);
        }
        let operation = self.operations.entry((request.route, request.method.to_owned())).or_default();
        operation.request_count = (operation.request_count + 1).min(MAX_COUNTED_REQUESTS);
        operation.has_events |= request.has_events;
        operation.longest_reply_bytes = operation.longest_reply_bytes.max(request.reply.len());
        if (request.method, request.route) == ("GET", "/events") && request.status == 200 {
            self.add_poll(request);
        }
    }

    /// Counts a request on which a fault fired that the command itself had set up.
    pub fn count_faulted(&mut self) {
        self.faulted_count += 1;
    }

    fn add_poll(&mut self, request: ObservedRequest<'_>) {
        let number = self.poll_count;
        self.poll_count += 1;
        if number >= MAX_COUNTED_REQUESTS {
            return;
        }
        let param = |name: &str| request.params.get(name).map(String::as_str).unwrap_or_default();
        let acknowledged: i64 = param("last_event_id").parse().unwrap_or(-1);
        let previously_acknowledged =
            self.last_acknowledged_ids.insert(param("queue_id").to_owned(), acknowledged).unwrap_or(-1);
        if acknowledged > previously_acknowledged {
            self.acknowledging_polls.push(number);
        }
        let reply: Value = serde_json::from_slice(request.reply).unwrap_or_default();
        let event_count = reply["events"].as_array().map_or(0, Vec::len);
        if event_count > 0 {
            self.polls_with_events.push(number);
        }
        if event_count > 1 {
            self.polls_with_several_events.push(number);
        }
    }

    /// Adds the requests of another world. Faults count requests per world, so the larger number of each operation and
    /// user counts.
    pub fn merge(&mut self, other: Self) {
        for (key, ObservedOperation { request_count, has_events, longest_reply_bytes }) in other.operations {
            let operation = self.operations.entry(key).or_default();
            operation.request_count = operation.request_count.max(request_count);
            operation.has_events |= has_events;
            operation.longest_reply_bytes = operation.longest_reply_bytes.max(longest_reply_bytes);
        }
        for (user, request_count) in other.request_counts {
            let largest_count = self.request_counts.entry(user).or_default();
            *largest_count = request_count.max(*largest_count);
        }
        self.faulted_count += other.faulted_count;
        let merge_numbers = |numbers: &mut Vec<usize>, other_numbers: Vec<usize>| {
            numbers.extend(other_numbers);
            numbers.sort_unstable();
            numbers.dedup();
        };
        merge_numbers(&mut self.acknowledging_polls, other.acknowledging_polls);
        merge_numbers(&mut self.polls_with_events, other.polls_with_events);
        merge_numbers(&mut self.polls_with_several_events, other.polls_with_several_events);
    }

    /// The users with the number of their requests.
    pub fn users(&self) -> impl Iterator<Item = (&str, usize)> {
        self.request_counts.iter().map(|(user, request_count)| (user.as_str(), *request_count))
    }

    /// Why no fault can fire on these requests. None if one can.
    pub fn reason_for_no_fault(&self) -> Option<String> {
        if !self.operations.is_empty() {
            return None;
        }
        Some(match self.faulted_count {
            0 => "the command sent no request of an operation to the server in CHATDOUBLE_URL".to_owned(),
            1 => "a fault that the command itself set up fired on its only request".to_owned(),
            count => format!("faults that the command itself set up fired on all of its {count} requests"),
        })
    }

    /// The operations, with method and route.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &'static str, &ObservedOperation)> {
        self.operations.iter().map(|((route, method), operation)| (method.as_str(), *route, operation))
    }

    pub fn operation(&self, method: &str, route: &'static str) -> Option<&ObservedOperation> {
        self.operations.get(&(route, method.to_owned()))
    }
}
