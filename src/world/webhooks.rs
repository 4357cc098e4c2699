//! Calls of outgoing webhooks between the change that causes them and whoever posts them, and what became of them.
//!
//! The calls of one bot are posted one after the other, in the order of the messages. What a reset, a restored snapshot
//! or the world's end leaves behind belongs to an era that is over, and is dropped.

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
pub struct Outlet {
    /// Where to.
    pub reach: Reach,
    /// Where errands go.
    pub errands: UnboundedSender<Errand>,
}

/// The calls of one bot of a world are to be posted, until there are no more ([`World::next_webhook`]).
pub struct Errand {
    /// The world, which may be gone meanwhile.
    pub world: Weak<World>,
    /// The bot.
    pub bot: UserId,
    /// When the calls were made.
    pub era: Era,
}

/// The time between two resets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Era(u64);

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
pub struct Tried {
    /// As in [`WebhookEntry`].
    pub body: Value,
    /// As in [`WebhookEntry`].
    pub reply: Value,
}

/// A world's calls.
#[derive(Default)]
pub(super) struct Webhooks {
    outlet: OnceLock<(Outlet, Weak<World>)>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    era: Era,
    tried: u64,
    entries: VecDeque<Arc<WebhookEntry>>,
    /// What is to be posted next, for each bot whose calls are being posted.
    waiting: BTreeMap<UserId, VecDeque<Arc<WebhookCall>>>,
}

impl State {
    fn note(&mut self, realm: &Realm, call: &WebhookCall, outcome: &Outcome, tried: Tried, problem: Option<String>) {
        self.tried += 1;
        let status = match outcome {
            Outcome::Answered { status, .. } => Some(*status),
            _ => None,
        };
        let user = realm.users.get(&call.bot).map(|bot| bot.email.clone()).unwrap_or_default();
        let (url, error) = (call.url.clone(), outcome.error().or(problem));
        let Tried { body, reply } = tried;
        if self.entries.len() == MAX_ENTRIES {
            self.entries.pop_front();
        }
        let entry = WebhookEntry { id: self.tried, at: realm.now, user, url, body, status, reply, error };
        self.entries.push_back(Arc::new(entry));
    }
}

impl World {
    /// Has the calls of its bots posted from now on; before, they are dropped. Only the first outlet counts.
    pub(crate) fn post_through(self: &Arc<Self>, outlet: Outlet) {
        // It is set once, when the world becomes one that can be reached.
        let _ = self.webhooks.outlet.set((outlet, Arc::downgrade(self)));
    }

    /// Takes the calls that a change made. Those that can't be posted are settled in that change
    ///
    pub(super) fn take_webhooks(&self, tx: &mut Tx) -> Vec<WebhookCall> {
        let calls = std::mem::take(tx.webhook_calls_mut());
        let Some((outlet, _)) = self.webhooks.outlet.get().filter(|_| !calls.is_empty()) else { return Vec::new() };
        let mut posted = Vec::new();
        let waiting: usize = self.webhooks.state.lock().waiting.values().map(VecDeque::len).sum();
        for call in calls {
            let is_too_much = || {
                let reason = format!("{MAX_WAITING} calls of this world's bots wait already");
                (waiting + posted.len() >= MAX_WAITING).then_some(Outcome::NoConnection(reason))
            };
            match call.obstacle(outlet.reach).or_else(is_too_much) {
                None => posted.push(call),
                Some(outcome) => {
                    let problem = tx.settle_webhook(&call, &outcome);
                    self.webhooks.state.lock().note(tx, &call, &outcome, Tried::default(), problem);
                }
            }
        }
        posted
    }

    /// Hands calls over to be posted, after the change that made them is published.
    pub(super) fn post_webhooks(&self, calls: Vec<WebhookCall>) {
        let Some((outlet, world)) = self.webhooks.outlet.get() else { return };
        for call in calls {
            let (bot, mut state) = (call.bot, self.webhooks.state.lock());
            let era = state.era;
            if let Some(waiting) = state.waiting.get_mut(&bot) {
                waiting.push_back(Arc::new(call));
                continue;
            }
            state.waiting.insert(bot, VecDeque::from([Arc::new(call)]));
            // An error means that the server ends.
            let _ = outlet.errands.send(Errand { world: world.clone(), bot, era });
        }
    }

    /// The next call of a bot that is to be posted; None ends the errand.
    pub(crate) fn next_webhook(&self, bot: UserId, era: Era) -> Option<Arc<WebhookCall>> {
        let mut state = self.webhooks.state.lock();
        if state.era != era {
            return None;
        }
        let next = state.waiting.get_mut(&bot)?.pop_front();
        if next.is_none() {
            state.waiting.remove(&bot);
        }
        next
    }

    /// Notes a try after which there will be another; false when the era is over.
    pub(crate) fn note_webhook(&self, era: Era, call: &WebhookCall, outcome: &Outcome, tried: Tried) -> bool {
        let now = self.now();
        let realm = Realm { now, ..Realm::clone(&self.published()) };
        let mut state = self.webhooks.state.lock();
        let is_of_era = state.era == era;
        if is_of_era {
            state.note(&realm, call, outcome, tried, None);
        }
        is_of_era
    }

    /// Notes the last try, and does what it led to. Nothing happens when the era is over.
    pub(crate) async fn settle_webhook(&self, era: Era, call: &WebhookCall, outcome: &Outcome, tried: Tried) {
        let _turn = self.turn().await;
        let settled = super::aside::in_place(|| {
            self.commit_noting(|tx| -> Result<(), Error> {
                if self.webhooks.state.lock().era != era {
                    return Err(Error::Internal);
                }
                let problem = tx.settle_webhook(call, outcome);
                // Before anybody hears of the answer: who does may look here at once.
                self.webhooks.state.lock().note(tx, call, outcome, tried, problem);
                Ok(())
            })
        });
        if let Ok(((), caused)) = settled {
            self.broadcast_events(&caused);
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

    /// Begins another era: nothing of what was asked for is posted or settled any more, and nothing is known of it.
    pub(super) fn drop_webhooks(&self) {
        let mut state = self.webhooks.state.lock();
        *state = State { era: Era(state.era.0 + 1), ..State::default() };
    }
}
