//! Rules about the registration, the loss and the deletion of event queues.

use super::SECOND;
use super::known_queues::{KnownQueue, KnownQueues};
use crate::report::finding::{Findings, Occurrence};
use crate::report::observation::{Moment, Observation, Receipt};
use crate::report::rule::{Rule, Severity};

/// The time within which a client should replace a lost queue.
const MAX_TIME_WITHOUT_QUEUE: i64 = 60 * SECOND;
/// How long a queue exists without a poll, by default.
const QUEUE_LIFETIME: i64 = 600 * SECOND;
/// A client that registers several queues within this time is restarting repeatedly, unless it polls the older ones.
const RESTART_SPAN: i64 = 60 * SECOND;
/// How long a client has to poll the older queues, in real time.
const MAX_TIME_TO_POLL: i64 = SECOND;

/// Operations that a client without a queue may call before it registers.
const ALLOWED_BEFORE_REGISTER: &[&str] =
    &["/server_settings", "/fetch_api_key", "/dev_fetch_api_key", "/register", "/events"];

pub const RULES: &[&Rule] = &[&DEAD_QUEUE_POLLED, &QUEUE_NOT_REPLACED, &REGISTERED_AGAIN, &QUEUE_LEFT_BEHIND];

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
static QUEUE_NOT_REPLACED: Rule = Rule {
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
static QUEUE_LEFT_BEHIND: Rule = Rule {
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

#[derive(Debug, Default)]
pub struct Memory {
    /// The time at which the client learned that its latest queue does not exist. None if it has registered or polled
    /// successfully since then, or if this was reported.
    lost_at: Option<Moment>,
    restart: Option<Restart>,
}

/// A registration after several others whose queues have no waiting poll, until the client polls one of them.
#[derive(Debug)]
struct Restart {
    registration: Occurrence,
    registered_at: Moment,
    idle_queue_ids: Vec<Box<str>>,
}

impl Memory {
    pub fn check(&mut self, queues: &mut KnownQueues, request: &Observation<'_>, findings: &mut Findings) {
        let entry = request.entry;
        match entry.route {
            Some("/register") if entry.method == "POST" => {
                self.lost_at = None;
                self.check_registration(queues, request, findings);
            }
            Some("/events") if entry.method == "DELETE" => mark_deleted(queues, request),
            Some("/events") => self.check_poll(queues, request, findings),
            Some(route) if ALLOWED_BEFORE_REGISTER.contains(&route) => {}
            _ => self.check_request_without_queue(request, findings),
        }
    }

    fn check_poll(&mut self, queues: &mut KnownQueues, request: &Observation<'_>, findings: &mut Findings) {
        let id = request.param("queue_id").unwrap_or_default();
        self.record_poll_start(id);
        let Some(queue) = queues.find(id) else { return };
        if queue.lost_at.is_some_and(|lost_at| request.is_after(lost_at)) {
            findings.add(&DEAD_QUEUE_POLLED, "", request);
        }
        let is_queue_lost = request.receipt == Receipt::Complete && request.has_code("BAD_EVENT_QUEUE_ID");
        if is_queue_lost {
            queue.lost_at = queue.lost_at.or(Some(request.reply_sent_at));
            let is_latest = queues.iter().last().is_some_and(|latest| *latest.id == *id);
            if is_latest && queues.iter().all(|queue| queue.waiting_poll_count == 0) {
                self.lost_at = self.lost_at.or(Some(request.reply_sent_at));
            }
        } else if request.is_success() {
            self.lost_at = None;
        }
    }

    fn check_registration(&mut self, queues: &mut KnownQueues, request: &Observation<'_>, findings: &mut Findings) {
        let Some(id) = registered_id(request.reply).filter(|_| request.is_success()) else { return };
        // A world that was reset assigns the same IDs again.
        queues.remove(id);
        // Queues with other options serve other purposes and do not count.
        let options_hash = request.fingerprint(&[]);
        let is_idle = |queue: &&KnownQueue| {
            let is_registered = queue.registered_at.is_some_and(|registered_at| {
                request.is_after(registered_at) && request.waited_since(registered_at) < QUEUE_LIFETIME
            });
            let has_same_options = queue.options_hash == options_hash;
            let has_no_waiting_poll = queue.waiting_poll_count == 0;
            has_same_options
                && has_no_waiting_poll
                && is_registered
                && queue.is_alive()
                && (request.is_queue_alive)(&queue.id)
        };
        let is_recent = |queue: &KnownQueue| {
            queue.registered_at.is_some_and(|registered_at| request.waited_since(registered_at) < RESTART_SPAN)
        };
        let is_of_same_process =
            |queue: &KnownQueue| queue.poll_count > 0 && queue.connection_number == request.facts.connection_number;
        let idle_queues: Vec<&KnownQueue> = queues.iter().filter(is_idle).collect();
        let starts_over = idle_queues.iter().filter(|queue| is_recent(queue)).count() >= 2;
        if idle_queues.iter().any(|queue| is_of_same_process(queue)) {
            findings.add(&REGISTERED_AGAIN, "", request);
        } else if starts_over {
            let idle_queue_ids = idle_queues.iter().map(|queue| queue.id.clone()).collect();
            self.restart.get_or_insert_with(|| Restart {
                registration: Occurrence::from_request(request),
                registered_at: request.reply_sent_at,
                idle_queue_ids,
            });
        }
        let types = request.param("event_types");
        queues.add(KnownQueue {
            id: id.into(),
            registered_at: Some(request.reply_sent_at),
            options_hash,
            registration: Occurrence::from_request(request),
            has_user_events: types.is_none_or(|types| types.contains("\"realm_user\"")),
            connection_number: request.facts.connection_number,
            newest_sent: Some(-1),
            newest_delivered: -1,
            acknowledged: -1,
            ..KnownQueue::default()
        });
    }

    /// Forgets the restart if the client polls an older queue: then it has several queues at the same time.
    pub fn record_poll_start(&mut self, queue_id: &str) {
        self.restart.take_if(|restart| restart.idle_queue_ids.iter().any(|idle_queue_id| **idle_queue_id == *queue_id));
    }

    /// Finds a client that registers again and again, once it had the time to poll its queues.
    pub fn check_restart(&mut self, now: Moment, findings: &mut Findings) {
        let had_time_to_poll = |restart: &mut Restart| now.real - restart.registered_at.real >= MAX_TIME_TO_POLL;
        if let Some(restart) = self.restart.take_if(had_time_to_poll) {
            findings.add_occurrence(&REGISTERED_AGAIN, "", restart.registration);
        }
    }

    /// Does the same as [`Memory::check_restart`] at the end of the world, without waiting.
    pub fn check_restart_at_end(&mut self, findings: &mut Findings) {
        if let Some(restart) = self.restart.take() {
            findings.add_occurrence(&REGISTERED_AGAIN, "", restart.registration);
        }
    }

    /// Finds clients that continue without a queue.
    fn check_request_without_queue(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let is_late =
            |lost_at: Moment| request.is_after(lost_at) && request.waited_since(lost_at) > MAX_TIME_WITHOUT_QUEUE;
        if self.lost_at.is_some_and(is_late) {
            self.lost_at = None;
            findings.add(&QUEUE_NOT_REPLACED, "", request);
        }
    }
}

fn mark_deleted(queues: &mut KnownQueues, request: &Observation<'_>) {
    if let Some(queue) = request.param("queue_id").and_then(|id| queues.find(id)) {
        queue.is_deleted = true;
    }
}

/// The queue ID in a register reply. Searching the text is faster than parsing the long reply.
fn registered_id(reply: &[u8]) -> Option<&str> {
    const KEY: &[u8] = br#""queue_id":""#;
    let start = memchr::memmem::find(reply, KEY)? + KEY.len();
    let length = memchr::memchr(b'"', &reply[start..])?;
    std::str::from_utf8(&reply[start..start + length]).ok()
}

/// Reports undeleted queues at the end of the world. `is_left_behind` returns whether a queue with this ID exists
/// although no running client polls it.
pub fn check_at_end(queues: &KnownQueues, is_left_behind: &impl Fn(&str) -> bool, findings: &mut Findings) {
    for queue in
        queues.iter().filter(|queue| queue.registered_at.is_some() && queue.is_alive() && is_left_behind(&queue.id))
    {
        findings.add_occurrence(&QUEUE_LEFT_BEHIND, "", queue.registration.clone());
    }
}
