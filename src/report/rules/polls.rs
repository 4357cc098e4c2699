//! Rules about polling: what is acknowledged, how often, and for how long a client waits.

use super::SECOND;
use super::known_queues::{KnownQueue, KnownQueues};
use crate::report::finding::{Findings, Occurrence};
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{Arrival, Seen};
use serde::Deserialize;
use std::borrow::Cow;

/// Polls that leave the first events where they are before that is a finding.
const NEVER_ACKNOWLEDGED: u32 = 3;
/// Polls with the same `last_event_id` that leave later events where they are.
const STUCK: u32 = 5;
/// Polls in a row that do not wait, and the time within which they are.
const HASTY: u32 = 10;
const HASTY_WITHIN: i64 = 60 * SECOND;
/// How long a client should wait: `event_queue_longpoll_timeout_seconds`, less what timers are late or early.
const PATIENCE: i64 = 89 * SECOND;
/// A poll that follows a given up one within this time goes on from it.
const GOES_ON: i64 = 5 * SECOND;

/// The rows.
pub const RULES: &[&Rule] =
    &[&UNKNOWN_EVENT, &BACKWARDS, &OTHER_QUEUE, &NEVER, &WITHOUT_PROGRESS, &CONCURRENT, &WITHOUT_WAITING, &CUT_SHORT];

static UNKNOWN_EVENT: Rule = Rule {
    name: "unknown-event-acknowledged",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Acknowledged an event that it was never given",
    why: "The server forgets every event up to that ID: what the client had not received is lost to it.",
    help: "Set last_event_id to the largest id among the events received, and to that of the register reply before the first.",
    example: "POST /register → last_event_id -1; GET /events?last_event_id=7",
    test: "events_that_were_never_given_are_not_acknowledged",
};
static BACKWARDS: Rule = Rule {
    name: "acknowledgement-backwards",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Polled with a smaller last_event_id than before",
    why: "The server has removed those events and refuses the poll; the client receives nothing more.",
    help: "Keep the maximum of the ids received; replies may repeat events.",
    example: "GET /events?last_event_id=3, then GET /events?last_event_id=1",
    test: "acknowledgements_do_not_go_backwards",
};
static OTHER_QUEUE: Rule = Rule {
    name: "event-id-of-another-queue",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Polled a new queue with the last_event_id of a former one",
    why: "IDs count from the start of each queue: events of the new one are lost or the poll is refused.",
    help: "Take both queue_id and last_event_id from the register reply, together.",
    example: "register → queue a, polled up to event 12; register → queue b; GET /events?queue_id=b&last_event_id=12",
    test: "a_new_queue_is_polled_from_its_own_first_event",
};
static NEVER: Rule = Rule {
    name: "events-never-acknowledged",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Polls with the last_event_id of registering although it was given events",
    why: "The server repeats all events with each reply and keeps them for the client: log and replies grow.",
    help: "Send the largest id received as last_event_id of the next poll.",
    example: "GET /events?last_event_id=-1 → events 0 and 1; GET /events?last_event_id=-1; …",
    test: "events_are_acknowledged",
};
static WITHOUT_PROGRESS: Rule = Rule {
    name: "polls-without-progress",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Polls in a loop with the same last_event_id although it was given later events",
    why: "Each poll is answered at once with the same events: one client sends thousands of requests a minute.",
    help: "Raise last_event_id with every event, also with heartbeats and events of unknown types.",
    example: "GET /events?last_event_id=5 → event 6, and the same again, in a loop",
    test: "polls_go_on_from_the_latest_event",
};
static CONCURRENT: Rule = Rule {
    name: "concurrent-polls",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Polled a queue while another poll of it waited",
    why: "The server ends the older poll; two loops replace each other without end, and events are handled twice.",
    help: "Have one loop per queue: poll again when the previous poll was answered or its connection was closed.",
    example: "GET /events?queue_id=a waits; GET /events?queue_id=a",
    test: "a_queue_is_polled_once_at_a_time",
};
static WITHOUT_WAITING: Rule = Rule {
    name: "polls-without-waiting",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Polls with dont_block in a loop",
    why: "A request every few seconds for each client is what long polling is there to avoid.",
    help: "Leave dont_block out: the reply comes when there is something, or with a heartbeat.",
    example: "GET /events?dont_block=true, ten times within a minute",
    test: "polls_wait_for_events",
};
static CUT_SHORT: Rule = Rule {
    name: "long-poll-cut-short",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Closes the connection of waiting polls before event_queue_longpoll_timeout_seconds and polls again",
    why: "Each poll costs a connection and a login, and a reply that is on its way is lost.",
    help: "Set the time limit of polls above event_queue_longpoll_timeout_seconds (90 by default).",
    example: "GET /events closed after 30 s by the client, three times in a row",
    test: "long_polls_are_not_cut_short",
};

