//! Rules about registering event queues and leaving them.

use super::SECOND;
use super::known_queues::{KnownQueue, KnownQueues};
use crate::report::finding::{Findings, Occurrence};
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{Arrival, Past, Seen};

/// How soon a lost queue is to be replaced.
const REPLACED_WITHIN: i64 = 60 * SECOND;
/// How long a queue lives without a poll, unless its client asks otherwise.
const LIFETIME: i64 = 600 * SECOND;
/// Queues that are registered within this time of each other are of one client that starts over.
const STARTS_OVER_WITHIN: i64 = 60 * SECOND;
/// A client whose last poll ended less than this ago is between two polls, in microseconds.
const BETWEEN_POLLS: i64 = SECOND * 5 / 4;

/// What a client that lost its queue may do before it registers: to find out where, and as who.
const ON_THE_WAY: &[&str] = &["/server_settings", "/fetch_api_key", "/dev_fetch_api_key", "/register", "/events"];

/// The rows.
pub const RULES: &[&Rule] = &[&DEAD_QUEUE_POLLED, &NOT_REPLACED, &REGISTERED_AGAIN, &LEFT_BEHIND];

static DEAD_QUEUE_POLLED: Rule = Rule {
    name: "dead-queue-polled",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Polled a queue again after BAD_EVENT_QUEUE_ID",
    why: "The queue never comes back: the client receives nothing more, and loads the server with refused requests.",
    help: "On the code BAD_EVENT_QUEUE_ID (not the text of msg, which servers translate) register a new queue and fetch what was missed.",
    example: "GET /events?queue_id=a → BAD_EVENT_QUEUE_ID; GET /events?queue_id=a",
    test: "a_dead_queue_is_not_polled_again",
};
static NOT_REPLACED: Rule = Rule {
    name: "queue-not-replaced",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Went on without an event queue for more than 60 s after BAD_EVENT_QUEUE_ID",
    why: "The client looks connected and shows nothing new.",
    help: "Register a new queue at once, and fetch what was missed.",
    example: "GET /events → BAD_EVENT_QUEUE_ID; 61 s later POST /messages, without POST /register between",
    test: "a_lost_queue_is_replaced",
};
static REGISTERED_AGAIN: Rule = Rule {
    name: "registered-again",
    severity: Severity::Warning,
    since: 0,
    removed_in: None,
    what: "Registered another queue although its queue lives",
    why: "Registering is the most expensive request there is, and the server collects events for the forgotten queue for ten minutes.",
    help: "Go on polling after errors of the network; register only after BAD_EVENT_QUEUE_ID.",
    example: "POST /register; GET /events; POST /register, on the same connection",
    test: "a_living_queue_is_not_replaced",
};
static LEFT_BEHIND: Rule = Rule {
    name: "queue-left-behind",
    severity: Severity::Note,
    since: 0,
    removed_in: None,
    what: "Ended without deleting its event queue",
    why: "The server collects events for it until it expires, and counts its user as reachable: pushes are held back.",
    help: "Send DELETE /events with the queue_id when the client ends.",
    example: "POST /register, and no DELETE /events before the end",
    test: "queues_are_deleted_at_the_end",
};

/// What is remembered besides the queues.
#[derive(Debug, Default)]
pub struct Memory {
    /// When the client learned that its queue is gone, if it has not registered since.
    lost: Option<Past>,
}

impl Memory {
    /// Judges a request.
    pub fn judge(&mut self, queues: &mut KnownQueues, seen: &Seen<'_>, findings: &mut Findings) {
        let entry = seen.entry;
        match entry.route {
            Some("/register") if entry.method == "POST" => {
                self.lost = None;
                register(queues, seen, findings);
            }
            Some("/events") if entry.method == "DELETE" => note_deletion(queues, seen),
            Some("/events") => self.judge_poll(queues, seen, findings),
            Some(route) if ON_THE_WAY.contains(&route) => {}
            _ => self.judge_other(seen, findings),
        }
    }

