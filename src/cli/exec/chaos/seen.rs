//! What a command was seen to do: the requests that faults can meet.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Requests of an operation are distinguished up to so many: how often a client polls in the same time varies.
const DISTINGUISHED: usize = 8;
/// With these, tests get what their clients log in with.
const OF_TESTS: [&str; 2] = ["/dev_fetch_api_key", "/dev_list_users"];

/// The operations that were used, in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    operations: BTreeMap<(&'static str, String), Operation>,
    /// How many requests each user sent, up to a number.
    callers: BTreeMap<String, usize>,
    /// Of the polls, which acknowledged events that they had been given.
    pub acknowledging: Vec<usize>,
    /// Of the polls, which were given events, and which several.
    pub with_events: Vec<usize>,
    pub with_several: Vec<usize>,
    /// The last acknowledgement of each queue.
    acknowledged: HashMap<String, i64>,
    polls: usize,
}

/// An operation that was used.
#[derive(Clone, Debug, Default)]
pub struct Operation {
    /// Requests, up to a number.
    pub requests: usize,
    /// Whether one of them made an event.
    pub has_events: bool,
    /// Bytes of the longest reply, as far as they are known.
    pub longest: usize,
}

/// A request of a journal.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub route: &'static str,
    pub method: &'a str,
    /// Address of the caller, if a fault may name it.
    pub user: Option<&'a str>,
    pub params: &'a BTreeMap<String, String>,
    pub status: u16,
    pub reply: &'a [u8],
    pub has_events: bool,
}

impl Seen {
    /// Adds a request, in the order in which they were answered.
    pub fn add(&mut self, request: Request<'_>) {
        if OF_TESTS.contains(&request.route) {
            return;
        }
        if let Some(user) = request.user {
            let requests = self.callers.entry(user.to_owned()).or_default();
            *requests = (*requests + 1).min(DISTINGUISHED);
        }
        let operation = self.operations.entry((request.route, request.method.to_owned())).or_default();
        operation.requests = (operation.requests + 1).min(DISTINGUISHED);
        operation.has_events |= request.has_events;
        operation.longest = operation.longest.max(request.reply.len());
        if (request.method, request.route) == ("GET", "/events") && request.status == 200 {
            self.add_poll(request);
        }
    }

    fn add_poll(&mut self, request: Request<'_>) {
        let number = self.polls;
        self.polls += 1;
        if number >= DISTINGUISHED {
            return;
        }
        let param = |name: &str| request.params.get(name).map(String::as_str).unwrap_or_default();
        let last: i64 = param("last_event_id").parse().unwrap_or(-1);
        let before = self.acknowledged.insert(param("queue_id").to_owned(), last).unwrap_or(-1);
        if last > before {
            self.acknowledging.push(number);
        }
        let reply: Value = serde_json::from_slice(request.reply).unwrap_or_default();
        let events = reply["events"].as_array().map_or(0, Vec::len);
        if events > 0 {
            self.with_events.push(number);
        }
        if events > 1 {
            self.with_several.push(number);
        }
    }

    /// Adds what was seen in another world. Worlds count requests for themselves, so that the most of one world counts.
    pub fn join(&mut self, other: Self) {
        for (key, Operation { requests, has_events, longest }) in other.operations {
            let own = self.operations.entry(key).or_default();
            own.requests = own.requests.max(requests);
            own.has_events |= has_events;
            own.longest = own.longest.max(longest);
        }
        for (user, requests) in other.callers {
            let own = self.callers.entry(user).or_default();
            *own = requests.max(*own);
        }
        let joined = |own: &mut Vec<usize>, polls: Vec<usize>| {
            own.extend(polls);
            own.sort_unstable();
            own.dedup();
        };
        joined(&mut self.acknowledging, other.acknowledging);
        joined(&mut self.with_events, other.with_events);
        joined(&mut self.with_several, other.with_several);
    }

    /// The users who sent requests, each with their number.
    pub fn callers(&self) -> impl Iterator<Item = (&str, usize)> {
        self.callers.iter().map(|(user, requests)| (user.as_str(), *requests))
    }

    /// Whether nothing was asked of a world.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The operations: method, path, and what is known of each.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &'static str, &Operation)> {
        self.operations.iter().map(|((route, method), operation)| (method.as_str(), *route, operation))
    }

    /// An operation, if it was used.
    pub fn operation(&self, method: &str, route: &'static str) -> Option<&Operation> {
        self.operations.get(&(route, method.to_owned()))
    }
}
