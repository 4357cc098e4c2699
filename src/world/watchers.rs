//! Watchers who read the events of one user. Each has a queue that is not among those of the realm, so that no request
//! knows it. Events that are made only for users with a queue are made for such watchers too.

use super::World;
use crate::realm::queue::Queue;
use arc_swap::ArcSwap;
use std::sync::Arc;

/// The queues with whose options the watchers of a world read events. They keep the level of the time when they were
/// added: after an upgrade, events of the former level may be made, but no watcher gets them.
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
    pub(super) fn load(&self) -> Arc<Vec<Arc<Queue>>> {
        self.queues.load_full()
    }

    fn update(&self, change: impl Fn(&mut Vec<Arc<Queue>>)) {
        self.queues.rcu(|queues| {
            let mut queues = Vec::clone(queues);
            change(&mut queues);
            queues
        });
    }
}

impl World {
    /// Adds a watcher. Changes that are committed later make events for it.
    pub(crate) fn register_watcher(self: &Arc<Self>, queue: Queue) -> WatcherRegistration {
        let queue = Arc::new(queue);
        self.watcher_queues.update(|queues| queues.push(queue.clone()));
        WatcherRegistration { world: self.clone(), queue }
    }
}

impl Drop for WatcherRegistration {
    fn drop(&mut self) {
        self.world.watcher_queues.update(|queues| queues.retain(|queue| !Arc::ptr_eq(queue, &self.queue)));
    }
}
