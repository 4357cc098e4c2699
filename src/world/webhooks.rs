//! Queues the calls of outgoing webhooks until the server posts them, and lists their attempts.
//!
//! The calls of one bot are posted one after the other, in the order of the messages. A reset, a restored
//! snapshot or state document, and the end of the world begin a new generation, and the calls of earlier generations
//! are dropped.

use super::World;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::webhook::{CallOutcome, Reach, WebhookCall};
use crate::time::Timestamp;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock, Weak};
use tokio::sync::mpsc::UnboundedSender;

/// Maximum number of listed attempts; see `docs/limits.md`.
const MAX_ATTEMPTS: usize = 500;
/// Maximum number of waiting calls of a world. Further calls fail immediately. See `docs/limits.md`.
const MAX_WAITING: usize = 1_000;

/// Hands calls to the task that posts them.
#[derive(Clone)]
pub struct WebhookSender {
    /// The hosts that it may post to.
    pub reach: Reach,
    pub jobs: UnboundedSender<PostingJob>,
}

/// A request to post the calls of one bot until [`World::next_webhook_call`] returns None.
pub struct PostingJob {
    /// Weak, because the world may end first.
    pub world: Weak<World>,
    pub bot: UserId,
    pub generation: Generation,
}

/// The period between two replacements of a world's state, such as resets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation(u64);

/// An attempt to post a call, and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookAttempt {
    /// Rises by one with each attempt, from 1 in each generation.
    pub id: u64,
    /// When it ended, by the world's clock.
    pub at: Timestamp,
    /// The bot's email address.
    pub user: String,
    pub url: String,
    /// The request body: JSON, or form data as a string. Null if nothing was posted.
    pub body: Value,
    /// HTTP status. None if there was no reply.
    pub status: Option<u16>,
    /// The reply's body: JSON, or a string if it is not JSON. Null if there was no reply.
    pub reply: Value,
    /// Why there was no reply, or why it could not be used. None if the attempt succeeded.
    pub error: Option<String>,
}

/// The bodies of an attempt that is not listed yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptBodies {
    /// The request body, as in [`WebhookAttempt::body`].
    pub body: Value,
    /// The reply's body, as in [`WebhookAttempt::reply`].
    pub reply: Value,
}

#[derive(Default)]
pub(super) struct Webhooks {
    /// With the world itself, which is handed over with each job. Without a sender, calls are dropped.
    sender: OnceLock<(WebhookSender, Weak<World>)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    generation: Generation,
    last_attempt_id: u64,
    attempts: VecDeque<Arc<WebhookAttempt>>,
    /// Waiting calls of each bot whose calls are being posted.
    waiting_calls: BTreeMap<UserId, VecDeque<Arc<WebhookCall>>>,
}

impl State {
    /// Lists an attempt. `answer_error` is why the bot's answer was not sent.
    fn add_attempt(
        &mut self,
        realm: &Realm,
        call: &WebhookCall,
        outcome: &CallOutcome,
        bodies: AttemptBodies,
        answer_error: Option<String>,
    ) {
        self.last_attempt_id += 1;
        let status = match outcome {
            CallOutcome::Replied { status, .. } => Some(*status),
            _ => None,
        };
        let user = realm.users.get(&call.bot).map(|bot| bot.email.clone()).unwrap_or_default();
        let (url, error) = (call.url.clone(), outcome.error().or(answer_error));
        let AttemptBodies { body, reply } = bodies;
        if self.attempts.len() == MAX_ATTEMPTS {
            self.attempts.pop_front();
        }
        let attempt = WebhookAttempt { id: self.last_attempt_id, at: realm.now, user, url, body, status, reply, error };
        self.attempts.push_back(Arc::new(attempt));
    }
}

impl World {
    /// Sets the sender. Webhook calls from before are dropped, and later senders are ignored.
    pub(crate) fn set_webhook_sender(self: &Arc<Self>, sender: WebhookSender) {
        // An error means that a sender was set before.
        let _ = self.webhooks.sender.set((sender, Arc::downgrade(self)));
    }

