//! The findings of one client. Their number is bounded.

use super::observation::Observation;
use super::rule::Rule;

/// The maximum number of findings of a client. Further findings are omitted.
pub const MAX_FINDINGS: usize = 64;
const MAX_SUBJECT_BYTES: usize = 160;

/// A request that a finding is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Occurrence {
    /// The ID in the journal. None if the request was never answered.
    pub journal_id: Option<u64>,
    /// In seconds of the world's time.
    pub at: f64,
    /// The request in one line.
    pub request: Box<str>,
}

impl Occurrence {
    pub fn from_request(request: &Observation<'_>) -> Self {
        Self { journal_id: Some(request.entry.id), at: request.entry.at, request: request.line() }
    }
}

/// A rule that a client broke, with the first and the last request.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    /// Replaces `{}` in the message of the rule.
    pub subject: Box<str>,
    pub count: u64,
    pub first: Occurrence,
    pub last: Occurrence,
}

#[derive(Debug, Default)]
pub struct Findings {
    /// In the order of their first occurrences.
    pub all: Vec<Finding>,
    /// Whether findings were omitted because of [`MAX_FINDINGS`].
    pub is_incomplete: bool,
}

impl Findings {
    /// Does the same as [`Findings::add_occurrence`] for an answered request, if the rule applies at the world's
    /// feature level. `subject` replaces `{}` in the message.
    pub fn add(&mut self, rule: &'static Rule, subject: &str, request: &Observation<'_>) {
        if rule.since <= request.facts.level
            && rule.removed_in.is_none_or(|removed_in| request.facts.level < removed_in)
        {
            self.add_occurrence(rule, subject, Occurrence::from_request(request));
        }
    }

    /// Adds a finding, or another occurrence to the finding with the same rule and subject. The feature level does not
    /// matter.
    pub fn add_occurrence(&mut self, rule: &'static Rule, subject: &str, occurrence: Occurrence) {
        let subject = &subject[..subject.floor_char_boundary(MAX_SUBJECT_BYTES)];
        let existing =
            self.all.iter_mut().find(|finding| finding.rule.name == rule.name && *finding.subject == *subject);
        if let Some(existing) = existing {
            existing.count += 1;
            existing.last = occurrence;
        } else if self.all.len() < MAX_FINDINGS {
            let (first, last) = (occurrence.clone(), occurrence);
            self.all.push(Finding { rule, subject: subject.into(), count: 1, first, last });
        } else {
            self.is_incomplete = true;
        }
    }
}
