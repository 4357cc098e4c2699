//! The rules, by what they are about. Each file has the rows of its rules, what they remember, and how they judge.
//!
//! A rule judges what a client did, not what it might have meant. It leaves out what a client that behaves may do too:
//! requests that were on their way, what changed in between, and whatever clients of other processes do.

mod economy;
mod known_queues;
mod parameters;
mod polls;
mod queues;
mod retries;
mod robustness;
mod sending;
mod tomorrow;

use super::finding::{Findings, Occurrence};
use super::rule::Rule;
use super::seen::{Arrival, Past, Seen};
use known_queues::KnownQueues;
use std::sync::LazyLock;

/// A second, in microseconds.
const SECOND: i64 = 1_000_000;

/// All rules, in the order of the documents.
pub fn all() -> &'static [&'static Rule] {
    static ALL: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
        let families = [
            queues::RULES,
            polls::RULES,
            retries::RULES,
            sending::RULES,
            parameters::RULES,
            economy::RULES,
            robustness::RULES,
            tomorrow::RULES,
        ];
        families.concat()
    });
    &ALL
}

/// The rule of a name.
pub fn named(name: &str) -> Option<&'static Rule> {
    all().iter().find(|rule| rule.name == name).copied()
}

/// What the rules remember of a client.
#[derive(Debug, Default)]
pub struct Rules {
    queues: KnownQueues,
    registering: queues::Memory,
    retries: retries::Memory,
    sending: sending::Memory,
    economy: economy::Memory,
    robustness: robustness::Memory,
}

impl Rules {
    /// Whether a request of a client that nothing is remembered of may matter to a rule.
    pub fn are_needed(seen: &Seen<'_>) -> bool {
        let entry = seen.entry;
        let is_plain = entry.method == "GET" && entry.status == 200 && seen.arrival == Arrival::Whole;
        !is_plain || !entry.params.is_empty() || !seen.doubts.is_empty() || seen.facts.secret_in_query.is_some()
    }

    /// Judges a request, and remembers what later ones are judged by.
    pub fn observe(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        parameters::judge(seen, findings);
        tomorrow::judge(seen, findings);
        let polled = polls::judge(&mut self.queues, seen, findings);
        self.registering.judge(&mut self.queues, seen, findings);
        self.retries.judge(seen, findings);
        self.sending.judge(seen, polled.as_ref(), findings);
        self.economy.judge(&self.queues, seen, findings);
        self.robustness.judge(seen, polled.as_ref(), findings);
    }

    /// Notes that a poll of a queue waits.
    pub fn note_waiting(&mut self, queue: &str) {
        self.robustness.note_poll();
        if let Some(queue) = self.queues.find(queue) {
            queue.waiting += 1;
        }
    }

    /// Notes that a poll of a queue waits no more.
    pub fn note_not_waiting(&mut self, queue: &str) {
        if let Some(queue) = self.queues.find(queue) {
            queue.waiting = queue.waiting.saturating_sub(1);
        }
    }

    /// Notes that the client closed the connection of a poll that waited from the first of these times to the second.
    pub fn note_cut_short(&mut self, queue: &str, times: (i64, i64), poll: Occurrence, findings: &mut Findings) {
        if let Some(queue) = self.queues.find(queue) {
            polls::judge_cut(queue, times, poll, findings);
        }
    }

    /// Judges what can be judged only at the end.
    pub fn close(&mut self, is_alive: &impl Fn(&str) -> bool, now: Past, are_gone: bool, findings: &mut Findings) {
        queues::close(&self.queues, is_alive, now, are_gone, findings);
        self.robustness.close(now, findings);
    }
}
