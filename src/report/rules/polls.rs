//! Rules about polls: what they acknowledge, how often they are sent, and how long a client waits.

use super::SECOND;
use super::known_queues::{KnownQueue, KnownQueues, MIN_ABORTED_POLLS};
use crate::report::finding::{Findings, Occurrence};
use crate::report::observation::{Observation, Receipt};
use crate::report::rule::{Rule, Severity};
use serde::Deserialize;
use std::borrow::Cow;

/// A client breaks `events-never-acknowledged` with this number of polls that do not acknowledge the first events.
const MIN_POLLS_WITHOUT_ACKNOWLEDGEMENT: u32 = 3;
/// A client breaks `polls-without-progress` with this number of polls with the same `last_event_id` after later events.
const MIN_POLLS_WITHOUT_PROGRESS: u32 = 5;
/// A client breaks `polls-without-waiting` with this number of consecutive polls with `dont_block`.
const MIN_NONBLOCKING_POLLS: u32 = 10;
/// The time within which these polls are sent.
const NONBLOCKING_POLLS_SPAN: i64 = 60 * SECOND;
/// How long a client should wait: `event_queue_longpoll_timeout_seconds` minus the tolerance of timers.
const MIN_LONG_POLL_WAIT: i64 = 89 * SECOND;
/// A poll continues a series if it follows the previous poll within this time.
const MAX_POLL_INTERVAL: i64 = 5 * SECOND;

pub const RULES: &[&Rule] = &[
    &UNKNOWN_EVENT_ACKNOWLEDGED,
    &ACKNOWLEDGEMENT_BACKWARDS,
    &EVENT_ID_OF_ANOTHER_QUEUE,
    &EVENTS_NEVER_ACKNOWLEDGED,
    &POLLS_WITHOUT_PROGRESS,
    &CONCURRENT_POLLS,
    &POLLS_WITHOUT_WAITING,
    &LONG_POLL_CUT_SHORT,
];

