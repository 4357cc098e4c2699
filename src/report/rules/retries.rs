//! Rules about retries after failures and refusals.

use super::SECOND;
use crate::report::finding::Findings;
use crate::report::latest_items::LatestItems;
use crate::report::observation::{Moment, Observation, Receipt};
use crate::report::rule::{Rule, Severity};
use serde::Deserialize;

/// A client breaks `refused-request-repeated` with this number of refusals of the same request.
const MIN_REFUSALS: u32 = 3;
/// The time within which these refusals happen.
const REFUSALS_SPAN: i64 = 60 * SECOND;
/// A client breaks `refused-credentials-repeated` with this number of refusals of the same credentials.
const MIN_REFUSED_CREDENTIALS: u32 = 3;
/// The time within which these refusals happen.
const REFUSED_CREDENTIALS_SPAN: i64 = 600 * SECOND;
/// The number of consecutive failures after which constant pauses should have grown.
const MIN_FAILURES_WITH_CONSTANT_PAUSES: u32 = 5;
/// The number of consecutive failures after which random pauses should have grown.
const MIN_FAILURES_WITH_RANDOM_PAUSES: u32 = 10;
/// Pauses of this length or longer need not grow.
const LONG_PAUSE: i64 = 10 * SECOND;
/// A shorter time between two requests does not count as a pause.
const MIN_PAUSE: i64 = SECOND / 10;
/// The tolerance for timers that fire early.
const TIMER_TOLERANCE: i64 = SECOND / 20;
/// A client's clock may run fast by the wait divided by this: by 2 %.
const CLOCK_TOLERANCE_DIVISOR: i64 = 50;

/// The longest pause from which on pauses count as grown: nearly twice the initial one, because a client that doubles
/// its pauses also draws a part of them by chance.
const fn grown_pause(initial_pause: i64) -> i64 {
    initial_pause + initial_pause / 10 * 9
}

pub const RULES: &[&Rule] =
    &[&REFUSED_REQUEST_REPEATED, &RETRY_BEFORE_RETRY_AFTER, &RETRY_WITHOUT_BACKOFF, &REFUSED_CREDENTIALS_REPEATED];

