//! Viewers: watchers who read the events of one user. Each has a queue that is not among those of the realm, so that no
//! request knows it. Events that are made only for users with a queue are made for viewers too.

use super::World;
use crate::realm::queue::Queue;
use arc_swap::ArcSwap;
use std::sync::Arc;

/// The queues with whose options the viewers of a world read events. They keep the level of the time when they were
/// added: after an upgrade, events of the former level may be made, but no viewer gets them.
#[derive(Default)]
pub(super) struct Viewers {
    queues: ArcSwap<Vec<Arc<Queue>>>,
}

/// Removes a viewer from its world when it is dropped.
pub struct ViewerRegistration {
    world: Arc<World>,
    queue: Arc<Queue>,
}

impl Viewers {
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
    /// Adds a viewer. Changes that are committed later make events for it.
    pub(crate) fn register_viewer(self: &Arc<Self>, queue: Queue) -> ViewerRegistration {
        let queue = Arc::new(queue);
        self.viewers.update(|queues| queues.push(queue.clone()));
        ViewerRegistration { world: self.clone(), queue }
    }
}

impl Drop for ViewerRegistration {
    fn drop(&mut self) {
        self.world.viewers.update(|queues| queues.retain(|queue| !Arc::ptr_eq(queue, &self.queue)));
    }
}