static UNKNOWN_EVENT_ACKNOWLEDGED: Rule = Rule {
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
static ACKNOWLEDGEMENT_BACKWARDS: Rule = Rule {
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
static EVENT_ID_OF_ANOTHER_QUEUE: Rule = Rule {
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
static EVENTS_NEVER_ACKNOWLEDGED: Rule = Rule {
    name: "events-never-acknowledged",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Polls with the last_event_id of the register reply although it was given events",
    why: "The server repeats all events with each reply and keeps them for the client: log and replies grow.",
    help: "Send the largest id received as last_event_id of the next poll.",
    example: "GET /events?last_event_id=-1 → events 0 and 1; GET /events?last_event_id=-1; …",
    test: "events_are_acknowledged",
};
static POLLS_WITHOUT_PROGRESS: Rule = Rule {
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
static CONCURRENT_POLLS: Rule = Rule {
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
static POLLS_WITHOUT_WAITING: Rule = Rule {
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
static LONG_POLL_CUT_SHORT: Rule = Rule {
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

/// The result of a poll, for the rules in other files.
#[derive(Debug)]
pub struct PollResult {
    /// Whether the client received a complete, successful reply.
    pub is_success: bool,
    /// Whether the reply has only events that were delivered before, and that this poll acknowledges.
    pub is_repetition: bool,
    /// Whether the reply has events that were not delivered before.
    pub has_new_events: bool,
    /// The `local_message_id`s of the client's messages among the events.
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

/// Checks a poll and returns its result. Returns None for other requests.
pub fn check(queues: &mut KnownQueues, request: &Observation<'_>, findings: &mut Findings) -> Option<PollResult> {
    if !request.is_for("GET", "/events") {
        return None;
    }
    let is_success = request.is_success();
    let mut result = PollResult { is_success, is_repetition: false, has_new_events: false, local_ids: Vec::new() };
    let (Some(id), Some(last_event_id)) =
        (request.param("queue_id"), request.param("last_event_id").and_then(|id| id.parse::<i64>().ok()))
    else {
        return Some(result);
    };
    let mut other_queues = queues.iter().filter(|queue| *queue.id != *id);
    let belongs_to_other_queue = other_queues.any(|queue| {
        last_event_id >= 0 && (queue.last_event_id == Some(last_event_id) || queue.newest_delivered == last_event_id)
    });
    let queue = queues.find_or_add(id)?;
    check_acknowledgement(queue, last_event_id, belongs_to_other_queue, request, findings);
    check_progress(queue, last_event_id, request, findings);
    check_overlap(queue, request, findings);
    let events = match request.reply {
        reply if is_success => {
            serde_json::from_slice::<EventsReply<'_>>(reply).map_or(Vec::new(), |reply| reply.events)
        }
        _ => Vec::new(),
    };
    check_nonblocking(queue, !events.is_empty(), request, findings);
    remember_poll(queue, last_event_id, &events, request);
    let newest = events.iter().map(|event| event.id).max();
    result.has_new_events = newest.is_some_and(|newest| newest > queue.newest_delivered);
    result.is_repetition =
        newest.is_some_and(|newest| newest <= queue.newest_delivered && last_event_id >= queue.newest_delivered);
    if let Some(newest) = newest {
        queue.newest_delivered = queue.newest_delivered.max(newest);
        queue.delivered_at = request.reply_sent_at.real;
    }
    result.local_ids = events.into_iter().filter_map(|event| event.local_message_id).map(Cow::into_owned).collect();
    Some(result)
}

fn check_acknowledgement(
    queue: &KnownQueue,
    last_event_id: i64,
    belongs_to_other_queue: bool,
    request: &Observation<'_>,
    findings: &mut Findings,
) {
    let is_after_latest = queue.last_poll.is_none_or(|(_, last_poll_ended)| request.started_at > last_poll_ended);
    match queue.newest_sent {
        Some(newest_sent) if last_event_id > newest_sent && queue.poll_count == 0 && belongs_to_other_queue => {
            findings.add(&EVENT_ID_OF_ANOTHER_QUEUE, "", request)
        }
        Some(newest_sent) if last_event_id > newest_sent => findings.add(&UNKNOWN_EVENT_ACKNOWLEDGED, "", request),
        _ if last_event_id < queue.acknowledged && is_after_latest => {
            findings.add(&ACKNOWLEDGEMENT_BACKWARDS, "", request)
        }
        _ => {}
    }
}

/// Finds clients that do not acknowledge received events. A client that handles events one by one acknowledges them one
/// by one, and so makes progress.
fn check_progress(queue: &mut KnownQueue, last_event_id: i64, request: &Observation<'_>, findings: &mut Findings) {
    let has_received_more = queue.newest_delivered > last_event_id && request.started_at > queue.delivered_at;
    let is_same_id = queue.last_event_id == Some(last_event_id);
    let is_stuck = has_received_more && is_same_id && request.entry.status == 200;
    queue.stuck_poll_count = if is_stuck { queue.stuck_poll_count + 1 } else { 0 };
    if last_event_id < 0 && queue.stuck_poll_count >= MIN_POLLS_WITHOUT_ACKNOWLEDGEMENT {
        findings.add(&EVENTS_NEVER_ACKNOWLEDGED, "", request);
    } else if last_event_id >= 0 && queue.stuck_poll_count >= MIN_POLLS_WITHOUT_PROGRESS {
        findings.add(&POLLS_WITHOUT_PROGRESS, "", request);
    }
}

/// Finds polls that overlap. The server ends the older of two polls when the newer one starts: they overlap if the
/// older one ends after that.
fn check_overlap(queue: &KnownQueue, request: &Observation<'_>, findings: &mut Findings) {
    let overlaps = queue.last_poll.is_some_and(|(last_poll_began, last_poll_ended)| {
        last_poll_began < request.started_at && request.started_at < last_poll_ended
    });
    if overlaps && request.receipt == Receipt::Complete {
        findings.add(&CONCURRENT_POLLS, "", request);
    }
}

/// Finds a series of polls with `dont_block` that return no events.
fn check_nonblocking(queue: &mut KnownQueue, has_events: bool, request: &Observation<'_>, findings: &mut Findings) {
    if !request.is_success() || has_events {
        return;
    }
    let (count, since) = queue.nonblocking_series;
    let continues_series =
        request.has_true_param("dont_block") && count > 0 && request.waited_since(since) <= NONBLOCKING_POLLS_SPAN;
    queue.nonblocking_series = match (request.has_true_param("dont_block"), continues_series) {
        (false, _) => Default::default(),
        (true, false) => (1, request.reply_sent_at),
        (true, true) => (count + 1, since),
    };
    if queue.nonblocking_series.0 >= MIN_NONBLOCKING_POLLS {
        findings.add(&POLLS_WITHOUT_WAITING, "", request);
    }
}

fn remember_poll(queue: &mut KnownQueue, last_event_id: i64, events: &[Event<'_>], request: &Observation<'_>) {
    queue.poll_count += 1;
    queue.last_event_id = Some(last_event_id);
    queue.connection_number = request.facts.connection_number;
    if request.receipt == Receipt::Complete {
        queue.last_poll = Some((request.started_at, request.answered_at));
    }
    if request.entry.status != 200 {
        return;
    }
    queue.acknowledged = queue.acknowledged.max(last_event_id);
    let newest = events.iter().map(|event| event.id).max();
    // The client may have read any number of the events in a broken reply.
    queue.newest_sent = match (queue.newest_sent, request.receipt) {
        (Some(newest_sent), Receipt::Complete) => Some(newest_sent.max(newest.unwrap_or(last_event_id))),
        (None, Receipt::Complete) => Some(newest.unwrap_or(last_event_id).max(last_event_id)),
        (_, Receipt::Broken | Receipt::Missing) => None,
    };
}

/// Checks a poll that the client aborted. A client with a timeout that is too short repeatedly aborts polls after the
/// same time and polls again.
pub fn check_aborted(
    queue: &mut KnownQueue,
    (started_at, aborted_at): (i64, i64),
    poll: Occurrence,
    findings: &mut Findings,
) {
    let follows_aborted = queue
        .aborted_polls
        .iter()
        .last()
        .is_some_and(|(_, previous_end)| started_at - previous_end < MAX_POLL_INTERVAL);
    let follows_answered = queue
        .last_poll
        .is_some_and(|(_, previous_end)| started_at > previous_end && started_at - previous_end < MAX_POLL_INTERVAL);
    if !follows_aborted && !follows_answered {
        queue.aborted_polls.clear();
    }
    queue.aborted_polls.push((aborted_at - started_at, aborted_at));
    let durations = queue.aborted_polls.iter().map(|(duration, _)| *duration);
    let (shortest, longest) = (durations.clone().min().unwrap_or(0), durations.clone().max().unwrap_or(0));
    let are_similar = longest <= shortest + shortest / 4 + SECOND / 10;
    if durations.len() == MIN_ABORTED_POLLS && longest < MIN_LONG_POLL_WAIT && are_similar {
        findings.add_occurrence(&LONG_POLL_CUT_SHORT, "", poll);
    }
}
