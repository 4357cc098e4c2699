//! Posting the calls of outgoing webhooks, aside from all requests.

use crate::http::webhook::Posted;
use crate::realm::webhook::{
    ANSWER_TIME_SECONDS, MAX_REDIRECTS, Outcome, Reach, WebhookCall, is_loopback_name, obstacle_of,
};
use crate::world::blocking::in_place;
use crate::world::{WebhookAttempt, WebhookDelivery, WebhookSender, World};
use bytes::{Bytes, BytesMut};
use http::{Method, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
#[cfg(feature = "tls")]
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use iri_string::types::{UriReferenceStr, UriStr};
use percent_encoding::{AsciiSet, CONTROLS};
use serde_json::Value;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Semaphore, watch};
use tower_service::Service;

/// How often a call is tried once more, and the time between two tries.
const MORE_TRIES: usize = 3;
const PAUSE: Duration = Duration::from_secs(1);
/// Calls that are posted at once, of all worlds; see `docs/limits.md`.
const AT_ONCE: usize = 32;
/// So much of a reply is read; see `docs/limits.md`.
const MAX_REPLY_BYTES: usize = 256 * 1024;
/// So much of a reply is kept to be looked at.
const MAX_KEPT_BYTES: usize = 16 * 1024;

/// Posts from now on, until the server ends.
pub fn sender(reach: Reach, stopped: watch::Receiver<bool>) -> WebhookSender {
    let (deliveries, received) = unbounded_channel();
    tokio::spawn(run(received, Arc::new(Poster::new(reach)), stopped));
    WebhookSender { reach, deliveries }
}

async fn run(mut deliveries: UnboundedReceiver<WebhookDelivery>, poster: Arc<Poster>, stopped: watch::Receiver<bool>) {
    let ending = ended(stopped.clone());
    tokio::pin!(ending);
    loop {
        let delivery = tokio::select! {
            delivery = deliveries.recv() => delivery,
            () = &mut ending => return,
        };
        let Some(delivery) = delivery else { return };
        let (poster, stopped) = (poster.clone(), stopped.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = poster.carry_out(delivery) => {}
                () = ended(stopped) => {}
            }
        });
    }
}

