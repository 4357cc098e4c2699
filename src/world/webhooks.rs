//! Calls of outgoing webhooks between the change that causes them and whoever posts them, and what became of them.
//!
//! The calls of one bot are posted one after the other, in the order of the messages. What a reset, a restored snapshot
//! or the world's end leaves behind belongs to a generation that is over, and is dropped.

use super::World;
use crate::error::Error;
use crate::realm::Realm;
use crate::realm::id::UserId;
use crate::realm::tx::Tx;
use crate::realm::webhook::{Outcome, Reach, WebhookCall};
use crate::time::Timestamp;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock, Weak};
use tokio::sync::mpsc::UnboundedSender;

/// Entries that a world keeps at most; see `docs/limits.md`.
const MAX_ENTRIES: usize = 500;
/// Calls of a world that wait at most; further ones fail at once. See `docs/limits.md`.
const MAX_WAITING: usize = 1_000;

/// Whoever posts calls.
#[derive(Clone)]
pub struct WebhookSender {
    /// Where to.
    pub reach: Reach,
    /// Where deliveries go.
    pub deliveries: UnboundedSender<WebhookDelivery>,
}

/// The calls of one bot of a world are to be posted, until there are no more ([`World::next_webhook`]).
pub struct WebhookDelivery {
    /// The world, which may be gone meanwhile.
    pub world: Weak<World>,
    pub bot: UserId,
    /// When the calls were made.
    pub generation: Generation,
}

/// The time between two resets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Generation(u64);

/// A try to post a call, and what it gave.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookEntry {
    /// Rises by one per try.
    pub id: u64,
    /// When it ended, by the world's clock.
    pub at: Timestamp,
    /// The bot's address.
    pub user: String,
    /// Where to.
    pub url: String,
    /// What was posted: JSON, or a form as text; null where nothing was.
    pub body: Value,
    /// The HTTP status, if there was a reply.
    pub status: Option<u16>,
    /// The reply: JSON, or text where it is none; null without one.
    pub reply: Value,
    /// Why there was no reply, or why it could not be used.
    pub error: Option<String>,
}

/// What a try was and gave, before it is an entry.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WebhookAttempt {
    /// As in [`WebhookEntry`].
    pub body: Value,
    /// As in [`WebhookEntry`].
    pub reply: Value,
}

/// A world's calls.
#[derive(Default)]
pub(super) struct Webhooks {
    sender: OnceLock<(WebhookSender, Weak<World>)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    generation: Generation,
    attempt: u64,
    entries: VecDeque<Arc<WebhookEntry>>,
    /// What is to be posted next, for each bot whose calls are being posted.
    waiting: BTreeMap<UserId, VecDeque<Arc<WebhookCall>>>,
}

impl State {
    fn note(
        &mut self,
        realm: &Realm,
        call: &WebhookCall,
        outcome: &Outcome,
        attempt: WebhookAttempt,
        problem: Option<String>,
    ) {
        self.attempt += 1;
        let status = match outcome {
            Outcome::Answered { status, .. } => Some(*status),
            _ => None,
        };
        let user = realm.users.get(&call.bot).map(|bot| bot.email.clone()).unwrap_or_default();
        let (url, error) = (call.url.clone(), outcome.error().or(problem));
        let WebhookAttempt { body, reply } = attempt;
        if self.entries.len() == MAX_ENTRIES {
            self.entries.pop_front();
        }
        let entry = WebhookEntry { id: self.attempt, at: realm.now, user, url, body, status, reply, error };
        self.entries.push_back(Arc::new(entry));
    }
}

impl World {
    /// Has the calls of its bots posted from now on; before, they are dropped. Only the first outlet counts.
    pub(crate) fn post_through(self: &Arc<Self>, sender: WebhookSender) {
        // It is set once, when the world becomes one that can be reached.
        let _ = self.webhooks.sender.set((sender, Arc::downgrade(self)));
    }

