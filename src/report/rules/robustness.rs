//! Rules about the reaction of a client to unexpected replies and events, which its next requests show.

use super::SECOND;
use super::polls::PollResult;
use crate::report::finding::{Findings, Occurrence};
use crate::report::latest_items::LatestItems;
use crate::report::observation::{Moment, Observation};
use crate::report::rule::{Rule, Severity};

/// A client that has not polled for this time has stopped polling.
const MAX_TIME_WITHOUT_POLL: i64 = 60 * SECOND;
/// If no later request shows that a client has stopped, this real time must have passed since an unknown event, because
/// a jump of the world's clock may come before its next poll.
const MIN_REAL_SILENCE: i64 = SECOND / 2;
/// The same as [`MIN_REAL_SILENCE`], after an unexpected reply. It is longer, because a client may wait before it polls
/// again.
const MIN_REAL_SILENCE_AFTER_ERROR: i64 = 10 * SECOND;
/// At the end of the world, a client has stopped polling after this time with at least one other request.
const MIN_SILENCE_AT_END: i64 = 5 * SECOND;
/// At the end of the world, a client has stopped polling after this number of other requests.
const MIN_REQUESTS_AT_END: u32 = 3;

/// Effects of faults on polls that a client should survive, and their descriptions.
const UNEXPECTED_REPLIES: &[(&str, &str)] = &[
    ("one_by_one", "a reply with one event of several"),
    ("hold", "an empty reply"),
    ("garbage", "an HTML page in place of JSON"),
    ("gateway", "a gateway's HTML page"),
    ("truncate_at", "a reply that breaks off"),
    ("drop", "a connection that was closed"),
    ("error", "an error"),
    ("pseudo_localize", "an error in another language"),
];

pub const RULES: &[&Rule] = &[&STOPS_AFTER_UNKNOWN_EVENT, &STOPS_AFTER_ODD_REPLY, &REPEATED_EVENT_ACTED_ON];

