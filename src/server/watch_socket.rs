//! The watch socket: sends the frames of a watched world over a WebSocket.

use super::non_api_head::non_api_head;
use crate::control::Control;
use crate::control::cross_origin::token_subprotocol;
use crate::control::watch::{WatchRequest, missed_count_frame};
use crate::http::Response;
use crate::http::request::RequestHead;
use crate::world::WatchFrame;
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

/// The route that upgrades a connection to the watch socket of a world. Sockets end when `stopped` becomes true.
pub fn watch_socket(
    control: Arc<Control>,
    stopped: Receiver<bool>,
) -> impl Filter<Extract = (Response,), Error = Rejection> + Clone {
    warp::path!("control" / "worlds" / String / "watch").and(non_api_head()).and(warp::ws()).map(
        move |name: String, head: Arc<RequestHead>, socket: Ws| {
            let headers = &head.headers;
            match control.watch_request(&name, head.uri.query(), headers) {
                Ok(request) => {
                    let stopped = stopped.clone();
                    // The subscription starts before the handshake is answered, so that frames right after it are sent
                    // too.
                    let receiver = request.world.watch();
                    let base_url = control.base_url(headers, &name);
                    let upgrade_reply =
                        socket.on_upgrade(move |socket| send_frames(request, base_url, receiver, socket, stopped));
                    let (mut head, _) = warp::reply::Reply::into_response(upgrade_reply).into_parts();
                    let subprotocol = token_subprotocol(headers).and_then(|value| HeaderValue::from_str(value).ok());
                    if let Some(subprotocol) = subprotocol {
                        head.headers.insert(header::SEC_WEBSOCKET_PROTOCOL, subprotocol);
                    }
                    Response::from_parts(head, Bytes::new())
                }
                Err(refusal) => refusal,
            }
        },
    )
}

/// Sends the frames of a world until the watcher disconnects, or the world or the server ends.
async fn send_frames(
    request: WatchRequest,
    base_url: String,
    receiver: broadcast::Receiver<WatchFrame>,
    socket: WebSocket,
    mut stopped: Receiver<bool>,
) {
    let mut ended = request.world.ended();
    tokio::select! {
        () = send_until_closed(&request, &base_url, receiver, socket) => {}
        _ = ended.wait_for(|ended| *ended) => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

async fn send_until_closed(
    request: &WatchRequest,
    base_url: &str,
    mut receiver: broadcast::Receiver<WatchFrame>,
    socket: WebSocket,
) {
    let max_per_second = request.max_per_second;
    let (mut sink, mut client_messages) = socket.split();
    let mut second_timer = interval(SECOND);
    second_timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut sent_in_second = 0;
    loop {
        let is_limit_reached = max_per_second.is_some_and(|max| sent_in_second >= max);
        let received = tokio::select! {
            _ = second_timer.tick(), if max_per_second.is_some() => {
                sent_in_second = 0;
                // Frames beyond the limit are skipped without building them.
                match receiver.len() as u64 {
                    missed_count if is_limit_reached && missed_count > 0 => {
                        receiver = receiver.resubscribe();
                        Err(RecvError::Lagged(missed_count))
                    }
                    _ => continue,
                }
            }
            received = receiver.recv(), if !is_limit_reached => received,
            // Watchers send no messages, so only the end of the connection matters.
            incoming = client_messages.next() => match incoming {
                Some(Ok(message)) if !message.is_close() => continue,
                _ => return,
            },
        };
        let frames = match received {
            Ok(received) => request.frames(&received, base_url),
            Err(RecvError::Lagged(count)) => vec![missed_count_frame(&request.world, count)],
            Err(RecvError::Closed) => return,
        };
        for frame in frames {
            sent_in_second += 1;
            if sink.send(Message::text(frame.to_string())).await.is_err() {
                return;
            }
        }
    }
}