/// What a poll gave.
#[derive(Debug)]
pub struct Polled {
    /// Whether it was answered whole, with success.
    pub is_success: bool,
    /// All its events had been delivered and acknowledged before.
    pub is_repetition: bool,
    /// It had events that were not delivered before.
    pub has_news: bool,
    /// Names that the client gave to messages of its own that came back.
    pub local_ids: Vec<String>,
}

#[derive(Deserialize)]
struct EventsReply<'a> {
    #[serde(borrow, default)]
    events: Vec<Event<'a>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    id: i64,
    #[serde(borrow, default)]
    local_message_id: Option<Cow<'a, str>>,
}

/// Judges a poll; None for other requests.
pub fn judge(queues: &mut KnownQueues, seen: &Seen<'_>, findings: &mut Findings) -> Option<Polled> {
    if !seen.is("GET", "/events") {
        return None;
    }
    let is_success = seen.is_success();
    let mut polled = Polled { is_success, is_repetition: false, has_news: false, local_ids: Vec::new() };
    let (Some(id), Some(last)) = (seen.param("queue_id"), seen.param("last_event_id").and_then(|id| id.parse().ok()))
    else {
        return Some(polled);
    };
    let is_of_former = |last: i64| {
        let mut others = queues.iter().filter(|queue| *queue.id != *id);
        others.any(|queue| last >= 0 && (queue.last_asked == Some(last) || queue.delivered == last))
    };
    let is_of_former = is_of_former(last);
    let queue = queues.find_or_add(id)?;
    judge_acknowledgement(queue, last, is_of_former, seen, findings);
    judge_progress(queue, last, seen, findings);
    judge_overlap(queue, seen, findings);
    let events = match seen.reply {
        reply if is_success => {
            serde_json::from_slice::<EventsReply<'_>>(reply).map_or(Vec::new(), |reply| reply.events)
        }
        _ => Vec::new(),
    };
    judge_haste(queue, !events.is_empty(), seen, findings);
    note(queue, last, &events, seen);
    let newest = events.iter().map(|event| event.id).max();
    polled.has_news = newest.is_some_and(|newest| newest > queue.delivered);
    polled.is_repetition = newest.is_some_and(|newest| newest <= queue.delivered && last >= queue.delivered);
    if let Some(newest) = newest {
        queue.delivered = queue.delivered.max(newest);
        queue.delivered_at = seen.sent.real;
    }
    polled.local_ids = events.into_iter().filter_map(|event| event.local_message_id).map(Cow::into_owned).collect();
    Some(polled)
}

fn judge_acknowledgement(queue: &KnownQueue, last: i64, is_of_former: bool, seen: &Seen<'_>, findings: &mut Findings) {
    let is_after_latest = queue.last_poll.is_none_or(|(_, ended)| seen.began > ended);
    match queue.sent {
        Some(sent) if last > sent && queue.polls == 0 && is_of_former => findings.add(&OTHER_QUEUE, "", seen),
        Some(sent) if last > sent => findings.add(&UNKNOWN_EVENT, "", seen),
        _ if last < queue.acknowledged && is_after_latest => findings.add(&BACKWARDS, "", seen),
        _ => {}
    }
}

