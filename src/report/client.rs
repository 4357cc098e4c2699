//! The state of one client in the report: its findings and what the rules remember.

use super::finding::{Finding, Findings, Occurrence};
use super::observation::{Moment, Observation, stable_hash};
use super::rules::Memory;
use super::summary::{ClientSummary, FindingSummary, OccurrenceSummary};

const MAX_NAME_BYTES: usize = 80;

/// A client of a world, with its findings.
#[derive(Debug)]
pub struct Client {
    name: Box<str>,
    user: Option<Box<str>>,
    request_count: u64,
    /// The time of the first request, in seconds of the world's time.
    first_at: f64,
    /// The time of the last request, in seconds of the world's time.
    last_at: f64,
    findings: Findings,
    /// What the rules remember. None until the first request that may matter to a rule, which many clients of tests
    /// never send.
    memory: Option<Box<Memory>>,
}

/// The key of a client within a world.
pub fn client_key(client_name: &str, user: Option<&str>) -> u64 {
    stable_hash(&(client_name, user))
}

impl Client {
    pub fn new(request: &Observation<'_>) -> Self {
        Self {
            name: request.client[..request.client.floor_char_boundary(MAX_NAME_BYTES)].into(),
            user: request.entry.user.as_deref().map(Into::into),
            request_count: 0,
            first_at: request.entry.at,
            last_at: request.entry.at,
            findings: Findings::default(),
            memory: None,
        }
    }

    pub fn observe(&mut self, request: &Observation<'_>) {
        self.request_count += 1;
        self.last_at = self.last_at.max(request.entry.at);
        if self.memory.is_none() && !Memory::is_needed_for(request) {
            return;
        }
        self.memory.get_or_insert_default().observe(request, &mut self.findings);
    }

    pub fn record_poll_start(&mut self, queue_id: &str) {
        if let Some(memory) = &mut self.memory {
            memory.record_poll_start(queue_id);
        }
    }

    pub fn record_poll_end(&mut self, queue_id: &str) {
        if let Some(memory) = &mut self.memory {
            memory.record_poll_end(queue_id);
        }
    }

    /// Checks a poll whose connection the client closed. `start_and_end` are in microseconds of real time, `world_time`
    /// is in seconds.
    pub fn check_aborted_poll(&mut self, queue_id: &str, request: &str, start_and_end: (i64, i64), world_time: f64) {
        let occurrence = Occurrence { journal_id: None, at: world_time, request: request.into() };
        if let Some(memory) = &mut self.memory {
            memory.check_aborted_poll(queue_id, start_and_end, occurrence, &mut self.findings);
        }
    }

    /// See [`Report::record_overdue_findings`](super::Report::record_overdue_findings).
    pub fn record_overdue_findings(&mut self, now: Moment) {
        if let Some(memory) = &mut self.memory {
            memory.record_overdue_findings(now, &mut self.findings);
        }
    }

    /// See [`Report::check_at_end`](super::Report::check_at_end).
    pub fn check_at_end(&mut self, is_left_behind: &impl Fn(&str) -> bool, now: Moment) {
        if let Some(memory) = &mut self.memory {
            memory.check_at_end(is_left_behind, now, &mut self.findings);
        }
    }

    /// The client with the smallest value is removed first: one without findings before one with findings, and then the
    /// one that has been idle for the longest time.
    pub fn importance(&self) -> f64 {
        // Subtracting more seconds than any time has sorts clients without findings first.
        if self.findings.all.is_empty() { self.last_at - 1e12 } else { self.last_at }
    }

    pub fn has_omitted_findings(&self) -> bool {
        self.findings.is_incomplete
    }

    /// The client with its findings, sorted by severity, the most severe first.
    pub fn summary(&self) -> ClientSummary {
        let mut findings: Vec<FindingSummary> = self.findings.all.iter().map(summarize).collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        ClientSummary {
            world: None,
            label: None,
            client: self.name.to_string(),
            user: self.user.as_deref().map(str::to_owned),
            requests: self.request_count,
            first_at: self.first_at,
            last_at: self.last_at,
            findings,
        }
    }
}

fn summarize(finding: &Finding) -> FindingSummary {
    let summarize_occurrence = |occurrence: &Occurrence| OccurrenceSummary {
        journal_id: occurrence.journal_id,
        at: occurrence.at,
        request: occurrence.request.to_string(),
    };
    FindingSummary {
        rule: finding.rule.name.to_owned(),
        severity: finding.rule.severity,
        message: finding.rule.message(&finding.subject),
        count: finding.count,
        first: summarize_occurrence(&finding.first),
        last: summarize_occurrence(&finding.last),
        why: finding.rule.why.to_owned(),
        help: finding.rule.help.to_owned(),
    }
}
