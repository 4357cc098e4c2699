//! A watched world's frames on a WebSocket.

use crate::control::watch::{frames, lost};
use crate::world::World;
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use warp::ws::{Message, WebSocket};

/// Tells what happens in a world until the other side goes away or the world ends.
pub async fn tell(world: Arc<World>, socket: WebSocket) {
    let mut happening = world.watch();
    let mut ended = world.ended();
    let (mut sender, mut receiver) = socket.split();
    loop {
        let told = tokio::select! {
            told = happening.recv() => told,
            // Nothing is expected from a watcher but its leaving.
            heard = receiver.next() => match heard {
                Some(Ok(message)) if !message.is_close() => continue,
                _ => return,
            },
            _ = ended.wait_for(|ended| *ended) => return,
        };
        let frames = match told {
            Ok(watched) => frames(&world, &watched),
            Err(RecvError::Lagged(count)) => vec![lost(count)],
            Err(RecvError::Closed) => return,
        };
        for frame in frames {
            if sender.send(Message::text(frame.to_string())).await.is_err() {
                return;
            }
        }
    }
}
