//! Findings of one client, a bounded number of them.

use super::rule::Rule;
use super::seen::Seen;

/// Findings of a client that are remembered at most.
pub const MAX_FINDINGS: usize = 64;
/// Bytes of what a finding is about.
const SUBJECT_MAX_BYTES: usize = 160;

/// A request that a finding is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occurrence {
    /// Its entry in the journal; None where a request was never answered.
    pub journal_id: Option<u64>,
    /// When, in seconds of the world's time.
    pub at: f64,
    /// The request in a line.
    pub request: Box<str>,
}

impl Occurrence {
    /// That of a request.
    pub fn of(seen: &Seen<'_>) -> Self {
        Self { journal_id: Some(seen.entry.id), at: seen.entry.at, request: seen.request() }
    }
}

/// A rule that a client broke, and how often.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    /// What it was broken with.
    pub subject: Box<str>,
    /// How often.
    pub count: u64,
    /// The first time.
    pub first: Occurrence,
    /// The last time.
    pub last: Occurrence,
}

/// The findings of a client.
#[derive(Debug, Default)]
pub struct Findings {
    /// In the order in which they were first made.
    pub all: Vec<Finding>,
    /// Whether there were more.
    pub has_forgotten: bool,
}

impl Findings {
    /// Adds what a request shows. `subject` is in the place of `{}` in the rule's words.
    pub fn add(&mut self, rule: &'static Rule, subject: &str, seen: &Seen<'_>) {
        if rule.since <= seen.facts.level && rule.removed_in.is_none_or(|removed_in| seen.facts.level < removed_in) {
            self.add_at(rule, subject, Occurrence::of(seen));
        }
    }

    /// Adds what is known of a request of the past.
    pub fn add_at(&mut self, rule: &'static Rule, subject: &str, occurrence: Occurrence) {
        let subject = &subject[..subject.floor_char_boundary(SUBJECT_MAX_BYTES)];
        let known = self.all.iter_mut().find(|finding| finding.rule.name == rule.name && *finding.subject == *subject);
        if let Some(known) = known {
            known.count += 1;
            known.last = occurrence;
        } else if self.all.len() < MAX_FINDINGS {
            let (first, last) = (occurrence.clone(), occurrence);
            self.all.push(Finding { rule, subject: subject.into(), count: 1, first, last });
        } else {
            self.has_forgotten = true;
        }
    }
}
