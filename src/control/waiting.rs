//! Waiting for something to be so in a world.

use crate::error::Error;
use crate::world::World;
use std::time::Duration;
use tokio::sync::futures::Notified;

/// Looks at once, and again whenever something changed, until what is looked for is found or the time is up: then None.
///
/// # Errors
///
/// `UnknownControlWorld` when the world is deleted meanwhile.
pub async fn until<'world, T>(
    world: &'world World,
    timeout_ms: u64,
    changed: impl Fn() -> Notified<'world>,
    check: impl Fn() -> Option<T>,
) -> Result<Option<T>, Error> {
    let timeout = Duration::from_millis(timeout_ms);
    let found = async {
        loop {
            let changed = changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = check() {
                return found;
            }
            changed.await;
        }
    };
    let mut ended = world.ended();
    tokio::select! {
        found = tokio::time::timeout(timeout, found) => Ok(found.ok()),
        _ = ended.wait_for(|ended| *ended) => {
            Err(Error::UnknownControlWorld { what: format!("The world '{}' was deleted", world.name()).into() })
        }
    }
}