    /// Takes the calls that a change made. Those that can't be posted are settled in that change
    ///
    pub(super) fn take_webhooks(&self, tx: &mut Tx) -> Vec<WebhookCall> {
        let calls = std::mem::take(tx.webhook_calls_mut());
        let Some((sender, _)) = self.webhooks.sender.get().filter(|_| !calls.is_empty()) else { return Vec::new() };
        let mut posted = Vec::new();
        let waiting: usize = self.webhooks.state.lock().waiting.values().map(VecDeque::len).sum();
        for call in calls {
            let is_too_much = || {
                let reason = format!("{MAX_WAITING} calls of this world's bots wait already");
                (waiting + posted.len() >= MAX_WAITING).then_some(Outcome::NoConnection(reason))
            };
            match call.obstacle(sender.reach).or_else(is_too_much) {
                None => posted.push(call),
                Some(outcome) => {
                    let problem = tx.settle_webhook(&call, &outcome);
                    self.webhooks.state.lock().note(tx, &call, &outcome, WebhookAttempt::default(), problem);
                }
            }
        }
        posted
    }

    /// Hands calls over to be posted, after the change that made them is published.
    pub(super) fn post_webhooks(&self, calls: Vec<WebhookCall>) {
        let Some((sender, world)) = self.webhooks.sender.get() else { return };
        for call in calls {
            let (bot, mut state) = (call.bot, self.webhooks.state.lock());
            let generation = state.generation;
            if let Some(waiting) = state.waiting.get_mut(&bot) {
                waiting.push_back(Arc::new(call));
                continue;
            }
            state.waiting.insert(bot, VecDeque::from([Arc::new(call)]));
            // An error means that the server ends.
            let _ = sender.deliveries.send(WebhookDelivery { world: world.clone(), bot, generation });
        }
    }

    /// The next call of a bot that is to be posted; None ends the delivery.
    pub(crate) fn next_webhook(&self, bot: UserId, generation: Generation) -> Option<Arc<WebhookCall>> {
        let mut state = self.webhooks.state.lock();
        if state.generation != generation {
            return None;
        }
        let next = state.waiting.get_mut(&bot)?.pop_front();
        if next.is_none() {
            state.waiting.remove(&bot);
        }
        next
    }

    /// Notes a try after which there will be another; false when the generation is over.
    pub(crate) fn note_webhook(
        &self,
        generation: Generation,
        call: &WebhookCall,
        outcome: &Outcome,
        attempt: WebhookAttempt,
    ) -> bool {
        let now = self.now();
        let realm = Realm { now, ..Realm::clone(&self.published()) };
        let mut state = self.webhooks.state.lock();
        let is_current = state.generation == generation;
        if is_current {
            state.note(&realm, call, outcome, attempt, None);
        }
        is_current
    }

    /// Notes the last try, and does what it led to. Nothing happens when the generation is over.
    pub(crate) async fn settle_webhook(
        &self,
        generation: Generation,
        call: &WebhookCall,
        outcome: &Outcome,
        attempt: WebhookAttempt,
    ) {
        let _turn = self.turn().await;
        let settled = super::blocking::in_place(|| {
            self.commit_noting(|tx| -> Result<(), Error> {
                if self.webhooks.state.lock().generation != generation {
                    return Err(Error::Internal);
                }
                let problem = tx.settle_webhook(call, outcome);
                // Before anybody hears of the answer: who does may look here at once.
                self.webhooks.state.lock().note(tx, call, outcome, attempt, problem);
                Ok(())
            })
        });
        if let Ok(((), new_events)) = settled {
            self.broadcast_events(&new_events);
        }
    }

    /// What was tried, oldest first.
    pub(crate) fn webhook_entries(&self) -> Vec<Arc<WebhookEntry>> {
        self.webhooks.state.lock().entries.iter().cloned().collect()
    }

    /// Forgets what was tried; ids go on rising, and what is under way goes on.
    pub(crate) fn clear_webhook_entries(&self) {
        self.webhooks.state.lock().entries.clear();
    }

    /// Begins another generation: nothing of what was asked for is posted or settled any more, and nothing is known of it.
    pub(super) fn drop_webhooks(&self) {
        let mut state = self.webhooks.state.lock();
        *state = State { generation: Generation(state.generation.0 + 1), ..State::default() };
    }
}
