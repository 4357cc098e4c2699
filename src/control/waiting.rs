//! Waits for a condition in a world.

use crate::error::Error;
use crate::world::World;
use std::time::Duration;
use tokio::sync::futures::Notified;

/// Calls `check` at once and after each change, until it returns a value. `changed` returns a future that ends with the
/// next change. Returns None after the timeout, which is in real time.
///
/// # Errors
///
/// `UnknownControlWorld` when the world is deleted while waiting.
pub async fn wait_until<'world, T>(
    world: &'world World,
    timeout_ms: u64,
    changed: impl Fn() -> Notified<'world>,
    check: impl Fn() -> Option<T>,
) -> Result<Option<T>, Error> {
    let timeout = Duration::from_millis(timeout_ms);
    let wait_for_value = async {
        loop {
            let change = changed();
            tokio::pin!(change);
            // Before the check, so that a change between the check and the wait is not missed.
            change.as_mut().enable();
            if let Some(value) = check() {
                return value;
            }
            change.await;
        }
    };
    let mut ended = world.ended();
    tokio::select! {
        value = tokio::time::timeout(timeout, wait_for_value) => Ok(value.ok()),
        _ = ended.wait_for(|ended| *ended) => {
            Err(Error::UnknownControlWorld { message: format!("The world '{}' was deleted", world.name()).into() })
        }
    }
}