    fn judge_poll(&mut self, queues: &mut KnownQueues, seen: &Seen<'_>, findings: &mut Findings) {
        let id = seen.param("queue_id").unwrap_or_default();
        let Some(queue) = queues.find(id) else { return };
        if queue.gone.is_some_and(|gone| seen.is_after(gone)) {
            findings.add(&DEAD_QUEUE_POLLED, "", seen);
        }
        let is_gone = seen.arrival == Arrival::Whole && seen.has_code("BAD_EVENT_QUEUE_ID");
        if is_gone {
            // It counts from the first time that the client learned it.
            queue.gone = queue.gone.or(Some(seen.sent));
            let is_latest = queues.iter().last().is_some_and(|latest| *latest.id == *id);
            if is_latest && queues.iter().all(|queue| queue.waiting == 0) {
                self.lost = self.lost.or(Some(seen.sent));
            }
        } else if seen.is_success() {
            self.lost = None;
        }
    }

    /// A client that lives on without its queue.
    fn judge_other(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let is_late = |lost: Past| seen.is_after(lost) && seen.waited(lost) > REPLACED_WITHIN;
        if self.lost.is_some_and(is_late) {
            self.lost = None;
            findings.add(&NOT_REPLACED, "", seen);
        }
    }
}

fn note_deletion(queues: &mut KnownQueues, seen: &Seen<'_>) {
    if let Some(queue) = seen.param("queue_id").and_then(|id| queues.find(id)) {
        queue.is_ended = true;
    }
}

/// A queue's ID in a register reply, where it is among the first keys.
fn registered_id(reply: &[u8]) -> Option<&str> {
    const KEY: &[u8] = br#""queue_id":""#;
    let begin = memchr::memmem::find(reply, KEY)? + KEY.len();
    let length = memchr::memchr(b'"', &reply[begin..])?;
    std::str::from_utf8(&reply[begin..begin + length]).ok()
}

fn register(queues: &mut KnownQueues, seen: &Seen<'_>, findings: &mut Findings) {
    let Some(id) = registered_id(seen.reply).filter(|_| seen.is_success()) else { return };
    // A world that was reset gives the same IDs again.
    queues.remove(id);
    // A queue with other options serves another purpose.
    let options = seen.fingerprint(&[]);
    let is_idle = |queue: &&KnownQueue| {
        let registered = queue.registered.filter(|at| seen.is_after(*at) && seen.waited(*at) < LIFETIME);
        let is_unused = queue.options == options && queue.waiting == 0;
        is_unused && registered.is_some() && queue.is_alive() && (seen.is_alive)(&queue.id)
    };
    let is_recent = |queue: &KnownQueue| queue.registered.is_some_and(|at| seen.waited(at) < STARTS_OVER_WITHIN);
    let is_of_same_process = |queue: &KnownQueue| queue.polls > 0 && queue.connection == seen.facts.connection;
    let idle: Vec<&KnownQueue> = queues.iter().filter(is_idle).collect();
    let starts_over = idle.iter().filter(|queue| is_recent(queue)).count() >= 2;
    if starts_over || idle.iter().any(|queue| is_of_same_process(queue)) {
        findings.add(&REGISTERED_AGAIN, "", seen);
    }
    let types = seen.param("event_types");
    queues.add(KnownQueue {
        id: id.into(),
        registered: Some(seen.sent),
        options,
        registration: Occurrence::of(seen),
        tells_of_users: types.is_none_or(|types| types.contains("\"realm_user\"")),
        connection: seen.facts.connection,
        sent: Some(-1),
        delivered: -1,
        acknowledged: -1,
        ..KnownQueue::default()
    });
}

/// Reports undeleted queues when the world ends. With `are_gone` clients count as ended, connected or not.
pub fn close(
    queues: &KnownQueues,
    is_alive: &impl Fn(&str) -> bool,
    now: Past,
    are_gone: bool,
    findings: &mut Findings,
) {
    for queue in queues.iter().filter(|queue| queue.registered.is_some() && queue.is_alive() && is_alive(&queue.id)) {
        let is_between_polls = queue.answered.is_some_and(|at| now.real - at.real < BETWEEN_POLLS);
        if are_gone || (queue.waiting == 0 && !is_between_polls) {
            findings.add_at(&LEFT_BEHIND, "", queue.registration.clone());
        }
    }
}
