//! A watched world's frames on a WebSocket.

use crate::control::watch::{frame, lost};
use crate::world::{Watched, World};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch::Receiver;
use warp::ws::{Message, WebSocket};

/// Tells what happens in a world until the other side goes away, or the world or the server ends.
pub async fn tell(
    world: Arc<World>,
    base_url: String,
    happening: broadcast::Receiver<Watched>,
    socket: WebSocket,
    mut stopped: Receiver<bool>,
) {
    let mut ended = world.ended();
    tokio::select! {
        () = tell_on(&world, &base_url, happening, socket) => {}
        _ = ended.wait_for(|ended| *ended) => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

async fn tell_on(world: &World, base_url: &str, mut happening: broadcast::Receiver<Watched>, socket: WebSocket) {
    let (mut sender, mut receiver) = socket.split();
    loop {
        let told = tokio::select! {
            told = happening.recv() => told,
            // Nothing is expected from a watcher but its leaving.
            heard = receiver.next() => match heard {
                Some(Ok(message)) if !message.is_close() => continue,
                _ => return,
            },
        };
        let frame = match told {
            Ok(watched) => frame(world, &watched, base_url),
            Err(RecvError::Lagged(count)) => lost(world, count),
            Err(RecvError::Closed) => return,
        };
        if sender.send(Message::text(frame.to_string())).await.is_err() {
            return;
        }
    }
}
