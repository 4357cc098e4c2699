//! Watchers who read the events of one user. They have no queue, but events that are made only for users with a queue
//! are made for them too.

use super::World;
use crate::realm::Realm;
use crate::realm::queue::Queue;
use crate::realm::tx::Tx;
use arc_swap::ArcSwap;
use std::sync::Arc;

/// The queues with whose options the watchers of a world read events. No request knows these queues. They keep the
/// level of the time when they were added: after an upgrade, events of the former level may be made, but no watcher
/// gets them.
#[derive(Default)]
pub(super) struct WatcherQueues {
    queues: ArcSwap<Vec<Arc<Queue>>>,
}

/// Removes a watcher from its world when it is dropped.
pub struct WatcherRegistration {
    world: Arc<World>,
    queue: Arc<Queue>,
}

impl WatcherQueues {
    fn change(&self, change: impl Fn(&mut Vec<Arc<Queue>>)) {
        self.queues.rcu(|queues| {
            let mut queues = Vec::clone(queues);
            change(&mut queues);
            queues
        });
    }
}

impl World {
    /// A transaction at the world's feature level, which makes events for its watchers too.
    pub(super) fn transaction(&self, mut realm: Realm) -> Tx {
        realm.watcher_queues = self.watcher_queues.queues.load_full();
        Tx::at_level(realm, self.settings.load().feature_level)
    }

    /// Adds a watcher. Changes that are committed later make events for it.
    pub(crate) fn register_watcher(self: &Arc<Self>, queue: Queue) -> WatcherRegistration {
        let queue = Arc::new(queue);
        self.watcher_queues.change(|queues| queues.push(queue.clone()));
        WatcherRegistration { world: self.clone(), queue }
    }
}

impl Drop for WatcherRegistration {
    fn drop(&mut self) {
        self.world.watcher_queues.change(|queues| queues.retain(|queue| !Arc::ptr_eq(queue, &self.queue)));
    }
}