/// Waits for the end of the server.
async fn ended(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Whoever posts.
struct Poster {
    reach: Reach,
    places: Semaphore,
    plain: Client<HttpConnector<Resolver>, Full<Bytes>>,
    /// Made for the first call that needs it: the authorities that this machine trusts are read from many files.
    secure: OnceLock<Result<SecureClient, String>>,
}

#[cfg(feature = "tls")]
type SecureClient = Client<HttpsConnector<HttpConnector<Resolver>>, Full<Bytes>>;
#[cfg(not(feature = "tls"))]
type SecureClient = Client<HttpConnector<Resolver>, Full<Bytes>>;

impl Poster {
    fn new(reach: Reach) -> Self {
        let plain = builder().build(connector(reach));
        Self { reach, places: Semaphore::new(AT_ONCE), plain, secure: OnceLock::new() }
    }

    /// Posts the calls of a bot one after the other.
    async fn carry_out(&self, delivery: WebhookDelivery) {
        loop {
            let Some(world) = delivery.world.upgrade() else { return };
            let Some(call) = world.next_webhook(delivery.bot, delivery.generation) else { return };
            let posted = in_place(|| Posted::of(&world.published(), &world.settings(), &call));
            drop(world);
            for tries_left in (0..=MORE_TRIES).rev() {
                let outcome = self.post(&call, &posted).await;
                let attempt = WebhookAttempt { body: posted.shown.clone(), reply: shown_reply(&outcome) };
                let Some(world) = living(&delivery.world) else { return };
                if tries_left == 0 || !outcome.is_worth_another_try() {
                    world.settle_webhook(delivery.generation, &call, &outcome, attempt).await;
                    break;
                }
                if !world.note_webhook(delivery.generation, &call, &outcome, attempt) {
                    return;
                }
                drop(world);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    async fn post(&self, call: &WebhookCall, posted: &Posted) -> Outcome {
        // It is never closed.
        let _place = self.places.acquire().await;
        let whole = tokio::time::timeout(Duration::from_secs(ANSWER_TIME_SECONDS), self.ask(call, posted)).await;
        whole.unwrap_or(Outcome::TimedOut)
    }

    /// Posts a call, and follows where receivers send it on to; each address is checked.
    async fn ask(&self, call: &WebhookCall, posted: &Posted) -> Outcome {
        let mut next = Hop { url: call.url.clone(), posts: true };
        for _ in 0..=MAX_REDIRECTS {
            if let Some(obstacle) = obstacle_of(&next.url, self.reach) {
                return obstacle;
            }
            let response = match self.send(&next, posted).await {
                Ok(response) => response,
                Err(reason) => return Outcome::NoConnection(reason),
            };
            if let Some(hop) = next.redirected(&response) {
                next = hop;
                continue;
            }
            let (head, body) = response.into_parts();
            return match beginning(body).await {
                Ok(body) => Outcome::Answered { status: head.status.as_u16(), body },
                Err(error) => Outcome::NoConnection(format!("the reply broke off: {error}")),
            };
        }
        Outcome::TooManyRedirects
    }

    async fn send(&self, hop: &Hop, posted: &Posted) -> Result<http::Response<Incoming>, String> {
        let request = http::Request::builder()
            .method(if hop.posts { Method::POST } else { Method::GET })
            .uri(&hop.url)
            .header(header::ACCEPT, "*/*")
            .header(header::USER_AGENT, &posted.user_agent);
        let request = if hop.posts {
            let request = request.header(header::CONTENT_TYPE, posted.content_type);
            request.body(Full::new(Bytes::from(posted.bytes.clone())))
        } else {
            request.body(Full::default())
        };
        let request = request.map_err(|error| error.to_string())?;
        let sent = if request.uri().scheme_str() == Some("https") {
            self.secure().map_err(Clone::clone)?.request(request).await
        } else {
            self.plain.request(request).await
        };
        sent.map_err(|error| reason(&error))
    }

    fn secure(&self) -> Result<&SecureClient, &String> {
        self.secure.get_or_init(|| secure_client(self.reach)).as_ref()
    }
}

#[cfg(feature = "tls")]
fn secure_client(reach: Reach) -> Result<SecureClient, String> {
    let trusted = in_place(|| HttpsConnectorBuilder::new().with_native_roots());
    let trusted = trusted.map_err(|error| format!("no certificates to trust were found: {error}"))?;
    Ok(builder().build(trusted.https_only().enable_http1().wrap_connector(connector(reach))))
}

#[cfg(not(feature = "tls"))]
fn secure_client(_reach: Reach) -> Result<SecureClient, String> {
    Err("chatdouble is built without its feature tls".to_owned())
}

/// The world, unless it is gone.
fn living(world: &Weak<World>) -> Option<Arc<World>> {
    world.upgrade()
}

/// Connections are not kept: receivers of tests come and go on the same port.
fn builder() -> hyper_util::client::legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_max_idle_per_host(0).retry_canceled_requests(false);
    builder
}

fn connector(reach: Reach) -> HttpConnector<Resolver> {
    let mut connector = HttpConnector::new_with_resolver(Resolver { reach, others: GaiResolver::new() });
    connector.enforce_http(false);
    connector
}

/// One request of a call.
struct Hop {
    url: String,
    /// Whether the body is posted, or the address is only asked for.
    posts: bool,
}

impl Hop {
    /// Where a reply sends the request on to, if it does; as real servers' library for HTTP does it.
    fn redirected<T>(&self, response: &http::Response<T>) -> Option<Self> {
        let keeps_method = match response.status().as_u16() {
            301..=303 => false,
            307 | 308 => true,
            _ => return None,
        };
        let place = response.headers().get(header::LOCATION)?;
        let place = percent_encoding::percent_encode(place.as_bytes(), NOT_IN_ADDRESSES).to_string();
        let base = UriStr::new(&self.url).ok()?.to_absolute();
        let url = UriReferenceStr::new(&place).ok()?.resolve_against(base).to_string();
        Some(Self { url, posts: self.posts && keeps_method })
    }
}

/// Bytes that are encoded in the address of a redirect.
const NOT_IN_ADDRESSES: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// As much of a reply as is read.
async fn beginning(mut body: Incoming) -> Result<Bytes, hyper::Error> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Some(data) = frame?.data_ref() {
            let room = MAX_REPLY_BYTES - bytes.len();
            bytes.extend_from_slice(&data[..data.len().min(room)]);
            if bytes.len() == MAX_REPLY_BYTES {
                break;
            }
        }
    }
    Ok(bytes.freeze())
}

/// A reply to be looked at: JSON, or text.
fn shown_reply(outcome: &Outcome) -> Value {
    let Outcome::Answered { body, .. } = outcome else { return Value::Null };
    if body.len() <= MAX_KEPT_BYTES
        && let Ok(reply) = serde_json::from_slice(body)
    {
        return reply;
    }
    String::from_utf8_lossy(&body[..body.len().min(MAX_KEPT_BYTES)]).into_owned().into()
}

/// What went wrong, down to the system's words.
fn reason(error: &ClientError) -> String {
    let mut source: &dyn std::error::Error = error;
    while let Some(cause) = source.source() {
        source = cause;
    }
    let what = if error.is_connect() { "no connection" } else { "no reply" };
    format!("{what}: {source}")
}

/// Finds hosts: names that stand for this machine by definition without asking anybody, others only where calls may go.
#[derive(Clone)]
struct Resolver {
    reach: Reach,
    others: GaiResolver,
}

type Found = Pin<Box<dyn Future<Output = io::Result<std::vec::IntoIter<SocketAddr>>> + Send>>;

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Found;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Found {
        if is_loopback_name(name.as_str()) {
            let both = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))];
            return Box::pin(async move { Ok(both.into_iter()) });
        }
        if self.reach == Reach::Loopback {
            return Box::pin(async { Err(io::Error::other("only loopback addresses are posted to")) });
        }
        let found = self.others.call(name);
        Box::pin(async move { Ok(found.await?.collect::<Vec<_>>().into_iter()) })
    }
}