static REFUSED_REQUEST_REPEATED: Rule = Rule {
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
static RETRY_BEFORE_RETRY_AFTER: Rule = Rule {
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
static RETRY_WITHOUT_BACKOFF: Rule = Rule {
    name: "retry-without-backoff",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Retried without growing pauses: {}",
    why: "When a server comes back, all its clients are there at once, and it goes down again.",
    help: "Double the pause with each failure, up to a minute or so, and draw a part of it by chance.",
    example: "GET /messages → 502, five times, a second apart or without a pause; what is under 0.1 s counts as none",
    test: "pauses_between_retries_grow",
};
static REFUSED_CREDENTIALS_REPEATED: Rule = Rule {
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

/// Consecutive failures of the same request. Pauses are in microseconds.
#[derive(Debug)]
struct FailureSeries {
    fingerprint: u64,
    count: u32,
    last_reply_at: Moment,
    /// The longer of the first two pauses, against which growth is measured.
    initial_pause: i64,
    last_pause: i64,
    shortest_pause: i64,
    longest_pause: i64,
    /// Whether each pause is clearly longer than the one before.
    has_only_grown: bool,
}

/// Refusals of the same request, without a successful write in between.
#[derive(Debug)]
struct RefusalSeries {
    fingerprint: u64,
    count: u32,
    first_reply_at: Moment,
    last_reply_at: Moment,
}

/// Refusals of the same credentials, without a successful request in between.
#[derive(Debug)]
struct CredentialsSeries {
    hash: u64,
    count: u32,
    first_reply_at: Moment,
    last_reply_at: Moment,
}

#[derive(Debug, Default)]
pub struct Memory {
    refusals: LatestItems<RefusalSeries, 8>,
    /// Rate-limited requests: fingerprint, wait in microseconds, and the time of the reply.
    rate_limits: LatestItems<(u64, i64, Moment), 4>,
    failures: LatestItems<FailureSeries, 4>,
    refused_credentials: Option<CredentialsSeries>,
}

#[derive(Deserialize)]
struct RateLimitReply {
    #[serde(rename = "retry-after")]
    retry_after: f64,
}

impl Memory {
    pub fn check(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        self.check_rate_limits(request, findings);
        let (status, receipt) = (request.entry.status, request.receipt);
        if receipt != Receipt::Complete || status >= 500 {
            return self.check_failure(request, findings);
        }
        if !self.failures.is_empty() {
            let fingerprint = request.fingerprint(&[]);
            self.failures.retain(|series| series.fingerprint != fingerprint);
        }
        match status {
            401 => self.check_credentials(request, findings),
            429 => {
                if let Ok(rate_limit_reply) = serde_json::from_slice::<RateLimitReply>(request.reply) {
                    let min_wait = (rate_limit_reply.retry_after.clamp(0.0, 1e6) * SECOND as f64) as i64;
                    self.rate_limits.push((request.fingerprint(&[]), min_wait, request.reply_sent_at));
                }
            }
            // Refused polls are checked by the rules about queues.
            400..500 if request.entry.route != Some("/events") => self.check_refusal(request, findings),
            200 => {
                if request.entry.user.is_some() {
                    self.refused_credentials = None;
                }
                // A successful change may make a refused request possible.
                if request.entry.method != "GET" {
                    self.refusals.clear();
                }
            }
            _ => {}
        }
    }

    fn check_rate_limits(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        if self.rate_limits.is_empty() {
            return;
        }
        let fingerprint = request.fingerprint(&[]);
        let rate_limit = self.rate_limits.take(|(limited_fingerprint, _, refused_at)| {
            *limited_fingerprint == fingerprint && request.is_after(*refused_at)
        });
        let is_too_early = rate_limit.is_some_and(|(_, min_wait, refused_at)| {
            request.waited_since(refused_at) < min_wait - TIMER_TOLERANCE - min_wait / CLOCK_TOLERANCE_DIVISOR
        });
        if is_too_early {
            findings.add(&RETRY_BEFORE_RETRY_AFTER, &request.operation(), request);
        }
    }

    fn check_refusal(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let fingerprint = request.fingerprint(&[]);
        let previous = self.refusals.take(|series| series.fingerprint == fingerprint);
        let series = match previous {
            // This request was sent before the previous refusal was received.
            Some(previous) if !request.is_after(previous.last_reply_at) => previous,
            Some(previous) if request.waited_since(previous.first_reply_at) <= REFUSALS_SPAN => {
                RefusalSeries { count: previous.count + 1, last_reply_at: request.reply_sent_at, ..previous }
            }
            _ => RefusalSeries {
                fingerprint,
                count: 1,
                first_reply_at: request.reply_sent_at,
                last_reply_at: request.reply_sent_at,
            },
        };
        if series.count >= MIN_REFUSALS && series.last_reply_at == request.reply_sent_at {
            findings.add(&REFUSED_REQUEST_REPEATED, &request.operation(), request);
        }
        self.refusals.push(series);
    }

    fn check_credentials(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let hash = request.facts.refused_credentials_hash;
        if hash == 0 {
            return;
        }
        let previous = self.refused_credentials.take().filter(|series| series.hash == hash);
        let last_reply_at = request.reply_sent_at;
        self.refused_credentials = match previous {
            // This request was sent before the previous refusal was received.
            Some(previous) if !request.is_after(previous.last_reply_at) => Some(previous),
            Some(previous) if request.waited_since(previous.first_reply_at) <= REFUSED_CREDENTIALS_SPAN => {
                let count = previous.count + 1;
                if count >= MIN_REFUSED_CREDENTIALS {
                    findings.add(&REFUSED_CREDENTIALS_REPEATED, "", request);
                }
                Some(CredentialsSeries { count, last_reply_at, ..previous })
            }
            _ => Some(CredentialsSeries { hash, count: 1, first_reply_at: last_reply_at, last_reply_at }),
        };
    }

    fn check_failure(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let fingerprint = request.fingerprint(&[]);
        let Some(series) = self.failures.take(|series| series.fingerprint == fingerprint) else {
            self.failures.push(FailureSeries {
                fingerprint,
                count: 1,
                last_reply_at: request.reply_sent_at,
                initial_pause: 0,
                last_pause: 0,
                has_only_grown: true,
                shortest_pause: i64::MAX,
                longest_pause: 0,
            });
            return;
        };
        if !request.is_after(series.last_reply_at) {
            return self.failures.push(series);
        }
        let pause = request.waited_since(series.last_reply_at);
        let count = series.count + 1;
        let has_only_grown =
            series.has_only_grown && (count == 2 || pause >= series.last_pause + series.last_pause / 2);
        // On a busy machine, there is some time even between requests that a client sends without a pause.
        let counted_pause = if pause < MIN_PAUSE { 0 } else { pause };
        let initial_pause = if count <= 3 { series.initial_pause.max(counted_pause) } else { series.initial_pause };
        let shortest_pause = series.shortest_pause.min(counted_pause);
        let longest_pause = series.longest_pause.max(counted_pause);
        let is_constant = longest_pause <= shortest_pause + shortest_pause / 2 && !has_only_grown;
        let has_grown = has_only_grown || (longest_pause >= grown_pause(initial_pause) && longest_pause > 0);
        let lacks_backoff = (is_constant && count >= MIN_FAILURES_WITH_CONSTANT_PAUSES)
            || (!has_grown && count >= MIN_FAILURES_WITH_RANDOM_PAUSES);
        if lacks_backoff && longest_pause < LONG_PAUSE {
            findings.add(&RETRY_WITHOUT_BACKOFF, &request.operation(), request);
        }
        let last_reply_at = request.reply_sent_at;
        self.failures.push(FailureSeries {
            fingerprint,
            count,
            last_reply_at,
            initial_pause,
            last_pause: pause,
            shortest_pause,
            longest_pause,
            has_only_grown,
        });
    }
}
