//! Rules about what a client does after a failure.

use super::SECOND;
use crate::report::finding::Findings;
use crate::report::memory::Latest;
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{Arrival, Past, Seen};
use serde::Deserialize;

/// The same refused request so often, within this time, is a habit.
const REFUSALS: u32 = 3;
const REFUSALS_WITHIN: i64 = 60 * SECOND;
/// Credentials that are refused so often, within this time, are not corrected.
const UNAUTHORIZED: u32 = 3;
const UNAUTHORIZED_WITHIN: i64 = 600 * SECOND;
/// Failures in a row after which even pauses should have grown, and pauses drawn by chance.
const EVEN_FAILURES: u32 = 5;
const FAILURES: u32 = 10;
/// Pauses from here on are long enough.
const LONG_PAUSE: i64 = 10 * SECOND;
/// What timers may be early.
const EARLY: i64 = SECOND / 20;

/// The rows.
pub const RULES: &[&Rule] = &[&REFUSED, &TOO_EARLY, &WITHOUT_BACKOFF, &CREDENTIALS];

static REFUSED: Rule = Rule {
    name: "refused-request-repeated",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Repeated a refused request unchanged: {}",
    why: "The refusal stays the same; users wait for something that never comes, and servers answer in vain.",
    help: "Show the error, or change the request. Only replies of 429 and 5xx and lost ones are worth another try.",
    example: "PATCH /messages/9 → 400, three times within a minute",
    test: "a_refused_request_is_not_repeated",
};
static TOO_EARLY: Rule = Rule {
    name: "retry-before-retry-after",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Repeated a request before retry-after had passed: {}",
    why: "The server refuses it again, and counts it: a client that does not wait stays locked out.",
    help: "Wait for as many seconds as retry-after says, in the header or the body of the 429 reply.",
    example: "POST /messages → 429, retry-after 2; POST /messages after 1 s",
    test: "retry_after_is_waited_for",
};
static WITHOUT_BACKOFF: Rule = Rule {
    name: "retry-without-backoff",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Retried without growing pauses: {}",
    why: "When a server comes back, all its clients are there at once, and it goes down again.",
    help: "Double the pause with each failure, up to a minute or so, and draw a part of it by chance.",
    example: "GET /messages → 502, five times, a second apart",
    test: "pauses_between_retries_grow",
};
static CREDENTIALS: Rule = Rule {
    name: "refused-credentials-repeated",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Sent credentials again that were refused with 401",
    why: "Real servers limit failed logins: the account is locked for its user, too.",
    help: "Stop after the first 401 and ask for a new key.",
    example: "GET /users/me → 401, three times with the same key",
    test: "refused_credentials_are_not_sent_again",
};

/// Requests that failed in a row.
#[derive(Debug)]
struct Series {
    request: u64,
    count: u32,
    last: Past,
    /// The longer of the first two pauses, in microseconds.
    first_pause: i64,
    shortest: i64,
    longest: i64,
}

#[derive(Debug)]
struct Refusal {
    request: u64,
    count: u32,
    first: Past,
    last: Past,
}

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    refusals: Latest<Refusal, 8>,
    limits: Latest<(u64, i64, Past), 4>,
    failures: Latest<Series, 4>,
    /// Hash of the credentials, how often, since when, and the last time.
    unauthorized: Option<(u64, u32, Past, Past)>,
}

#[derive(Deserialize)]
struct RateLimited {
    #[serde(rename = "retry-after")]
    retry_after: f64,
}

/// A request without the values of its parameters.
fn operation(seen: &Seen<'_>) -> String {
    format!("{} {}", seen.entry.method, seen.entry.route.unwrap_or(&seen.entry.path))
}