    /// Takes the calls of a transaction. Calls that can't be posted are settled in the same transaction.
    pub(super) fn take_webhook_calls(&self, tx: &mut Tx) -> Vec<WebhookCall> {
        let calls = std::mem::take(tx.webhook_calls_mut());
        let Some((sender, _)) = self.webhooks.sender.get().filter(|_| !calls.is_empty()) else { return Vec::new() };
        let mut accepted_calls = Vec::new();
        let waiting_count: usize = self.webhooks.state.lock().waiting_calls.values().map(VecDeque::len).sum();
        for call in calls {
            let too_many_waiting = || {
                let reason = format!("{MAX_WAITING} calls of this world's bots wait already");
                (waiting_count + accepted_calls.len() >= MAX_WAITING).then_some(CallOutcome::NoReply(reason))
            };
            match call.outcome_if_blocked(sender.reach).or_else(too_many_waiting) {
                None => accepted_calls.push(call),
                Some(outcome) => {
                    let answer_error = tx.handle_webhook_outcome(&call, &outcome);
                    self.webhooks.state.lock().add_attempt(tx, &call, &outcome, AttemptBodies::default(), answer_error);
                }
            }
        }
        accepted_calls
    }

    /// Queues calls to be posted, after the transaction that made them is published.
    pub(super) fn queue_webhook_calls(&self, calls: Vec<WebhookCall>) {
        let Some((sender, world)) = self.webhooks.sender.get() else { return };
        for call in calls {
            let (bot, mut state) = (call.bot, self.webhooks.state.lock());
            let generation = state.generation;
            if let Some(bot_calls) = state.waiting_calls.get_mut(&bot) {
                // A job of this bot is running, and takes this call later.
                bot_calls.push_back(Arc::new(call));
                continue;
            }
            state.waiting_calls.insert(bot, VecDeque::from([Arc::new(call)]));
            // An error means that the server is stopping.
            let _ = sender.jobs.send(PostingJob { world: world.clone(), bot, generation });
        }
    }

    /// The next call of a bot. None ends the job.
    pub(crate) fn next_webhook_call(&self, bot: UserId, generation: Generation) -> Option<Arc<WebhookCall>> {
        let mut state = self.webhooks.state.lock();
        if state.generation != generation {
            return None;
        }
        let next_call = state.waiting_calls.get_mut(&bot)?.pop_front();
        if next_call.is_none() {
            state.waiting_calls.remove(&bot);
        }
        next_call
    }

    /// Lists an attempt that will be repeated. Returns false if the generation has ended.
    pub(crate) fn add_webhook_attempt(
        &self,
        generation: Generation,
        call: &WebhookCall,
        outcome: &CallOutcome,
        bodies: AttemptBodies,
    ) -> bool {
        let now = self.now();
        let realm = Realm { now, ..Realm::clone(&self.published_realm()) };
        let mut state = self.webhooks.state.lock();
        let is_current = state.generation == generation;
        if is_current {
            state.add_attempt(&realm, call, outcome, bodies, None);
        }
        is_current
    }

    /// Lists the last attempt, and handles its outcome. Does nothing if the generation has ended.
    pub(crate) async fn handle_webhook_outcome(
        &self,
        generation: Generation,
        call: &WebhookCall,
        outcome: &CallOutcome,
        bodies: AttemptBodies,
    ) {
        let _turn = self.wait_for_turn().await;
        let result = super::blocking::run_blocking(|| {
            self.commit_without_broadcast(|tx| -> Result<(), Error> {
                if self.webhooks.state.lock().generation != generation {
                    // Only ends the commit; nobody sees the error.
                    return Err(Error::Internal);
                }
                let answer_error = tx.handle_webhook_outcome(call, outcome);
                // The attempt is listed before the answer is published, so that whoever receives the answer finds the
                // attempt.
                self.webhooks.state.lock().add_attempt(tx, call, outcome, bodies, answer_error);
                Ok(())
            })
        });
        if let Ok(((), new_events)) = result {
            self.broadcast_change(&new_events);
        }
    }

    /// The attempts, oldest first.
    pub(crate) fn webhook_attempts(&self) -> Vec<Arc<WebhookAttempt>> {
        self.webhooks.state.lock().attempts.iter().cloned().collect()
    }

    /// Removes the listed attempts. Their IDs are not reused, and waiting calls remain.
    pub(crate) fn clear_webhook_attempts(&self) {
        self.webhooks.state.lock().attempts.clear();
    }

    /// Begins a new generation: waiting calls and listed attempts are dropped.
    pub(super) fn drop_webhook_calls(&self) {
        let mut state = self.webhooks.state.lock();
        *state = State { generation: Generation(state.generation.0 + 1), ..State::default() };
    }
}
