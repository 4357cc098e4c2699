//! Rules about messages that are sent twice.

use super::SECOND;
use super::polls::Polled;
use crate::report::finding::Findings;
use crate::report::memory::Latest;
use crate::report::rule::{Rule, Severity};
use crate::report::seen::{Arrival, Past, Seen};

/// A message that is sent again after this time is another one.
const SAME_MESSAGE_WITHIN: i64 = 600 * SECOND;

/// The rows.
pub const RULES: &[&Rule] = &[&BLINDLY];

static BLINDLY: Rule = Rule {
    name: "send-repeated-blindly",
    severity: Severity::Error,
    since: 0,
    removed_in: None,
    what: "Sent a message again after a lost reply without finding out whether it had arrived",
    why: "The server had sent it: everybody receives it twice.",
    help: "Send local_id and queue_id, and wait for the message's event or fetch the conversation before sending it again.",
    example: "POST /messages, whose reply is lost; POST /messages with the same content",
    test: "a_message_is_not_sent_again_blindly",
};

/// A message whose reply was lost.
#[derive(Debug)]
struct Lost {
    message: u64,
    local_id: Option<Box<str>>,
    has_fetched: bool,
    has_polled: bool,
    has_arrived: bool,
    at: Past,
}

/// What is remembered.
#[derive(Debug, Default)]
pub struct Memory {
    lost: Latest<Lost, 4>,
}

impl Memory {
    /// Judges a request.
    pub fn judge(&mut self, seen: &Seen<'_>, polled: Option<&Polled>, findings: &mut Findings) {
        if seen.is("POST", "/messages") {
            return self.judge_send(seen, findings);
        }
        if self.lost.is_empty() {
            return;
        }
        let is_fetch =
            seen.entry.method == "GET" && seen.entry.route.is_some_and(|route| route.starts_with("/messages"));
        for lost in self.lost.iter_mut() {
            lost.has_fetched |= is_fetch && seen.is_success() && seen.is_after(lost.at);
            if let Some(polled) = polled.filter(|polled| polled.is_success) {
                lost.has_polled = true;
                lost.has_arrived |= polled.local_ids.iter().any(|id| lost.local_id.as_deref() == Some(id));
            }
        }
    }

    fn judge_send(&mut self, seen: &Seen<'_>, findings: &mut Findings) {
        let message = seen.fingerprint(&["local_id", "queue_id", "client", "read_by_sender"]);
        let known = self.lost.take(|lost| lost.message == message);
        if let Some(lost) = &known
            && seen.is_after(lost.at)
            && seen.waited(lost.at) < SAME_MESSAGE_WITHIN
        {
            let would_know = lost.has_fetched || (lost.has_polled && lost.local_id.is_some());
            if lost.has_arrived || !would_know {
                findings.add(&BLINDLY, "", seen);
            }
        }
        let is_unknown = seen.arrival != Arrival::Whole || matches!(seen.entry.status, 502 | 504);
        if is_unknown {
            let is_named = seen.param("queue_id").is_some();
            let local_id = seen.param("local_id").filter(|_| is_named).map(Into::into);
            let at = seen.sent;
            self.lost.push(Lost { message, local_id, has_fetched: false, has_polled: false, has_arrived: false, at });
        }
    }
}