/// A client that has events and does not acknowledge them. One that handles them one by one does, one by one.
fn judge_progress(queue: &mut KnownQueue, last: i64, seen: &Seen<'_>, findings: &mut Findings) {
    let has_more = queue.delivered > last && seen.began > queue.delivered_at;
    let is_same = queue.last_asked == Some(last);
    queue.stuck = if has_more && is_same && seen.entry.status == 200 { queue.stuck + 1 } else { 0 };
    if last < 0 && queue.stuck >= NEVER_ACKNOWLEDGED {
        findings.add(&NEVER, "", seen);
    } else if last >= 0 && queue.stuck >= STUCK {
        findings.add(&WITHOUT_PROGRESS, "", seen);
    }
}

/// The older of two polls is answered when the newer begins, so that it ends after that.
fn judge_overlap(queue: &KnownQueue, seen: &Seen<'_>, findings: &mut Findings) {
    let overlaps = queue.last_poll.is_some_and(|(began, ended)| began < seen.began && seen.began < ended);
    if overlaps && seen.arrival == Arrival::Whole {
        findings.add(&CONCURRENT, "", seen);
    }
}

fn judge_haste(queue: &mut KnownQueue, has_events: bool, seen: &Seen<'_>, findings: &mut Findings) {
    if !seen.is_success() || has_events {
        return;
    }
    let (count, since) = queue.hasty;
    let is_in_row = seen.is_on("dont_block") && count > 0 && seen.waited(since) <= HASTY_WITHIN;
    queue.hasty = match (seen.is_on("dont_block"), is_in_row) {
        (false, _) => Default::default(),
        (true, false) => (1, seen.sent),
        (true, true) => (count + 1, since),
    };
    if queue.hasty.0 >= HASTY {
        findings.add(&WITHOUT_WAITING, "", seen);
    }
}

fn note(queue: &mut KnownQueue, last: i64, events: &[Event<'_>], seen: &Seen<'_>) {
    queue.polls += 1;
    queue.last_asked = Some(last);
    queue.connection = seen.facts.connection;
    if seen.arrival == Arrival::Whole {
        queue.last_poll = Some((seen.began, seen.ended));
    }
    if seen.entry.status != 200 {
        return;
    }
    queue.acknowledged = queue.acknowledged.max(last);
    if !seen.is_on("dont_block") {
        queue.answered = Some(seen.sent);
    }
    let newest = events.iter().map(|event| event.id).max();
    // What a broken reply had is not known: the client may have read it.
    queue.sent = match (queue.sent, seen.arrival) {
        (Some(sent), Arrival::Whole) => Some(sent.max(newest.unwrap_or(last))),
        (None, Arrival::Whole) => Some(newest.unwrap_or(last).max(last)),
        (_, Arrival::Broken | Arrival::Missing) => None,
    };
}

/// Judges a poll that its client gave up: clients with a time limit do so again and again after the same time, and go on.
pub fn judge_cut(queue: &mut KnownQueue, (began, ended): (i64, i64), poll: Occurrence, findings: &mut Findings) {
    let goes_on = queue.cuts.iter().last().is_some_and(|(_, at)| began - at < GOES_ON);
    let answered = queue.last_poll.is_some_and(|(_, at)| began > at && began - at < GOES_ON);
    if !goes_on && !answered {
        queue.cuts.clear();
    }
    queue.cuts.push((ended - began, ended));
    let lengths = queue.cuts.iter().map(|(length, _)| *length);
    let (shortest, longest) = (lengths.clone().min().unwrap_or(0), lengths.clone().max().unwrap_or(0));
    let is_alike = longest <= shortest + shortest / 4 + SECOND / 10;
    if lengths.len() == 3 && longest < PATIENCE && is_alike {
        findings.add_at(&CUT_SHORT, "", poll);
    }
}
