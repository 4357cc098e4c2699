//! What is known of one client.

use super::finding::{Finding, Findings, Occurrence};
use super::rules::Rules;
use super::seen::{Past, Seen, hash};
use super::summary::{ClientSummary, FindingSummary, OccurrenceSummary};

/// Bytes of a client's name.
const NAME_MAX_BYTES: usize = 80;

/// A client: a User-Agent and a user.
#[derive(Debug)]
pub struct Client {
    name: Box<str>,
    user: Option<Box<str>>,
    requests: u64,
    first_at: f64,
    last_at: f64,
    findings: Findings,
    /// What the rules remember; most clients of tests that read once need nothing.
    rules: Option<Box<Rules>>,
}

/// Identifies a client in a world.
pub fn key_of(client: &str, user: Option<&str>) -> u64 {
    hash(&(client, user))
}

impl Client {
    /// The client of a request.
    pub fn new(seen: &Seen<'_>) -> Self {
        Self {
            name: seen.client[..seen.client.floor_char_boundary(NAME_MAX_BYTES)].into(),
            user: seen.entry.user.as_deref().map(Into::into),
            requests: 0,
            first_at: seen.entry.at,
            last_at: seen.entry.at,
            findings: Findings::default(),
            rules: None,
        }
    }

    /// Looks at a request of it.
    pub fn observe(&mut self, seen: &Seen<'_>) {
        self.requests += 1;
        self.last_at = self.last_at.max(seen.entry.at);
        if self.rules.is_none() && !Rules::are_needed(seen) {
            return;
        }
        self.rules.get_or_insert_default().observe(seen, &mut self.findings);
    }

    /// Notes that a poll of a queue waits.
    pub fn note_waiting(&mut self, queue: &str) {
        if let Some(rules) = &mut self.rules {
            rules.note_waiting(queue);
        }
    }

    /// Notes that a poll of a queue waits no more.
    pub fn note_not_waiting(&mut self, queue: &str) {
        if let Some(rules) = &mut self.rules {
            rules.note_not_waiting(queue);
        }
    }

    /// Notes that it closed the connection of a poll; both times are in microseconds of real time.
    pub fn note_cut_short(&mut self, queue: &str, request: &str, times: (i64, i64), at: f64) {
        let occurrence = Occurrence { journal_id: None, at, request: request.into() };
        if let Some(rules) = &mut self.rules {
            rules.note_cut_short(queue, times, occurrence, &mut self.findings);
        }
    }

    /// Judges what can be judged only at its end.
    pub fn close(&mut self, is_alive: &impl Fn(&str) -> bool, now: Past, are_gone: bool) {
        if let Some(rules) = &mut self.rules {
            rules.close(is_alive, now, are_gone, &mut self.findings);
        }
    }

    /// How much would be lost by forgetting it.
    pub fn worth(&self) -> f64 {
        if self.findings.all.is_empty() { self.last_at - 1e12 } else { self.last_at }
    }

    /// Whether the limits made it forget something.
    pub fn has_forgotten(&self) -> bool {
        self.findings.has_forgotten
    }

    /// It with its findings, the worst first.
    pub fn summary(&self) -> ClientSummary {
        let mut findings: Vec<FindingSummary> = self.findings.all.iter().map(summary_of).collect();
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        ClientSummary {
            world: None,
            client: self.name.to_string(),
            user: self.user.as_deref().map(str::to_owned),
            requests: self.requests,
            first_at: self.first_at,
            last_at: self.last_at,
            findings,
        }
    }
}

fn summary_of(finding: &Finding) -> FindingSummary {
    let occurrence = |one: &Occurrence| OccurrenceSummary {
        journal_id: one.journal_id,
        at: one.at,
        request: one.request.to_string(),
    };
    FindingSummary {
        rule: finding.rule.name.to_owned(),
        severity: finding.rule.severity,
        message: finding.rule.message(&finding.subject),
        count: finding.count,
        first: occurrence(&finding.first),
        last: occurrence(&finding.last),
        why: finding.rule.why.to_owned(),
        help: finding.rule.help.to_owned(),
    }
}
