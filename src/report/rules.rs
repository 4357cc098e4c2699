//! The rules by subject. Each file has the texts of its rules, the checks, and the facts that these remember;
//! `known_queues.rs` has the facts about queues, which several of them use.
//!
//! A rule must not blame a correct client. Therefore it does not count requests that were sent before the client could
//! know better, repetitions after a change that may make a difference, and requests that may come from other processes
//! with the same name.

mod deprecation;
mod economy;
mod known_queues;
mod later_levels;
mod parameters;
mod polls;
mod queues;
mod retries;
mod robustness;
mod sending;

use super::finding::{Findings, Occurrence};
use super::observation::{Moment, Observation, Receipt};
use super::rule::Rule;
use known_queues::KnownQueues;
use std::sync::LazyLock;

/// One second in microseconds, the unit of the times of the rules.
const SECOND: i64 = 1_000_000;

/// All rules, in the order of the documentation.
pub fn all() -> &'static [&'static Rule] {
    static ALL: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
        let rule_lists = [
            queues::RULES,
            polls::RULES,
            retries::RULES,
            sending::RULES,
            parameters::RULES,
            deprecation::RULES,
            economy::RULES,
            robustness::RULES,
            later_levels::RULES,
        ];
        rule_lists.concat()
    });
    &ALL
}

pub fn find(name: &str) -> Option<&'static Rule> {
    all().iter().find(|rule| rule.name == name).copied()
}

/// The facts that the rules remember of one client.
#[derive(Debug, Default)]
pub struct Memory {
    known_queues: KnownQueues,
    queues: queues::Memory,
    retries: retries::Memory,
    sending: sending::Memory,
    economy: economy::Memory,
    robustness: robustness::Memory,
}

impl Memory {
    /// Whether a request may matter to a rule although nothing is remembered of the client yet.
    pub fn is_needed_for(request: &Observation<'_>) -> bool {
        let entry = request.entry;
        let is_plain_read = entry.method == "GET" && entry.status == 200 && request.receipt == Receipt::Complete;
        !is_plain_read
            || !entry.params.is_empty()
            || !request.issues.is_empty()
            || request.facts.secret_query_parameter.is_some()
    }

    /// Checks a request and remembers the facts for later ones.
    pub fn observe(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        parameters::check(request, findings);
        deprecation::check(request, findings);
        later_levels::check(request, findings);
        let poll_result = polls::check(&mut self.known_queues, request, findings);
        self.queues.check(&mut self.known_queues, request, findings);
        self.retries.check(request, findings);
        self.sending.check(request, poll_result.as_ref(), findings);
        self.economy.check(&self.known_queues, request, findings);
        self.robustness.check(request, poll_result.as_ref(), findings);
    }

    pub fn record_poll_start(&mut self, queue_id: &str) {
        self.robustness.record_poll_start();
        self.queues.record_poll_start(queue_id);
        if let Some(queue) = self.known_queues.find(queue_id) {
            queue.waiting_poll_count += 1;
        }
    }

    pub fn record_poll_end(&mut self, queue_id: &str) {
        if let Some(queue) = self.known_queues.find(queue_id) {
            queue.waiting_poll_count = queue.waiting_poll_count.saturating_sub(1);
        }
    }

    /// Checks a poll whose connection the client closed. `start_and_end` are in microseconds of real time.
    pub fn check_aborted_poll(
        &mut self,
        queue_id: &str,
        start_and_end: (i64, i64),
        poll: Occurrence,
        findings: &mut Findings,
    ) {
        if let Some(queue) = self.known_queues.find(queue_id) {
            polls::check_aborted(queue, start_and_end, poll, findings);
        }
    }

    /// See [`Report::record_overdue_findings`](crate::report::Report::record_overdue_findings).
    pub fn record_overdue_findings(&mut self, now: Moment, findings: &mut Findings) {
        self.robustness.check_silent_client(now, findings);
        self.queues.check_restart(now, findings);
    }

    /// See [`Report::check_at_end`](crate::report::Report::check_at_end).
    pub fn check_at_end(&mut self, is_left_behind: &impl Fn(&str) -> bool, now: Moment, findings: &mut Findings) {
        self.queues.check_restart_at_end(findings);
        queues::check_at_end(&self.known_queues, is_left_behind, findings);
        self.robustness.check_at_end(now, findings);
    }
}
