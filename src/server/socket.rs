//! A watched world's frames on a WebSocket.

use super::own_head::own_head;
use crate::control::Control;
use crate::control::pages::token_subprotocol;
use crate::control::watch::{frame, lost};
use crate::http::Response;
use crate::http::request::RequestHead;
use crate::world::{Watched, World};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{HeaderValue, header};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::watch::Receiver;
use tokio::time::{MissedTickBehavior, interval};
use warp::ws::{Message, WebSocket, Ws};
use warp::{Filter, Rejection};

const SECOND: Duration = Duration::from_secs(1);

/// The WebSocket on which a world is watched.
pub fn watch_socket(
    control: Arc<Control>,
    stopped: Receiver<bool>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::path!("control" / "worlds" / String / "watch").and(own_head()).and(warp::ws()).map(
        move |name: String, head: Arc<RequestHead>, socket: Ws| {
            let headers = &head.headers;
            match control.watched(&name, head.uri.query(), headers) {
                Ok((world, per_second)) => {
                    let stopped = stopped.clone();
                    // Before the handshake is answered: what happens right after it is sent too.
                    let happening = world.watch();
                    let base_url = control.base_url(headers, &name);
                    let upgraded =
                        socket.on_upgrade(move |socket| tell(world, base_url, happening, per_second, socket, stopped));
                    let (mut head, _) = warp::reply::Reply::into_response(upgraded).into_parts();
                    let subprotocol = token_subprotocol(headers).and_then(|chosen| HeaderValue::from_str(chosen).ok());
                    if let Some(subprotocol) = subprotocol {
                        head.headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
                    }
                    Response::from_parts(head, Bytes::new())
                }
                Err(refused) => refused,
            }
        },
    )
}

/// Tells what happens in a world until the other side goes away, or the world or the server ends: so much a second at
/// most, if that is given.
async fn tell(
    world: Arc<World>,
    base_url: String,
    happening: broadcast::Receiver<Watched>,
    per_second: Option<u64>,
    socket: WebSocket,
    mut stopped: Receiver<bool>,
) {
    let mut ended = world.ended();
    tokio::select! {
        () = tell_on(&world, &base_url, happening, per_second, socket) => {}
        _ = ended.wait_for(|ended| *ended) => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

async fn tell_on(
    world: &World,
    base_url: &str,
    mut happening: broadcast::Receiver<Watched>,
    per_second: Option<u64>,
    socket: WebSocket,
) {
    let (mut sender, mut receiver) = socket.split();
    let mut second = interval(SECOND);
    second.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent_in_second = 0;
    loop {
        let is_full = per_second.is_some_and(|most| sent_in_second >= most);
        let watched = tokio::select! {
            _ = second.tick(), if per_second.is_some() => {
                sent_in_second = 0;
                // What came while the second was full is left out, and costs next to nothing.
                match happening.len() as u64 {
                    missed if is_full && missed > 0 => {
                        happening = happening.resubscribe();
                        Err(RecvError::Lagged(missed))
                    }
                    _ => continue,
                }
            }
            watched = happening.recv(), if !is_full => watched,
            // Nothing is expected from a watcher but its leaving.
            heard = receiver.next() => match heard {
                Some(Ok(message)) if !message.is_close() => continue,
                _ => return,
            },
        };
        let frame = match watched {
            Ok(watched) => frame(world, &watched, base_url),
            Err(RecvError::Lagged(count)) => lost(world, count),
            Err(RecvError::Closed) => return,
        };
        sent_in_second += 1;
        if sender.send(Message::text(frame.to_string())).await.is_err() {
            return;
        }
    }
}