impl Memory {
    /// Judges a request.
    pub fn judge(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        self.judge_limits(seen, findings);
        let (status, arrival) = (seen.entry.status, seen.arrival);
        if arrival != Arrival::Whole || status >= 500 {
            return self.judge_failure(seen, findings);
        }
        if !self.failures.is_empty() {
            let request = seen.fingerprint(&[]);
            self.failures.retain(|series| series.request != request);
        }
        match status {
            401 => self.judge_credentials(seen, findings),
            429 => {
                if let Ok(limited) = serde_json::from_slice::<RateLimited>(seen.reply) {
                    let wait = (limited.retry_after.clamp(0.0, 1e6) * SECOND as f64) as i64;
                    self.limits.push((seen.fingerprint(&[]), wait, seen.sent));
                }
            }
            // Polls have rules of their own.
            400..500 if seen.entry.route != Some("/events") => self.judge_refusal(seen, findings),
            200 => {
                if seen.entry.user.is_some() {
                    self.unauthorized = None;
                }
                // What was refused may be possible now.
                if seen.entry.method != "GET" {
                    self.refusals.clear();
                }
            }
            _ => {}
        }
    }

    fn judge_limits(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        if self.limits.is_empty() {
            return;
        }
        let request = seen.fingerprint(&[]);
        let limit = self.limits.take(|(limited, _, sent)| *limited == request && seen.is_after(*sent));
        if limit.is_some_and(|(_, wait, sent)| seen.waited(sent) < wait - EARLY - wait / 50) {
            findings.add(&TOO_EARLY, &operation(seen), seen);
        }
    }

    fn judge_refusal(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let request = seen.fingerprint(&[]);
        let known = self.refusals.take(|refusal| refusal.request == request);
        let refusal = match known {
            // It was on its way when the other was refused.
            Some(known) if !seen.is_after(known.last) => known,
            Some(known) if seen.waited(known.first) <= REFUSALS_WITHIN => {
                Refusal { count: known.count + 1, last: seen.sent, ..known }
            }
            _ => Refusal { request, count: 1, first: seen.sent, last: seen.sent },
        };
        if refusal.count >= REFUSALS && refusal.last == seen.sent {
            findings.add(&REFUSED, &operation(seen), seen);
        }
        self.refusals.push(refusal);
    }

    fn judge_credentials(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let sent = seen.facts.credentials;
        if sent == 0 {
            return;
        }
        self.unauthorized = match self.unauthorized {
            Some(known @ (same, .., last)) if same == sent && !seen.is_after(last) => Some(known),
            Some((same, count, first, _)) if same == sent && seen.waited(first) <= UNAUTHORIZED_WITHIN => {
                if count + 1 >= UNAUTHORIZED {
                    findings.add(&CREDENTIALS, "", seen);
                }
                Some((same, count + 1, first, seen.sent))
            }
            _ => Some((sent, 1, seen.sent, seen.sent)),
        };
    }

    fn judge_failure(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let request = seen.fingerprint(&[]);
        let Some(series) = self.failures.take(|series| series.request == request) else {
            let (count, last) = (1, seen.sent);
            self.failures.push(Series { request, count, last, first_pause: 0, shortest: i64::MAX, longest: 0 });
            return;
        };
        if !seen.is_after(series.last) {
            return self.failures.push(series);
        }
        let pause = seen.waited(series.last);
        let count = series.count + 1;
        let first_pause = if count <= 3 { series.first_pause.max(pause) } else { series.first_pause };
        let (shortest, longest) = (series.shortest.min(pause), series.longest.max(pause));
        // A hundredth of a second is what the system makes of no pause.
        let is_even = longest <= shortest + shortest / 2 + SECOND / 100;
        let has_grown = longest >= first_pause + first_pause / 10 * 9 && longest > SECOND / 50;
        let is_enough = (is_even && count >= EVEN_FAILURES) || (!has_grown && count >= FAILURES);
        if is_enough && longest < LONG_PAUSE {
            findings.add(&WITHOUT_BACKOFF, &operation(seen), seen);
        }
        self.failures.push(Series { request, count, last: seen.sent, first_pause, shortest, longest });
    }
}
