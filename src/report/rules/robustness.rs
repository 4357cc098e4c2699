//! Rules about how a client takes what is unexpected, as far as its next requests show it.

use super::SECOND;
use super::polls::Polled;
use crate::report::finding::{Findings, Occurrence};
use crate::report::memory::Latest;
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{Past, Seen};

/// A client that polls polls again within this time.
const POLLS_WITHIN: i64 = 60 * SECOND;
/// At the end, this long without a poll is enough where other requests came, and so many of them by themselves.
const SILENT_AT_END: i64 = 5 * SECOND;
const BUSY_AT_END: u32 = 3;

/// Effects of faults on a poll that a client should survive, and what it sees.
const ODD: &[(&str, &str)] = &[
    ("one_by_one", "a reply with one event of several"),
    ("hold", "an empty reply"),
    ("garbage", "an HTML page in place of JSON"),
    ("truncate_at", "a reply that breaks off"),
    ("drop", "a connection that was closed"),
    ("error", "an error"),
    ("pseudo_localize", "an error in another language"),
];

/// The rows.
pub const RULES: &[&Rule] = &[&UNKNOWN, &NOT_SURVIVED, &REPEATED];

static UNKNOWN: Rule = Rule {
    name: "stops-after-unknown-event",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Stopped polling after an event of an unknown type",
    why: "With the next upgrade of the server the client falls silent.",
    help: "Ignore events and fields that the client does not know, and acknowledge them.",
    example: "GET /events → an event of a later level; no further GET /events",
    test: "unknown_events_are_ignored",
};
static NOT_SURVIVED: Rule = Rule {
    name: "stops-after-odd-reply",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Stopped polling after {}",
    why: "Proxies, restarts and weak networks do this to every client some day.",
    help: "Take a reply that can't be read as a lost one: wait, and poll again with the same last_event_id.",
    example: "GET /events → an HTML page of a proxy; no further GET /events",
    test: "odd_replies_are_survived",
};
static REPEATED: Rule = Rule {
    name: "repeated-event-acted-on",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Acted again on an event that was repeated: {}",
    why: "After a lost acknowledgement the server repeats events: messages are answered, marked or counted twice.",
    help: "Skip events whose id is not larger than the largest one handled.",
    example: "GET /events → event 4; POST /messages; GET /events → event 4 again; the same POST /messages",
    test: "repeated_events_are_skipped",
};

/// Requests that clients send now and then whatever happens.
const PERIODIC: &[&str] = &["/users/me/presence", "/typing", "/register", "/events"];

/// A poll whose reply was unexpected.
#[derive(Debug)]
struct Odd {
    rule: &'static Rule,
    subject: &'static str,
    at: Past,
    poll: Occurrence,
    /// Other requests since then.
    others: u32,
}

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    odd: Option<Odd>,
    /// What the client wrote lately, and when, in microseconds of real time.
    written: Latest<(u64, i64), 16>,
    /// When it last received events that were new.
    news_at: i64,
    /// What it wrote since then and before the same events came again.
    answers: Vec<u64>,
}

impl Memory {
    /// Judges a request.
    pub fn judge(&mut self, seen: &Seen<'_>, polled: Option<&Polled>, findings: &mut Findings) {
        match polled {
            Some(polled) => {
                self.note_events(polled, seen);
                self.odd = odd(polled, seen);
            }
            None if seen.is("DELETE", "/events") => self.odd = None,
            None => {
                self.judge_silence(seen, findings);
                self.judge_answer(seen, findings);
            }
        }
    }

    /// Notes that the client polls.
    pub fn note_poll(&mut self) {
        self.odd = None;
    }

    fn note_events(&mut self, polled: &Polled, seen: &Seen<'_>) {
        if polled.has_news {
            self.news_at = seen.sent.real;
            self.answers.clear();
        } else if polled.is_repetition {
            let since = self.news_at;
            self.answers = self.written.iter().filter(|(_, at)| *at > since).map(|(request, _)| *request).collect();
        }
    }

    fn judge_silence(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let Some(odd) = self.odd.as_mut().filter(|odd| seen.is_after(odd.at)) else { return };
        odd.others += 1;
        let starts_over = seen.is("POST", "/register");
        if starts_over || seen.waited(odd.at) > POLLS_WITHIN {
            findings.add_at(odd.rule, odd.subject, odd.poll.clone());
            self.odd = None;
        }
    }

    fn judge_answer(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let route = seen.entry.route.unwrap_or_default();
        if seen.entry.method == "GET" || PERIODIC.contains(&route) {
            return;
        }
        let request = seen.fingerprint(&["local_id", "queue_id"]);
        if let Some(place) = self.answers.iter().position(|answer| *answer == request) {
            self.answers.swap_remove(place);
            findings.add(&REPEATED, &format!("{} {route}", seen.entry.method), seen);
        }
        self.written.push((request, seen.began));
    }

    /// Judges a client that did not poll again before the end.
    pub fn close(&mut self, now: Past, findings: &mut Findings) {
        let Some(odd) = self.odd.take() else { return };
        let is_silent = odd.others > 0 && now.since(odd.at) >= SILENT_AT_END;
        if is_silent || odd.others >= BUSY_AT_END {
            findings.add_at(odd.rule, odd.subject, odd.poll);
        }
    }
}

/// What was unexpected in the reply to a poll. A queue that is gone is a matter of its own.
fn odd(polled: &Polled, seen: &Seen<'_>) -> Option<Odd> {
    let is_of_later_level = polled.has_news && seen.facts.level > seen.facts.newest;
    let (rule, subject) = match seen.effect {
        _ if seen.has_code("BAD_EVENT_QUEUE_ID") => return None,
        Some("unknown") => (&UNKNOWN, ""),
        Some(effect) => (&NOT_SURVIVED, ODD.iter().find(|(name, _)| *name == effect)?.1),
        None if is_of_later_level => (&UNKNOWN, ""),
        None => return None,
    };
    Some(Odd { rule, subject, at: seen.sent, poll: Occurrence::of(seen), others: 0 })
}
