//! The rule about messages that are sent twice.

use super::SECOND;
use super::polls::PollResult;
use crate::report::finding::Findings;
use crate::report::latest_items::LatestItems;
use crate::report::observation::{Moment, Observation, Receipt, stable_hash};
use crate::report::rule::{Rule, Severity};

/// After this time, a message with the same content counts as a new one.
const REPETITION_SPAN: i64 = 600 * SECOND;

pub const RULES: &[&Rule] = &[&SEND_REPEATED_BLINDLY];

static SEND_REPEATED_BLINDLY: Rule = Rule {
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

/// A message that was sent, although its request got no complete reply, or status 502 or 504.
#[derive(Debug)]
struct UnansweredMessage {
    /// A hash of the request without the parameters that may differ when it is repeated.
    fingerprint: u64,
    /// None if the request has none, or has no `queue_id`, without which it has no effect.
    local_id: Option<Box<str>>,
    /// Whether the client has fetched messages since.
    has_fetched: bool,
    /// Whether the client has polled successfully since.
    has_polled: bool,
    /// Whether the event of the message was received.
    has_arrived: bool,
    sent_at: Moment,
}

#[derive(Debug, Default)]
pub struct Memory {
    unanswered_messages: LatestItems<UnansweredMessage, 4>,
}

impl Memory {
    pub fn check(&mut self, request: &Observation<'_>, poll_result: Option<&PollResult>, findings: &mut Findings) {
        if request.is_for("POST", "/messages") {
            return self.check_send(request, findings);
        }
        if self.unanswered_messages.is_empty() {
            return;
        }
        let is_fetch =
            request.entry.method == "GET" && request.entry.route.is_some_and(|route| route.starts_with("/messages"));
        for message in self.unanswered_messages.iter_mut() {
            message.has_fetched |= is_fetch && request.is_success() && request.is_after(message.sent_at);
            if let Some(poll_result) = poll_result.filter(|poll_result| poll_result.is_success) {
                message.has_polled = true;
                message.has_arrived |= poll_result.local_ids.iter().any(|id| message.local_id.as_deref() == Some(id));
            }
        }
    }

    fn check_send(&mut self, request: &Observation<'_>, findings: &mut Findings) {
        let fingerprint = message_fingerprint(request);
        let previous = self.unanswered_messages.take(|message| message.fingerprint == fingerprint);
        if let Some(previous) = &previous
            && request.is_after(previous.sent_at)
            && request.waited_since(previous.sent_at) < REPETITION_SPAN
        {
            let has_checked = previous.has_fetched || (previous.has_polled && previous.local_id.is_some());
            if previous.has_arrived || !has_checked {
                findings.add(&SEND_REPEATED_BLINDLY, "", request);
            }
        }
        let is_unanswered = request.receipt != Receipt::Complete || matches!(request.entry.status, 502 | 504);
        // A request that was lost on its way may be sent again, although its client can't know that.
        let was_sent = !request.entry.events.is_empty();
        if is_unanswered && was_sent {
            let has_queue = request.param("queue_id").is_some();
            self.unanswered_messages.push(UnansweredMessage {
                fingerprint,
                local_id: request.param("local_id").filter(|_| has_queue).map(Into::into),
                has_fetched: false,
                has_polled: false,
                has_arrived: false,
                sent_at: request.reply_sent_at,
            });
        }
    }
}

/// A hash of a message's recipients, as they were sent, and content: the same with other parameters, and with the
/// former names of types and topics.
fn message_fingerprint(request: &Observation<'_>) -> u64 {
    let kind = request.param("type").map(|kind| match kind {
        "stream" => "channel",
        "private" => "direct",
        kind => kind,
    });
    let topic = request.param("topic").or_else(|| request.param("subject"));
    stable_hash(&(kind, request.param("to"), topic, request.param("content").map(str::trim)))
}