static STOPS_AFTER_UNKNOWN_EVENT: Rule = Rule {
    name: "stops-after-unknown-event",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Stopped polling after an event of an unknown type",
    why: "With the next upgrade of the server the client falls silent.",
    help: "Ignore events and fields that the client does not know, and acknowledge them.",
    example: "GET /events → an event of a later level; for a minute no GET /events",
    test: "unknown_events_are_ignored",
};
static STOPS_AFTER_ODD_REPLY: Rule = Rule {
    name: "stops-after-odd-reply",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Stopped polling after {}",
    why: "Proxies, restarts and weak networks do this to every client some day.",
    help: "Take a reply that can't be read as a lost one: wait, and poll again with the same last_event_id.",
    example: "GET /events → an HTML page of a proxy; for a minute no GET /events",
    test: "odd_replies_are_survived",
};
static REPEATED_EVENT_ACTED_ON: Rule = Rule {
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

/// Paths of requests that clients send on their own, and not in reaction to events.
const PATHS_OF_UNPROMPTED_REQUESTS: &[&str] = &["/users/me/presence", "/typing", "/register", "/events"];

/// A poll with an unexpected reply or an unknown event, until the client polls again.
#[derive(Debug)]
struct UnexpectedReply {
    rule: &'static Rule,
    subject: &'static str,
    sent_at: Moment,
    poll: Occurrence,
    /// The number of other requests since then.
    other_request_count: u32,
}

#[derive(Debug, Default)]
pub struct Memory {
    unexpected_reply: Option<UnexpectedReply>,
    /// The fingerprints of the latest writes, and their times in microseconds of real time.
    writes: LatestItems<(u64, i64), 16>,
    /// The time of the latest reply with new events, in microseconds of real time.
    new_events_at: i64,
    /// The fingerprints of the writes after that reply and before its events were repeated.
    reactions: Vec<u64>,
}

impl Memory {
    pub fn check(&mut self, request: &Observation<'_>, poll_result: Option<&PollResult>, findings: &mut Findings) {
        match poll_result {
            Some(poll_result) => {
                self.remember_events(poll_result, request);
                self.unexpected_reply = find_unexpected_reply(poll_result, request);
            }
            None if request.is_for("DELETE", "/events") => self.unexpected_reply = None,
            None => {
                self.check_silence(request, findings);
                self.check_reaction(request, findings);
            }
        }
    }

    pub fn record_poll_start(&mut self) {
        self.unexpected_reply = None;
    }

    fn remember_events(&mut self, poll_result: &PollResult, request: &Observation<'_>) {
        if poll_result.has_new_events {
            self.new_events_at = request.reply_sent_at.real;
            self.reactions.clear();
        } else if poll_result.is_repetition {
            let since = self.new_events_at;
            self.reactions = self
                .writes
                .iter()
                .filter(|(_, started_at)| *started_at > since)
                .map(|(fingerprint, _)| *fingerprint)
                .collect();
        }
    }

    /// Finds a client that sends other requests instead of polls after an unexpected reply, or registers again.
    fn check_silence(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let Some(unexpected_reply) =
            self.unexpected_reply.as_mut().filter(|unexpected_reply| request.is_after(unexpected_reply.sent_at))
        else {
            return;
        };
        unexpected_reply.other_request_count += 1;
        let starts_over = request.is_for("POST", "/register");
        if starts_over || request.waited_since(unexpected_reply.sent_at) > MAX_TIME_WITHOUT_POLL {
            findings.add_occurrence(unexpected_reply.rule, unexpected_reply.subject, unexpected_reply.poll.clone());
            self.unexpected_reply = None;
        }
    }

    /// Finds a client that has not polled since an unexpected reply for so long that it has stopped. It need not have
    /// sent other requests.
    pub fn check_silent_client(&mut self, now: Moment, findings: &mut Findings) {
        let has_stopped = |reply: &mut UnexpectedReply| {
            let real_silence = now.real - reply.sent_at.real;
            let is_unknown_event = reply.rule.name == STOPS_AFTER_UNKNOWN_EVENT.name;
            let min_silence = if is_unknown_event { MIN_REAL_SILENCE } else { MIN_REAL_SILENCE_AFTER_ERROR };
            now.since(reply.sent_at) > MAX_TIME_WITHOUT_POLL && real_silence >= min_silence
        };
        if let Some(reply) = self.unexpected_reply.take_if(has_stopped) {
            findings.add_occurrence(reply.rule, reply.subject, reply.poll);
        }
    }

    /// Finds a write that repeats the client's reaction to events which were repeated, and remembers the write.
    fn check_reaction(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let route = request.entry.route.unwrap_or_default();
        if request.entry.method == "GET" || PATHS_OF_UNPROMPTED_REQUESTS.contains(&route) {
            return;
        }
        let fingerprint = request.fingerprint(&["local_id", "queue_id"]);
        if let Some(index) = self.reactions.iter().position(|reaction| *reaction == fingerprint) {
            self.reactions.swap_remove(index);
            findings.add(&REPEATED_EVENT_ACTED_ON, &format!("{} {route}", request.entry.method), request);
        }
        self.writes.push((fingerprint, request.started_at));
    }

    /// Finds a client that did not poll again before the end of the world.
    pub fn check_at_end(&mut self, now: Moment, findings: &mut Findings) {
        self.check_silent_client(now, findings);
        let Some(unexpected_reply) = self.unexpected_reply.take() else { return };
        let is_silent =
            unexpected_reply.other_request_count > 0 && now.since(unexpected_reply.sent_at) >= MIN_SILENCE_AT_END;
        if is_silent || unexpected_reply.other_request_count >= MIN_REQUESTS_AT_END {
            findings.add_occurrence(unexpected_reply.rule, unexpected_reply.subject, unexpected_reply.poll);
        }
    }
}

/// The unexpected reply to a poll, if there is one. Lost queues are left to the rules about queues.
fn find_unexpected_reply(poll_result: &PollResult, request: &Observation<'_>) -> Option<UnexpectedReply> {
    let is_of_later_level = poll_result.has_new_events && request.facts.level > request.facts.newest_level;
    let (rule, subject) = match request.effect {
        _ if request.has_code("BAD_EVENT_QUEUE_ID") => return None,
        Some("unknown") => (&STOPS_AFTER_UNKNOWN_EVENT, ""),
        Some(effect) => (&STOPS_AFTER_ODD_REPLY, UNEXPECTED_REPLIES.iter().find(|(name, _)| *name == effect)?.1),
        None if is_of_later_level => (&STOPS_AFTER_UNKNOWN_EVENT, ""),
        None => return None,
    };
    Some(UnexpectedReply {
        rule,
        subject,
        sent_at: request.reply_sent_at,
        poll: Occurrence::from_request(request),
        other_request_count: 0,
    })
}
